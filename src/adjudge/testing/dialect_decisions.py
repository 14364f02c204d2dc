"""OpenAI's decisions, as they are served."""

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
    """One question with levels; half of the probability is on the score that a text would say."""

    protocol: str = "decisions"
    base: str = "/v1"
    key_headers: tuple[str, ...] = ("authorization",)
    usage_field: str = "usage"
    no_answer: Mapping[str, object] = field(
        default_factory=lambda: MappingProxyType({"answers": []})
    )

    def is_asked(self, path: str) -> bool:
        """See `Dialect`."""
        return path.partition("?")[0] == "/v1/decisions"

    def asked(self, path: str, body: Any) -> Asked:
        """See `Dialect`."""
        (question,) = body["questions"]
        return Asked(
            model=body["model"],
            prompt=body["input"][-1]["content"],
            limit=len(question["levels"]) * 10,
            service_tier=None,
            levels=tuple(level["label"] for level in question["levels"]),
        )

    def billable(self, completion: Completion) -> Completion:
        """See `Dialect`."""
        return replace(completion, long_written_tokens=0, reasoning_tokens=0)

    def fields(self, completion: Completion) -> dict[str, object]:
        """See `Dialect`."""
        answer = self._answer(completion)
        return {
            "answers": [{"type": "refusal", "name": "verdict"} if completion.declined else answer],
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

    def _answer(self, completion: Completion) -> dict[str, object]:
        said = _SCORE.findall(completion.text)
        chosen = said[-1] if said and said[-1] in completion.levels else completion.levels[0]
        beside = 0.5 / max(len(completion.levels) - 1, 1)
        return {
            "type": "score",
            "name": "verdict",
            "score": float(completion.levels.index(chosen)),
            "confidence": 0.5,
            "probabilities": [
                {"label": label, "value": value, "probability": 0.5 if label == chosen else beside}
                for value, label in enumerate(completion.levels)
            ],
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
