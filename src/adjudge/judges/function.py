"""A judge that is a Python function."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

from adjudge.errors import CallRefusedError, InputError
from adjudge.judges.description import PER_CALL, Description, Price, limit_settings
from adjudge.judges.function_identity import FunctionIdentity, function_identity
from adjudge.judges.judge import Limits, Quote
from adjudge.judges.reading import read_score
from adjudge.judges.scale import Scale
from adjudge.records import Cost, Item, Lost, Money, Outcome, Reason, Refused, Verdict

Answer: TypeAlias = float | int | str | None
"""A score, a text that holds one, or None for no score."""
JudgeFunction: TypeAlias = Callable[[Item], Answer | Awaitable[Answer]]

_FRAMES = 6
"""Of a traceback that is kept, those nearest to the error."""
_LONGEST = 4_000
"""Characters of a traceback that is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """Exceptions that a function raised."""

    count: int
    first: str
    """The traceback of the first, from the function on."""


def function_at(path: str) -> JudgeFunction:
    """The callable that `module:name` names; modules of the working folder are found too."""
    module_name, _, name = path.partition(":")
    if not module_name or not name:
        raise InputError("function", f"{path!r}", "give it as module:name")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module_name)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise InputError(
            "function", f"{path!r} ({error})", "name one that can be imported"
        ) from error
    if not callable(found):
        raise InputError("function", f"{path!r} is no function", "name a function of one item")
    return found  # type: ignore[no-any-return]


class FunctionJudge:
    """Asks a function, sync or async, for scores at a fixed price per call; see `Judge`.

    A sync function runs in a thread of its own. What it raises counts as a call that was paid,
    except `CallRefusedError`.
    """

    def __init__(
        self,
        name: str,
        function: JudgeFunction,
        *,
        scale: Scale,
        price: Money | None,
        version: str = "",
        limits: Limits | None = None,
        timeout: float = 120.0,
        deterministic: bool = False,
    ) -> None:
        if price is None:
            raise InputError(f"price of {name}", "none is given", "give one per call, 0 if free")
        self.name = name
        self.form = "function"
        """How it is made to answer."""
        self.limits = limits or Limits()
        self.reads: frozenset[str] | None = None
        self._function = function
        self.scale = scale
        self.repeats_itself = deterministic
        """Whether a second answer about an item is always the first; see `RepeatsItself`."""
        self._quote = Quote(most=Cost(input=price), likely=Cost(input=price))
        self._cost = Cost(input=price)
        self._version = version
        self._timeout = timeout
        self._known: FunctionIdentity | None = None
        self._drifted = False
        self.failures: Failures | None = None
        """What the function raised since this object was made; None if nothing."""

    @property
    def identity(self) -> str:
        """The judge's name and the function's code: a changed function is another judge.

        So is one whose helpers, closure or constants changed; see `unseen`.
        """
        path = getattr(self._function, "__qualname__", type(self._function).__qualname__)
        module = getattr(self._function, "__module__", "")
        place = self.name, module, path
        return repr(("function", *place, self._code.digest, self._version, self.scale))

    @property
    def unseen(self) -> tuple[str, ...]:
        """What answers may depend on and the identity does not show; for `version` to tell."""
        if self._version:
            return ()
        drift = ("what changed while it was asked",) if self._drifted else ()
        return (*self._code.unseen, *drift)

    def quote(self, item: Item) -> Quote:
        """The price per call."""
        return self._quote

    def preview(self, item: Item) -> str:
        """The item's fields."""
        return "\n".join(f"{name}: {value}" for name, value in item.fields.items())

    def describe(self, item: Item) -> Description:
        """The function by its name, and its price."""
        name = getattr(self._function, "__qualname__", type(self._function).__qualname__)
        module = getattr(self._function, "__module__", "")
        version = (("version", self._version),) if self._version else ()
        return Description(
            kind="Python function",
            settings=(("function", f"{module}:{name}"), *version, *limit_settings(self.limits)),
            prices=(Price(PER_CALL, self._cost.total),),
        )

    async def open(self, *, salt: bytes = b"") -> None:
        """Nothing to get ready."""

    async def score(self, item: Item) -> Outcome:
        """Call the function once."""
        try:
            async with asyncio.timeout(self._timeout):
                if inspect.iscoroutinefunction(self._function):
                    answer = await self._function(item)
                else:
                    answer = await _in_a_thread(self._function, item)
                    if inspect.isawaitable(answer):
                        answer = await answer
        except CallRefusedError as error:
            return Refused(reason=Reason.DOWN, detail=str(error))
        except TimeoutError:
            return Lost(reason=Reason.TIMED_OUT, detail=f"no answer within {self._timeout:g} s")
        except Exception as error:  # whatever a user's function raises
            return self._raised(error)
        return self._verdict(answer)

    async def close(self) -> None:
        """Nothing to let go of; see whether another process would take it for the same judge."""
        self._drifted = function_identity(self._function).digest != self._code.digest

    @property
    def _code(self) -> FunctionIdentity:
        # Looked at once: what calls change must not make it another judge on the way.
        if self._known is None:
            self._known = function_identity(self._function)
        return self._known

    def _raised(self, error: Exception) -> Lost:
        before = self.failures
        self.failures = Failures(
            count=1 if before is None else before.count + 1,
            first=_traceback_of(error) if before is None else before.first,
        )
        return Lost(reason=Reason.RAISED, detail=f"{type(error).__name__}: {error}"[:200])

    def _verdict(self, answer: object) -> Verdict:
        if isinstance(answer, str):
            reading = read_score(answer, self.scale)
            return Verdict(score=reading.score, cost=self._cost, reason=reading.reason, text=answer)
        if answer is None or isinstance(answer, bool):
            return Verdict(score=None, cost=self._cost, reason=Reason.UNREADABLE)
        try:
            score = float(answer)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            return Verdict(score=None, cost=self._cost, reason=Reason.UNREADABLE)
        if not self.scale.holds(score):
            return Verdict(score=None, cost=self._cost, reason=Reason.OUT_OF_RANGE)
        return Verdict(score=score, cost=self._cost)


def _traceback_of(error: Exception) -> str:
    """The error with the lines that led to it, from the function on."""
    frames: TracebackType | None = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    lines = traceback.format_exception(type(error), error, frames, limit=-_FRAMES)
    return "".join(lines).strip()[-_LONGEST:]


async def _in_a_thread(function: JudgeFunction, item: Item) -> object:
    """What the function returns; its thread does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[object] = loop.create_future()

    def tell(result: object, error: Exception | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(result)
        elif isinstance(error, StopIteration):
            done.set_exception(RuntimeError("StopIteration"))  # futures do not carry it
        else:
            done.set_exception(error)

    def work() -> None:
        result: object = None
        failure: Exception | None = None
        try:
            result = function(item)
        except Exception as error:
            failure = error
        except BaseException as error:  # of the thread, not of the run: SystemExit and the like
            failure = RuntimeError(f"{type(error).__name__}: {error}")
        try:
            loop.call_soon_threadsafe(tell, result, failure)
        except RuntimeError:
            return  # the loop has ended, and with it everyone who waited

    threading.Thread(target=work, name="adjudge-function", daemon=True).start()
    return await done
