"""Which items to label next."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.panel.summary import PanelEstimate
from adjudge.core.people.estimate import PeopleEstimate
from adjudge.errors import InputError

_LEAST = 0.3
"""Smallest worth, as a share of the mean one: rare items must not weigh too much in means."""
_DEVIATION = 0.2
"""Standard deviation of people around the panel before any label, as a share of the scale."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelChoice:
    """Items drawn at random with known probabilities."""

    items: IntArray
    """Those to label, of the largest worth first."""
    probability: FloatArray
    """With which an item without a label was to be drawn, never 0; shape (K,).

    Items labelled before have the probability that they would have had.
    """

    def inclusion_after(self, before: FloatArray | None = None) -> FloatArray:
        r"""`Labels.inclusion` once these are labelled, :math:`1 - (1 - p)(1 - q)`; shape (K,).

        `before` is that of earlier labels, or None if these are the first.
        """
        if before is None:
            return self.probability
        return 1 - (1 - before) * (1 - self.probability)


def next_labels(estimate: PanelEstimate, number: int, rng: np.random.Generator) -> LabelChoice:
    r"""So many items to label, drawn with probabilities :math:`\pi_k = \min(1, \gamma u_k)`.

    :math:`u_k` is the standard deviation of what people may say of an item, which makes the error
    of means smallest (Neyman 1934; Zrnic and Candes 2024), and not below 0.3 of the mean. The
    draw is systematic in a random order, so that its size is fixed.
    """
    if number < 1:
        raise InputError("number", f"{number}", "ask for one label or more")
    low, high = estimate.score_range
    if isinstance(estimate, PeopleEstimate):
        worth = np.sqrt(estimate.predicted_variance)
        free = np.flatnonzero(~estimate.labels.is_labelled)
    else:
        worth = np.sqrt(estimate.variance + (_DEVIATION * (high - low)) ** 2)
        free = np.arange(worth.size)
    worth = np.maximum(worth, _LEAST * float(worth.mean()))
    if number >= free.size:
        probability = np.ones(worth.size)
        return LabelChoice(items=free[np.argsort(-worth[free])], probability=probability)
    probability = np.minimum(_scale(worth[free], number) * worth, 1.0)
    order = rng.permutation(free)
    reached = np.cumsum(probability[order])
    # Rounding must not lose the last item.
    marks = (rng.random() + np.arange(number)) * (reached[-1] / number)
    chosen = order[np.minimum(np.searchsorted(reached, marks, side="right"), order.size - 1)]
    return LabelChoice(items=chosen[np.argsort(-worth[chosen])], probability=probability)


def _scale(worth: FloatArray, number: int) -> float:
    """γ, for which the probabilities of these items add up to the number."""
    ordered = np.sort(worth)[::-1]
    # With the i largest at 1, the others share what is left.
    rest = np.cumsum(ordered[::-1])[::-1]
    sure = np.arange(min(number, ordered.size))
    scale = (number - sure) / rest[sure]
    fits = np.flatnonzero(scale * ordered[sure] <= 1)
    return float(scale[fits[0]]) if fits.size else math.inf
