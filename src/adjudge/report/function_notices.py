"""Notices on judges that are functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from adjudge.judges import FunctionJudge, Judge
from adjudge.report.content import Notice, ReportContent, Weight
from adjudge.report.numbers import count_text, listed


def function_notices(judges: Iterable[Judge]) -> Iterator[Notice]:
    """Notices on exceptions of judge functions, and on what their identities do not cover."""
    for judge in judges:
        if not isinstance(judge, FunctionJudge):
            continue
        if judge.failures is not None:
            yield Notice(
                weight=Weight.TROUBLE,
                text=f"{judge.name} raised {count_text(judge.failures.count, 'exception')}; each "
                f"is a call that counts as paid and has no score. The first:\n"
                f"{judge.failures.first}",
            )
        if judge.unseen:
            unseen = listed(list(judge.unseen), most=5)
            yield Notice(
                weight=Weight.NOTE,
                text=f"Answers of {judge.name} are used again while its code and constants stay "
                f"the same. Python cannot compare {unseen}: if that changes what it answers, give "
                'another version, as version="2".',
            )


def with_notices(content: ReportContent, further: Iterable[Notice]) -> ReportContent:
    """The content with these notices added, the most serious first."""
    weights = list(Weight)
    notices = sorted([*content.notices, *further], key=lambda notice: weights.index(notice.weight))
    return replace(content, notices=tuple(notices))
