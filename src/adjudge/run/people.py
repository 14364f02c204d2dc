"""People's labels of a run's items; new labels keep every paid answer valid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from adjudge.core.arrays import FloatArray
from adjudge.core.labels import Labels
from adjudge.dataset.draws import Draw
from adjudge.judges import Scale
from adjudge.records import Item, Label


class Sampling(StrEnum):
    """How the labelled items were chosen; estimates of means depend on it."""

    DRAWN = "drawn"
    """Drawn by `adjudge label`, with known probabilities."""
    PARTLY = "partly"
    """Likewise, but some drawn items have no label yet: the labelled ones represent them."""
    RANDOM = "random"
    """At random, according to the user."""
    ASSUMED = "assumed"
    """Unknown; assumed to be a random sample."""
    ALL = "all"
    """All items are labelled."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class People:
    """The labels of a run."""

    labels: tuple[Label, ...]
    """One or more, all of items of the run; each rater labels an item once."""
    scale: Scale
    """The scale that people were given."""
    random: bool = False
    """Whether, according to the user, labels from elsewhere are of a random sample of the items."""
    draws: tuple[Draw, ...] = ()
    """The draws of `adjudge label`, oldest first."""

    @property
    def raters(self) -> int:
        """Number of raters."""
        return len({label.rater for label in self.labels})

    def sampling(self, items: int) -> Sampling:
        """How the labelled items were chosen; `items` is the number of items of the run."""
        labelled = {label.item for label in self.labels}
        if len(labelled) == items:
            return Sampling.ALL
        if self.random:
            return Sampling.RANDOM
        if not labelled <= (drawn := self.drawn):
            return Sampling.ASSUMED
        return Sampling.DRAWN if labelled == drawn else Sampling.PARTLY

    @property
    def drawn(self) -> set[str]:
        """The items of all draws with at least one label."""
        return {item for draw in self._answered for item in draw.items}

    def of_items(self, items: Sequence[Item]) -> Labels:
        """The labels as strategies see them, on the scale 0 to 1."""
        place = {item.id: k for k, item in enumerate(items)}
        rater = {name: i for i, name in enumerate(dict.fromkeys(x.rater for x in self.labels))}
        return Labels.of(
            [place[label.item] for label in self.labels],
            self.scale.in_unit(np.array([label.value for label in self.labels])),
            items=len(items),
            rater=[rater[label.rater] for label in self.labels],
            yes_or_no=self.scale.yes_or_no,
            inclusion=self._inclusion(items),
        )

    @property
    def _answered(self) -> tuple[Draw, ...]:
        """The draws with at least one label."""
        labelled = {label.item for label in self.labels}
        return tuple(draw for draw in self.draws if labelled & set(draw.items))

    def _inclusion(self, items: Sequence[Item]) -> FloatArray | None:
        r"""Each item's inclusion probability; None for a random sample.

        .. math:: 1 - (1 - n/K) \prod_t (1 - r_t \pi_{tk})

        over the draws t with labels. The n labels of K items from elsewhere count as a random
        sample of the items, and the labelled share :math:`r_t` of a draw as a random sample of it.
        """
        draws = self._answered
        if not draws:
            return None
        labelled = {label.item for label in self.labels}
        left_out = np.full(len(items), 1 - len(labelled - self.drawn) / len(items))
        for draw in draws:
            back = len(labelled & set(draw.items)) / len(draw.items)
            chance = np.array([draw.probability.get(item.id, 0.0) for item in items])
            left_out *= 1 - back * chance
        return 1 - left_out
