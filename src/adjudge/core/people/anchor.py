"""Summary of the regression of labels on the panel, for reports."""

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
    """What was learned from the labels."""

    labels: int
    """Labelled items."""
    level: float
    """What people say above the panel's score, over all items; in units of the labels."""
    slope: float
    """Slope of the prediction on a common change of all judges; both on scales 0 to 1."""
    weights: FloatArray
    """Shares of the judges in it; none below 0, sum 1, or 0 if no judge counts; shape (J,)."""
    residual: float
    """Root mean squared error of the predictions, leave-one-out; in units of the labels."""
    panel_residual: float
    """The same of the panel's score as it is; in units of the labels."""
    stage: Stage

    @classmethod
    def of(
        cls, calibration: Calibration, panel: PanelEstimate, labels: Labels, predicted: FloatArray
    ) -> Anchor:
        """Of predictions without the items' own labels, in units of the labels, (K,)."""
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
    """The panel's own scores, moved from the judges' scale to that of the labels; shape (K,)."""
    low, high = panel.score_range
    return labels.scale[0] + (panel.score - low) * labels.width / (high - low)
