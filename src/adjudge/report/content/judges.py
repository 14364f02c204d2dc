"""One card per judge, from what the run counted and what the panel learned."""

from __future__ import annotations

import math

import numpy as np

from adjudge.core.panel import JudgeSummary as Learned
from adjudge.core.panel import PanelEstimate
from adjudge.records import NANO
from adjudge.report.content.advice import Facts, advise
from adjudge.report.content.never_asked import why_never_asked
from adjudge.report.content.values import JudgeCard, ScaleLine
from adjudge.run import JudgeSummary, Result

_ENOUGH_REPEATS = 5
"""How much calls vary shows in repeats on one item alone; with fewer the number is a guess."""


def judge_cards(result: Result, scale: ScaleLine) -> tuple[JudgeCard, ...]:
    """The judges in the order of the plan."""
    estimate = result.estimate
    learned: tuple[Learned | None, ...] = (
        estimate.judges
        if isinstance(estimate, PanelEstimate) and result.scored.any()
        else (None,) * len(result.judges)
    )
    falls = [0.0 if one is None else one.fall_per_money for one in learned]
    best = int(np.argmax(falls))
    totals = _Totals(result, best=result.judges[best].name, best_fall=falls[best])
    return tuple(
        _card(j, summary, known, totals, scale)
        for j, (summary, known) in enumerate(zip(result.judges, learned, strict=True))
    )


class _Totals:
    """What a judge is compared with."""

    def __init__(self, result: Result, *, best: str, best_fall: float) -> None:
        self.result = result
        self.calls = sum(paid_calls(judge) for judge in result.judges)
        self.spent = sum(judge.spent for judge in result.judges)
        self.judges = len(result.judges)
        self.best = best
        self.best_fall = best_fall
        self.weights: list[float] = result.problem.weights.tolist()
        self.expected_price: list[float] = result.problem.price_per_call.mean(axis=0).tolist()
        repeats = np.maximum(result.evidence.pooled.n - 1, 0).sum(axis=0)
        self.repeated: list[bool] = (repeats >= _ENOUGH_REPEATS).tolist()


def paid_calls(judge: JudgeSummary) -> int:
    """Calls that were answered, or presumed billed."""
    return judge.answered + judge.presumed


def _card(
    j: int, judge: JudgeSummary, learned: Learned | None, totals: _Totals, scale: ScaleLine
) -> JudgeCard:
    calls = paid_calls(judge)
    known = learned if judge.scored else None
    buys = (
        known.fall_per_money / totals.best_fall
        if known is not None and totals.best_fall > 0
        else None
    )
    guarded = learned is not None and not learned.follows
    astray = learned is not None and learned.astray
    never_asked = why_never_asked(j, totals.result)
    facts = Facts(
        calls=calls,
        call_share=_share(calls, totals.calls),
        money_share=_share(judge.spent, totals.spent),
        judges=totals.judges,
        all_calls=totals.calls,
        buys=buys,
        best=totals.best,
        scored=judge.scored,
        never_asked=never_asked,
        guarded=guarded,
        switched_off=None if judge.switched_off is None else judge.troubles[0],
    )
    return JudgeCard(
        name=judge.name,
        weight=totals.weights[j],
        calls=calls,
        call_share=facts.call_share,
        spent=judge.spent,
        money_share=facts.money_share,
        price=judge.spent / calls if calls else totals.expected_price[j],
        scored=judge.scored,
        without_score=judge.without_score,
        presumed=judge.presumed,
        refusals=tuple(
            (reason.words, often)
            for reason, often in sorted(judge.refusals.items(), key=lambda pair: -pair[1])
        ),
        rejected=len(judge.rejected_items),
        offset=None if known is None else scale.width * known.offset,
        noise=scale.width * known.noise if known is not None and totals.repeated[j] else None,
        deviation=_finite(None if known is None else scale.width * known.deviation),
        fall_per_dollar=None if known is None else scale.width**2 * known.fall_per_money * NANO,
        buys=buys,
        never_asked=never_asked,
        guarded=guarded,
        astray=astray,
        switched_off=judge.switched_off,
        complaint=None if judge.complaint is None else judge.complaint.sentences,
        troubles=judge.troubles,
        advice=advise(facts),
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
