"""A protocol as the practice server speaks it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from adjudge.testing.completion import Completion


class Trouble(Enum):
    """Why a request is refused, in no protocol's own words."""

    BUSY = "too many requests"
    OVERLOADED = "overloaded"
    CREDIT = "out of credit"
    SPEND_LIMIT = "at a spend limit"
    KEY = "wrong key"
    REQUEST = "a request that it rejects"
    OTHER = "anything else"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a request asks for."""

    model: str
    prompt: str
    limit: int
    """Longest answer in tokens."""
    service_tier: str | None
    """By the name that prices have for it; None if the request does not say."""
    answers: int = 1
    logprobs: bool = False
    """Whether log-probabilities are asked for."""
    levels: tuple[str, ...] = ()
    """The levels that are to be decided between."""
    questions: tuple[str, ...] = ()
    """The names of the questions that are to be decided."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """How a protocol refuses a request."""

    status: int
    fields: Mapping[str, object]
    headers: tuple[str, ...] = ()


class Dialect(Protocol):
    """One protocol, as a server speaks it."""

    @property
    def protocol(self) -> str:
        """Its name in run files."""
        ...

    @property
    def base(self) -> str:
        """The path that clients have in their base address."""
        ...

    @property
    def key_headers(self) -> tuple[str, ...]:
        """The headers of which one must carry a key, in lower case; none if none is needed."""
        ...

    @property
    def usage_field(self) -> str:
        """The field of an answer that holds its usage."""
        ...

    @property
    def no_answer(self) -> Mapping[str, object]:
        """Fields of an answer without content."""
        ...

    def is_asked(self, path: str) -> bool:
        """Whether a request to this path is in this protocol."""
        ...

    def asked(self, path: str, body: Any) -> Asked:
        """What the request asks for; KeyError, IndexError or TypeError if it is none."""
        ...

    def billable(self, completion: Completion) -> Completion:
        """The completion without tokens of kinds that nobody bills in this protocol."""
        ...

    def fields(self, completion: Completion) -> dict[str, object]:
        """The JSON of an answer."""
        ...

    def headers(self, completion: Completion) -> tuple[str, ...]:
        """What goes with an answer."""
        ...

    def counts(self, prompt: int, output: int) -> dict[str, object]:
        """A usage of so many tokens."""
        ...

    def refusal(self, trouble: Trouble, status: int, message: str, wait: float | None) -> Refusal:
        """How a request is refused; `status` is what most endpoints answer."""
        ...

    def limit_headers(self, limit: int, remaining: int, reset: float) -> tuple[str, ...]:
        """What is told of the requests that are still taken; empty if nothing is."""
        ...
