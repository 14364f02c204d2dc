"""Calls per second side by side, as ratios within one run."""

from __future__ import annotations

from statistics import median

from benchmarks.live.contenders import Contender, Speed, adjudge, bare, installed
from benchmarks.live.endpoint import endpoint

AT_ONCE = 128
ROUNDS = 5
BARS = {0.0: 0.75, 0.05: 0.90}
"""Bar on our calls per second as a share of the bare loop's, by server latency."""
OVER_SDK = 6.0
"""Bar on our calls per second as a multiple of the openai SDK's, without latency."""


def main() -> None:
    """Print every contender's median speed, and its ratio from the start to the bare loop's."""
    for latency, bar in BARS.items():
        ours = _compare(latency, {"bare aiohttp loop": bare, "adjudge": adjudge, **installed()})
        share, over_sdk = ours
        print(f"  bar {bar:.2f} of the bare loop: {_met(share >= bar)}")
        if latency == 0 and over_sdk is not None:
            print(f"  bar {OVER_SDK:g} times the openai SDK: {_met(over_sdk >= OVER_SDK)}")


def _compare(latency: float, contenders: dict[str, Contender]) -> tuple[float, float | None]:
    """Our share of the bare loop and our multiple of the SDK; medians over the rounds."""
    print(f"\n{AT_ONCE} calls at a time, server latency {latency * 1000:.0f} ms, {ROUNDS} rounds")
    print(f"  {'':20}{'calls/s':>10}{'from start':>12}{'of bare loop':>14}")
    speeds: dict[str, list[Speed]] = {}
    with endpoint(latency) as url:
        usable = {name: make for name, make in contenders.items() if _works(name, make, url)}
        for _ in range(ROUNDS):
            for name, make_calls in usable.items():
                fast = name in {"bare aiohttp loop", "adjudge"}
                speed = make_calls(url, 20_000 if fast else 600, AT_ONCE)
                speeds.setdefault(name, []).append(speed)
    bare_paces = [speed.pace for speed in speeds["bare aiohttp loop"]]

    def share(name: str) -> float:
        return median(
            speed.whole / pace for speed, pace in zip(speeds[name], bare_paces, strict=True)
        )

    for name, measured in speeds.items():
        pace, whole = median(s.pace for s in measured), median(s.whole for s in measured)
        print(f"  {name:20}{pace:10.0f}{whole:12.0f}{share(name):14.2f}")
    sdk = share("adjudge") / share("openai SDK") if "openai SDK" in speeds else None
    return share("adjudge"), sdk


def _works(name: str, make_calls: Contender, url: str) -> bool:
    """Whether the contender can make a few calls; other packages may be incompatible."""
    try:
        make_calls(url, 20, 10)
    except Exception as error:
        print(f"  {name}: left out ({type(error).__name__}: {str(error).strip()[:100]})")
        return False
    return True


def _met(condition: bool) -> str:
    return "met" if condition else "MISSED"
