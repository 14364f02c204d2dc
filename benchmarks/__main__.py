"""`make bench`: every benchmark, or those named on the command line."""

import sys

from benchmarks import families, whole_calls

BENCHMARKS = {"whole-calls": whole_calls.main, "families": families.main}


def main() -> None:
    """Run the benchmarks and print what they measured."""
    for name in sys.argv[1:] or BENCHMARKS:
        if name not in BENCHMARKS:
            sys.exit(f"no benchmark {name}; there are {', '.join(BENCHMARKS)}")
        BENCHMARKS[name]()


main()
