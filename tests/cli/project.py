"""A project as a user has it, with judges on a server of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from adjudge.judges import Prices
from adjudge.testing.server import PracticeServer

PRICES = {"input": 1.0, "output": 4.0}
MODELS = ("large", "small")
SECRET = "sk-practice-0123456789"


def answer(model: str, prompt: str, number: int) -> str:
    """Items say how good they are; the small model scatters more."""
    worth = int(prompt.split("worth ")[1].split(maxsplit=1)[0])
    scatter = (number * 7 + len(prompt)) % 3 - 1 if model == "small" else 0
    score = min(max(worth + scatter, 1), 10)
    return json.dumps({"reason": f"{model} saw <b>it</b> {number}", "score": score})


@dataclass(slots=True)
class ProjectFolder:
    path: Path
    server: PracticeServer
    settings: dict[str, Any] = field(default_factory=dict)

    @classmethod
    @contextmanager
    def made(cls, path: Path, *, questions: int = 12) -> Iterator[ProjectFolder]:
        with PracticeServer(prices=Prices.of(**PRICES), answer=answer) as server:
            folder = cls(path, server)
            folder.write_items(questions)
            folder.write_run_file()
            yield folder

    def write_items(self, questions: int) -> None:
        rows = [
            {
                "id": f"{group}-{n}",
                "prompt": f"Question {n}?",
                "response": f"This answer of {group} is worth {base + n % 4} points.",
                "group": group,
            }
            for group, base in (("old", 2), ("new", 5))
            for n in range(questions)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (self.path / "items.jsonl").write_text(text)

    def write_run_file(self, **changes: Any) -> None:
        """The run file, with these keys changed; None leaves one out.

        Its strategy is a quick one: what is about the default strategy says `strategy=None`.
        """
        settings: dict[str, Any] = {
            "items": "items.jsonl",
            "budget": 0.05,
            "scale": {"low": 1, "high": 10, "whole": True},
            "confidence": 0.9,
            "keep_reasons": True,
            "strategy": "uniform",
            "judges": [self.judge(model) for model in MODELS],
        }
        settings |= changes
        self.settings = {key: value for key, value in settings.items() if value is not None}
        (self.path / "run.yaml").write_text(yaml.safe_dump(self.settings, sort_keys=False))

    def judge(self, model: str, **changes: Any) -> dict[str, Any]:
        return {
            "model": model,
            "base_url": self.server.url,
            "key": "PRACTICE_KEY",
            "prices": PRICES,
            "max_tokens": 60,
        } | changes

    @property
    def env(self) -> dict[str, str]:
        return {"PRACTICE_KEY": SECRET}
