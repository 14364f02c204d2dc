"""The true means, variances and prices of a world, whatever the distribution of its scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    check_not_negative,
    check_shape,
    float_array,
)
from adjudge.core.problem import Problem
from adjudge.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Instance:
    """The true values of a world, whatever the distribution of its scores."""

    price_per_call: FloatArray
    """Price of one call; shape (K, J), a broadcast view if the same for all items."""
    mask: BoolArray
    """The pairs that exist; shape (K, J)."""
    score_range: tuple[float, float]
    """Lowest and highest possible score."""
    mean: FloatArray
    """Long-run mean of each pair; undefined where the mask is off; shape (K, J)."""
    variance: FloatArray
    """Variance of one call; undefined where the mask is off; shape (K, J)."""
    truth: FloatArray
    """The true score of each item; shape (K,)."""
    weights: FloatArray
    """Weight of each judge in the panel's score; sums to 1; shape (J,)."""
    judge_names: tuple[str, ...]
    """One name per judge."""
    groups: IntArray | None = None
    """The group of each item, such as the system that wrote it; None without groups; (K,)."""
    prompts: IntArray | None = None
    """The prompt of each item; items of two groups with the same prompt are a pair; (K,)."""

    @classmethod
    def of(
        cls,
        *,
        mean: npt.ArrayLike,
        variance: npt.ArrayLike,
        price_per_call: npt.ArrayLike,
        mask: npt.ArrayLike | None = None,
        score_range: tuple[float, float] = (0.0, 1.0),
        truth: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
        judge_names: Sequence[str] | None = None,
        groups: IntArray | None = None,
        prompts: IntArray | None = None,
    ) -> Instance:
        """A checked instance; the truth is the panel's mean unless another is given."""
        means = float_array("mean", mean)
        if means.ndim != 2:
            raise InputError("mean", f"shape {means.shape}", "give one mean per pair (K, J)")
        # Problem.of checks prices, weights, mask and range.
        problem = Problem.of(
            price_per_call,
            items=means.shape[0],
            score_range=score_range,
            weights=weights,
            mask=mask,
        )
        if judge_names is None:
            judge_names = [f"judge{number}" for number in range(1, problem.judges + 1)]
        return cls(
            price_per_call=problem.price_per_call,
            mask=problem.mask,
            score_range=problem.score_range,
            mean=means,
            variance=float_array("variance", variance),
            truth=panel_mean(means, problem.weights, problem.mask)
            if truth is None
            else float_array("truth", truth),
            weights=problem.weights,
            judge_names=tuple(judge_names),
            groups=groups,
            prompts=prompts,
        )

    def __post_init__(self) -> None:
        items, judges = self.price_per_call.shape
        for field in ("mean", "variance"):
            check_shape(field, getattr(self, field), (items, judges))
        check_not_negative("variance", self.variance)
        low, high = self.score_range
        inside = ((self.mean >= low) & (self.mean <= high)) | ~self.mask
        if not inside.all():
            item, judge = np.argwhere(~inside)[0]
            raise InputError(
                "mean",
                f"{self.mean[item, judge]} of item {item}, judge {judge}",
                f"every mean must lie in the score range, {low} to {high}",
            )
        check_shape("truth", self.truth, (items,))
        if not np.isfinite(self.truth).all():
            raise InputError("truth", "not finite for some item", "give one number per item")
        for field, labels in (("groups", self.groups), ("prompts", self.prompts)):
            if labels is not None:
                check_shape(field, labels, (items,))
        if len(self.judge_names) != judges or len(set(self.judge_names)) != judges:
            raise InputError(
                "judge_names",
                f"{', '.join(self.judge_names)}",
                f"give {judges} different names, one per judge",
            )

    def problem(self, *, norm: float = 2.0, confidence: float = 0.95) -> Problem:
        """The problem given to a strategy."""
        return Problem(
            price_per_call=self.price_per_call,
            norm=float(norm),
            score_range=self.score_range,
            confidence=float(confidence),
            weights=self.weights,
            mask=self.mask,
            exists=self.mask,
            groups=np.zeros(len(self.truth), np.int64) if self.groups is None else self.groups,
            yes_or_no=self.yes_or_no,
        )

    @property
    def yes_or_no(self) -> bool:
        """Whether all answers are at the two ends of the scale: variances are then maximal."""
        low, high = self.score_range
        largest = (self.mean - low) * (high - self.mean)
        same = np.isclose(self.variance, largest, rtol=1e-6, atol=1e-9 * (high - low) ** 2)
        return bool(same[self.mask].all())


def panel_mean(mean: FloatArray, weights: FloatArray, mask: BoolArray) -> FloatArray:
    r"""The score of each item if every judge were asked infinitely often; shape (K,).

    .. math:: t_k = \sum_{j\,\text{exists}} \pi_j \mu_{kj} \Big/ \sum_{j\,\text{exists}} \pi_j
    """
    if mask.all():
        return mean @ weights
    present = np.where(mask, weights, 0.0)
    total = present.sum(axis=1)
    if not (total > 0).all():
        raise InputError(
            "weights",
            f"item {int(np.argmin(total))} has only judges of weight 0",
            "let at least one judge of every item count",
        )
    scores: FloatArray = np.sum(present * np.where(mask, mean, 0.0), axis=1) / total
    return scores
