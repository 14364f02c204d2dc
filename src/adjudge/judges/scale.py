"""The scale that judges score on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from adjudge.core.arrays import FloatArray
from adjudge.errors import InputError

_FEW = 21
"""Maximum number of whole scores that are listed one by one for a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """Real or whole numbers from low to high, or labels with a number each."""

    low: float
    high: float
    whole: bool = False
    labels: tuple[tuple[str, float], ...] = ()
    """Each label with its number, in the given order; empty for a scale of numbers."""

    @classmethod
    def of_labels(cls, labels: Mapping[str, float]) -> Scale:
        """A scale of labels, such as `{"poor": 0, "fair": 1, "good": 2}`."""
        if len({label.strip().casefold() for label in labels}) < max(len(labels), 2):
            raise InputError("labels", f"{', '.join(labels)}", "give two or more different labels")
        pairs = tuple((label.strip(), float(value)) for label, value in labels.items())
        return cls(
            low=min(labels.values(), default=0),
            high=max(labels.values(), default=0),
            labels=pairs,
        )

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise InputError(
                "scale", f"{self.low} to {self.high}", "low must be below high, both finite"
            )
        if self.whole and not (float(self.low).is_integer() and float(self.high).is_integer()):
            raise InputError(
                "scale", f"{self.low} to {self.high}", "whole scores need whole ends of the scale"
            )

    @property
    def width(self) -> float:
        """Highest minus lowest score."""
        return self.high - self.low

    @property
    def yes_or_no(self) -> bool:
        """Whether the lowest and highest score are the only ones."""
        if self.labels:
            return len({value for _, value in self.labels}) == 2
        return self.whole and self.width == 1

    def holds(self, score: float) -> bool:
        """Whether the number is a score of this scale."""
        if not math.isfinite(score) or not self.low <= score <= self.high:
            return False
        if self.labels:
            return any(score == value for _, value in self.labels)
        return not self.whole or float(score).is_integer()

    def in_unit(self, scores: FloatArray) -> FloatArray:
        """The scores mapped to [0, 1], lowest to 0 and highest to 1."""
        return (scores - self.low) / self.width

    def from_unit(self, scores: FloatArray) -> FloatArray:
        """Scores in [0, 1] mapped back to this scale."""
        return self.low + scores * self.width

    @property
    def few_values(self) -> list[int | str] | None:
        """All labels or whole scores, if there are few enough to list; otherwise None."""
        if self.labels:
            return [label for label, _ in self.labels]
        if self.whole and self.high - self.low < _FEW:
            return list(range(int(self.low), int(self.high) + 1))
        return None

    @property
    def words(self) -> str:
        """The scale, as prompts describe it."""
        if self.labels:
            ordered = sorted(self.labels, key=lambda pair: pair[1])
            listed = ", ".join(f'"{label}"' for label, _ in ordered)
            return f"one of these labels, worst first: {listed}"
        kind = "a whole number" if self.whole else "a number"
        return f"{kind} from {self.low:g} (worst) to {self.high:g} (best)"
