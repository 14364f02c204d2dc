"""`make bench`: every benchmark, or those named on the command line."""

import sys

from benchmarks import (
    constant_judge,
    coverage,
    dataset,
    families,
    panel,
    panel_scale,
    people,
    small_panels,
    unseen,
    whole_calls,
)
from benchmarks.live.__main__ import main as live

BENCHMARKS = {
    "whole-calls": whole_calls.main,
    "families": families.main,
    "panel-scale": panel_scale.main,
    "panel": panel.main,
    "constant-judge": constant_judge.main,
    "small-panels": small_panels.main,
    "coverage": coverage.main,
    "unseen": unseen.main,
    "people": people.main,
    "dataset": dataset.main,
    "live": live,
}


def main() -> None:
    """Run the benchmarks and print the results."""
    names = sys.argv[1:] or list(BENCHMARKS)
    # A benchmark run on its own reads its own options, so remove ours.
    del sys.argv[1:]
    for name in names:
        if name not in BENCHMARKS:
            sys.exit(f"no benchmark {name}; there are {', '.join(BENCHMARKS)}")
        BENCHMARKS[name]()


if __name__ == "__main__":
    main()
