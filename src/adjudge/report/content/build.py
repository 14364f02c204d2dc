"""A report's content from a result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime

from adjudge.core.panel import PanelEstimate, Target
from adjudge.core.people import PeopleEstimate
from adjudge.judges import Scale
from adjudge.records import Item
from adjudge.report.content.discrimination import blur_of
from adjudge.report.content.groups import Ranking, ranking
from adjudge.report.content.items import item_lines
from adjudge.report.content.judges import judge_cards
from adjudge.report.content.notices import notices
from adjudge.report.content.people import (
    found_agreement,
    people_card,
    scale_sentence,
    target_words,
)
from adjudge.report.content.pictures import allocation_grid, curve, error_of_an_item, spots
from adjudge.report.content.setup import setup_of
from adjudge.report.content.values import (
    Asked,
    Bill,
    GateLine,
    JudgeCard,
    NamedCall,
    ReportContent,
    ScaleLine,
)
from adjudge.report.numbers import count_text, digits_for, listed, range_text, score_text
from adjudge.run import LedgerCall, Moment, Plan, Result
from adjudge.store import CallRecord
from adjudge.version import __version__

_MOST_NAMED = 50
_TARGETS = {
    Target.REFERENCE: "what people would say",
    Target.PANEL: "what the whole panel would say, asked infinitely often",
    Target.UNBIASED: "the one score that all judges measure without bias",
}


def content_of(
    items: Sequence[Item],
    result: Result,
    *,
    title: str,
    now: datetime,
    strategy: str = "panel",
    history: Sequence[Moment] = (),
    calls: Iterable[LedgerCall] = (),
    gates: Sequence[GateLine] = (),
    plan: Plan | None = None,
    run_seed: int | None = None,
    seed: int = 0,
) -> ReportContent:
    """The content of a report on this result.

    `calls` are needed only for the items in `shown_items`. Without `history` its picture is left
    out, and without `plan` how the judges were asked. `run_seed` is shown if it is given. `seed`
    chooses the sample if there are too many items to show.
    """
    scale, judge_scale = _scale_line(result.scale), _scale_line(result.judge_scale)
    found = found_agreement(result)
    people = people_card(result, found)
    cards = judge_cards(result, judge_scale, found)
    bill = _bill(result, cards)
    ranked = ranking(items, result.estimate, scale, panel_scale=judge_scale)
    interval = result.interval()
    lines = item_lines(items, result, interval, calls, seed=seed)
    mean_width = float(interval.width.mean())
    blur = blur_of(result)
    return ReportContent(
        title=title,
        made=now,
        version=__version__,
        headline=_headline(ranked, result, blur=blur),
        asked=_asked(items, result, strategy),
        scale=scale,
        bill=bill,
        gates=tuple(gates),
        notices=notices(
            result,
            scale=scale,
            bill=bill,
            judges=cards,
            overall=ranked.overall,
            mean_width=mean_width,
            people=people,
            groups=ranked.groups,
            differences=ranked.differences,
        ),
        overall=ranked.overall,
        groups=ranked.groups,
        groups_left_out=ranked.left_out,
        group_digits=ranked.digits,
        differences=ranked.differences,
        judges=cards,
        independent_votes=_votes(result),
        mean_width=mean_width,
        error=error_of_an_item(
            scale.width * result.estimate.norm_error(), items=len(items), norm=result.problem.norm
        ),
        curve=curve(history, items=len(items), norm=result.problem.norm),
        spots=spots(items, result, interval),
        allocation=allocation_grid(result),
        items=lines,
        setup=setup_of(plan, run_seed=run_seed),
        texts_kept=any(answer.text for line in lines for answer in line.answers),
        people=people,
        whose_scale=scale_sentence(people, result.scale, result.judge_scale),
    )


def _scale_line(scale: Scale) -> ScaleLine:
    return ScaleLine(
        low=scale.low, high=scale.high, digits=digits_for(scale.width), words=scale.words
    )


def _asked(items: Sequence[Item], result: Result, strategy: str) -> Asked:
    return Asked(
        items=len(items),
        groups=len({item.group for item in items} - {None}),
        judges=tuple(judge.name for judge in result.judges),
        strategy=strategy,
        norm=result.problem.norm,
        confidence=result.problem.confidence,
        target=_target(result),
        end=_end(result),
        identity=result.identity,
    )


def _target(result: Result) -> str | None:
    estimate = result.estimate
    if not isinstance(estimate, PanelEstimate):
        return None
    if isinstance(estimate, PeopleEstimate) and result.people is not None:
        return target_words(result.people)
    return _TARGETS[estimate.target]


def _end(result: Result) -> str:
    if result.end is not None:
        return result.end.value
    return "it has not ended" if result.begun else "none has begun"


def _bill(result: Result, judges: Sequence[JudgeCard]) -> Bill:
    named = [*result.presumed, *(call for call in result.overcharged if call.excess)]
    return Bill(
        budget=result.balance.budget,
        spent=result.balance.spent,
        elsewhere=max(result.balance.spent - sum(judge.spent for judge in judges), 0),
        reserved=result.balance.reserved,
        calls=sum(judge.calls for judge in judges),
        scored=sum(judge.scored for judge in judges),
        without_score=sum(judge.without_score for judge in judges),
        presumed=len(result.presumed),
        presumed_cost=sum(call.charged for call in result.presumed),
        refused=sum(often for judge in judges for _, often in judge.refusals),
        named=tuple(_named(call) for call in named[:_MOST_NAMED]),
    )


def _named(call: CallRecord) -> NamedCall:
    return NamedCall(
        item=call.item,
        judge=call.judge,
        reason="" if call.reason is None else call.reason.words,
        charged=call.charged,
        excess=call.excess,
    )


def _votes(result: Result) -> float | None:
    estimate = result.estimate
    if not isinstance(estimate, PanelEstimate) or not result.scored.any():
        return None
    votes = estimate.independent_votes
    return votes if math.isfinite(votes) else None


def _headline(ranked: Ranking, result: Result, *, blur: str | None) -> str:
    """The main result, in one or two sentences."""
    if not result.scored.any():
        return _nothing_known(result)
    found = _findings(ranked)
    return found if blur is None else f"{found} {blur}"


def _nothing_known(result: Result) -> str:
    """What happened if no judge gave a score."""
    answered = int(result.answered.sum())
    lost = sum(judge.presumed for judge in result.judges)
    refused = sum(sum(judge.refusals.values()) for judge in result.judges)
    if answered:
        which = "the only answer" if answered == 1 else f"not one of {answered:,} answers"
        verb = "has none" if answered == 1 else "has one"
        return f"No item has a score: {which} {verb}."
    if lost or refused:
        return f"No item has a score: {count_text(lost + refused, 'call')} made, none answered."
    return "Nothing was asked yet."


def _findings(ranked: Ranking) -> str:
    if ranked.differences:
        return _best_group(ranked)
    overall = ranked.overall
    mean = score_text(overall.mean, ranked.digits)
    within = overall.interval
    ends = "" if within is None else f", {range_text(within.low, within.high, ranked.digits)}"
    if overall.items == 1:
        return f"The item scores {mean}{ends}."
    return f"{count_text(overall.items, 'item')} score {mean} on average{ends}."


def _best_group(ranked: Ranking) -> str:
    groups = count_text(len(ranked.groups) + ranked.left_out, "group")
    first = ranked.groups[0].name
    against = [line for line in ranked.differences if line.first == first]
    level = [line.second for line in against if not line.told_apart]
    if level and len(ranked.groups) > 2:
        return (
            f"{first} has the highest mean of {groups}, but cannot be told apart from "
            f"{listed(level, most=3)} with these calls."
        )
    sentence = f"{first} is the best of {groups}."
    if len(ranked.groups) == 2:
        sentence = against[0].sentence
    unsure = [line.second for line in against if line.interval.low > 0 and not line.holds_beyond]
    if not unsure:
        return sentence
    return f"{sentence} On other items like these, {listed(unsure, most=3)} may be as good."
