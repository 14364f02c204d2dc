"""The request to a chat endpoint, and the most that it can cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

import orjson

from adjudge.errors import InputError
from adjudge.judges.judge import Quote
from adjudge.judges.prices import Prices
from adjudge.judges.prompt import Prompt
from adjudge.judges.rates import STANDARD
from adjudge.judges.scale import Scale
from adjudge.records import Item

_BYTES_PER_TOKEN = 3
"""A cautious first guess; English has about 4. Real usage replaces it after the first calls."""
_OURS = frozenset(
    {
        "audio", "best_of", "functions", "max_completion_tokens", "max_tokens", "messages",
        "modalities", "model", "models", "n", "prompt", "response_format", "service_tier", "stream",
        "stream_options", "temperature", "tools", "web_search_options",
    }
)  # fmt: skip
"""Body fields that are set by settings of their own, or would make the worst case untrue."""


class ResponseFormat(StrEnum):
    """How the endpoint is made to answer in JSON."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """Everything in the body of a chat completion but the item."""

    model: str
    prompt: Prompt
    max_tokens: int | None = None
    """Longest answer, reasoning included; 512 if neither this nor the next is given."""
    max_completion_tokens: int | None = None
    """The same under the name that newer models ask for."""
    temperature: float | None = None
    response_format: ResponseFormat | Mapping[str, object] = ResponseFormat.JSON_OBJECT
    """One of ours, or the field whole, for endpoints with a form of their own."""
    extra: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """Further body fields, as `{"seed": 1}`."""
    service_tier: str | None = None
    """How urgently it is served, and at which price; not sent if None."""
    _around: tuple[bytes, bytes] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.max_tokens is not None and self.max_completion_tokens is not None:
            raise InputError("max_tokens", "max_completion_tokens is given too", "give one of them")
        if self.longest_answer < 1:
            raise InputError("max_tokens", f"{self.longest_answer}", "allow at least one token")
        ours = sorted(_OURS & set(self.extra))
        if ours:
            raise InputError(
                "extra", f"holds {', '.join(ours)}", "use the judge's own settings; n is always 1"
            )
        if not self.response_format:
            raise InputError(
                "response_format", "it is empty", "give what is sent, or none for not sending it"
            )
        for name, given in (("response_format", self.response_format), ("extra", self.extra)):
            try:
                orjson.dumps(given if isinstance(given, str) else dict(given))
            except TypeError as error:
                raise InputError(name, f"{error}", "give values that JSON has") from error
        object.__setattr__(self, "_around", self._body_around())

    def _body_around(self) -> tuple[bytes, bytes]:
        """The body before and after the messages: the same for every item."""
        limit = "max_tokens" if self.max_completion_tokens is None else "max_completion_tokens"
        fields: dict[str, object] = {limit: self.longest_answer}
        if self.temperature is not None:
            fields["temperature"] = self.temperature
        if self.service_tier is not None:
            fields["service_tier"] = self.service_tier
        if self.response_format is ResponseFormat.JSON_OBJECT:
            fields["response_format"] = {"type": "json_object"}
        elif self.response_format is ResponseFormat.JSON_SCHEMA:
            fields["response_format"] = _schema(self.prompt.scale)
        elif not isinstance(self.response_format, ResponseFormat):
            fields["response_format"] = dict(self.response_format)
        before = b'{"model":' + orjson.dumps(self.model) + b',"messages":'
        return before, b"," + orjson.dumps({**fields, **self.extra})[1:]

    @property
    def form(self) -> str:
        """The response format by its name, or whole as JSON."""
        if isinstance(self.response_format, ResponseFormat):
            return self.response_format.value
        return orjson.dumps(dict(self.response_format), option=orjson.OPT_SORT_KEYS).decode()

    @property
    def longest_answer(self) -> int:
        """Tokens of output, reasoning included, at most."""
        return self.max_completion_tokens or self.max_tokens or 512

    def body(self, item: Item, salt: bytes = b"") -> bytes:
        """The request about this item; the salt keys its fences and does not change its length."""
        before, after = self._around
        return b"".join((before, self.prompt.json(item, salt), after))

    def quote(self, length: int, prices: Prices) -> Quote:
        """What sending a body of so many bytes can cost.

        No tokeniser makes more tokens than there are bytes, and the JSON around the messages is
        longer than anything a chat template puts around them.
        """
        output, tier = self.longest_answer, self.service_tier
        likely = -(-length // _BYTES_PER_TOKEN), -(-output // 2)
        return Quote(
            most=prices.most(prompt_tokens=length, output_tokens=output, service_tier=tier),
            likely=prices.cost(
                prompt_tokens=likely[0], output_tokens=likely[1], service_tier=tier or STANDARD
            ),
            tokens=sum(likely),
        )

    @property
    def identity(self) -> str:
        """Everything an answer depends on besides the item and the address.

        A service tier changes when an answer comes and what it costs, not what it says.
        """
        extra = orjson.dumps(dict(self.extra), option=orjson.OPT_SORT_KEYS).decode()
        settings = self.model, self.longest_answer, self.temperature, self.form
        return repr((*settings, extra, self.prompt.identity))


def _schema(scale: Scale) -> dict[str, object]:
    score: dict[str, object] = {"type": "integer" if scale.whole else "number"}
    if scale.labels:
        score = {"type": "string"}
    if scale.few_values is not None:
        score["enum"] = scale.few_values
    return {
        "type": "json_schema",
        "json_schema": {
            "name": "verdict",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {"reason": {"type": "string"}, "score": score},
                "required": ["reason", "score"],
                "additionalProperties": False,
            },
        },
    }
