"""Regression of labels on judges, with model averaging by leave-one-out error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray

_LEVEL, _NO_LEVEL = 0.15, 1e-6
"""Prior standard deviations of the level (people minus panel, scale 0 to 1): default, and for a
model without one."""
_RESIDUAL, _RESIDUAL_LABELS = 0.04, 2.0
"""Prior variance of labels around their prediction, and its weight as a number of labels."""
_SUBSTANTIAL = 3.0
"""Bayes factor for substantial evidence (Jeffreys 1961)."""
_PASSES = 2
"""Passes of iterative reweighting: an item's weight depends on the slopes."""


class Stage(StrEnum):
    """Which parameters the labels support."""

    NOTHING = "nothing"
    """No difference from the panel was found."""
    LEVEL = "level"
    """The offset of people from the panel."""
    SLOPE = "slope"
    """Also the slope on the panel's score."""
    WEIGHTS = "weights"
    """Also a slope for each judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rung:
    """One model: priors of level, slope and weights around the panel's score."""

    level: float = _LEVEL
    """Prior standard deviation of the level."""
    base: float
    """Prior mean of the slope on the panel's score: 1, or 0 for labels alone."""
    slope: float
    """Prior standard deviation of the slope."""
    weights: float
    """Prior standard deviation of a judge's slope, as a multiple of an equal share."""
    prior: float
    """Prior weight of the model."""
    stage: Stage


