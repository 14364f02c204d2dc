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
    """Everything that a run file says of labels."""

    file: Path | None
    """The file that the run file names."""
    kept: Path
    """Where `adjudge label --import` keeps labels; it need not be there."""
    draws: Path
    """Where `adjudge label` keeps what it drew; it need not be there."""
    scale: Scale
    """That of people."""
    random: bool
    """Whether the user says that labels from elsewhere are of a random sample."""
    count: bool
    """Whether scores are on the people's scale if there are labels and the strategy can do it."""

    def people(
        self,
        items: Sequence[Item],
        *,
        some: bool,
        imported: bool = True,
        rows: Sequence[object] = (),
    ) -> People | None:
        """What people say of these items; None if nothing.

        `some` is whether the items may be a part of those that are labelled. Without `imported`
        only the items, the user's own file and the given `rows` count.
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
    """The items as judges get to see them."""
    return [item if item.label is None else replace(item, label=None) for item in items]
