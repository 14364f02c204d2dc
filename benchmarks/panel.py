"""The panel strategy on recorded judges and synthetic families, against oracles and baselines."""

from __future__ import annotations

import argparse
import math
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.errors import BudgetError
from adjudge.simulate import CONTENDERS, Options, play
from adjudge.simulate.grid import stream
from adjudge.simulate.summary import paired_ratio
from adjudge.worlds import FAMILIES, RecordedScores, World
from benchmarks.panel_bars import cells_of, print_bars

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
PRICES = {
    "gpt-5.4": 0.0044, "gpt-5.4-mini": 0.0011, "gpt-5.4-nano": 0.00037,
    "claude-sonnet-4.6": 0.0046, "claude-haiku-4.5": 0.0016,
}  # fmt: skip
RECORDED = {
    "core5x8": ("rewardbench2_core5x8", None),
    "composo base": ("rewardbench2_composo", "base"),
    "composo criteria": ("rewardbench2_composo", "criteria"),
    "composo cal-both": ("rewardbench2_composo", "cal-both"),
    "themis rb2": ("themis_fourway", "rewardbench2"),
    "themis uf": ("themis_fourway", "ultrafeedback"),
    "hanna coherence": ("hanna_llm_prompts", "coherence"),
    "hanna surprise": ("hanna_llm_prompts", "surprise"),
}
OTHERS = {
    f"{short} {axis}": (file, axis)
    for short, file, axes in (
        ("composo", "rewardbench2_composo", ("cal-cross", "cal-high", "cal-low", "combined")),
        ("hanna", "hanna_llm_prompts", ("complexity", "empathy", "engagement", "relevance")),
    )
    for axis in axes
}
"""More axes of the same files, for `--sets others`."""
LEVELS = (0.8, 0.9, 0.95)
REFERENCES = {
    "recorded": (
        "judge-oracle", "panel-oracle", "uniform", "cyclic", "best-single", "est-ivwe-bounded",
    ),
    "family": ("oracle", "uniform", "cyclic", "best-single", "est-ivwe-bounded"),
}  # fmt: skip
"""Strategies compared with the panel, by kind of case; errors are relative to the first."""
OPTIONS = Options(reduced_pilot=True)
"""No budget in these tables covers the pilot of Est-IVWE's theorem."""


@dataclass(frozen=True)
class Case:
    """One instance source at one budget and norm."""

    name: str
    kind: str
    calls: float
    norm: float
    items: int
    judges: int = 0
    runs: int = 8
    first_run: int = 0
    """Index of the first run, which sets the random numbers, so that more runs can be added."""

    @property
    def label(self) -> str:
        """The case's name in a table."""
        return f"{self.name}, J = {self.judges}" if self.kind == "family" else self.name


@dataclass(frozen=True)
class Measured:
    """The results of a case's runs."""

    case: Case
    errors: dict[str, FloatArray]
    """Error of each run, by strategy; nan where the budget was refused."""
    coverage: FloatArray
    """Coverage of the panel's intervals, by level."""


@cache
def recorded(name: str) -> RecordedScores:
    file, axis = (RECORDED | OTHERS)[name]
    prices = PRICES if name == "core5x8" else None
    scores = RecordedScores.read(DATA / f"{file}.parquet", axis=axis, prices=prices)
    return scores.keep(scores.mask.all(axis=1))


def world_of(case: Case, run: int) -> World:
    rng = stream(1, "instance", case.name, run)
    if case.kind == "family":
        return FAMILIES[case.name](case.items, case.judges, rng)
    scores = recorded(case.name)
    return scores.sample(min(case.items, scores.items), rng)