_LADDER = (
    _Rung(base=1.0, level=_NO_LEVEL, slope=0.0, weights=0.0, prior=2.0, stage=Stage.NOTHING),
    _Rung(base=0.0, slope=0.0, weights=0.0, prior=0.05, stage=Stage.LEVEL),
    _Rung(base=1.0, slope=0.0, weights=0.0, prior=1.0, stage=Stage.LEVEL),
    _Rung(base=1.0, slope=0.3, weights=0.0, prior=1.0, stage=Stage.SLOPE),
    _Rung(base=1.0, slope=1.0, weights=0.0, prior=1.0, stage=Stage.SLOPE),
    _Rung(base=1.0, slope=1.0, weights=0.5, prior=0.5, stage=Stage.WEIGHTS),
    _Rung(base=1.0, slope=1.0, weights=1.5, prior=0.5, stage=Stage.WEIGHTS),
    _Rung(base=1.0, slope=1.0, weights=4.0, prior=0.5, stage=Stage.WEIGHTS),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labelled:
    """The labelled items, on scales 0 to 1."""

    label: FloatArray
    """y; shape (n,)."""
    noise: FloatArray
    """Sampling variance of the mean label, from raters' disagreement; shape (n,)."""
    answers: FloatArray
    """Posterior means of the judges' long-run answers; shape (n, J)."""
    left: FloatArray
    """Posterior covariances of the long-run answers; shape (J, J, n)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Calibration:
    r"""Regression of labels on judges, :math:`y = a + \beta^\top \mu + \varepsilon`."""

    level: float
    """a."""
    slopes: FloatArray
    """β, none below 0; shape (J,)."""
    residual: float
    """Variance of ε."""
    doubt: FloatArray
    """Covariance of (a, β); shape (J + 1, J + 1)."""
    left_out: FloatArray
    """Leave-one-out predictions of the labels; shape (n,)."""
    stage: Stage

    def predicted(self, answers: FloatArray) -> FloatArray:
        """Expected labels for expected answers (..., J)."""
        return self.level + answers @ self.slopes

    def doubt_of(self, answers: FloatArray) -> FloatArray:
        """Variance of the predictions due to the error of (a, β); answers (K, J)."""
        full = np.concatenate([np.ones((len(answers), 1)), answers], axis=1)
        variance: FloatArray = np.einsum("ki,ij,kj->k", full, self.doubt, full)
        return np.maximum(variance, 0.0)


def calibrate(labelled: Labelled, weights: FloatArray, center: FloatArray) -> Calibration:
    r"""The fitted calibration; `weights` are the panel's, `center` the judges' means; both (J,).

    Each model of a ladder is a ridge regression: the panel's score unchanged; labels alone; the
    panel's score with a level; with a slope; with nonnegative slopes of the judges around a common
    slope. The models are averaged with weights
    :math:`\propto p\,e^{-\frac n2 \log \mathrm{PRESS}}`, from their leave-one-out errors
    (pseudo-Bayesian model averaging, Geisser and Eddy 1979).
    """
    found = [_Fit.of(rung, labelled, weights, center) for rung in _LADDER]
    press = np.array([fit.press for fit in found])
    log = np.log([rung.prior for rung in _LADDER]) - 0.5 * labelled.label.size * np.log(press)
    share = np.exp(log - log.max())
    share /= share.sum()
    slopes = share @ np.stack([fit.slopes for fit in found])
    level = float(share @ [fit.level for fit in found])
    doubt = np.zeros((slopes.size + 1, slopes.size + 1))
    for weight, fit in zip(share, found, strict=True):
        apart = np.concatenate([[fit.level - level], fit.slopes - slopes])
        doubt += weight * (fit.doubt + np.outer(apart, apart))
    return Calibration(
        level=level,
        slopes=slopes,
        residual=float(share @ [fit.residual for fit in found]),
        doubt=doubt,
        left_out=share @ np.stack([fit.left_out for fit in found]),
        stage=_stage(share),
    )


def _stage(share: FloatArray) -> Stage:
    """The simplest stage that no later one beats by a Bayes factor of 3, by the models' shares."""
    prior = np.array([rung.prior for rung in _LADDER])
    factor = {}
    for stage in Stage:
        own = np.array([rung.stage is stage for rung in _LADDER])
        factor[stage] = float(share[own].sum() / prior[own].sum())
    found = Stage.NOTHING
    for stage in Stage:
        if factor[stage] > _SUBSTANTIAL * factor[found]:
            found = stage
    return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Fit:
    """The fit of one model."""

    level: float
    slopes: FloatArray
    residual: float
    doubt: FloatArray
    left_out: FloatArray
    press: float
    """Mean squared leave-one-out error, shrunk toward its prior."""

    @classmethod
    def of(cls, rung: _Rung, labelled: Labelled, weights: FloatArray, center: FloatArray) -> _Fit:
        """The model's fit; judges with negative slopes are dropped."""
        counted = (weights > 0) & (rung.base > 0)
        while True:
            fit = cls._among(counted, rung, labelled, weights, center)
            if not (fit.slopes < 0).any():
                return fit
            if rung.weights:
                counted = counted & (np.arange(weights.size) != np.argmin(fit.slopes))
            else:
                counted = np.zeros_like(counted)

    @classmethod
    def _among(
        cls,
        counted: BoolArray,
        rung: _Rung,
        labelled: Labelled,
        weights: FloatArray,
        center: FloatArray,
    ) -> _Fit:
        r"""Ridge regression, :math:`\beta \sim N(\pi, \tau_b^2 \pi\pi^\top + \tau_w^2 I)`.

        In coefficients z of unit prior variance, :math:`(F^\top W F + I) z = F^\top W (y - f_0)`.
        """
        judges = weights.size
        base = _renormalised(weights, counted)
        equal_share = 1 / max(int(counted.sum()), 1)
        own = np.diag(counted * rung.weights * equal_share)
        root = np.concatenate([rung.slope * base[:, None], own], axis=1)
        away = labelled.answers - center
        features = np.concatenate([np.full((len(away), 1), rung.level), away @ root], axis=1)
        start = float(base @ center) if counted.any() else 0.5
        missed = labelled.label - start - away @ base
        slopes, residual = base, _RESIDUAL
        for _ in range(_PASSES):
            known = np.einsum("i,ijk,j->k", slopes, labelled.left, slopes) + labelled.noise
            weight = 1 / (residual + known)
            scaled = features * weight[:, None]
            inverse: FloatArray = np.linalg.inv(scaled.T @ features + np.eye(features.shape[1]))
            found = inverse @ (scaled.T @ missed)
            slopes = base + root @ found[1:]
            leverage = np.einsum("ki,ij,kj->k", scaled, inverse, features)
            error = (missed - features @ found) / (1 - leverage)
            # Residual variance, net of the uncertainty of the item's own answers.
            squares = float((error**2 - known).sum())
            trust = _RESIDUAL_LABELS
            residual = (trust * _RESIDUAL + squares) / (trust + error.size)
            residual = max(residual, 0.1 * float((error**2).sum()) / max(error.size, 1), 1e-5)
        shift = np.zeros((judges + 1, features.shape[1]))
        shift[1:, 1:] = root
        shift[0, 0] = rung.level
        shift[0, 1:] = -center @ root
        press = (_RESIDUAL_LABELS * _RESIDUAL + float((error**2).sum())) / (
            _RESIDUAL_LABELS + error.size
        )
        return cls(
            level=start + rung.level * float(found[0]) - float(center @ slopes),
            slopes=np.where(counted, slopes, 0.0),
            residual=residual,
            doubt=shift @ inverse @ shift.T,
            left_out=labelled.label - error,
            press=press,
        )


def _renormalised(weights: FloatArray, counted: BoolArray) -> FloatArray:
    """The weights of these judges, with sum 1; equal if all are 0; zeros if there are no judges."""
    kept = np.where(counted, weights, 0.0)
    if not kept.any():
        kept = counted.astype(np.float64)
    return kept / max(float(kept.sum()), math.ulp(0.0)) if kept.any() else kept
