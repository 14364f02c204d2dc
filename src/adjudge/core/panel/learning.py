"""The panel model that the evidence supports."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.panel.agreement import Disagreement, common_score_means, disagreement
from adjudge.core.panel.covariance import learn_covariance
from adjudge.core.panel.deviations import Deviations, learn_deviations
from adjudge.core.panel.guard import followers
from adjudge.core.panel.model import PanelModel
from adjudge.core.panel.noise import FLOOR, Noise, learn_noise
from adjudge.core.problem import Moments

_NEARLY_NONE = 1e-9
"""Deviation that keeps a covariance of rank one invertible."""
_LIKELY = 0.5
"""Probability of no deviations from which on judges are taken to agree."""
_COMPARED_FREEDOM = 8.0
"""Repeats that what comparisons say of a judge's noise is worth."""
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

    Judges that do not follow the others are switched off and leave the score. Judges that likely
    do not disagree beyond their noise measure one score, the paper's model, up to the deviations
    that the evidence cannot rule out.
    """
    noise = learn_noise(moments)
    law = learn_covariance(moments, noise.by_judge)
    follow = followers(moments, law.covariance, noise.by_judge)
    weights = _without(weights, ~follow)
    own = _only(moments, follow)
    agreement: _Agreement | None = _Agreement(deviation=0.0, noise=noise)
    if target is not Target.UNBIASED:
        found = learn_deviations(own, noise)
        differ = disagreement(own, noise.by_pair, law.mean)
        agreement = _agreement(found, differ, noise)
        noise = (
            agreement.noise
            if agreement
            else noise.scaled_to(_own_noise(moments, noise, found, differ))
        )
        law = learn_covariance(moments, noise.by_judge, start=law)
    mean, covariance, error = law.mean, law.covariance, law.mean_error
    if agreement:
        judges = mean.size
        spread = float(covariance[np.ix_(follow, follow)].mean())
        covariance = np.full((judges, judges), spread)
        covariance[np.diag_indices(judges)] += max(agreement.deviation, _NEARLY_NONE)
        mean, error = common_score_means(
            own,
            noise.by_pair,
            spread,
            weights,
            deviation=agreement.deviation,
            offsets=target is not Target.UNBIASED,
        )
    by_pair = np.where(follow, noise.by_pair, _TELLS_NOTHING)
    model = PanelModel(mean=mean, covariance=covariance, noise=by_pair, weights=weights)
    return Learned(model=model, noise=noise, follow=follow, mean_error=error, target=target)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Agreement:
    """Judges that measure one score, as far as can be told."""

    deviation: float
    """Variance of the deviations that may yet be."""
    noise: Noise


def _agreement(found: Deviations, differ: Disagreement, noise: Noise) -> _Agreement | None:
    """How judges agree, if they likely do.

    The likelihood makes the most of little evidence; the excess of differences over noise needs
    more of it, but no shape of the noise misleads it.
    """
    if found.none > _LIKELY and not differ.is_surprising:
        return _Agreement(deviation=found.expected, noise=noise.scaled_to(found.noise_on_average))
    if differ.is_negligible:
        return _Agreement(deviation=differ.plausible, noise=noise.scaled_to(found.noise_if_none))
    return None


def _own_noise(
    moments: Moments, noise: Noise, found: Deviations, differ: Disagreement
) -> FloatArray:
    """Each judge's noise if judges deviate: what comparisons say of it, and its own repeats; (J,).

    Deviations that judges share, as copies of one another do, look like the noise of those that do
    not share them: a judge's own repeats soon outweigh what comparisons say.
    """
    weight = (np.maximum(moments.n - 1, 0) * noise.item).sum(axis=0)
    squares = _COMPARED_FREEDOM * found.noise_if_any + moments.m2.sum(axis=0)
    repeated = np.maximum(squares / (_COMPARED_FREEDOM + weight), FLOOR)
    none = 0.0 if differ.is_surprising else found.none
    mixed: FloatArray = none * found.noise_if_none + (1 - none) * repeated
    return mixed


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
