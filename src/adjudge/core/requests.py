"""Prices of calls that share a request."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Requests:
    """Prices of calls of a pair; several calls may share a request and its prompt."""

    first: FloatArray
    """Price of a request's first call; shape (K, J)."""
    again: FloatArray
    """Price of each further call in it; shape (K, J)."""
    together: IntArray
    """Maximum number of calls per request; shape (J,)."""

    @classmethod
    def of_one_call(cls, price: FloatArray) -> Requests:
        """One call per request, at this price; shape (K, J)."""
        return cls(first=price, again=price, together=np.ones(price.shape[1], np.int64))

    def cost(self, counts: IntArray) -> float:
        """Price of these calls, (K, J), in as few requests as possible."""
        requests = np.ceil(counts / self.together)
        return float((counts * self.again + requests * (self.first - self.again)).sum())

    def part(self, items: IntArray | BoolArray | slice) -> Requests:
        """The prices of some items."""
        return replace(self, first=self.first[items], again=self.again[items])
