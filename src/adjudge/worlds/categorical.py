"""Scores from a finite set of values: exact for any number of calls, in bounded time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import FloatArray, check_not_negative, check_shape, float_array
from adjudge.core.evidence import Allocation, Moments
from adjudge.errors import InputError
from adjudge.worlds.asked import AskedPairs
from adjudge.worlds.grouped import mean_and_m2
from adjudge.worlds.instance import Instance

_FEW_CALLS = 8
"""Up to this many calls, drawing score by score is faster than multinomial counts."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CategoricalWorld:
    """Pair (k, j) gives the score `values[k, j, s]` with probability `probabilities[k, j, s]`."""

    instance: Instance
    values: FloatArray
    """Possible scores; shape (K, J, S)."""
    probabilities: FloatArray
    """Sum to 1 over the last axis where the pair exists; shape (K, J, S)."""

    @classmethod
    def of(
        cls,
        *,
        values: npt.ArrayLike,
        probabilities: npt.ArrayLike,
        cost: npt.ArrayLike,
        mask: npt.ArrayLike | None = None,
        score_range: tuple[float, float] = (0.0, 1.0),
        truth: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        judge_names: Sequence[str] | None = None,
    ) -> CategoricalWorld:
        """A checked world; means and variances follow from the probabilities."""
        chance = float_array("probabilities", probabilities)
        scores = float_array("values", values)
        if chance.ndim != 3 or scores.shape[-1:] != chance.shape[-1:]:
            raise InputError(
                "values, probabilities",
                f"shapes {scores.shape} and {chance.shape}",
                "give S values and (K, J, S) probabilities",
            )
        check_not_negative("probabilities", chance)
        scores = np.broadcast_to(scores, chance.shape)
        # Only rounding can move a mean out of the range: the values themselves are checked.
        mean = np.clip(np.einsum("kjs,kjs->kj", chance, scores), *score_range)
        deviation = scores - mean[..., np.newaxis]
        instance = Instance.of(
            mean=mean,
            variance=np.einsum("kjs,kjs,kjs->kj", chance, deviation, deviation),
            price_per_call=cost,
            mask=mask,
            score_range=score_range,
            truth=truth,
            weights=weights,
            judge_names=judge_names,
        )
        return cls(instance=instance, values=scores, probabilities=chance)

    def __post_init__(self) -> None:
        check_shape("values", self.values, self.probabilities.shape)
        check_not_negative("probabilities", self.probabilities)
        total = self.probabilities.sum(axis=-1)
        wrong = self.instance.mask & (np.abs(total - 1) > 1e-9)
        if wrong.any():
            item, judge = np.argwhere(wrong)[0]
            raise InputError(
                "probabilities",
                f"sum to {total[item, judge]:.9g} for item {item}, judge {judge}",
                "they must sum to 1",
            )
        low, high = self.instance.score_range
        outside = (self.probabilities > 0) & ~((self.values >= low) & (self.values <= high))
        if outside.any():
            raise InputError(
                "values",
                f"{self.values[outside][0]}",
                f"every score must lie in the score range, {low} to {high}",
            )

    def draw(self, batch: Allocation, rng: np.random.Generator) -> Moments:
        """Make every call of the batch; the work does not grow with the number of calls."""
        asked = AskedPairs.of(batch, self.instance)
        mean, m2 = np.empty(asked.calls.size), np.empty(asked.calls.size)
        few = asked.calls <= _FEW_CALLS
        for chosen, drawn in ((few, self._score_by_score), (~few, self._value_by_value)):
            if chosen.any():
                mean[chosen], m2[chosen] = drawn(asked.where(chosen), rng)
        return asked.moments(np.clip(mean, *self.instance.score_range), m2)

    def _value_by_value(
        self, asked: AskedPairs, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """Mean and sum of squared deviations from multinomial counts of each value."""
        values, chance = asked.values(self.values), asked.values(self.probabilities)
        seen = rng.multinomial(asked.calls, chance / chance.sum(axis=1, keepdims=True))
        mean = np.einsum("ps,ps->p", seen, values) / asked.calls
        deviation = values - mean[:, np.newaxis]
        return mean, np.einsum("ps,ps,ps->p", seen, deviation, deviation)

    def _score_by_score(
        self, asked: AskedPairs, rng: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        """The same, each score drawn by inverting the pair's distribution function."""
        below = np.cumsum(np.ascontiguousarray(asked.values(self.probabilities).T), axis=0)
        # Makes the last entry exactly 1: no uniform number reaches a value of probability zero.
        below /= below[-1].copy()
        uniform = rng.random(int(asked.calls.sum()))
        chosen = np.zeros(uniform.size, np.int64)
        for chance_of_less in below[:-1]:
            chosen += np.repeat(chance_of_less, asked.calls) <= uniform
        item, judge = np.repeat((asked.item, asked.judge), asked.calls, axis=1)
        return mean_and_m2(self.values[item, judge, chosen], asked.calls)
