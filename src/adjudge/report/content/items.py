"""The items that a report shows, with the judges' answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.estimate import Interval
from adjudge.core.people import PeopleEstimate
from adjudge.records import Item
from adjudge.report.content.sample import sampled
from adjudge.report.content.texts import cut, cut_name, largest_fit, words_of
from adjudge.report.content.values import Answer, ItemLine, Range
from adjudge.run import LedgerCall, Result
from adjudge.store import State

_ROOM = 2_600_000
"""Most bytes of a page for the texts of items and judges."""
_MOST_ANSWERS = 40_000
"""Most different answers on a page."""
_FEWEST_ANSWERS_OF_AN_ITEM = 10
"""Different answers per item that are always shown, however many items there are."""
_LONGEST = 20_000
"""Most bytes of a page for one text."""


def shown_items(items: Sequence[Item], result: Result, *, seed: int = 0) -> list[str]:
    """The ids of the items that a report shows, and whose calls it needs."""
    return [items[k].id for k in _places(result, result.interval(), seed)]


def item_lines(
    items: Sequence[Item],
    result: Result,
    interval: Interval,
    calls: Iterable[LedgerCall],
    *,
    seed: int = 0,
) -> tuple[ItemLine, ...]:
    """The items shown, highest score first, items without a score last."""
    shown = _places(result, interval, seed)
    answers, further = _answers({items[k].id for k in shown}, calls)
    texts = [text for k in shown for text in _texts(items[k])]
    texts += [answer.text for own in answers.values() for answer in own]
    longest = min(largest_fit(texts, _ROOM), _LONGEST)
    scores = result.filled_scores
    paid, spent = result.evidence.calls.sum(axis=1), result.spent.sum(axis=1)
    asked = result.asked
    label, panel_score = _of_people(result)
    lines = [
        _line(
            items[k],
            score=float(scores[k]) if asked[k] else None,
            interval=Range(low=float(interval.low[k]), high=float(interval.high[k])),
            calls=int(paid[k]),
            spent=int(spent[k]),
            asked=bool(asked[k]),
            answers=answers.get(items[k].id, []),
            further=further.get(items[k].id, 0),
            longest=longest,
            label=label[k],
            panel_score=panel_score[k],
        )
        for k in shown
    ]
    return tuple(sorted(lines, key=lambda line: (line.score is None, -(line.score or 0.0))))


def _places(result: Result, interval: Interval, seed: int) -> list[int]:
    """Indices of the items shown, in the order of the report."""
    rng = np.random.default_rng(seed)
    places: list[int] = sampled(result.filled_scores, interval.width, rng=rng).tolist()
    return places


def _texts(item: Item) -> tuple[str, ...]:
    return item.prompt, item.response, item.reference or ""


def _line(
    item: Item,
    *,
    score: float | None,
    interval: Range,
    calls: int,
    spent: int,
    asked: bool,
    answers: Sequence[Answer],
    further: int,
    longest: int,
    label: float | None,
    panel_score: float | None,
) -> ItemLine:
    return ItemLine(
        id=cut_name(item.id),
        group=None if item.group is None else cut_name(item.group),
        score=score,
        interval=interval,
        calls=calls,
        spent=spent,
        asked=asked,
        prompt=cut(item.prompt, longest),
        response=cut(item.response, longest),
        reference=None if item.reference is None else cut(item.reference, longest),
        answers=tuple(replace(answer, text=cut(answer.text, longest)) for answer in answers),
        further_answers=further,
        label=label,
        panel_score=panel_score,
    )


def _of_people(result: Result) -> tuple[list[float | None], list[float | None]]:
    """Each item's mean label and the panel's own score; None where unknown."""
    nothing: list[float | None] = [None] * result.problem.items
    estimate, people, labels = result.estimate, result.people, result.problem.labels
    if people is None or labels is None:
        return nothing, nothing
    label = _known(people.scale.from_unit(labels.mean))
    if not isinstance(estimate, PeopleEstimate):
        return label, nothing
    return label, _known(result.panel_scores)


def _known(values: FloatArray) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]


def _answers(
    shown: set[str], calls: Iterable[LedgerCall]
) -> tuple[dict[str, list[Answer]], Counter[str]]:
    """The judges' answers on each item, and the number of answers that are left out.

    A judge's equal answers are combined, with their count.
    """
    most = max(_MOST_ANSWERS // max(len(shown), 1), _FEWEST_ANSWERS_OF_AN_ITEM)
    found: dict[str, dict[str, dict[object, Answer]]] = {}
    further: Counter[str] = Counter()
    for call in calls:
        if call.item not in shown or call.state is State.REFUSED:
            continue
        own = found.setdefault(call.item, {}).setdefault(call.judge, {})
        answer = _answer(call)
        said = answer.score, answer.trouble, answer.text
        if said in own:
            times, charged = own[said].times + 1, own[said].charged + call.charged
            own[said] = replace(own[said], times=times, charged=charged)
        elif len(own) < most:
            own[said] = answer
        else:
            further[call.item] += 1
    answers = {}
    for item, by_judge in found.items():
        in_turn = _in_turn(by_judge)
        answers[item] = in_turn[:most]
        further[item] += sum(answer.times for answer in in_turn[most:])
    return answers, further


def _in_turn(by_judge: Mapping[str, Mapping[object, Answer]]) -> list[Answer]:
    """All judges' first answers, then all second ones, so that a cut omits no judge."""
    ranks = zip_longest(*(own.values() for own in by_judge.values()))
    return [answer for rank in ranks for answer in rank if answer is not None]


def _answer(call: LedgerCall) -> Answer:
    return Answer(
        judge=call.judge,
        score=call.score,
        trouble="" if call.score is not None else _trouble(call),
        times=1,
        charged=call.charged,
        text="" if call.text is None else words_of(call.text),
    )


def _trouble(call: LedgerCall) -> str:
    if call.state is State.RESERVED:
        return "under way"
    why = "no score" if call.reason is None else call.reason.words
    return f"{why}, presumed billed" if call.state is State.PRESUMED else why
