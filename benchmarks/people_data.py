"""Recorded judges with people's labels of the same items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.labels import Labels
from adjudge.worlds.recorded import RecordedScores

HUMANS = ("human1", "human2", "human3")
AXES = ("coherence", "complexity", "empathy", "engagement", "relevance", "surprise")
SETS = (*(("hanna_llm_prompts", axis) for axis in AXES), ("rewardbench2_core5x8", "base"))
"""Data set and axis; the first has three human raters, the second the chosen response."""
PRICES = {
    "gpt-5.4": 0.0044,
    "gpt-5.4-mini": 0.0011,
    "gpt-5.4-nano": 0.00037,
    "claude-sonnet-4.6": 0.0046,
    "claude-haiku-4.5": 0.0016,
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class People:
    """Recorded judges, and each rater's labels, on the scale 0 to 1."""

    scores: RecordedScores
    ratings: FloatArray
    """Shape (K, raters)."""
    yes_or_no: bool

    @property
    def truth(self) -> FloatArray:
        """Mean label of each item; shape (K,)."""
        truth: FloatArray = self.ratings.mean(axis=1)
        return truth

    def some(self, items: int, rng: np.random.Generator) -> People:
        """Random items, `items` of them or all if there are fewer."""
        chosen = np.sort(rng.permutation(self.scores.items)[:items])
        return replace(self, scores=self.scores.keep(chosen), ratings=self.ratings[chosen])

    def labels(self, items: IntArray) -> Labels:
        """All raters' ratings of these items."""
        raters = self.ratings.shape[1]
        return Labels.of(
            np.repeat(items, raters),
            self.ratings[items].ravel(),
            items=self.scores.items,
            rater=np.tile(np.arange(raters), items.size),
            yes_or_no=self.yes_or_no,
        )


def read(folder: Path, dataset: str, axis: str) -> People:
    """The judges and labels of a data set; labels are from three raters, or the reference."""
    path = folder / f"{dataset}.parquet"
    if dataset.startswith("hanna"):
        table = pl.read_parquet(path).filter(pl.col("axis") == axis)
        names = sorted(set(table["judge"]) - set(HUMANS))
        scores = RecordedScores.read(path, axis=axis, judges=names)
        table = table.filter(pl.col("judge").is_in(HUMANS))
        wide = table.group_by("item", "judge").agg(pl.col("score").mean())
        found = {(item, judge): score for item, judge, score in wide.iter_rows()}
        low, high = scores.scale
        ratings = np.array([[found[i, h] for h in HUMANS] for i in scores.item_names])
        return People(scores=scores, ratings=(ratings - low) / (high - low), yes_or_no=False)
    scores = RecordedScores.read(path, axis=axis, prices=PRICES, judges=list(PRICES))
    table = pl.read_csv(folder / f"{dataset}.items.csv.gz").filter(pl.col("axis") == axis)
    reference = dict(zip(table["item"], table["reference"], strict=True))
    ratings = np.array([[reference[item]] for item in scores.item_names], np.float64)
    return People(scores=scores, ratings=ratings, yes_or_no=True)


def only(scores: RecordedScores, judge: int) -> RecordedScores:
    """The scores of one judge, on all items."""
    one = [judge]
    # Where the judge has no score of an item, use its mean over the others.
    times = scores.times[:, one].copy()
    values = scores.values[:, one].copy()
    missing = times.sum(axis=(1, 2)) == 0
    usual = float((values * times).sum() / times.sum())
    values[missing, :, 0], times[missing, :, 0] = usual, 1
    return replace(
        scores,
        values=values,
        times=times,
        price=scores.price[one],
        judge_names=(scores.judge_names[judge],),
    )


def correlations(people: People) -> list[float]:
    """Each judge's correlation with people, from long-run answers."""
    times = people.scores.times
    total = times.sum(axis=2)
    mean = (people.scores.values * times).sum(axis=2) / np.maximum(total, 1)
    return [
        float(np.corrcoef(mean[seen, j], people.truth[seen])[0, 1])
        for j, seen in enumerate((total > 0).T)
    ]
