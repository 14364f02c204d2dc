"""Prices as text for people, and as plain values for JSON."""

from __future__ import annotations

from decimal import Decimal

from adjudge.judges.prices import Prices
from adjudge.judges.rates import Rates
from adjudge.records import NANO, Money


def rate_text(amount: Money | None) -> str:
    """Dollars with all digits, at least two decimals; empty if there is no price."""
    if amount is None:
        return ""
    whole, _, digits = f"{Decimal(amount) / NANO:f}".partition(".")
    return f"${whole}.{digits.rstrip('0').ljust(2, '0')}"


def price_words(prices: Prices) -> str:
    """The ordinary price, such as `$0.15 in and $0.60 out per million tokens`."""
    short = prices.rates[0]
    parts = []
    if short.input or short.output:
        tokens = f"{rate_text(short.input)} in and {rate_text(short.output)} out"
        parts.append(f"{tokens} per million tokens")
    if prices.per_call or not parts:
        parts.append(f"{rate_text(prices.per_call)} per call")
    longer = sorted({row.above for row in prices.rates if row.above})
    more = f", more above {' and '.join(f'{above:,}' for above in longer)}" if longer else ""
    return " and ".join(parts) + more


def plain_prices(prices: Prices) -> dict[str, object]:
    """The prices in dollars, with their origin, for JSON."""
    origin = prices.origin
    return {
        "model": None if origin is None else origin.model or None,
        "entry": None if origin is None else origin.entry or origin.model or None,
        "source": None if origin is None else origin.source,
        "day": None if origin is None or origin.day is None else origin.day.isoformat(),
        "frozen": origin is not None and origin.frozen,
        "per_call": prices.per_call / NANO,
        "per_million_tokens": [_plain_rates(row) for row in prices.rates],
    }


def _plain_rates(rates: Rates) -> dict[str, object]:
    hour = rates.cache_write_hour
    return {
        "service_tier": rates.service_tier,
        "above": rates.above,
        "input": rates.input / NANO,
        "cached_input": rates.cached_input / NANO,
        "cache_write": rates.cache_write / NANO,
        "cache_write_hour": None if hour is None else hour / NANO,
        "output": rates.output / NANO,
    }
