"""The tokens that an answer says were billed, by the dearest reading of what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from adjudge.judges.prices import Prices
from adjudge.judges.rates import STANDARD
from adjudge.records import Cost

_MOST_TOKENS = 10**9
"""A number of tokens above this is not a number of tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call."""

    prompt: int
    output: int
    cached: int = 0
    """Those of the prompt that were in the provider's cache."""
    written: int = 0
    """Those of the prompt that were written to the provider's cache."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What an answer says it is billed for."""

    usage: Usage
    cost: Cost
    surcharge: str
    """Why it is dearer than the request allowed, apart from the tokens; empty if it is not."""


def bill_of(answer: object, *, prices: Prices, service_tier: str | None) -> Bill | None:
    """The dearest consistent reading of the usage; None if the answer states none credibly.

    The service tier is the one that was sent.
    """
    if not isinstance(answer, dict):
        return None
    tier = _tier_of(answer.get("service_tier"), service_tier)
    try:
        readings = list(_readings(answer.get("usage")))
    except ValueError:
        return None
    bills = [
        Bill(
            usage=usage,
            cost=prices.cost(
                prompt_tokens=usage.prompt,
                output_tokens=usage.output,
                cached_tokens=usage.cached,
                written_tokens=usage.written,
                service_tier=tier,
            ),
            surcharge=_surcharge(prices, usage, tier, service_tier),
        )
        for usage in readings
    ]
    return max(bills, key=lambda bill: bill.cost.total, default=None)


def _surcharge(prices: Prices, usage: Usage, tier: str, sent: str | None) -> str:
    if not prices.is_dearer(tier, than=sent, prompt_tokens=usage.prompt):
        return ""
    allowed = f"{sent}, which was sent" if sent else "any that has a price in service_tiers"
    return f"billed by the service tier {tier}, dearer than {allowed}"


def _tier_of(stated: object, sent: str | None) -> str:
    if isinstance(stated, str) and stated and stated != "auto":
        return stated
    # Who bills by tiers says so in the answer, or was told by us.
    return STANDARD if sent is None or sent == "auto" else sent


def _readings(usage: object) -> Iterator[Usage]:
    """Each way to understand the usage; ValueError if a number in it cannot be one of tokens."""
    if not isinstance(usage, dict):
        return
    prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    if not prompt or completion is None:
        return
    total = _count(usage, "total_tokens") or 0
    of_prompt, of_output = _part(usage, "prompt"), _part(usage, "completion")
    cached = _believed(of_prompt, "cached_tokens")
    written = max(
        _count(of_prompt, "cache_write_tokens") or 0,
        _count(of_prompt, "cache_creation_tokens") or 0,
        _count(usage, "cache_creation_input_tokens") or 0,
    )
    reasoning = max(
        _count(of_output, "reasoning_tokens") or 0, _count(usage, "reasoning_tokens") or 0
    )
    # Reasoning is part of the completion where it can be, and the total does not say otherwise.
    inside = reasoning <= completion and total >= prompt + completion
    output = completion if inside else completion + reasoning
    if cached + written > prompt:  # then they are not part of the prompt's tokens
        prompt += cached + written
    missing = max(total - prompt - output, 0)
    yield Usage(prompt=prompt, output=output + missing, cached=cached, written=written)
    if missing and missing != reasoning:
        # Nobody says on which side they are; some have dearer input than output.
        yield Usage(prompt=prompt + missing, output=output, cached=cached, written=written)


def _part(usage: Mapping[str, object], name: str) -> Mapping[str, object]:
    details = usage.get(f"{name}_tokens_details")
    return details if isinstance(details, dict) else {}


def _count(counts: Mapping[str, object], name: str) -> int | None:
    value = counts.get(name)
    if value is None:
        return None
    if type(value) is not int or not 0 <= value <= _MOST_TOKENS:
        raise ValueError(f"{name} is no number of tokens")
    return value


def _believed(counts: Mapping[str, object], name: str) -> int:
    """Tokens that make an answer cheaper: none where the number cannot be believed."""
    try:
        return _count(counts, name) or 0
    except ValueError:
        return 0
