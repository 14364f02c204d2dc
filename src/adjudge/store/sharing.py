"""What several machines share of one plan: who plans, what is wanted, and how to take part."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from adjudge.core.arrays import IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wanted:
    """How many calls there are to be of each pair, made by whomever; columns of equal length."""

    item: IntArray
    """The store's own number of the item."""
    judge: IntArray
    phase: IntArray
    calls: IntArray
    """All calls of the pair in this phase, those made before included."""

    def packed(self) -> bytes:
        """As a store keeps it."""
        columns = np.stack([self.item, self.judge, self.phase, self.calls]).astype("<i8")
        return zlib.compress(columns.tobytes(), 1)

    @classmethod
    def unpacked(cls, content: bytes) -> Wanted:
        """From what a store keeps."""
        columns = np.frombuffer(zlib.decompress(content), "<i8").astype(np.int64).reshape(4, -1)
        return cls(item=columns[0], judge=columns[1], phase=columns[2], calls=columns[3])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Published:
    """The last plan of a run."""

    round: int
    """How many plans were published before; -1 before the first."""
    ended: bool
    """Whether the run has come to its end."""
    wanted: Wanted | None = None
    """None if it is the plan that the reader has already."""


class SharedPlans(Protocol):
    """What a store offers to processes that carry out one run together."""

    def lead(self, run: str) -> bool:
        """Whether this process plans the run: the first that asks does, for as long as it lives."""
        ...

    def publish(self, run: str, wanted: Wanted) -> None:
        """Tell the others what is wanted now."""
        ...

    def end(self, run: str) -> None:
        """Tell the others that the run has come to its end."""
        ...

    def published(self, run: str, known: int) -> Published:
        """The last plan, without its content if it is the one of this round."""
        ...

    def keep_job(self, run: str, job: bytes) -> None:
        """Keep what a process on another machine needs to take part in the run."""
        ...

    def processes(self) -> int:
        """Living processes that spend from the same account; this one counts."""
        ...
