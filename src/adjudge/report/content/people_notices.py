"""Notices to read before trusting scores on the people's scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adjudge.core.panel import PanelEstimate
from adjudge.report.content.people_values import PeopleCard
from adjudge.report.content.values import GroupLine, Notice, Weight
from adjudge.report.numbers import listed
from adjudge.run import Result, Sampling

NO_LABELS = (
    "Scores on the people's scale are asked for (`labels` or `target: reference` in the run file), "
    "but no item has a label, so scores are the panel's own: label some items (`adjudge label -n "
    "20` draws them), or say `target: panel`."
)


def people_notices(
    people: PeopleCard | None, groups: Sequence[GroupLine], result: Result
) -> Iterator[Notice]:
    """Notices on how labelled items were chosen, on the labels' limits, or on missing labels."""
    if people is None:
        if result.lacks_labels:
            yield Notice(weight=Weight.CAUTION, text=NO_LABELS)
        return
    if not isinstance(result.estimate, PanelEstimate):
        yield Notice(
            weight=Weight.NOTE,
            text="People's labels do not count with this strategy: they do with the panel's.",
        )
        return
    if not people.anchored:
        yield Notice(
            weight=Weight.NOTE,
            text="Scores are the panel's own, as the run file says (`target`); people's labels say "
            "how far it agrees with them.",
        )
    elif people.sampling == Sampling.ASSUMED:
        yield Notice(
            weight=Weight.CAUTION,
            text=f"{people.sampling_words} Say `labels: {{random_sample: true}}` if they are one, "
            "or let `adjudge label` draw them.",
        )
    elif people.sampling == Sampling.PARTLY:
        yield Notice(
            weight=Weight.CAUTION,
            text=f"{people.sampling_words} Label the others too, and import them.",
        )
    lent = [group.name for group in groups if group.lent]
    if lent:
        which = "has" if len(lent) == 1 else "have"
        yield Notice(
            weight=Weight.CAUTION,
            text=f"{listed(lent)} {which} fewer than two labels: what people say there is taken "
            "from labels of the other groups. `adjudge label` draws more.",
        )
