"""Fit the panel model to a run's evidence."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.evidence import Evidence, Moments
from adjudge.core.panel.beliefs import UNBIASED, YES_OR_NO, Beliefs
from adjudge.core.panel.fit import draw_laws, learn_law, log_evidence
from adjudge.core.panel.guard import Guard, Guarding
from adjudge.core.panel.hardness import learn_hardness
from adjudge.core.panel.law import MOST_ITEMS, Law, Sample
from adjudge.core.panel.levels import learn_levels
from adjudge.core.panel.model import PanelModel
from adjudge.core.panel.noise import ALL_ALIKE, Factors, learn_factors
from adjudge.core.problem import Problem

_APART = 4
"""Thinning of the sampler."""


class Target(StrEnum):
    """What a score means."""

    PANEL = "panel"
    """What the panel would say if every judge were asked for ever."""
    UNBIASED = "unbiased"
    """The one score that all judges measure without offsets or deviations, as in the paper."""
    REFERENCE = "reference"
    """What people would say, as their labels of some items tell; without labels, the panel's."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Learned:
    """What the evidence says of the panel, on the scale 0 to 1."""

    model: PanelModel
    """The panel at the posterior mean."""
    law: Law
    laws: tuple[Law, ...]
    """Posterior draws of the law."""
    factors: Factors
    """Of the pairs' noise."""
    noise_known: bool
    """Whether enough repeats tell the noise."""
    scores: Moments
    """Those that count."""
    guard: Guard
    target: Target

    @classmethod
    def known(cls, problem: Problem, law: Law, noise: FloatArray, weights: FloatArray) -> Learned:
        """A panel of which everything is known; noise (K, J), weights (J,)."""
        judges, shape = law.mean.size, problem.price_per_call.shape
        nobody = np.zeros(judges, bool)
        return cls(
            model=PanelModel(
                mean=law.group_mean,
                group=np.zeros(problem.items, np.int64),
                covariance=law.covariance,
                noise=noise,
                weights=replace(problem, weights=weights).item_weights,
                hardness=np.ones(problem.items),
            ),
            law=law,
            laws=(law,),
            factors=Factors(of_pairs=noise / law.noise),
            noise_known=True,
            scores=Moments.none(*shape),
            guard=Guard(constant=nobody, astray=nobody, off=nobody),
            target=Target.PANEL,
        )

    @property
    def follow(self) -> BoolArray:
        """The judges that count; shape (J,)."""
        return ~self.guard.off

    def part(self, items: IntArray) -> Learned:
        """The same of some items."""
        return replace(
            self,
            model=self.model.part(items),
            factors=replace(self.factors, of_pairs=self.factors.of_pairs[items]),
            scores=self.scores.part(items),
        )

    def under(self, law: Law) -> PanelModel:
        """The panel with this law."""
        return replace(
            self.model,
            mean=law.group_mean,
            covariance=law.covariance,
            noise=law.noise * self.factors.of_pairs,
        )

    def possible(self, rng: np.random.Generator) -> Iterator[PanelModel]:
        """Posterior draws of the panel, pairs' noise included."""
        freedom = self.factors.freedom + np.maximum(self.scores.n - 1, 0)
        for law in self.laws:
            model = self.under(law)
            if self.factors.freedom < ALL_ALIKE:
                drawn = freedom / rng.chisquare(freedom)
                model = replace(model, noise=model.noise * drawn)
            yield model


def beliefs_for(problem: Problem, target: Target) -> Beliefs:
    """What is believed of the judges of such a problem."""
    if target is Target.UNBIASED:
        return UNBIASED
    return YES_OR_NO if problem.yes_or_no else Beliefs()


