"""Records of random draws of items to label; their inclusion probabilities make means valid."""

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
    """Date and time, human-readable."""
    items: tuple[str, ...]
    """The ids of the drawn items."""
    probability: Mapping[str, float]
    """Each item's inclusion probability, by id; items with probability 0 are absent."""

    @property
    def line(self) -> bytes:
        """The draw as a line of a draws file."""
        chances = {item: round(chance, _DIGITS) for item, chance in self.probability.items()}
        row = {"at": self.at, "items": self.items, "probability": chances}
        return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


def read_draws(path: Path) -> tuple[Draw, ...]:
    """The draws in this file, oldest first; empty if there is no file."""
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
                f"{path}, line {number}: this is not a draw written by `adjudge label`; if you "
                "delete the line, its labels count as chosen in an unknown way"
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
