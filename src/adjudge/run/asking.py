"""Asking a judge about one item, in the way that it can and that costs least."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.judges import AnswersSeveral, CachesPrompts, Judge
from adjudge.records import Item, Outcome


async def answers(judge: Judge, item: Item, count: int, *, repeated: bool) -> Sequence[Outcome]:
    """How each of so many calls ended; `repeated` if others about the item are sent about now."""
    if count > 1 and isinstance(judge, AnswersSeveral):
        return await judge.score_several(item, count)
    if repeated and isinstance(judge, CachesPrompts):
        return [await judge.score_repeated(item)]
    return [await judge.score(item)]
