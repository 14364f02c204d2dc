"""Every strategy on every synthetic family: the error as a ratio to the oracle's."""

from adjudge.simulate import Budget, FamilySource, Grid, Options, simulate, summarise

STRATEGIES = (
    "oracle", "uniform", "uniform-ivw", "cyclic", "cheapest", "best-single",
    "est-ivwe-bounded", "est-ivwe-gaussian", "robin", "robin-hood",
)  # fmt: skip
FAMILY_NAMES = ("paper", "mult", "costs-30x", "rating", "binary", "homoskedastic", "offsets")


def main() -> None:
    """Print a table of paired ratios."""
    print(
        "\n## Strategies on synthetic families: error over the oracle's (p = 2, K = 200, J = 10)\n"
    )
    print("| family | calls per item | " + " | ".join(STRATEGIES[1:]) + " |")
    print("|---|---|" + "---|" * len(STRATEGIES[1:]))
    for family in FAMILY_NAMES:
        grid = Grid(
            source=FamilySource(family=family, items=200, judges=10),
            strategies=STRATEGIES,
            budgets=(Budget(calls_per_item=5), Budget(calls_per_item=50)),
            runs=20,
            options=Options(reduced_pilot=True),
        )
        summaries = summarise(grid, simulate(grid, jobs=2))
        for budget in grid.budgets:
            cells = [
                f"{row.ratio:.2f} ± {row.ratio_se:.2f}" if row.runs else "refused"
                for row in summaries
                if row.budget == budget and row.strategy != "oracle"
            ]
            print(f"| {family} | {budget.calls_per_item:g} | " + " | ".join(cells) + " |")
