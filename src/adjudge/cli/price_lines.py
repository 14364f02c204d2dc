"""Each judge's prices and their source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.judges import Judge, Prices
from adjudge.judges.price_words import plain_prices, price_words


def price_lines(judges: Sequence[Judge]) -> Iterator[str]:
    """A line for each judge that is paid by the token."""
    for judge, prices in _priced(judges):
        by = "" if prices.origin is None else f" ({prices.origin.words})"
        yield f"{judge.name}: {price_words(prices)}{by}"


def plain_judge_prices(judges: Sequence[Judge]) -> dict[str, object]:
    """The same for JSON, by the judge's name."""
    return {judge.name: plain_prices(prices) for judge, prices in _priced(judges)}


def _priced(judges: Sequence[Judge]) -> Iterator[tuple[Judge, Prices]]:
    for judge in judges:
        prices = getattr(judge, "prices", None)
        if isinstance(prices, Prices):
            yield judge, prices
