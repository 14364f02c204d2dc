"""A judge that repeats itself is asked once, and its answers count as having no noise."""

import numpy as np
import pytest
from tests.core.panel.answers import drawn, evidence_of

from adjudge.core.evidence import Evidence
from adjudge.core.forecasts import believed_panel
from adjudge.core.panel import Target
from adjudge.core.problem import Problem
from adjudge.core.strategies import Panel

ITEMS, RUNS = 60, 8
NOISE = np.array([0.0, 0.0225])
"""The first judge has none."""


def runs(*, told: bool):
    """For each run, whether the items' intervals hold the truth, and their widths."""
    problem = Problem.of(np.ones(2), items=ITEMS, noiseless=NOISE == 0 if told else None)
    n = np.tile([1, 2], (ITEMS, 1))
    for run in range(RUNS):
        rng = np.random.default_rng(run)
        level = rng.uniform(0.2, 0.8, (ITEMS, 1))
        answers = level + 0.06 * rng.standard_normal((ITEMS, 2))
        seen = evidence_of(problem, drawn(answers, NOISE, n, rng))
        interval = Panel().estimate(problem, seen).interval()
        truth = answers.mean(axis=1)
        yield (interval.low <= truth) & (truth <= interval.high), interval.width


def test_intervals_still_cover_the_truth_and_are_shorter():
    told, untold = (list(runs(told=told)) for told in (True, False))
    covered = np.mean([held for held, _ in told])
    assert covered > 0.95 - 4 * np.sqrt(0.95 * 0.05 / (ITEMS * RUNS))
    shorter = np.mean([width for _, width in told]) / np.mean([width for _, width in untold])
    assert shorter < 0.97


def test_it_does_not_make_the_other_judges_look_less_noisy():
    rng = np.random.default_rng(1)
    answers = rng.uniform(0.2, 0.8, (ITEMS, 1)) + 0.06 * rng.standard_normal((ITEMS, 2))
    n = np.tile([1, 1], (ITEMS, 1))
    scores = drawn(answers, NOISE, n, rng)
    problem = Problem.of(np.ones(2), items=ITEMS, noiseless=[True, False])
    law = believed_panel(problem, evidence_of(problem, scores)).law
    assert law.noise[0] < 1e-4
    assert law.noise[1] > 0.003


@pytest.mark.parametrize("target", list(Target))
def test_before_the_first_answer_it_is_believed_too(target):
    problem = Problem.of(np.ones(2), items=3, noiseless=[True, False])
    noise = believed_panel(problem, Evidence.none(problem), target).law.noise
    assert (noise[0] < noise[1]) == (target is Target.PANEL)
