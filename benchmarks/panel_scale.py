"""One round of the panel strategy for up to a million items: learning the panel, and planning."""

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.core.panel import PanelModel, best_calls, learn
from adjudge.core.problem import Moments
from benchmarks.timing import peak_bytes, seconds

JUDGES, CALLS = 5, 5


def main() -> None:
    """Print time and memory, against sorting as many numbers as there are steps."""
    print(f"\n## One round of the panel strategy: J = {JUDGES}, about {CALLS} calls per item\n")
    print(
        "| items | planning, s | per million items, s | ratio to sorting the steps "
        "| peak memory, GB | learning, s | per million items, s | peak memory, GB |"
    )
    print("|---|---|---|---|---|---|---|---|")
    rng = np.random.default_rng(1)
    for items in (10_000, 100_000, 1_000_000):
        price = np.broadcast_to(rng.uniform(0.5, 1.5, JUDGES), (items, JUDGES))
        model = PanelModel(
            mean=np.full(JUDGES, 0.5),
            covariance=0.05 + np.diag(rng.uniform(0.005, 0.02, JUDGES)),
            noise=rng.uniform(0.002, 0.05, (items, JUDGES)),
            weights=np.full(JUDGES, 1 / JUDGES),
            hardness=np.ones(items),
        )
        asked = np.zeros((items, JUDGES), np.int64)
        budget = CALLS * items * float(price[0].mean())

        def plan() -> IntArray:
            return best_calls(model, asked, price, budget, norm=2.0)  # noqa: B023

        seen = answers(model, plan(), rng)
        steps = rng.random(CALLS * items)
        sort = seconds(lambda: np.sort(steps), repeats=3)  # noqa: B023
        repeats = 1 if items == 1_000_000 else 3
        planning = seconds(plan, repeats=repeats)
        learning = seconds(lambda: learn(seen, model.weights), repeats=repeats)  # noqa: B023
        memory = peak_bytes(plan)
        more = peak_bytes(lambda: learn(seen, model.weights))  # noqa: B023
        print(
            f"| {items:,} | {planning:.2f} | {planning / items * 1e6:.1f} | {planning / sort:.0f} "
            f"| {memory / 1e9:.2f} | {learning:.2f} | {learning / items * 1e6:.1f} "
            f"| {more / 1e9:.2f} |"
        )


def answers(model: PanelModel, n: IntArray, rng: np.random.Generator) -> Moments:
    """What judges of this model say when asked so often."""
    own = rng.multivariate_normal(model.mean, model.covariance, size=len(n))
    error = np.sqrt(model.noise / np.maximum(n, 1)) * rng.standard_normal(n.shape)
    return Moments(
        n=n,
        mean=np.where(n > 0, own + error, 0.0),
        m2=model.noise * 2 * rng.standard_gamma(np.maximum(n - 1, 0) / 2),
    )


if __name__ == "__main__":
    main()
