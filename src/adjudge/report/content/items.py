"""The items that a report shows, with what judges said of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from adjudge.core.estimate import Interval
from adjudge.records import Item
from adjudge.report.content.sample import sampled
from adjudge.report.content.texts import cut, cut_name, largest_fit, words_of
from adjudge.report.content.values import Answer, ItemLine, Range
from adjudge.run import LedgerCall, Result
from adjudge.store import State

_ROOM = 2_600_000
"""Bytes of a page for the texts of items and judges."""
_MOST_ANSWERS = 20_000
"""On all items that are shown."""
_MOST_ANSWERS_OF_AN_ITEM = 24
_LONGEST = 20_000
"""Bytes of a page for one text."""


def shown_items(items: Sequence[Item], result: Result, *, seed: int = 0) -> list[str]:
    """The ids of the items that a report shows: those whose calls it needs."""
    return [items[k].id for k in _places(result, result.interval(), seed)]


def item_lines(
    items: Sequence[Item],
    result: Result,
    interval: Interval,
    calls: Iterable[LedgerCall],
    *,
    seed: int = 0,
) -> tuple[ItemLine, ...]:
    """The items that are shown, highest score first, those without one last."""
    shown = _places(result, interval, seed)
    answers, further = _answers({items[k].id for k in shown}, calls)
    texts = [text for k in shown for text in _texts(items[k])]
    texts += [answer.text for own in answers.values() for answer in own]
    longest = min(largest_fit(texts, _ROOM), _LONGEST)
    scores = result.scores
    paid, spent = result.evidence.calls.sum(axis=1), result.spent.sum(axis=1)
    asked = result.scored.sum(axis=1) > 0
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
        )
        for k in shown
    ]
    return tuple(sorted(lines, key=lambda line: (line.score is None, -(line.score or 0.0))))


def _places(result: Result, interval: Interval, seed: int) -> list[int]:
    """The items that are shown, in their order."""
    rng = np.random.default_rng(seed)
    places: list[int] = sampled(result.scores, interval.width, rng=rng).tolist()
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
        answers=tuple(
            Answer(
                judge=answer.judge,
                score=answer.score,
                trouble=answer.trouble,
                charged=answer.charged,
                text=cut(answer.text, longest),
            )
            for answer in answers
        ),
        further_answers=further,
    )


def _answers(
    shown: set[str], calls: Iterable[LedgerCall]
) -> tuple[dict[str, list[Answer]], dict[str, int]]:
    """The first answers on each item, and how many more there are."""
    most = min(_MOST_ANSWERS_OF_AN_ITEM, max(_MOST_ANSWERS // max(len(shown), 1), 1))
    found: dict[str, list[Answer]] = {}
    further: dict[str, int] = {}
    for call in calls:
        if call.item not in shown or call.state is State.REFUSED:
            continue
        own = found.setdefault(call.item, [])
        if len(own) < most:
            own.append(_answer(call))
        else:
            further[call.item] = further.get(call.item, 0) + 1
    return found, further


def _answer(call: LedgerCall) -> Answer:
    return Answer(
        judge=call.judge,
        score=call.score,
        trouble="" if call.score is not None else _trouble(call),
        charged=call.charged,
        text="" if call.text is None else words_of(call.text),
    )


def _trouble(call: LedgerCall) -> str:
    if call.state is State.RESERVED:
        return "under way"
    why = "no score" if call.reason is None else call.reason.words
    return f"{why}, presumed billed" if call.state is State.PRESUMED else why
