"""What calls cost that share a request."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Requests:
    """Prices of calls about a pair, of which several may share a request and its prompt."""

    first: FloatArray
    """Of a request's first call; shape (K, J)."""
    again: FloatArray
    """Of each further call of it; shape (K, J)."""
    together: IntArray
    """Calls that a request holds at most; shape (J,)."""

    @classmethod
    def of_one_call(cls, price: FloatArray) -> Requests:
        """Each call goes in a request of its own, at this price; (K, J)."""
        return cls(first=price, again=price, together=np.ones(price.shape[1], np.int64))

    def cost(self, counts: IntArray) -> float:
        """Price of these calls, (K, J), as few requests as possible."""
        requests = np.ceil(counts / self.together)
        return float((counts * self.again + requests * (self.first - self.again)).sum())

    def part(self, items: IntArray | BoolArray | slice) -> Requests:
        """The same of some items."""
        return replace(self, first=self.first[items], again=self.again[items])
