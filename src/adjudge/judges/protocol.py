"""Protocols: what is written into a request and read from an answer.

A protocol is pure: it makes bytes and reads parsed JSON. Connections, retries, money, secrets and
the reading of scores are shared by all of them.
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
"""Most tokens that Claude adds to a prompt for a schema, beyond the schema's own bytes."""


class ResponseFormat(StrEnum):
    """How the endpoint is made to answer in JSON."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    NONE = "none"


class Caching(Enum):
    """What a request says of the provider's cache."""

    UNSAID = "nothing"
    WORTH_IT = "that the same prompt will be sent again soon"
    IN_VAIN = "that it will not, so that writing it to the cache is money lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is asked of a model besides the item, independent of the protocol."""

    model: str
    longest_answer: int
    """Tokens, reasoning included."""
    newer_limit: bool = False
    """Whether the limit has the name that newer models of OpenAI ask for."""
    temperature: float | None = None
    form: ResponseFormat | Mapping[str, object] = ResponseFormat.JSON_OBJECT
    schema: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """JSON schema of an answer."""
    service_tier: str | None = None
    """By the name that `Prices` has for it; None if none is sent."""
    effort: str | None = None
    thinking_budget: int | None = None
    """Tokens for thinking; 0 for none."""
    answers: int = 1
    """Answers to one request."""
    logprobs: bool = False
    """Whether log-probabilities are to come with an answer."""
    caching: Caching = Caching.UNSAID
    extra: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def by_schema(self) -> bool:
        """Whether the model is held to a schema."""
        return self.form not in (ResponseFormat.JSON_OBJECT, ResponseFormat.NONE)


class Said(NamedTuple):
    """One answer of a model."""

    text: str | None
    """None if it holds no text."""
    declined: str | None = None
    """The refusal of a model or a filter; may be empty."""
    cut_short: bool = False
    """Whether it reached its longest allowed length."""
    tokens: Sequence[Token] | None = None
    """Its tokens, where log-probabilities came with it."""
    decided: Sequence[Sequence[tuple[str, float]]] | None = None
    """The probability of each level of the scale, by question, where that is the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatProtocol(ABC):
    """One way to ask a model behind HTTP; the defaults are those of OpenAI's endpoints."""

    name: str
    """As run files name it."""
    family: str
    """The same for protocols in which a model gives the same answers; part of identities."""
    key_header: str = "Authorization"
    """The header that carries the key."""
    headers: ClassVar[Mapping[str, str]] = _NOTHING
    """What goes with every request."""
    default_tier: str | None = None
    """The service tier that is sent if none is chosen; None to send none."""
    reasons: ClassVar[Mapping[str, Reason]] = _NO_REASONS
    """What error codes mean, where the status alone would say something else."""
    maybe_billed: Collection[int] = ()
    """Statuses after which the model may have worked and be billed, whoever the provider is."""
    models: str = "models"
    """Where the list of models is, below the base address, with its query; empty for none."""
    schema_tokens: int = 0
    """Prompt tokens that a schema adds beyond its own bytes: words that explain the form."""
    most_answers: int = 1
    """Answers that one request may ask for, unless the user chooses another number."""
    repeats_itself: bool = False
    """Whether the same question gets the same answer, so that it is asked once."""

    def deciding(self, levels: Sequence[str], questions: Sequence[str]) -> Self:
        """The same for a scale of these levels, the worst first, and for these questions.

        No levels if they are too many to list, and no questions for the one about the criteria.
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
        """Where requests go, below the base address, percent-encoded."""

    @abstractmethod
    def around(self, wanted: Wanted) -> tuple[bytes, bytes]:
        """The body before and after the chat; InputError for what cannot be asked for."""

    def chat(self, messages: Sequence[Mapping[str, str]], as_json: bytes) -> bytes:
        """The chat within a body, from its messages with `role` and `content`, and their JSON."""
        return as_json

    def hidden_tokens(self, wanted: Wanted) -> int:
        """Prompt tokens that the provider adds and bills, at most, beyond those of the body."""
        return self.schema_tokens if wanted.by_schema else 0

    @abstractmethod
    def read(self, said: object) -> tuple[Said, ...] | None:
        """The answers; none if there is no answer, None if it is no completion at all."""

    @abstractmethod
    def usages(self, said: object) -> Sequence[Usage]:
        """Each way to understand the usage; ValueError if a number cannot be one of tokens."""

    def billed_tier(self, said: object, headers: Mapping[str, str]) -> str | None:
        """The service tier that the answer was billed by; None if it does not say."""
        return None

    def stated_cost(self, said: object) -> Decimal | None:
        """What the answer says it cost, in dollars; None where tokens and prices tell."""
        return None

    def listed(self, said: object) -> frozenset[str]:
        """The names of a list of models; none if this is no list, or not the whole of it."""
        models = said.get("data") if isinstance(said, dict) and not said.get("has_more") else None
        if not isinstance(models, list):
            return frozenset()
        ids = (model.get("id") for model in models if isinstance(model, dict))
        return frozenset(name for name in ids if isinstance(name, str) and name)


def fields_after(fields: Mapping[str, object], extra: Mapping[str, object]) -> bytes:
    """The rest of a body, after the chat: our fields, and those that a user adds.

    An object that both have is joined; any other field that both have is an InputError.
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
"""Fields of requests that no setting of a judge stands for."""


def check_extra(ours: Collection[str], extra: Collection[str]) -> None:
    """Refuse fields that are set by settings of their own, or would make the worst case untrue."""
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
    """Refuse several answers to a request, and log-probabilities, where there are none."""
    if wanted.logprobs:
        raise InputError("score_from", "this provider gives no log-probabilities", "leave it out")
    if wanted.answers > 1:
        raise InputError(
            "answers_per_request",
            f"{wanted.answers}, and this provider gives one answer to a request",
            "leave it out",
        )


def split(messages: Sequence[Mapping[str, str]]) -> tuple[str, list[str]]:
    """The system message and the user's; a lone system message is the user's."""
    system = [message["content"] for message in messages if message["role"] == "system"]
    user = [message["content"] for message in messages if message["role"] != "system"]
    return ("\n\n".join(system), user) if user else ("", system)


def mapping(value: object) -> Mapping[str, object]:
    """The JSON object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def token(text: object, likely: object, *, name: str, logarithm: str) -> Token:
    """A token and those that might have stood there, as lists of objects have them."""
    pairs = [
        (one[name], float(one[logarithm]))
        for one in (likely if isinstance(likely, list) else ())
        if isinstance(one, dict)
        and isinstance(one.get(name), str)
        and isinstance(one.get(logarithm), int | float)
    ]
    return Token(text if isinstance(text, str) else "", pairs)
