"""Planning one round of the panel strategy for up to a million items."""

import numpy as np

from adjudge.core.panel import PanelModel, best_calls
from benchmarks.timing import peak_bytes, seconds

JUDGES, CALLS = 5, 5


def main() -> None:
    """Print time and memory, against sorting as many numbers as there are steps."""
    print(f"\n## One round of the panel strategy: J = {JUDGES}, about {CALLS} calls per item\n")
    print(
        "| items | time, s | per million items, s | ratio to sorting the steps | peak memory, GB |"
    )
    print("|---|---|---|---|---|")
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

        def plan() -> None:
            best_calls(model, asked, price, budget, norm=2.0)  # noqa: B023

        steps = rng.random(CALLS * items)
        sort = seconds(lambda: np.sort(steps), repeats=3)  # noqa: B023
        taken = seconds(plan, repeats=1 if items == 1_000_000 else 3)
        memory = peak_bytes(plan)
        print(
            f"| {items:,} | {taken:.2f} | {taken / items * 1e6:.1f} | {taken / sort:.0f} | "
            f"{memory / 1e9:.2f} |"
        )


if __name__ == "__main__":
    main()
