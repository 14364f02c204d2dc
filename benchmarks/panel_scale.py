"""One round of the panel strategy for up to a million items: learning the panel, and planning."""

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.core.evidence import Allocation, Evidence, Moments
from adjudge.core.panel import Learned, PanelModel, best_calls, learn
from adjudge.core.problem import Problem
from benchmarks.timing import peak_bytes, seconds

JUDGES, CALLS = 5, 5


def main() -> None:
    """Print time and memory, with the time relative to sorting as many numbers as steps."""
    print(f"\n## One round of the panel strategy: J = {JUDGES}, about {CALLS} calls per item\n")
    print(
        "| items | planning, s | per million items, s | ratio to sorting the steps "
        "| peak memory, GB | learning, s | per million items, s | ratio to sorting the steps "
        "| peak memory, GB |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    rng = np.random.default_rng(1)
    for items in (10_000, 100_000, 1_000_000):
        problem = Problem.of(rng.uniform(0.5, 1.5, JUDGES), items=items)
        model = PanelModel(
            mean=np.full((1, JUDGES), 0.5),
            group=np.zeros(items, np.int64),
            covariance=0.05 + np.diag(rng.uniform(0.005, 0.02, JUDGES)),
            noise=rng.uniform(0.002, 0.05, (items, JUDGES)),
            weights=problem.item_weights,
            hardness=np.ones(items),
        )
        asked = np.zeros((items, JUDGES), np.int64)
        budget = CALLS * items * problem.average_cost

        def plan() -> IntArray:
            return best_calls(model, asked, problem.price, budget, norm=2.0)  # noqa: B023

        evidence = answers(problem, model, plan(), rng)

        def fit() -> Learned:
            return learn(problem, evidence, draws=8)  # noqa: B023

        steps = rng.random(CALLS * items)
        sort = seconds(lambda: np.sort(steps), repeats=3)  # noqa: B023
        repeats = 1 if items == 1_000_000 else 3
        planning, learning = seconds(plan, repeats=repeats), seconds(fit, repeats=repeats)
        print(
            f"| {items:,} | {planning:.2f} | {planning / items * 1e6:.1f} | {planning / sort:.0f} "
            f"| {peak_bytes(plan) / 1e9:.2f} | {learning:.2f} | {learning / items * 1e6:.1f} "
            f"| {learning / sort:.0f} | {peak_bytes(fit) / 1e9:.2f} |",
            flush=True,
        )


def answers(
    problem: Problem, model: PanelModel, counts: IntArray, rng: np.random.Generator
) -> Evidence:
    """Simulated answers of judges that follow this model, with these counts."""
    own = rng.multivariate_normal(model.mean[0], model.covariance, size=len(counts))
    error = np.sqrt(model.noise / np.maximum(counts, 1)) * rng.standard_normal(counts.shape)
    scores = Moments(
        n=counts,
        mean=np.where(counts > 0, own + error, 0.0),
        m2=model.noise * 2 * rng.standard_gamma(np.maximum(counts - 1, 0) / 2),
    )
    return Evidence.none(problem).plus(Allocation(counts=counts), scores)
