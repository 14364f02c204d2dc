from __future__ import annotations

import numpy as np
import pytest

import adjudge.worlds
from adjudge.core.allocation import optimal_value
from adjudge.errors import InputError
from adjudge.worlds import FAMILIES, CategoricalWorld, FailingWorld, World

UNBIASED = {
    "paper", "gaussian", "bad-is-expensive", "bad-is-cheap", "uniform-costs", "mult", "costs-30x",
    "rating", "binary", "homoskedastic", "heavy-tailed", "lengths", "failing-judge",
}  # fmt: skip


def member(name: str, *, items: int = 200, judges: int = 10, seed: int = 0) -> World:
    return FAMILIES[name](items, judges, np.random.default_rng(seed))


def uniform_to_oracle(world: World) -> float:
    """Root mean square error of asking every pair alike, as a ratio to the oracle's."""
    judges = world.instance.mean.shape[1]
    uniform = world.instance.variance.sum() / judges**2 * world.instance.cost.sum()
    return float(
        np.sqrt(uniform / optimal_value(world.instance.problem(), world.instance.variance))
    )


@pytest.mark.parametrize(
    ("name", "judges", "lowest", "highest"),
    [
        ("paper", 3, 1.5, 1.65),
        ("paper", 10, 2.5, 2.8),
        ("mult", 3, 1.4, 1.6),
        ("mult", 10, 1.75, 1.95),
        ("costs-30x", 10, 2.95, 3.15),
        ("rating", 10, 3.25, 3.5),
        ("binary", 10, 1.25, 1.35),
        ("homoskedastic", 10, 1.0, 1.0 + 1e-9),
    ],
)
def test_what_knowing_the_variances_is_worth(
    name: str, judges: int, lowest: float, highest: float
) -> None:
    """Uniform's error over the oracle's, median of 100 instances of 200 items."""
    ratios = [uniform_to_oracle(member(name, judges=judges, seed=seed)) for seed in range(100)]
    assert lowest - 1e-9 <= np.median(ratios) <= highest


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("judges", [2, 3, 10])
def test_scores_lie_between_0_and_1_and_vary_as_such_scores_can(name: str, judges: int) -> None:
    world = member(name, items=50, judges=judges)
    assert world.instance.score_range == (0.0, 1.0)
    assert world.instance.mean.shape == (50, judges)
    assert world.instance.mask.all()
    assert ((world.instance.mean > 0) & (world.instance.mean < 1)).all()
    assert (
        world.instance.variance <= world.instance.mean * (1 - world.instance.mean) + 1e-12
    ).all()


