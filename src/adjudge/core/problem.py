"""The problem: items, judges, their prices, and what "accurate" means."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

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


def _shares(weights: npt.ArrayLike) -> FloatArray:
    """Weights scaled to sum to 1."""
    array = float_array("weights", weights)
    check_not_negative("weights", array)
    total = float(array.sum())
    if not total > 0:
        raise InputError("weights", "all zero", "at least one judge must count")
    return array / total
