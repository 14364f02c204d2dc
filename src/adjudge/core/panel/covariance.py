"""The judges' means and covariance from items that few judges saw: expectation-maximisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.core.panel.offsets import believed_means
from adjudge.core.problem import Moments

_LIKE_PANEL = 24.0
"""Items' worth of belief that all judges deviate alike and agree alike."""
_GUESS_ITEMS, _GUESS_AGREEMENT = 3.0, 0.7
"""Items' worth of belief in this correlation between judges, before they were compared."""
_FEWEST_ANSWERS, _UNLIKE = 4, 0.1
"""Items of a judge below which its spread tells nothing, and a usual spread of spreads."""
_GUESS_OFFSET = 1 / 16
"""Variance of a judge's mean before it was asked."""
_STEPS, _TOLERANCE = 40, 1e-4
_MOST_PATTERNS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeLaw:
    """How judges' long-run answers are spread over items."""

    mean: FloatArray
    """m; shape (J,)."""
    covariance: FloatArray
    """Σ; shape (J, J)."""
    mean_error: FloatArray
    """Covariance of the errors of m; shape (J, J)."""


def learn_covariance(
    moments: Moments, noise: FloatArray, *, start: JudgeLaw | None = None
) -> JudgeLaw:
    r"""The means and the covariance that make what was seen most likely.

    Which calls were made may depend on earlier answers: the likelihood does not care. Items asked
    in the same way are one pattern with its mean and scatter, so that a step costs the same for a
    thousand items and for a million. Σ is shrunk to the nearest matrix of equal variances and
    equal covariances by a few items' worth, the variances only as far as they look equal. `noise`
    by judge, (J,), on the scale 0 to 1; `start` saves steps where something near was learned
    before.

    Of the means generalised least squares knows :math:`A = \sum_k P_k - P_k C_k P_k`, an inverse
    covariance of their errors; their differences are believed as far as they show.
    """
    seen = moments.n.sum(axis=1) > 0
    judges = moments.n.shape[1]
    guess = 1 / 16 * np.ones((judges, judges)) + 1 / 64 * np.eye(judges)
    if not seen.any():
        return JudgeLaw(
            mean=np.full(judges, 0.5),
            covariance=guess,
            mean_error=_GUESS_OFFSET * np.eye(judges),
        )
    n, mean = moments.n[seen], np.where(moments.n[seen] > 0, moments.mean[seen], 0.0)
    patterns = _Patterns.of(n, mean)
    if start is None:
        common = float((n * mean).sum() / n.sum())
        state = np.concatenate([np.full(judges, common), guess.ravel()])
    else:
        state = np.concatenate([start.mean, start.covariance.ravel()])
    center, covariance = _accelerated(state, judges, patterns, noise)
    information = patterns.information(covariance, noise)
    mean, error = believed_means(center, information)
    return JudgeLaw(mean=mean, covariance=covariance, mean_error=error)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Patterns:
    """Items grouped by how often they asked whom."""

    size: FloatArray
    """Items of each pattern; shape (U,)."""
    n: FloatArray
    """Calls; shape (U, J)."""
    mean: FloatArray
    """Mean of the items' means; shape (U, J)."""
    scatter: FloatArray
    """Sum of products of deviations from it; shape (U, J, J)."""
    alike: float
    """How far judges' variances are drawn to their mean: 1 where only chance parts them."""

    @classmethod
    def of(cls, n: FloatArray, mean: FloatArray) -> _Patterns:
        key = np.zeros(len(n), np.int64)
        for column in n.T:
            _, code = np.unique(column, return_inverse=True)
            _, key = np.unique(key * (int(code.max()) + 1) + code, return_inverse=True)
        if int(key.max()) >= _MOST_PATTERNS:
            # So many patterns tell the same as some: every so many-th item is as good as random.
            stride = -(-len(n) // _MOST_PATTERNS)
            n, mean = n[::stride], mean[::stride]
            key = np.arange(len(n))
        groups = int(key.max()) + 1
        first = np.zeros(groups, np.int64)
        first[key[::-1]] = np.arange(len(n))[::-1]
        size = np.bincount(key, minlength=groups).astype(np.float64)
        sums: FloatArray = np.stack([np.bincount(key, column, groups) for column in mean.T], 1)
        center = sums / size[:, None]
        deviation = mean - center[key]
        judges = n.shape[1]
        scatter = np.empty((groups, judges, judges))
        for i in range(judges):
            for j in range(i, judges):
                product = np.bincount(key, deviation[:, i] * deviation[:, j], groups)
                scatter[:, i, j] = scatter[:, j, i] = product
        return cls(
            size=size,
            n=n[first].astype(np.float64),
            mean=center,
            scatter=scatter,
            alike=_likeness_of_spreads(n > 0, mean),
        )

    def information(self, covariance: FloatArray, noise: FloatArray) -> FloatArray:
        """What was seen of the judges' means, the inverse covariance of their errors; (J, J)."""
        precision = self.n / noise
        left = self._conditional(covariance, precision)
        taken = precision[:, :, None] * left * precision[:, None, :]
        information = np.diag(self.size @ precision) - np.tensordot(self.size, taken, axes=1)
        symmetric: FloatArray = (information + information.T) / 2
        return symmetric

    @staticmethod
    def _conditional(covariance: FloatArray, precision: FloatArray) -> FloatArray:
        """C of each pattern; shape (U, J, J)."""
        system = np.eye(len(covariance)) + precision[:, None, :] * covariance
        solved = np.linalg.solve(system, np.broadcast_to(covariance, system.shape))
        return np.asarray(solved, dtype=np.float64)

    def step(
        self, mean: FloatArray, covariance: FloatArray, noise: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """One step of expectation-maximisation."""
        items = float(self.size.sum())
        precision = self.n / noise
        left = self._conditional(covariance, precision)
        gain = left * precision[:, None, :]
        answer = mean + np.einsum("uij,uj->ui", gain, np.where(self.n > 0, self.mean - mean, 0.0))
        center = self.size @ answer / items
        deviation = answer - center
        squares = (
            (self.size[:, None] * deviation).T @ deviation
            + np.tensordot(self.size, left, axes=1)
            + np.tensordot(gain @ self.scatter, gain, axes=([0, 2], [0, 2]))
        )
        squares = (squares + squares.T) / 2
        shrunk = (squares + _LIKE_PANEL * _alike(squares, items, self.alike)) / (
            items + _LIKE_PANEL
        )
        return center, shrunk


def _likeness_of_spreads(seen: BoolArray, mean: FloatArray) -> float:
    r"""How far judges' variances are to be drawn to their mean: 1 where only chance parts them.

    With :math:`r_j` a judge's variance over the panel's and f its degrees of freedom,
    :math:`t = \overline{(r_j - 1)^2 - 2/f_j}` is the spread beyond chance, and a law of that spread
    is worth :math:`2/t` items. A judge that uses the whole scale where others keep to its middle
    would otherwise lend them some of its spread, which then looks like deviations.
    """
    count = seen.sum(axis=0)
    told = count >= _FEWEST_ANSWERS
    if np.count_nonzero(told) < 2:
        return 1.0
    center = (seen * mean).sum(axis=0) / np.maximum(count, 1)
    squares = (np.where(seen, mean - center, 0.0) ** 2).sum(axis=0)[told]
    freedom = count[told] - 1.0
    ratio = (squares / freedom) / max(float(squares.sum() / freedom.sum()), 1e-12)
    chance = 2 / freedom
    beyond = (ratio - 1) ** 2 - chance
    spread = float(np.average(beyond, weights=1 / (chance + _UNLIKE)))
    return min(2 / (max(spread, 1e-9) * _LIKE_PANEL), 1.0)


def _alike(squares: FloatArray, items: float, alike: float) -> FloatArray:
    """The covariance in which all judges agree alike and, as far as `alike` says, vary alike."""
    judges = len(squares)
    variance = float(np.trace(squares)) / (items * judges)
    if judges == 1:
        return np.full((1, 1), variance)
    between = mean_between(squares)
    between += _GUESS_ITEMS * _GUESS_AGREEMENT * variance
    shared = max(between / (items + _GUESS_ITEMS), 1e-6)
    own = (1 - alike) * np.diag(squares) / items + alike * variance
    equal: FloatArray = shared + np.diag(np.maximum(own - shared, 1e-6))
    return equal


def mean_between(covariance: FloatArray) -> float:
    """The mean covariance of two different judges; 0 if there is only one."""
    judges = len(covariance)
    return float(covariance.sum() - np.trace(covariance)) / max(judges * (judges - 1), 1)


def _accelerated(
    state: FloatArray, judges: int, patterns: _Patterns, noise: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The fixed point of the steps, by squared extrapolation (Varadhan and Roland 2008)."""

    def step(state: FloatArray) -> FloatArray:
        mean, covariance = patterns.step(state[:judges], state[judges:].reshape(judges, -1), noise)
        return np.concatenate([mean, covariance.ravel()])

    for _ in range(_STEPS):
        first = step(state)
        second = step(first)
        change = first - state
        bend = second - first - change
        if np.linalg.norm(change) < _TOLERANCE * np.linalg.norm(first):
            state = second
            break
        length = float(np.linalg.norm(change)) / max(float(np.linalg.norm(bend)), 1e-300)
        # A long stride may leave the covariances; it is halved towards a plain step.
        while length > 1:
            leap = state + 2 * length * change + length**2 * bend
            if np.linalg.eigvalsh(leap[judges:].reshape(judges, -1))[0] > 1e-7:
                break
            length = (length + 1) / 2 if length > 1.05 else 1.0
        state = step(leap if length > 1 else second)
    return state[:judges], state[judges:].reshape(judges, judges)
