"""The syntax of gates.

```
gate      side < side, with <, <=, > or >=; or side within number: from -number to number
side      a number, a quantity, or quantity - quantity
quantity  mean | mean(field=value, ...) | score(item=id) | width | spent
          agreement(x) | bias(x), compared with people: x is panel, anchored, or a judge's name
```
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum

from adjudge.errors import InputError

_EXAMPLE = "write it as `mean(group=a) - mean(group=b) > 0` or `width < 0.1`"
_QUOTED = r"\"[^\"]*\"|'[^']*'"
_COMPARISON = re.compile(rf"^((?:[^<>=\"']|=(?!=)|{_QUOTED})*?)(<=|>=|<|>)(.*)$", re.DOTALL)
_WITHIN = re.compile(rf"^((?:[^\"']|{_QUOTED})*?)(?<=[\s)])(within)\b(.*)$", re.DOTALL)
_QUANTITY = re.compile(rf"\s*([A-Za-z_]+)\s*(?:\(((?:[^()\"']|{_QUOTED})*)\))?\s*")
_CONDITION = re.compile(rf"\s*([\w.-]+)\s*=\s*({_QUOTED}|[^,\"']+?)\s*(?:,|$)")


class Kind(StrEnum):
    """What can be measured."""

    MEAN = "mean"
    """Mean score of the items that satisfy the conditions."""
    SCORE = "score"
    """The score of one item."""
    WIDTH = "width"
    """Mean width of the items' intervals."""
    SPENT = "spent"
    """Dollars spent."""
    AGREEMENT = "agreement"
    """Correlation with people's labels, or the share of equal answers if they are yes or no."""
    BIAS = "bias"
    """Mean difference: score minus people's label."""


WITH_PEOPLE = frozenset({Kind.AGREEMENT, Kind.BIAS})
"""The quantities that need labels."""
PANEL, ANCHORED = "panel", "anchored"
"""Besides the judges, these can be compared with people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A measured quantity, for the items whose fields have the values in `where`."""

    kind: Kind
    where: tuple[tuple[str, str], ...] = ()
    who: str = ""
    """The judge, `panel` or `anchored`, for agreement and bias; otherwise empty."""

    def __str__(self) -> str:
        if self.who:
            return f"{self.kind.value}({self.who})"
        chosen = ", ".join(f"{field}={value}" for field, value in self.where)
        return f"{self.kind.value}({chosen})" if chosen else self.kind.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The claim that `first - second` is above `bound`, below it, or within ±`bound`."""

    text: str
    """The gate as written."""
    first: Quantity
    second: Quantity | None
    above: bool
    bound: float
    strict: bool
    """Whether the bound itself fails the claim."""
    within: bool = False
    """Whether the claim is that the value lies between -bound and bound."""

    def holds(self, value: float) -> bool:
        """Whether the claim is true for this value."""
        if self.within:
            return abs(value) <= self.bound
        if value == self.bound:
            return not self.strict
        return (value > self.bound) == self.above

    @property
    def measured(self) -> str:
        """The text of what is compared with the bound."""
        return f"{self.first}" if self.second is None else f"{self.first} - {self.second}"


class _UnreadableError(Exception):
    """A syntax error in a gate, in a few words."""


def parse_gate(text: str, *, of: str = "require") -> Gate:
    """The gate in this text; an error says what cannot be read, and names `of` as its place."""
    try:
        return _gate(text.strip())
    except _UnreadableError as error:
        raise InputError(f"{of} {text.strip()!r}", str(error), _EXAMPLE) from None


def _gate(text: str) -> Gate:
    parts = _COMPARISON.match(text) or _WITHIN.match(text)
    if parts is None:
        raise _UnreadableError("it has no comparison")
    if parts[1].rstrip().endswith("="):
        raise _UnreadableError(f"'={parts[2]}' is no comparison, '{parts[2]}=' is")
    left, right = _side(parts[1]), _side(parts[3])
    within = parts[2] == "within"
    if within and (right.quantities or right.number < 0):
        raise _UnreadableError("within must be followed by a number of 0 or more")
    above = parts[2].startswith(">")
    if not left.quantities:  # `7 < mean` means `mean > 7`
        left, right, above = right, left, not above
    if len(left.quantities) + len(right.quantities) > 2 or not left.quantities:
        raise _UnreadableError("it compares one quantity, or the difference of two, with a number")
    first, *others = (*left.quantities, *right.quantities)
    second = others[0] if others else None
    _check_comparable(first, second)
    if first.kind is Kind.WIDTH and above:
        raise _UnreadableError("a width is required to be below a number")
    return Gate(
        text=text,
        first=first,
        second=second,
        above=above,
        bound=right.number,
        strict=len(parts[2]) == 1,
        within=within,
    )


@dataclass(frozen=True, slots=True)
class _Side:
    quantities: tuple[Quantity, ...]
    """One quantity, or two of which the second is subtracted; empty if the side is a number."""
    number: float = 0.0


def _side(text: str) -> _Side:
    try:
        number = float(text)
    except ValueError:
        first, rest = _quantity(text)
    else:
        if not math.isfinite(number):
            raise _UnreadableError(f"{text.strip()} is not a valid bound")
        return _Side((), number)
    if not rest:
        return _Side((first,))
    if not rest.startswith("-"):
        raise _UnreadableError(f"{rest!r} cannot be read")
    second, rest = _quantity(rest[1:])
    if rest:
        raise _UnreadableError(f"{rest!r} is unexpected here")
    return _Side((first, second))


def _quantity(text: str) -> tuple[Quantity, str]:
    """The quantity with which the text begins, and the rest of the text."""
    match = _QUANTITY.match(text)
    if match is None or match[1] not in set(Kind):
        known = ", ".join(kind.value for kind in Kind)
        found = f"{text.strip()!r} is" if text.strip() else "one side is empty:"
        raise _UnreadableError(f"{found} none of {known}")
    kind = Kind(match[1])
    if kind in WITH_PEOPLE:
        return Quantity(kind=kind, who=_who(kind, match[2])), text[match.end() :].strip()
    where = _conditions(match[2] or "")
    if kind is Kind.SCORE and [field for field, _ in where] != ["item"]:
        raise _UnreadableError("a score needs exactly one item, as score(item=q1)")
    if kind in {Kind.WIDTH, Kind.SPENT} and where:
        raise _UnreadableError(f"{kind.value} takes no conditions")
    return Quantity(kind=kind, where=where), text[match.end() :].strip()


def _who(kind: Kind, text: str | None) -> str:
    name = (text or "").strip()
    if name[:1] in {'"', "'"}:
        name = name[1:-1]
    if not name:
        raise _UnreadableError(f"say whose, as {kind.value}({PANEL}), or name a judge")
    return name


def _conditions(text: str) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    place = 0
    while text[place:].strip():
        match = _CONDITION.match(text, place)
        if match is None:
            raise _UnreadableError(f"{text[place:].strip()!r} is no condition as group=a")
        value = match[2]
        found.append((match[1], value[1:-1] if value[0] in "\"'" else value.strip()))
        place = match.end()
    return tuple(found)


def _check_comparable(first: Quantity, second: Quantity | None) -> None:
    if second is None:
        return
    if not {first.kind, second.kind} <= {Kind.MEAN, Kind.SCORE}:
        raise _UnreadableError("only means and scores have differences")
    if first == second:
        raise _UnreadableError(f"{first} is compared with itself")
