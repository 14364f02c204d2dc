"""What was asked and what was answered: allocations, moments of scores, evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray, check_shape
from adjudge.core.problem import Problem
from adjudge.errors import InputError


class Phase(StrEnum):
    """The purpose of a call; strategies that split their samples need the phases apart."""

    PILOT = "pilot"
    MAIN = "main"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Moments:
    """Number, mean and sum of squared deviations of the scores of every pair."""

    n: IntArray
    """Number of scores; shape (K, J)."""
    mean: FloatArray
    """Their mean; a meaningless 0 where n is 0; shape (K, J)."""
    m2: FloatArray
    """Sum of squared deviations from the mean; shape (K, J)."""

    def __post_init__(self) -> None:
        check_shape("mean", self.mean, self.n.shape)
        check_shape("m2", self.m2, self.n.shape)

    @classmethod
    def none(cls, items: int, judges: int) -> Moments:
        """The moments of no scores."""
        shape = (items, judges)
        return cls(n=np.zeros(shape, np.int64), mean=np.zeros(shape), m2=np.zeros(shape))

    def __add__(self, other: Moments) -> Moments:
        r"""Exact moments of both samples together (Chan, Golub, LeVeque 1979).

        .. math:: M_2 = M_2^a + M_2^b + \delta^2 n_a n_b / n,\quad \delta = \bar x_b - \bar x_a
        """
        n = self.n + other.n
        share = np.divide(other.n, n, out=np.zeros(n.shape), where=n > 0)
        delta = other.mean - self.mean
        return Moments(
            n=n,
            mean=self.mean + delta * share,
            m2=self.m2 + other.m2 + delta**2 * self.n * share,
        )

    def part(self, items: IntArray | BoolArray) -> Moments:
        """The moments of some items."""
        return Moments(n=self.n[items], mean=self.mean[items], m2=self.m2[items])

    def only(self, judges: BoolArray) -> Moments:
        """The moments of these judges alone, (J,); the other columns are 0."""
        if judges.all():
            return self
        return Moments(n=self.n * judges, mean=self.mean * judges, m2=self.m2 * judges)

    @property
    def variance(self) -> FloatArray:
        """Unbiased sample variance; nan with fewer than two scores; shape (K, J)."""
        unknown = np.full(self.n.shape, np.nan)
        variance: FloatArray = np.divide(self.m2, self.n - 1, out=unknown, where=self.n > 1)
        return variance

    @property
    def repeats(self) -> int:
        """Number of scores beyond the first of their pair."""
        return int(np.maximum(self.n - 1, 0).sum())

    @property
    def compared(self) -> IntArray:
        """Indices of the items that several judges scored."""
        return np.flatnonzero(np.count_nonzero(self.n, axis=1) > 1)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Allocation:
    """How often to ask each judge about each item."""

    counts: IntArray
    """Calls to make; shape (K, J)."""
    phase: Phase = Phase.MAIN

    @classmethod
    def nothing(cls, problem: Problem) -> Allocation:
        """The empty allocation: a strategy returns it when it is done."""
        return cls(counts=np.zeros((problem.items, problem.judges), np.int64))

    def cost(self, problem: Problem) -> float:
        """Expected price of all calls."""
        return total_cost(self.counts, problem.price_per_call)

    @property
    def calls(self) -> int:
        """Number of calls."""
        return int(self.counts.sum())

    def __bool__(self) -> bool:
        return bool(self.counts.any())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence:
    """Everything bought so far, by phase: the calls paid for and the scores received."""

    asked: Mapping[Phase, IntArray]
    """Number of calls paid for, with or without a score; each of shape (K, J)."""
    moments: Mapping[Phase, Moments]
    """Scores received."""

    @classmethod
    def none(cls, problem: Problem) -> Evidence:
        """The evidence before the first call."""
        shape = (problem.items, problem.judges)
        return cls(
            asked=MappingProxyType({phase: np.zeros(shape, np.int64) for phase in Phase}),
            moments=MappingProxyType({phase: Moments.none(*shape) for phase in Phase}),
        )

    def part(self, items: IntArray | BoolArray) -> Evidence:
        """The evidence about some items."""
        return Evidence(
            asked=MappingProxyType({phase: n[items] for phase, n in self.asked.items()}),
            moments=MappingProxyType({phase: m.part(items) for phase, m in self.moments.items()}),
        )

    def plus(self, batch: Allocation, scores: Moments) -> Evidence:
        """The evidence after one more batch."""
        if (scores.n > batch.counts).any():
            raise InputError("scores", "more scores than calls", "a call gives at most one score")
        phase = batch.phase
        return Evidence(
            asked=MappingProxyType({**self.asked, phase: self.asked[phase] + batch.counts}),
            moments=MappingProxyType({**self.moments, phase: self.moments[phase] + scores}),
        )

    @property
    def calls(self) -> IntArray:
        """Number of calls paid for in all phases; shape (K, J)."""
        return self.asked[Phase.PILOT] + self.asked[Phase.MAIN]

    @property
    def answer_rate(self) -> FloatArray:
        """Expected share of each judge's calls that give a score; shape (J,).

        A pseudo-count of one scored call is added: a judge that was never asked has rate 1.
        """
        scores = sum(moments.n.sum(axis=0) for moments in self.moments.values())
        rate: FloatArray = (scores + 1) / (self.calls.sum(axis=0) + 1)
        return rate

    @property
    def pooled(self) -> Moments:
        """Scores of all phases together."""
        return self.moments[Phase.PILOT] + self.moments[Phase.MAIN]

    def cost(self, problem: Problem) -> float:
        """Expected price of all calls paid for."""
        return total_cost(self.calls, problem.price_per_call)


def total_cost(counts: IntArray, cost: FloatArray) -> float:
    """Price of these calls; both of shape (K, J)."""
    if cost.strides[0] == 0:
        return float(counts.sum(axis=0) @ cost[0])
    return float(np.vdot(counts, cost))
