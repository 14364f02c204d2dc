"""Recorded judges: the paper's experiment, and the same judges without the consensus filter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from adjudge.errors import InputError
from adjudge.simulate.grid import stream
from adjudge.studies.budgets import checked_budgets, covering_grid
from adjudge.studies.consensus import Consensus, FilterCounts, consensus, enough_samples
from adjudge.studies.players import play_scene
from adjudge.studies.points import Unit
from adjudge.studies.recorded_file import RecordedFile
from adjudge.studies.scene import Scene
from adjudge.studies.shared_draws import SharedPilots
from adjudge.studies.study import NORMS, Setup
from adjudge.worlds import RecordedScores, World

PRICE = 0.1
"""Price of one call of any judge, as in the paper."""
STRATEGIES = ("oracle", "uniform", "uniform-ivw", "est-ivwe-bounded", "est-ivwe-gaussian")
MOST_ITEMS = 1000
"""Maximum items per run without the filter; more would not change the findings."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordedStudy:
    """Items that pass the consensus filter; the truth is the judges' common modal score.

    The oracle's variance is the mean squared deviation from that score: bias counts as noise.
    """

    setup: Setup
    source: Mapping[str, Any]
    """The file and options the scores were read with."""
    by_axis: Mapping[str, Consensus]
    """The axes with at least one item."""
    name: str = "recorded"
    norms: tuple[float, ...] = NORMS
    strategies: tuple[str, ...] = STRATEGIES

    @property
    def panels(self) -> tuple[str, ...]:
        """The axes."""
        return tuple(self.by_axis)

    def settings(self) -> Mapping[str, Any]:
        """The file, the filter's counts, and the budgets of each axis."""
        return {
            "seed": self.setup.seed,
            "delta": self.setup.delta,
            **self.source,
            "axes": {
                axis: {
                    **asdict(kept.counts),
                    "budgets": _budgets(self.setup, _world(kept), self.norms),
                }
                for axis, kept in self.by_axis.items()
            },
        }

    def unit(self, run: int) -> Unit:
        """The same items with new draws."""
        return Unit.joined(run, (play_scene(scene) for scene in self._scenes(run)))

    def _scenes(self, run: int) -> Iterator[Scene]:
        for axis, kept in self.by_axis.items():
            world = _world(kept)
            instance = world.instance
            bias = instance.mean - instance.truth[:, None]
            yield Scene(
                study=self.name,
                panel=axis,
                run=run,
                seed=self.setup.seed,
                world=world,
                pilots=SharedPilots(world, stream(self.setup.seed, self.name, "pilots", run, axis)),
                variance=instance.variance + bias**2,
                strategies=self.strategies,
                norms=self.norms,
                budgets=_budgets(self.setup, world, self.norms),
                delta=self.setup.delta,
                with_limits=True,
            )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DifferingStudy:
    """The same judges on all items; the truth is the panel's long-run mean.

    Their means differ, which the paper's model excludes and its filter removes.
    """

    setup: Setup
    source: Mapping[str, Any]
    by_axis: Mapping[str, RecordedScores]
    name: str = "differing"
    norms: tuple[float, ...] = (2.0,)
    strategies: tuple[str, ...] = STRATEGIES

    @property
    def panels(self) -> tuple[str, ...]:
        """The axes."""
        return tuple(self.by_axis)

    def items(self, axis: str) -> int:
        """Number of items in one run."""
        return min(self.by_axis[axis].items, MOST_ITEMS)

    def settings(self) -> Mapping[str, Any]:
        """The file, and the items and budgets of each axis."""
        return {
            "seed": self.setup.seed,
            "delta": self.setup.delta,
            **self.source,
            "axes": {
                axis: {"items": self.items(axis), "budgets": self._budgets(axis)}
                for axis in self.panels
            },
        }

    def unit(self, run: int) -> Unit:
        """Random items, played by every strategy."""
        return Unit.joined(run, (play_scene(scene) for scene in self._scenes(run)))

    def _scenes(self, run: int) -> Iterator[Scene]:
        for axis in self.panels:
            rng = stream(self.setup.seed, self.name, "instance", run, axis)
            world = self.by_axis[axis].sample(self.items(axis), rng)
            yield Scene(
                study=self.name,
                panel=axis,
                run=run,
                seed=self.setup.seed,
                world=world,
                pilots=SharedPilots(world, stream(self.setup.seed, self.name, "pilots", run, axis)),
                variance=world.instance.variance,
                strategies=self.strategies,
                norms=self.norms,
                budgets=self._budgets(axis),
                delta=self.setup.delta,
                with_limits=True,
            )

    def _budgets(self, axis: str) -> tuple[float, ...]:
        some = self.by_axis[axis].keep(np.arange(self.items(axis)))
        return _budgets(self.setup, some.world(), self.norms)


def recorded_studies(
    file: RecordedFile, setup: Setup, *, min_samples: int
) -> tuple[RecordedStudy, DifferingStudy, dict[str, FilterCounts]]:
    """Both experiments on a file, and the filter's counts for each axis."""
    source = {
        "file": file.path.name,
        "content": file.digest(),
        "columns": dict(file.columns),
        "judges": list(file.judges),
        "dataset": file.dataset,
        "score_range": file.score_range,
        "min_samples": min_samples,
        "price": PRICE,
    }
    filtered, everything = {}, {}
    for axis, read in file.read().items():
        scores = replace(read, price=np.full(len(read.judge_names), PRICE))
        everything[axis] = scores.keep(enough_samples(scores, min_samples=min_samples))
        filtered[axis] = consensus(scores, min_samples=min_samples)
    counts = {axis: kept.counts for axis, kept in filtered.items()}
    passed = {axis: kept for axis, kept in filtered.items() if kept.counts.kept}
    if not passed:
        seen = "; ".join(f"{axis}: {count}" for axis, count in counts.items())
        raise InputError(
            file.path.name,
            f"no item passes the filter ({seen})",
            "choose fewer or other judges whose modal scores agree",
        )
    return (
        RecordedStudy(setup=setup, source=source, by_axis=passed, name=f"recorded-{file.name}"),
        DifferingStudy(
            setup=setup, source=source, by_axis=everything, name=f"differing-{file.name}"
        ),
        counts,
    )


def _world(kept: Consensus) -> World:
    return kept.scores.world(truth=kept.truth)


def _budgets(setup: Setup, world: World, norms: tuple[float, ...]) -> tuple[float, ...]:
    if setup.budgets is not None:
        return checked_budgets(setup.budgets)
    problem = world.instance.problem(confidence=1 - setup.delta)
    return covering_grid(problem.with_norm(norm) for norm in norms)
