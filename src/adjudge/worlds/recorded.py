"""Recorded scores of real judges: a call draws with replacement from a pair's scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import BoolArray, FloatArray, IntArray, check_positive
from adjudge.errors import InputError
from adjudge.worlds.categorical import CategoricalWorld
from adjudge.worlds.score_file import ScoreTable, read_scores


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecordedScores:
    """The distinct scores of every pair, mapped to [0, 1], and how often each was given."""

    values: FloatArray
    """Distinct scores of each pair; undefined where `times` is 0; shape (K, J, S)."""
    times: IntArray
    """How often each was recorded; shape (K, J, S)."""
    price: FloatArray
    """Price of one call of each judge; shape (J,)."""
    weights: FloatArray | None
    """Weight of each judge in the truth; None means equal; shape (J,)."""
    item_names: tuple[str, ...]
    judge_names: tuple[str, ...]
    scale: tuple[float, float]
    """The recorded scale, which was mapped to [0, 1]."""
    left_out: int = 0
    """Exported calls that gave no score."""

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        axis: str | None = None,
        dataset: str | None = None,
        judges: Sequence[str] | None = None,
        prices: Mapping[str, float] | None = None,
        weights: Mapping[str, float] | None = None,
        score_range: tuple[float, float] | None = None,
    ) -> RecordedScores:
        """Scores from a Parquet, CSV or JSONL file with the columns item, judge and score.

        The output of `adjudge export calls` is accepted; its calls without a score are left out.

        The scale is `score_range`, or lo and hi of the neighbouring `<name>.items.csv.gz`, or
        the lowest and highest score in the file. Judges cost the same unless `prices` is given;
        `judges` selects some of them, in that order.
        """
        table = read_scores(
            Path(path), axis=axis, dataset=dataset, judges=judges, score_range=score_range
        )
        names = table.judge_names
        values, times = _by_pair(table)
        return cls(
            values=values,
            times=times,
            price=_by_judge("prices", prices, names, otherwise=1.0),
            weights=None if weights is None else _by_judge("weights", weights, names),
            item_names=table.item_names,
            judge_names=names,
            scale=table.scale,
            left_out=table.left_out,
        )

    @property
    def items(self) -> int:
        """Number of items K."""
        return len(self.item_names)

    @property
    def recorded(self) -> IntArray:
        """Scores recorded for each pair; shape (K, J)."""
        total: IntArray = self.times.sum(axis=-1)
        return total

    @property
    def mask(self) -> BoolArray:
        """The pairs with at least one score; shape (K, J)."""
        return self.recorded > 0

    def keep(self, items: npt.NDArray[np.integer] | BoolArray) -> RecordedScores:
        """The chosen items only, by index or by a mask of shape (K,)."""
        rows = np.arange(self.items)[items]
        return replace(
            self,
            values=self.values[rows],
            times=self.times[rows],
            item_names=tuple(self.item_names[row] for row in rows),
        )

    def world(self, *, truth: npt.ArrayLike | None = None) -> CategoricalWorld:
        """All items as a world; its truth is the weighted mean of each item's judges."""
        total = np.maximum(self.recorded, 1)[..., np.newaxis]
        return CategoricalWorld.of(
            values=self.values,
            probabilities=self.times / total,
            cost=self.price,
            mask=self.mask,
            truth=truth,
            weights=self.weights,
            judge_names=self.judge_names,
        )

    def sample(self, items: int | None, rng: np.random.Generator) -> CategoricalWorld:
        """A world of this many random items, in the order of the file; None means all."""
        if items is None:
            return self.world()
        if not 1 <= items <= self.items:
            raise InputError("items", f"{items}", f"give 1 to {self.items}, the items recorded")
        chosen = rng.choice(self.items, size=items, replace=False)
        return self.keep(np.sort(chosen)).world()


def _by_pair(table: ScoreTable) -> tuple[FloatArray, IntArray]:
    """Arrays of shape (K, J, S) from rows of distinct scores; S is a pair's maximum."""
    items, judges = len(table.item_names), len(table.judge_names)
    pair = table.item * judges + table.judge
    order = np.argsort(pair, kind="stable")
    pair = pair[order]
    first = np.searchsorted(pair, pair, side="left")
    place = np.arange(pair.size) - first
    shape = (items * judges, int(place.max()) + 1)
    values, times = np.zeros(shape), np.zeros(shape, np.int64)
    values[pair, place] = table.score[order]
    times[pair, place] = table.times[order]
    return values.reshape(items, judges, -1), times.reshape(items, judges, -1)


def _by_judge(
    field: str,
    given: Mapping[str, float] | None,
    names: tuple[str, ...],
    *,
    otherwise: float | None = None,
) -> FloatArray:
    """One positive number per judge from a mapping by name."""
    if given is None:
        return np.full(len(names), otherwise, dtype=np.float64)
    for name in given:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise InputError(field, f"no judge {name}", f"{hint}there are {', '.join(names)}")
    missing = [name for name in names if name not in given]
    if missing:
        raise InputError(field, f"nothing for {', '.join(missing)}", "name every judge or none")
    values = np.array([given[name] for name in names], dtype=np.float64)
    if field == "prices":
        check_positive(field, values)
    return values
