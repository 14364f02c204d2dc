"""Progress display of a run: live on a terminal, otherwise a plain line every few seconds."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn
from rich.progress import Progress as Bar
from rich.text import Text

from adjudge.cli.screen import Screen
from adjudge.records import dollars
from adjudge.report.content import error_of_an_item
from adjudge.report.numbers import count_text
from adjudge.run import Plan, Progress

_SECONDS_BETWEEN_LINES = 10.0
"""Seconds between two progress lines if the output is no terminal."""

_FEW_SCORES = 40
"""Below this number of scores no error is shown."""

Watch = Callable[[Progress], None]


@contextmanager
def shown_progress(plan: Plan, *, quiet: bool) -> Iterator[Watch | None]:
    """A watcher that shows the progress of a run on standard error; None if nothing is shown."""
    if quiet:
        yield None
        return
    console = Screen(err=True)
    if not console.is_terminal:
        yield _Lines(console, plan)
        return
    with _TwoLines(
        TextColumn("{task.fields[spent]}"),
        BarColumn(bar_width=20),
        _Times(),
        console=console,
        transient=True,
        refresh_per_second=8,
    ) as bar:
        yield _Live(bar, plan)


class _TwoLines(Bar):
    """Money and time in the first line, calls in the second: both fit a narrow terminal."""

    def get_renderables(self) -> Iterable[RenderableType]:
        yield self.make_tasks_table(self.tasks)
        for task in self.tasks:
            yield Text(task.fields["counts"], no_wrap=True, overflow="ellipsis")


class _Times(ProgressColumn):
    """Elapsed time, and the time until the money is spent."""

    def render(self, task: Task) -> Text:
        left = None if task.fields["stopping"] else task.time_remaining
        return Text(times(task.elapsed or 0.0, left), style="dim")


class _Live:
    """Lines that are rewritten in place."""

    def __init__(self, bar: Bar, plan: Plan) -> None:
        self._bar = bar
        self._plan = plan
        self._stopping = _Stopping(bar.console, plan)
        self._task = bar.add_task(
            "", total=None, spent="opening the judges", counts="", stopping=False
        )

    def __call__(self, progress: Progress) -> None:
        self._stopping.tell(progress)
        self._bar.update(
            self._task,
            total=progress.budget,
            completed=progress.spent,
            spent=f"{dollars(progress.spent)} of {dollars(progress.budget)}",
            counts=counts(progress, self._plan),
            stopping=progress.stopping,
        )


class _Lines:
    """A new line every few seconds."""

    def __init__(self, console: Console, plan: Plan) -> None:
        self._console = console
        self._plan = plan
        self._stopping = _Stopping(console, plan)
        self._began = time.monotonic()
        self._next = self._began + _SECONDS_BETWEEN_LINES

    def __call__(self, progress: Progress) -> None:
        self._stopping.tell(progress)
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + _SECONDS_BETWEEN_LINES
        spent = f"{dollars(progress.spent)} of {dollars(progress.budget)}"
        line = f"{spent}, {counts(progress, self._plan)}, {times(now - self._began, None)}"
        self._console.print(line, highlight=False, soft_wrap=True)


class _Stopping:
    """Prints once what the run still waits for, as soon as a stop is requested."""

    def __init__(self, console: Console, plan: Plan) -> None:
        self._console = console
        self._grace = plan.grace
        self._told = False

    def tell(self, progress: Progress) -> None:
        """Print the message if a stop was requested; called with every progress."""
        if progress.stopping and not self._told:
            self._told = True
            self._console.print(
                stopping(progress.in_flight, self._grace), highlight=False, soft_wrap=True
            )


def stopping(in_flight: int, grace: float) -> str:
    """What a stopping run still waits for."""
    if not in_flight:
        return "stopping: no calls are under way"
    return (
        f"stopping: waiting for {count_text(in_flight, 'call')} under way, at most {grace:g} s; "
        "Ctrl-C again to stop now"
    )


def times(elapsed: float, left: float | None) -> str:
    """`elapsed 1:05, remaining about 0:20`; only the elapsed time if the other is unknown."""
    told = f"elapsed {_clock(elapsed)}"
    return told if left is None else f"{told}, remaining about {_clock(left)}"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def counts(progress: Progress, plan: Plan) -> str:
    """Calls, failures and the expected error of an item, in one line."""
    parts = [count_text(progress.calls, "call"), f"{progress.in_flight} in flight"]
    failures = {
        "without a score": progress.without_score,
        "refused": progress.refused,
        "lost": progress.lost,
    }
    parts += [f"{number:,} {what}" for what, number in failures.items() if number]
    error = error_of_an_item(progress.predicted_error, items=len(plan.items), norm=plan.norm)
    # Before about one score per item, the expected error is a guess that jumps with every answer.
    scored = progress.calls - progress.lost - progress.without_score
    if math.isfinite(error) and scored >= max(len(plan.items), _FEW_SCORES):
        parts.append(f"error {error:.3g}")
    return ", ".join(parts)
