"""Item factors of the error variance, from the misfit of an item's answers."""

from __future__ import annotations

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.panel.beliefs import Beliefs
from adjudge.core.panel.model import SMALLEST, PanelModel, in_blocks
from adjudge.core.panel.noise import prior_freedom, spread_beyond_chance
from adjudge.core.problem import Moments


def learn_hardness(model: PanelModel, moments: Moments, beliefs: Beliefs) -> FloatArray:
    r"""The factor by which the variances of an item's errors are larger than usual; shape (K,).

    .. math:: h_k = g_k\,\frac{\nu + q_k/g_k}{\nu + f_k},\qquad
              q_k = r_k^\top S_k^{-1} r_k - \frac{(1^\top S_k^{-1} r_k)^2}{1^\top S_k^{-1} 1}

    with :math:`r_k` the answers less the judges' means, :math:`S_k` their covariance, and f one
    less than the judges asked. The item's level is left out: an extreme item is not a hard one.
    :math:`g_k` is what its level alone makes of it, the less the more calls were repeated, since
    they tell the item's own noise. :math:`\nu` is estimated from the excess variance of q.
    """
    hardness, misfit = np.ones(model.items), np.zeros(model.items)
    judges = np.count_nonzero(moments.n, axis=1)

    def judge_block(rows: slice) -> None:
        answers = model.part(rows).answers(moments.n[rows], moments.mean[rows])
        known, surprise = (
            answers.told(np.ones_like(answers.residual)),
            answers.told(answers.residual),
        )
        level = surprise.sum(axis=0) ** 2 / np.maximum(known.sum(axis=0), SMALLEST)
        misfit[rows] = np.maximum((answers.residual * surprise).sum(axis=0) - level, 0.0)
        posterior = answers.posterior()
        prior = answers.model.prior_variance
        x = (posterior.score - answers.model.center) / np.sqrt(prior)
        first = judges[rows] / np.maximum(moments.n[rows].sum(axis=1), 1)
        hardness[rows] = 1 + first * (model.levels.hardness(x, posterior.variance / prior) - 1)

    in_blocks(model.items, judge_block)
    shared = np.flatnonzero(judges > 1)
    if shared.size < beliefs.fewest:
        return hardness
    freedom, usual = judges[shared] - 1.0, hardness[shared]
    relative = misfit[shared] / usual
    relative /= max(float(relative.sum() / freedom.sum()), 1e-300)
    trust = prior_freedom(spread_beyond_chance((relative / freedom - 1) ** 2, freedom))
    found = usual * (trust + relative) / (trust + freedom)
    hardness[shared] = found / found.mean()
    return hardness
