"""What a ledger holds of a plan, seen from outside: nobody is asked and nothing is spent."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from adjudge.records import Money, Reason
from adjudge.run.books import Books, problem_of, result_of
from adjudge.run.identity import Numbers
from adjudge.run.plan import Plan
from adjudge.run.quotes import Quotes
from adjudge.run.result import Result
from adjudge.run.seen import Seen
from adjudge.store import Address, Balance, EmptyView, State, UnderWay, View, look_if_any

_FIRST_SHARE = 0.01
"""The share of all calls at which a history begins: before it little is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """How much was known when so much was spent."""

    spent: Money
    calls: int
    norm_error: float
    """The error to expect in the plan's norm, on the scale that was asked for."""
    mean_width: float
    """Mean width of the items' intervals, on the scale that was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCall:
    """One call of a plan, with everything the ledger knows of it."""

    call: int
    """Its number; numbers grow with time."""
    item: str
    judge: str
    state: State
    reason: Reason | None
    """Why it has no score."""
    score: float | None
    charged: Money
    reserved: Money
    """The worst case that was reserved for it."""
    prompt_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None
    text: str | None
    """What the judge wrote, if texts were kept."""
    at: int
    """Unix time."""
    written_tokens: int | None = None
    """Prompt tokens that were written to the provider's cache."""
    detail: str | None = None
    """What the endpoint said where it gave no score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a ledger holds besides what counts for a plan."""

    not_counted: int
    """Paid calls about other items, prompts or judges than the plan has."""
    not_counted_cost: Money
    balance: Balance
    at_work: UnderWay
    judges: frozenset[int]
    """The store's numbers of the plan's judges."""


def surroundings(plan: Plan, ledger: Address | None) -> Surroundings:
    """What else the ledger holds, and who is at work on it now."""
    with _looking(ledger) as view:
        at_work = view.under_way()
        numbers, entries, balance = Numbers.found(plan, view), view.entries(), view.balance()
    _, _, own = numbers.places(entries.item, entries.judge)
    others = entries.where(~own & (entries.state != State.RESERVED))
    return Surroundings(
        not_counted=len(others),
        not_counted_cost=int(others.charged.sum()),
        balance=balance,
        at_work=at_work,
        judges=frozenset(numbers.judges.tolist()),
    )


def standing(plan: Plan, ledger: Address | None) -> Result:
    """What the ledger holds of the plan; without a ledger, the result before the first call.

    Opens no judge and needs no key. The ledger may be in use, or in a folder that cannot be
    written; it stays as it is.
    """
    quotes = Quotes.of(plan)
    with _looking(ledger) as view:
        numbers, books = Numbers.found(plan, view), Books.read(view, view.entries())
    end, reason = books.end_of(numbers.identity)
    return result_of(plan, quotes, numbers, books, end=end, end_reason=reason)


def history(plan: Plan, ledger: Address | None, *, points: int = 6) -> list[Moment]:
    """How the error fell as money was spent: the calls replayed, at points evenly spaced in log."""
    quotes = Quotes.of(plan)
    with _looking(ledger) as view:
        numbers, entries = Numbers.found(plan, view), view.entries()
    entries = entries.where(entries.state != State.RESERVED)
    _, _, own = numbers.places(entries.item, entries.judge)
    entries = entries.where(own)
    if not len(entries):
        return []
    first = max(_FIRST_SHARE * len(entries), 1.0)
    moments = []
    for calls in np.unique(np.geomspace(first, len(entries), points).round().astype(np.int64)):
        seen = Seen.of(entries.where(slice(calls)), numbers, plan.scale, quotes.most_output)
        estimate = plan.strategy.estimate(problem_of(plan, quotes, seen), seen.evidence)
        moments.append(
            Moment(
                spent=int(entries.charged[:calls].sum()),
                calls=int(calls),
                norm_error=estimate.norm_error() * plan.score_scale.width,
                mean_width=float(estimate.interval().width.mean()) * plan.score_scale.width,
            )
        )
    return moments


def ledger_calls(
    plan: Plan, ledger: Address | None, *, items: Collection[str] | None = None
) -> Iterator[LedgerCall]:
    """The plan's calls, refused ones included, oldest first; those about these items if given.

    Read little by little: the ledger stays open until the last is read or the iterator is closed.
    """
    with _looking(ledger) as view:
        names, chosen = _names(plan, Numbers.found(plan, view), items)
        for row in view.calls(chosen):
            name = names.get((row.judge, row.item))
            if name is not None:
                item, judge = name
                yield LedgerCall(
                    call=row.call,
                    item=item,
                    judge=judge,
                    state=row.state,
                    reason=row.reason,
                    score=row.score,
                    charged=row.charged,
                    reserved=row.reserved,
                    prompt_tokens=row.prompt_tokens,
                    cached_tokens=row.cached_tokens,
                    output_tokens=row.output_tokens,
                    text=row.text,
                    at=row.at,
                    written_tokens=row.written_tokens,
                    detail=row.detail,
                )


def _names(
    plan: Plan, numbers: Numbers, items: Collection[str] | None
) -> tuple[dict[tuple[int, int], tuple[str, str]], set[int] | None]:
    """Item and judge by the store's numbers, and the numbers of the chosen items."""
    wanted = None if items is None else set(items)
    names = {}
    for judge, judge_number, own in zip(plan.judges, numbers.judges, numbers.items, strict=True):
        for item, item_number in zip(plan.items, own.tolist(), strict=True):
            if wanted is None or item.id in wanted:
                names[int(judge_number), item_number] = item.id, judge.name
    chosen = None if wanted is None else {item for _, item in names}
    return names, chosen


@contextmanager
def _looking(ledger: Address | None) -> Iterator[View]:
    view: View = EmptyView() if ledger is None else look_if_any(ledger)
    try:
        yield view
    finally:
        view.close()
