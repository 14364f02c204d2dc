"""What a model costs: by kind of token, service tier and length of the prompt."""

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
"""Dear service tiers: the most that public price lists ask for them, in ordinary prices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What a model costs; make it by `of` or `from_price_map`."""

    rates: tuple[Rates, ...]
    """For every service tier with a price, by length of the prompt, shortest first."""
    per_call: Money = 0
    origin: Origin | None = field(default=None, compare=False)
    """Where they are from; None if that was not said."""

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
        """Prices in dollars per million tokens, as people quote them, and dollars per call.

        `service_tiers` says what each tier costs, in ordinary prices, as `{"priority": 2}`.
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
        """What so many tokens cost, each part rounded up to whole nano-dollars.

        Cached and written tokens are parts of the prompt's, long-written ones of the written.
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
        # Not by `_rounded_up`: every answer passes here.
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
        """What up to so many tokens cost at most, by the dearest way to bill each of them.

        `long_cache` is whether the prompt may be written to a cache for an hour or longer.
        A service tier of None was not chosen: the dearest that has a price may be used. One that
        was chosen may be replaced by the ordinary one.
        """
        rows = self._possible(prompt_tokens, service_tier)
        prompt = max(row.dearest_input(long_cache=long_cache) for row in rows)
        return Cost(
            input=self.per_call + _rounded_up(prompt_tokens * prompt),
            output=_rounded_up(output_tokens * max(row.output for row in rows)),
        )

    def is_dearer(self, billed: str, *, than: str | None, prompt_tokens: int) -> bool:
        """Whether this service tier costs more than `most` assumes for the other."""
        asked = self._at(prompt_tokens, billed)
        rows = self._possible(prompt_tokens, than)
        return any(
            getattr(asked, kind) > max(getattr(row, kind) for row in rows)
            for kind in ("input", "output", "cache_write")
        )

    @property
    def listed(self) -> bool:
        """Whether they are from a public list."""
        return self.origin is not None and self.origin.day is not None

    @property
    def reads_save(self) -> bool:
        """Whether reading a prompt from a cache is cheaper than sending it anew."""
        return any(row.cached_input < row.input for row in self.rates)

    @property
    def writes_cost(self) -> bool:
        """Whether writing a prompt to a cache costs more than sending it."""
        return any(row.cache_write > row.input for row in self.rates)

    def check_priced(self, service_tier: str | None) -> None:
        """Refuse a dear service tier without a price."""
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
        """The rates of the tier by length of the prompt; ordinary ones if it has none."""
        tier = same_tier(service_tier)
        own = [row for row in self.rates if row.service_tier == tier]
        if own:
            return own
        ordinary = [row for row in self.rates if row.service_tier == STANDARD]
        return [row.times(_DEAR[tier], tier) for row in ordinary] if tier in _DEAR else ordinary

    def _at(self, prompt_tokens: int, service_tier: str) -> Rates:
        if len(self.rates) == 1 and service_tier == STANDARD:  # as nearly always
            return self.rates[0]
        return _up_to(self._tier_rates(service_tier), prompt_tokens)[-1]

    def _possible(self, prompt_tokens: int, service_tier: str | None) -> list[Rates]:
        """Every row that may be used for a request of up to so many tokens."""
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
