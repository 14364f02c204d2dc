"""The panel strategy on recorded judges and synthetic families, against oracles and baselines."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from adjudge.errors import BudgetError
from adjudge.simulate import CONTENDERS, Options, play
from adjudge.simulate.grid import stream
from adjudge.simulate.summary import paired_ratio
from adjudge.worlds import FAMILIES, RecordedScores, World

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
REFERENCES = ("judge-oracle", "panel-oracle", "uniform", "cyclic", "best-single")


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
    first: str = "judge-oracle"


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


def measure(case: Case) -> dict[str, object]:
    """Paired errors of every strategy, and the panel's coverage."""
    errors: dict[str, list[float]] = {}
    covered = []
    for run in range(case.runs):
        world = world_of(case, run)
        instance = world.instance
        budget = case.calls * len(instance.truth) * float(instance.cost.mean())
        problem = instance.problem(norm=case.norm)
        names = (
            ("panel", *REFERENCES) if case.kind == "recorded" else ("panel", "uniform", "oracle")
        )
        for name in names:
            strategy = CONTENDERS[name](problem, instance, budget, Options())
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
    return {
        "case": case,
        "errors": {name: np.array(values) for name, values in errors.items()},
        "coverage": np.mean(covered, axis=0),
    }


def label(case: Case) -> str:
    return f"{case.name}, J = {case.judges}" if case.kind == "family" else case.name


def rows(cases: list[Case], jobs: int) -> Iterator[str]:
    with ProcessPoolExecutor(jobs) as pool:
        for result in pool.map(measure, cases):
            case, errors = result["case"], result["errors"]
            assert isinstance(case, Case)
            assert isinstance(errors, dict)
            own = errors["panel"]
            reference = errors.get("judge-oracle", errors.get("oracle"))
            cells = []
            for values in errors.values():
                if values is reference:
                    continue
                ratio, error = paired_ratio(values, reference)
                cells.append(f"{ratio:.2f} ± {error:.2f}")
            if case.kind == "recorded":
                better = min(errors["uniform"].mean(), errors["cyclic"].mean())
                cells.append(f"{own.mean() / better:.2f}")
            coverage = " / ".join(f"{100 * value:.0f}" for value in np.asarray(result["coverage"]))
            yield (
                f"| {label(case)} | {case.norm:g} | {case.calls:g} | "
                + " | ".join([*cells, coverage])
                + " |"
            )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=8)
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
        )
        for name in (OTHERS if choice.sets == "others" else choice.sets.split(","))
        if name
        for norm in norms
        for calls in choice.budgets.split(",")
    ]
    if cases and DATA.exists():
        print(
            "\n| set | p | calls per item | panel / judge oracle | panel oracle | uniform | "
            "cyclic | best single | panel / better of uniform and cyclic | coverage 80/90/95 |"
        )
        print("|---" * 10 + "|")
        for row in rows(cases, choice.jobs):
            print(row, flush=True)
    families = [
        Case(
            name=name.split(":")[0],
            kind="family",
            calls=float(calls),
            norm=float(norm),
            items=200,
            judges=int(name.split(":")[1]),
            runs=choice.family_runs,
        )
        for name in choice.families.split(",")
        if name
        for norm in choice.family_norms.split(",")
        for calls in choice.family_budgets.split(",")
    ]
    if families:
        print(
            "\n| family | p | calls per item | panel / oracle | uniform / oracle | "
            "coverage 80/90/95 |"
        )
        print("|---" * 6 + "|")
        for row in rows(families, choice.jobs):
            print(row, flush=True)


if __name__ == "__main__":
    main()
