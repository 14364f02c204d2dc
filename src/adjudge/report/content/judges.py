"""One card per judge, from the run's counts and the panel's estimates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.core.panel import JudgeSummary as Learned
from adjudge.core.panel import PanelEstimate
from adjudge.core.people import Agreement, Figure, JudgeWorth, PeopleEstimate, worth_of_judges
from adjudge.records import NANO
from adjudge.report.content.advice import Facts, advise
from adjudge.report.content.never_asked import why_never_asked
from adjudge.report.content.people import figure_line
from adjudge.report.content.values import JudgeCard, ScaleLine
from adjudge.run import JudgeSummary, Result

_ROUNDING = 1e-6
"""Correlations below this are rounding errors."""
FEW_SCORES = 5
"""Below this number of scores a judge's offset and deviation are mostly prior: none is shown."""
_ENOUGH_REPEATS = 5
"""Repeats needed to estimate a judge's noise; with fewer, none is shown."""


def judge_cards(
    result: Result, scale: ScaleLine, agreement: Agreement | None = None
) -> tuple[JudgeCard, ...]:
    """The judges in the order of the plan, on their scale; `agreement` is that with people.

    If scores are on the people's scale, `buys` is the information about labels per dollar.
    """
    estimate = result.estimate
    learned: tuple[Learned | None, ...] = (
        estimate.judges
        if isinstance(estimate, PanelEstimate) and result.scored.any()
        else (None,) * len(result.judges)
    )
    worth = _worth(result)
    people = [_ToPeople.of(j, worth, agreement) for j in range(len(result.judges))]
    falls = [0.0 if one is None else one.fall_per_money for one in learned]
    if worth is not None:
        falls = [one.worth for one in people]
    totals = _Totals(result, falls=falls)
    return tuple(
        _card(j, summary, known, totals, scale, people=people[j])
        for j, (summary, known) in enumerate(zip(result.judges, learned, strict=True))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ToPeople:
    """How a judge relates to people's labels."""

    counts: bool
    """Whether scores are on the people's scale."""
    worth: float
    """Information about labels per dollar; 0 if its correlation with them is negative or
    undefined."""
    share: float | None
    agreement: Figure | None
    against: bool
    """Whether it is negatively correlated with people's labels."""

    @property
    def tells(self) -> bool:
        """Whether it has a positive weight in the predictions of labels."""
        return self.share is not None and self.share > 0

    @classmethod
    def of(
        cls, j: int, worth: Sequence[JudgeWorth] | None, agreement: Agreement | None
    ) -> _ToPeople:
        concord = None if agreement is None else agreement.judges[j]
        figure = None if concord is None else concord.accuracy or concord.pearson
        steady = concord is not None and concord.items > 2 and _says_nothing(concord.pearson)
        against = concord is not None and concord.pearson.high < -_ROUNDING
        if worth is None:
            return cls(
                counts=False,
                worth=0.0,
                share=None,
                agreement=_known_figure(figure),
                against=against,
            )
        goes_with = worth[j].correlation > 0 and not steady
        return cls(
            counts=True,
            worth=worth[j].explained_per_money if goes_with else 0.0,
            share=0.0 if steady else worth[j].share,
            agreement=_known_figure(figure),
            against=against,
        )


def _says_nothing(correlation: Figure) -> bool:
    """Whether the judge's answers never vary, so that its correlation is undefined or 0."""
    return math.isnan(correlation.value) or max(-correlation.low, correlation.high) < _ROUNDING


def _known_figure(figure: Figure | None) -> Figure | None:
    return None if figure is None or math.isnan(figure.value) else figure


def _worth(result: Result) -> tuple[JudgeWorth, ...] | None:
    """Each judge's information about people's labels; None if labels do not count."""
    if not isinstance(result.estimate, PeopleEstimate) or not result.scored.any():
        return None
    return worth_of_judges(result.problem, result.evidence)


class _Totals:
    """Totals of the panel, with which a judge is compared."""

    def __init__(self, result: Result, *, falls: Sequence[float]) -> None:
        self.result = result
        self.calls = sum(paid_calls(judge) for judge in result.judges)
        self.spent = sum(judge.spent for judge in result.judges)
        self.judges = len(result.judges)
        # Others cannot be asked, or what they buy is only predicted.
        self.compared = [bool(one.scored) and one.switched_off is None for one in result.judges]
        self.falls = np.where(self.compared, falls, 0.0).tolist()
        self.best_fall = max(self.falls)
        self.best = result.judges[self.falls.index(self.best_fall)].name
        self.weights: list[float] = result.problem.weights.tolist()
        self.expected_price: list[float] = result.problem.price_per_call.mean(axis=0).tolist()
        repeats = np.maximum(result.evidence.pooled.n - 1, 0).sum(axis=0)
        self.repeated: list[bool] = (repeats >= _ENOUGH_REPEATS).tolist()


def paid_calls(judge: JudgeSummary) -> int:
    """Number of calls answered or presumed billed."""
    return judge.answered + judge.presumed


def _card(
    j: int,
    judge: JudgeSummary,
    learned: Learned | None,
    totals: _Totals,
    scale: ScaleLine,
    *,
    people: _ToPeople,
) -> JudgeCard:
    calls = paid_calls(judge)
    known = learned if judge.scored else None
    comparable = known is not None and totals.compared[j] and totals.best_fall > 0
    buys = totals.falls[j] / totals.best_fall if comparable else None
    # Labels outrank the guard: a judge that predicts labels counts.
    guarded = learned is not None and not learned.follows and not people.tells
    # Of a judge that is left out the fit knows only what was believed of it.
    fitted = None if learned is None or not learned.follows else known
    told = fitted if judge.scored >= FEW_SCORES else None
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
        people=people.agreement if people.counts else None,
        against_people=people.against,
        people_count=people.counts,
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
        offset=None if told is None else scale.width * told.offset,
        noise=scale.width * fitted.noise if fitted is not None and totals.repeated[j] else None,
        deviation=_finite(None if told is None else scale.width * told.deviation),
        fall_per_dollar=None if known is None else scale.width**2 * known.fall_per_money * NANO,
        buys=buys,
        never_asked=never_asked,
        guarded=guarded,
        astray=astray,
        switched_off=judge.switched_off,
        complaint=None if judge.complaint is None else judge.complaint.sentences,
        troubles=judge.troubles,
        advice=advise(facts),
        people=figure_line(people.agreement),
        people_share=people.share,
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
