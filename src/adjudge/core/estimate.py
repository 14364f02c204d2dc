"""Scores from evidence, with variances and intervals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import erf, stdtrit

from adjudge.core.arrays import BoolArray, FloatArray, check_not_negative, check_shape
from adjudge.core.evidence import Moments
from adjudge.core.finite_population import prediction_interval
from adjudge.core.norms import gaussian_moment, power_norm
from adjudge.core.problem import Problem
from adjudge.core.variance import largest_variance, pooled_variance
from adjudge.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Interval:
    """A range for every item's score."""

    low: FloatArray
    """Lower ends; shape (K,)."""
    high: FloatArray
    """Upper ends; shape (K,)."""
    level: float
    """Nominal coverage."""

    @property
    def width(self) -> FloatArray:
        """Length of each interval; shape (K,)."""
        return self.high - self.low

    def covers(self, truth: FloatArray) -> BoolArray:
        """Which intervals cover these scores; shape (K,)."""
        return (self.low <= truth) & (truth <= self.high)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Estimate:
    """Every item's score, with the variance of its error."""

    score: FloatArray
    """Estimated scores, within the score range; shape (K,)."""
    variance: FloatArray
    """Variance of each score's error; shape (K,)."""
    weights: FloatArray
    """Weight of each judge's mean; rows sum to 1, or to 0 if nothing was seen; shape (K, J)."""
    freedom: FloatArray
    """Degrees of freedom of each variance; infinite if it is known; shape (K,)."""
    score_range: tuple[float, float]
    norm: float
    confidence: float

    @classmethod
    def of(
        cls,
        problem: Problem,
        weights: FloatArray,
        moments: Moments,
        variance: FloatArray,
        *,
        freedom: FloatArray | None = None,
    ) -> Estimate:
        r"""Score and variance of weighted judge means.

        .. math:: \hat s_k = \sum_j w_{kj} \bar x_{kj},\qquad
                  V_k = \sum_j w_{kj}^2 \sigma_{kj}^2 / n_{kj}

        An item without scores gets the mean of the others and the largest possible variance.
        """
        seen: BoolArray = weights.sum(axis=1) > 0
        score = (weights * moments.mean).sum(axis=1)
        score[~seen] = score[seen].mean() if seen.any() else sum(problem.score_range) / 2
        error = (weights**2 * variance / np.maximum(moments.n, 1)).sum(axis=1)
        error[~seen] = largest_variance(problem)
        low, high = problem.score_range
        return cls(
            score=np.clip(score, low, high),
            variance=error,
            weights=weights,
            freedom=np.full(problem.items, math.inf) if freedom is None else freedom,
            score_range=problem.score_range,
            norm=problem.norm,
            confidence=problem.confidence,
        )

    @property
    def asked(self) -> BoolArray:
        """Which items have a score of their own; shape (K,)."""
        seen: BoolArray = self.weights.sum(axis=1) > 0
        return seen

    @property
    def unbiased_score(self) -> FloatArray:
        """Scores without shrinkage towards other items; only for asked items; shape (K,)."""
        return self.score

    def interval(self, level: float | None = None) -> Interval:
        r"""Intervals :math:`\hat s_k \pm t \sqrt{V_k}`, clipped to the score range.

        An item never asked gets at least the prediction interval for one more item, which takes the
        asked items as a random sample.
        """
        level = self.confidence if level is None else level
        if not 0 < level < 1:
            raise InputError("level", f"{level}", "it must lie between 0 and 1, as 0.9 does")
        half = stdtrit(self.freedom, (1 + level) / 2) * np.sqrt(self.variance)
        low, high = self.score_range
        lows, highs = np.maximum(self.score - half, low), np.minimum(self.score + half, high)
        asked = self.asked
        if not asked.all():
            least, most = prediction_interval(self.unbiased_score[asked], self.score_range, level)
            lows = np.where(asked, lows, np.minimum(lows, least))
            highs = np.where(asked, highs, np.maximum(highs, most))
        return Interval(low=lows, high=highs, level=level)

    def norm_error(self, norm: float | None = None) -> float:
        r"""The expected error :math:`\lVert\hat s - s\rVert_p` if errors are normal.

        .. math:: m_p \Big(\sum_k V_k^{p/2}\Big)^{1/p},\qquad m_p = (E|Z|^p)^{1/p}

        for finite p (the p-th moment), the mean of the largest :math:`|N(0, V_k)|` for p = inf.
        """
        norm = self.norm if norm is None else norm
        if norm == math.inf:
            return _mean_largest(np.sqrt(self.variance))
        return gaussian_moment(norm) * power_norm(np.sqrt(self.variance), norm)


