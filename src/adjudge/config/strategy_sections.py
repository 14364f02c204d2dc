"""The strategies of a run file, by kind."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Tag

from adjudge.config.section import OrElse, Section
from adjudge.core.panel import Guarding, Target
from adjudge.core.strategies import (
    Cyclic,
    EstIvwe,
    Panel,
    RobinHood,
    SingleJudge,
    Strategy,
    Uniform,
)
from adjudge.errors import InputError


class PanelSection(Section):
    """The default: learns about the judges while it scores, and spends where it helps most."""

    kind: Literal["panel"] = "panel"
    """Name of the strategy."""
    target: Target | None = None
    """Estimate `panel` (all judges), `reference` (people; default with labels) or `unbiased`."""
    guard: Guarding = Guarding.ASK
    """Judges left out: `ask` constant ones, `on` also uncorrelated ones, `off` none."""

    def strategy(self, judges: Sequence[str]) -> Strategy:
        """The strategy for these judges."""
        return Panel(target=self.target or Target.PANEL, guard=self.guard)


class UniformSection(Section):
    """Calls every judge equally often on every item."""

    kind: Literal["uniform"]
    """Name of the strategy."""
    by_inverse_variance: bool = False
    """Whether judges are weighted by inverse sample variance."""

    def strategy(self, judges: Sequence[str]) -> Strategy:
        """The strategy for these judges."""
        return Uniform(by_inverse_variance=self.by_inverse_variance)


class CyclicSection(Section):
    """Calls one judge per item and pass, in rotation."""

    kind: Literal["cyclic"]
    """Name of the strategy."""

    def strategy(self, judges: Sequence[str]) -> Strategy:
        """The strategy for these judges."""
        return Cyclic()


class SingleSection(Section):
    """Calls one judge equally often on every item."""

    kind: Literal["single"]
    """Name of the strategy."""
    judge: str
    """The name of the judge."""

    def strategy(self, judges: Sequence[str]) -> Strategy:
        """The strategy for these judges."""
        return SingleJudge(judge=_number(self.judge, judges))


class EstIvweSection(Section):
    """Estimates variances in a pilot, then allocates by them (algorithms 1 and 2 of the paper)."""

    kind: Literal["est_ivwe"]
    """Name of the strategy."""
    gaussian: bool = False
    """Whether scores are assumed Gaussian rather than bounded."""
    reduced_pilot: bool = False
    """Shorten the pilot to fit the budget instead of refusing; this voids the guarantee."""

    def strategy(self, judges: Sequence[str]) -> Strategy:
        """The strategy for these judges."""
        return EstIvwe(**self.model_dump(exclude={"kind"}))


class RobinHoodSection(Section):
    """Calls one judge, more often on items where its answers vary more."""

    kind: Literal["robin_hood"]
    """Name of the strategy."""
    judge: str
    """The name of the judge."""

    def strategy(self, judges: Sequence[str]) -> Strategy:
        """The strategy for these judges."""
        return RobinHood(judge=_number(self.judge, judges))


STRATEGY_KINDS = ("panel", "uniform", "cyclic", "single", "est_ivwe", "robin_hood")
_ORACLES = ("oracle", "robin", "panel_oracle", "judge_oracle", "best_single")
_NAMED_IN_SIMULATIONS: dict[str, dict[str, object]] = {
    "uniform_ivw": {"kind": "uniform", "by_inverse_variance": True},
    "est_ivwe_bounded": {"kind": "est_ivwe"},
    "est_ivwe_gaussian": {"kind": "est_ivwe", "gaussian": True},
}


def _mapping(value: object) -> object:
    """The strategy as a mapping whose kind is written with underscores."""
    given = {"kind": value} if isinstance(value, str) else value
    if not isinstance(given, dict):
        return value
    kind = str(given.get("kind", "panel")).strip().lower().replace("-", "_")
    if kind in _ORACLES:
        raise InputError(
            "strategy",
            f"{kind} knows the truth, which only simulations do",
            f"choose one of {', '.join(STRATEGY_KINDS)}",
        )
    return {**given, "kind": kind} | _NAMED_IN_SIMULATIONS.get(kind, {})


def strategy_kind(value: object) -> str | None:
    """The kind that the mapping names."""
    given = value.get("kind") if isinstance(value, dict) else getattr(value, "kind", None)
    return None if given is None else str(given)


def _number(name: str, judges: Sequence[str]) -> int:
    if name in judges:
        return list(judges).index(name)
    near = get_close_matches(name, judges, n=1)
    advice = f"did you mean {near[0]}?" if near else f"the judges are {', '.join(judges)}"
    raise InputError("judge", f'no judge is called "{name}"', advice)


StrategySection = Annotated[
    Annotated[PanelSection, Tag("panel")]
    | Annotated[UniformSection, Tag("uniform")]
    | Annotated[CyclicSection, Tag("cyclic")]
    | Annotated[SingleSection, Tag("single")]
    | Annotated[EstIvweSection, Tag("est_ivwe")]
    | Annotated[RobinHoodSection, Tag("robin_hood")],
    Discriminator(strategy_kind),
    BeforeValidator(_mapping),
    OrElse({"enum": ["panel", "uniform", "cyclic", "est_ivwe"]}),
]