def learn(
    problem: Problem,
    evidence: Evidence,
    *,
    target: Target = Target.PANEL,
    guarding: Guarding = Guarding.ASK,
    draws: int = 32,
    rng: np.random.Generator | None = None,
) -> Learned:
    """What all calls so far say of the panel, on the scale 0 to 1."""
    rng = np.random.default_rng(0) if rng is None else rng
    beliefs = beliefs_for(problem, target)
    scores = unit_moments(problem, evidence.pooled)
    guard = Guard.of_answers(scores, guarding, beliefs)
    factors = learn_factors(scores, beliefs)
    groups = _large_groups(problem, beliefs)
    # Where all judges measure one score, one without noise would be the truth.
    noiseless = problem.noiseless if target is Target.PANEL else None
    off = None
    # Once more if the law shows that another judge is to be left out.
    while off is None or (off != guard.off).any():
        off = guard.off
        sample = Sample.of(scores.only(~off), factors.of_pairs, groups, noiseless)
        laws = _possible_laws(sample, beliefs, draws, rng)
        law = Law.average(laws)
        guard = guard.with_slopes(law, scores, guarding, beliefs)
    scores = scores.only(~guard.off)
    model = PanelModel(
        mean=law.group_mean,
        group=groups,
        covariance=law.covariance,
        noise=law.noise * factors.of_pairs,
        weights=_without(problem.item_weights, guard.off),
        hardness=np.ones(problem.items),
    )
    compared = scores.compared
    some = compared[:: max(-(-compared.size // MOST_ITEMS), 1)]
    answers = model.part(some).answers(scores.n[some], scores.mean[some])
    model = replace(model, levels=learn_levels(answers, beliefs))
    model = replace(model, hardness=learn_hardness(model, scores, beliefs))
    return Learned(
        model=model,
        law=law,
        laws=tuple(laws),
        factors=factors,
        noise_known=beliefs.yes_or_no or scores.repeats >= beliefs.fewest,
        scores=scores,
        guard=guard,
        target=target,
    )


def _possible_laws(
    sample: Sample, beliefs: Beliefs, draws: int, rng: np.random.Generator
) -> list[Law]:
    r"""Posterior draws of the law, from four models of it.

    That judges measure one score, and that they do so without offsets, have probabilities of their
    own: no number of comparisons could show that they deviate by nothing. If they deviate, their
    answers vary alike or not. A model's posterior weight is its prior probability times its
    evidence; each variance of deviations and answers that it has more costs :math:`\sqrt n` for n
    comparisons (Schwarz 1978).
    """
    one_score = beliefs.that_judges_measure_one_score()
    same, other = beliefs.one_score / 2, (1 - beliefs.one_score) / 2
    judges = len(sample.n)
    models = [
        (same, 0, one_score.without_offsets()),
        (same, 0, one_score),
        (other, 1, beliefs.that_judges_agree_alike()),
        (other, judges, beliefs.that_judges_agree_alike(vary_alike=False)),
    ]
    models = [model for model in models if model[0] > 0]
    fits = [learn_law(sample, model) for _, _, model in models]
    weight = np.log([prior for prior, _, _ in models])
    if sample.items:
        compared = math.log1p((np.count_nonzero(sample.n, axis=0) - 1) @ sample.weight)
        weight += [log_evidence(law, sample) for law in fits]
        weight -= [0.5 * more * compared for _, more, _ in models]
    weight = np.exp(weight - weight.max())
    ends = np.round(np.cumsum(weight) / weight.sum() * draws).astype(int)
    laws: list[Law] = []
    deviating = 0
    shares = np.diff(ends, prepend=0).tolist()
    for number, fit, (_, more, held) in zip(shares, fits, models, strict=True):
        if more:
            deviating += number
        elif number:
            laws += draw_laws(fit, sample, held, number, apart=_APART, rng=rng)
    # Judges that deviate need not agree alike.
    if deviating:
        law = learn_law(sample, beliefs)
        laws += draw_laws(law, sample, beliefs, deviating, apart=_APART, rng=rng)
    return laws


def _large_groups(problem: Problem, beliefs: Beliefs) -> IntArray:
    """The items' groups, or one for all where they are too small to have means of their own."""
    number = int(problem.groups.max()) + 1
    if problem.items < beliefs.fewest_group_items * number:
        return np.zeros(problem.items, np.int64)
    return problem.groups


def unit_moments(problem: Problem, moments: Moments) -> Moments:
    """Scores on the scale 0 to 1."""
    low, width = problem.score_range[0], problem.score_width
    return Moments(
        n=moments.n,
        mean=np.where(moments.n > 0, (moments.mean - low) / width, 0.0),
        m2=moments.m2 / width**2,
    )


def _without(weights: FloatArray, off: BoolArray) -> FloatArray:
    """The weights (K, J) without the judges that are off; all of an item, if none would be left."""
    if not off.any():
        return weights
    kept = np.where(off, 0.0, weights)
    total = kept.sum(axis=1, keepdims=True)
    return np.where(total > 0, kept / np.where(total > 0, total, 1.0), weights)
