"""The panel strategy with a known model: the benchmark for the learned one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.estimate import Estimate
from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.panel.beliefs import Beliefs
from adjudge.core.panel.law import Law
from adjudge.core.panel.learning import Learned
from adjudge.core.panel.plan import best_calls
from adjudge.core.panel.summary import panel_estimate
from adjudge.core.problem import Problem


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownPanel:
    """Spends where the scores of a known panel gain most."""

    mean: FloatArray
    """Each judge's mean over items; shape (J,)."""
    covariance: FloatArray
    """Covariance of the judges' long-run answers; shape (J, J)."""
    noise: FloatArray
    """Variance of one call; shape (K, J)."""
    weights: FloatArray
    """Weight of each judge in the score; shape (J,)."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """All calls at once: there is nothing to learn."""
        model = self._panel(problem).model
        counts = best_calls(model, evidence.pooled.n, problem.price, remaining, norm=problem.norm)
        return Allocation(counts=counts)

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        """The known panel's estimate of each item."""
        return panel_estimate(problem, evidence, self._panel(problem))

    def _panel(self, problem: Problem) -> Learned:
        low, width = problem.score_range[0], problem.score_width
        mean = (self.mean - low) / width
        noise = np.maximum(self.noise / width**2, Beliefs().least_noise)
        law = Law(
            group_mean=mean[None],
            mean=mean,
            covariance=self.covariance / width**2,
            noise=noise.mean(axis=0),
            offset=0.0,
            favour=0.0,
        )
        return Learned.known(problem, law, noise, self.weights)
