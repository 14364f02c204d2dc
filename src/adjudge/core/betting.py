"""Intervals that no choice of what to ask next, and no moment to stop, can make wrong.

The intervals of an estimate hold their level on average over items and lean on a model of the
panel. These lean on nothing but bounded scores: the scores of one pair are independent draws of
one law. The price is width: each function says how much.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import FloatArray, IntArray, float_array
from adjudge.core.estimate import Interval, normalised
from adjudge.core.problem import Moments, Problem
from adjudge.errors import InputError

_LARGEST_STAKE = 0.75
"""Share of its capital that a bet may lose: whoever stakes all is ruined by one surprise."""
_POINTS = 64
"""Candidate means of one look; each look divides the interval between two of the last."""
_LOOKS = 3
_BLOCK = 4096
"""Scores multiplied up at once, so that memory does not grow with their number."""

_RATES: FloatArray = 0.9 * 2.0 ** (-np.arange(12) / 2)
"""λ of the bounds from moments: each is best at one amount of squared deviations, 1 to 30,000."""
_UNSEEN_ORDER = 0.35
"""1/4 for the first score's deviation from 1/2, 0.1 for the bound of the others (see there)."""


def betting_interval(
    scores: npt.ArrayLike, *, level: float, score_range: tuple[float, float] = (0.0, 1.0)
) -> tuple[float, float]:
    r"""The mean of bounded scores, from all of them in their order.

    Whoever bets that scores are above m, on the scale 0 to 1, wins

    .. math:: K_t(m) = \prod_{i \le t} (1 + \lambda_i (x_i - m)),\qquad
              \lambda_i = \min\Big(\sqrt{\frac{2\log(2/\alpha)}
              {\hat\sigma_{i-1}^2\, i \log(i+1)}}, \frac{3}{4m}\Big)

    and if m is the mean, the capital will ever reach :math:`2/\alpha` with a probability of at
    most :math:`\alpha/2` (Ville). The interval holds every m against which neither this gambler
    nor the one who bets on lower scores was ever that rich: the hedged capital process of
    Waudby-Smith and Ramdas (2024), with a running intersection.

    The guarantee: with probability `level` or more the interval holds the mean after the last
    score and after every one before, whatever decided to go on or to stop. The price: from 50
    scores on it is 1.4 to 2.3 times as wide as a normal interval, and 10 scores say little.
    Ends are rounded outwards. Without scores the interval is the whole range.
    """
    _check_level(level)
    values = _on_unit_scale(scores, score_range)
    threshold = math.log(2 / (1 - level))
    stakes = _predictable_stakes(values, threshold)
    low = _lowest_mean(values, stakes, threshold)
    high = 1 - _lowest_mean(1 - values, stakes, threshold)
    # Scores that drift are draws of no one law and may refute every mean: what lies between the
    # refutations is then all that can be said.
    start, end = score_range
    width = end - start
    return start + width * min(low, high), min(start + width * max(low, high), end)


def hedged_interval_from_moments(
    moments: Moments, problem: Problem, level: float | None = None
) -> Interval:
    r"""The panel's score of every item, from number, mean and squared deviations of each pair.

    On the scale 0 to 1, with :math:`x_i` predicted by the mean of the scores before it,
    :math:`\exp(\lambda \sum_i (x_i - \mu) - (-\log(1-\lambda) - \lambda) \sum_i (x_i - \hat
    x_i)^2)` is a supermartingale for every :math:`\lambda` (Fan, Grama and Liu 2015; Howard,
    Ramdas, McAuliffe and Sekhon 2021, empirical Bernstein). So, for all n at once, with 12 rates
    :math:`\lambda` in geometric steps among which the error probability is shared,

    .. math:: |\bar x - \mu| \le \frac1n \min_\lambda
              \frac{\log(24/\alpha) + (-\log(1-\lambda)-\lambda) V}{\lambda},\qquad
              V = M_2 + \log(1 + M_2) + 0.35

    where V is the most that the squared deviations from predictions can be, whatever the order of
    the scores was. Each of an item's J judges gets :math:`\alpha = (1 - level)/J`, and the item's
    interval is the sum of theirs with the panel's weights.

    The guarantee: item by item, with probability `level` or more, the interval holds
    :math:`t_k = \sum_j \pi_j \mu_{kj}` at every moment of the run, under any adaptive choice of
    calls and any stopping rule. Only scores in the range and independent calls are presumed.
    The price is width. A judge never asked adds its whole range, one asked fewer than about ten
    times hardly less. With one judge the interval is 2 to 6 times as wide as a normal one at 100
    calls (most where calls vary little) and 2 to 3 times at 1,000; with J judges, the square root
    of J times that and somewhat more.
    A judge that an item may not be asked of does not count in its score.
    """
    level = problem.confidence if level is None else level
    _check_level(level)
    low, width = problem.score_range[0], problem.score_width
    weights = normalised(np.where(problem.mask, problem.weights, 0.0))
    voices = np.count_nonzero(weights, axis=1, keepdims=True)
    half = _half_width(moments.n, moments.m2 / width**2, (1 - level) / np.maximum(voices, 1))
    mean = (moments.mean - low) / width
    lower = (weights * np.clip(mean - half, 0, 1)).sum(axis=1)
    upper = (weights * np.clip(mean + half, 0, 1)).sum(axis=1)
    scored = voices[:, 0] > 0
    return Interval(
        low=np.where(scored, low + width * lower, low),
        high=np.where(scored, np.minimum(low + width * upper, low + width), low + width),
        level=level,
    )


