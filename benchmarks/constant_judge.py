"""The cost of a cheap constant judge, in accuracy and in money."""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.simulate import CONTENDERS, play
from adjudge.simulate.grid import stream
from adjudge.simulate.summary import paired_ratio
from adjudge.worlds import ConstantJudgeWorld, World
from benchmarks.panel import DATA, OPTIONS, OTHERS, RECORDED, Case, world_of

PRICE = 0.5
"""Price of the constant judge, relative to the cheapest other judge."""
MOST_ERROR, MOST_SPENT = 1.05, 0.05
"""The bars: ratio of errors with and without the judge, and its share of the spend."""


@dataclass(frozen=True)
class Cost:
    """Effect of the constant judge on the runs of a case."""

    case: Case
    with_it: FloatArray
    """Errors; shape (runs,)."""
    without_it: FloatArray
    """Errors; shape (runs,)."""
    share: FloatArray
    """The judge's share of the spend; shape (runs,)."""

    @property
    def ratio(self) -> tuple[float, float]:
        """Ratio of errors with and without the judge, and its standard error."""
        return paired_ratio(self.with_it, self.without_it)


def measure(case: Case) -> Cost:
    """The panel's runs with and without the judge, on the same items with the same budget."""
    found = []
    for run in range(case.first_run, case.first_run + case.runs):
        plain = world_of(case, run)
        added = ConstantJudgeWorld.of(plain, PRICE * float(plain.instance.price_per_call.min()))
        budget = (
            case.calls * len(plain.instance.truth) * float(plain.instance.price_per_call.mean())
        )
        without, _ = _played(case, plain, budget, run)
        error, share = _played(case, added, budget, run)
        found.append((error, without, share))
    with_it, without_it, shares = np.array(found).T
    return Cost(case=case, with_it=with_it, without_it=without_it, share=shares)


def _played(case: Case, world: World, budget: float, run: int) -> tuple[float, float]:
    """The error of one run, and the last judge's share of the spend."""
    problem = world.instance.problem(norm=case.norm)
    strategy = CONTENDERS["panel"](problem, world.instance, budget, OPTIONS)
    added = int(isinstance(world, ConstantJudgeWorld))
    rng = stream(1, "constant", case.name, run, added, case.calls)
    outcome = play(strategy, problem, world, budget, rng=rng)
    by_judge = (outcome.evidence.calls * problem.price_per_call).sum(axis=0)
    return outcome.error(world.instance.truth, case.norm), float(by_judge[-1] / by_judge.sum())


def row(cost: Cost) -> str:
    """The case as a table row."""
    ratio, error = cost.ratio
    spent = f"{cost.share.mean():.1%} | {cost.share.max():.1%}"
    return f"| {cost.case.label} | {cost.case.calls:g} | {ratio:.2f} ± {error:.2f} | {spent} |"


def main() -> None:
    """Print the table, and the results above a bar."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--first-run", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--budgets", default="1,3,10")
    parser.add_argument("--sets", default=",".join(RECORDED))
    parser.add_argument("--families", default="binary:5,rating:5,offsets-deviations:5")
    choice = parser.parse_args()
    sets = list(OTHERS) if choice.sets == "others" else [s for s in choice.sets.split(",") if s]
    kinds = [("recorded", name, 0) for name in sets if DATA.exists()]
    for family in filter(None, choice.families.split(",")):
        name, judges = family.split(":")
        kinds.append(("family", name, int(judges)))
    cases = [
        Case(
            name=name,
            kind=kind,
            calls=float(calls),
            norm=2.0,
            items=choice.items,
            judges=judges,
            runs=choice.runs,
            first_run=choice.first_run,
        )
        for kind, name, judges in kinds
        for calls in choice.budgets.split(",")
    ]
    print(f"\n## A constant judge of half the lowest price, {choice.items} items, p = 2\n")
    print("| set | calls per item | error with it / without | its share of the spend | at most |")
    print("|---|---|---|---|---|")
    costs = []
    with ProcessPoolExecutor(choice.jobs) as pool:
        for cost in pool.map(measure, cases):
            costs.append(cost)
            print(row(cost), flush=True)
    shares = np.concatenate([cost.share for cost in costs])
    ratios = [cost.ratio for cost in costs]
    beyond = sum(ratio - 2 * error > MOST_ERROR for ratio, error in ratios)
    print(
        f"\nError on average {np.mean([ratio for ratio, _ in ratios]):.3f}; cells more than two"
        f" standard errors above {MOST_ERROR:g}: {beyond} of {len(costs)};"
        f" runs that gave it {MOST_SPENT:.0%} of the spend or more:"
        f" {np.count_nonzero(shares >= MOST_SPENT)} of {shares.size}."
    )


if __name__ == "__main__":
    main()
