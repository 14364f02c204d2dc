"""The calls that compare judges before scoring begins."""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.apportionment import DUST
from adjudge.core.arrays import IntArray
from adjudge.core.panel.course import Course
from adjudge.core.panel.foresight import Foresight
from adjudge.core.problem import Evidence, Problem


def first_comparisons(
    problem: Problem,
    evidence: Evidence,
    money: float,
    course: Course,
    rng: np.random.Generator,
    *,
    foresight: Foresight | None = None,
) -> IntArray:
    """Random items not yet asked, each of a few random judges, some of them twice; (K, J).

    Cheap judges are chosen more often, as their price is lower: for the same money more is seen.
    With foresight, so are those whose answers the rounds will not bring.
    """
    counts = np.zeros(problem.cost.shape, np.int64)
    asked_before = evidence.calls.any(axis=1)
    fresh = rng.permutation(np.flatnonzero(~asked_before))
    each = course.judges_per_item
    fresh = fresh[: math.ceil(money / (each * float(problem.cost.min())))]
    # The first to arrive are the judges to ask; the cheaper, the sooner, and forbidden ones never.
    arrival = rng.exponential(size=(fresh.size, problem.judges)) * problem.cost[fresh]
    place = np.count_nonzero(asked_before) + np.arange(fresh.size)
    twice = place % course.repeat_every == course.repeat_every - 1
    if foresight is not None:
        arrival /= foresight.curiosity
        to_repeat = foresight.to_repeat(int(twice.sum()), each)
        arrival[twice] = np.where(to_repeat, 0.0, arrival[twice])
    arrival[~problem.mask[fresh]] = math.inf
    chosen = np.argsort(np.argsort(arrival, axis=1), axis=1) < each
    repeats = np.maximum(evidence.calls - 1, 0).sum() + each * np.cumsum(twice)
    twice &= repeats <= course.most_repeats
    asked = (chosen & problem.mask[fresh]) * np.where(twice, 2, 1)[:, None]
    cost = np.cumsum((asked * problem.cost[fresh]).sum(axis=1))
    number = int(np.searchsorted(cost, money * (1 + DUST), side="right"))
    counts[fresh[:number]] = asked[:number]
    return counts


def second_hearing(
    problem: Problem,
    evidence: Evidence,
    answers: IntArray,
    money: float,
    rng: np.random.Generator,
) -> IntArray:
    """So many more answers, (J,), of judges in doubt; shape (K, J).

    Others have answered these items, so that none is left to a judge that may tell nothing. The
    money is for all that such judges were ever asked.
    """
    counts = np.zeros(problem.cost.shape, np.int64)
    answered = evidence.calls.any(axis=1)
    for j in np.flatnonzero(answers):
        calls = evidence.calls[:, j]
        money -= float(calls @ problem.cost[:, j])
        items = rng.permutation(np.flatnonzero(answered & (calls == 0) & problem.mask[:, j]))
        items = items[: answers[j]]
        counts[items[np.cumsum(problem.cost[items, j]) <= money], j] = 1
        money -= float(counts[:, j] @ problem.cost[:, j])
    return counts
