"""Descriptions of judges for people to read: model, settings, prices, prompt; no secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import orjson

from adjudge.judges.chat_request import ChatRequest
from adjudge.judges.judge import Limits
from adjudge.judges.prices import Prices
from adjudge.judges.rates import STANDARD, Rates, same_tier
from adjudge.records import Item, Money

PER_CALL = "one call"
_MAY_BE_SECRET = re.compile(r"key|secret|token|passw|auth|cookie|credential|signature", re.I)
NOT_SHOWN = "(not shown)"


@dataclass(frozen=True, slots=True)
class Price:
    """The price of something."""

    of: str
    amount: Money


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """The description of a judge, without secrets."""

    kind: str
    """Such as `chat model`; with the settings, enough to set the judge up again."""
    settings: tuple[tuple[str, str], ...] = ()
    """Name and value of each setting."""
    prices: tuple[Price, ...] = ()
    criteria: str = ""
    """The criteria of its scores; empty if unknown."""
    templates: tuple[Message, ...] = ()
    """The prompt's templates, with names of item fields."""
    messages: tuple[Message, ...] = ()
    """The prompt for one item, as it is sent; empty if none is sent."""


@runtime_checkable
class Describes(Protocol):
    """A judge that can describe itself."""

    def describe(self, item: Item) -> Description:
        """The description of the judge, with its prompt for this item."""
        ...


def describe_chat(
    request: ChatRequest, prices: Prices, item: Item, *, host: str, limits: Limits
) -> Description:
    """The description of a chat model, with only the scheme and host of its address."""
    prompt = request.prompt
    templates = Message("system", prompt.system), Message("user", prompt.user)
    return Description(
        kind="chat model",
        settings=(
            *_chat_settings(request, host),
            *limit_settings(limits),
            *price_settings(prices),
        ),
        prices=chat_prices(prices, request.service_tier),
        criteria=prompt.criteria.strip(),
        templates=tuple(part for part in templates if part.text.strip()),
        messages=tuple(
            Message(message["role"], message["content"]) for message in prompt.messages(item)
        ),
    )


def limit_settings(limits: Limits) -> Iterator[tuple[str, str]]:
    """The judge's rate and concurrency limits."""
    yield "calls at a time", f"{limits.concurrency}"
    if limits.requests_per_minute is not None:
        yield "requests a minute", f"{limits.requests_per_minute:g}"
    if limits.tokens_per_minute is not None:
        yield "tokens a minute", f"{limits.tokens_per_minute:g}"


def _chat_settings(request: ChatRequest, host: str) -> Iterator[tuple[str, str]]:
    yield "model", request.model
    yield "endpoint", host
    yield "longest answer", f"{request.longest_answer:,} tokens"
    given = request.temperature
    yield "temperature", "not sent" if given is None else f"{given:g}"
    yield "response format", _unless_secret("", request.form)
    yield "service tier", request.service_tier or "not sent"
    if request.effort is not None:
        yield "effort", request.effort
    if request.thinking_budget is not None:
        yield "thinking", f"{request.thinking_budget:,} tokens"
    for question in request.questions:
        yield "asked", question
    if request.logprobs:
        yield "scores", "means by log-probabilities"
    for name, value in request.extra.items():
        yield name, _unless_secret(name, orjson.dumps(value).decode())


def _unless_secret(name: str, text: str) -> str:
    return NOT_SHOWN if _MAY_BE_SECRET.search(f"{name} {text}") else text


def price_settings(prices: Prices) -> Iterator[tuple[str, str]]:
    """The source of the prices, if known."""
    if prices.origin is not None:
        yield "prices by", prices.origin.words


def chat_prices(prices: Prices, service_tier: str | None) -> tuple[Price, ...]:
    """Token prices for the service tiers that the user chose or priced.

    A public list has prices for many more tiers.
    """
    own = {STANDARD, same_tier(service_tier or STANDARD)}
    rows = [row for row in prices.rates if not prices.listed or row.service_tier in own]
    found = (
        *(price for row in rows for price in _row_prices(row)),
        Price(PER_CALL, prices.per_call),
    )
    return tuple(price for price in found if price.amount)


def _row_prices(rates: Rates) -> Iterator[Price]:
    tier = "" if rates.service_tier == STANDARD else f", tier {rates.service_tier}"
    when = f"{tier}, above {rates.above:,}" if rates.above else tier
    yield Price(f"1M input tokens{when}", rates.input)
    if rates.cached_input != rates.input:
        yield Price(f"1M cached input tokens{when}", rates.cached_input)
    if rates.cache_write != rates.input:
        yield Price(f"1M tokens written to the cache{when}", rates.cache_write)
    if rates.cache_write_hour is not None:
        yield Price(f"1M tokens written to the cache for an hour{when}", rates.cache_write_hour)
    yield Price(f"1M output tokens{when}", rates.output)
