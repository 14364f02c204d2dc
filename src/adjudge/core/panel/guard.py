"""Uninformative judges: constant ones, and those that do not follow the others."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.evidence import Moments
from adjudge.core.panel.beliefs import Beliefs
from adjudge.core.panel.law import Law


class Guarding(StrEnum):
    """Which judges may be left out of the score."""

    ASK = "ask"
    """One that always gives the same answer; who does not follow the others is only named."""
    ON = "on"
    """Both."""
    OFF = "off"
    """None."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Guard:
    """What judges were found to be."""

    constant: BoolArray
    """Gave one and the same answer to all they were asked; shape (J,)."""
    astray: BoolArray
    """Do not follow the others; shape (J,)."""
    off: BoolArray
    """Left out of the score; shape (J,)."""

    @classmethod
    def of_answers(cls, moments: Moments, guarding: Guarding, beliefs: Beliefs) -> Guard:
        """By the answers alone: who never varied, where others would hardly do so by chance."""
        seen = moments.n > 0
        judges = seen.shape[1]
        constant = np.zeros(judges, bool)
        # Of two judges nobody can say which one does not follow the other.
        if guarding is not Guarding.OFF and judges > 2:
            for j in np.flatnonzero(never_varied(moments)):
                others = np.arange(judges) != j
                chance = same_by_chance(moments, others, int(seen[:, j].sum()), beliefs)
                constant[j] = chance < beliefs.constant_chance
        off = _but_two(constant)
        return cls(constant=off, astray=np.zeros(judges, bool), off=off)

    def with_slopes(
        self, law: Law, moments: Moments, guarding: Guarding, beliefs: Beliefs
    ) -> Guard:
        """And by the law: whose answers do not rise with the others' mean."""
        judges = self.off.size
        astray = self.astray.copy()
        if guarding is not Guarding.OFF and judges - np.count_nonzero(self.off) > 2:
            for j in np.flatnonzero(~self.off):
                astray[j] = _does_not_follow(law, moments, int(j), ~self.off, beliefs)
        off = self.off | astray if guarding is Guarding.ON else self.off
        return Guard(constant=self.constant, astray=astray, off=_but_two(off))


def never_varied(moments: Moments) -> BoolArray:
    """Which judges gave one and the same answer to all they were asked; shape (J,)."""
    seen = moments.n > 0
    highest = np.max(moments.mean, axis=0, where=seen, initial=-math.inf)
    lowest = np.min(moments.mean, axis=0, where=seen, initial=math.inf)
    own_spread = np.max(moments.m2, axis=0, where=seen, initial=0.0)
    same: BoolArray = (np.abs(highest - lowest) < 1e-9) & (own_spread < 1e-12)
    return same


def same_by_chance(moments: Moments, others: BoolArray, answers: int, beliefs: Beliefs) -> float:
    r"""Probability that a judge like these gives so many identical answers.

    With z the share of two of their answers that are the same, a judge's own share has a Beta law
    of that mean, worth s pairs, since some judges keep to one answer more than others do. Then m
    answers are all the same with a probability of :math:`\prod_{i<m-1} (sz + i)/(s + i)`.
    """
    if answers < beliefs.constant_answers:
        return 1.0
    asked = moments.n[:, others] > 0
    _, count = np.unique(np.round(moments.mean[:, others][asked], 9), return_counts=True)
    number = int(count.sum())
    pairs = float((count * (count - 1)).sum() / max(number - 1, 1))
    # Add-one smoothing: a few answers prove nothing.
    same = (pairs + 1) / (number + 2)
    more = np.arange(answers - 1)
    trust = beliefs.constant_pairs
    return float(np.prod((trust * same + more) / (trust + more)))


def _does_not_follow(
    law: Law, moments: Moments, judge: int, counted: BoolArray, beliefs: Beliefs
) -> bool:
    r"""Whether the judge's slope on the others' mean surely lies below what is believed.

    With c its mean covariance with the others and t the variance of their mean, the slope is
    :math:`c/t`. Each covariance is known as well as the items that both judged tell it.
    """
    seen = moments.n > 0
    others: IntArray = np.flatnonzero(counted & (np.arange(counted.size) != judge))
    together = seen[seen[:, judge]][:, others].sum(axis=0)
    if int(together.max(initial=0)) < beliefs.fewest:
        return False
    covariance = law.covariance
    spread = float(covariance[np.ix_(others, others)].mean())
    slope = float(covariance[judge, others].mean()) / spread
    residual = float(covariance[judge, judge] - slope**2 * spread + law.noise[judge])
    answers: FloatArray = np.diag(covariance)[others] + law.noise[others]
    squares = max(residual, 0.0) * float((answers / np.maximum(together, 1)).sum())
    error = math.sqrt(squares) / (others.size * spread)
    return slope + beliefs.slope_errors * error < beliefs.slope


def _but_two(off: BoolArray) -> BoolArray:
    """These, or none if fewer than two judges would be left."""
    return off if np.count_nonzero(~off) >= 2 else np.zeros_like(off)
