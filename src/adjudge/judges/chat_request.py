"""The request to an endpoint, and the upper bound of its cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import orjson

from adjudge.errors import InputError
from adjudge.judges.cache_words import asks_for_long_cache
from adjudge.judges.judge import Quote
from adjudge.judges.prices import Prices
from adjudge.judges.prompt import Prompt
from adjudge.judges.protocol import Caching, ChatProtocol, ResponseFormat, Wanted
from adjudge.judges.protocol_chat import CHAT
from adjudge.judges.rates import STANDARD
from adjudge.judges.scale import Scale
from adjudge.records import Item

_BYTES_PER_TOKEN = 3
"""A cautious first estimate; English has about 4. Real usage replaces it after the first calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """Everything in the body of a request except the item."""

    model: str
    prompt: Prompt
    protocol: ChatProtocol = CHAT
    """The protocol of the endpoint."""
    max_tokens: int | None = None
    """Maximum tokens of an answer, with reasoning; 512 if neither this nor the next is given."""
    max_completion_tokens: int | None = None
    """The same, under the name that newer models require."""
    temperature: float | None = None
    response_format: ResponseFormat | Mapping[str, object] = ResponseFormat.JSON_OBJECT
    """A named format, or the whole field, for endpoints that need another form."""
    extra: Mapping[str, object] = field(default_factory=lambda: MappingProxyType({}))
    """Further body fields, such as `{"seed": 1}`."""
    service_tier: str | None = None
    """Urgency and price class of the requests; if None, the protocol's ordinary tier."""
    effort: str | None = None
    """Reasoning effort, such as `low`; not sent if None."""
    thinking_budget: int | None = None
    """Tokens for thinking, out of those of the answer; 0 for none, not sent if None."""
    answers_per_request: int | None = None
    """Maximum number of answers about one item per request; if None, the protocol's, once the
    endpoint is known to support it."""
    logprobs: bool = False
    """Whether scores are means by log-probabilities, if these are available."""
    questions: tuple[str, ...] = ()
    """Questions to a judge that decides, each on the scale; if empty, one about the criteria."""
    writes_cost: bool = False
    """Whether the provider caches prompts without being asked, and bills the writing."""
    _around: dict[tuple[int, Caching], tuple[bytes, bytes]] = field(
        init=False, repr=False, compare=False
    )
    """The body before and after the chat, by number of answers and caching."""

    def __post_init__(self) -> None:
        if self.max_tokens is not None and self.max_completion_tokens is not None:
            raise InputError("max_tokens", "max_completion_tokens is given too", "give one of them")
        if self.longest_answer < 1:
            raise InputError("max_tokens", f"{self.longest_answer}", "allow at least one token")
        if not self.response_format:
            raise InputError(
                "response_format", "it is empty", "give what is sent, or none for not sending it"
            )
        for name, given in (("response_format", self.response_format), ("extra", self.extra)):
            try:
                orjson.dumps(given if isinstance(given, str) else dict(given))
            except TypeError as error:
                raise InputError(name, f"{error}", "give values that JSON has") from error
        if self.logprobs and self.prompt.scale.few_values is None:
            raise InputError(
                "score_from",
                "the scale has too many scores for means by log-probabilities",
                "leave it out, or use a scale of few whole numbers or labels",
            )
        if self.service_tier is None:
            object.__setattr__(self, "service_tier", self.protocol.default_tier)
        deciding = self.protocol.deciding(_levels(self.prompt.scale), self.questions)
        object.__setattr__(self, "protocol", deciding)
        object.__setattr__(self, "_around", {})
        for answers in {1, self.answers_per_request or 1}:
            self._parts(answers, Caching.UNSAID)

    def _parts(self, answers: int, caching: Caching) -> tuple[bytes, bytes]:
        parts = self._around.get((answers, caching))
        if parts is None:
            parts = self.protocol.around(self._wanted(answers, caching))
            self._around[answers, caching] = parts
        return parts

    def _wanted(self, answers: int = 1, caching: Caching = Caching.UNSAID) -> Wanted:
        return Wanted(
            model=self.model,
            longest_answer=self.longest_answer,
            newer_limit=self.max_completion_tokens is not None,
            temperature=self.temperature,
            form=self.response_format,
            schema=_schema(self.prompt.scale),
            service_tier=self.service_tier,
            effort=self.effort,
            thinking_budget=self.thinking_budget,
            answers=answers,
            logprobs=self.logprobs,
            caching=caching,
            extra=self.extra,
        )

    @property
    def form(self) -> str:
        """The name of the response format, or the whole field as JSON."""
        if isinstance(self.response_format, ResponseFormat):
            return self.response_format.value
        return orjson.dumps(dict(self.response_format), option=orjson.OPT_SORT_KEYS).decode()

    @property
    def longest_answer(self) -> int:
        """Maximum number of output tokens, reasoning included."""
        return self.max_completion_tokens or self.max_tokens or 512

    def body(self, item: Item, salt: bytes = b"") -> bytes:
        """The request body for this item; the salt keys its fences and keeps its length."""
        around = self._parts(1, Caching.UNSAID)
        messages, as_json = self.prompt.rendered(item, salt)
        return b"".join((around[0], self.protocol.chat(messages, as_json), around[1]))

    def varied(self, body: bytes, answers: int, caching: Caching) -> bytes:
        """The `body` with this number of answers and this caching; the chat is unchanged."""
        old, new = self._parts(1, Caching.UNSAID), self._parts(answers, caching)
        return new[0] + body[len(old[0]) : len(body) - len(old[1])] + new[1]

    def quote(self, length: int, prices: Prices) -> Quote:
        """The expected and maximum cost of a body of this many bytes.

        No tokeniser gives more tokens than bytes, and the JSON around the messages is longer than
        whatever a chat template adds to them.
        """
        output, tier = self.longest_answer, self.service_tier
        hidden = self.protocol.hidden_tokens(self._wanted())
        likely = -(-length // _BYTES_PER_TOKEN), -(-output // 2)
        return Quote(
            most=prices.most(
                prompt_tokens=length + hidden,
                output_tokens=output,
                service_tier=tier,
                long_cache=asks_for_long_cache(self.extra),
            ),
            likely=prices.cost(
                prompt_tokens=likely[0], output_tokens=likely[1], service_tier=tier or STANDARD
            ),
            tokens=sum(likely),
        )

    @property
    def identity(self) -> str:
        """Everything that an answer depends on, except the item and the address.

        The service tier is left out: it changes the time and cost of an answer, not its text.
        """
        extra = orjson.dumps(dict(self.extra), option=orjson.OPT_SORT_KEYS).decode()
        settings = self.model, self.longest_answer, self.temperature, self.form
        thought = self.effort, self.thinking_budget
        told = () if thought == (None, None) else thought
        means = ("logprobs",) if self.logprobs else ()
        asked = (self.questions,) if self.questions else ()
        return repr((*settings, extra, self.prompt.identity, *told, *means, *asked))


def _schema(scale: Scale) -> dict[str, object]:
    score: dict[str, object] = {"type": "integer" if scale.whole else "number"}
    if scale.labels:
        score = {"type": "string"}
    if scale.few_values is not None:
        score["enum"] = scale.few_values
    return {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "score": score},
        "required": ["reason", "score"],
        "additionalProperties": False,
    }


def _levels(scale: Scale) -> list[str]:
    if scale.labels:
        return [label for label, _ in sorted(scale.labels, key=lambda pair: pair[1])]
    return [str(value) for value in scale.few_values or ()]
