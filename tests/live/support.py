"""What the tests of judges and runs share: a practice server, judges that ask it, and items."""

from __future__ import annotations

import os
from typing import Any

from adjudge.judges import (
    ChatRequest,
    Limits,
    ModelJudge,
    ModelSettings,
    Prices,
    Prompt,
    ResponseFormat,
    Scale,
)
from adjudge.judges.providers import PROTOCOLS
from adjudge.records import Item
from adjudge.run import Patience

KEY_VARIABLE = "ADJUDGE_TEST_KEY"
KEY = "sk-never-to-be-seen-7f3a"
os.environ[KEY_VARIABLE] = KEY

SCALE = Scale(low=1, high=10, whole=True)
PRICES = Prices.of(input="0.15", output="0.60")
HASTY = Patience(first_wait=0.01, longest_wait=0.05, attempts=3, pauses=4)
"""Waits that a test can sit out."""


def some_items(count: int) -> list[Item]:
    return [
        Item(id=f"item-{k}", prompt="Greet me.", response="Hello! " * (k % 7)) for k in range(count)
    ]


def short_prompt(scale: Scale = SCALE) -> Prompt:
    return Prompt(scale=scale, system="", user="Score this: {{ id }} {{ response }}")


def openai_judge(url: str, name: str = "judge", **changes: Any) -> ModelJudge:
    """A judge that asks the server at this address, by chat completions or as `protocol` says."""
    request = ChatRequest(
        model=changes.pop("model", name),
        prompt=changes.pop("prompt", short_prompt()),
        max_tokens=changes.pop("max_tokens", 64),
        response_format=changes.pop("response_format", ResponseFormat.NONE),
        service_tier=changes.pop("service_tier", None),
        protocol=PROTOCOLS[changes.pop("protocol", "chat")],
        effort=changes.pop("effort", None),
        thinking_budget=changes.pop("thinking_budget", None),
        extra=changes.pop("extra", {}),
        logprobs=changes.pop("logprobs", False),
        questions=changes.pop("questions", ()),
        answers_per_request=changes.pop("answers_per_request", 1),
    )
    settings: dict[str, Any] = {
        "name": name,
        "request": request,
        "prices": PRICES,
        "base_url": url,
        "key_variable": KEY_VARIABLE,
        "limits": Limits(concurrency=changes.pop("concurrency", 8)),
        "timeout": 5.0,
        "connect_timeout": 2.0,
    }
    return ModelJudge(ModelSettings(**{**settings, **changes}))
