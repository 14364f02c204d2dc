"""Prices per kind of token."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from types import MappingProxyType

from adjudge.errors import InputError
from adjudge.records import Money, nano_dollars

Amount = str | int | float | Decimal

STANDARD = "default"
"""OpenAI's name for the service tier with ordinary prices."""
BATCH = "batch"
"""Anthropic's name for the service tier of batch APIs."""
_SAME_TIER = MappingProxyType({"fast": "priority", "standard": STANDARD})
"""Other names of a service tier."""
_CACHE_WRITE = Decimal("1.25")
"""Default price of writing a token to the cache, as a multiple of the input price."""
_HOUR_WRITE = Decimal(2)
"""The same for a cache lifetime of an hour or longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Nano-dollars per million tokens of each kind, for one service tier and prompt length."""

    input: Money
    output: Money
    cached_input: Money
    """Price of prompt tokens read from the provider's cache."""
    cache_write: Money
    """Price of prompt tokens written to the provider's cache for some minutes."""
    cache_write_hour: Money | None = None
    """Price of prompt tokens written for an hour or longer; None if unknown."""
    service_tier: str = STANDARD
    above: int = 0
    """The rates hold for all tokens of a request with more prompt tokens than this."""

    @classmethod
    def of(
        cls,
        *,
        input: Amount = 0,  # noqa: A002 - as price lists call it
        output: Amount = 0,
        cached_input: Amount | None = None,
        cache_write: Amount | None = None,
        cache_write_hour: Amount | None = None,
        service_tier: str = STANDARD,
        above: int = 0,
    ) -> Rates:
        """Rates from dollars per million tokens; cached input costs as much as input by default."""
        fresh = nano_dollars(input, of="price of input")
        cached = fresh if cached_input is None else nano_dollars(cached_input, of="cached price")
        if cached > fresh:
            raise InputError(
                "cached price", f"{cached_input}", f"it is at most {input}, the input's"
            )
        if cache_write is None:
            write = _times(fresh, _CACHE_WRITE)
        else:
            write = nano_dollars(cache_write, of="price of cache writes")
        return cls(
            input=fresh,
            output=nano_dollars(output, of="price of output"),
            cached_input=cached,
            cache_write=write,
            cache_write_hour=(
                None
                if cache_write_hour is None
                else nano_dollars(cache_write_hour, of="price of cache writes for an hour")
            ),
            service_tier=service_tier,
            above=above,
        )

    @property
    def long_cache_write(self) -> Money:
        """Price of prompt tokens written for an hour or longer, estimated if unknown."""
        if self.cache_write_hour is not None:
            return self.cache_write_hour
        return max(_times(self.input, _HOUR_WRITE), self.cache_write)

    def dearest_input(self, *, long_cache: bool) -> Money:
        """The maximum price of a prompt token; with `long_cache` it may be written for an hour."""
        write = self.long_cache_write if long_cache else self.cache_write
        return max(self.input, self.cached_input, write)

    def times(self, multiple: Decimal, service_tier: str) -> Rates:
        """The rates of a service tier with this multiple of these prices."""
        hour = self.cache_write_hour
        return Rates(
            input=_times(self.input, multiple),
            output=_times(self.output, multiple),
            cached_input=_times(self.cached_input, multiple),
            cache_write=_times(self.cache_write, multiple),
            cache_write_hour=None if hour is None else _times(hour, multiple),
            service_tier=service_tier,
            above=self.above,
        )


def same_tier(name: str) -> str:
    """The canonical name of a service tier."""
    lower = name.strip().lower()
    return _SAME_TIER.get(lower, lower)


def _times(price: Money, multiple: Decimal) -> Money:
    return int((price * multiple).to_integral_value(ROUND_CEILING))
