"""What people say, given what the judges would say: level, slope, and weights of judges."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from adjudge.core.arrays import FloatArray


class Stage(StrEnum):
    """What the labels were enough for."""

    LEVEL = "level"
    """How far people are above the panel."""
    SLOPE = "slope"
    """And how much they say more where the panel says more."""
    WEIGHTS = "weights"
    """And which judges go with them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Anchor:
    """How the panel's answers lead to what people say, for reports."""

    labels: int
    """Labelled items."""
    level: float
    """What people say above the panel's score, over all items; in units of the labels."""
    slope: float
    """Rise of the prediction where all judges rise by one; both on scales 0 to 1."""
    weights: FloatArray
    """Shares of the judges in it; none below 0, sum 1; shape (J,)."""
    residual: float
    """Root mean squared error of the predictions, leave-one-out; in units of the labels."""
    panel_residual: float
    """The same of the panel's score as it is; in units of the labels."""
    stage: Stage
