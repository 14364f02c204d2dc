"""The protocols that a run requires of judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from adjudge.errors import InputError
from adjudge.records import Cost, Item, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Rate and concurrency limits of a judge."""

    concurrency: int = 32
    """Maximum number of concurrent calls."""
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise InputError("concurrency", f"{self.concurrency}", "at least one call at a time")
        for field in ("requests_per_minute", "tokens_per_minute"):
            rate = getattr(self, field)
            if rate is not None and not rate > 0:
                raise InputError(field, f"{rate}", "leave it out, or give a rate above zero")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The maximum and likely cost of one call, known before it is made."""

    most: Cost
    """The worst case, reserved before the call is sent."""
    likely: Cost
    """A first estimate, until the cost of real calls is known."""
    tokens: int = 0
    """Estimated tokens of the call, for limits of tokens per minute."""


class Judge(Protocol):
    """Scores items, each call at a price that has an upper bound."""

    @property
    def name(self) -> str:
        """The judge's name; unique within a run."""
        ...

    @property
    def identity(self) -> str:
        """Everything that an answer depends on, except the item and without secrets.

        Stored answers are reused only for a judge with the same identity.
        """
        ...

    @property
    def reads(self) -> frozenset[str] | None:
        """The fields of an item that an answer depends on; None for all."""
        ...

    @property
    def limits(self) -> Limits:
        """The judge's rate and concurrency limits."""
        ...

    def quote(self, item: Item) -> Quote:
        """The cost of a call about this item; InputError if the item cannot be asked about."""
        ...

    def preview(self, item: Item) -> str:
        """The text of a call about this item, for people to read."""
        ...

    async def open(self, *, salt: bytes = b"") -> None:
        """Prepare for calls; raise JudgeUnavailableError if the judge cannot be asked.

        This spends nothing. The salt, 16 random bytes of the run, keys the fences around judged
        text. It is empty if nothing will be scored, as when only reachability is checked.
        """
        ...

    async def score(self, item: Item) -> Outcome:
        """Make one call; every outcome is returned as a value, not raised."""
        ...

    async def close(self) -> None:
        """Release what `open` acquired."""
        ...


@runtime_checkable
class AnswersSeveral(Protocol):
    """A judge that can give several answers about one item per request."""

    @property
    def answers_per_request(self) -> int:
        """Maximum number of answers per request; 1 once more are known to be unsupported."""
        ...

    @property
    def several_known(self) -> bool:
        """Whether that number is confirmed; until then, one request at a time tries it."""
        ...

    async def score_several(self, item: Item, count: int) -> list[Outcome]:
        """Make one request for `count` answers; return one outcome per answer.

        Answers that the judge did not give, because it supports fewer per request, are refused as
        withdrawn.
        """
        ...


@runtime_checkable
class CachesPrompts(Protocol):
    """A judge whose provider caches prompts, so that repeated calls may be cheaper."""

    @property
    def caches_prompts(self) -> bool:
        """Whether a call is cheaper soon after another about the same item."""
        ...

    async def score_repeated(self, item: Item) -> Outcome:
        """Make one of several calls about this item in close succession."""
        ...


@runtime_checkable
class RepeatsItself(Protocol):
    """A judge that says whether it is deterministic."""

    @property
    def repeats_itself(self) -> bool:
        """Whether all answers about an item are the same, so that one call is enough."""
        ...


@runtime_checkable
class Salted(Protocol):
    """A judge that caches the request rendered for a quote and sends it unchanged."""

    def use_salt(self, salt: bytes) -> None:
        """Render with the run's salt from now on; see `Judge.open`."""
        ...
