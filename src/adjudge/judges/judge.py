"""What a judge is to a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from adjudge.errors import InputError
from adjudge.records import Cost, Item, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Rate and concurrency limits of a judge."""

    concurrency: int = 32
    """Calls under way at the same time, at most."""
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
    """What one call will cost, before it is made."""

    most: Cost
    """The worst case: reserved before the call is sent."""
    likely: Cost
    """A first guess, until real calls are known."""
    tokens: int = 0
    """About as many tokens as the call will use; paces it under a limit of tokens per minute."""


class Judge(Protocol):
    """Scores items, each call at a price that has an upper bound."""

    @property
    def name(self) -> str:
        """Its name; unique within a run."""
        ...

    @property
    def identity(self) -> str:
        """Everything an answer depends on besides the item, without secrets.

        Answers in a store are used again for a judge of the same identity and for no other.
        """
        ...

    @property
    def reads(self) -> frozenset[str] | None:
        """The fields of an item that an answer depends on; None for all."""
        ...

    @property
    def limits(self) -> Limits:
        """Its rate and concurrency limits."""
        ...

    def quote(self, item: Item) -> Quote:
        """What a call about this item will cost; an item that cannot be asked is an InputError."""
        ...

    def preview(self, item: Item) -> str:
        """What a call about this item would say, for people to read."""
        ...

    async def open(self, *, salt: bytes = b"") -> None:
        """Get ready; raise JudgeUnavailableError, for nothing spent, if it cannot be asked.

        The salt, of 16 random bytes, is the run's; it keys the fences around judged text. None is
        given where nothing will be scored, as to see whether the judge can be reached.
        """
        ...

    async def score(self, item: Item) -> Outcome:
        """Make one call; every way that it can end is a value, not an exception."""
        ...

    async def close(self) -> None:
        """Release what `open` acquired."""
        ...


@runtime_checkable
class AnswersSeveral(Protocol):
    """A judge that can give several answers about one item to one request."""

    @property
    def answers_per_request(self) -> int:
        """How many at most; 1 once it has shown that it gives no more."""
        ...

    @property
    def several_known(self) -> bool:
        """Whether it is known how many it gives; until then one request at a time tries it."""
        ...

    async def score_several(self, item: Item, count: int) -> list[Outcome]:
        """Make one request for so many answers; how the call for each of them ended.

        One that was not asked after all, because the judge gives fewer answers to a request, is
        refused as withdrawn.
        """
        ...


@runtime_checkable
class CachesPrompts(Protocol):
    """A judge whose provider keeps prompts for a while, so that repeats may be cheaper."""

    @property
    def caches_prompts(self) -> bool:
        """Whether a call soon after another about the same item is cheaper."""
        ...

    async def score_repeated(self, item: Item) -> Outcome:
        """Make one of several calls about this item that are sent soon after each other."""
        ...


@runtime_checkable
class RepeatsItself(Protocol):
    """A judge that may give the same answer whenever it is asked the same."""

    @property
    def repeats_itself(self) -> bool:
        """Whether it does, so that asking it twice about an item is worth nothing."""
        ...


@runtime_checkable
class Salted(Protocol):
    """A judge that keeps what it renders for a quote, to send it as it is."""

    def use_salt(self, salt: bytes) -> None:
        """Render with the run's salt from now on; see `Judge.open`."""
        ...
