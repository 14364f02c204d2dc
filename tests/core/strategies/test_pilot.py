import math

import pytest

from adjudge.core.problem import Problem
from adjudge.core.strategies.pilot import PilotRule
from adjudge.errors import BudgetError

K, J = 1000, 10
L = math.log(4 * K * J / 0.05)


def problem(norm: float, **changes: object) -> Problem:
    return Problem.of([1.0] * J, **({"items": K, "norm": norm} | changes))  # type: ignore[arg-type]


def test_the_bounded_pilot_is_the_theorems() -> None:
    rule = PilotRule(gaussian=False)
    assert rule.calls(problem(2), 1e8) == math.ceil((2e8) ** (1 / 3) * L ** (2 / 3))
    assert rule.calls(problem(math.inf), 1e8) == rule.calls(problem(2), 1e8)
    p = 1.0
    expected = 2 ** (1 / 4) * L ** (5 / 8) * 1e8 ** (3 / 8)
    assert rule.calls(problem(p), 1e8) == math.ceil(expected)


def test_the_gaussian_pilot_is_the_theorems() -> None:
    assert PilotRule(gaussian=True).calls(problem(2), 1e8) == 1 + math.ceil(16 * L)


def test_the_smallest_feasible_budgets_are_those_of_the_formulas() -> None:
    """With C = KJ mean prices: B = 2 C N0(B) solved for B; 2,200 to 142,000 calls per item."""
    bounded, every_pair = PilotRule(gaussian=False), K * J
    closed_form = 4 * every_pair**1.5 * L
    assert bounded.least_budget(problem(2)) == pytest.approx(closed_form, rel=1e-3)
    closed_form = (2**1.25 * every_pair * L ** (5 / 8)) ** (8 / 5)
    assert bounded.least_budget(problem(1)) == pytest.approx(closed_form, rel=1e-3)
    gaussian = PilotRule(gaussian=True).least_budget(problem(2))
    assert gaussian == (1 + math.ceil(16 * L)) * every_pair + K


@pytest.mark.parametrize("norm", [1.0, 1.5, 2.0, math.inf])
@pytest.mark.parametrize("gaussian", [False, True])
def test_the_least_budget_is_enough_and_nothing_less_is(norm: float, gaussian: bool) -> None:
    rule, given = PilotRule(gaussian=gaussian), problem(norm)
    least = rule.least_budget(given)
    rule.check(given, least)
    with pytest.raises(BudgetError, match="too small for the theorem's pilot; it needs at least"):
        rule.check(given, 0.999 * least)
    pilot = rule.calls(given, least) * given.cost_of_every_pair
    assert pilot <= (least if gaussian else least / 2) * (1 + 1e-9)


def test_units_change_no_pilot_unless_raw_units_are_asked_for() -> None:
    cents, wide = problem(2), problem(2, score_range=(0, 100))
    cents = Problem.of([100.0] * J, items=K)
    rule, raw = PilotRule(gaussian=False), PilotRule(gaussian=False, raw_units=True)
    assert rule.calls(problem(2), 1e8) == rule.calls(cents, 1e10) == rule.calls(wide, 1e8)
    assert raw.calls(problem(2), 1e8) < raw.calls(cents, 1e10)
    assert raw.calls(problem(2), 1e8) < raw.calls(wide, 1e8)


def test_a_reduced_pilot_takes_half_the_budget_and_never_fewer_than_two_calls() -> None:
    rule = PilotRule(gaussian=True)
    assert rule.reduced_calls(problem(2), 100_000) == 5
    assert rule.reduced_calls(problem(2), 21_000) == 2
    assert rule.reduced_calls(problem(2), 1e9) == rule.calls(problem(2), 1e9)
    with pytest.raises(BudgetError, match="two pilot calls of every pair; it needs at least 21000"):
        rule.reduced_calls(problem(2), 20_999)
