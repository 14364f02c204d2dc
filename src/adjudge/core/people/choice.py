"""The choice of items to label next."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.panel.summary import PanelEstimate
from adjudge.core.people.estimate import PeopleEstimate
from adjudge.errors import InputError

_LEAST = 0.3
"""Lower limit of u_k as a share of its mean, which limits the weights 1/π in means."""
_DEVIATION = 0.2
"""Prior standard deviation of people around the panel, as a share of the scale."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelChoice:
    """Items drawn at random with known probabilities."""

    items: IntArray
    """The items to label, most uncertain first."""
    probability: FloatArray
    """Inclusion probability of each item, never 0; shape (K,).

    Items labelled before have the probability they would have had.
    """

    def inclusion_after(self, before: FloatArray | None = None) -> FloatArray:
        r"""`Labels.inclusion` after this draw, :math:`1 - (1 - p)(1 - q)`; shape (K,).

        `before` is the inclusion of earlier labels, or None if there are none.
        """
        if before is None:
            return self.probability
        return 1 - (1 - before) * (1 - self.probability)


def next_labels(estimate: PanelEstimate, number: int, rng: np.random.Generator) -> LabelChoice:
    r"""A sample of items to label, drawn with probabilities :math:`\pi_k = \min(1, \gamma u_k)`.

    :math:`u_k` is the predictive standard deviation of the label, which minimises the error of
    means (Neyman 1934; Zrnic and Candes 2024), but at least 0.3 of its mean. Systematic sampling
    in random order, so that the sample size is fixed.
    """
    if number < 1:
        raise InputError("number", f"{number}", "ask for at least one label")
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
    # `minimum`: rounding must not push the last mark past the end.
    marks = (rng.random() + np.arange(number)) * (reached[-1] / number)
    chosen = order[np.minimum(np.searchsorted(reached, marks, side="right"), order.size - 1)]
    return LabelChoice(items=chosen[np.argsort(-worth[chosen])], probability=probability)


def _scale(worth: FloatArray, number: int) -> float:
    """γ, for which the probabilities of these items sum to `number`."""
    ordered = np.sort(worth)[::-1]
    # With the i largest probabilities at 1, the others share number - i.
    rest = np.cumsum(ordered[::-1])[::-1]
    sure = np.arange(min(number, ordered.size))
    scale = (number - sure) / rest[sure]
    fits = np.flatnonzero(scale * ordered[sure] <= 1)
    return float(scale[fits[0]]) if fits.size else math.inf
