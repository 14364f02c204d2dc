"""Warnings and notes to read before trusting the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from adjudge.core.panel import PanelEstimate, Target
from adjudge.records import Reason
from adjudge.report.content.judges import FEW_SCORES
from adjudge.report.content.people_notices import people_notices
from adjudge.report.content.people_values import PeopleCard
from adjudge.report.content.values import (
    Bill,
    DifferenceLine,
    GroupLine,
    JudgeCard,
    Notice,
    ScaleLine,
    Weight,
)
from adjudge.report.numbers import count_text, listed, money_text, score_text, share_text
from adjudge.run import End, Result

WIDE = 0.25
"""Mean interval width above which there is a warning, as a share of the scale."""
SHARED = 0.05
"""Half-width of the overall mean above which the level is uncertain, as a share of the scale."""
OFTEN_WITHOUT_SCORE = 0.05
"""Share of paid calls without a score above which there is a warning."""


def notices(
    result: Result,
    *,
    scale: ScaleLine,
    bill: Bill,
    judges: tuple[JudgeCard, ...],
    overall: GroupLine,
    mean_width: float,
    people: PeopleCard | None = None,
    groups: Sequence[GroupLine] = (),
    differences: Sequence[DifferenceLine] = (),
) -> tuple[Notice, ...]:
    """All notices, the most serious first."""
    found = [
        *_of_the_end(result),
        *_of_judges(judges, panel=_is_of_the_panel(result)),
        *_of_money(bill, result),
    ]
    if result.scored.any():  # without a score there is no precision to report
        found += [
            *_of_items(result),
            *_of_differences(differences),
            *_of_width(mean_width, scale, judges, people, helps=_what_helps(result)),
            *_of_the_panel(result, overall, scale, judges, people),
        ]
    found += people_notices(people, groups, result)
    return tuple(sorted(found, key=lambda notice: list(Weight).index(notice.weight)))


def _of_the_end(result: Result) -> Iterator[Notice]:
    if not result.evidence.calls.any():
        refused = any(judge.refusals for judge in result.judges)
        made = "No call was answered" if refused else "No call was made yet"
        yield Notice(weight=Weight.CAUTION, text=f"{made}: there are no scores.")
    elif result.end is None and not result.begun:
        yield Notice(
            weight=Weight.CAUTION,
            text="No run has begun with this run file as it is now. What is here comes from a "
            "probe, or from runs with other items or judges.",
        )
    elif result.end is None:
        yield Notice(
            weight=Weight.CAUTION,
            text="The run has not come to its end: it is under way, or it was killed. This is what "
            "its ledger holds; running it again goes on from here.",
        )
    elif result.end is End.STOPPED:
        yield Notice(
            weight=Weight.NOTE,
            text="The run was stopped before its end; running it again goes on from here.",
        )
    elif result.end is End.ENOUGH:
        left = money_text(result.balance.remaining)
        yield Notice(
            weight=Weight.NOTE,
            text=f"The run ended with {left} left: {result.end_reason}.",
        )
    elif result.end is End.JUDGES_OFF:
        yield Notice(
            weight=Weight.TROUBLE,
            text="The run ended early because every judge that could be asked was switched off.",
        )


def _guarded(judge: JudgeCard) -> Notice:
    what = "does not follow the other judges" if judge.astray else "always gives the same answer"
    done = "its scores were left out" if judge.guarded else "it still counts"
    text = f"{judge.name} {what}: {done}."
    if not judge.guarded:
        text += " Leave it out with `strategy: {guard: on}`, or drop it, if it should not."
    return Notice(weight=Weight.CAUTION, text=text)


def _of_judges(judges: tuple[JudgeCard, ...], *, panel: bool) -> Iterator[Notice]:
    asked, some = any(judge.calls for judge in judges), any(judge.scored for judge in judges)
    for judge in judges:
        if judge.switched_off is not None:
            yield Notice(
                weight=Weight.TROUBLE,
                text=f"{judge.name} was switched off: {judge.troubles[0]}",
            )
        if judge.guarded or judge.astray:
            yield _guarded(judge)
        if asked and (text := _without_scores(judge, counts=panel and some)):
            yield Notice(weight=Weight.CAUTION, text=text)
        if judge.rejected:
            yield Notice(
                weight=Weight.CAUTION,
                text=f"{judge.name} would not take {count_text(judge.rejected, 'item')}.",
            )
        told = judge.switched_off is not None and len(judge.troubles) == 1
        if judge.complaint is not None and _often_fails(judge) and not told:
            yield Notice(
                weight=Weight.CAUTION,
                text=f"{judge.name}, in its last call without a score: {judge.complaint}",
            )
    failing = [judge for judge in judges if judge.without_score]
    missing = sum(judge.without_score for judge in failing)
    calls = sum(judge.calls for judge in judges)
    if some and missing / calls > OFTEN_WITHOUT_SCORE:
        failing.sort(key=lambda judge: -judge.without_score)
        yield Notice(
            weight=Weight.CAUTION,
            text=f"{share_text(missing / calls)} of the paid calls held no usable score; most came "
            f"from {failing[0].name} ({failing[0].without_score:,} of {failing[0].calls:,}).",
        )


def _often_fails(judge: JudgeCard) -> bool:
    failed = judge.calls - judge.scored + sum(often for _, often in judge.refusals)
    return judge.rejected > 0 or failed > OFTEN_WITHOUT_SCORE * (failed + judge.scored)


def _free_failures(result: Result) -> str:
    failed = {call.judge for call in result.presumed if call.reason in (Reason.BUSY, Reason.DOWN)}
    if not failed:
        return ""
    names = " and ".join(sorted(failed))
    return f" If the provider of {names} does not bill failures, say free_failures: true there."


def _is_of_the_panel(result: Result) -> bool:
    """Whether the target is the mean of all judges, including those never asked."""
    estimate = result.estimate
    return isinstance(estimate, PanelEstimate) and estimate.target is Target.PANEL


def _without_scores(judge: JudgeCard, *, counts: bool) -> str:
    """Why a judge has no score, and what that means if it `counts`; empty if nothing is to say."""
    unasked = judge.never_asked is not None and judge.switched_off is None
    if judge.scored or judge.guarded or not (unasked or (counts and judge.weight > 0)):
        return ""
    text = f"{judge.name} " + (
        f"was never asked: {judge.never_asked}." if unasked else "gave no score."
    )
    if counts and judge.weight > 0:
        helps = "Raise the budget so that it is asked" if unasked else "Fix it"
        text += (
            f" It counts {share_text(judge.weight)} in every score, but its answers are only "
            f"predicted, which makes intervals longer. {helps}, or leave it out."
        )
    return text


def _of_money(bill: Bill, result: Result) -> Iterator[Notice]:
    raised = [call for call in result.presumed if call.reason is Reason.RAISED]
    sent = bill.presumed - len(raised)
    if sent:
        cost = bill.presumed_cost - sum(call.charged for call in raised)
        yield Notice(
            weight=Weight.CAUTION,
            text=f"{count_text(sent, 'call')} went out and {'was' if sent == 1 else 'were'} never "
            f"fully answered, or failed. The judge may have billed "
            f"{'it, so it counts at its' if sent == 1 else 'them, so they count at their'} worst "
            f"case: {money_text(cost)}.{_free_failures(result)}",
        )
    if raised:
        functions = listed(sorted({call.judge for call in raised}))
        yield Notice(
            weight=Weight.CAUTION,
            text=f"{count_text(len(raised), 'call')} of {functions} ended with an exception of the "
            f"judge function, and {'counts' if len(raised) == 1 else 'count'} at the price of a "
            f"call: {money_text(sum(call.charged for call in raised))}.",
        )
    silent = [judge for judge in result.judges if judge.unstated]
    if silent:
        answers = count_text(sum(judge.answered for judge in silent), "answer")
        yield Notice(
            weight=Weight.CAUTION,
            text=f"{listed([judge.name for judge in silent])} did not say what "
            f"{sum(judge.unstated for judge in silent):,} of {answers} used. These count at their "
            "worst case, which may be many times the bill. Have the endpoint send `usage`, lower "
            "`max_tokens`, or give a price per call (`prices: {per_call: ...}`).",
        )
    if result.overcharged:
        names = sorted({call.judge for call in result.overcharged})
        excess = sum(call.excess for call in result.overcharged)
        beyond = f", {money_text(excess)} of it beyond the budget" if excess else ""
        yield Notice(
            weight=Weight.TROUBLE,
            text=f"{count_text(len(result.overcharged), 'call')} cost more than the worst case "
            f"that was reserved{beyond}: check the prices of {listed(names)}.",
        )
    if bill.elsewhere:
        yield Notice(
            weight=Weight.NOTE,
            text=f"{money_text(bill.elsewhere)} of what was spent went to other items, prompts or "
            "judges through the same ledger.",
        )
    if bill.reserved:
        yield Notice(
            weight=Weight.NOTE,
            text=f"{money_text(bill.reserved)} is reserved for calls that have not ended.",
        )


def _hardly_asked(judges: tuple[JudgeCard, ...], helps: str) -> str:
    """A sentence on a judge with too few scores to know its offset, if another has enough."""
    few = [judge for judge in judges if 0 < judge.scored < FEW_SCORES and judge.weight > 0]
    if not few or all(judge.scored < FEW_SCORES for judge in judges):
        return ""
    one = few[0]
    return (
        f" {one.name} counts {share_text(one.weight)} in every score and gave "
        f"{count_text(one.scored, 'score')} only: {helps}, or leave it out."
    )


def _of_items(result: Result) -> Iterator[Notice]:
    unasked = int(np.count_nonzero(~result.asked))
    items = result.problem.items
    if unasked and result.evidence.calls.any():
        label = " or a label from people" if result.anchored else ""
        have = "has" if unasked == 1 else "have"
        yield Notice(
            weight=Weight.CAUTION,
            text=f"{unasked:,} of {count_text(items, 'item')} {have} no score from any "
            f"judge{label}, and none here. Their intervals are predictions from the other items, "
            "taken as a random sample.",
        )


def _of_differences(differences: Sequence[DifferenceLine]) -> Iterator[Notice]:
    if any(line.left_out for line in differences):
        yield Notice(
            weight=Weight.NOTE,
            text="Differences between groups compare answers to the same prompt, where both have a "
            "score. Means also count answers without such a partner, so that a difference may not "
            "be that of the two means.",
        )


def _of_width(
    mean_width: float,
    scale: ScaleLine,
    judges: tuple[JudgeCard, ...],
    people: PeopleCard | None,
    *,
    helps: str,
) -> Iterator[Notice]:
    if mean_width <= WIDE * scale.width:
        return
    # More calls do not help where a judge that counts can give no score; it has its own notice.
    dead = any(one.switched_off and not one.scored and one.weight > 0 for one in judges)
    if people is not None and people.anchored:
        yield Notice(
            weight=Weight.CAUTION,
            text="What people would say of a single item is known to within "
            f"{share_text(mean_width / scale.width)} of the scale on average. Where people differ "
            "from all judges, more labels help and more calls do not.",
        )
    elif not dead:
        yield Notice(
            weight=Weight.CAUTION,
            text="Too few calls for precise scores of single items: an interval covers "
            f"{share_text(mean_width / scale.width)} of the scale on average. For shorter "
            f"ones {helps}; with a run file, `adjudge plan` says what they would cost.",
        )


def _what_helps(result: Result) -> str:
    """How to get more calls."""
    return "set `spend: all`" if result.end is End.ENOUGH else "raise the budget"


def _of_the_panel(
    result: Result,
    overall: GroupLine,
    scale: ScaleLine,
    judges: tuple[JudgeCard, ...],
    people: PeopleCard | None,
) -> Iterator[Notice]:
    if not isinstance(result.estimate, PanelEstimate):
        yield Notice(
            weight=Weight.NOTE,
            text="This strategy estimates only the scores of items. The panel strategy also "
            "describes the judges and gives intervals of groups.",
        )
        return
    half = 0.0 if overall.interval is None else (overall.interval.high - overall.interval.low) / 2
    if half > SHARED * scale.width and people is not None and people.anchored:
        yield Notice(
            weight=Weight.CAUTION,
            text="The overall level of people's scores is known to "
            f"±{score_text(half, scale.digits)} only; more labels help.",
        )
    elif half > SHARED * scale.width:
        yield Notice(
            weight=Weight.CAUTION,
            text="The overall level of the judges' scores is known to "
            f"±{score_text(half, scale.digits)} only; all items share this error. Differences "
            f"between items are known better.{_hardly_asked(judges, _what_helps(result))}",
        )
    noiseless = result.problem.noiseless
    guessed = noiseless is None or not noiseless.all()
    if guessed and result.evidence.pooled.n.max() == 1:
        yield Notice(
            weight=Weight.CAUTION,
            text="No judge scored an item twice, so the noise of the judges is a guess, and so is "
            "the width of the intervals.",
        )
