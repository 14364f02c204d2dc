"""The effect of prices that rise with quality, fall with it, or are all equal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from adjudge.simulate.grid import stream
from adjudge.studies.players import play_scene
from adjudge.studies.points import Unit
from adjudge.studies.scene import Scene
from adjudge.studies.shared_draws import SharedPilots
from adjudge.studies.study import NORMS, Setup
from adjudge.studies.synthetic import budgets_at_price
from adjudge.worlds import FAMILIES

_MEAN_PRICE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class CostsStudy:
    """The same judges under three cost structures.

    Within a run the three have the same means, variances and pilots; only prices differ.
    """

    setup: Setup = field(default_factory=Setup)
    name: str = "costs"
    panels: tuple[str, ...] = ("bad-is-expensive", "bad-is-cheap", "uniform-costs")
    norms: tuple[float, ...] = NORMS
    strategies: tuple[str, ...] = ("oracle", "est-ivwe-bounded")

    def settings(self) -> Mapping[str, Any]:
        """The setup with its budgets."""
        return {**asdict(self.setup), "budgets": self.budgets()}

    def budgets(self) -> tuple[float, ...]:
        """The setup's budgets, or a grid for the mean price."""
        return budgets_at_price(self.setup, price=_MEAN_PRICE, norms=self.norms)

    def unit(self, run: int) -> Unit:
        """A new instance, played under each cost structure."""
        return Unit.joined(run, [play_scene(scene) for scene in self.scenes(run)])

    def scenes(self, run: int) -> list[Scene]:
        """One scene per cost structure."""
        setup = self.setup
        worlds = {
            panel: FAMILIES[panel](
                setup.items, setup.judges, stream(setup.seed, self.name, "instance", run)
            )
            for panel in self.panels
        }
        shared = SharedPilots(worlds[self.panels[0]], stream(setup.seed, self.name, "pilots", run))
        return [
            Scene(
                study=self.name,
                panel=panel,
                run=run,
                seed=setup.seed,
                world=world,
                pilots=shared.at_prices_of(world),
                variance=world.instance.variance,
                strategies=self.strategies,
                norms=self.norms,
                budgets=self.budgets(),
                delta=setup.delta,
            )
            for panel, world in worlds.items()
        ]
