r"""The law of the judges' answers.

.. math:: \bar y_{kj} = \mu_{kj} + e_{kj},\qquad \mu_k \sim N(\theta_{s(k)}, \Sigma),\qquad
          e_{kj} \sim N(0, \beta_j f_{kj} / n_{kj}),\qquad
          \theta_s \sim N(m, \gamma^2 11^\top + \kappa^2 I)

:math:`\theta_s` are the judges' means over the items of group s, :math:`m_j - \bar m` a judge's
offset, of variance :math:`\tau^2`, and :math:`\kappa^2` how far a judge favours a group; f are the
factors by which items and pairs are noisier than usual.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray, IntArray
from adjudge.core.evidence import Moments
from adjudge.core.panel.beliefs import Beliefs

MOST_ITEMS = 2048
"""Most items of one kind used in the fit; more hardly help a J x J law."""
_ANYWHERE = 1.0
"""Variance of a level of which nothing is known, on the scale 0 to 1."""
LARGEST = 0.25
"""Largest variance on the scale 0 to 1 (Popoviciu)."""
JITTER = 1e-10
"""Variance that keeps matrices of rank one invertible."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Law:
    """How judges' long-run answers are spread over items, and how noisy their calls are."""

    group_mean: FloatArray
    """θ; shape (S, J)."""
    mean: FloatArray
    """m; shape (J,)."""
    covariance: FloatArray
    """Σ; shape (J, J)."""
    noise: FloatArray
    """β, variance of a call on an average item; shape (J,)."""
    offset: float
    """τ², variance of judges' offsets."""
    favour: float
    """κ², variance of judge-by-group effects."""

    @classmethod
    def believed(cls, judges: int, groups: int, beliefs: Beliefs) -> Law:
        """The prior mean."""
        own = beliefs.spread * (1 - beliefs.agreement)
        return cls(
            group_mean=np.full((groups, judges), 0.5),
            mean=np.full(judges, 0.5),
            covariance=beliefs.spread * beliefs.agreement + own * np.eye(judges),
            noise=np.full(judges, beliefs.noise),
            offset=beliefs.offset,
            favour=beliefs.favour,
        )

    @classmethod
    def average(cls, laws: Sequence[Law]) -> Law:
        """The mean of several."""
        mean = cls(
            **{
                name: np.mean([getattr(law, name) for law in laws], axis=0)
                for name in cls.__slots__
            }
        )
        # Noise is a scale: its logarithm is what varies evenly.
        return replace(mean, noise=np.exp(np.mean([np.log(law.noise) for law in laws], axis=0)))

    def prior_of_means(self, *, of_groups: bool) -> FloatArray:
        """Covariance of θ around m, or of m around one level; shape (J, J)."""
        own = self.favour if of_groups else self.offset
        return _ANYWHERE + own * np.eye(self.mean.size)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """The items that a law is learned from; judges first, so that items are contiguous."""

    n: FloatArray
    """Scores; shape (J, K)."""
    mean: FloatArray
    """Their mean, 0 where there is none; shape (J, K)."""
    squares: FloatArray
    """Their sum of squared deviations, over f; shape (J, K)."""
    factor: FloatArray
    """f; shape (J, K)."""
    group: IntArray
    """s; shape (K,)."""
    weight: FloatArray
    """Items that each of them stands for, 1 on average; shape (K,)."""
    groups: int
    noiseless: BoolArray
    """The judges whose calls are known to have no noise; shape (J,)."""

    @classmethod
    def of(
        cls,
        moments: Moments,
        factor: FloatArray,
        group: IntArray,
        noiseless: BoolArray | None = None,
    ) -> Sample:
        """All items that were asked; of many, some that several judges saw and some that one did.

        Every so many-th of a kind is as good as random, and weighs as many as it stands for.
        """
        judges_seen = np.count_nonzero(moments.n, axis=1)
        rows, weights = [], []
        for kind in (np.flatnonzero(judges_seen == 1), np.flatnonzero(judges_seen > 1)):
            chosen = kind[:: max(-(-kind.size // MOST_ITEMS), 1)]
            rows.append(chosen)
            weights.append(np.full(chosen.size, kind.size / max(chosen.size, 1)))
        chosen, weight = np.concatenate(rows), np.concatenate(weights)
        n = moments.n[chosen].T.astype(np.float64)
        own = np.ascontiguousarray(factor[chosen].T)
        return cls(
            n=n,
            mean=np.where(n > 0, moments.mean[chosen].T, 0.0),
            squares=moments.m2[chosen].T / own,
            factor=own,
            group=group[chosen],
            weight=weight / max(float(weight.mean()), JITTER) if weight.size else weight,
            groups=int(group.max(initial=0)) + 1,
            noiseless=np.zeros(len(n), bool) if noiseless is None else noiseless,
        )

    @property
    def items(self) -> int:
        """K."""
        return self.group.size

    def by_group(self, values: FloatArray) -> FloatArray:
        """Weighted sums over the items of each group of values (..., K); shape (S, ...)."""
        rows = (values * self.weight).reshape(math.prod(values.shape[:-1]), self.items)
        if self.groups == 1:
            sums = rows.sum(axis=1)[None]
        else:
            # Sums over no item at all would be whole numbers.
            found = [np.bincount(self.group, row, self.groups) for row in rows]
            sums = np.stack(found, axis=1, dtype=np.float64)
        by_group: FloatArray = sums.reshape(self.groups, *values.shape[:-1])
        return by_group

    def variance(self, law: Law) -> FloatArray:
        """Of the mean answers around the long-run ones, infinite where there is none; (J, K)."""
        with np.errstate(divide="ignore"):
            variance: FloatArray = law.noise[:, None] * self.factor / self.n
        return variance

    def residual(self, law: Law) -> FloatArray:
        """The mean answers less the judges' means, 0 where there is none; shape (J, K)."""
        return np.where(self.n > 0, self.mean - law.group_mean.T[:, self.group], 0.0)


def condition(
    covariance: FloatArray,
    residual: FloatArray,
    variance: FloatArray,
    *,
    innovations: bool = False,
) -> tuple[FloatArray, FloatArray]:
    r"""Expected deviations of the long-run answers, (J, K), and their covariances, (J, J, K).

    Judge by judge, as a Kalman filter does: with :math:`g = C_{\cdot j} / (C_{jj} + v_j)`,

    .. math:: d \leftarrow d + g\,(r_j - d_j),\qquad C \leftarrow C - g\,C_{j\cdot}.

    `residual` (J, K) are the mean answers less the judges' means, and `variance` (J, K) those of
    the mean answers, infinite where a judge was not asked. With `innovations` instead the variance
    of each answer given those before it, and its innovation; both (J, K).
    """
    left = np.repeat(covariance[:, :, None], residual.shape[1], axis=2)
    deviation = np.zeros(residual.shape)
    total, miss = np.empty(residual.shape), np.empty(residual.shape)
    for j in range(len(residual)):
        direction = left[:, j].copy()
        total[j] = direction[j] + variance[j]
        miss[j] = residual[j] - deviation[j]
        gain = direction / total[j]
        deviation += gain * miss[j]
        for i in range(len(residual)):
            left[i] -= gain[i] * direction
    return (total, miss) if innovations else (deviation, left)


def log_likelihood(law: Law, sample: Sample) -> float:
    r"""Of the mean answers, judge by judge given those before, and of repeats.

    .. math:: -\tfrac12 \sum_{kj} \log(C_{jj} + v_j) + \frac{(r_j - d_j)^2}{C_{jj} + v_j}
              + (n_{kj} - 1) \log \beta_j + \frac{M_{2,kj}}{\beta_j f_{kj}}
    """
    asked = sample.n > 0
    total, miss = condition(
        law.covariance, sample.residual(law), sample.variance(law), innovations=True
    )
    terms = np.where(asked, np.log(np.where(asked, total, 1.0)) + miss**2 / total, 0.0)
    repeats = np.where(asked, (sample.n - 1) * np.log(law.noise)[:, None], 0.0)
    terms += repeats + sample.squares / law.noise[:, None]
    return -0.5 * float((terms @ sample.weight).sum())
