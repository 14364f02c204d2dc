"""Summary of the regression of labels on judges, for reports."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.core.panel.summary import PanelEstimate
from adjudge.core.people.calibration import Calibration, Stage


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Anchor:
    """What the labels show about people and judges."""

    labels: int
    """Number of labelled items."""
    level: float
    """Mean of prediction minus panel score over all items; in units of the labels."""
    slope: float
    """Sum of the judges' slopes; judges and people both on scales 0 to 1."""
    weights: FloatArray
    """Each judge's share of the slope: nonnegative, with sum 1, or all 0; shape (J,)."""
    residual: float
    """Leave-one-out root mean squared error of the predictions; in units of the labels."""
    panel_residual: float
    """Root mean squared error of the uncalibrated panel score; in units of the labels."""
    stage: Stage

    @classmethod
    def of(
        cls, calibration: Calibration, panel: PanelEstimate, labels: Labels, predicted: FloatArray
    ) -> Anchor:
        """The summary; `predicted` are leave-one-out, in units of the labels, (K,)."""
        plain = on_scale_of(labels, panel)
        items = labels.labelled
        label = labels.mean[items]
        slope = float(calibration.slopes.sum())
        return cls(
            labels=items.size,
            level=float((predicted - plain).mean()),
            slope=slope,
            weights=calibration.slopes / slope if slope > 0 else calibration.slopes,
            residual=math.sqrt(float(np.mean((label - predicted[items]) ** 2))),
            panel_residual=math.sqrt(float(np.mean((label - plain[items]) ** 2))),
            stage=calibration.stage,
        )


def on_scale_of(labels: Labels, panel: PanelEstimate) -> FloatArray:
    """The panel's scores, mapped linearly to the scale of the labels; shape (K,)."""
    low, high = panel.score_range
    return labels.scale[0] + (panel.score - low) * labels.width / (high - low)
