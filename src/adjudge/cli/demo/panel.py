"""The judges of the demonstration: four models that score the same answer differently."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.cli.demo.topics import Answered

_RESPONSE = re.compile(r"<<< response (\w+)\n(.*)\n\1 >>>", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """How a model scores; offset and standard deviations are fractions of the scale."""

    offset: float = 0.0
    """Mean difference from the truth."""
    taste: float = 0.0
    """Standard deviation of its deviations, over items."""
    noise: float = 0.0
    """Standard deviation of repeated calls on one item."""
    rambling: float = 0.0
    """Probability of an answer without a score."""
    flatters: bool = False
    """Whether it gives every answer the same good score."""
    input: float
    """Dollars per million tokens."""
    output: float


MODELS: Mapping[str, Model] = {
    "large": Model(noise=0.05, taste=0.04, input=5.0, output=15.0),
    "medium": Model(offset=0.06, noise=0.1, taste=0.06, input=0.8, output=3.2),
    "small": Model(offset=0.12, noise=0.14, taste=0.08, rambling=0.05, input=0.15, output=0.6),
    "flatterer": Model(flatters=True, input=0.05, output=0.2),
}


class DemoPanel:
    """Simulates the models' answers; the n-th answer to a prompt is always the same."""

    def __init__(self, answers: Sequence[Answered]) -> None:
        self._by_text = {answer.item.response: answer for answer in answers}

    def __call__(self, model: str, prompt: str, number: int) -> str:
        """The model's n-th answer to the prompt, with n = `number`."""
        fenced = _RESPONSE.search(prompt)
        answer = None if fenced is None else self._by_text.get(fenced[2])
        if answer is None:
            return "I was shown nothing that I know."
        return _said(MODELS[model], model, answer, number)


def _said(model: Model, name: str, answer: Answered, number: int) -> str:
    if model.flatters:
        return json.dumps({"reason": "A wonderful answer, as always.", "score": 8})
    key = zlib.crc32(f"{name}|{answer.item.id}".encode())
    view = model.taste * np.random.default_rng(key).standard_normal()
    rng = np.random.default_rng([key, number])
    if rng.random() < model.rambling:
        return "There is much to be said for this answer, and much against it."
    drawn = answer.quality + model.offset + view + model.noise * rng.standard_normal()
    score = int(np.clip(round(1 + 9 * drawn), 1, 10))
    return json.dumps({"reason": _reason(answer), "score": score})


def _reason(answer: Answered) -> str:
    if answer.mistaken:
        return "It contains an error of fact that a reader would take away."
    if answer.missing:
        return f"Correct, but it does not say this: {answer.missing[0]}"
    return "Correct and complete."
