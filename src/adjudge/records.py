"""The types that judges, stores and runs share: items, money, and outcomes of calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from enum import IntEnum
from types import MappingProxyType
from typing import TypeAlias

from adjudge.errors import InputError

Money: TypeAlias = int
"""An amount in nano-dollars; what the currency is called is only a label."""

NANO = 1_000_000_000
"""Nano-dollars of a dollar."""
_LARGEST = 10**9 * NANO
"""A billion dollars: sums of it still fit the 64-bit integers of databases."""


def nano_dollars(amount: str | int | float | Decimal, *, of: str = "budget") -> Money:
    """The amount in dollars as money, rounded up; `of` names what it is, for the error."""
    try:
        exact = Decimal(str(amount)) * NANO
    except InvalidOperation as error:
        raise InputError(of, f"{amount!r}", "give an amount of money, as 12.50") from error
    if not exact.is_finite() or not 0 <= exact <= _LARGEST:
        raise InputError(of, f"{amount}", "an amount of money is zero or more, and finite")
    return int(exact.to_integral_value(ROUND_CEILING))


def dollars(amount: Money) -> str:
    """The money as people read it: `$0.00015`, `$0.10`, `$12.34`."""
    if amount >= NANO:
        return f"${Decimal(amount) / NANO:,.2f}"
    digits = f"{Decimal(amount) / NANO:.{6 if amount >= 1000 else 9}f}".rstrip("0")
    return "$" + digits.ljust(len("0.00"), "0")


def about(amount: Money) -> str:
    """The money to two significant digits, rounded up, for estimates."""
    unit = 10 ** max(len(str(amount)) - 2, 0)
    return dollars(-(-amount // unit) * unit)


def in_parts(amount: int, count: int) -> list[int]:
    """The amount in so many equal parts; the first ones have what cannot be divided."""
    each, over = divmod(amount, count)
    return [each + (number < over) for number in range(count)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a call costs, in its two parts: they are learned apart."""

    input: Money
    """For what is sent: known before the call, up to how it is cut into tokens."""
    output: Money = 0
    """For what comes back: known only after the call."""

    @property
    def total(self) -> Money:
        """Both parts."""
        return self.input + self.output

    def parts(self, count: int) -> list[Cost]:
        """The cost of each of so many calls that were billed together."""
        both = zip(in_parts(self.input, count), in_parts(self.output, count), strict=True)
        return [Cost(input=sent, output=answered) for sent, answered in both]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing to be scored."""

    id: str
    response: str
    """The text that judges score."""
    prompt: str = ""
    """What the response answers."""
    reference: str | None = None
    """An answer known to be good."""
    group: str | None = None
    """The system that produced the response."""
    metadata: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """Every other column."""
    label: float | None = None
    """What a person says of it, on the scale of people; no judge gets to see it."""

    @property
    def fields(self) -> dict[str, object]:
        """Everything a prompt may name; what is absent is left out, and so is the label."""
        found = {
            **self.metadata,
            "id": self.id,
            "prompt": self.prompt,
            "response": self.response,
        }
        if self.reference is not None:
            found["reference"] = self.reference
        if self.group is not None:
            found["group"] = self.group
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What a person says of an item."""

    item: str
    """The item's id."""
    value: float
    """On the scale of people."""
    rater: str = ""
    """Who said it; empty if that is not told."""


class Reason(IntEnum):
    """Why a call gave no score. Stores hold these numbers: never give one a new meaning."""

    UNREADABLE = 1
    """No score was found in the answer."""
    OUT_OF_RANGE = 2
    """A score was found that is not on the scale."""
    CONTRADICTING = 3
    """Several different scores were found."""
    EMPTY = 4
    """The answer held no text."""
    DECLINED = 5
    """The model declined to judge."""
    CUT_SHORT = 6
    """The answer reached its longest allowed length before its score."""
    MALFORMED = 7
    """What came back is not the JSON of a chat completion."""
    TOO_LONG = 8
    """What came back is larger than any answer can be."""

    BUSY = 20
    """Too many requests; later ones may do."""
    DOWN = 21
    """The judge does not work at the moment."""
    REJECTED = 22
    """The judge refuses this item."""
    DENIED = 23
    """The judge refuses all our calls."""
    WITHDRAWN = 24
    """The run stopped before the call was sent."""

    TIMED_OUT = 40
    """Sent, and not answered in time."""
    BROKEN_OFF = 41
    """Sent, and the connection broke before the answer was complete."""
    ABANDONED = 42
    """Sent, and the run was stopped before the answer came."""
    CRASHED = 43
    """Reserved, and the process ended without saying what became of it."""
    RAISED = 44
    """The judge function raised an exception."""

    DAMAGED = 60
    """The ledger's entry was damaged; what it held is not known."""

    @property
    def words(self) -> str:
        """As a report says it: `timed out`."""
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """A remaining quota that an endpoint states, and when it is full again."""

    limit: int
    remaining: int
    reset: float
    """Seconds until it is full again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headroom:
    """The remaining quotas of calls and tokens that an endpoint states."""

    requests: Quota | None = None
    tokens: Quota | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judge's answer; it was billed, with a score or without."""

    score: float | None
    """On the scale that was asked for; None if the answer holds no usable score."""
    cost: Cost | None
    """What it cost; None if the answer does not say, and the worst case is then charged."""
    reason: Reason | None = None
    """Why it has no score."""
    text: str = ""
    """The answer as it came."""
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    """Those of the prompt tokens that were billed at the cached price."""
    written_tokens: int | None = None
    """Those of the prompt tokens that were written to the provider's cache."""
    output_tokens: int | None = None
    surcharge: str = ""
    """Why it was billed above its quote, if it was; such a judge is switched off."""
    headroom: Headroom | None = None
    """What the endpoint still takes; None if it does not say."""
    note: str = ""
    """Where the score is from, if the judge was to give a mean by log-probabilities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The judge did not take the call; it cost nothing."""

    reason: Reason
    detail: str
    """What it said, in a few words and without secrets."""
    retry_after: float | None = None
    """Seconds that it asked us to wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The call was sent and failed, or was never fully answered; it is presumed billed."""

    reason: Reason
    detail: str
    """What happened, in a few words and without secrets."""
    retry_after: float | None = None
    """Seconds that the judge asked us to wait."""
    cost: Cost | None = None
    """What the failure says it cost; None if it does not, and the worst case is then charged."""


Outcome: TypeAlias = Verdict | Refused | Lost
"""How a call ended."""
