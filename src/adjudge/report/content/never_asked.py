"""Why a judge was never asked."""

from __future__ import annotations

import numpy as np

from adjudge.report.numbers import money_text
from adjudge.run import End, Result


def why_never_asked(j: int, result: Result) -> str | None:
    """The most certain reason, in a few words; None if the judge was called."""
    judge, problem = result.judges[j], result.problem
    if judge.answered or judge.presumed or judge.refusals or result.evidence.calls[:, j].any():
        return None
    if judge.switched_off is not None:
        return f"it was switched off ({judge.switched_off})"
    if not problem.mask[:, j].any():
        return "it may not be asked about any of these items"
    return _by_price(j, result)


def _by_price(j: int, result: Result) -> str:
    """Why the strategy could not afford the judge, or preferred others."""
    problem = result.problem
    price = float(problem.price_per_call[problem.mask[:, j], j].min())
    left = result.balance.budget - result.balance.spent
    if price > result.balance.budget:
        return (
            f"one call costs about {money_text(price)}, more than the whole budget of "
            f"{money_text(result.balance.budget)}"
        )
    if (result.end in {None, End.STOPPED} and price <= left) or not result.evidence.calls.any():
        return "the run has not come to its end"
    cheapest = float(np.min(problem.price_per_call, where=problem.mask, initial=np.inf))
    times = f", {price / cheapest:.3g} times the cheapest judge's" if price > cheapest else ""
    return f"at about {money_text(price)} a call{times}, other calls were expected to tell more"
