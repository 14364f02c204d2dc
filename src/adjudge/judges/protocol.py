"""Protocols of endpoints: how requests are written and answers are read.

A protocol is pure: it makes bytes and reads parsed JSON. All protocols share the code for
connections, retries, money, secrets and reading scores.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, StrEnum
from types import MappingProxyType
from typing import ClassVar, NamedTuple, Self

import orjson

from adjudge.errors import InputError
from adjudge.judges.expected_score import Token
from adjudge.judges.usage import Usage
from adjudge.records import Reason

_NOTHING: Mapping[str, str] = MappingProxyType({})
_NO_REASONS: Mapping[str, Reason] = MappingProxyType({})
SCHEMA_TOKENS = 500
"""Maximum tokens that Claude adds to a prompt for a schema, beyond the schema's own bytes."""


class ResponseFormat(StrEnum):
    """How the endpoint is asked for JSON."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    NONE = "none"


class Caching(Enum):
    """A request's instruction to the provider's cache."""

    UNSAID = "nothing"
    WORTH_IT = "that the same prompt will be sent again soon"
    IN_VAIN = "that it will not, so that writing it to the cache is money lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A request without its item, independent of the protocol."""

    model: str
    longest_answer: int
    """Tokens, reasoning included."""
    newer_limit: bool = False
    """Whether the limit is sent under the name that newer OpenAI models require."""
    temperature: float | None = None
    form: ResponseFormat | Mapping[str, object] = ResponseFormat.JSON_OBJECT
    schema: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """JSON schema of an answer."""
    service_tier: str | None = None
    """Its name in `Prices`; None if none is sent."""
    effort: str | None = None
    thinking_budget: int | None = None
    """Tokens for thinking; 0 for none."""
    answers: int = 1
    """Number of answers."""
    logprobs: bool = False
    """Whether to ask for log-probabilities."""
    caching: Caching = Caching.UNSAID
    extra: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def by_schema(self) -> bool:
        """Whether the request has a schema for the answer."""
        return self.form not in (ResponseFormat.JSON_OBJECT, ResponseFormat.NONE)


class Said(NamedTuple):
    """One answer of a model."""

    text: str | None
    """None if there is no text."""
    declined: str | None = None
    """The refusal of a model or a filter; may be empty."""
    cut_short: bool = False
    """Whether it reached the maximum length."""
    tokens: Sequence[Token] | None = None
    """Its tokens, if it has log-probabilities."""
    decided: Sequence[Sequence[tuple[str, float]]] | None = None
    """For judges that decide: the probability of each level of the scale, by question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatProtocol(ABC):
    """A protocol over HTTP; the defaults are those of OpenAI's endpoints."""

    name: str
    """Its name in run files."""
    family: str
    """Shared by protocols through which a model gives the same answers; part of identities."""
    key_header: str = "Authorization"
    """Name of the header for the key."""
    headers: ClassVar[Mapping[str, str]] = _NOTHING
    """Headers of every request."""
    default_tier: str | None = None
    """The service tier that is sent if none is chosen; None to send none."""
    reasons: ClassVar[Mapping[str, Reason]] = _NO_REASONS
    """Reasons by error code; they override the reason of the status."""
    maybe_billed: Collection[int] = ()
    """Statuses after which a call may have been billed, whatever the provider."""
    models: str = "models"
    """Path of the list of models, below the base URL, with its query; empty for none."""
    schema_tokens: int = 0
    """Prompt tokens that a schema adds beyond its own bytes, for explanations of the form."""
    most_answers: int = 1
    """Default maximum number of answers per request."""
    repeats_itself: bool = False
    """Whether all answers about an item are the same, so that one call is enough."""

    def deciding(self, levels: Sequence[str], questions: Sequence[str]) -> Self:
        """The protocol for a scale with these levels, worst first, and these questions.

        `levels` is empty if there are too many to list; `questions` is empty for the default one.
        """
        if questions:
            raise InputError(
                "questions",
                "only judges that decide are asked several",
                "leave it out, or give protocol: decisions or systemone",
            )
        return self

    @abstractmethod
    def path(self, model: str) -> tuple[str, ...]:
        """Percent-encoded path of requests, below the base URL."""

    @abstractmethod
    def around(self, wanted: Wanted) -> tuple[bytes, bytes]:
        """The body before and after the chat; InputError for unsupported settings."""

    def chat(self, messages: Sequence[Mapping[str, str]], as_json: bytes) -> bytes:
        """The chat in a body, from its messages (`role` and `content`) and their JSON."""
        return as_json

    def hidden_tokens(self, wanted: Wanted) -> int:
        """Maximum prompt tokens that the provider adds and bills beyond those of the body."""
        return self.schema_tokens if wanted.by_schema else 0

    @abstractmethod
    def read(self, said: object) -> tuple[Said, ...] | None:
        """The answers; empty if the completion has none, None if it is not a completion."""

    @abstractmethod
    def usages(self, said: object) -> Sequence[Usage]:
        """Possible readings of the usage; ValueError if a number is not a number of tokens."""

    def billed_tier(self, said: object, headers: Mapping[str, str]) -> str | None:
        """The service tier that was billed; None if the answer does not say."""
        return None

    def stated_cost(self, said: object) -> Decimal | None:
        """The cost in dollars that the answer states; None if tokens and prices decide it."""
        return None

    def listed(self, said: object) -> frozenset[str]:
        """The names in a list of models; empty if this is not a list, or not a complete one."""
        models = said.get("data") if isinstance(said, dict) and not said.get("has_more") else None
        if not isinstance(models, list):
            return frozenset()
        ids = (model.get("id") for model in models if isinstance(model, dict))
        return frozenset(name for name in ids if isinstance(name, str) and name)


