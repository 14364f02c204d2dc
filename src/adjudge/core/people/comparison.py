"""Two groups compared: pair by pair where they answer the same prompts, else as wholes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import IntArray
from adjudge.core.estimate import Estimate
from adjudge.core.groups import GroupMean, checked_apart
from adjudge.core.people.means import difference, paired_difference

_FEWEST_PAIRS = 2
_PAIRED = 0.5
"""Pairs are compared if they hold at least this share of the smaller group's scored items."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """How two groups are compared, wherever their difference is told."""

    estimate: Estimate
    first: IntArray
    """Items of the first group; side by side with `second` where pairs are compared."""
    second: IntArray
    pairs: int
    """Pairs of which both items have a score; 0 where the groups are compared as wholes."""
    left_out: int
    """Scored items that are in no pair, where pairs are compared."""
    scored: int
    """Scored items of the smaller group."""

    @classmethod
    def of(
        cls,
        estimate: Estimate,
        first: npt.ArrayLike,
        second: npt.ArrayLike,
        *,
        prompts: Sequence[str],
    ) -> Comparison:
        """Of these items, by index (or a mask over all items), with the prompt of every item."""
        a, b = checked_apart(first, second, len(prompts))
        one, other = pairs_by_prompt(prompts, a, b)
        seen = estimate.asked
        pairs = int(np.count_nonzero(seen[one] & seen[other]))
        scored = int(np.count_nonzero(seen[a])), int(np.count_nonzero(seen[b]))
        # With few items asked, few pairs are complete, and comparing pairs would ignore most items.
        paired = pairs >= max(_FEWEST_PAIRS, _PAIRED * min(scored))
        return cls(
            estimate=estimate,
            first=one if paired else a,
            second=other if paired else b,
            pairs=pairs if paired else 0,
            left_out=sum(scored) - 2 * pairs if paired else 0,
            scored=min(scored),
        )

    @property
    def here(self) -> GroupMean:
        """Mean of the first group less that of the second, for these very items."""
        compare = paired_difference if self.pairs else difference
        return compare(self.estimate, self.first, self.second)

    @property
    def beyond(self) -> GroupMean | None:
        """The same for all items like these; None where a group has a single score."""
        if self.scored < 2:
            return None
        compare = paired_difference if self.pairs else difference
        return compare(self.estimate, self.first, self.second, population=True)


def pairs_by_prompt(
    prompts: Sequence[str], first: IntArray, second: IntArray
) -> tuple[IntArray, IntArray]:
    """Items of two groups that answer the same prompt, side by side.

    A prompt that a group answers twice pairs with nothing: which answer is meant is not known.
    """
    one, other = _answers(prompts, first), _answers(prompts, second)
    shared = [prompt for prompt in one if prompt in other]
    return (
        np.array([one[prompt] for prompt in shared], np.int64),
        np.array([other[prompt] for prompt in shared], np.int64),
    )


def _answers(prompts: Sequence[str], members: IntArray) -> dict[str, int]:
    """The one answer to each prompt."""
    places = members.tolist()
    often = Counter(prompts[k] for k in places)
    return {prompts[k]: k for k in places if prompts[k].strip() and often[prompts[k]] < 2}
