"""The requests of a round: their order, and which calls share one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from adjudge.core.arrays import IntArray

_TRIED = 2
"""Answers per trial request, if it is unknown whether the endpoint gives several. Two waste the
least if the endpoint fails but bills them."""


class Call(NamedTuple):
    """A call to be made."""

    item: int
    """The item's row in the run."""
    phase: int
    ordinal: int
    ask_again: int
    """How often to ask again if the answer has no score."""
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
    """First calls about all items before repeats, so that a run that ends early has seen most.

    The grouping depends only on `counts` and `first` (the ordinals), not on when answers arrive.
    Items are taken in blocks of `abreast`, and a block's repeats come before the next block. A
    request has at most `several()` calls, and at most `covered`. Until it is `known()` how many
    calls the judge takes per request, requests for two come first; the caller must then take the
    next request only after the last one has ended.
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
