"""Figures of agreement against independent ones, and their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.core.people.human_worlds import HumanWorld

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.panel import Target
from adjudge.core.people import Concord, PeopleEstimate, RaterAgreement, agreement
from adjudge.core.strategies import Panel


def classes(n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Two raters on the scale 1 to 5 who agree somewhat."""
    label = rng.integers(1, 6, n).astype(float)
    score = np.clip(label + rng.integers(-1, 3, n), 1, 5).astype(float)
    return score, label


def labels_of(label: FloatArray, **more: bool) -> Labels:
    scale = (0.0, 1.0) if more else (1.0, 5.0)
    return Labels.of(np.arange(label.size), label, items=label.size, scale=scale, **more)


def test_correlations_are_those_of_scipy(rng: np.random.Generator) -> None:
    score, label = classes(80, rng)
    found = Concord.of(score, labels_of(label), 0.9)
    assert found.pearson.value == pytest.approx(stats.pearsonr(score, label).statistic)
    assert found.spearman.value == pytest.approx(stats.spearmanr(score, label).statistic)
    assert found.pearson.low < found.pearson.value < found.pearson.high
    assert found.bias.value == pytest.approx((score - label).mean())
    assert found.absolute_error.value == pytest.approx(np.abs(score - label).mean())
    low, high = stats.ttest_1samp(score - label, 0).confidence_interval(0.9)
    assert (found.bias.low, found.bias.high) == pytest.approx((low, high))


def test_kappa_is_that_of_the_table_of_classes(rng: np.random.Generator) -> None:
    score, label = classes(80, rng)
    table = np.zeros((5, 5))
    np.add.at(table, (score.astype(int) - 1, label.astype(int) - 1), 1)
    weight = (np.arange(5)[:, None] - np.arange(5)) ** 2
    chance = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    expected = 1 - (weight * table).sum() / (weight * chance).sum()
    assert Concord.of(score, labels_of(label), 0.9).kappa.value == pytest.approx(expected)


def test_intervals_of_correlation_and_kappa_hold_at_their_level(rng: np.random.Generator) -> None:
    """Of normal scores with a correlation of 0.6 and a bias of half a deviation."""
    held = np.zeros(3)
    runs = 300
    # kappa = 2 cov / (var + var + bias²)
    truth = np.array([0.6, 6 / np.pi * np.arcsin(0.3), 1.2 / 2.25])
    for _ in range(runs):
        label = rng.standard_normal(60)
        score = 0.6 * label + 0.8 * rng.standard_normal(60) + 0.5
        labels = Labels.of(np.arange(60), label, items=60, scale=(-9.0, 9.0))
        found = Concord.of(score, labels, 0.9)
        for place, figure in enumerate((found.pearson, found.spearman, found.kappa)):
            held[place] += figure.low <= truth[place] <= figure.high
    assert (np.abs(held / runs - 0.9) < 4 * np.sqrt(0.09 / runs)).all()


def test_yes_or_no_has_accuracy_and_both_rates() -> None:
    label = np.array([1.0, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    score = np.array([0.9, 0.8, 0.7, 0.2, 0.1, 0.1, 0.1, 0.1, 0.6, 0.7])
    found = Concord.of(score, labels_of(label, yes_or_no=True), 0.9)
    assert found.accuracy is not None
    assert found.accuracy.value == pytest.approx(0.7)
    assert found.true_positive_rate is not None
    assert found.true_positive_rate.value == pytest.approx(3 / 4)
    assert found.true_negative_rate is not None
    exact = stats.binomtest(4, 6).proportion_ci(0.9, "exact")
    rate = found.true_negative_rate
    assert (rate.low, rate.high) == pytest.approx((exact.low, exact.high))


def raters(n: int, rng: np.random.Generator) -> tuple[Labels, FloatArray]:
    truth = rng.uniform(2, 4, n)
    item, rater = np.repeat(np.arange(n), 3), np.tile(np.arange(3), n)
    value = np.clip(truth[item] + 0.4 * rng.standard_normal(3 * n), 1, 5)
    return Labels.of(item, value, items=n, scale=(1.0, 5.0), rater=rater), truth


def test_a_judge_as_good_as_people_passes_for_one_and_a_random_one_does_not(
    rng: np.random.Generator,
) -> None:
    labels, truth = raters(100, rng)
    good = Concord.of(truth + 0.2 * rng.standard_normal(100), labels, 0.9).alternative
    random = Concord.of(rng.uniform(1, 5, 100), labels, 0.9).alternative
    assert good is not None
    assert random is not None
    assert (good.raters, good.passes) == (3, True)
    assert (random.winning_rate, random.passes) == (0, False)


def test_raters_among_each_other(rng: np.random.Generator) -> None:
    labels, _ = raters(200, rng)
    found = RaterAgreement.of(labels, 0.9)
    assert found is not None
    assert (found.raters, found.items) == (3, 200)
    # Of two independent deviations of 0.4 and 0.4/sqrt(2), on scores of variance 1/3.
    expected = (1 / 3) / np.sqrt((1 / 3 + 0.16) * (1 / 3 + 0.08))
    assert found.pearson.value == pytest.approx(expected, abs=0.1)
    assert found.pearson.low < found.pearson.value < found.pearson.high
    assert RaterAgreement.of(labels_of(np.ones(9)), 0.9) is None


def test_agreement_names_every_judge_and_both_scores(rng: np.random.Generator) -> None:
    world = HumanWorld.of("one judge against people", 120, rng)
    problem = world.with_labels(world.labels(60, rng))
    evidence = world.asked_once(rng)
    estimate = Panel(target=Target.REFERENCE).estimate(problem, evidence)
    assert isinstance(estimate, PeopleEstimate)
    found = agreement(problem, evidence, estimate)
    first, second, against = found.judges
    assert min(first.pearson.value, second.pearson.value) > 0.4
    assert against.pearson.value < 0
    assert found.anchored is not None
    assert found.anchored.kappa.value > found.panel.kappa.value
    assert found.raters is None
    assert agreement(problem, evidence, estimate.panel).anchored is None


def test_too_few_items_leave_figures_unknown() -> None:
    found = Concord.of(np.array([1.0, 2.0, np.nan]), labels_of(np.array([1.0, 3.0, 2.0])), 0.9)
    assert found.items == 2
    assert np.isnan(found.pearson.low)
    nothing = Concord.of(np.full(3, np.nan), labels_of(np.ones(3)), 0.9)
    assert nothing.items == 0
    assert np.isnan(nothing.bias.value)


@pytest.mark.parametrize("constant", ["scores", "labels"])
def test_what_does_not_vary_has_no_correlation(constant: str, rng: np.random.Generator) -> None:
    """A mean of equal answers differs from them by rounding: that is no correlation of 0."""
    varied = rng.uniform(2, 4, 20)
    equal = 3.7 + 1e-15 * rng.integers(-1, 2, 20)
    score, label = (equal, varied) if constant == "scores" else (varied, equal)
    found = Concord.of(score, labels_of(label), 0.9)
    for figure in (found.pearson, found.kappa):
        assert np.isnan([figure.value, figure.low, figure.high]).all()
    assert not np.isnan(found.bias.low)
