"""Comparison of two groups: paired where they answer the same prompts, otherwise unpaired."""

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
"""Minimum share of the smaller group's scored items in pairs for a paired comparison."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparison:
    """A paired or unpaired comparison of two groups, used wherever their difference is shown."""

    estimate: Estimate
    first: IntArray
    """Items of the first group; aligned with `second` if the comparison is paired."""
    second: IntArray
    pairs: int
    """Number of pairs with two scored items; 0 if the comparison is unpaired."""
    left_out: int
    """Number of scored items without a scored partner; 0 if the comparison is unpaired."""
    scored: int
    """Number of scored items in the smaller group."""

    @classmethod
    def of(
        cls,
        estimate: Estimate,
        first: npt.ArrayLike,
        second: npt.ArrayLike,
        *,
        prompts: Sequence[str],
    ) -> Comparison:
        """The comparison of these items (indices or masks); `prompts` has every item's prompt."""
        a, b = checked_apart(first, second, len(prompts))
        one, other = pairs_by_prompt(prompts, a, b)
        seen = estimate.asked
        pairs = int(np.count_nonzero(seen[one] & seen[other]))
        scored = int(np.count_nonzero(seen[a])), int(np.count_nonzero(seen[b]))
        # With few scored items, few pairs are complete: pairing would ignore most of the scores.
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
        """Mean of the first group minus mean of the second, over these items."""
        compare = paired_difference if self.pairs else difference
        return compare(self.estimate, self.first, self.second)

    @property
    def beyond(self) -> GroupMean | None:
        """The same difference in the population; None if a group has fewer than two scores."""
        if self.scored < 2:
            return None
        compare = paired_difference if self.pairs else difference
        return compare(self.estimate, self.first, self.second, population=True)


def pairs_by_prompt(
    prompts: Sequence[str], first: IntArray, second: IntArray
) -> tuple[IntArray, IntArray]:
    """Pairs of items that answer the same prompt, as two aligned arrays.

    Empty prompts, and prompts that a group answers more than once, form no pair.
    """
    one, other = _answers(prompts, first), _answers(prompts, second)
    shared = [prompt for prompt in one if prompt in other]
    return (
        np.array([one[prompt] for prompt in shared], np.int64),
        np.array([other[prompt] for prompt in shared], np.int64),
    )


def _answers(prompts: Sequence[str], members: IntArray) -> dict[str, int]:
    """The item of each prompt that has exactly one."""
    places = members.tolist()
    often = Counter(prompts[k] for k in places)
    return {prompts[k]: k for k in places if prompts[k].strip() and often[prompts[k]] < 2}
