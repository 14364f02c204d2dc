"""The panel that the evidence of a run shows."""

from __future__ import annotations

import numpy as np

from adjudge.core.panel.learning import Learned, Target, learn
from adjudge.core.panel.repeats import Repeats, only_two_answers
from adjudge.core.problem import Evidence, Moments, Phase, Problem


def learn_from(problem: Problem, evidence: Evidence, target: Target) -> Learned:
    """What all calls so far say of the panel, on the scale 0 to 1."""
    moments = unit_moments(problem, evidence.pooled)
    start = unit_moments(problem, evidence.moments[Phase.PILOT])
    repeats = Repeats.fair(moments, start)
    if not only_two_answers(moments):
        repeats = repeats.without_jumps()
    return learn(moments, problem.weights, target, repeats=repeats)


def unit_moments(problem: Problem, moments: Moments) -> Moments:
    """Scores on the scale 0 to 1."""
    low, width = problem.score_range[0], problem.score_width
    return Moments(
        n=moments.n,
        mean=np.where(moments.n > 0, (moments.mean - low) / width, 0.0),
        m2=moments.m2 / width**2,
    )
