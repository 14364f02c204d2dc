from __future__ import annotations

from pathlib import Path

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
    uniform = world.instance.variance.sum() / judges**2 * world.instance.price_per_call.sum()
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


RANGES = {
    "deterministic": (1.0, 10.0), "one-end": (1.0, 5.0), "capped": (0.0, 100.0),
    "two-systems": (1.0, 10.0), "five-systems": (1.0, 10.0),
}  # fmt: skip
MASKED = {"missing-pairs", "no-shared-items"}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("judges", [2, 3, 10])
def test_scores_lie_in_the_range_and_vary_as_such_scores_can(name: str, judges: int) -> None:
    instance = member(name, items=50, judges=judges).instance
    low, high = instance.score_range
    assert (low, high) == RANGES.get(name, (0.0, 1.0))
    assert instance.mean.shape == (50, judges)
    assert instance.mask.all() == (name not in MASKED)
    assert ((instance.mean >= low) & (instance.mean <= high)).all()
    largest = (instance.mean - low) * (high - instance.mean)
    assert (instance.variance <= largest + 1e-12).all()


@pytest.mark.parametrize("name", FAMILIES)
def test_a_seed_gives_the_same_instance_again(name: str) -> None:
    one, other = (member(name, items=20, judges=3, seed=3).instance for _ in range(2))
    for field in ("mean", "variance", "price_per_call", "mask", "truth"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    assert not np.array_equal(one.mean, member(name, items=20, judges=3, seed=4).instance.mean)


@pytest.mark.parametrize("name", sorted(UNBIASED))
def test_the_judges_of_an_unbiased_family_all_mean_the_truth(name: str) -> None:
    world = member(name)
    np.testing.assert_allclose(
        world.instance.mean, np.broadcast_to(world.instance.truth[:, None], (200, 10))
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_says_what_it_is(name: str) -> None:
    summary = (FAMILIES[name].__doc__ or "").splitlines()[0]
    document = Path(__file__).parents[2] / "docs" / "cli.md"
    assert f"| `{name}` | {summary} |" in document.read_text()


@pytest.mark.parametrize("name", sorted(set(FAMILIES) - {"constant-judge"}))
def test_a_panel_of_one_judge_is_a_panel(name: str) -> None:
    assert member(name, items=5, judges=1).instance.mean.shape == (5, 1)


def test_the_paper_instance_has_the_paper_ranges() -> None:
    world = member("paper", items=5000)
    assert world.instance.truth.min() >= 0.1
    assert world.instance.truth.max() <= 0.9
    assert world.instance.variance.min() >= 1e-4
    assert (world.instance.variance <= 0.9 * world.instance.mean * (1 - world.instance.mean)).all()
    assert ((world.instance.price_per_call >= 0.5) & (world.instance.price_per_call <= 1.5)).all()
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
    np.testing.assert_allclose(world.instance.price_per_call[0], 0.1 * relative / relative.mean())
    factor = world.instance.variance * 20 / (world.instance.mean * (1 - world.instance.mean))
    number = np.arange(1, 11)
    assert ((factor >= number - 1e-9) & (factor <= 9 + number + 1e-9)).all()


def test_prices_span_thirty_times() -> None:
    for name in ("costs-30x", "rating"):
        cost = member(name).instance.price_per_call[0]
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
    assert world.instance.price_per_call[0].argmin() == constant[0]
    np.testing.assert_allclose(
        np.delete(world.instance.mean, constant, axis=1).mean(axis=1), world.instance.truth
    )
    with pytest.raises(InputError, match="judges: 1; constant-judge needs two or more"):
        member("constant-judge", judges=1)


def test_one_judge_fails_in_two_calls_of_five() -> None:
    world = member("failing-judge")
    assert isinstance(world, FailingWorld)
    assert sorted(world.rate)[-2:] == [0, 0.4]
    assert world.instance.price_per_call[0].argmin() == world.rate.argmax()


def test_long_items_cost_more_of_every_judge() -> None:
    cost = member("lengths", items=4000).instance.price_per_call
    length = cost / cost[0]
    np.testing.assert_allclose(length, np.broadcast_to(length[:, :1], length.shape))
    assert 0.6 < np.log(length[:, 0]).std() < 0.8


STRESS = {
    "deterministic", "quiet", "near-copies", "drift", "one-end", "capped", "mixed-noise", "yes-no",
    "yes-no-sure", "weak-judge", "large-offsets", "missing-pairs", "no-shared-items",
    "two-systems", "five-systems",
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(STRESS))
def test_the_truth_is_the_mean_of_the_judges_that_exist(name: str) -> None:
    instance = member(name, items=60, judges=5).instance
    expected = [
        row[exists].mean() for row, exists in zip(instance.mean, instance.mask, strict=True)
    ]
    np.testing.assert_allclose(instance.truth, expected)


def test_deterministic_judges_give_whole_numbers_and_disagree() -> None:
    instance = member("deterministic").instance
    assert not instance.variance.any()
    np.testing.assert_array_equal(instance.mean, np.rint(instance.mean))
    assert (np.ptp(instance.mean, axis=1) > 0).mean() > 0.9


def test_quiet_judges_deviate_far_more_than_they_vary() -> None:
    instance = member("quiet").instance
    own = instance.mean - instance.truth[:, None]
    assert (own - own.mean(axis=0)).var() > 20 * instance.variance.mean()


def test_near_copies_deviate_together() -> None:
    instance = member("near-copies", items=2000, judges=7).instance
    related = np.corrcoef(instance.mean.T - instance.mean[:, -2:].mean(axis=1))
    assert related[:5, :5].min() > 0.9
    assert np.corrcoef(instance.mean.T)[:5, 5:].max() < 0.8


def test_drift_moves_scores_and_offsets_along_the_file() -> None:
    instance = member("drift", items=2000).instance
    early, late = instance.mean[:500].mean(axis=0), instance.mean[-500:].mean(axis=0)
    assert 0.15 < (late - early).mean() < 0.45
    assert (late - early).std() > 0.05


def test_nearly_all_answers_are_at_one_end() -> None:
    top = [
        world.probabilities[..., -1].mean()
        for seed in range(30)
        if isinstance(world := member("one-end", seed=seed), CategoricalWorld)
    ]
    assert len(top) == 30
    assert 0.96 < np.mean(top) < 0.98


def test_capped_scores_are_skewed_and_end_below_the_top() -> None:
    instance = member("capped", items=2000).instance
    assert instance.mean.max() <= 98.5
    assert np.median(instance.truth) > instance.truth.mean() + 1
    assert (np.isclose(instance.mean, instance.mean.max(axis=0))).mean() > 0.05


def test_a_fifth_of_the_pairs_has_all_the_noise() -> None:
    instance = member("mixed-noise").instance
    assert 0.17 < (instance.variance > 0).mean() < 0.23


def test_sure_judges_nearly_always_give_the_same_answer() -> None:
    unsure = {name: member(name).instance.variance.mean() for name in ("yes-no", "yes-no-sure")}
    assert unsure["yes-no-sure"] < 0.03 < unsure["yes-no"]


def test_a_weak_judge_hardly_follows_the_others_and_counts_as_much() -> None:
    instance = member("weak-judge", items=2000, judges=5).instance
    others = instance.mean[:, :-1].mean(axis=1)
    slope = np.polyfit(others, instance.mean[:, -1], 1)[0]
    assert 0 < slope < 0.25
    np.testing.assert_allclose(instance.weights, 0.2)


def test_large_offsets_reach_two_fifths_of_the_range() -> None:
    spans = [
        np.ptp(member("large-offsets", seed=seed).instance.mean.mean(axis=0)) for seed in range(10)
    ]
    assert 0.5 < np.mean(spans) < 0.8


def test_half_to_seventy_percent_of_pairs_are_missing() -> None:
    for seed in range(10):
        instance = member("missing-pairs", judges=5, seed=seed).instance
        assert 0.45 < 1 - instance.mask.mean() < 0.75
        assert instance.mask.any(axis=1).all()


def test_judges_share_no_items_and_have_one_block_each() -> None:
    instance = member("no-shared-items", items=20, judges=3).instance
    assert (instance.mask.sum(axis=1) == 1).all()
    np.testing.assert_array_equal(
        np.sort(instance.mask.argmax(axis=1)), instance.mask.argmax(axis=1)
    )
    assert set(instance.mask.sum(axis=0)) == {6, 7}


@pytest.mark.parametrize(("name", "systems"), [("two-systems", 2), ("five-systems", 5)])
def test_judges_favour_systems_that_answer_the_same_prompts(name: str, systems: int) -> None:
    favours = []
    for seed in range(20):
        instance = member(name, items=40 * systems, judges=4, seed=seed).instance
        assert instance.groups is not None
        assert instance.prompts is not None
        assert len(set(zip(instance.groups, instance.prompts, strict=True))) == 40 * systems
        assert instance.prompts.max() == 39
        own = instance.mean - instance.truth[:, None]
        by_system = np.stack([own[instance.groups == s].mean(axis=0) for s in range(systems)])
        favours.append((by_system - by_system.mean(axis=0)).var(axis=0, ddof=1).mean())
    # A judge's favour is told from that of the whole panel, which a quarter of it makes up.
    assert np.sqrt(np.mean(favours) / 0.75) == pytest.approx(0.4, abs=0.08)


def test_every_exported_name_is_there() -> None:
    assert set(adjudge.worlds.__all__) <= set(vars(adjudge.worlds))
