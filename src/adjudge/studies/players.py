"""How the points of each strategy are drawn, sharing draws where the distribution allows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from adjudge.core.apportionment import fits
from adjudge.core.evidence import Evidence
from adjudge.core.strategies import EstIvwe, Uniform
from adjudge.simulate import play
from adjudge.studies.points import Limit, LowerBound, Point, Start, Unit
from adjudge.studies.reference import limits, lower_bounds
from adjudge.studies.scene import Scene
from adjudge.studies.shared_draws import grown
from adjudge.worlds.beta import EXACT_CALLS

Player = Callable[[Scene, Sequence[str]], Iterator[Point]]
"""The points of these strategies at every norm and budget that they accept."""


def play_scene(scene: Scene) -> Unit:
    """Every strategy at every norm and accepted budget, with bounds and limits."""
    scene.pilots.prepare(list(_pilot_sizes(scene)))
    teams: dict[Player, list[str]] = {}
    for name in scene.strategies:
        teams.setdefault(PLAYERS[name], []).append(name)
    points = [point for player, names in teams.items() for point in player(scene, names)]
    starts: list[Start] = []
    bounds: list[LowerBound] = []
    final: list[Limit] = []
    panel, run = scene.panel, scene.run
    for norm in scene.norms:
        problem, instance = scene.problem(norm), scene.world.instance
        for name in scene.strategies:
            least = scene.least_budget(name, norm)
            starts.append(Start(panel=panel, norm=norm, strategy=name, run=run, budget=least))
        bounds += lower_bounds(problem, scene.variance, instance.truth, panel=panel, run=run)
        if scene.with_limits:
            final += limits(problem, instance, scene.variance, panel=panel, run=run)
    return Unit(
        run=run,
        points=tuple(points),
        starts=tuple(starts),
        bounds=tuple(bounds),
        limits=tuple(limit for limit in final if limit.strategy in scene.strategies),
    )


def planned(scene: Scene, names: Sequence[str]) -> Iterator[Point]:
    """Each norm and budget played separately, with shared pilots."""
    for name in names:
        for norm in scene.norms:
            problem = scene.problem(norm)
            for budget in scene.accepted(name, norm):
                rng = scene.rng(name, norm, budget)
                outcome = play(scene.strategy(name), problem, scene.pilots, budget, rng=rng)
                yield scene.point(name, norm, budget, outcome.evidence)


def equal_counts(scene: Scene, names: Sequence[str]) -> Iterator[Point]:
    """One growing evidence shared by all norms and both of Uniform's estimators."""
    problem = scene.problem(scene.norms[0])
    # Above EXACT_CALLS, drawing a pair takes constant time, so nothing is gained by reuse.
    limit = EXACT_CALLS * problem.cost_of_every_pair
    budgets = scene.accepted("uniform", scene.norms[0])
    at_each = grown(
        Uniform(), problem, scene.world, budgets, rng=scene.rng("uniform"), anew_beyond=limit
    )
    for budget, evidence in at_each:
        for norm in scene.norms:
            for name in names:
                if fits(scene.least_budget(name, norm), budget):
                    yield scene.point(name, norm, budget, evidence)


def one_growing_run(scene: Scene, names: Sequence[str]) -> Iterator[Point]:
    """One run per norm, extended from budget to budget."""
    for name in names:
        for norm in scene.norms:
            at_each = grown(
                scene.strategy(name),
                scene.problem(norm),
                scene.world,
                scene.accepted(name, norm),
                rng=scene.rng(name, norm),
                anew_beyond=float("inf"),
            )
            for budget, evidence in at_each:
                yield scene.point(name, norm, budget, evidence)


PLAYERS: dict[str, Player] = {
    "oracle": planned,
    "uniform": equal_counts,
    "uniform-ivw": equal_counts,
    "est-ivwe-bounded": planned,
    "est-ivwe-gaussian": planned,
    "robin": planned,
    "robin-hood": one_growing_run,
}
"""The player of each strategy."""


def _pilot_sizes(scene: Scene) -> Iterator[int]:
    """N0 of every norm and budget."""
    for name in scene.strategies:
        strategy = scene.strategy(name)
        if not isinstance(strategy, EstIvwe):
            continue
        for norm in scene.norms:
            problem = scene.problem(norm)
            nothing = Evidence.none(problem)
            for budget in scene.accepted(name, norm):
                pilot = strategy.next_batch(problem, nothing, budget, scene.rng("pilot"))
                yield int(pilot.counts.max())
