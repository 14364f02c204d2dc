"""Prices of a model, by kind of token, service tier and prompt length."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from types import MappingProxyType

from adjudge.errors import InputError
from adjudge.judges.price_map import rates_in
from adjudge.judges.price_origin import Origin
from adjudge.judges.rates import STANDARD, Amount, Rates, same_tier
from adjudge.records import Cost, Money, nano_dollars

_MILLION = 1_000_000
_DEAR = MappingProxyType(
    {"priority": Decimal("2.5"), "ultrafast": Decimal(6), "us": Decimal("1.1")}
)
"""Expensive service tiers, with the highest multiple of ordinary prices in public lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices of a model; created by `of` or `from_price_map`."""

    rates: tuple[Rates, ...]
    """For every service tier with a price, by prompt length, shortest first."""
    per_call: Money = 0
    origin: Origin | None = field(default=None, compare=False)
    """The origin of the prices; None if unknown."""

    @classmethod
    def of(
        cls,
        *,
        input: Amount = 0,  # noqa: A002 - as price lists call it
        output: Amount = 0,
        cached_input: Amount | None = None,
        cache_write: Amount | None = None,
        cache_write_hour: Amount | None = None,
        per_call: Amount = 0,
        long_context: Iterable[Rates] = (),
        service_tiers: Mapping[str, Amount] | None = None,
    ) -> Prices:
        """Prices from dollars per million tokens and dollars per call.

        `service_tiers` has each tier's multiple of ordinary prices, such as `{"priority": 2}`.
        """
        short = Rates.of(
            input=input,
            output=output,
            cached_input=cached_input,
            cache_write=cache_write,
            cache_write_hour=cache_write_hour,
        )
        ordinary = [short, *sorted(long_context, key=lambda row: row.above)]
        others = [
            row.times(_multiple(tier, multiple), same_tier(tier))
            for tier, multiple in (service_tiers or {}).items()
            for row in ordinary
        ]
        return cls(rates=(*ordinary, *others), per_call=nano_dollars(per_call, of="price per call"))

    @classmethod
    def from_price_map(cls, entry: Mapping[str, object]) -> Prices:
        """Prices from an entry of a litellm-style map, in dollars per token."""
        call = str(entry.get("input_cost_per_request") or 0)
        return cls(rates=rates_in(entry), per_call=nano_dollars(call, of="price per call"))

    def cost(
        self,
        *,
        prompt_tokens: int,
        output_tokens: int,
        cached_tokens: int = 0,
        written_tokens: int = 0,
        long_written_tokens: int = 0,
        service_tier: str = STANDARD,
    ) -> Cost:
        """The cost of these tokens, each part rounded up to whole nano-dollars.

        Prompt tokens include cached and written ones; written tokens include long-written ones.
        """
        rates = self._at(prompt_tokens, service_tier)
        paid = prompt_tokens * rates.input
        if cached_tokens or written_tokens:
            written = min(written_tokens, prompt_tokens)
            long = min(long_written_tokens, written)
            cached = min(cached_tokens, prompt_tokens - written)
            paid += cached * (rates.cached_input - rates.input)
            paid += (written - long) * (rates.cache_write - rates.input)
            if long:
                paid += long * (rates.long_cache_write - rates.input)
        # Not by `_rounded_up`, for speed: this runs for every answer.
        return Cost(
            input=self.per_call - -paid // _MILLION,
            output=-(-output_tokens * rates.output // _MILLION),
        )

    def most(
        self,
        *,
        prompt_tokens: int,
        output_tokens: int,
        service_tier: str | None,
        long_cache: bool = False,
    ) -> Cost:
        """The maximum cost of up to this many tokens, each billed in the most expensive way.

        `long_cache` is whether the prompt may be written to a cache for an hour or longer.
        If `service_tier` is None, any tier with a price may be billed; otherwise the chosen one or
        the ordinary one.
        """
        rows = self._possible(prompt_tokens, service_tier)
        prompt = max(row.dearest_input(long_cache=long_cache) for row in rows)
        return Cost(
            input=self.per_call + _rounded_up(prompt_tokens * prompt),
            output=_rounded_up(output_tokens * max(row.output for row in rows)),
        )

    def is_dearer(self, billed: str, *, than: str | None, prompt_tokens: int) -> bool:
        """Whether the `billed` tier costs more than `most` allows for the tier `than`."""
        asked = self._at(prompt_tokens, billed)
        rows = self._possible(prompt_tokens, than)
        return any(
            getattr(asked, kind) > max(getattr(row, kind) for row in rows)
            for kind in ("input", "output", "cache_write")
        )

    @property
    def listed(self) -> bool:
        """Whether the prices are from a public list."""
        return self.origin is not None and self.origin.day is not None

    @property
    def reads_save(self) -> bool:
        """Whether cached prompt tokens are cheaper than other input."""
        return any(row.cached_input < row.input for row in self.rates)

    @property
    def writes_cost(self) -> bool:
        """Whether prompt tokens written to a cache cost more than other input."""
        return any(row.cache_write > row.input for row in self.rates)

    def check_priced(self, service_tier: str | None) -> None:
        """Raise InputError for an expensive service tier without a price."""
        if service_tier is None or same_tier(service_tier) not in _DEAR:
            return
        if same_tier(service_tier) not in {row.service_tier for row in self.rates}:
            raise InputError(
                "service_tier",
                f"{service_tier} has no price",
                f"say what it costs, in ordinary prices, as service_tiers: {{{service_tier}: 2}} "
                "in the judge's prices",
            )

    def _tier_rates(self, service_tier: str) -> list[Rates]:
        """The rates of the tier by prompt length; the ordinary ones if it has none."""
        tier = same_tier(service_tier)
        own = [row for row in self.rates if row.service_tier == tier]
        if own:
            return own
        ordinary = [row for row in self.rates if row.service_tier == STANDARD]
        return [row.times(_DEAR[tier], tier) for row in ordinary] if tier in _DEAR else ordinary

    def _at(self, prompt_tokens: int, service_tier: str) -> Rates:
        if len(self.rates) == 1 and service_tier == STANDARD:  # the usual case
            return self.rates[0]
        return _up_to(self._tier_rates(service_tier), prompt_tokens)[-1]

    def _possible(self, prompt_tokens: int, service_tier: str | None) -> list[Rates]:
        """Every row that may apply to a request of up to this many tokens."""
        if service_tier is None or service_tier == "auto":
            return _up_to(self.rates, prompt_tokens)
        ordinary = self._tier_rates(STANDARD)
        return _up_to([*ordinary, *self._tier_rates(service_tier)], prompt_tokens)


def _up_to(rates: Iterable[Rates], prompt_tokens: int) -> list[Rates]:
    return [row for row in rates if row.above < max(prompt_tokens, 1)]


def _multiple(tier: str, amount: Amount) -> Decimal:
    try:
        multiple = Decimal(str(amount))
    except InvalidOperation:
        multiple = Decimal(-1)
    if not multiple.is_finite() or multiple < 0 or same_tier(tier) == STANDARD:
        raise InputError(
            "service_tiers", f"{tier}: {amount}", "say what it costs in ordinary prices, as 2"
        )
    return multiple


def _rounded_up(nano_dollars_times_million: int) -> Money:
    return -(-nano_dollars_times_million // _MILLION)
