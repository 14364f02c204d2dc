"""Public prices of models, from the data in the package genai-prices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from difflib import get_close_matches
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from adjudge.errors import InputError
from adjudge.judges.listed_rates import listed_prices
from adjudge.judges.price_origin import Origin
from adjudge.judges.prices import Prices

if TYPE_CHECKING:  # the data are slow to import: imported only for lookups
    from genai_prices.types import ModelInfo, Provider

PROVIDERS = MappingProxyType(
    {
        "openai": "openai",
        "anthropic": "anthropic",
        "gemini": "google",
        "bedrock": "aws",
        "openrouter": "openrouter",
        "typesafe": "typesafe",
        "openai-decisions": "openai-decisions",
    }
)
"""Prefixes of model names, with the list's id of the provider."""
_FREE_OUTPUT = frozenset({"typesafe", "openai-decisions"})
"""Providers that bill only the input."""
_NEAR = 3
_LONGEST = 200
"""Maximum characters of a name that is looked up: longer ones are slow to compare."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListState:
    """The version and age of the price list."""

    source: str
    """Such as `genai-prices 0.2.2`."""
    newest: date
    """The latest start date of a price in the list, up to today: the list is not older."""


def looked_up(name: str, *, day: date, asked: date | None = None) -> Prices:
    """The prices on this day of a model with a name such as `openai/gpt-4o-mini`.

    `asked` is the day that the user asked for; None if the user named no day.
    """
    found = _entry(name)
    if found is None:
        raise InputError("model", f"{source()} has no price of {name[:_LONGEST]}", _advice(name))
    return _priced(found, name, day=day, asked=asked)


def known_models(*, day: date) -> Iterator[tuple[str, Prices | None]]:
    """Every name in the list with its prices; None if they cannot be used for a judge."""
    for prefix in PROVIDERS:
        for model in _provider(prefix).models:
            name = f"{prefix}/{model.id}"
            try:
                yield name, _priced(model, name, day=day)
            except InputError:
                yield name, None


def _entry(name: str) -> ModelInfo | None:
    """The entry with this name, or else the one that the list matches to it."""
    prefix, _, model = name.partition("/")
    if prefix not in PROVIDERS or len(name) > _LONGEST:
        return None
    provider = _provider(prefix)
    exact = (one for one in provider.models if one.id.lower() == model.lower())
    return next(exact, None) or provider.find_model(model)


def _priced(found: ModelInfo, name: str, *, day: date, asked: date | None = None) -> Prices:
    entry = f"{name.partition('/')[0]}/{found.id}"
    origin = Origin(
        source=source(),
        model=name,
        entry="" if entry == name else entry,
        day=day,
        asked=asked,
    )
    moment = datetime.combine(day, time(), UTC)
    return listed_prices(found, moment, origin, free_output=name.partition("/")[0] in _FREE_OUTPUT)


@cache
def source() -> str:
    """The source, such as `genai-prices 0.2.2`."""
    from importlib.metadata import version  # noqa: PLC0415 - only for lookups

    return f"genai-prices {version('genai-prices')}"


def list_state(today: date) -> ListState:
    """The version and age of the list; its date is not stated, so the dated prices give it."""
    days = (day for key in PROVIDERS for model in _provider(key).models for day in _days(model))
    return ListState(source=source(), newest=max(day for day in days if day <= today))


def _days(model: ModelInfo) -> Iterator[date]:
    prices = model.prices if isinstance(model.prices, list) else []
    for dated in (*prices, *(model.price_variants or ())):
        day = getattr(dated.constraint, "start_date", None)
        if day is not None:
            yield day


def _advice(name: str) -> str:
    near = nearest(name)
    guess = f"did you mean {' or '.join(near)}? Else give" if near else "give"
    return f"{guess} prices in dollars per million tokens, as {{input: 0.15, output: 0.60}}"


def nearest(name: str) -> list[str]:
    """The most similar names in the list, of the same provider if there are any."""
    prefix, _, model = name[:_LONGEST].partition("/")
    own = get_close_matches(model, _ids(prefix), n=_NEAR) if prefix in PROVIDERS else []
    if own:
        return [f"{prefix}/{found}" for found in own]
    every = {found: other for other in reversed(PROVIDERS) for found in _ids(other)}
    last = model.rpartition("/")[2] or prefix
    return [f"{every[found]}/{found}" for found in get_close_matches(last, every, n=_NEAR)]


def _ids(prefix: str) -> list[str]:
    return [model.id for model in _provider(prefix).models]


@cache
def _provider(prefix: str) -> Provider:
    from genai_prices.data import providers  # noqa: PLC0415 - see above

    return next(provider for provider in providers if provider.id == PROVIDERS[prefix])
