"""The pairs in a batch, so that drawing takes no work for all other pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray, check_shape
from adjudge.core.evidence import Allocation, Moments
from adjudge.errors import InputError
from adjudge.worlds.instance import Instance


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AskedPairs:
    """P pairs with at least one call each, ordered by item."""

    item: IntArray
    """Row of each pair; shape (P,)."""
    judge: IntArray
    """Column of each pair; shape (P,)."""
    calls: IntArray
    """Calls of each pair, one or more; shape (P,)."""
    shape: tuple[int, int]
    """(K, J) of the world."""

    @classmethod
    def of(cls, batch: Allocation, instance: Instance) -> AskedPairs:
        """The pairs of a batch, all of which must exist in the instance."""
        counts = batch.counts
        items, judges = instance.price_per_call.shape
        check_shape("counts", counts, (items, judges))
        item, judge = np.nonzero(counts)
        calls = counts[item, judge]
        if calls.size and calls.min() < 0:
            raise InputError("counts", f"{calls.min()}", "every count must be zero or more")
        missing = np.flatnonzero(~instance.mask[item, judge])
        if missing.size:
            row, column = item[missing[0]], judge[missing[0]]
            raise InputError(
                "counts",
                f"item {row} asks {instance.judge_names[column]}, which never scored it",
                "ask only the pairs of the world's mask",
            )
        return cls(item=item, judge=judge, calls=calls, shape=(items, judges))

    def values(self, array: FloatArray) -> FloatArray:
        """The pairs' entries of an array of shape (K, J) or (K, J, S)."""
        return array[self.item, self.judge]

    def where(self, chosen: BoolArray) -> AskedPairs:
        """Some of the pairs; `chosen` of shape (P,)."""
        if chosen.all():
            return self
        return replace(
            self, item=self.item[chosen], judge=self.judge[chosen], calls=self.calls[chosen]
        )

    def moments(self, mean: FloatArray, m2: FloatArray) -> Moments:
        """Moments of shape (K, J) from those of the asked pairs, each of shape (P,)."""
        n = np.zeros(self.shape, np.int64)
        n[self.item, self.judge] = self.calls
        return Moments(n=n, mean=self._everywhere(mean), m2=self._everywhere(m2))

    def _everywhere(self, values: FloatArray) -> FloatArray:
        array = np.zeros(self.shape)
        array[self.item, self.judge] = values
        return array
