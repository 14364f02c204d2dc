r"""People: a judge that cannot be bought.

What people say of item k is one more column h of the panel's law,
:math:`\mu_{kh} = a + \beta^\top \mu_k + \varepsilon_k`, and the target :math:`\pi = e_h`.
"""

from adjudge.core.people.agreement import Agreement, Concord, RaterAgreement, agreement
from adjudge.core.people.alternative import AlternativeTest
from adjudge.core.people.anchor import Anchor
from adjudge.core.people.calibration import Stage
from adjudge.core.people.choice import LabelChoice, next_labels
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
