"""Which items were drawn to be labelled, and with which probabilities: what makes means valid."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from adjudge.errors import DatasetError

_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """Items drawn at random to be labelled."""

    at: str
    """When, as people read it."""
    items: tuple[str, ...]
    """The ids of those drawn."""
    probability: Mapping[str, float]
    """With which each item could be drawn, by id; items that could not are left out."""

    @property
    def line(self) -> bytes:
        """As a file of draws has it."""
        chances = {item: round(chance, _DIGITS) for item, chance in self.probability.items()}
        row = {"at": self.at, "items": self.items, "probability": chances}
        return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


def read_draws(path: Path) -> tuple[Draw, ...]:
    """The draws that this file holds, the first one first; none without a file."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return ()
    except OSError as error:
        problem = f"{path}: it cannot be read ({error.strerror}); make it readable"
        raise DatasetError(str(path), [problem]) from None
    found = [(number, line, _draw(line)) for number, line in enumerate(lines, 1) if line.strip()]
    wrong = [number for number, _, draw in found if draw is None]
    if wrong:
        raise DatasetError(
            str(path),
            [
                f"{path}, line {number}: this is no draw as `adjudge label` writes them; take the "
                "line out, and its labels count as chosen in an unknown way"
                for number in wrong
            ],
        )
    return tuple(draw for _, _, draw in found if draw is not None)


def _draw(line: bytes) -> Draw | None:
    try:
        row = orjson.loads(line)
        probability = {str(item): float(chance) for item, chance in row["probability"].items()}
        draw = Draw(at=str(row["at"]), items=tuple(map(str, row["items"])), probability=probability)
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    return draw if _is_sound(draw.items, probability) else None


def _is_sound(items: Sequence[str], probability: Mapping[str, float]) -> bool:
    chances = all(math.isfinite(chance) and 0 <= chance <= 1 for chance in probability.values())
    return chances and all(probability.get(item, 0) > 0 for item in items)
