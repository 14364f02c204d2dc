"""Agreement with people, as measured by gates."""

from __future__ import annotations

import math
from dataclasses import replace

from adjudge.core.panel import PanelEstimate
from adjudge.core.people import Concord, Figure, agreement
from adjudge.gates.gate import ANCHORED, PANEL, Kind, Quantity
from adjudge.run import Result


def agreement_found(
    quantity: Quantity, result: Result, level: float | None
) -> tuple[Figure, int] | None:
    """The quantity's figure, and its number of labelled items; None if unknown.

    Agreement is the correlation with people's labels, or the share of equal answers if labels are
    yes or no. Bias is on the people's scale.
    """
    people, problem, estimate = result.people, result.problem, result.estimate
    if people is None or not isinstance(estimate, PanelEstimate) or not result.scored.any():
        return None
    if level is not None:
        problem = replace(problem, confidence=level)
    found = agreement(problem, result.evidence, estimate)
    names = [judge.name for judge in result.judges]
    known: dict[str, Concord | None] = dict(zip(names, found.judges, strict=True))
    concord = (known | {PANEL: found.panel, ANCHORED: found.anchored})[quantity.who]
    if concord is None:
        return None
    if quantity.kind is Kind.BIAS:
        figure, width = concord.bias, people.scale.width
        figure = Figure(
            value=width * figure.value, low=width * figure.low, high=width * figure.high
        )
    else:
        figure = agreement_of(concord)
    return None if math.isnan(figure.low) else (figure, concord.items)


def agreement_of(concord: Concord) -> Figure:
    """The accuracy if labels are yes or no, otherwise the correlation."""
    return concord.pearson if concord.accuracy is None else concord.accuracy
