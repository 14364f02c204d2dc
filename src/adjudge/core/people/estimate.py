"""Scores on the people's scale."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.panel.summary import PanelEstimate
from adjudge.core.people.anchor import Anchor


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PeopleEstimate(PanelEstimate):
    """What people would say of every item; all in units of the labels."""

    panel: PanelEstimate
    """The panel's own score, on the judges' scale."""
    labels: Labels
    anchor: Anchor
    predicted: FloatArray
    """What people are expected to say, without the item's own label; shape (K,)."""
    predicted_variance: FloatArray
    """Variance of what they say around it; shape (K,)."""
