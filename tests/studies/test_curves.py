from __future__ import annotations

import numpy as np

from adjudge.studies.curves import Curve, Curves, ratio
from adjudge.studies.points import Point, Start, Unit


def unit(run: int, errors: dict[float, float], *, begins: float = 1.0) -> Unit:
    points = tuple(
        Point(
            panel="x",
            norm=2.0,
            strategy="oracle",
            budget=budget,
            run=run,
            error=error,
            spent=budget,
            calls=1,
        )
        for budget, error in errors.items()
    )
    start = Start(panel="x", norm=2.0, strategy="oracle", run=run, budget=begins)
    return Unit(run=run, points=points, starts=(start,), bounds=())


def curve(errors: list[list[float]], budgets: list[float], strategy: str = "oracle") -> Curve:
    return Curve(
        panel="x",
        norm=2.0,
        strategy=strategy,
        budget=np.array(budgets),
        errors=np.array(errors),
        begins=budgets[0],
    )


def test_a_curve_has_the_mean_and_the_quantiles_of_its_runs() -> None:
    units = [unit(run, {10.0: float(run)}) for run in range(11)]
    found = Curves.of(reversed(units)).curve("x", 2.0, "oracle")
    assert found is not None
    assert (found.mean[0], found.low[0], found.high[0]) == (5.0, 1.0, 9.0)
    assert found.errors[0].tolist() == list(range(11))


def test_budgets_that_some_runs_refused_are_left_out_and_the_latest_beginning_told() -> None:
    units = [unit(0, {10.0: 1.0, 20.0: 1.0}, begins=9.0), unit(1, {20.0: 3.0}, begins=12.0)]
    found = Curves.of(units).curve("x", 2.0, "oracle")
    assert found is not None
    assert found.budget.tolist() == [20.0]
    assert found.begins == 12.0


def test_a_strategy_that_never_ran_has_no_curve_but_a_beginning() -> None:
    curves = Curves.of([unit(0, {}, begins=500.0)])
    assert curves.curve("x", 2.0, "oracle") is None
    assert curves.begins("x", 2.0, "oracle") == 500.0
    assert np.isnan(curves.begins("x", 2.0, "robin"))


def test_ratios_are_paired_and_taken_where_both_curves_have_points() -> None:
    one = curve([[2.0, 4.0], [1.0, 2.0]], [10.0, 20.0])
    other = curve([[1.0, 2.0], [9.0, 9.0]], [10.0, 40.0])
    found = ratio(one, other)
    assert found.budget.tolist() == [10.0]
    assert found.value.tolist() == [2.0]
    assert found.error.tolist() == [0.0]


def test_one_run_alone_proves_nothing() -> None:
    found = ratio(curve([[1.0]], [10.0]), curve([[2.0]], [10.0]))
    assert found.value.tolist() == [0.5]
    assert found.below.tolist() == [0.0]
    certain = ratio(curve([[1.0, 1.0]], [10.0]), curve([[2.0, 2.0]], [10.0]))
    assert certain.below.tolist() == [np.inf]
