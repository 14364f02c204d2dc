"""The paper's synthetic experiment, and its version with a single judge."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from adjudge.core.problem import Problem
from adjudge.simulate.grid import stream
from adjudge.studies.budgets import checked_budgets, covering_grid
from adjudge.studies.players import play_scene
from adjudge.studies.points import Unit
from adjudge.studies.scene import Scene
from adjudge.studies.shared_draws import SharedPilots
from adjudge.studies.study import NORMS, Setup
from adjudge.worlds import FAMILIES, BetaWorld, World


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntheticStudy:
    """Beta scores with random means and variances; judges with random prices."""

    setup: Setup = field(default_factory=Setup)
    name: str = "synthetic"
    panels: tuple[str, ...] = ("synthetic",)
    norms: tuple[float, ...] = NORMS
    strategies: tuple[str, ...] = (
        "oracle",
        "uniform",
        "uniform-ivw",
        "est-ivwe-bounded",
        "est-ivwe-gaussian",
    )

    def settings(self) -> Mapping[str, Any]:
        """The setup with its budgets."""
        return {**asdict(self.setup), "budgets": self.budgets()}

    def budgets(self) -> tuple[float, ...]:
        """The setup's budgets, or a grid for a price of 1, the mean price."""
        return budgets_at_price(self.setup, price=1.0, norms=self.norms)

    def unit(self, run: int) -> Unit:
        """A new instance, played by every strategy."""
        setup = self.setup
        rng = stream(setup.seed, self.name, "instance", run)
        world = FAMILIES["paper"](setup.items, setup.judges, rng)
        return play_scene(self.scene(world, run))

    def scene(self, world: World, run: int) -> Scene:
        """The scene that plays every strategy on this world."""
        rng = stream(self.setup.seed, self.name, "pilots", run)
        return Scene(
            study=self.name,
            panel=self.panels[0],
            run=run,
            seed=self.setup.seed,
            world=world,
            pilots=SharedPilots(world, rng),
            variance=world.instance.variance,
            strategies=self.strategies,
            norms=self.norms,
            budgets=self.budgets(),
            delta=self.setup.delta,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleStudy:
    """One judge at a price of 1 under the maximum norm: the setting of ROBIN-HOOD."""

    setup: Setup = field(default_factory=lambda: Setup(judges=1))
    name: str = "single"
    panels: tuple[str, ...] = ("single",)
    norms: tuple[float, ...] = (math.inf,)
    strategies: tuple[str, ...] = (
        "oracle",
        "robin",
        "uniform",
        "est-ivwe-bounded",
        "est-ivwe-gaussian",
        "robin-hood",
    )

    def settings(self) -> Mapping[str, Any]:
        """The setup with its budgets; the number of judges is always one."""
        return {**asdict(self._setup), "budgets": self.budgets()}

    def budgets(self) -> tuple[float, ...]:
        """The setup's budgets, or a grid."""
        return budgets_at_price(self._setup, price=1.0, norms=self.norms)

    def unit(self, run: int) -> Unit:
        """A new instance, played by every strategy."""
        setup = self._setup
        rng = stream(setup.seed, self.name, "instance", run)
        drawn = FAMILIES["paper"](setup.items, 1, rng).instance
        world = BetaWorld.of(replace(drawn, price_per_call=np.ones((setup.items, 1))))
        scene = Scene(
            study=self.name,
            panel=self.panels[0],
            run=run,
            seed=setup.seed,
            world=world,
            pilots=SharedPilots(world, stream(setup.seed, self.name, "pilots", run)),
            variance=world.instance.variance,
            strategies=self.strategies,
            norms=self.norms,
            budgets=self.budgets(),
            delta=setup.delta,
        )
        return play_scene(scene)

    @property
    def _setup(self) -> Setup:
        return replace(self.setup, judges=1)


def budgets_at_price(setup: Setup, *, price: float, norms: tuple[float, ...]) -> tuple[float, ...]:
    """The setup's budgets, or a grid for judges of this mean price."""
    if setup.budgets is not None:
        return checked_budgets(setup.budgets)
    problem = Problem.of(
        np.full(setup.judges, price), items=setup.items, confidence=1 - setup.delta
    )
    return covering_grid(problem.with_norm(norm) for norm in norms)
