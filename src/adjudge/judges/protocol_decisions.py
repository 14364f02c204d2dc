"""OpenAI's decisions: the answer is a distribution over the levels of the scale, and no text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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

_OURS = frozenset({"input", "model", "questions"})
_QUESTION = (
    "Which score does the response deserve by the criteria in the input? The levels are ordered "
    "from the worst to the best."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decisions(ChatProtocol):
    """`POST /decisions`, with one question."""

    name: str = "decisions"
    family: str = "decisions"
    repeats_itself: bool = True

    def path(self, model: str) -> tuple[str, ...]:
        """See `ChatProtocol`."""
        return ("decisions",)

    def around(self, wanted: Wanted) -> tuple[bytes, bytes]:
        """See `ChatProtocol`."""
        check_extra(_OURS, wanted.extra)
        check_plain(wanted)
        if not wanted.levels:
            raise InputError(
                "protocol",
                "decisions are between levels, and the scale has too many scores",
                "use a scale of few whole numbers or labels",
            )
        _check_absent(wanted)
        question = {
            "type": "score",
            "name": "verdict",
            "instructions": _QUESTION,
            "levels": [{"label": label} for label in wanted.levels],
        }
        before = b'{"model":' + orjson.dumps(wanted.model) + b',"input":'
        return before, fields_after({"questions": [question]}, wanted.extra)

    def read(self, said: object) -> tuple[Said, ...] | None:
        """See `ChatProtocol`."""
        answers = mapping(said).get("answers")
        if not isinstance(answers, list):
            return None
        return tuple(_answer(mapping(answer)) for answer in answers[:1])

    def usages(self, said: object) -> Iterator[Usage]:
        """Tokens of the cache are part of the input's."""
        usage = mapping(mapping(said).get("usage"))
        prompt, output = count(usage, "input_tokens"), count(usage, "output_tokens")
        if not prompt or output is None:
            return
        details = part(usage, "input_tokens_details")
        written = count(details, "cache_write_tokens") or 0
        yield Usage(
            prompt=prompt, output=output, cached=believed(details, "cached_tokens"), written=written
        )


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


def _answer(answer: Mapping[str, object]) -> Said:
    if answer.get("type") == "refusal":
        return Said(text=None, declined="")
    given = answer.get("probabilities")
    levels = [
        (str(one.get("label")), float(share))
        for one in (given if isinstance(given, list) else ())
        if isinstance(one, dict) and isinstance(share := one.get("probability"), int | float)
    ]
    return Said(text=None, levels=levels)


DECISIONS = Decisions()
