"""The types of the ask-and-learn loop: problem, evidence and allocation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    check_norm,
    check_not_negative,
    check_positive,
    check_shape,
    float_array,
    per_pair,
)
from adjudge.core.labels import Labels
from adjudge.core.requests import Requests
from adjudge.errors import InputError


class Phase(StrEnum):
    """The purpose of a call; strategies that split their samples need the phases apart."""

    PILOT = "pilot"
    MAIN = "main"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """K items, J judges, their prices, and what "accurate" means."""

    price_per_call: FloatArray
    """Expected price of one call, with or without a score; shape (K, J)."""
    norm: float
    """The p of the error ‖ŝ - s‖_p; 1 to infinity."""
    score_range: tuple[float, float]
    """Lowest and highest possible score."""
    confidence: float
    """1 - delta of the guarantees; the default level of intervals."""
    weights: FloatArray
    """Each judge's weight in the panel's score; sums to 1; shape (J,)."""
    mask: BoolArray
    """The pairs that may be asked; shape (K, J)."""
    exists: BoolArray
    """The pairs that are part of an item's score, asked or not; shape (K, J)."""
    groups: IntArray
    """Each item's group, such as the system that wrote it, numbered from 0; shape (K,)."""
    yes_or_no: bool = False
    """Whether the two ends of the scale are the only possible scores."""
    requests: Requests | None = None
    """Prices of calls that share a request; None if every call costs `price_per_call`. If given,
    `price_per_call` is the average price per call so far."""
    noiseless: BoolArray | None = None
    """Judges whose answer about an item never changes; None if there are none; shape (J,)."""
    labels: Labels | None = None
    """People's labels of some items; None if there are none."""

    @classmethod
    def of(
        cls,
        price_per_call: npt.ArrayLike,
        *,
        items: int | None = None,
        norm: float = 2.0,
        score_range: tuple[float, float] = (0.0, 1.0),
        confidence: float = 0.95,
        weights: npt.ArrayLike | None = None,
        mask: npt.ArrayLike | None = None,
        groups: npt.ArrayLike | None = None,
        yes_or_no: bool = False,
        noiseless: npt.ArrayLike | None = None,
        labels: Labels | None = None,
    ) -> Problem:
        """A validated problem; prices per judge, (J,), need `items`; prices per pair do not."""
        prices = per_pair("price_per_call", price_per_call, items=items)
        shape = prices.shape
        if 0 in shape:
            raise InputError(
                "price_per_call", f"shape {shape}", "give at least one item and one judge"
            )
        judges = shape[1]
        pairs = np.broadcast_to(np.True_, shape) if mask is None else np.asarray(mask, dtype=bool)
        return cls(
            price_per_call=prices,
            norm=float(norm),
            score_range=(float(score_range[0]), float(score_range[1])),
            confidence=float(confidence),
            weights=np.full(judges, 1 / judges) if weights is None else _shares(weights),
            mask=pairs,
            exists=pairs,
            groups=np.broadcast_to(np.int64(0), shape[:1])
            if groups is None
            else np.asarray(groups, np.int64),
            yes_or_no=yes_or_no,
            noiseless=None if noiseless is None else np.asarray(noiseless, dtype=bool),
            labels=labels,
        )

    def __post_init__(self) -> None:
        # Of a broadcast view only one row is checked: a reduction over it would visit K rows.
        check_positive(
            "price_per_call",
            self.price_per_call[:1] if self.price_per_call.strides[0] == 0 else self.price_per_call,
        )
        check_norm(self.norm)
        low, high = self.score_range
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise InputError(
                "score_range", f"{low} to {high}", "low must be below high, both finite"
            )
        if not 0 < self.confidence < 1:
            raise InputError(
                "confidence", f"{self.confidence}", "it must lie between 0 and 1, as 0.95 does"
            )
        check_shape("weights", self.weights, (self.judges,))
        check_shape("mask", self.mask, self.price_per_call.shape)
        check_shape("exists", self.exists, self.price_per_call.shape)
        check_shape("groups", self.groups, (self.items,))
        if self.requests is not None:
            check_shape("requests", self.requests.first, self.price_per_call.shape)
        if self.noiseless is not None:
            check_shape("noiseless", self.noiseless, (self.judges,))
        if self.labels is not None and self.labels.items != self.items:
            raise InputError("labels", f"of {self.labels.items} items", f"there are {self.items}")
        if not self.unmasked:
            silent = np.flatnonzero(~self.mask.any(axis=1))
            if silent.size:
                raise InputError(
                    "mask",
                    f"no judge may be asked about item {silent[0]} ({silent.size} such items)",
                    "allow at least one judge for every item",
                )

    @property
    def items(self) -> int:
        """K."""
        return int(self.price_per_call.shape[0])

    @property
    def judges(self) -> int:
        """J."""
        return int(self.price_per_call.shape[1])

    @property
    def score_width(self) -> float:
        """R, the length of the score range."""
        return self.score_range[1] - self.score_range[0]

    @property
    def delta(self) -> float:
        """1 - confidence."""
        return 1 - self.confidence

    @property
    def unmasked(self) -> bool:
        """Whether the mask is the default: one broadcast True."""
        return self.mask.strides == (0, 0) and bool(self.mask[0, 0])

    @property
    def pairs(self) -> int:
        """Number of pairs that may be asked; KJ without a mask."""
        return self.items * self.judges if self.unmasked else int(np.count_nonzero(self.mask))

    @property
    def cost_of_every_pair(self) -> float:
        """Price of one call of every pair that may be asked; K Σ_j c_j without a mask."""
        if self.unmasked and self.price_per_call.strides[0] == 0:
            return self.items * float(self.price_per_call[0].sum())
        return float(np.sum(self.price_per_call, where=self.mask))

    @property
    def cost_of_every_item(self) -> float:
        """Price of one call per item to its cheapest judge: the minimum to cover all items."""
        if self.unmasked and self.price_per_call.strides[0] == 0:
            return self.items * float(self.price_per_call[0].min())
        return float(self.price.min(axis=1).sum())

    @property
    def average_cost(self) -> float:
        """Mean price of a call over the pairs that may be asked."""
        return self.cost_of_every_pair / self.pairs

    @property
    def price(self) -> FloatArray:
        """Price per call, infinite where a pair may not be asked; shape (K, J)."""
        if self.unmasked:
            return self.price_per_call
        return np.where(self.mask, self.price_per_call, math.inf)

    @property
    def item_weights(self) -> FloatArray:
        """Each judge's weight in the score of each item; rows sum to 1; shape (K, J).

        If an item lacks some of the judges, the others make up its score.
        """
        if self.exists.strides == (0, 0):
            return np.broadcast_to(self.weights, self.price_per_call.shape)
        present = np.where(self.exists, self.weights, 0.0)
        total = present.sum(axis=1, keepdims=True)
        # Where only judges of weight 0 exist, they share the weight equally.
        present = np.where(total > 0, present, self.exists)
        weights: FloatArray = present / present.sum(axis=1, keepdims=True)
        return weights

    def price_per_score(self, answer_rate: FloatArray) -> Requests:
        """Prices per score instead of per call; infinite where a pair may not be asked.

        `answer_rate` (J,) is each judge's share of calls that give a score.
        """
        if self.requests is None:
            return Requests.of_one_call(self.price / answer_rate)
        first, again = (
            np.where(self.mask, price, math.inf) / answer_rate
            for price in (self.requests.first, self.requests.again)
        )
        return Requests(first=first, again=again, together=self.requests.together)

    def price_of(self, judge: IntArray) -> FloatArray:
        """Price of one call of each item's judge; both of shape (K,)."""
        if self.price_per_call.strides[0] == 0:
            price: FloatArray = self.price_per_call[0].take(judge)
            return price
        return self.price_per_call[np.arange(self.items), judge]

    def with_judges(self, judges: BoolArray) -> Problem:
        """The problem with only these judges, (J,); items left without any keep all of theirs."""
        if judges.all():
            return self
        mask = self.mask & judges
        return replace(self, mask=np.where(mask.any(axis=1, keepdims=True), mask, self.mask))

    def part(self, items: IntArray | BoolArray) -> Problem:
        """The problem of some items."""
        return replace(
            self,
            price_per_call=self.price_per_call[items],
            mask=self.mask[items],
            exists=self.exists[items],
            groups=self.groups[items],
            requests=None if self.requests is None else self.requests.part(items),
            labels=None if self.labels is None else self.labels.part(items),
        )

    def with_norm(self, norm: float) -> Problem:
        """The problem with another norm."""
        return replace(self, norm=float(norm))


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


def _shares(weights: npt.ArrayLike) -> FloatArray:
    """Weights scaled to sum to 1."""
    array = float_array("weights", weights)
    check_not_negative("weights", array)
    total = float(array.sum())
    if not total > 0:
        raise InputError("weights", "all zero", "at least one judge must count")
    return array / total
