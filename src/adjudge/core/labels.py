"""People's ratings of items."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import BoolArray, FloatArray, IntArray, check_shape, float_array
from adjudge.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labels:
    """People's ratings of items, on their own scale.

    Several raters may have rated an item; their mean is the item's label.
    """

    item: IntArray
    """The item of each rating, from 0 to K - 1; shape (R,)."""
    rater: IntArray
    """The rater of each rating, from 0; shape (R,)."""
    value: FloatArray
    """The ratings, within the scale; shape (R,)."""
    items: int
    """K."""
    scale: tuple[float, float]
    """Lowest and highest possible rating."""
    yes_or_no: bool = False
    """Whether only the two ends of the scale are possible."""
    inclusion: FloatArray | None = None
    """Inclusion probability of each item, if known; shape (K,).

    None treats the labelled items as a simple random sample. Items that were certain to be labelled
    have 1; after rounds of probabilities p and q the probability is 1 - (1 - p)(1 - q).
    """

    @classmethod
    def of(
        cls,
        item: npt.ArrayLike,
        value: npt.ArrayLike,
        *,
        items: int,
        scale: tuple[float, float] = (0.0, 1.0),
        rater: npt.ArrayLike | None = None,
        yes_or_no: bool = False,
        inclusion: npt.ArrayLike | None = None,
    ) -> Labels:
        """Checked labels; without `rater`, all are by one rater."""
        where = np.asarray(item, np.int64)
        return cls(
            item=where,
            rater=np.zeros_like(where) if rater is None else np.asarray(rater, np.int64),
            value=float_array("label", value),
            items=int(items),
            scale=(float(scale[0]), float(scale[1])),
            yes_or_no=yes_or_no,
            inclusion=None if inclusion is None else float_array("inclusion", inclusion),
        )

    def __post_init__(self) -> None:
        check_shape("label", self.value, self.item.shape)
        check_shape("rater", self.rater, self.item.shape)
        low, high = self.scale
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise InputError(
                "label scale", f"{low} to {high}", "low must be below high, both finite"
            )
        outside = self.item[(self.item < 0) | (self.item >= self.items)]
        if outside.size:
            raise InputError("label", f"item {outside[0]}", f"items are 0 to {self.items - 1}")
        off = ~((self.value >= low) & (self.value <= high))
        if off.any():
            k = int(np.argmax(off))
            raise InputError(
                "label",
                f"{self.value[k]} of item {self.item[k]}",
                f"every label must lie within {low:g} to {high:g}",
            )
        pairs = np.stack([self.item, self.rater])
        if np.unique(pairs, axis=1).shape[1] < self.item.size:
            raise InputError("label", "a rater rated an item twice", "give each rating once")
        if self.inclusion is not None:
            check_shape("inclusion", self.inclusion, (self.items,))
            chance = self.inclusion[self.labelled]
            if not ((chance > 0) & (chance <= 1)).all():
                raise InputError(
                    "inclusion",
                    "a labelled item has no probability",
                    "give one above 0 and at most 1",
                )

    @property
    def n(self) -> IntArray:
        """Number of ratings of each item; shape (K,)."""
        return np.bincount(self.item, minlength=self.items)

    @property
    def mean(self) -> FloatArray:
        """Each item's label, the mean of its ratings; nan without ratings; shape (K,)."""
        n = self.n
        total = np.bincount(self.item, self.value, minlength=self.items)
        unknown = np.full(self.items, np.nan)
        mean: FloatArray = np.divide(total, n, out=unknown, where=n > 0)
        return mean

    @property
    def is_labelled(self) -> BoolArray:
        """Which items have a label; shape (K,)."""
        labelled: BoolArray = self.n > 0
        return labelled

    @property
    def labelled(self) -> IntArray:
        """The items that have a label."""
        return np.flatnonzero(self.is_labelled)

    @property
    def odds_of_no_label(self) -> FloatArray:
        r"""Odds that an item has no label, :math:`(1 - \pi)/\pi`; shape (K,).

        1 for all items if probabilities are unknown; infinite for items that could not be labelled.
        """
        if self.inclusion is None:
            return np.ones(self.items)
        unknown = np.full(self.items, np.inf)
        odds: FloatArray = np.divide(
            1 - self.inclusion, self.inclusion, out=unknown, where=self.inclusion > 0
        )
        return odds

    @property
    def noise(self) -> float:
        r"""Variance of one rating around its item's expected label.

        .. math:: \sum_{ki} (x_{ki} - \bar x_k)^2 / \sum_k (n_k - 1)

        0 if no item was rated twice: a single rating is taken as exact.
        """
        repeats = self.item.size - self.labelled.size
        if not repeats:
            return 0.0
        return float(((self.value - self.mean[self.item]) ** 2).sum()) / repeats

    @property
    def width(self) -> float:
        """Length of the scale."""
        return self.scale[1] - self.scale[0]

    def unit(self, values: FloatArray) -> FloatArray:
        """Values mapped from the label scale to 0 to 1."""
        return (values - self.scale[0]) / self.width

    def part(self, items: IntArray | BoolArray) -> Labels:
        """The labels of some items, renumbered from 0."""
        chosen = np.arange(self.items)[items]
        place = np.full(self.items, -1)
        place[chosen] = np.arange(chosen.size)
        kept = place[self.item] >= 0
        return replace(
            self,
            item=place[self.item[kept]],
            rater=self.rater[kept],
            value=self.value[kept],
            items=chosen.size,
            inclusion=None if self.inclusion is None else self.inclusion[chosen],
        )
