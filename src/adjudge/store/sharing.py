"""A plan shared by several machines: its leader, the wanted calls, and the data for joining."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from adjudge.core.arrays import IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wanted:
    """Target number of calls of each pair, by all processes; columns of equal length."""

    item: IntArray
    """The store's number of the item."""
    judge: IntArray
    phase: IntArray
    calls: IntArray
    """Total calls of the pair in this phase, including those already made."""

    def packed(self) -> bytes:
        """The stored form."""
        columns = np.stack([self.item, self.judge, self.phase, self.calls]).astype("<i8")
        return zlib.compress(columns.tobytes(), 1)

    @classmethod
    def unpacked(cls, content: bytes) -> Wanted:
        """The value from its stored form."""
        columns = np.frombuffer(zlib.decompress(content), "<i8").astype(np.int64).reshape(4, -1)
        return cls(item=columns[0], judge=columns[1], phase=columns[2], calls=columns[3])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Published:
    """The latest plan of a run."""

    round: int
    """Number of plans published before it; -1 before the first."""
    ended: bool
    """Whether the run has ended."""
    wanted: Wanted | None = None
    """None if the reader already has this plan."""


class SharedPlans(Protocol):
    """Coordination of the processes that work on one run together."""

    def lead(self, run: str) -> bool:
        """Whether this process plans the run: the first to ask does, as long as it lives."""
        ...

    def publish(self, run: str, wanted: Wanted) -> None:
        """Publish a new plan to the other processes."""
        ...

    def end(self, run: str) -> None:
        """Publish the end of the run to the other processes."""
        ...

    def published(self, run: str, known: int) -> Published:
        """The latest plan, without its content if its round is `known`."""
        ...

    def keep_job(self, run: str, job: bytes) -> None:
        """Store the data that a process on another machine needs to join the run."""
        ...

    def processes(self) -> int:
        """Number of living processes that spend from the same account, including this one."""
        ...