def inverse_variance_weights(moments: Moments, variance: FloatArray) -> FloatArray:
    r"""The weights of the inverse-variance weighted estimator (IVWE); shape (K, J).

    .. math:: w_{kj} = \frac{N_{kj}/\sigma_{kj}^2}{\sum_{j'} N_{kj'}/\sigma_{kj'}^2}

    A pair without a score has weight 0. Noiseless judges share all the weight of their item.
    """
    check_shape("variance", variance, moments.n.shape)
    check_not_negative("variance", variance)
    seen = moments.n > 0
    exact = seen & (variance == 0)
    counts = np.where(exact.any(axis=1, keepdims=True), exact * moments.n, moments.n)
    # Divided by the item's smallest variance, so that no unit of scores overflows.
    smallest = np.where(seen, variance, math.inf).min(axis=1, keepdims=True)
    smallest[~np.isfinite(smallest)] = 1
    relative = np.divide(smallest, variance, out=np.ones(variance.shape), where=variance > 0)
    return normalised(counts * relative)


def plain_weights(problem: Problem, moments: Moments) -> FloatArray:
    """The panel's weights, renormalised over the judges that gave a score; shape (K, J)."""
    weights = np.where(moments.n > 0, problem.weights, 0)
    # If only judges of weight 0 answered, they share the weight equally.
    silent = ~weights.any(axis=1)
    if silent.any():
        weights[silent] = moments.n[silent] > 0
    return normalised(weights)


def plain_estimate(problem: Problem, moments: Moments) -> Estimate:
    """The weighted mean of the judges' means, with the panel's weights."""
    return learned_estimate(problem, moments, plain_weights(problem, moments))


def learned_estimate(problem: Problem, moments: Moments, weights: FloatArray) -> Estimate:
    """Weighted judge means, with variances estimated from the same scores."""
    freedom = np.maximum(moments.n.sum(axis=1), 1).astype(np.float64)
    variance = pooled_variance(problem, moments)
    return Estimate.of(problem, weights, moments, variance, freedom=freedom)


def normalised(weights: FloatArray) -> FloatArray:
    """Rows divided by their sums; rows of zeros stay zero."""
    total = weights.sum(axis=1, keepdims=True)
    shares: FloatArray = np.divide(weights, total, out=np.zeros(weights.shape), where=total > 0)
    return shares


def _mean_largest(deviation: FloatArray, *, points: int = 400, groups: int = 512) -> float:
    r"""Mean of the largest of independent :math:`|N(0, \sigma_k^2)|`.

    .. math:: \int_0^\infty 1 - \prod_k \mathrm{erf}(t/\sqrt2\sigma_k)\,dt

    Items of nearly equal deviation form one group, so the cost does not grow with K.
    """
    largest = float(deviation.max())
    if largest == 0:
        return 0.0
    level = np.clip(np.ceil(deviation / largest * groups), 1, groups).astype(np.int64)
    size = np.bincount(level, minlength=groups + 1)[1:]
    grouped = largest * np.arange(1, groups + 1) / groups
    grouped, size = grouped[size > 0], size[size > 0]
    # Upper end of the integral: the maximum is practically never above it.
    end = largest * (math.sqrt(2 * math.log(2 * deviation.size)) + 4)
    t, step = np.linspace(0, end, points, retstep=True)
    with np.errstate(divide="ignore"):
        below = np.exp(np.log(erf(t[:, None] / (math.sqrt(2) * grouped))) @ size)
    return float(np.trapezoid(1 - below, dx=step))
