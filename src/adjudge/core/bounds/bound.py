"""A bound on the error, with the unmet conditions of its theorem."""

from __future__ import annotations

import math
from dataclasses import dataclass

ROUNDING = 1e-9
"""Relative tolerance of every condition, so that a change of units cannot decide one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The value of a bound, and the unmet conditions of its theorem."""

    value: float
    """The bound, in units of the score; nan where the formula is undefined."""
    unmet: tuple[str, ...] = ()
    """One sentence with numbers for each unmet condition."""

    @property
    def holds(self) -> bool:
        """Whether every condition of the theorem is met."""
        return not self.unmet


def exceeds(value: float, limit: float) -> bool:
    """Whether the value is above the limit by more than rounding."""
    return value > limit + ROUNDING * abs(limit)


def finite_norm(norm: float) -> tuple[str, ...]:
    """The unmet condition of moment bounds if p is infinite."""
    return ("norm inf has no p-th moment; p must be finite",) if norm == math.inf else ()
