"""The kinds of worlds that `unseen` measures, and the cells of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CALLS = (1.0, 3.0, 10.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One family at one size and one budget."""

    kind: str
    family: str
    items: int
    judges: int
    calls: float
    """Budget, in calls of average price per item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """A family at one size."""

    family: str
    items: int
    judges: int
    calls: tuple[float, ...] | None = None
    """Budgets in calls per item; None for those from the command line."""


KINDS: dict[str, tuple[Size, ...]] = {
    "deterministic": (Size(family="deterministic", items=100, judges=7),),
    "quiet": (Size(family="quiet", items=100, judges=4),),
    "few-items": (
        Size(family="offsets-deviations", items=24, judges=4),
        Size(family="offsets-deviations", items=60, judges=4),
        Size(family="quiet", items=24, judges=4),
    ),
    "many-judges": (
        Size(family="offsets-deviations", items=70, judges=12),
        Size(family="quiet", items=50, judges=12),
    ),
    "two-systems": (Size(family="two-systems", items=80, judges=4),),
    "five-systems": (Size(family="five-systems", items=150, judges=4),),
    "near-copies": (Size(family="near-copies", items=100, judges=7),),
    "drift": (Size(family="drift", items=100, judges=4),),
    "one-end": (Size(family="one-end", items=100, judges=4),),
    "capped": (Size(family="capped", items=100, judges=4),),
    "mixed-noise": (Size(family="mixed-noise", items=100, judges=4),),
    "yes-no": (
        Size(family="yes-no", items=50, judges=3),
        Size(family="yes-no-sure", items=50, judges=3),
    ),
    "weak-judge": (Size(family="weak-judge", items=150, judges=7),),
    "large-offsets": (Size(family="large-offsets", items=100, judges=4),),
    "missing-pairs": (Size(family="missing-pairs", items=100, judges=5),),
    "no-shared-items": (Size(family="no-shared-items", items=100, judges=4),),
    "one-call-per-pair": (
        Size(family="quiet", items=100, judges=4, calls=(4.0,)),
        Size(family="quiet", items=60, judges=7, calls=(7.0,)),
        Size(family="deterministic", items=100, judges=4, calls=(4.0,)),
    ),
    "very-few-items": tuple(
        Size(family=family, items=items, judges=3, calls=(1.0, 3.0))
        for family in ("offsets-deviations", "quiet")
        for items in (5, 10, 20)
    ),
}
"""Every kind, with the sizes at which it is measured."""


def cells(kinds: Sequence[str], calls: Sequence[float]) -> Iterator[Cell]:
    """All cells of these kinds."""
    for kind in kinds:
        for size in KINDS[kind]:
            for number in size.calls or calls:
                yield Cell(
                    kind=kind,
                    family=size.family,
                    items=size.items,
                    judges=size.judges,
                    calls=number,
                )
