import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adjudge.core.norms import power_norm
from adjudge.core.panel import PanelModel, best_calls
from adjudge.core.panel.paths import Limits, build_paths, envelope_rates


def panel(items: int, judges: int, rng: np.random.Generator, deviation: float = 0.02) -> PanelModel:
    return PanelModel(
        mean=np.full(judges, 0.5),
        covariance=0.04 + np.diag(rng.uniform(0.2, 1, judges) * deviation),
        noise=rng.uniform(0.002, 0.1, (items, judges)),
        weights=np.full(judges, 1 / judges),
        hardness=np.ones(items),
    )


def variances(model: PanelModel, n: np.ndarray) -> np.ndarray:
    covariance = model.conditional_covariance(n / model.noise)
    result: np.ndarray = np.einsum("i,kij,j->k", model.weights, covariance, model.weights)
    return result


def loss(model: PanelModel, n: np.ndarray, norm: float) -> float:
    return power_norm(np.sqrt(variances(model, n)), norm)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1.0, 2.0, math.inf]))
def test_the_plan_holds_its_budget_and_beats_random_plans(seed: int, norm: float) -> None:
    rng = np.random.default_rng(seed)
    items, judges = 12, 3
    model, price = panel(items, judges, rng), np.tile(rng.uniform(0.3, 3, judges), (items, 1))
    budget = float(rng.uniform(1, 60))
    counts = best_calls(model, np.zeros((items, judges), int), price, budget, norm=norm)
    assert float((counts * price).sum()) <= budget * (1 + 1e-9)
    planned = loss(model, counts, norm)
    for _ in range(30):
        other = np.zeros((items, judges), int)
        left = budget
        for k, j in zip(rng.integers(0, items, 200), rng.integers(0, judges, 200), strict=True):
            if price[k, j] <= left:
                other[k, j] += 1
                left -= price[k, j]
        assert planned <= loss(model, other, norm) * 1.02


def test_the_plan_of_a_tiny_panel_comes_near_the_best_there_is() -> None:
    rng = np.random.default_rng(2)
    ratios = []
    for _ in range(20):
        model, price = panel(2, 2, rng), np.tile(rng.uniform(0.5, 1.5, 2), (2, 1))
        budget = 4.0
        best = math.inf
        for flat in itertools.product(range(6), repeat=4):
            n = np.array(flat).reshape(2, 2)
            if (n * price).sum() <= budget:
                best = min(best, loss(model, n, 2.0))
        counts = best_calls(model, np.zeros((2, 2), int), price, budget, norm=2.0)
        ratios.append(loss(model, counts, 2.0) / best)
    assert np.mean(ratios) < 1.03
    assert max(ratios) < 1.15


def test_variances_along_a_path_are_those_of_the_calls_made() -> None:
    rng = np.random.default_rng(3)
    model, price = panel(5, 3, rng), np.ones((5, 3))
    start = rng.integers(0, 3, (5, 3))
    paths = build_paths(model, start.astype(float), price, norm=2.0, limits=Limits(money=10.0))
    n = start.copy()
    for step in range(paths.steps):
        assert np.allclose(paths.variance[:, step], variances(model, n), rtol=1e-6)
        n[np.arange(5), paths.judge[:, step]] += paths.calls[:, step]


def test_rates_along_a_path_never_rise() -> None:
    rng = np.random.default_rng(4)
    model, price = panel(50, 4, rng), np.tile([0.1, 3.0, 1.0, 0.4], (50, 1))
    for norm in (1.0, 2.0, 3.0):
        paths = build_paths(model, np.zeros((50, 4)), price, norm=norm, limits=Limits(money=20.0))
        rates = envelope_rates(paths, norm)
        exists = paths.calls > 0
        later = exists[:, 1:]
        assert (np.diff(rates, axis=1)[later] <= 1e-12).all()


def test_judges_that_agree_leave_an_item_to_its_best_one() -> None:
    rng = np.random.default_rng(5)
    model, price = panel(20, 3, rng, deviation=1e-8), np.ones((20, 3))
    counts = best_calls(model, np.zeros((20, 3), int), price, 200.0, norm=2.0)
    assert ((counts > 0).sum(axis=1) == 1).all()
    assert np.array_equal(counts.argmax(axis=1), model.noise.argmin(axis=1))


def test_judges_that_disagree_are_asked_in_turn_rather_than_repeated() -> None:
    model = PanelModel(
        mean=np.full(4, 0.5),
        covariance=0.04 + 0.02 * np.eye(4),
        noise=np.full((10, 4), 0.001),
        weights=np.full(4, 0.25),
        hardness=np.ones(10),
    )
    counts = best_calls(model, np.zeros((10, 4), int), np.ones((10, 4)), 40.0, norm=2.0)
    assert (counts == 1).all()


def test_every_item_comes_down_to_one_level_for_the_infinite_norm() -> None:
    rng = np.random.default_rng(6)
    model, price = panel(100, 3, rng), np.ones((100, 3))
    counts = best_calls(model, np.zeros((100, 3), int), price, 2000.0, norm=math.inf)
    reached = variances(model, counts)
    assert reached.max() < 1.3 * np.median(reached)


def test_forbidden_pairs_are_never_planned() -> None:
    rng = np.random.default_rng(7)
    model, price = panel(30, 3, rng), np.ones((30, 3))
    price[:, 1] = math.inf
    counts = best_calls(model, np.zeros((30, 3), int), price, 90.0, norm=2.0)
    assert not counts[:, 1].any()
    assert counts.sum() == 90


@pytest.mark.parametrize("norm", [1.0, 2.0, math.inf])
def test_a_huge_budget_needs_few_steps(norm: float) -> None:
    rng = np.random.default_rng(8)
    model, price = panel(10, 3, rng), np.ones((10, 3))
    counts = best_calls(model, np.zeros((10, 3), int), price, 1e7, norm=norm)
    assert counts.sum() > 0.9e7


def test_no_money_no_calls() -> None:
    rng = np.random.default_rng(9)
    counts = best_calls(panel(3, 2, rng), np.zeros((3, 2), int), np.ones((3, 2)), 0.5, norm=2.0)
    assert not counts.any()
