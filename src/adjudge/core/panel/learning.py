"""The panel model that the evidence supports."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.panel.agreement import Disagreement, disagreement
from adjudge.core.panel.common_score import common_score_means
from adjudge.core.panel.covariance import JudgeLaw, learn_covariance, mean_between
from adjudge.core.panel.deviations import Deviations, learn_deviations
from adjudge.core.panel.guard import Guard
from adjudge.core.panel.hardness import learn_hardness
from adjudge.core.panel.model import PanelModel
from adjudge.core.panel.noise import FLOOR, Noise, learn_noise
from adjudge.core.panel.predictions import learn_levels
from adjudge.core.panel.repeats import Repeats
from adjudge.core.problem import Moments

_NEARLY_NONE = 1e-9
"""Deviation that keeps a covariance of rank one invertible."""
_LIKELY = 0.9
"""Probability of no deviations from which on judges are taken to agree."""
_COMPARED = 2.0
"""What comparisons say of a judge's noise is worth so many times the first belief in it."""
_MOST_SHARED = 0.9
"""Share of the variance of yes and no that judges may seem to have in common."""
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
    guard: Guard
    mean_error: FloatArray
    """Covariance of the errors of the judges' means; shape (J, J)."""
    target: Target
    deviate: bool
    """Whether judges surely deviate from each other."""
    by_level: FloatArray
    """The factor that its level has in an item's hardness; shape (K,)."""

    @property
    def follow(self) -> BoolArray:
        """The judges that count; shape (J,)."""
        return self.guard.follow

    @property
    def average_noise(self) -> FloatArray:
        """Each judge's variance on an average item; immense for those that do not count; (J,)."""
        return np.where(self.follow, self.noise.by_judge, _TELLS_NOTHING)

    def part(self, items: IntArray | slice) -> Learned:
        """The same of some items."""
        return replace(
            self,
            model=self.model.part(items),
            noise=self.noise.part(items),
            by_level=self.by_level[items],
        )

    def model_to_plan_with(self, norm: float) -> PanelModel:
        """The model by which the next calls are chosen.

        Where the worst item counts, no level is taken to be easy: answers jump at every one.
        """
        if math.isfinite(norm):
            return self.model
        return replace(self.model, hardness=self.model.hardness / self.by_level)


def learn(
    moments: Moments,
    weights: FloatArray,
    target: Target = Target.PANEL,
    *,
    repeats: Repeats | None = None,
) -> Learned:
    """The panel of these scores, on the scale 0 to 1.

    Judges that do not follow the others are switched off and leave the score. Judges that likely
    do not disagree beyond their noise measure one score, the paper's model, up to the deviations
    that the evidence cannot rule out. `repeats` say which calls made twice count in judges' noise;
    if None, all do.
    """
    repeats = Repeats.of(moments) if repeats is None else repeats
    noise = learn_noise(moments, repeats)
    law = everyone = learn_covariance(moments, noise.by_judge)
    guard = Guard.of(moments, law.covariance, noise.by_judge)
    follow = guard.follow
    weights = _without(weights, ~follow)
    own, counted = moments, repeats
    if not follow.all():
        own, counted = _only(moments, follow), repeats.only(follow)
        apart = learn_noise(own, counted)
        noise = apart.scaled_to(np.where(follow, apart.by_judge, noise.by_judge))
    verdict = _Verdict(none=1.0, deviation=0.0, noise=noise)
    if target is not Target.UNBIASED:
        hardness = np.ones(len(own.n))
        if not noise.yes_or_no:
            hardness = learn_hardness(_model(law.mean, law.covariance, noise, weights, follow), own)
        found = learn_deviations(own, noise, counted)
        differ = disagreement(own, noise.by_pair, law.mean, counted)
        verdict = _verdict(noise, found, differ, _own_noise(counted, noise, found, hardness))
        if noise.yes_or_no:
            verdict = verdict.limited(_most_noise(law, follow))
        noise = verdict.noise
        law = learn_covariance(own, noise.by_judge, start=law)
    mean, error = law.mean, law.mean_error
    spread = float(law.covariance[np.ix_(follow, follow)].mean())
    covariance = verdict.none * spread + (1 - verdict.none) * law.covariance
    if verdict.deviation is not None:
        deviation = max(verdict.deviation, _NEARLY_NONE)
        covariance = spread + deviation * np.eye(mean.size)
        mean, error = common_score_means(
            own,
            noise.by_pair,
            spread,
            weights,
            deviation=verdict.deviation,
            offsets=target is not Target.UNBIASED,
        )
    # Of judges that are switched off it is told what they were like.
    mean = np.where(follow, mean, everyone.mean)
    covariance = np.where(np.outer(follow, follow), covariance, everyone.covariance)
    model = _model(mean, covariance, noise, weights, follow)
    if not noise.yes_or_no:
        model = replace(model, levels=learn_levels(model, own))
    by_level = model.hardness_by_level(own)
    model = replace(model, hardness=by_level)
    model = replace(model, hardness=learn_hardness(model, own))
    return Learned(
        model=model,
        noise=noise,
        guard=guard,
        mean_error=error,
        target=target,
        deviate=verdict.deviation is None and verdict.none < 1 - _LIKELY,
        by_level=by_level,
    )


