"""Round numbers for the axes of pictures."""

from __future__ import annotations

import math
from dataclasses import dataclass

from adjudge.records import Money
from adjudge.report.numbers import round_money_text, score_text

_STEPS = (1, 2, 2.5, 5, 10)


@dataclass(frozen=True, slots=True)
class Tick:
    """A value on an axis and its label."""

    value: float
    label: str


def score_ticks(low: float, high: float, *, about: int = 5) -> tuple[Tick, ...]:
    """About `about` round scores from low to high."""
    if not high > low:
        return (Tick(low, f"{low:g}"),)
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(step * power for step in _STEPS if step * power >= rough * (1 - 1e-9))
    digits = max(-math.floor(math.log10(step)) + (1 if step / power == 2.5 else 0), 0)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(
        Tick(number * step, score_text(number * step, digits)) for number in range(first, last + 1)
    )


def money_ticks(low: Money, high: Money, *, most: int = 6) -> tuple[Tick, ...]:
    """At most `most` round amounts from low to high, for a logarithmic axis."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    powers = [10**power for power in range(first, last + 1)]
    within: list[int] = []
    for steps in ((1, 2, 5), (1, 3), (1,)):
        amounts = [step * power for power in powers for step in steps]
        within = [amount for amount in amounts if low <= amount <= high]
        if len(within) <= most:
            break
    if len(within) > most:
        within = within[:: math.ceil(len(within) / most)]
    return tuple(Tick(amount, round_money_text(amount)) for amount in within)