def measure(case: Case) -> Measured:
    """Paired errors of every strategy, and the panel's coverage."""
    errors: dict[str, list[float]] = {}
    covered = []
    for run in range(case.first_run, case.first_run + case.runs):
        world = world_of(case, run)
        instance = world.instance
        budget = case.calls * len(instance.truth) * float(instance.price_per_call.mean())
        problem = instance.problem(norm=case.norm)
        for name in ("panel", *REFERENCES[case.kind]):
            strategy = CONTENDERS[name](problem, instance, budget, OPTIONS)
            rng = stream(1, "play", case.name, run, name, case.calls, case.norm)
            try:
                outcome = play(strategy, problem, world, budget, rng=rng)
            except BudgetError:
                errors.setdefault(name, []).append(math.nan)
                continue
            errors.setdefault(name, []).append(outcome.error(instance.truth, case.norm))
            if name == "panel":
                estimate = outcome.estimate
                covered.append(
                    [float(estimate.interval(x).covers(instance.truth).mean()) for x in LEVELS]
                )
    return Measured(
        case=case,
        errors={name: np.array(values) for name, values in errors.items()},
        coverage=np.mean(covered, axis=0),
    )


def heading(kind: str) -> str:
    first, *others = REFERENCES[kind]
    columns = [
        "set" if kind == "recorded" else "family",
        "p",
        "calls per item",
        f"panel / {first.replace('-', ' ')}",
        *("Est-IVWE" if "ivwe" in name else name.replace("-", " ") for name in others),
        "panel / better of uniform and cyclic",
        "coverage 80/90/95",
    ]
    return "\n| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|"


def row(found: Measured) -> str:
    case, errors = found.case, found.errors
    first, *others = REFERENCES[case.kind]
    better = min(errors["uniform"].mean(), errors["cyclic"].mean())
    cells = [
        case.label,
        f"{case.norm:g}",
        f"{case.calls:g}",
        *(over(errors[name], errors[first]) for name in ("panel", *others)),
        f"{errors['panel'].mean() / better:.2f}",
        " / ".join(f"{100 * value:.0f}" for value in found.coverage),
    ]
    return "| " + " | ".join(cells) + " |"


def over(errors: FloatArray, reference: FloatArray) -> str:
    if np.isnan(errors).any():
        return "refused"
    ratio, error = paired_ratio(errors, reference)
    return f"{ratio:.2f} ± {error:.2f}"


def print_table(cases: list[Case], jobs: int) -> None:
    """Print a table of these cases, and how they meet the bars."""
    lines = [heading(cases[0].kind)]
    print(lines[0])
    with ProcessPoolExecutor(jobs) as pool:
        for found in pool.map(measure, cases):
            lines.append(row(found))
            print(lines[-1], flush=True)
    print()
    print_bars(cells_of("\n".join(lines)))


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--first-run", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--norms", default="2,1,inf")
    parser.add_argument("--budgets", default="1,2,3,5,10,20")
    parser.add_argument("--sets", default=",".join(RECORDED))
    parser.add_argument(
        "--families",
        default="paper:3,paper:10,mult:3,mult:10,costs-30x:10,rating:10,binary:10,homoskedastic:10,heavy-tailed:10,offsets:5,deviations:5,offsets-deviations:5,failing-judge:5,lengths:5",
    )
    parser.add_argument("--family-budgets", default="1,2,3,5,10,20,50,200")
    parser.add_argument("--family-norms", default="2,1,inf")
    parser.add_argument("--family-runs", type=int, default=16)
    choice = parser.parse_args()
    norms = [float(text) for text in choice.norms.split(",")]
    cases = [
        Case(
            name=name,
            kind="recorded",
            calls=float(calls),
            norm=norm,
            items=choice.items,
            runs=choice.runs,
            first_run=choice.first_run,
        )
        for name in (OTHERS if choice.sets == "others" else choice.sets.split(","))
        if name
        for norm in norms
        for calls in choice.budgets.split(",")
    ]
    if cases and DATA.exists():
        print_table(cases, choice.jobs)
    families = [
        Case(
            name=name.split(":")[0],
            kind="family",
            calls=float(calls),
            norm=float(norm),
            items=200,
            judges=int(name.split(":")[1]),
            runs=choice.family_runs,
            first_run=choice.first_run,
        )
        for name in choice.families.split(",")
        if name
        for norm in choice.family_norms.split(",")
        for calls in choice.family_budgets.split(",")
    ]
    if families:
        print_table(families, choice.jobs)


if __name__ == "__main__":
    main()