def _model(
    mean: FloatArray, covariance: FloatArray, noise: Noise, weights: FloatArray, follow: BoolArray
) -> PanelModel:
    """The panel whose items are equally hard."""
    return PanelModel(
        mean=mean,
        covariance=covariance,
        noise=np.where(follow, noise.by_pair, _TELLS_NOTHING),
        weights=weights,
        hardness=np.ones(len(noise.by_pair)),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Verdict:
    """Whether judges measure one score."""

    none: float
    """Probability that they do not deviate at all."""
    deviation: float | None
    """Variance of the deviations that may yet be; None if judges do not measure one score."""
    noise: Noise

    def limited(self, most: FloatArray) -> _Verdict:
        """The same with no more noise than this, and just as much if judges agree; shape (J,)."""
        agree = self.deviation is not None
        noise = most if agree else np.minimum(self.noise.by_judge, most)
        return replace(self, noise=self.noise.scaled_to(noise))


def _verdict(
    noise: Noise, found: Deviations, differ: Disagreement, own_noise: FloatArray
) -> _Verdict:
    """Whether judges agree, and how noisy they are.

    The likelihood makes the most of little evidence; the excess of differences over noise needs
    more of it, but no shape of the noise misleads it. Where neither tells, the covariance is that
    of both possibilities together. Of yes and no the likelihood does not decide: a doubtful item is
    noisy for every judge, and judges that differ only on doubtful items pass for noisy ones. It
    only tells how closely judges agree that surely do.
    """
    none = 0.0 if differ.is_surprising or noise.yes_or_no else found.none
    if none > _LIKELY:
        average = noise.scaled_to(found.noise_on_average)
        return _Verdict(none=none, deviation=found.expected, noise=average)
    if differ.is_negligible:
        least = noise.scaled_to(found.noise_if_none)
        left = found.expected if found.none > _LIKELY else differ.plausible
        return _Verdict(none=none, deviation=left, noise=least)
    mixed = none * found.noise_if_none + (1 - none) * own_noise
    return _Verdict(none=none, deviation=None, noise=noise.scaled_to(mixed))


def _most_noise(law: JudgeLaw, follow: BoolArray) -> FloatArray:
    r"""The most that can be noise where answers are yes or no; shape (J,).

    Such an answer has the variance :math:`m_j(1 - m_j) = \Sigma_{jj} + \sigma_j^2`, and at least
    what judges share is not noise. Comparisons do not know that: as one judge is asked most, they
    take all that parts the others from it for their noise, and it is asked still more.
    """
    answers = law.mean * (1 - law.mean)
    shared = mean_between(law.covariance[np.ix_(follow, follow)])
    share = max(shared, 0.0) / max(float(answers[follow].mean()), FLOOR)
    most: FloatArray = np.maximum(answers * (1 - min(share, _MOST_SHARED)), FLOOR)
    return most


def _own_noise(
    repeats: Repeats, noise: Noise, found: Deviations, hardness: FloatArray
) -> FloatArray:
    """Each judge's noise if judges deviate: what comparisons say of it, and its own repeats; (J,).

    Deviations that judges share, as copies of one another do, look like the noise of those that do
    not share them: a judge's own repeats soon outweigh what comparisons say. Hard items are asked
    more, so that most repeats are theirs: each counts as much as its item is hard.
    """
    freedom = (repeats.freedom * noise.item * hardness[:, None]).sum(axis=0)
    compared = _COMPARED * noise.belief
    squares = compared * found.noise_if_any + repeats.squares.sum(axis=0)
    own: FloatArray = np.maximum(squares / (compared + freedom), FLOOR)
    return own


def _without(weights: FloatArray, off: BoolArray) -> FloatArray:
    """The weights without the judges that are off; all, if none would be left; shape (J,)."""
    kept = np.where(off, 0.0, weights)
    total = float(kept.sum())
    return kept / total if total > 0 else weights


def _only(moments: Moments, follow: BoolArray) -> Moments:
    """The scores of these judges alone."""
    return Moments(n=moments.n * follow, mean=moments.mean * follow, m2=moments.m2 * follow)
