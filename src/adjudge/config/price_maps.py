"""Prices from a litellm-style price map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

import orjson

from adjudge.config.sections import PricesSection
from adjudge.errors import InputError
from adjudge.judges import Prices, Rates
from adjudge.judges.price_origin import Origin


def prices_of(section: PricesSection, *, model: str, folder: Path) -> Prices:
    """The section's own prices, or the model's prices in the map that the section names."""
    if section.file is not None:
        return _looked_up(folder / section.file, section.file, model)
    prices = Prices.of(
        input=section.input or 0,
        output=section.output or 0,
        cached_input=section.cached_input,
        cache_write=section.cache_write,
        cache_write_hour=section.cache_write_hour,
        per_call=section.per_call or 0,
        long_context=[Rates.of(**rates.model_dump()) for rates in section.long_context or ()],
        service_tiers=section.service_tiers,
    )
    return replace(prices, origin=Origin(source="run file"))


def _looked_up(path: Path, name: str, model: str) -> Prices:
    try:
        entries = _price_map(path)
    except OSError as error:
        raise InputError("prices", f"{name}: {error.strerror}", "name a price map") from None
    except ValueError:
        raise InputError("prices", f"{name} is no JSON object", "name a price map") from None
    for key in (model, model.removeprefix("openai/"), f"openai/{model}"):
        entry = entries.get(key)
        if isinstance(entry, dict):
            return replace(Prices.from_price_map(entry), origin=Origin(source=path.name, model=key))
    near = get_close_matches(model, [key for key in entries if isinstance(key, str)], n=1)
    advice = f"did you mean {near[0]}? Else give" if near else "give"
    raise InputError(
        "prices",
        f"{name} has no price of {model}",
        f"{advice} input and output for this judge, or as_of with a day for the public price",
    )


@lru_cache(maxsize=8)
def _price_map(path: Path) -> Mapping[str, object]:
    found = orjson.loads(path.read_bytes())
    if not isinstance(found, dict):
        raise ValueError("not an object")
    return found
