"""The bill that an answer states, by its most expensive reading."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import NamedTuple

from adjudge.judges.prices import Prices
from adjudge.judges.protocol import ChatProtocol
from adjudge.judges.rates import STANDARD
from adjudge.judges.usage import Usage
from adjudge.records import Cost, Money, in_parts, nano_dollars


class Bill(NamedTuple):
    """The bill of one answer, or of all answers to a request."""

    usage: Usage
    cost: Cost
    surcharge: str
    """Why the service tier was more expensive than the request allowed; empty if it was not."""
    per_answer: Money = 0
    """Price of every answer apart from its tokens; part of the input's cost."""

    def parts(self, count: int) -> list[Bill]:
        """The bills of the answers to one request; the first pays for the prompt.

        A price per call is charged for every answer: the provider may bill that way.
        """
        if count == 1:
            return [self]
        answers = in_parts(self.usage.output, count)
        costs = in_parts(self.cost.output, count)
        first = Bill(
            usage=self.usage._replace(output=answers[0]),
            cost=Cost(input=self.cost.input, output=costs[0]),
            surcharge=self.surcharge,
        )
        return [
            first,
            *(
                Bill(
                    usage=Usage(prompt=0, output=output),
                    cost=Cost(input=self.per_answer, output=cost),
                    surcharge=self.surcharge,
                )
                for output, cost in zip(answers[1:], costs[1:], strict=True)
            ),
        ]


def bill_of(
    answer: object,
    *,
    prices: Prices,
    service_tier: str | None,
    protocol: ChatProtocol,
    headers: Mapping[str, str],
) -> Bill | None:
    """The most expensive consistent reading of the usage; None if no credible one is stated.

    `service_tier` is the one that was sent.
    """
    if not isinstance(answer, dict):
        return None
    try:
        usages = protocol.usages(answer)
    except ValueError:
        return None
    if not usages:
        return None
    tier = protocol.billed_tier(answer, headers)
    if not tier or tier == "auto":
        # A provider that bills by tiers states the tier, or bills the one that was sent.
        tier = STANDARD if service_tier is None or service_tier == "auto" else service_tier
    dearest = _bill(usages[0], prices, tier, service_tier)
    for usage in usages[1:]:
        bill = _bill(usage, prices, tier, service_tier)
        if bill.cost.total > dearest.cost.total:
            dearest = bill
    stated = protocol.stated_cost(answer)
    if stated is None:
        return dearest
    # A provider that states an amount has included the tier in it.
    return Bill(usage=dearest.usage, cost=_shared_out(stated, dearest.cost), surcharge="")


def _bill(usage: Usage, prices: Prices, tier: str, sent: str | None) -> Bill:
    cost = prices.cost(
        prompt_tokens=usage.prompt,
        output_tokens=usage.output,
        cached_tokens=usage.cached,
        written_tokens=usage.written,
        long_written_tokens=usage.long_written,
        service_tier=tier,
    )
    # The quote covers the ordinary tier and the one that was sent.
    known = tier in (STANDARD, sent)
    surcharge = "" if known else _surcharge(prices, usage, tier, sent)
    return Bill(usage, cost, surcharge, prices.per_call)


def _shared_out(stated: Decimal, by_tokens: Cost) -> Cost:
    """The amount, split into input and output in proportion to their cost at our prices."""
    total = nano_dollars(stated, of="cost of the answer")
    whole = by_tokens.total
    output = total * by_tokens.output // whole if whole else 0
    return Cost(input=total - output, output=output)


def _surcharge(prices: Prices, usage: Usage, tier: str, sent: str | None) -> str:
    if not prices.is_dearer(tier, than=sent, prompt_tokens=usage.prompt):
        return ""
    allowed = f"{sent}, which was sent" if sent else "any that has a price in service_tiers"
    return (
        f"billed by the service tier {tier}, dearer than {allowed}. What to change: see which tier "
        "the project's settings at the provider choose, or give the judge that service_tier"
    )
