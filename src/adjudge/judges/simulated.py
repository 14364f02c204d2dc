"""A simulated judge for demonstrations and tests."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from adjudge.judges.description import PER_CALL, Description, Price
from adjudge.judges.judge import Limits, Quote
from adjudge.judges.scale import Scale
from adjudge.records import Cost, Item, Money, Reason, Verdict


def truth_of(item: Item) -> float:
    """The item's `truth` in [0, 1]; derived from its id if it has none."""
    given = item.metadata.get("truth")
    if isinstance(given, int | float):
        return float(given)
    return (zlib.crc32(item.id.encode()) % 1001) / 1000


@dataclass(slots=True, kw_only=True)
class SimulatedJudge:
    """Answers with the item's truth plus an offset and noise; see `Judge`.

    The n-th call of this object about an item always gets the same answer, whatever the order of
    calls. A process that resumes a run should use another seed, or the noise is repeated.
    """

    name: str
    scale: Scale
    price: Money
    offset: float = 0.0
    """As a fraction of the scale."""
    noise: float = 0.1
    """Standard deviation, as a fraction of the scale."""
    failure_rate: float = 0.0
    """Probability of an answer without a score."""
    seconds: float = 0.0
    """Duration of a call."""
    seed: int = 0
    limits: Limits = field(default_factory=Limits)
    truth: Callable[[Item], float] = truth_of
    reads: frozenset[str] | None = None
    _calls: dict[str, int] = field(default_factory=dict, init=False, repr=False)

    @property
    def identity(self) -> str:
        """Its name and everything that determines its answers, except the seed."""
        shape = self.offset, self.noise, self.failure_rate, self.scale
        return repr(("simulated", self.name, *shape))

    def quote(self, item: Item) -> Quote:
        """The price per call."""
        return Quote(most=Cost(input=self.price), likely=Cost(input=self.price))

    def preview(self, item: Item) -> str:
        """The mean and standard deviation of its answers."""
        return f"{item.id}: {self.truth(item) + self.offset:.3f} ± {self.noise:g} of the scale"

    def describe(self, item: Item) -> Description:
        """Its offset, noise, failure rate and price."""
        settings = {"offset": self.offset, "noise": self.noise, "failure rate": self.failure_rate}
        return Description(
            kind="simulated",
            settings=tuple((name, f"{value:g}") for name, value in settings.items()),
            prices=(Price(PER_CALL, self.price),),
        )

    async def open(self, *, salt: bytes = b"") -> None:
        """Do nothing."""

    async def score(self, item: Item) -> Verdict:
        """The next answer about this item."""
        number = self._calls.get(item.id, 0)
        self._calls[item.id] = number + 1
        if self.seconds:
            await asyncio.sleep(self.seconds)
        rng = np.random.default_rng([self.seed, zlib.crc32(item.id.encode()), number])
        cost = Cost(input=self.price)
        if rng.random() < self.failure_rate:
            return Verdict(score=None, cost=cost, reason=Reason.UNREADABLE)
        drawn = self.truth(item) + self.offset + self.noise * rng.standard_normal()
        score = float(self.scale.from_unit(np.clip(np.array(drawn), 0, 1)))
        return Verdict(score=self._on_scale(score), cost=cost)

    async def close(self) -> None:
        """Do nothing."""

    def _on_scale(self, score: float) -> float:
        if self.scale.labels:
            return min((value for _, value in self.scale.labels), key=lambda v: abs(v - score))
        return float(round(score)) if self.scale.whole else score
