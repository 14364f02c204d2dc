"""Whether a run's scores support a gate, and the approximate cost of a decision."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from adjudge.core.arrays import BoolArray
from adjudge.core.groups import GroupMean
from adjudge.core.panel import PanelEstimate, Target
from adjudge.core.people import Comparison, Figure, PeopleMean, budget_for_width, group_mean
from adjudge.errors import InputError
from adjudge.gates.check import sides
from adjudge.gates.concord import agreement_found
from adjudge.gates.gate import WITH_PEOPLE, Gate, Kind
from adjudge.records import NANO, Item, Money, about, dollars
from adjudge.run import Result

_OUT_OF_REACH = 100.0
"""Above this multiple of the present spend, there is no advice to spend more."""


class Outcome(StrEnum):
    """The outcome of a gate."""

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A gate, and the decision on it."""

    gate: Gate
    outcome: Outcome
    sentence: str
    """The result in words."""
    figure: Figure | None = None
    """The measured value of a claim about scores or people; None if it could not be measured."""
    more: Money | None = None
    """Approximate further money for a decision; None if it is decided, or no budget would do."""


def decide(
    gate: Gate, result: Result, items: Sequence[Item], *, level: float | None = None
) -> Decision:
    """The decision on the gate from the scores of these items.

    A claim about scores is *passed* if the whole interval is on the claimed side of the bound,
    *failed* if the whole interval is on the other side, and *inconclusive* if the interval contains
    the bound or no measured item has a score. A width that is not reached is inconclusive too,
    unless no budget would reach it. `level` is the level of the interval, by default the run's
    confidence.
    """
    if gate.first.kind is Kind.SPENT:
        return _spent(gate, result)
    if gate.first.kind is Kind.WIDTH:
        return _width(gate, result)
    if gate.first.kind in WITH_PEOPLE:
        return _agreement(gate, result, len(items), level)
    return _claim(gate, result, items, level)


def _spent(gate: Gate, result: Result) -> Decision:
    spent = result.balance.spent
    outcome = Outcome.PASSED if gate.holds(spent / NANO) else Outcome.FAILED
    return Decision(gate=gate, outcome=outcome, sentence=f"{dollars(spent)} were spent")


def _width(gate: Gate, result: Result) -> Decision:
    width = float(result.interval().width.mean())
    sentence = f"the intervals are {width:.3g} wide on average"
    if gate.holds(width):
        return Decision(gate=gate, outcome=Outcome.PASSED, sentence=sentence)
    if gate.bound <= 0:
        return Decision(gate=gate, outcome=Outcome.FAILED, sentence=sentence)
    try:
        needed = budget_for_width(
            result.problem,
            gate.bound / result.scale.width,
            evidence=result.evidence,
            target=_target(result),
        )
    except InputError:
        sentence += ", and no budget would bring them there"
        return Decision(gate=gate, outcome=Outcome.FAILED, sentence=sentence)
    more = math.ceil(max(needed - result.evidence.cost(result.problem), 0.0))
    return _inconclusive(gate, sentence, more)


def _agreement(gate: Gate, result: Result, everything: int, level: float | None) -> Decision:
    found = agreement_found(gate.first, result, level)
    if found is None:
        alike = (
            len({label.value for label in result.people.labels}) == 1 if result.people else False
        )
        why = "all labels are equal" if alike else "too few items have a label and a score"
        return Decision(
            gate=gate,
            outcome=Outcome.INCONCLUSIVE,
            sentence=f"{why}: {gate.first} cannot be measured; more labels would help",
        )
    figure, labelled = found
    sentence = f"{gate.first} is {_told(figure, level)}, by {labelled:,} labelled items"
    outcome = _outcome(gate, figure.low, figure.high)
    if outcome is Outcome.INCONCLUSIVE:
        sentence += _labels_for_agreement(gate, figure, labelled, everything)
    return Decision(gate=gate, outcome=outcome, sentence=sentence, figure=figure)


def _labels_for_agreement(gate: Gate, figure: Figure, labelled: int, everything: int) -> str:
    r"""Words on the further labels needed: :math:`n\,((h / d)^2 - 1)`."""
    distance, half = _reach(gate, figure)
    if distance * math.sqrt(_OUT_OF_REACH) <= half:
        return ", too near the bound for any sensible number of labels to decide"
    more = max(math.ceil(labelled * ((half / distance) ** 2 - 1)), 1)
    if more > everything - labelled:
        return (
            f"; labels of these items cannot decide it: about {more:,} more are needed, and "
            f"{everything - labelled:,} items have none"
        )
    return _more_labels(more)


def _more_labels(more: int) -> str:
    return f"; about {more:,} more label{'' if more == 1 else 's'} would decide"


