"""`python -m benchmarks.live.former CHECKOUT`: compares this version with another one.

Both make the same calls to one server, in separate processes and in alternation.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

from benchmarks.live.endpoint import endpoint

AT_ONCE = 128
CALLS = 10_000
ROUNDS = 7
_PROGRAM = """
import json, sys, time
from benchmarks.live.contenders import adjudge
url, calls, at_once = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
adjudge(url, 500, at_once)
before = time.process_time()
speed = adjudge(url, calls, at_once)
used = time.process_time() - before
print(json.dumps([speed.pace, speed.whole, calls / used]))
"""
UNITS = "calls/s at full pace", "calls/s from the start", "calls per second of processor time"


def main() -> None:
    """Print the medians of both versions, and their ratio in each unit."""
    other = Path(sys.argv[1]).resolve()
    versions = {"former": other, "this": Path.cwd()}
    for latency in (0.0, 0.05):
        calls = CALLS
        print(f"\n{AT_ONCE} calls at a time, server latency {latency * 1000:.0f} ms, ", end="")
        print(f"{ROUNDS} rounds of {calls:,} calls")
        speeds: dict[str, list[list[float]]] = {name: [] for name in versions}
        with endpoint(latency) as url:
            for number in range(ROUNDS):
                for name in sorted(versions, reverse=number % 2 == 1):
                    speeds[name].append(_speed(versions[name], url, calls))
        for which, unit in enumerate(UNITS):
            former, this = ([one[which] for one in rounds] for rounds in speeds.values())
            ratios = sorted(one / two for one, two in zip(this, former, strict=True))
            print(
                f"  {unit}: former {median(former):.0f}, this {median(this):.0f}, ratio "
                f"{median(ratios):.2f} (rounds {ratios[0]:.2f} to {ratios[-1]:.2f})"
            )


def _speed(checkout: Path, url: str, calls: int) -> list[float]:
    """Speed of the version in this folder, in three units."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, url, str(calls), str(AT_ONCE)],
        cwd=checkout,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(checkout), str(checkout / "src")])},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    figures: list[float] = json.loads(done.stdout)
    return figures


if __name__ == "__main__":
    main()
