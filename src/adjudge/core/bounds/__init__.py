"""The paper's lower and upper bounds on the error.

Each function returns a :class:`Bound`: the value, and the theorem's unmet conditions.
"""

from adjudge.core.bounds.bound import Bound
from adjudge.core.bounds.estimated import (
    est_ivwe_bounded_upper,
    est_ivwe_bounded_upper_unexpanded,
    est_ivwe_gaussian_upper,
    est_ivwe_gaussian_upper_unexpanded,
)
from adjudge.core.bounds.hard_instances import (
    KL_TO_CENTER,
    KL_TO_MIRROR,
    BetaParameters,
    beta_parameters,
    score_radius,
    threshold_budget,
)
from adjudge.core.bounds.known import (
    ivwe_bounded_upper,
    ivwe_gaussian_moment_upper,
    ivwe_gaussian_upper,
)
from adjudge.core.bounds.lower_bounded import (
    EXPECTATION_FACTOR,
    bounded_expectation_lower,
    bounded_moment_lower,
    bounded_probability_lower,
)
from adjudge.core.bounds.lower_gaussian import (
    gaussian_expectation_lower,
    gaussian_moment_lower,
    gaussian_probability_lower,
    max_entropy,
    van_trees_lower,
)

__all__ = [
    "EXPECTATION_FACTOR",
    "KL_TO_CENTER",
    "KL_TO_MIRROR",
    "BetaParameters",
    "Bound",
    "beta_parameters",
    "bounded_expectation_lower",
    "bounded_moment_lower",
    "bounded_probability_lower",
    "est_ivwe_bounded_upper",
    "est_ivwe_bounded_upper_unexpanded",
    "est_ivwe_gaussian_upper",
    "est_ivwe_gaussian_upper_unexpanded",
    "gaussian_expectation_lower",
    "gaussian_moment_lower",
    "gaussian_probability_lower",
    "ivwe_bounded_upper",
    "ivwe_gaussian_moment_upper",
    "ivwe_gaussian_upper",
    "max_entropy",
    "score_radius",
    "threshold_budget",
    "van_trees_lower",
]
