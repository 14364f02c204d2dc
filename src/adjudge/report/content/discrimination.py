"""Whether judges tell items apart (reliability)."""

from __future__ import annotations

from adjudge.core.reliability import reliability
from adjudge.report.numbers import share_text
from adjudge.run import Result

_BARELY, _SURELY_NOT_WELL = 0.3, 0.7
"""Upper bounds on the reliability and on the upper end of its interval. Below both, items are
barely told apart."""
_FEWEST_ITEMS, _FEWEST_REPEATS = 10, 8
"""Below these degrees of freedom there is no statement."""


def blur_of(result: Result) -> str | None:
    """A sentence if the judges barely tell items apart beyond noise; None if they do."""
    found = reliability(result.evidence.pooled)
    if found is None or found.items < _FEWEST_ITEMS or found.repeats < _FEWEST_REPEATS:
        return None
    if found.share >= _BARELY or found.high >= _SURELY_NOT_WELL:
        return None
    if found.high == 0:
        return "The judges do not tell these items apart: they give all of them the same score."
    return (
        f"The judges barely tell these items apart: {share_text(found.share)} "
        f"({share_text(found.low)} to {share_text(found.high)}) of the spread of the items' mean "
        "answers is between items, the rest is noise or disagreement."
    )
