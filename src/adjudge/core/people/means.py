"""Means and differences of what people say, valid whatever the model gets wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy.typing as npt

from adjudge.core.estimate import Estimate
from adjudge.core.panel.groups import GroupMean


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleMean(GroupMean):
    """A mean, or a difference of means, of what people say."""

    labelled: int
    """Labelled items that it rests on."""
    lent: bool
    """Whether it rests on labels of other groups, since it has fewer than two of its own."""
    tuning: float
    """How much the predictions count: 0 labels alone, 1 fully."""
    labels_alone_error: float
    """Standard error that the labels alone would have; nan if there are fewer than two."""

    @property
    def worth_of_a_label(self) -> float:
        """Labels without judges that one label with judges is worth."""
        return (self.labels_alone_error / self.standard_error) ** 2


def group_mean(
    estimate: Estimate, members: npt.ArrayLike, *, population: bool = False
) -> GroupMean:
    """The mean of these items: people's, if the estimate is theirs."""
    raise NotImplementedError


def difference(
    estimate: Estimate, first: npt.ArrayLike, second: npt.ArrayLike, *, population: bool = False
) -> GroupMean:
    """Mean of the first group minus mean of the second, which have no item in common."""
    raise NotImplementedError


def paired_difference(
    estimate: Estimate, first: npt.ArrayLike, second: npt.ArrayLike, *, population: bool = False
) -> GroupMean:
    """Mean of first minus second over pairs of items, such as two systems' answers to a prompt."""
    raise NotImplementedError
