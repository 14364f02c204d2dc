"""Opening the judges before the first call, and closing them after the last."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from adjudge.errors import InputError, JudgeUnavailableError
from adjudge.judges import Judge
from adjudge.run.stop import Stop


@asynccontextmanager
async def opened(judges: Sequence[Judge], stop: Stop, *, salt: bytes = b"") -> AsyncIterator[None]:
    """Open all judges concurrently, and close them at the end.

    If a stop is requested, some may stay closed. If any fail to open, one error reports all
    failures, once every judge has been tried.
    """
    opening = [asyncio.create_task(judge.open(salt=salt)) for judge in judges]
    try:
        await _all_or_stopped(opening, stop)
        _raise_failures(opening)
        yield
    finally:
        for task in opening:
            task.cancel()
        await asyncio.gather(*opening, return_exceptions=True)
        for judge, task in zip(judges, opening, strict=True):
            if not task.cancelled() and task.exception() is None:
                await judge.close()


async def _all_or_stopped(opening: Sequence[asyncio.Task[None]], stop: Stop) -> None:
    asked_to_stop = asyncio.create_task(stop.wait())
    tried = asyncio.create_task(asyncio.wait(opening))
    await asyncio.wait([tried, asked_to_stop], return_when=asyncio.FIRST_COMPLETED)
    for task in (tried, asked_to_stop):
        task.cancel()
    await asyncio.gather(tried, asked_to_stop, return_exceptions=True)


def _raise_failures(opening: Sequence[asyncio.Task[None]]) -> None:
    done = (task for task in opening if task.done() and not task.cancelled())
    failures = [error for task in done if (error := task.exception()) is not None]
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise JudgeUnavailableError("\n".join(told_once(failures)))


def told_once(failures: Sequence[BaseException]) -> list[str]:
    """One sentence per failure; judges that lack the same thing share one."""
    told: dict[tuple[str, ...], list[str]] = {}
    for error in failures:
        if isinstance(error, InputError) and " of " in error.field:
            what, _, judge = error.field.partition(" of ")
            told.setdefault((what, f"{error.found}; {error.expected}"), []).append(judge)
        else:
            told.setdefault((str(error),), [])
    return [
        f"{said[0]} of {', '.join(judges)}: {said[1]}" if judges else said[0]
        for said, judges in told.items()
    ]
