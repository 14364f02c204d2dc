"""The code of a Ray actor: one judge, asked by the process that has the ledger."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from adjudge.errors import AdjudgeError
from adjudge.judges import AnswersSeveral, Failures, FunctionJudge, Judge
from adjudge.records import Item, Outcome
from adjudge.run.asking import answers
from adjudge.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request to a replica."""

    items: tuple[Item, ...]
    """One item, or a batch for a function."""
    count: int = 1
    """Number of answers, if there is one item."""
    repeated: bool = False
    """Whether other requests about the same item are sent soon before or after it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """How the calls of a request ended."""

    outcomes: tuple[Outcome, ...]
    several: int = 1
    """Number of answers that one request may ask for from now on."""
    failures: Failures | None = None
    """The function's exceptions."""


class Replica:
    """One judge in its own process; Ray can create this small object at once.

    `open` does the slow part. Methods return errors as text: Ray would have to pickle an exception
    with everything that it refers to.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        sys.path[:0] = [folder for folder in folders if folder not in sys.path]
        self._judge: Judge | None = None

    async def version(self) -> str:
        """The version of adjudge in this process; a reply also shows that the process is alive."""
        return __version__

    async def open(self, judge: bytes, salt: bytes) -> tuple[str, str]:
        """Open the judge; returns its identity here, and the error if there was one."""
        try:
            found: Judge = pickle.loads(judge)
            identity = found.identity
            await found.open(salt=salt)
        except AdjudgeError as error:
            return "", str(error)
        except Exception as error:  # for example, the user's modules differ on this machine
            return "", f"{type(error).__name__}: {str(error)[:200]}"
        self._judge = found
        return identity, ""

    async def ask(self, request: bytes) -> Reply:
        """Make the calls of one request."""
        judge, asked = self._judge, pickle.loads(request)
        assert judge is not None
        assert isinstance(asked, Request)
        outcomes: Sequence[Outcome]
        if isinstance(judge, FunctionJudge):
            outcomes = await judge.score_batch(asked.items)
        else:
            item, count = asked.items[0], asked.count
            outcomes = await answers(judge, item, count, repeated=asked.repeated)
        several = judge.answers_per_request if isinstance(judge, AnswersSeveral) else 1
        failures = None
        if isinstance(judge, FunctionJudge):
            failures, judge.failures = judge.failures, None
        return Reply(outcomes=tuple(outcomes), several=several, failures=failures)
