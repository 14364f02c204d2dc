"""Conversion of genai-prices entries to our prices."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from adjudge.errors import InputError
from adjudge.judges.price_origin import Origin
from adjudge.judges.prices import Prices
from adjudge.judges.rates import STANDARD, Rates, same_tier
from adjudge.records import nano_dollars

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, TieredPrices

    Price = Decimal | TieredPrices | None

_KINDS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")
_THOUSAND = 1000


def listed_prices(
    model: ModelInfo, moment: datetime, origin: Origin, *, free_output: bool = False
) -> Prices:
    """Prices of text input and output at this moment.

    Without `free_output`, an entry without an output price is refused.
    """
    _check_days(model, origin)
    standard = model.get_prices(moment)
    _check_text(standard, origin, free_output=free_output)
    tiers = {STANDARD: standard}
    for variant in model.price_variants or ():
        # For example `service_tier: flex`, `processing: batch` or `route: mistral/eu`.
        tier = same_tier(" ".join(variant.when.values()))
        tiers.setdefault(tier, model.get_prices(moment, variant.when))
    return Prices(
        rates=tuple(row for tier, prices in tiers.items() for row in _rows(prices, tier)),
        per_call=nano_dollars(_at(standard.requests_kcount, 0) / _THOUSAND, of="price per call"),
        origin=origin,
    )


def _check_days(model: ModelInfo, origin: Origin) -> None:
    prices = model.prices if isinstance(model.prices, list) else []
    for dated in (*prices, *(model.price_variants or ())):
        if dated.constraint is not None and not hasattr(dated.constraint, "start_date"):
            raise _unusable(origin, "changes with the hour of the day")


def _check_text(prices: ModelPrice, origin: Origin, *, free_output: bool) -> None:
    if prices.input_mtok is None or (prices.output_mtok is None and not free_output):
        raise _unusable(origin, "is not one for tokens of text, in and out, or it is free")
    if not any(_at(getattr(prices, kind), 0) for kind in ("input_mtok", "output_mtok")):
        raise _unusable(origin, "is zero, and what is free cannot be rationed by a budget")


def _unusable(origin: Origin, why: str) -> InputError:
    return InputError(
        "model",
        f"the price of {origin.model} in {origin.source} {why}",
        "give prices in dollars per million tokens, as {input: 0.15, output: 0.60}, or per_call",
    )


def _rows(prices: ModelPrice, tier: str) -> list[Rates]:
    """The rates by prompt length, with a row for every length at which a price changes."""
    lengths = {0}
    for kind in (*_KINDS, "output_reasoning_mtok"):
        price = getattr(prices, kind)
        if price is not None and not isinstance(price, Decimal):
            lengths |= {step.start for step in price.tiers}
    return [_rates(prices, tier, above) for above in sorted(lengths)]


def _rates(prices: ModelPrice, tier: str, above: int) -> Rates:
    fresh, output, cached, write, hour = (_known(getattr(prices, kind), above) for kind in _KINDS)
    fresh, output = fresh or Decimal(0), output or Decimal(0)
    reasoning = _at(prices.output_reasoning_mtok, above)
    if write is None:
        write = fresh
    elif write < fresh:
        # For Gemini, OpenRouter lists only the storage price, which is added to the input's.
        write += fresh
    return Rates(
        input=nano_dollars(fresh),
        # The stated usage does not always separate reasoning tokens from the others.
        output=nano_dollars(max(output, reasoning)),
        cached_input=nano_dollars(fresh if cached is None else cached),
        cache_write=nano_dollars(write),
        cache_write_hour=None if hour is None else nano_dollars(hour),
        service_tier=tier,
        above=above,
    )


def _at(price: Price, above: int) -> Decimal:
    return _known(price, above) or Decimal(0)


def _known(price: Price, above: int) -> Decimal | None:
    """The price of a request with more prompt tokens than this; None if there is none."""
    if price is None or isinstance(price, Decimal):
        return price
    reached = [step.price for step in price.tiers if step.start <= above]
    # A step at 0 holds for every request.
    return reached[-1] if reached else price.base
