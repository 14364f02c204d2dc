"""Types shared by judges, stores and runs: items, money, and outcomes of calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from enum import IntEnum
from types import MappingProxyType
from typing import TypeAlias

from adjudge.errors import InputError

Money: TypeAlias = int
"""An amount in nano-dollars; the name of the currency is only a label."""

NANO = 1_000_000_000
"""Nano-dollars per dollar."""
_LARGEST = 10**9 * NANO
"""Maximum amount, a billion dollars: sums still fit the 64-bit integers of databases."""


def nano_dollars(amount: str | int | float | Decimal, *, of: str = "budget") -> Money:
    """An amount in dollars, converted to money and rounded up; `of` is its name in errors."""
    try:
        exact = Decimal(str(amount)) * NANO
    except InvalidOperation as error:
        raise InputError(of, f"{amount!r}", "give an amount of money, as 12.50") from error
    if not exact.is_finite() or not 0 <= exact <= _LARGEST:
        raise InputError(of, f"{amount}", "an amount of money is zero or more, and finite")
    return int(exact.to_integral_value(ROUND_CEILING))


def dollars(amount: Money) -> str:
    """The money as text for people: `$0.00015`, `$0.10`, `$12.34`."""
    if amount >= NANO:
        return f"${Decimal(amount) / NANO:,.2f}"
    digits = f"{Decimal(amount) / NANO:.{6 if amount >= 1000 else 9}f}".rstrip("0")
    return "$" + digits.ljust(len("0.00"), "0")


def about(amount: Money) -> str:
    """The money as text, rounded up to two significant digits, for estimates."""
    unit = 10 ** max(len(str(amount)) - 2, 0)
    return dollars(-(-amount // unit) * unit)


def in_parts(amount: int, count: int) -> list[int]:
    """The amount in `count` equal parts; the first parts get the remainder."""
    each, over = divmod(amount, count)
    return [each + (number < over) for number in range(count)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost of a call in two parts, which are estimated separately."""

    input: Money
    """Cost of the prompt: known before the call, except for the exact number of tokens."""
    output: Money = 0
    """Cost of the answer: known only after the call."""

    @property
    def total(self) -> Money:
        """The sum of both parts."""
        return self.input + self.output

    def parts(self, count: int) -> list[Cost]:
        """The cost of each of `count` calls that were billed together."""
        both = zip(in_parts(self.input, count), in_parts(self.output, count), strict=True)
        return [Cost(input=sent, output=answered) for sent, answered in both]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A response to be scored."""

    id: str
    response: str
    """The text that judges score."""
    prompt: str = ""
    """The prompt that the response answers."""
    reference: str | None = None
    """A known good answer."""
    group: str | None = None
    """The system that produced the response."""
    metadata: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """All other columns."""
    label: float | None = None
    """A person's score, on the people's scale; never shown to judges."""

    @property
    def fields(self) -> dict[str, object]:
        """The fields that prompts may use; absent fields and the label are left out."""
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
    """A person's score of an item."""

    item: str
    """The item's id."""
    value: float
    """The score, on the people's scale."""
    rater: str = ""
    """The person's name; empty if unknown."""


class Reason(IntEnum):
    """Why a call gave no score. Ledgers store these numbers: never give one a new meaning."""

    UNREADABLE = 1
    """No score was found in the answer."""
    OUT_OF_RANGE = 2
    """A score was found that is not on the scale."""
    CONTRADICTING = 3
    """Several different scores were found."""
    EMPTY = 4
    """The answer has no text."""
    DECLINED = 5
    """The model declined to judge."""
    CUT_SHORT = 6
    """The answer reached its maximum length before its score."""
    MALFORMED = 7
    """The answer is not the JSON of a chat completion."""
    TOO_LONG = 8
    """The answer is larger than any chat completion."""

    BUSY = 20
    """Too many requests; later ones may succeed."""
    DOWN = 21
    """The judge is unavailable at the moment."""
    REJECTED = 22
    """The judge refuses this item."""
    DENIED = 23
    """The judge refuses all our calls."""
    WITHDRAWN = 24
    """The run stopped before the call was sent."""

    TIMED_OUT = 40
    """Sent, but not answered in time."""
    BROKEN_OFF = 41
    """Sent, but the connection broke before the answer was complete."""
    ABANDONED = 42
    """Sent, but the run was stopped before the answer arrived."""
    CRASHED = 43
    """Reserved, but the process died without recording an outcome."""
    RAISED = 44
    """The judge function raised an exception."""

    DAMAGED = 60
    """The ledger's entry was damaged; its content is unknown."""

    @property
    def words(self) -> str:
        """The reason in reports, such as `timed out`."""
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """A remaining quota that an endpoint states, and the time until its reset."""

    limit: int
    remaining: int
    reset: float
    """Seconds until the quota is full again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headroom:
    """The remaining quotas of calls and tokens that an endpoint states."""

    requests: Quota | None = None
    tokens: Quota | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judge's answer, with or without a score; it was billed."""

    score: float | None
    """The score on the judge's scale; None if the answer has no usable score."""
    cost: Cost | None
    """The cost; None if the answer does not state it: the worst case is then charged."""
    reason: Reason | None = None
    """Why there is no score."""
    text: str = ""
    """The text of the answer."""
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    """Prompt tokens that were billed at the cached price."""
    written_tokens: int | None = None
    """Prompt tokens that were written to the provider's cache."""
    output_tokens: int | None = None
    surcharge: str = ""
    """Why the bill exceeds the quote, if it does; the judge is then switched off."""
    headroom: Headroom | None = None
    """The endpoint's remaining quotas; None if it states none."""
    note: str = ""
    """The source of the score, if a mean by log-probabilities was wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The judge did not take the call; it cost nothing."""

    reason: Reason
    detail: str
    """The judge's message, shortened and without secrets."""
    retry_after: float | None = None
    """Seconds to wait, as the judge asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """The call was sent, but failed or was never fully answered; it is presumed billed."""

    reason: Reason
    detail: str
    """What happened, shortened and without secrets."""
    retry_after: float | None = None
    """Seconds to wait, as the judge asked."""
    cost: Cost | None = None
    """The cost stated by the failure; None if it states none: the worst case is then charged."""


Outcome: TypeAlias = Verdict | Refused | Lost
"""The outcome of a call."""