def _predictable_stakes(values: FloatArray, threshold: float) -> FloatArray:
    r"""Stakes that use only the scores before: :math:`\hat\sigma^2` starts at 1/4; shape (n,)."""
    number = np.arange(1, values.size + 1)
    mean = (0.5 + np.cumsum(values)) / (number + 1)
    variance = (0.25 + np.cumsum((values - mean) ** 2)) / (number + 1)
    before = np.concatenate([[0.25], variance])[:-1]
    stakes: FloatArray = np.sqrt(2 * threshold / (before * number * np.log(number + 1)))
    return stakes


def _lowest_mean(values: FloatArray, stakes: FloatArray, threshold: float) -> float:
    """The lowest mean that bets on higher scores have not refuted, rounded down.

    The capital falls with m, as every factor does: the refuted means are those below one point,
    found in looks at ever finer grids.
    """
    low, high = 0.0, 1.0
    for _ in range(_LOOKS):
        edges = np.linspace(low, high, _POINTS + 1)
        refuted = _peak_log_capital(values, stakes, edges[1:-1]) >= threshold
        number = np.count_nonzero(refuted)
        low, high = float(edges[number]), float(edges[number + 1])
    return low


def _peak_log_capital(values: FloatArray, stakes: FloatArray, means: FloatArray) -> FloatArray:
    """Logarithm of the largest capital a gambler ever had, against each mean; shape (means,)."""
    capital, peak = np.zeros(means.size), np.zeros(means.size)
    for begin in range(0, values.size, _BLOCK):
        rows = slice(begin, begin + _BLOCK)
        stake = np.minimum(stakes[rows, None], _LARGEST_STAKE / means)
        gains = np.log1p(stake * (values[rows, None] - means))
        course = capital + np.cumsum(gains, axis=0)
        capital, peak = course[-1], np.maximum(peak, course.max(axis=0))
    return peak


def _half_width(n: IntArray, m2: FloatArray, alpha: FloatArray) -> FloatArray:
    r"""How far the mean of n scores may be off at any time; infinite without scores; shape (K, J).

    Of the squared deviations :math:`a_i` from the mean of the scores before, only
    :math:`M_2 = \sum_{i \ge 2} a_i (i-1)/i` is known. Their sum is largest if the first ones are 1
    and the others 0; with r ones it is :math:`M_2 + H_r - 1` at :math:`M_2 = r - H_r`, which
    :math:`M_2 + \log(1 + M_2) + 0.1` exceeds for every r.
    """
    deviations = m2 + np.log1p(m2) + _UNSEEN_ORDER
    threshold = np.log(2 * _RATES.size / alpha)
    lines = [(threshold + (-math.log1p(-rate) - rate) * deviations) / rate for rate in _RATES]
    lowest = np.minimum.reduce(lines)
    half: FloatArray = np.divide(lowest, n, out=np.full(n.shape, math.inf), where=n > 0)
    return half


def _on_unit_scale(scores: npt.ArrayLike, score_range: tuple[float, float]) -> FloatArray:
    low, high = score_range
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError("score_range", f"{low} to {high}", "low must be below high, both finite")
    values = float_array("scores", scores)
    if values.ndim != 1:
        raise InputError("scores", f"shape {values.shape}", "give one sequence, in its order")
    outside = values[~((values >= low) & (values <= high))]
    if outside.size:
        raise InputError("scores", f"{outside[0]}", f"scores must lie in {low} to {high}")
    return (values - low) / (high - low)


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise InputError("level", f"{level}", "it must lie between 0 and 1, as 0.9 does")
