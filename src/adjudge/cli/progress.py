"""What a run shows while it runs: a live line on a terminal, now and then a plain one elsewhere."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from adjudge.cli.screen import Screen
from adjudge.records import dollars
from adjudge.report.content import error_of_an_item
from adjudge.run import Plan, Progress

_SECONDS_BETWEEN_LINES = 10.0
"""How often a run that is not watched on a terminal says how far it is."""

Watch = Callable[[Progress], None]


@contextmanager
def shown_progress(plan: Plan, *, quiet: bool) -> Iterator[Watch | None]:
    """What to call with the progress of a run, for as long as it is shown; on standard error."""
    if quiet:
        yield None
        return
    console = Screen(err=True)
    if not console.is_terminal:
        yield _Lines(console, plan)
        return
    with Bar(
        TextColumn("{task.fields[spent]}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[counts]}"),
        TimeElapsedColumn(),
        TextColumn("left", style="dim"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        refresh_per_second=8,
    ) as bar:
        yield _Line(bar, plan)


class _Line:
    """One line, rewritten in place."""

    def __init__(self, bar: Bar, plan: Plan) -> None:
        self._bar = bar
        self._plan = plan
        self._task = bar.add_task("", total=None, spent="opening the judges", counts="")

    def __call__(self, progress: Progress) -> None:
        self._bar.update(
            self._task,
            total=progress.budget,
            completed=progress.spent,
            spent=f"{dollars(progress.spent)} of {dollars(progress.budget)}",
            counts=counts(progress, self._plan),
        )


class _Lines:
    """A new line every few seconds, and at the end."""

    def __init__(self, console: Console, plan: Plan) -> None:
        self._console = console
        self._plan = plan
        self._next = time.monotonic() + _SECONDS_BETWEEN_LINES

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _SECONDS_BETWEEN_LINES
        spent = f"{dollars(progress.spent)} of {dollars(progress.budget)}"
        self._console.print(
            f"{spent}, {counts(progress, self._plan)}", highlight=False, soft_wrap=True
        )


def counts(progress: Progress, plan: Plan) -> str:
    """Calls, failures and the error of an item to expect, in a line."""
    parts = [f"{progress.calls:,} calls", f"{progress.in_flight} in flight"]
    failures = {
        "without a score": progress.without_score,
        "refused": progress.refused,
        "lost": progress.lost,
    }
    parts += [f"{number:,} {what}" for what, number in failures.items() if number]
    error = error_of_an_item(progress.predicted_error, items=len(plan.items), norm=plan.norm)
    if math.isfinite(error):
        parts.append(f"error {error:.3g}")
    return ", ".join(parts)
