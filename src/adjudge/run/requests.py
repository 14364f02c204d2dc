"""The calls of a round as requests: in which order, and which of them go together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from adjudge.core.arrays import IntArray

_TRIED = 2
"""Answers that a request asks for of an endpoint that is not known to give several: one that fails
at it and bills that wastes no more."""


class Call(NamedTuple):
    """A call to be made."""

    item: int
    """The item's row in the run."""
    phase: int
    ordinal: int
    ask_again: int
    """How often it may be followed by another, should its answer have no score."""
    attempt: int = 1
    repeated: bool = False
    """Whether other requests about the same item are sent soon before or after it."""


Request: TypeAlias = tuple[Call, ...]
"""Calls about one item that are sent together."""


def requests_of(
    counts: IntArray,
    first: IntArray,
    phase: int,
    ask_again: IntArray,
    *,
    several: Callable[[], int],
    known: Callable[[], bool],
    covered: int,
    abreast: int,
    rng: np.random.Generator | None = None,
) -> Iterator[Request]:
    """Every item's first calls, then every item's next: a run that ends early has seen most.

    Which calls go together follows from `counts` and `first` (the ordinals) alone, and not from
    when answers come. So many items are `abreast` of each other: their repeats go before calls
    about others. Up to `several()` calls about one item go together, and no more than are
    `covered`; as long as it is not `known()` how many the judge takes, requests for two come first,
    and the next is only to be taken when one has ended.
    """
    wanted, ordinals, left = counts.copy(), first.tolist(), ask_again.tolist()
    asked = np.flatnonzero(counts)
    if rng is not None:
        asked = rng.permutation(asked)

    def request(k: int, count: int, *, more: bool) -> Request:
        call = Call(k, phase, ordinals[k], left[k], repeated=more)
        ordinals[k] += count
        if count == 1:
            return (call,)
        return tuple(call._replace(ordinal=call.ordinal + repeat) for repeat in range(count))

    for k in asked[wanted[asked] >= _TRIED].tolist():
        if covered < _TRIED or known():
            break
        wanted[k] -= _TRIED
        yield request(k, _TRIED, more=bool(wanted[k]))
    together, whole = min(several(), covered), wanted.tolist()
    for start in range(0, asked.size, abreast):
        block = asked[start : start + abreast]
        for begun in range(0, int(wanted[block].max()), together):
            for k in block[wanted[block] > begun].tolist():
                yield request(k, min(together, whole[k] - begun), more=whole[k] > together)
