"""What tokens and calls cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from adjudge.errors import InputError
from adjudge.records import Cost, Money, nano_dollars

Amount = str | int | float | Decimal

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Nano-dollars per million tokens, and per call."""

    input: Money
    output: Money
    cached_input: Money
    """Prompt tokens that the provider had in its cache; never above `input`."""
    per_call: Money = 0

    @classmethod
    def of(
        cls,
        *,
        input: Amount = 0,  # noqa: A002 - as price lists call it
        output: Amount = 0,
        cached_input: Amount | None = None,
        per_call: Amount = 0,
    ) -> Prices:
        """Prices in dollars per million tokens, as people quote them, and dollars per call."""
        fresh = nano_dollars(input, of="price of input")
        cached = fresh if cached_input is None else nano_dollars(cached_input, of="cached price")
        if cached > fresh:
            raise InputError(
                "cached price", f"{cached_input}", f"it is at most {input}, the input's"
            )
        return cls(
            input=fresh,
            output=nano_dollars(output, of="price of output"),
            cached_input=cached,
            per_call=nano_dollars(per_call, of="price per call"),
        )

    @classmethod
    def from_price_map(cls, entry: Mapping[str, object]) -> Prices:
        """Prices from an entry of a litellm-style map, in dollars per token."""

        def per_million(key: str) -> Decimal | None:
            value = entry.get(key)
            return None if value is None else Decimal(str(value)) * _MILLION

        tokens = per_million("input_cost_per_token"), per_million("output_cost_per_token")
        if tokens[0] is None or tokens[1] is None:
            raise InputError(
                "price map",
                f"has {', '.join(sorted(entry)) or 'nothing'}",
                "it needs input_cost_per_token and output_cost_per_token",
            )
        cached = per_million("cache_read_input_token_cost")
        call = entry.get("input_cost_per_request") or 0
        return cls.of(
            input=tokens[0],
            output=tokens[1],
            cached_input=None if cached is None else min(cached, tokens[0]),
            per_call=str(call),
        )

    def cost(self, *, prompt_tokens: int, output_tokens: int, cached_tokens: int = 0) -> Cost:
        """What so many tokens cost, each part rounded up to whole nano-dollars."""
        fresh = max(prompt_tokens - cached_tokens, 0)
        paid = fresh * self.input + min(cached_tokens, prompt_tokens) * self.cached_input
        return Cost(
            input=self.per_call + _rounded_up(paid), output=_rounded_up(output_tokens * self.output)
        )


def _rounded_up(nano_dollars_times_million: int) -> Money:
    return -(-nano_dollars_times_million // _MILLION)
