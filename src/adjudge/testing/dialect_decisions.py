"""Decision endpoints of OpenAI and TypeSafe."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from adjudge.testing.completion import Completion
from adjudge.testing.dialect import Asked, Refusal, Trouble
from adjudge.testing.dialect_chat import CHAT

_SCORE = re.compile(r"\d+")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionsDialect:
    """OpenAI's; the score named in the text gets half of the probability."""

    protocol: str = "decisions"
    base: str = "/v1"
    key_headers: tuple[str, ...] = ("authorization",)
    usage_field: str = "usage"
    no_answer: Mapping[str, object] = field(
        default_factory=lambda: MappingProxyType({"answers": []})
    )

    def is_asked(self, path: str) -> bool:
        """See `Dialect`."""
        return path.partition("?")[0] == f"{self.base}/{self.protocol}"

    def asked(self, path: str, body: Any) -> Asked:
        """See `Dialect`."""
        levels = body["questions"][0]["levels"]
        return Asked(
            model=body["model"],
            prompt=body["input"][-1]["content"],
            limit=len(levels) * 10,
            service_tier=None,
            levels=tuple(level["label"] for level in levels),
            questions=tuple(question["name"] for question in body["questions"]),
        )

    def billable(self, completion: Completion) -> Completion:
        """See `Dialect`."""
        return replace(completion, long_written_tokens=0, reasoning_tokens=0)

    def fields(self, completion: Completion) -> dict[str, object]:
        """See `Dialect`."""
        answers = [
            {"type": "refusal", "name": name}
            if completion.declined
            else {
                "type": "score",
                "name": name,
                "confidence": 0.5,
                "score": sum(place * share for place, share in enumerate(_shares(completion))),
                "probabilities": [
                    {"label": label, "value": place, "probability": share}
                    for place, (label, share) in enumerate(
                        zip(completion.levels, _shares(completion), strict=True)
                    )
                ],
            }
            for name in completion.questions
        ]
        return {
            "answers": answers,
            "model": completion.model,
            "usage": {
                "input_tokens": completion.prompt_tokens,
                "input_tokens_details": {
                    "cached_tokens": completion.cached_tokens,
                    "cache_write_tokens": completion.written_tokens,
                },
                "output_tokens": completion.answer_tokens,
                "output_tokens_details": {"reasoning_tokens": completion.thinking_tokens},
                "total_tokens": completion.prompt_tokens + completion.answer_tokens,
            },
        }

    def headers(self, completion: Completion) -> tuple[str, ...]:
        """See `Dialect`."""
        return ()

    def counts(self, prompt: int, output: int) -> dict[str, object]:
        """See `Dialect`."""
        return {"input_tokens": prompt, "output_tokens": output}

    def refusal(self, trouble: Trouble, status: int, message: str, wait: float | None) -> Refusal:
        """See `Dialect`."""
        return CHAT.refusal(trouble, status, message, wait)

    def limit_headers(self, limit: int, remaining: int, reset: float) -> tuple[str, ...]:
        """See `Dialect`."""
        return CHAT.limit_headers(limit, remaining, reset)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOneDialect(DecisionsDialect):
    """TypeSafe's; levels are named by position, and usage has only input and output tokens."""

    protocol: str = "systemone"
    base: str = "/typesafe/v1"
    no_answer: Mapping[str, object] = field(
        default_factory=lambda: MappingProxyType({"answers": {}})
    )

    def asked(self, path: str, body: Any) -> Asked:
        """See `Dialect`."""
        questions = body["questions"]
        levels = next(iter(questions.values()))["criteria"]
        return Asked(
            model=body["model"],
            prompt=body["state"][-1]["content"],
            limit=len(levels) * 10,
            service_tier=None,
            levels=tuple(level.partition(",")[0] for level in levels),
            questions=tuple(questions),
        )

    def billable(self, completion: Completion) -> Completion:
        """See `Dialect`."""
        return replace(
            completion,
            cached_tokens=0,
            written_tokens=0,
            long_written_tokens=0,
            reasoning_tokens=0,
            output_tokens=completion.answer_tokens,
            thinking_tokens=0,
        )

    def fields(self, completion: Completion) -> dict[str, object]:
        """See `Dialect`."""
        shares = _shares(completion)
        answer = {
            "type": "score",
            "score": sum(place * share for place, share in enumerate(shares)),
            "confidence": 0.5,
            "legend": {str(place): label for place, label in enumerate(completion.levels)},
            "probabilities": {str(place): share for place, share in enumerate(shares)},
        }
        return {
            "model": completion.model,
            # The protocol has no refusals: a declined question is left out.
            "answers": {} if completion.declined else dict.fromkeys(completion.questions, answer),
            "usage": self.counts(completion.prompt_tokens, completion.answer_tokens),
        }

    def refusal(self, trouble: Trouble, status: int, message: str, wait: float | None) -> Refusal:
        """See `Dialect`."""
        return Refusal(status=status, fields={"detail": message})

    def limit_headers(self, limit: int, remaining: int, reset: float) -> tuple[str, ...]:
        """See `Dialect`."""
        return ()


def _shares(completion: Completion) -> list[float]:
    """The probability of each level."""
    said = _SCORE.findall(completion.text)
    chosen = said[-1] if said and said[-1] in completion.levels else completion.levels[0]
    beside = 0.5 / max(len(completion.levels) - 1, 1)
    return [0.5 if label == chosen else beside for label in completion.levels]
