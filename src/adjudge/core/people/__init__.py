r"""Scores on the people's scale: people are modelled as a judge that cannot be bought.

People's mean label of item k is one more column h of the panel's distribution,
:math:`\mu_{kh} = a + \beta^\top \mu_k + \varepsilon_k`, with the target :math:`\pi = e_h`.
"""

from adjudge.core.people.agreement import Agreement, Concord, RaterAgreement, agreement
from adjudge.core.people.alternative import AlternativeTest
from adjudge.core.people.anchor import Anchor
from adjudge.core.people.calibration import Stage
from adjudge.core.people.choice import LabelChoice, next_labels
from adjudge.core.people.comparison import Comparison
from adjudge.core.people.division import Division, divide
from adjudge.core.people.estimate import PeopleEstimate, people_estimate
from adjudge.core.people.figures import Figure
from adjudge.core.people.means import PeopleMean, difference, group_mean, paired_difference
from adjudge.core.people.outlook import budget_for_width, forecast
from adjudge.core.people.worth import JudgeWorth, worth_of_judges

__all__ = [
    "Agreement",
    "AlternativeTest",
    "Anchor",
    "Comparison",
    "Concord",
    "Division",
    "Figure",
    "JudgeWorth",
    "LabelChoice",
    "PeopleEstimate",
    "PeopleMean",
    "RaterAgreement",
    "Stage",
    "agreement",
    "budget_for_width",
    "difference",
    "divide",
    "forecast",
    "group_mean",
    "next_labels",
    "paired_difference",
    "people_estimate",
    "worth_of_judges",
]
