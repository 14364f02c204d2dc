"""Prices as text in a ledger, and back."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import date

import orjson

from adjudge.judges.price_origin import Origin
from adjudge.judges.prices import Prices
from adjudge.judges.rates import Rates


def price_record(prices: Prices) -> str:
    """The prices and their origin, as JSON."""
    return orjson.dumps(asdict(prices)).decode()


def recorded_prices(text: str) -> Prices:
    """The prices in such a text; ValueError if it has none."""
    try:
        found = orjson.loads(text)
        origin = dict(found["origin"])
        for name in ("day", "asked"):
            if origin[name] is not None:
                origin[name] = date.fromisoformat(origin[name])
        return Prices(
            rates=tuple(Rates(**row) for row in found["rates"]),
            per_call=found["per_call"],
            origin=replace(Origin(**origin), frozen=True),
        )
    except (KeyError, TypeError) as error:
        raise ValueError("no prices") from error
