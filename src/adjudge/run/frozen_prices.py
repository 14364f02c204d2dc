"""A ledger keeps the listed prices of its first run, and later runs use them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from adjudge.errors import InputError, StoreError
from adjudge.judges import Judge, Prices
from adjudge.judges.price_list import looked_up, source
from adjudge.judges.price_record import price_record, recorded_prices
from adjudge.judges.price_words import price_words
from adjudge.store import Address, NoteKind, Store, View, look_if_any

Looked = tuple[str, date | None]
"""Key of a listed price: the model, and the date that the user asked for, if any."""


def frozen_prices(ledger: Address) -> Mapping[Looked, Prices]:
    """The listed prices that this ledger keeps; none if there is no ledger yet."""
    view = look_if_any(ledger)
    try:
        return _frozen(view, str(ledger))
    finally:
        view.close()


def freeze_prices(judges: Sequence[Judge], store: Store) -> None:
    """Keep the listed prices of these judges, unless the ledger already has theirs."""
    known = dict.fromkeys(_frozen(store, "the ledger"))
    for judge in judges:
        prices = listed_prices_of(judge)
        key = None if prices is None else _key(prices)
        if prices is not None and key is not None and key not in known:
            known[key] = None
            store.note(None, price_record(prices), kind=NoteKind.PRICED)


def listed_prices_of(judge: Judge) -> Prices | None:
    """The judge's prices if they come from a list; None if the user gave them."""
    prices = getattr(judge, "prices", None)
    return prices if isinstance(prices, Prices) and _key(prices) is not None else None


def price_changes(judges: Sequence[Judge], today: date) -> Iterator[str]:
    """One sentence for each kept price that differs from today's list."""
    for judge in judges:
        prices = listed_prices_of(judge)
        origin = None if prices is None else prices.origin
        if prices is None or origin is None or not origin.frozen or origin.asked is not None:
            continue
        try:
            now = looked_up(origin.model, day=today)
        except InputError:  # the model is no longer listed
            continue
        if now != prices:
            yield (
                f"{judge.name}: calls are settled at {price_words(prices)}, the price of "
                f"{origin.day} with which the run began; the price of {today} is "
                f"{price_words(now)} ({source()}). To settle "
                f"further calls by it, write prices: {{as_of: {today}}}."
            )


def _frozen(view: View, ledger: str) -> dict[Looked, Prices]:
    found: dict[Looked, Prices] = {}
    for note in view.notes():
        if note.kind is not NoteKind.PRICED:
            continue
        try:
            prices = recorded_prices(note.text)
        except ValueError:
            raise StoreError(
                f"{ledger}: keeps a price that this adjudge cannot read; install the version that "
                "wrote it, or give the judges prices of their own"
            ) from None
        key = _key(prices)
        if key is not None:
            found.setdefault(key, prices)
    return found


def _key(prices: Prices) -> Looked | None:
    origin = prices.origin
    return None if origin is None or origin.day is None else (origin.model, origin.asked)
