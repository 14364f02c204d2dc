r"""The panel model: judges that differ in offset, scale, agreement and noise.

Judge j, asked for ever about item k, would say :math:`\mu_{kj}`; item by item these vectors
scatter around the judges' means with one covariance, :math:`\mu_k \sim N(m, \Sigma)`, and a
call adds noise of variance :math:`\sigma_{kj}^2`. The score of an item is what the panel would
say, :math:`t_k = \sum_j \pi_j \mu_{kj}`.
"""

from adjudge.core.panel.guard import Guarding
from adjudge.core.panel.learning import Learned, Target, learn
from adjudge.core.panel.model import PanelModel, Posterior
from adjudge.core.panel.plan import best_calls
from adjudge.core.panel.summary import JudgeSummary, PanelEstimate

__all__ = [
    "Guarding",
    "JudgeSummary",
    "Learned",
    "PanelEstimate",
    "PanelModel",
    "Posterior",
    "Target",
    "best_calls",
    "learn",
]
