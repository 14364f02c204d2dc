"""A protocol of the practice server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from adjudge.testing.completion import Completion


class Trouble(Enum):
    """Why a request is refused, independent of the protocol."""

    BUSY = "too many requests"
    OVERLOADED = "overloaded"
    CREDIT = "out of credit"
    SPEND_LIMIT = "at a spend limit"
    KEY = "wrong key"
    REQUEST = "a rejected request"
    OTHER = "anything else"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The content of a request."""

    model: str
    prompt: str
    limit: int
    """Maximum answer length in tokens."""
    service_tier: str | None
    """As named in price lists; None if the request does not say."""
    answers: int = 1
    logprobs: bool = False
    """Whether log-probabilities are requested."""
    levels: tuple[str, ...] = ()
    """The levels to decide between."""
    questions: tuple[str, ...] = ()
    """The names of the questions to decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """How a protocol refuses a request."""

    status: int
    fields: Mapping[str, object]
    headers: tuple[str, ...] = ()


class Dialect(Protocol):
    """The server's side of one protocol."""

    @property
    def protocol(self) -> str:
        """Its name in run files."""
        ...

    @property
    def base(self) -> str:
        """The path of the base URL."""
        ...

    @property
    def key_headers(self) -> tuple[str, ...]:
        """Headers, in lower case, of which one must hold a key; empty if no key is needed."""
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
        """Whether this path belongs to this protocol."""
        ...

    def asked(self, path: str, body: Any) -> Asked:
        """The parsed request; KeyError, IndexError or TypeError if it is invalid."""
        ...

    def billable(self, completion: Completion) -> Completion:
        """The completion without kinds of tokens that do not exist in this protocol."""
        ...

    def fields(self, completion: Completion) -> dict[str, object]:
        """The JSON of an answer."""
        ...

    def headers(self, completion: Completion) -> tuple[str, ...]:
        """The headers of an answer."""
        ...

    def counts(self, prompt: int, output: int) -> dict[str, object]:
        """The usage object for these token counts."""
        ...

    def refusal(self, trouble: Trouble, status: int, message: str, wait: float | None) -> Refusal:
        """The refusal of a request; `status` is the usual one."""
        ...

    def limit_headers(self, limit: int, remaining: int, reset: float) -> tuple[str, ...]:
        """The rate-limit headers, if the protocol has any."""
        ...
