"""What to run: items, judges, scale and strategy, and how patiently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from adjudge.core.panel import Target
from adjudge.core.strategies import Panel, Strategy
from adjudge.errors import InputError
from adjudge.judges import Judge, Scale
from adjudge.records import Item
from adjudge.run.enough import Enough
from adjudge.run.people import People
from adjudge.run.place import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long to keep trying a judge that fails."""

    first_wait: float = 0.5
    """Seconds before the first retry; doubled each time, with jitter."""
    longest_wait: float = 60.0
    longest_asked_wait: float = 300.0
    """A judge that asks for a longer wait than this is switched off."""
    attempts: int = 5
    """Attempts at one call, if the judge answers other calls."""
    pauses: int = 8
    """Pauses in a row without an answer before a judge is switched off; 0: at its first failure."""

    def __post_init__(self) -> None:
        if not 0 < self.first_wait <= self.longest_wait:
            raise InputError(
                "first_wait", f"{self.first_wait} s", f"above 0 and up to {self.longest_wait} s"
            )
        if self.attempts < 1 or self.pauses < 0:
            raise InputError("patience", "no attempt is allowed", "allow one or more")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """Everything a live run needs except its store and its budget."""

    items: Sequence[Item]
    judges: Sequence[Judge]
    scale: Scale
    """The scale of every judge's scores."""
    strategy: Strategy
    norm: float = 2.0
    confidence: float = 0.95
    weights: Sequence[float] | None = None
    """Each judge's weight in the panel's score; equal if not given."""
    ask_again: int = 1
    """How often a judge is asked again about an item after an answer without a score."""
    keep_texts: bool = False
    """Whether the store keeps what judges wrote."""
    grace: float = 5.0
    """Seconds to wait for calls under way when the run is told to stop."""
    patience: Patience = field(default_factory=Patience)
    enough: Enough | None = None
    """Called after each round: whether the run may end before its money is spent; None: never."""
    people: People | None = None
    """People's labels of some of the items; None if there are none."""
    place: Place | None = None
    """Where calls are made; None for this process."""

    def __post_init__(self) -> None:
        if not self.items or not self.judges:
            raise InputError("items and judges", "none are given", "give at least one of each")
        _check_unique("items", (item.id for item in self.items))
        _check_unique("judges", (judge.name for judge in self.judges))
        _check_different(self.judges)
        _check_scale(self.judges, self.scale)
        if self.ask_again < 0:
            raise InputError("ask_again", f"{self.ask_again}", "0 or more")
        if self.weights is not None and len(self.weights) != len(self.judges):
            raise InputError(
                "weights",
                f"{len(self.weights)} given",
                f"one for each of {len(self.judges)} judges",
            )

    @property
    def judges_in_place(self) -> Sequence[Judge]:
        """The judges, wrapped so that calls are made in `place`."""
        return self.judges if self.place is None else self.place.carried(self.judges)

    @property
    def anchored(self) -> bool:
        """Whether scores are on the people's scale."""
        return self._asks_for_people and self.people is not None

    @property
    def lacks_labels(self) -> bool:
        """Whether scores on the people's scale are asked for, but there is no label."""
        return self._asks_for_people and self.people is None

    @property
    def _asks_for_people(self) -> bool:
        strategy = self.strategy
        return isinstance(strategy, Panel) and strategy.target is Target.REFERENCE

    @property
    def score_scale(self) -> Scale:
        """The scale of the scores: people's if `anchored`, otherwise the judges'."""
        return self.people.scale if self.people is not None and self.anchored else self.scale


def _check_unique(field_name: str, names: Iterable[str]) -> None:
    name, often = Counter(names).most_common(1)[0]
    if often > 1:
        raise InputError(field_name, f"{name!r} occurs {often} times", "give each its own name")


def _check_different(judges: Sequence[Judge]) -> None:
    """Refuse the same judge under two names: the ledger could not separate their answers."""
    names: dict[str, str] = {}
    for judge in judges:
        other = names.setdefault(judge.identity, judge.name)
        if other != judge.name:
            raise InputError(
                "judges",
                f"{other!r} and {judge.name!r} ask the same in the same way",
                "leave one out; repeated calls are the strategy's to decide",
            )


def _check_scale(judges: Sequence[Judge], scale: Scale) -> None:
    """Refuse judges that state a scale other than the run's."""
    for judge in judges:
        own = getattr(judge, "scale", None)
        if isinstance(own, Scale) and (own.low, own.high) != (scale.low, scale.high):
            raise InputError(
                "judges",
                f"{judge.name!r} scores from {own.low:g} to {own.high:g}, the run from "
                f"{scale.low:g} to {scale.high:g}",
                "give the run and all of its judges the same scale",
            )
