"""Conversion of litellm-style price maps to rates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from types import MappingProxyType

from adjudge.errors import InputError
from adjudge.judges.rates import BATCH, STANDARD, Rates

_MILLION = 1_000_000
_MAP_KEY = re.compile(
    r"(input_cost_per_token|output_cost_per_token|cache_read_input_token_cost"
    r"|cache_creation_input_token_cost(?:_above_1hr|_above_12hr)?|output_cost_per_reasoning_token)"
    r"(?:_above_(\d+)k_tokens)?(?:_(priority|flex|ultrafast|batches))?"
)
"""The name of a price: kind of token, thousands of prompt tokens, service tier."""
_TIER = MappingProxyType({None: STANDARD, "batches": BATCH})


def rates_in(entry: Mapping[str, object]) -> tuple[Rates, ...]:
    """The rates of every service tier and prompt length in the entry."""
    found = _prices_in(entry)
    kinds = {kind for kind, tier, above in found if tier == STANDARD and not above}
    if not {"input_cost_per_token", "output_cost_per_token"} <= kinds:
        raise InputError(
            "price map",
            f"has {', '.join(sorted(entry)) or 'nothing'}",
            "it needs input_cost_per_token and output_cost_per_token",
        )
    lengths = sorted({above for _, _, above in found})
    tiers = sorted({tier for _, tier, _ in found}, key=lambda tier: tier != STANDARD)
    return tuple(_rates(found, tier, above) for tier in tiers for above in lengths)


def _prices_in(entry: Mapping[str, object]) -> dict[tuple[str, str, int], Decimal]:
    """Prices of the entry in dollars per million tokens, by kind, service tier and length."""
    found = {}
    for key, value in entry.items():
        match = _MAP_KEY.fullmatch(key)
        if match is None or value is None:
            continue
        kind, thousands, tier = match.groups()
        try:
            price = Decimal(str(value)) * _MILLION
        except InvalidOperation:
            raise InputError(
                "price map", f"{key} is {str(value)[:40]!r}", "give dollars per token, as 1.5e-07"
            ) from None
        found[kind, _TIER.get(tier, tier), int(thousands or 0) * 1000] = price
    return found


def _rates(found: Mapping[tuple[str, str, int], Decimal], tier: str, above: int) -> Rates:
    """The rates of one service tier and length; a missing price is taken from the nearest one."""

    def price(kind: str) -> Decimal | None:
        exact = found.get((kind, tier, above))
        if exact is not None:
            return exact
        near = (found.get((kind, STANDARD, above)), found.get((kind, tier, 0)))
        known = [one for one in near if one is not None]
        # Between the price for the length and the price for the tier, the higher one counts.
        return max(known) if known else found.get((kind, STANDARD, 0))

    fresh, output = price("input_cost_per_token") or 0, price("output_cost_per_token") or 0
    cached = price("cache_read_input_token_cost")
    write = price("cache_creation_input_token_cost")
    hours = [price(f"cache_creation_input_token_cost_above_{hours}hr") for hours in (1, 12)]
    return Rates.of(
        input=fresh,
        # The stated usage does not always separate reasoning tokens from the others.
        output=max(output, price("output_cost_per_reasoning_token") or 0),
        cached_input=None if cached is None else min(cached, fresh),
        # In some lists 0 means no price on top of the input's.
        cache_write=None if write is None else max(write, fresh),
        cache_write_hour=max((one for one in hours if one is not None), default=None),
        service_tier=tier,
        above=above,
    )
