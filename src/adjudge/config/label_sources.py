"""Sources of a run's labels: the items, a file of the user's, or an import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from adjudge.dataset import joined_labels, labels_of, read_labels
from adjudge.dataset.draws import read_draws
from adjudge.judges import Scale
from adjudge.records import Item, Label
from adjudge.run import People, label_reading


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelSources:
    """A run file's settings for labels."""

    file: Path | None
    """The file that the run file names."""
    kept: Path
    """File in which `adjudge label --import` keeps labels; it may not exist."""
    draws: Path
    """File in which `adjudge label` keeps its draws; it may not exist."""
    scale: Scale
    """The people's scale."""
    random: bool
    """Whether, according to the user, labels from elsewhere are of a random sample."""
    count: bool
    """Whether scores are on the people's scale if there are labels and the strategy allows it."""

    def people(
        self,
        items: Sequence[Item],
        *,
        some: bool,
        imported: bool = True,
        rows: Sequence[object] = (),
    ) -> People | None:
        """People's labels of these items; None if there are none.

        With `some`, labels of other items are allowed. Without `imported`, only labels in the
        items, in the user's own file and in `rows` count.
        """
        own = [Label(item=item.id, value=item.label) for item in items if item.label is not None]
        sources: list[tuple[str, Sequence[Label]]] = [("the items", own)]
        ids = {item.id for item in items}
        reading = label_reading(self.scale)
        sources.append(("labels", labels_of(rows, reading=reading, items=ids)))
        kept = self.kept if imported and self.kept.exists() else None
        for path in (self.file, kept):
            if path is not None:
                found = read_labels(path, reading=reading, items=ids, strangers=some)
                sources.append((path.name, found))
        labels = joined_labels(sources)
        if not labels:
            return None
        draws = read_draws(self.draws) if imported else ()
        return People(labels=labels, scale=self.scale, random=self.random, draws=draws)


def without_labels(items: Sequence[Item]) -> list[Item]:
    """The items without their labels, which judges must not see."""
    return [item if item.label is None else replace(item, label=None) for item in items]
