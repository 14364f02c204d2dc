"""Item factors of the error variance, from the misfit of an item's answers."""

from __future__ import annotations

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.evidence import Moments
from adjudge.core.panel.beliefs import Beliefs
from adjudge.core.panel.model import SMALLEST, PanelModel, in_blocks
from adjudge.core.panel.noise import prior_freedom, spread_beyond_chance


def learn_hardness(model: PanelModel, moments: Moments, beliefs: Beliefs) -> FloatArray:
    r"""The factor by which the variances of an item's errors are larger than usual; shape (K,).

    .. math:: h_k = \frac{\nu + q_k}{\nu + f_k},\qquad
              q_k = r_k^\top S_k^{-1} r_k - \frac{(1^\top S_k^{-1} r_k)^2}{1^\top S_k^{-1} 1}

    with :math:`r_k` the answers less the judges' means, :math:`S_k` their covariance, and f one
    less than the judges asked. :math:`\nu` is estimated from the excess variance of q.

    The item's level is left out. An extreme item is not a hard one, and if what an item's answers
    say of its level decided whether it is asked again, means of raw scores would be biased.
    """
    hardness = np.ones(model.items)
    shared = moments.compared
    if shared.size < beliefs.fewest:
        return hardness
    part, scores = model.part(shared), moments.part(shared)

    def misfits(rows: slice) -> FloatArray:
        answers = part.part(rows).answers(scores.n[rows], scores.mean[rows])
        known = answers.told(np.ones_like(answers.residual)).sum(axis=0)
        surprise = answers.told(answers.residual)
        level = surprise.sum(axis=0) ** 2 / np.maximum(known, SMALLEST)
        misfit: FloatArray = (answers.residual * surprise).sum(axis=0) - level
        return np.maximum(misfit, 0.0)

    misfit = np.concatenate(in_blocks(part.items, misfits))
    freedom = np.count_nonzero(scores.n, axis=1) - 1.0
    misfit /= max(float(misfit.sum() / freedom.sum()), 1e-300)
    squared = (misfit / freedom - 1) ** 2
    trust = prior_freedom(spread_beyond_chance(squared, freedom, weight=freedom))
    found = (trust + misfit) / (trust + freedom)
    hardness[shared] = found / found.mean()
    return hardness
