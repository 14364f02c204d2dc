"""What each kind of token costs."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal

from adjudge.errors import InputError
from adjudge.records import Money, nano_dollars

Amount = str | int | float | Decimal

STANDARD = "default"
"""The service tier of ordinary prices, by the name that OpenAI gives it."""
_CACHE_WRITE = Decimal("1.25")
"""Price of a prompt token that is written to the cache, in input prices, where none is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Nano-dollars per million tokens of each kind, and the requests that they hold for."""

    input: Money
    output: Money
    cached_input: Money
    """Prompt tokens that the provider had in its cache; never above `input`."""
    cache_write: Money
    """Prompt tokens that the provider wrote to its cache."""
    service_tier: str = STANDARD
    above: int = 0
    """They hold for all tokens of a request with more prompt tokens than this."""

    @classmethod
    def of(
        cls,
        *,
        input: Amount = 0,  # noqa: A002 - as price lists call it
        output: Amount = 0,
        cached_input: Amount | None = None,
        cache_write: Amount | None = None,
        service_tier: str = STANDARD,
        above: int = 0,
    ) -> Rates:
        """Rates in dollars per million tokens; cached input costs as much as input if not given."""
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
            service_tier=service_tier,
            above=above,
        )

    def times(self, multiple: Decimal, service_tier: str) -> Rates:
        """The rates of a service tier that costs this multiple."""
        return Rates(
            input=_times(self.input, multiple),
            output=_times(self.output, multiple),
            cached_input=_times(self.cached_input, multiple),
            cache_write=_times(self.cache_write, multiple),
            service_tier=service_tier,
            above=self.above,
        )


def _times(price: Money, multiple: Decimal) -> Money:
    return int((price * multiple).to_integral_value(ROUND_CEILING))