def fields_after(fields: Mapping[str, object], extra: Mapping[str, object]) -> bytes:
    """The rest of a body, after the chat: our fields and the user's extra fields.

    Objects in both are merged; any other field in both is an InputError.
    """
    joined = dict(fields)
    for name, value in extra.items():
        own = joined.get(name)
        if isinstance(own, dict) and isinstance(value, dict):
            check_extra(own, value)
            joined[name] = {**own, **value}
        elif name in joined:
            check_extra((name,), (name,))
        else:
            joined[name] = value
    return b"," + orjson.dumps(joined)[1:]


_BESIDE_THE_TOKENS = frozenset(
    {
        "audio", "cachedContent", "container", "functions", "guardrailConfig", "imageConfig",
        "mcp_servers", "modalities", "performanceConfig", "responseModalities", "speechConfig",
        "speed", "toolConfig", "tools", "web_search_options",
    }
)  # fmt: skip
"""Request fields that have no setting of their own."""


def check_extra(ours: Collection[str], extra: Collection[str]) -> None:
    """Raise InputError for fields that have settings, or may cost more than the worst case."""
    both = sorted(set(ours) & set(extra))
    if both:
        raise InputError(
            "extra",
            f"holds {', '.join(both)}",
            "leave it out: it may be billed beside the tokens, which no worst case covers"
            if _BESIDE_THE_TOKENS.issuperset(both)
            else "use the judge's own settings, as answers_per_request for n",
        )


def check_plain(wanted: Wanted) -> None:
    """Raise InputError if several answers per request or log-probabilities are wanted."""
    if wanted.logprobs:
        raise InputError("score_from", "this provider gives no log-probabilities", "leave it out")
    if wanted.answers > 1:
        raise InputError(
            "answers_per_request",
            f"{wanted.answers}, and this provider gives one answer to a request",
            "leave it out",
        )


def split(messages: Sequence[Mapping[str, str]]) -> tuple[str, list[str]]:
    """The system message and the user messages; a lone system message becomes the user's."""
    system = [message["content"] for message in messages if message["role"] == "system"]
    user = [message["content"] for message in messages if message["role"] != "system"]
    return ("\n\n".join(system), user) if user else ("", system)


def mapping(value: object) -> Mapping[str, object]:
    """The JSON object; an empty mapping for anything else."""
    return value if isinstance(value, dict) else {}


def token(text: object, likely: object, *, name: str, logarithm: str) -> Token:
    """A token and its alternatives, from lists of JSON objects."""
    pairs = [
        (one[name], float(one[logarithm]))
        for one in (likely if isinstance(likely, list) else ())
        if isinstance(one, dict)
        and isinstance(one.get(name), str)
        and isinstance(one.get(logarithm), int | float)
    ]
    return Token(text if isinstance(text, str) else "", pairs)
