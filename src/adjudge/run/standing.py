"""A plan's results, calls and history from its ledger, without a call and without spending."""

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
"""A history starts at this share of all calls; before that, little is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """What was known at one point of the spending."""

    spent: Money
    calls: int
    norm_error: float
    """Expected error in the plan's norm, on the scale of the scores."""
    mean_width: float
    """Mean width of the items' intervals, on the scale of the scores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerCall:
    """One call of a plan, with everything in the ledger about it."""

    call: int
    """The call's number; numbers increase with time."""
    item: str
    judge: str
    state: State
    reason: Reason | None
    """Why there is no score."""
    score: float | None
    charged: Money
    reserved: Money
    """The worst case reserved for the call."""
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
    """The endpoint's message, if there is no score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a ledger holds besides the plan's own calls."""

    not_counted: int
    """Paid calls about items, prompts or judges that the plan does not have."""
    not_counted_cost: Money
    balance: Balance
    at_work: UnderWay
    judges: frozenset[int]
    """The store's numbers of the plan's judges."""


def surroundings(plan: Plan, ledger: Address | None) -> Surroundings:
    """What else the ledger holds, and which processes use it now."""
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
    """The plan's result from its ledger; without a ledger, the result before the first call.

    Opens no judge and needs no API key. Only reads the ledger, which may be in use or in a
    read-only folder.
    """
    quotes = Quotes.of(plan)
    with _looking(ledger) as view:
        numbers, books = Numbers.found(plan, view), Books.read(view, view.entries())
    end, reason = books.end_of(numbers.identity)
    return result_of(plan, quotes, numbers, books, end=end, end_reason=reason)


def history(plan: Plan, ledger: Address | None, *, points: int = 6) -> list[Moment]:
    """Error by money spent, from the replayed calls, at points evenly spaced on a log scale."""
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
    """The plan's calls, including refused ones, oldest first; only about `items`, if given.

    Reads lazily: the ledger stays open until the last call is read or the iterator is closed.
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
