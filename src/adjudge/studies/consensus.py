"""The paper's consensus filter of recorded scores: items whose judges share a modal score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import BoolArray, FloatArray
from adjudge.errors import InputError
from adjudge.worlds import RecordedScores

SAME_SCORE = 1e-9
"""Scores closer than this are equal; the score range is 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterCounts:
    """How many items the filter saw, dropped (by reason) and kept."""

    items: int
    not_by_all_judges: int
    too_few_samples: int
    modes_differ: int
    kept: int
    by_a_tie: int
    """Kept items at which some judge gave several scores equally often."""
    judges: int
    min_samples: int

    def __str__(self) -> str:
        return (
            f"{self.items} items; dropped: {self.not_by_all_judges} not scored by all "
            f"{self.judges} judges, {self.too_few_samples} with fewer than {self.min_samples} "
            f"samples of some judge, {self.modes_differ} whose judges' modal scores differ; "
            f"kept: {self.kept} ({self.by_a_tie} of them where a tie between modes was broken)"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Consensus:
    """The items that passed, with the modal score that all their judges share."""

    scores: RecordedScores
    truth: FloatArray
    """The modal score of each item; shape (K,)."""
    counts: FilterCounts


def consensus(scores: RecordedScores, *, min_samples: int) -> Consensus:
    """Items whose judges all have `min_samples` scores and the same modal score.

    Where a judge gave several scores equally often, the lowest is its mode.
    """
    enough = enough_samples(scores, min_samples=min_samples)
    mode, tied = modal_scores(scores)
    agreed: BoolArray = mode.max(axis=1) <= mode.min(axis=1) + SAME_SCORE
    kept = enough & agreed
    by_all = scores.mask.all(axis=1)
    counts = FilterCounts(
        items=scores.items,
        not_by_all_judges=int(np.count_nonzero(~by_all)),
        too_few_samples=int(np.count_nonzero(by_all & ~enough)),
        modes_differ=int(np.count_nonzero(enough & ~agreed)),
        kept=int(np.count_nonzero(kept)),
        by_a_tie=int(np.count_nonzero(kept & tied.any(axis=1))),
        judges=len(scores.judge_names),
        min_samples=min_samples,
    )
    return Consensus(scores=scores.keep(kept), truth=mode[kept, 0], counts=counts)


def enough_samples(scores: RecordedScores, *, min_samples: int) -> BoolArray:
    """The items that every judge scored at least `min_samples` times; shape (K,)."""
    if min_samples < 1:
        raise InputError("min-samples", str(min_samples), "give at least 1")
    enough: BoolArray = np.all(scores.recorded >= min_samples, axis=1)
    if not enough.any():
        raise too_few(scores, min_samples)
    return enough


def modal_scores(scores: RecordedScores) -> tuple[FloatArray, BoolArray]:
    """Each pair's modal score (the lowest of several) and whether it is tied.

    Both of shape (K, J); the mode of a pair without scores is infinite.
    """
    most = scores.times.max(axis=2, keepdims=True)
    frequent = (scores.times == most) & (most > 0)
    lowest: FloatArray = np.where(frequent, scores.values, np.inf).min(axis=2)
    return lowest, np.count_nonzero(frequent, axis=2) > 1


def too_few(scores: RecordedScores, min_samples: int) -> InputError:
    """The error for a file with too few scores per judge."""
    by_all = scores.mask.all(axis=1)
    if not by_all.any():
        return InputError(
            "judges",
            f"none of {scores.items} items was scored by all {len(scores.judge_names)}: "
            f"{', '.join(scores.judge_names)}",
            "choose judges that scored the same items",
        )
    most = int(scores.recorded.min(axis=1).max())
    return InputError(
        "min-samples",
        f"{min_samples}, but none of {scores.items} items has that many scores by every judge",
        f"give at most {most}",
    )
