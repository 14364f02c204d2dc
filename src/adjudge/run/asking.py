"""Asking a judge about one item in the cheapest way that it supports."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.judges import AnswersSeveral, CachesPrompts, Judge
from adjudge.records import Item, Outcome


async def answers(judge: Judge, item: Item, count: int, *, repeated: bool) -> Sequence[Outcome]:
    """Outcomes of `count` calls; `repeated` if other calls about the item are sent soon."""
    if count > 1 and isinstance(judge, AnswersSeveral):
        return await judge.score_several(item, count)
    if repeated and isinstance(judge, CachesPrompts):
        return [await judge.score_repeated(item)]
    return [await judge.score(item)]