def _reach(gate: Gate, figure: Figure) -> tuple[float, float]:
    """The distance d of the value from the bound, and the interval's half-width h on that side."""
    bound = math.copysign(gate.bound, figure.value) if gate.within else gate.bound
    half = figure.value - figure.low if figure.value > bound else figure.high - figure.value
    return abs(figure.value - bound), half


def _told(figure: Figure, level: float | None) -> str:
    """The figure in words, with the level if it is not that of the other results."""
    repeated = "" if level is None else f" ({100 * level:.3g} % interval, for repeated looks)"
    return f"{figure.value:.3g}, between {figure.low:.3g} and {figure.high:.3g}{repeated}"


def _outcome(gate: Gate, low: float, high: float) -> Outcome:
    """Passed if the claim holds in the whole interval, failed if nowhere, else inconclusive."""
    if gate.holds(low) and gate.holds(high):
        return Outcome.PASSED
    none = not gate.holds(low) and not gate.holds(high)
    if none and not (gate.within and low < 0 < high):
        return Outcome.FAILED
    return Outcome.INCONCLUSIVE


def _target(result: Result) -> Target:
    estimate = result.estimate
    return estimate.target if isinstance(estimate, PanelEstimate) else Target.PANEL


def _claim(gate: Gate, result: Result, items: Sequence[Item], level: float | None) -> Decision:
    first, second = sides(gate, items)
    for quantity, chosen in ((gate.first, first), (gate.second, second)):
        if chosen is not None and not result.estimate.asked[chosen].any():
            return Decision(
                gate=gate,
                outcome=Outcome.INCONCLUSIVE,
                sentence=f"no item of {quantity} was scored by any judge",
            )
    found, left_out = _measured(result, items, first, second)
    figure = _on_scale(found, result, level, difference=second is not None)
    sentence = f"{gate.measured} is {_told(figure, level)}"
    if left_out:
        sentence += f", without {left_out:,} scored items that have no partner with their prompt"
    outcome = _outcome(gate, figure.low, figure.high)
    if outcome is not Outcome.INCONCLUSIVE:
        return Decision(gate=gate, outcome=outcome, sentence=sentence, figure=figure)
    distance, half = _reach(gate, figure)
    if isinstance(found, PeopleMean):
        sentence += _labels_for_claim(found, half, distance)
        return Decision(gate=gate, outcome=outcome, sentence=sentence, figure=figure)
    more = _money_to_decide(half, distance, result.balance.spent)
    return _inconclusive(gate, sentence, more, figure)


def _measured(
    result: Result, items: Sequence[Item], first: BoolArray, second: BoolArray | None
) -> tuple[GroupMean, int]:
    """The mean, or the difference of two as in the report, and the scored items left out."""
    if second is None:
        return group_mean(result.estimate, first), 0
    prompts = [item.prompt for item in items]
    compared = Comparison.of(result.estimate, first, second, prompts=prompts)
    return compared.here, compared.left_out


def _on_scale(found: GroupMean, result: Result, level: float | None, *, difference: bool) -> Figure:
    """The mean, or the difference of means, on the scale of the scores."""
    width = result.scale.width
    # A mean includes the scale's origin; in a difference it cancels.
    origin = 0.0 if difference else result.scale.low
    low, high = (origin + width * end for end in found.interval(level))
    return Figure(value=origin + width * found.mean, low=low, high=high)


def _money_to_decide(half: float, distance: float, spent: Money) -> Money | None:
    r"""Further money with which the interval's half-width h equals the distance d to the bound.

    .. math:: B' - B = B\,((h / d)^2 - 1)

    since errors fall with the square root of the money. None if out of reach.
    """
    if distance * math.sqrt(_OUT_OF_REACH) <= half:
        return None
    return math.ceil(spent * max((half / distance) ** 2 - 1, 0.0))


def _labels_for_claim(found: PeopleMean, half: float, distance: float) -> str:
    r"""Words on the further labels with which the half-width h equals the distance d.

    .. math:: 1/n' - 1/N = (1/n - 1/N)\,(d / h)^2

    with n of N items labelled. Calls are not offered: they do not reduce how far people differ from
    judges.
    """
    if found.lent:
        return "; labels of these items would help"
    every = 1 / found.items
    wanted = 1 / (every + (1 / found.labelled - every) * (distance / half) ** 2)
    more = max(math.ceil(wanted) - found.labelled, 1)
    return _more_labels(more)


def _inconclusive(
    gate: Gate, sentence: str, more: Money | None, figure: Figure | None = None
) -> Decision:
    if more is None:
        sentence += ", too near the bound for any sensible budget to decide"
    else:
        sentence += f"; about {about(more)} more would decide"
    return Decision(
        gate=gate, outcome=Outcome.INCONCLUSIVE, sentence=sentence, figure=figure, more=more
    )
