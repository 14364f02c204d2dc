import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core.panel.answers import panel_of

from adjudge.core.evidence import Moments
from adjudge.core.norms import power_norm
from adjudge.core.panel import PanelModel, best_calls
from adjudge.core.panel.paths import Limits, Steps, build_paths, merging_order
from adjudge.core.requests import Requests


def panel(items: int, judges: int, rng: np.random.Generator, deviation: float = 0.02) -> PanelModel:
    covariance = 0.04 + np.diag(rng.uniform(0.2, 1, judges) * deviation)
    return panel_of(covariance, rng.uniform(0.002, 0.1, (items, judges)))


def variances(model: PanelModel, n: np.ndarray) -> np.ndarray:
    return model.posterior(Moments(n=n, mean=np.zeros(n.shape), m2=np.zeros(n.shape))).variance


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


@pytest.mark.parametrize("norm", [1.0, 2.0, math.inf])
def test_a_plan_that_knows_the_price_of_a_second_answer_buys_more_with_the_same_money(norm) -> None:
    rng = np.random.default_rng(7)
    model, first = panel(20, 3, rng), np.ones((20, 3))
    price = Requests(first=first, again=0.05 * first, together=np.array([8, 8, 1]))
    nothing = np.zeros((20, 3), int)
    knowing = best_calls(model, nothing, price, 40.0, norm=norm)
    assert 36.0 < price.cost(knowing) <= 40.0 * (1 + 1e-9)
    unknowing = best_calls(model, nothing, first, 40.0, norm=norm)
    assert price.cost(unknowing) <= 40.0
    assert loss(model, knowing, norm) < 0.9 * loss(model, unknowing, norm)


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
    n = rng.integers(0, 3, (5, 3))
    steps = build_paths(
        [model], n, Requests.of_one_call(price), norm=2.0, limits=Limits(money=10.0)
    )
    assert set(steps.item) == set(range(5))
    for step in range(steps.item.size):
        item = steps.item[step]
        assert np.isclose(steps.before[step], variances(model, n)[item], rtol=1e-6)
        n[item, steps.judge[step]] += steps.calls[step]
        assert np.isclose(steps.after[step], variances(model, n)[item], rtol=1e-6)


@pytest.mark.parametrize("norm", [1.0, 2.0, 3.0, math.inf])
def test_the_order_of_steps_never_rises_along_a_path(norm: float) -> None:
    rng = np.random.default_rng(4)
    model, price = panel(50, 4, rng), np.tile([0.1, 3.0, 1.0, 0.4], (50, 1))
    requests, nothing = Requests.of_one_call(price), np.zeros((50, 4), np.int64)
    steps = build_paths([model], nothing, requests, norm=norm, limits=Limits(money=20.0))
    rises = np.diff(merging_order(steps, norm))
    assert (rises[~steps.first[1:]] <= 1e-12).all()


def test_a_step_is_joined_with_later_ones_that_fall_faster() -> None:
    steps = Steps(
        item=np.array([0, 0, 0, 0, 1]),
        judge=np.zeros(5, np.int64),
        calls=np.ones(5, np.int64),
        cost=np.array([1.0, 1.0, 2.0, 1.0, 1.0]),
        before=np.array([10.0, 9.0, 6.0, 1.0, 5.0]),
        after=np.array([9.0, 6.0, 1.0, 0.5, 2.0]),
    )
    # Falls per price of 1, 3 and 2.5 are joined to (1 + 3) / 2 = 2 < 2.5, and so to 9 / 4.
    assert np.allclose(merging_order(steps, 2.0), [2.25, 2.25, 2.25, 0.5, 3.0])


def test_judges_that_agree_leave_an_item_to_its_best_one() -> None:
    rng = np.random.default_rng(5)
    model, price = panel(20, 3, rng, deviation=1e-8), np.ones((20, 3))
    counts = best_calls(model, np.zeros((20, 3), int), price, 200.0, norm=2.0)
    assert ((counts > 0).sum(axis=1) == 1).all()
    assert np.array_equal(counts.argmax(axis=1), model.noise.argmin(axis=1))


def test_judges_that_disagree_are_asked_in_turn_rather_than_repeated() -> None:
    model = panel_of(0.04 + 0.02 * np.eye(4), np.full((10, 4), 0.001))
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


def test_several_models_plan_each_its_own_items() -> None:
    rng = np.random.default_rng(10)
    quiet, noisy = panel(10, 3, rng), panel(6, 3, rng)
    noisy = replace(noisy, noise=20 * noisy.noise)
    price = rng.uniform(0.5, 2, (16, 3))
    both = best_calls([quiet, noisy], np.zeros((16, 3), int), price, 60.0, norm=2.0)
    assert float((both * price).sum()) <= 60.0 * (1 + 1e-9)
    joined = replace(
        quiet,
        group=np.zeros(16, np.int64),
        noise=np.concatenate([quiet.noise, noisy.noise]),
        weights=np.full((16, 3), 1 / 3),
        hardness=np.ones(16),
    )
    same = [joined.part(slice(0, 10)), joined.part(slice(10, 16))]
    one = best_calls(joined, np.zeros((16, 3), int), price, 60.0, norm=2.0)
    assert np.array_equal(best_calls(same, np.zeros((16, 3), int), price, 60.0, norm=2.0), one)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_the_unit_of_money_and_of_scores_changes_no_plan(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model, price = panel(12, 3, rng), rng.uniform(0.3, 3, (12, 3))
    n = rng.integers(0, 3, (12, 3))
    plain = best_calls(model, n, price, 30.0, norm=2.0)
    assert np.array_equal(plain, best_calls(model, n, 64 * price, 64 * 30.0, norm=2.0))
    wide = replace(model, covariance=16 * model.covariance, noise=16 * model.noise)
    assert np.array_equal(plain, best_calls(wide, n, price, 30.0, norm=2.0))


def test_an_item_of_which_much_was_seen_is_left_for_others() -> None:
    model = panel_of(0.04 + 0.01 * np.eye(3), np.full((20, 3), 0.02))
    n = np.zeros((20, 3), np.int64)
    n[:10] = 30
    counts = best_calls(model, n, np.ones((20, 3)), 60.0, norm=2.0)
    assert not counts[:10].any()
    assert counts.sum() == 60
