"""The law of the judges' answers: closed forms, and the items that stand for all."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from tests.core.panel.answers import drawn, law_of, sample_of, some_of

from adjudge.core.evidence import Moments
from adjudge.core.panel.beliefs import Beliefs
from adjudge.core.panel.law import MOST_ITEMS, Law, Sample, condition, log_likelihood


def any_covariance(judges: int, rng: np.random.Generator) -> np.ndarray:
    root = rng.normal(0, 0.2, (judges, judges))
    found: np.ndarray = root @ root.T + 1e-4 * np.eye(judges)
    return found


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_answers_condition_the_law_as_the_dense_closed_form_does(seed: int, judges: int) -> None:
    r"""C = Sigma (I + P Sigma)^-1, and C P r of the deviations; judges not asked tell nothing."""
    rng = np.random.default_rng(seed)
    covariance, residual = any_covariance(judges, rng), rng.normal(0, 0.3, (judges, 4))
    variance = rng.uniform(1e-4, 0.2, (judges, 4))
    variance[rng.random((judges, 4)) < 0.3] = np.inf
    deviation, left = condition(covariance, residual, variance)
    for k in range(4):
        precision = np.diag(1 / variance[:, k])
        dense = covariance @ np.linalg.inv(np.eye(judges) + precision @ covariance)
        assert np.allclose(left[:, :, k], dense, atol=1e-9)
        assert np.allclose(deviation[:, k], dense @ precision @ residual[:, k], atol=1e-8)


@given(st.integers(0, 2**32 - 1))
def test_the_order_of_judges_changes_nothing_that_answers_tell(seed: int) -> None:
    rng = np.random.default_rng(seed)
    covariance, residual = any_covariance(4, rng), rng.normal(0, 0.3, (4, 3))
    variance, order = rng.uniform(1e-3, 0.2, (4, 3)), rng.permutation(4)
    deviation, left = condition(covariance, residual, variance)
    other, others_left = condition(
        covariance[np.ix_(order, order)], residual[order], variance[order]
    )
    assert np.allclose(deviation[order], other, atol=1e-9)
    assert np.allclose(left[np.ix_(order, order)], others_left, atol=1e-9)


@given(st.integers(0, 2**32 - 1))
def test_the_log_likelihood_is_that_of_all_scores(seed: int) -> None:
    """Up to a constant: of every single score under one normal law per item."""
    rng = np.random.default_rng(seed)
    laws = [
        law_of(any_covariance(3, rng), mean=rng.uniform(0, 1, 3), noise=rng.uniform(0.01, 0.1, 3))
        for _ in range(2)
    ]
    n = rng.integers(0, 4, (5, 3))
    n[0] = [1, 0, 2]
    calls = [[(j, rng.uniform(0, 1)) for j in range(3) for _ in range(count[j])] for count in n]
    mean, m2 = np.zeros(n.shape), np.zeros(n.shape)
    for k, item in enumerate(calls):
        for j in range(3):
            scores = [score for judge, score in item if judge == j]
            if scores:
                mean[k, j], m2[k, j] = np.mean(scores), np.var(scores) * len(scores)
    moments = Moments(n=n, mean=mean, m2=m2)

    def of_scores(law: Law) -> float:
        total = 0.0
        for item in filter(None, calls):
            who = [judge for judge, _ in item]
            covariance = law.covariance[np.ix_(who, who)] + np.diag(law.noise[who])
            center = law.group_mean[0][who]
            total += multivariate_normal.logpdf([score for _, score in item], center, covariance)
        return total

    # An item is weighed by how many it stands for, which is 1 here for all kinds.
    one, other = (log_likelihood(law, sample_of(moments)) for law in laws)
    assert one - other == pytest.approx(of_scores(laws[0]) - of_scores(laws[1]), abs=1e-6)


def test_of_many_items_some_stand_for_all_of_their_kind(rng: np.random.Generator) -> None:
    items = 3 * MOST_ITEMS
    n = np.zeros((items, 3), np.int64)
    n[:, 0] = 1
    n[: MOST_ITEMS // 2, 1] = 1
    n[-100:] = 0
    found = sample_of(Moments(n=n, mean=rng.random(n.shape) * n, m2=np.zeros(n.shape)))
    assert found.items <= 2 * MOST_ITEMS
    assert found.weight.mean() == pytest.approx(1)
    several = np.count_nonzero(found.n, axis=0) > 1
    assert np.count_nonzero(several) == MOST_ITEMS // 2
    stand_for = found.weight * (items - 100) / found.weight.sum()
    assert stand_for[several].sum() == pytest.approx(MOST_ITEMS // 2)


def test_items_never_asked_are_no_part_of_a_sample() -> None:
    moments = Moments.none(10, 3)
    assert sample_of(moments).items == 0
    moments.n[3, 1] = 1
    assert sample_of(moments).items == 1


def test_the_average_of_laws_is_that_of_each_part() -> None:
    one = Law.believed(3, 2, Beliefs())
    other = replace(one, mean=one.mean + 0.2, covariance=3 * one.covariance, favour=0.0)
    average = Law.average([one, other])
    assert np.allclose(average.mean, one.mean + 0.1)
    assert np.allclose(average.covariance, 2 * one.covariance)
    assert average.favour == pytest.approx(one.favour / 2)
    assert np.allclose(average.group_mean, one.group_mean)


def test_a_sample_has_its_factors_out_of_its_squares(rng: np.random.Generator) -> None:
    n = some_of(20, 3, 2, rng)
    moments = drawn(np.full(n.shape, 0.5), 0.01, n, rng)
    factor = rng.uniform(0.5, 2, n.shape)
    found = Sample.of(moments, factor, np.zeros(20, np.int64))
    assert found.squares.sum() == pytest.approx((moments.m2 / factor).sum())


def test_sums_over_groups_are_those_of_their_items_also_where_there_are_none(
    rng: np.random.Generator,
) -> None:
    groups = np.array([0, 1, 1, 0, 2])
    n = np.ones((5, 3), np.int64)
    found = sample_of(Moments(n=n, mean=rng.random(n.shape), m2=np.zeros(n.shape)), groups)
    values = rng.random((3, 2, 5))
    sums = found.by_group(values)
    assert sums.shape == (3, 3, 2)
    for group in range(3):
        assert np.allclose(sums[group], values[:, :, groups == group].sum(axis=2))
    for group in (groups, np.zeros(5, np.int64)):
        nobody = sample_of(Moments.none(5, 3), group)
        nothing = nobody.by_group(np.ones((3, 2, 0)))
        assert nothing.dtype == np.float64
        assert not nothing.any()