@pytest.mark.parametrize("name", sorted(UNBIASED))
def test_the_judges_of_an_unbiased_family_all_mean_the_truth(name: str) -> None:
    world = member(name)
    np.testing.assert_allclose(
        world.instance.mean, np.broadcast_to(world.instance.truth[:, None], (200, 10))
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_says_what_it_is(name: str) -> None:
    assert FAMILIES[name].__doc__


@pytest.mark.parametrize("name", sorted(set(FAMILIES) - {"constant-judge"}))
def test_a_panel_of_one_judge_is_a_panel(name: str) -> None:
    assert member(name, items=5, judges=1).instance.mean.shape == (5, 1)


def test_the_paper_instance_has_the_paper_ranges() -> None:
    world = member("paper", items=5000)
    assert world.instance.truth.min() >= 0.1
    assert world.instance.truth.max() <= 0.9
    assert world.instance.variance.min() >= 1e-4
    assert (world.instance.variance <= 0.9 * world.instance.mean * (1 - world.instance.mean)).all()
    assert ((world.instance.cost >= 0.5) & (world.instance.cost <= 1.5)).all()
    place = (world.instance.variance - 1e-4) / (
        0.9 * world.instance.mean * (1 - world.instance.mean) - 1e-4
    )
    assert abs(place.mean() - 0.5) < 5 * np.sqrt(1 / 12 / place.size)


@pytest.mark.parametrize(
    ("name", "power"), [("bad-is-expensive", 1), ("bad-is-cheap", -1), ("uniform-costs", 0)]
)
def test_the_cost_structures_follow_the_paper(name: str, power: int) -> None:
    world = member(name)
    relative = (world.instance.variance**power).sum(axis=0)
    np.testing.assert_allclose(world.instance.cost[0], 0.1 * relative / relative.mean())
    factor = world.instance.variance * 20 / (world.instance.mean * (1 - world.instance.mean))
    number = np.arange(1, 11)
    assert ((factor >= number - 1e-9) & (factor <= 9 + number + 1e-9)).all()


def test_prices_span_thirty_times() -> None:
    for name in ("costs-30x", "rating"):
        cost = member(name).instance.cost[0]
        assert cost.max() / cost.min() == pytest.approx(30)
        assert cost.mean() == pytest.approx(1)


@pytest.mark.parametrize(("name", "levels"), [("rating", 5), ("binary", 2)])
def test_ratings_use_the_levels_of_their_scale(name: str, levels: int) -> None:
    world = member(name)
    assert isinstance(world, CategoricalWorld)
    np.testing.assert_allclose(np.unique(world.values), np.linspace(0, 1, levels))


def test_a_heavy_tailed_judge_looks_precise_in_most_of_its_calls() -> None:
    world = member("heavy-tailed")
    assert isinstance(world, CategoricalWorld)
    fourth = np.sum(
        world.probabilities * (world.values - world.instance.mean[..., None]) ** 4, axis=-1
    )
    assert np.median(fourth / world.instance.variance**2) > 8


def test_offsets_move_a_judge_by_the_same_amount_on_every_item() -> None:
    spreads = []
    for seed in range(50):
        world = member("offsets", items=20, seed=seed)
        offset = world.instance.mean - world.instance.mean[:, :1]
        np.testing.assert_allclose(offset, np.broadcast_to(offset[:1], offset.shape), atol=1e-12)
        spreads.append(world.instance.mean[0].std(ddof=1))
    assert 0.1 <= np.mean(spreads) <= 0.15


def test_deviations_are_as_large_as_those_of_real_judges() -> None:
    world = member("deviations", items=5000)
    deviation = world.instance.mean - world.instance.mean.mean(axis=1, keepdims=True)
    assert (np.abs(deviation.mean(axis=0)) < 0.01).all()
    assert 0.003 < deviation.var(axis=0).mean() < 0.012
    both = member("offsets-deviations", items=5000)
    assert both.instance.mean.mean(axis=0).std() > 0.05


@pytest.mark.parametrize("name", ["offsets", "deviations", "offsets-deviations"])
def test_the_truth_of_a_biased_panel_is_its_mean(name: str) -> None:
    world = member(name)
    np.testing.assert_allclose(world.instance.truth, world.instance.mean.mean(axis=1))


def test_the_truth_leaves_the_constant_judge_out() -> None:
    world = member("constant-judge")
    constant = np.flatnonzero((world.instance.variance == 0).all(axis=0))
    assert constant.size == 1
    assert (world.instance.mean[:, constant] == 0.5).all()
    assert world.instance.cost[0].argmin() == constant[0]
    np.testing.assert_allclose(
        np.delete(world.instance.mean, constant, axis=1).mean(axis=1), world.instance.truth
    )
    with pytest.raises(InputError, match="judges: 1; constant-judge needs two or more"):
        member("constant-judge", judges=1)


def test_one_judge_fails_in_two_calls_of_five() -> None:
    world = member("failing-judge")
    assert isinstance(world, FailingWorld)
    assert sorted(world.rate)[-2:] == [0, 0.4]
    assert world.instance.cost[0].argmin() == world.rate.argmax()


def test_long_items_cost_more_of_every_judge() -> None:
    cost = member("lengths", items=4000).instance.cost
    length = cost / cost[0]
    np.testing.assert_allclose(length, np.broadcast_to(length[:, :1], length.shape))
    assert 0.6 < np.log(length[:, 0]).std() < 0.8


def test_every_exported_name_is_there() -> None:
    assert set(adjudge.worlds.__all__) <= set(vars(adjudge.worlds))
