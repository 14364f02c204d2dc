"""Endpoints that decide: they answer with a distribution over the levels of the scale, no text.

Several questions may be asked about one input, which is billed once; the score is the mean over
the questions. OpenAI's decisions are such an endpoint.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import orjson

from adjudge.errors import InputError
from adjudge.judges.protocol import (
    ChatProtocol,
    Said,
    Wanted,
    check_extra,
    check_plain,
    fields_after,
    mapping,
)
from adjudge.judges.rates import STANDARD
from adjudge.judges.usage import Usage, believed, count, part

_OURS = frozenset({"assets", "input", "model", "questions", "state"})
_QUESTION = (
    "Which score does the response deserve by the criteria in the input? The levels are ordered "
    "from the worst to the best."
)
_MOST_QUESTIONS = 400

Levels = list[tuple[str, float]]
"""Levels of the scale, with their probabilities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding(ChatProtocol):
    """Base of the protocols of endpoints that decide."""

    repeats_itself: bool = True
    levels: tuple[str, ...] = ()
    """Every score of the scale, worst first."""
    questions: tuple[str, ...] = (_QUESTION,)
    """The questions about each item."""
    most_levels: int = 255
    """Maximum number of levels."""

    def deciding(self, levels: Sequence[str], questions: Sequence[str]) -> Self:
        """See `ChatProtocol`."""
        asked = tuple(questions) or self.questions
        if len(set(asked)) < len(asked):
            raise InputError("questions", "two are the same", "ask each once")
        if not all(question.strip() for question in asked):
            raise InputError("questions", "one is empty", "write what is asked")
        if len(asked) > _MOST_QUESTIONS:
            raise InputError("questions", f"{len(asked)}", f"ask {_MOST_QUESTIONS} at most")
        return replace(self, levels=tuple(levels), questions=asked)

    @property
    @abstractmethod
    def input_field(self) -> str:
        """Name of the request field for the input that the questions are about."""

    @abstractmethod
    def asked(self) -> object:
        """The questions in the endpoint's form."""

    @abstractmethod
    def answers(self, said: object) -> Sequence[object] | None:
        """The answers in the order of the questions; None if this is not a valid answer."""

    @abstractmethod
    def levels_of(self, answer: Mapping[str, object]) -> Levels:
        """The distribution in one answer; empty if there is none."""

    def around(self, wanted: Wanted) -> tuple[bytes, bytes]:
        """See `ChatProtocol`."""
        check_extra(_OURS, wanted.extra)
        check_plain(wanted)
        if not 1 < len(self.levels) <= self.most_levels:
            raise InputError(
                "protocol",
                "decisions are between levels, and the scale has too many scores",
                f"use a scale of few whole numbers or labels, at most {self.most_levels}",
            )
        _check_absent(wanted)
        before = b'{"model":' + orjson.dumps(wanted.model) + b',"%b":' % self.input_field.encode()
        return before, fields_after({"questions": self.asked()}, wanted.extra)

    def read(self, said: object) -> tuple[Said, ...] | None:
        """See `ChatProtocol`; one answer for any number of questions."""
        answers = self.answers(said)
        if answers is None:
            return None
        if not answers:
            return ()
        given = [mapping(answer) for answer in answers]
        if any(answer.get("type") == "refusal" for answer in given):
            return (Said(text=None, declined=""),)
        whole = len(given) == len(self.questions)
        decided = [self.levels_of(answer) for answer in given] if whole else []
        return (Said(text=None, decided=decided),)

    def usages(self, said: object) -> Sequence[Usage]:
        """See `ChatProtocol`; cache tokens are included in the input tokens."""
        usage = mapping(mapping(said).get("usage"))
        prompt, output = count(usage, "input_tokens"), count(usage, "output_tokens")
        if not prompt or output is None:
            return ()
        details = part(usage, "input_tokens_details")
        written = count(details, "cache_write_tokens") or 0
        return [Usage(prompt, output, believed(details, "cached_tokens"), written)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions(Deciding):
    """`POST /decisions` of OpenAI."""

    name: str = "decisions"
    family: str = "decisions"

    @property
    def input_field(self) -> str:
        """See `Deciding`."""
        return "input"

    def path(self, model: str) -> tuple[str, ...]:
        """See `ChatProtocol`."""
        return ("decisions",)

    def asked(self) -> object:
        """See `Deciding`."""
        levels = [{"label": label} for label in self.levels]
        return [
            {"type": "score", "name": name, "instructions": question, "levels": levels}
            for name, question in named(self.questions).items()
        ]

    def answers(self, said: object) -> Sequence[object] | None:
        """See `Deciding`."""
        answers = mapping(said).get("answers")
        return answers if isinstance(answers, list) else None

    def levels_of(self, answer: Mapping[str, object]) -> Levels:
        """See `Deciding`."""
        given = answer.get("probabilities")
        return [
            (str(one.get("label")), share(one.get("probability")))
            for one in (given if isinstance(given, list) else ())
            if isinstance(one, dict)
        ]


def named(questions: Sequence[str]) -> dict[str, str]:
    """The questions, by unique names."""
    if len(questions) == 1:
        return {"verdict": questions[0]}
    return {f"verdict_{number}": one for number, one in enumerate(questions, start=1)}


def share(value: object) -> float:
    """A probability; nan for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return math.nan
    return float(value)


def _check_absent(wanted: Wanted) -> None:
    given = {
        "temperature": wanted.temperature,
        "effort": wanted.effort,
        "thinking_budget": wanted.thinking_budget,
        "service_tier": None if wanted.service_tier == STANDARD else wanted.service_tier,
    }
    for name, value in given.items():
        if value is not None:
            raise InputError(name, f"decisions have none, and {value} is given", "leave it out")


DECISIONS = Decisions()
