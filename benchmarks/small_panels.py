"""Accuracy of small panels: few items, and three judges whose prices span a factor of 30."""

from __future__ import annotations

import numpy as np

from adjudge.simulate import CONTENDERS, Options, play
from adjudge.worlds import BetaWorld, Instance, World

RUNS = 30
ITEMS = 64
PRICE = np.array([0.0021, 0.00036, 0.00007])
NOISE = np.array([0.05, 0.10, 0.14])
DEVIATION = np.array([0.04, 0.06, 0.08])
OFFSET = np.array([0.0, 0.06, 0.12])
BUDGETS = (0.1, 0.2, 0.4, 0.8)
STRATEGIES = ("panel", "uniform", "cyclic", "judge-oracle")


def main() -> None:
    """Print errors relative to the judge oracle's, and the coverage of single runs."""
    print(f"\n## {ITEMS} items, three judges, {RUNS} runs, p = 2\n")
    print("| budget | panel | uniform | cyclic | 90 % intervals: mean, worst tenth of runs |")
    print("|---|---|---|---|---|")
    for budget in BUDGETS:
        errors: dict[str, list[float]] = {name: [] for name in STRATEGIES}
        covered = []
        for run in range(RUNS):
            world = panel(np.random.default_rng([run, 7]))
            instance = world.instance
            problem = instance.problem(norm=2.0, confidence=0.9)
            for name in STRATEGIES:
                strategy = CONTENDERS[name](problem, instance, budget, Options())
                outcome = play(
                    strategy, problem, world, budget, rng=np.random.default_rng([run, 1])
                )
                errors[name].append(outcome.error(instance.truth, 2.0))
                if name == "panel":
                    interval = outcome.estimate.interval(0.9)
                    covered.append(float(interval.covers(instance.truth).mean()))
        oracle = float(np.mean(errors["judge-oracle"]))
        ratios = " | ".join(f"{np.mean(errors[name]) / oracle:.2f}" for name in STRATEGIES[:3])
        worst = float(np.quantile(covered, 0.1))
        print(f"| ${budget:g} | {ratios} | {np.mean(covered):.0%}, {worst:.0%} |", flush=True)


def panel(rng: np.random.Generator) -> World:
    """Judges with offsets and deviations; the most expensive judge has the least noise."""
    level = rng.uniform(0.15, 0.85, (ITEMS, 1))
    mean = np.clip(level + OFFSET + DEVIATION * rng.standard_normal((ITEMS, 3)), 0.03, 0.97)
    variance = np.minimum(NOISE**2, 0.9 * mean * (1 - mean))
    return BetaWorld.of(Instance.of(mean=mean, variance=variance, price_per_call=PRICE))


if __name__ == "__main__":
    main()
