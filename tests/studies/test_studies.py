"""Every study: budgets kept, instances paired, the same numbers for the same seed."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from adjudge.errors import InputError
from adjudge.studies import CostsStudy, Outcome, Setup, SingleStudy, SyntheticStudy
from adjudge.studies.players import PLAYERS


def outcomes(request: pytest.FixtureRequest) -> list[Outcome]:
    names = ("synthetic", "costs", "single")
    return [request.getfixturevalue(name) for name in names] + list(
        request.getfixturevalue("recorded_pair")
    )


def test_no_point_costs_more_than_its_budget(request: pytest.FixtureRequest) -> None:
    for outcome in outcomes(request):
        for unit in outcome.units:
            for point in unit.points:
                assert point.spent <= point.budget * (1 + 1e-9)
                assert point.error >= 0


def test_every_strategy_has_points_at_every_budget_from_its_least_on(
    request: pytest.FixtureRequest,
) -> None:
    for outcome in outcomes(request):
        study, curves = outcome.study, outcome.curves
        for panel in study.panels:
            for norm in study.norms:
                oracle = curves.curve(panel, norm, "oracle")
                assert oracle is not None
                for name in study.strategies:
                    curve = curves.curve(panel, norm, name)
                    assert curve is not None
                    assert curve.budget[0] >= curve.begins * (1 - 1e-9)
                    expected = [b for b in oracle.budget if b >= curve.begins * (1 + 1e-9)]
                    assert list(curve.budget)[-len(expected) :] == expected


def test_est_ivwe_begins_where_its_theorem_does(synthetic: Outcome) -> None:
    begins = {
        name: synthetic.curves.begins("synthetic", 2.0, name)
        for name in ("uniform", "est-ivwe-gaussian", "est-ivwe-bounded")
    }
    assert begins["uniform"] < begins["est-ivwe-gaussian"] < begins["est-ivwe-bounded"]


def test_a_run_depends_on_the_seed_and_its_number_alone() -> None:
    study = SyntheticStudy(setup=Setup(items=8, judges=2, seed=1, budgets=(1e3, 1e5)))
    run = study.unit(2)
    assert study.unit(2) == run
    assert study.unit(3).points != run.points
    other = SyntheticStudy(setup=replace(study.setup, seed=2)).unit(2)
    assert [point.error for point in run.points] != [point.error for point in other.points]


def test_the_cost_structures_of_a_run_differ_by_their_prices_alone() -> None:
    scenes = CostsStudy(setup=Setup(items=10, judges=4)).scenes(0)
    first, *others = [scene.world.instance for scene in scenes]
    for instance in others:
        assert (instance.variance == first.variance).all()
        assert (instance.mean == first.mean).all()
        assert not (instance.price_per_call == first.price_per_call).all()
        assert math.isclose(instance.price_per_call[0].mean(), 0.1)
    names = [scene.panel for scene in scenes]
    cheap = scenes[names.index("bad-is-cheap")].world.instance
    assert (cheap.price_per_call[0].argsort() == cheap.variance.mean(axis=0).argsort()[::-1]).all()


def test_the_single_judge_costs_one() -> None:
    study = SingleStudy(setup=Setup(items=10))
    points = [point for point in study.unit(0).points if point.strategy == "uniform"]
    assert all(point.spent == point.calls for point in points)


def test_budgets_of_the_user_replace_the_grid() -> None:
    setup = Setup(items=10, judges=2, budgets=(5000.0, 50.0))
    points = SyntheticStudy(setup=setup).unit(0).points
    assert {point.budget for point in points} == {50.0, 5000.0}


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"items": 0}, "items: 0; give at least 1"),
        ({"judges": 0}, "judges: 0; give at least 1"),
        ({"delta": 1.5}, "delta: 1.5; it must lie between 0 and 1"),
        ({"seed": -1}, "seed: -1; give 0 or more"),
        ({"budgets": (0.0,)}, "budgets: 0.0; every budget must be positive"),
    ],
)
def test_a_setting_that_makes_no_sense_is_one_sentence(
    changed: dict[str, object], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        replace(Setup(), **changed)


def test_every_strategy_of_every_study_can_be_played() -> None:
    for study in (SyntheticStudy(), CostsStudy(), SingleStudy()):
        assert set(study.strategies) <= set(PLAYERS)
