"""A bound on the error, and what must be true of the instance for it to hold."""

from __future__ import annotations

import math
from dataclasses import dataclass

ROUNDING = 1e-9
"""Relative slack of every condition, so that a change of units never decides one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A number, and the conditions of its theorem that this instance does not meet."""

    value: float
    """The bound, in units of the score; nan where the formula has no value."""
    unmet: tuple[str, ...] = ()
    """One sentence with its numbers for each condition that fails."""

    @property
    def holds(self) -> bool:
        """Whether every condition of the theorem is met."""
        return not self.unmet


def exceeds(value: float, limit: float) -> bool:
    """Whether the value is above the limit by more than rounding."""
    return value > limit + ROUNDING * abs(limit)


def finite_norm(norm: float) -> tuple[str, ...]:
    """The condition of every p-th moment: p is finite."""
    return ("norm inf has no p-th moment; p must be finite",) if norm == math.inf else ()
