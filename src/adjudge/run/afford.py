"""Whether a budget pays for any call, checked before the first one."""

from __future__ import annotations

import math
from collections.abc import Callable

from adjudge.core.problem import Problem
from adjudge.errors import BudgetError
from adjudge.records import NANO, Money, dollars
from adjudge.run.askable import askable_part
from adjudge.run.books import problem_of
from adjudge.run.identity import Numbers
from adjudge.run.plan import Plan
from adjudge.run.quotes import Quotes
from adjudge.run.seen import Seen
from adjudge.store import Address, EmptyView, View, look_if_any


def check_budget(plan: Plan, ledger: Address, budget: Money, *, salt: bytes = b"") -> Quotes:
    """Refuse a budget that pays for no call, or one that the strategy refuses.

    Returns the plan's quotes. A ledger that holds answers of the plan is never refused: the run
    spends what is left, or returns what the ledger holds. `salt` is for a new ledger.
    """
    view = look_if_any(ledger)
    try:
        quotes = Quotes.of(plan, salt=view.salt() or salt)
        balance = view.balance()
        bound = balance.spent + balance.reserved
        error = _trouble(plan, quotes, budget, bound)
        if error is not None and not (bound and _has_answers(plan, view)):
            raise error
    finally:
        view.close()
    return quotes


def _has_answers(plan: Plan, view: View) -> bool:
    numbers, entries = Numbers.found(plan, view), view.entries()
    _, _, own = numbers.places(entries.item, entries.judge)
    return bool(own.any())


def _trouble(plan: Plan, quotes: Quotes, budget: Money, bound: Money) -> BudgetError | None:
    """The error for a budget of which `bound` is spent or reserved; None if the budget is fine."""
    left = budget - bound
    have = dollars(budget)
    if bound:
        have += f", of which {dollars(bound)} is spent or reserved for other items or judges,"
    most = quotes.most
    j = int(most.min(axis=0).argmin())
    cheapest = int(most.min())
    if left < cheapest:
        return BudgetError(
            f"{have} pays for no call",
            f"the cheapest, of {plan.judges[j].name}, may cost {_at_least(cheapest)}; "
            f"give {_at_least(bound + cheapest)} or more",
            needed=float(bound + cheapest),
        )
    check: Callable[..., None] | None = getattr(plan.strategy, "check_budget", None)
    if check is None:
        return None
    nothing = EmptyView()
    numbers = Numbers.found(plan, nothing)
    seen = Seen.of(nothing.entries(), numbers, plan.scale, quotes.most_output)
    problem = problem_of(plan, quotes, seen)
    try:
        check(askable_part(problem, most <= left), float(left))
    except BudgetError as refusal:
        # A larger budget can also pay for more expensive pairs, so check the need of all pairs.
        error = _refusal(check, problem, left) or refusal
        needed = bound + math.ceil(error.needed)
        return BudgetError(
            f"{have} is too small for {error.purpose}",
            f"it needs at least {_at_least(needed)}{error.otherwise}",
            needed=float(needed),
        )
    return None


def _refusal(check: Callable[..., None], problem: Problem, left: Money) -> BudgetError | None:
    try:
        check(problem, float(left))
    except BudgetError as error:
        return error
    return None


def _at_least(amount: Money) -> str:
    """The amount in words, rounded up, so that a budget of this amount suffices."""
    step = NANO // 100 if amount >= NANO else 1000 if amount >= 1000 else 1
    return dollars(-(-amount // step) * step)
