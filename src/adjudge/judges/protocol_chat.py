"""OpenAI's chat completions, which most endpoints support; OpenRouter's state their cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import orjson

from adjudge.errors import InputError
from adjudge.judges.cache_words import asks_for_long_cache
from adjudge.judges.expected_score import Token
from adjudge.judges.protocol import (
    Caching,
    ChatProtocol,
    ResponseFormat,
    Said,
    Wanted,
    check_extra,
    fields_after,
    mapping,
    token,
)
from adjudge.judges.usage import Usage, believed, count, largest, part

_OURS = frozenset(
    {
        "audio", "best_of", "functions", "max_completion_tokens", "max_tokens", "messages",
        "modalities", "model", "models", "n", "prompt", "response_format", "service_tier", "stream",
        "stream_options", "temperature", "tools", "web_search_options",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatCompletions(ChatProtocol):
    """`POST /chat/completions`."""

    name: str = "chat"
    family: str = "openai"
    most_answers: int = 8
    states_cost: bool = False
    """Whether `usage.cost` is the amount billed, in dollars."""

    def path(self, model: str) -> tuple[str, ...]:
        """See `ChatProtocol`."""
        return "chat", "completions"

    def around(self, wanted: Wanted) -> tuple[bytes, bytes]:
        """See `ChatProtocol`."""
        check_extra(_OURS, wanted.extra)
        if not self.states_cost and asks_for_long_cache(wanted.extra, ("ttl",)):
            raise InputError(
                "extra",
                "ttl asks for a cache whose price chat completions do not tell apart",
                "leave it out, or give 5m or 30m",
            )
        limit = "max_completion_tokens" if wanted.newer_limit else "max_tokens"
        fields: dict[str, object] = {limit: wanted.longest_answer}
        if wanted.temperature is not None:
            fields["temperature"] = wanted.temperature
        if wanted.service_tier is not None:
            fields["service_tier"] = wanted.service_tier
        if wanted.answers > 1:
            fields["n"] = wanted.answers
        if wanted.logprobs:
            fields |= {"logprobs": True, "top_logprobs": 20}
        if wanted.caching is Caching.IN_VAIN and "prompt_cache_options" not in wanted.extra:
            fields["prompt_cache_options"] = {"mode": "explicit"}
        fields |= self._reasoning(wanted)
        if wanted.form is ResponseFormat.JSON_OBJECT:
            fields["response_format"] = {"type": "json_object"}
        elif wanted.form is ResponseFormat.JSON_SCHEMA:
            schema = {"name": "verdict", "strict": True, "schema": dict(wanted.schema)}
            fields["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif not isinstance(wanted.form, ResponseFormat):
            fields["response_format"] = dict(wanted.form)
        before = b'{"model":' + orjson.dumps(wanted.model) + b',"messages":'
        return before, fields_after(fields, wanted.extra)

    def _reasoning(self, wanted: Wanted) -> dict[str, object]:
        if self.states_cost:  # OpenRouter has one object for both
            given = {"effort": wanted.effort, "max_tokens": wanted.thinking_budget}
            told = {name: value for name, value in given.items() if value is not None}
            return {"reasoning": told} if told else {}
        if wanted.thinking_budget is not None:
            raise InputError(
                "thinking_budget",
                f"chat completions have none, and {wanted.thinking_budget} is given",
                "use effort, as low or high, or the field of your endpoint in extra",
            )
        return {} if wanted.effort is None else {"reasoning_effort": wanted.effort}

    def read(self, said: object) -> tuple[Said, ...] | None:
        """See `ChatProtocol`."""
        if not isinstance(said, dict):
            return None
        choices = said.get("choices", [])
        if not isinstance(choices, list):
            return None
        answers = []
        for choice in choices:
            if not isinstance(choice, dict):
                return None
            if "message" in choice:
                answers.append(_answer(choice))
        return tuple(answers)

    def usages(self, said: object) -> Sequence[Usage]:
        """See `ChatProtocol`."""
        usage = mapping(said).get("usage")
        if not isinstance(usage, dict):
            return ()
        prompt, completion = count(usage, "prompt_tokens"), count(usage, "completion_tokens")
        if not prompt or completion is None:
            return ()
        total = count(usage, "total_tokens") or 0
        of_prompt = part(usage, "prompt_tokens_details")
        of_output = part(usage, "completion_tokens_details")
        cached = believed(of_prompt, "cached_tokens")
        written = largest(
            (of_prompt, "cache_write_tokens"),
            (of_prompt, "cache_creation_tokens"),
            (usage, "cache_creation_input_tokens"),
        )
        reasoning = largest((of_output, "reasoning_tokens"), (usage, "reasoning_tokens"))
        # The completion includes reasoning tokens unless their number or the total rules that out.
        inside = reasoning <= completion and total >= prompt + completion
        output = completion if inside else completion + reasoning
        if cached + written > prompt:  # so they are not included in the prompt's tokens
            prompt += cached + written
        missing = max(total - prompt - output, 0)
        usages = [Usage(prompt, output + missing, cached, written)]
        if missing and missing != reasoning:
            # They may be input or output, and some models' input costs more than their output.
            usages.append(Usage(prompt + missing, output, cached, written))
        return usages

    def billed_tier(self, said: object, headers: Mapping[str, str]) -> str | None:
        """See `ChatProtocol`."""
        stated = mapping(said).get("service_tier")
        return stated if isinstance(stated, str) else None

    def stated_cost(self, said: object) -> Decimal | None:
        """`usage.cost`, plus the upstream provider's price if the user's own key there is used."""
        if not self.states_cost:
            return None
        usage = mapping(mapping(said).get("usage"))
        cost = _dollars(usage.get("cost"))
        if cost is None or usage.get("is_byok") is not True:
            return cost
        upstream = _dollars(part(usage, "cost_details").get("upstream_inference_cost"))
        return None if upstream is None else cost + upstream


def _answer(choice: Mapping[str, object]) -> Said:
    message, finish = choice["message"], choice.get("finish_reason")
    text = _text(message)
    if text is not None:
        given = choice.get("logprobs")
        tokens = None if given is None else _tokens(mapping(given).get("content"))
        return Said(text, None, finish == "length", tokens)
    declined = mapping(message).get("refusal")
    if not declined and finish == "content_filter":
        declined = "held back by a content filter"
    return Said(
        text=None, declined=str(declined) if declined else None, cut_short=finish == "length"
    )


def _tokens(given: object) -> list[Token]:
    return [
        token(one.get("token"), one.get("top_logprobs"), name="token", logarithm="logprob")
        for one in (given if isinstance(given, list) else ())
        if isinstance(one, dict)
    ]


def _text(message: object) -> str | None:
    content = message.get("content") if isinstance(message, dict) else None
    if type(content) is str:  # the usual case
        return content or None
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) and content else None


def _dollars(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        amount = Decimal(str(value))
    except InvalidOperation:
        return None
    return amount if amount.is_finite() and 0 <= amount < 10**6 else None


CHAT = ChatCompletions()
OPENROUTER = ChatCompletions(name="openrouter", states_cost=True)
AZURE = ChatCompletions(name="azure", key_header="api-key")
