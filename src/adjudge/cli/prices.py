"""`adjudge prices`: the list of model prices."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, date, datetime
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from adjudge.cli.options import JsonOption
from adjudge.cli.screen import Screen
from adjudge.errors import InputError
from adjudge.judges import Prices
from adjudge.judges.price_list import known_models, list_state, looked_up
from adjudge.judges.price_words import plain_prices, rate_text

_KINDS = ("input", "cached_input", "cache_write", "cache_write_hour", "output")


def prices_command(
    model: Annotated[
        str | None, typer.Argument(metavar="[MODEL]", help="A model, or a part of its name.")
    ] = None,
    *,
    as_of: Annotated[
        str | None, typer.Option("--as-of", metavar="DAY", help="Prices of this day; else today's.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the public prices used for judges without prices of their own.

    Without a model it shows how many models of each provider are known, and how old the list is.
    Part of a name lists the models whose names contain it. Nothing is sent: the list is part of the
    program.

    Example:
        adjudge prices openai/gpt-4o-mini

    """
    day = _day(as_of)
    if model is None:
        _show_providers(day, as_json=as_json)
        return
    found = _found(model, day)
    if as_json:
        typer.echo(json.dumps([plain_prices(prices) for prices in found.values()]))
    elif len(found) == 1:
        for prices in found.values():
            _show_model(prices)
    else:
        _show_models(found)


def _day(text: str | None) -> date:
    if text is None:
        return datetime.now(UTC).date()
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError("--as-of", f"{text!r} is no day", "write it as 2026-11-18") from None


def _found(model: str, day: date) -> dict[str, Prices]:
    """The model of this name, or else those whose names contain the text; at least one."""
    try:
        return {model: looked_up(model, day=day)}
    except InputError:
        holding = {
            name: prices
            for name, prices in known_models(day=day)
            if prices is not None and model.lower() in name.lower()
        }
        if not holding:
            raise
        return holding


def _show_providers(day: date, *, as_json: bool) -> None:
    known, priced = Counter[str](), Counter[str]()
    for name, prices in known_models(day=day):
        provider = name.partition("/")[0]
        known[provider] += 1
        priced[provider] += prices is not None
    state = list_state(_day(None))
    if as_json:
        plain = {
            "source": state.source,
            "newest": state.newest.isoformat(),
            "day": day.isoformat(),
            "providers": [
                {"provider": one, "models": known[one], "priced": priced[one]} for one in known
            ],
        }
        typer.echo(json.dumps(plain))
        return
    table = _table("provider", "models", "with a price for text")
    for provider in known:
        table.add_row(provider, f"{known[provider]:,}", f"{priced[provider]:,}")
    console = Screen()
    console.print(table)
    console.print(
        f"{state.source}: its newest price is of {state.newest}. `adjudge prices openai/` lists "
        "the models of a provider, `adjudge prices openai/gpt-4o-mini` shows one.",
        soft_wrap=True,
    )


def _show_models(found: dict[str, Prices]) -> None:
    table = _table("model, dollars per million tokens", "input", "output")
    for name, prices in sorted(found.items()):
        short = prices.rates[0]
        table.add_row(Text(name), rate_text(short.input), rate_text(short.output))
    Screen().print(table)


def _show_model(prices: Prices) -> None:
    titles = (kind.replace("_", " ") for kind in _KINDS)
    table = _table("service tier", "above", *titles)
    for row in prices.rates:
        amounts = (rate_text(getattr(row, kind)) for kind in _KINDS)
        above = f"{row.above:,}" if row.above else ""
        table.add_row(Text(row.service_tier), above, *amounts)
    console = Screen()
    console.print(table)
    per_call = f" A call costs {rate_text(prices.per_call)} more." if prices.per_call else ""
    origin = prices.origin
    words = "" if origin is None else f"{origin.model}: {origin.words}. "
    console.print(Text(f"{words}Dollars per million tokens.{per_call}"), soft_wrap=True)


def _table(first: str, *others: str) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(first)
    for title in others:
        table.add_column(title, justify="right")
    return table
