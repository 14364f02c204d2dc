"""The panel model that the evidence supports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.panel.agreement import common_score_means, disagreement
from adjudge.core.panel.covariance import learn_covariance
from adjudge.core.panel.guard import followers
from adjudge.core.panel.model import PanelModel
from adjudge.core.panel.noise import Noise, learn_noise
from adjudge.core.problem import Moments

_NEARLY_NONE = 1e-9
"""Deviation that keeps a covariance of rank one invertible."""
_TELLS_NOTHING = 1e6
"""Variance of a call, on the scale 0 to 1, that moves no score."""


class Target(StrEnum):
    """What a score means."""

    PANEL = "panel"
    """What the panel would say if every judge were asked for ever."""
    UNBIASED = "unbiased"
    """The one score that all judges measure without offsets or deviations, as in the paper."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Learned:
    """What the evidence says of the panel, on the scale 0 to 1."""

    model: PanelModel
    noise: Noise
    follow: BoolArray
    """The judges that count; shape (J,)."""
    mean_error: FloatArray
    """Covariance of the errors of the judges' means; shape (J, J)."""
    target: Target

    @property
    def average_noise(self) -> FloatArray:
        """Each judge's variance on an average item; immense for those that do not count; (J,)."""
        return np.where(self.follow, self.noise.by_judge, _TELLS_NOTHING)


def learn(moments: Moments, weights: FloatArray, target: Target = Target.PANEL) -> Learned:
    """The panel of these scores, on the scale 0 to 1.

    Judges that do not follow the others are switched off and leave the score. Judges that do not
    disagree beyond their noise measure one score, the paper's model, up to the deviations that
    the evidence cannot rule out.
    """
    noise = learn_noise(moments)
    law = learn_covariance(moments, noise.by_judge)
    mean, covariance, error = law.mean, law.covariance, law.mean_error
    follow = followers(moments, covariance, noise.by_judge)
    weights = _without(weights, ~follow)
    unbiased = target is Target.UNBIASED
    differ = disagreement(_only(moments, follow), noise.by_pair, mean)
    if unbiased or not differ.is_real:
        judges = mean.size
        spread = float(covariance[np.ix_(follow, follow)].mean())
        deviation = 0.0 if unbiased else differ.plausible
        covariance = np.full((judges, judges), spread)
        covariance[np.diag_indices(judges)] += max(deviation, _NEARLY_NONE)
        mean, error = common_score_means(
            _only(moments, follow),
            noise.by_pair,
            spread,
            weights,
            deviation=deviation,
            offsets=not unbiased,
        )
    by_pair = np.where(follow, noise.by_pair, _TELLS_NOTHING)
    model = PanelModel(mean=mean, covariance=covariance, noise=by_pair, weights=weights)
    return Learned(model=model, noise=noise, follow=follow, mean_error=error, target=target)


def _without(weights: FloatArray, off: BoolArray) -> FloatArray:
    """The weights without the judges that are off; all, if none would be left; shape (J,)."""
    kept = np.where(off, 0.0, weights)
    total = float(kept.sum())
    return kept / total if total > 0 else weights


def _only(moments: Moments, follow: BoolArray) -> Moments:
    """The scores of these judges alone."""
    if follow.all():
        return moments
    return Moments(n=moments.n * follow, mean=moments.mean * follow, m2=moments.m2 * follow)
