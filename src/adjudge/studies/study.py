"""The protocol and settings of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from adjudge.errors import InputError
from adjudge.studies.budgets import checked_budgets
from adjudge.studies.points import Unit

NORMS = (1.0, 2.0, float("inf"))
"""The norms of every experiment of the paper."""


class Study(Protocol):
    """An experiment whose runs are independent and saved one by one."""

    @property
    def name(self) -> str:
        """Short name, safe in file names."""
        ...

    @property
    def panels(self) -> tuple[str, ...]:
        """The settings that it compares."""
        ...

    @property
    def norms(self) -> tuple[float, ...]:
        """The norms of its errors."""
        ...

    @property
    def strategies(self) -> tuple[str, ...]:
        """The strategies it compares, in the order of its pictures."""
        ...

    def settings(self) -> Mapping[str, Any]:
        """Everything that its numbers depend on, as JSON values."""
        ...

    def unit(self, run: int) -> Unit:
        """One run."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """The user's settings of a synthetic experiment; the defaults are the paper's."""

    items: int = 1000
    judges: int = 10
    budgets: tuple[float, ...] | None = None
    """None means a grid that covers every strategy."""
    delta: float = 0.05
    """Not stated in the paper."""
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value in (("items", self.items), ("judges", self.judges)):
            if value < 1:
                raise InputError(name, str(value), "give at least 1")
        if self.seed < 0:
            raise InputError("seed", str(self.seed), "give 0 or more")
        if not 0 < self.delta < 1:
            raise InputError("delta", f"{self.delta}", "it must lie between 0 and 1, as 0.05 does")
        if self.budgets is not None:
            checked_budgets(self.budgets)
