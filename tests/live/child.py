"""A run in a process of its own, which a test can interrupt, starve or kill."""

from __future__ import annotations

import multiprocessing
import os
import resource
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from adjudge.core.strategies import Strategy, Uniform
from adjudge.errors import AdjudgeError
from adjudge.run import End, Plan, Result, run
from adjudge.store import Address, Settlement
from tests import hosts
from tests.live.support import HASTY, SCALE, openai_judge, some_items

# Children import this module by name, wherever the tests were started from.
_ROOT = str(Path(__file__).parents[2])
if _ROOT not in sys.path:
    sys.path.append(_ROOT)

# A server that forks: children start in milliseconds, and without the threads of the test.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["adjudge.run"])


@dataclass(frozen=True, kw_only=True)
class Task:
    """What the child is to run."""

    url: str
    ledger: Address
    budget: int
    items: int = 30
    judges: tuple[str, ...] = ("ann", "bob")
    concurrency: int = 8
    answers_per_request: int | None = 1
    timeout: float = 30.0
    connect_timeout: float = 2.0
    grace: float = 5.0
    largest_file: int | None = None
    user: int | None = None
    strategy: Strategy = field(default_factory=Uniform)
    host: Path | None = None
    """The host that it is on; see `tests.hosts`."""

    def plan(self) -> Plan:
        return Plan(
            items=some_items(self.items),
            judges=[
                openai_judge(
                    self.url,
                    name,
                    concurrency=self.concurrency,
                    answers_per_request=self.answers_per_request,
                    timeout=self.timeout,
                    connect_timeout=self.connect_timeout,
                )
                for name in self.judges
            ],
            scale=SCALE,
            strategy=self.strategy,
            patience=HASTY,
            grace=self.grace,
        )


@dataclass(frozen=True, kw_only=True)
class Report:
    """What the child says of its result."""

    end: End
    scores: list[float]
    scored: int
    presumed: int
    spent: int
    reserved: int
    reasons: tuple[str, ...]

    @classmethod
    def of(cls, result: Result) -> Report:
        return cls(
            end=result.end,
            scores=result.estimate.score.tolist(),
            scored=sum(judge.scored for judge in result.judges),
            presumed=len(result.presumed),
            spent=result.balance.spent,
            reserved=result.balance.reserved,
            reasons=tuple(call.reason.words for call in result.presumed if call.reason),
        )


class Child:
    """A running child."""

    def __init__(self, task: Task) -> None:
        self._pipe, theirs = _CONTEXT.Pipe()
        self.process: BaseProcess = _CONTEXT.Process(target=_play, args=(task, theirs))
        self.process.start()
        theirs.close()
        self.durable: set[int] = set()
        """Calls that the child said were settled on disk."""
        self.said: Any = None
        self._first_word = threading.Event()
        # All the time: a child must not wait until somebody listens.
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def wait_for_first_answer(self) -> None:
        """Return once it has settled a call on disk, or has ended."""
        assert self._first_word.wait(60)

    def kill(self) -> None:
        """As a power cut would."""
        self.process.kill()
        self.finish()

    def signal(self, number: signal.Signals) -> None:
        assert self.process.pid is not None
        os.kill(self.process.pid, number)

    def ended_within(self, seconds: float) -> bool:
        self.process.join(seconds)
        return self.process.exitcode is not None

    def finish(self) -> Any:
        """Wait for its end; the report or error text it sent last, None if it was killed."""
        self._listener.join()
        self.process.join()
        self.process.close()
        self._pipe.close()
        return self.said

    def _listen(self) -> None:
        try:
            while True:
                message = self._pipe.recv()
                if isinstance(message, list):
                    self.durable.update(message)
                else:
                    self.said = message
                self._first_word.set()
        except (EOFError, ConnectionResetError):
            self._first_word.set()


def heed_signals() -> None:
    """Undo what `nohup`, or a shell in the background, had the tests ignore."""
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _play(task: Task, pipe: Connection) -> None:
    heed_signals()
    if task.largest_file is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (task.largest_file, task.largest_file))
    if task.user is not None:
        os.setuid(task.user)
    if task.host is not None:
        hosts.enter(task.host)

    def tell(settled: Sequence[Settlement]) -> None:
        pipe.send([settlement.call for settlement in settled])

    try:
        pipe.send(Report.of(run(task.plan(), task.ledger, budget=task.budget, on_settled=tell)))
    except AdjudgeError as error:
        pipe.send(f"{type(error).__name__}: {error}")
