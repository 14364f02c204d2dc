"""How much harder than others an item is: judges differ more on it than they usually do."""

from __future__ import annotations

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.panel.model import PanelModel, in_blocks
from adjudge.core.panel.noise import prior_freedom, spread_beyond_chance
from adjudge.core.problem import Moments

_ENOUGH = 20
"""Items that several judges saw, below which all are taken to be alike."""


def learn_hardness(model: PanelModel, moments: Moments) -> FloatArray:
    r"""The factor by which the variances of an item's errors are larger than usual; shape (K,).

    .. math:: h_k = g_k\,\frac{\nu + q_k/g_k}{\nu + f_k},\qquad
              q_k = r_k^\top S_k^{-1} r_k - \frac{(1^\top S_k^{-1} r_k)^2}{1^\top S_k^{-1} 1}

    with :math:`r_k` the answers less the judges' means, :math:`S_k` their covariance, and f one
    less than the judges asked. The item's level is left out: an extreme item is not a hard one.
    :math:`\nu` is as small as q varies beyond chance; where it does not, all are as hard as the
    model takes them to be, :math:`g_k`, before it looks at their answers' misfit.
    """
    hardness = model.hardness.copy()
    shared = moments.compared
    if shared.size < _ENOUGH:
        return hardness
    freedom = np.count_nonzero(moments.n[shared], axis=1) - 1.0
    misfit = np.concatenate(
        [
            _misfit(model.part(rows), moments.n[rows], moments.mean[rows])
            for rows in in_blocks(shared)
        ]
    )
    usual = hardness[shared]
    misfit /= usual
    misfit /= max(float(misfit.sum() / freedom.sum()), 1e-300)
    belief = prior_freedom(spread_beyond_chance((misfit / freedom - 1) ** 2, freedom))
    found = usual * (belief + misfit) / (belief + freedom)
    hardness[shared] = found / found.mean()
    return hardness


def _misfit(model: PanelModel, n: IntArray, mean: FloatArray) -> FloatArray:
    """How badly one level fits each item's answers, q; shape (items,)."""
    precision = n / model.noise
    surprise = np.where(n > 0, mean - model.mean, 0.0)
    covariance = model.conditional_covariance(precision)
    weighed = np.stack([precision, precision * surprise], axis=2)
    told = weighed - precision[:, :, None] * (covariance @ weighed)
    level = told[:, :, 1].sum(axis=1) ** 2 / np.maximum(told[:, :, 0].sum(axis=1), 1e-12)
    misfit: FloatArray = np.maximum((surprise * told[:, :, 1]).sum(axis=1) - level, 0.0)
    return misfit
