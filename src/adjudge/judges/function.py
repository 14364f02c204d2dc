"""A judge that is a Python function."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import sys
import traceback
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias

from adjudge.errors import CallRefusedError, InputError, JudgeUnavailableError
from adjudge.judges import function_thread
from adjudge.judges.description import PER_CALL, Description, Price, limit_settings
from adjudge.judges.function_identity import FunctionIdentity, function_identity
from adjudge.judges.function_thread import in_a_thread
from adjudge.judges.judge import Limits, Quote
from adjudge.judges.reading import read_score
from adjudge.judges.scale import Scale
from adjudge.records import Cost, Item, Lost, Money, Outcome, Reason, Refused, Verdict

JudgeFunction: TypeAlias = Callable[[Any], Any]
"""A function of an item, or of a list of items if there is a batch size; sync or async. A class is
instantiated, without arguments, when its judge is opened."""

_FRAMES = 6
"""Number of frames kept of a traceback, nearest to the error."""
_LONGEST = 4_000
"""Number of characters kept of a traceback."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replicas:
    """The processes that hold a function during a run on a cluster."""

    count: int = 1
    num_gpus: float = 0.0
    """GPUs per process; a fraction of one is shared."""
    batch_size: int | None = None
    """Maximum number of items per call: the function gets a list of items and returns as many
    answers; None for a function of one item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """Exceptions that a function raised."""

    count: int
    first: str
    """The traceback of the first, starting at the function."""


def function_at(path: str) -> JudgeFunction:
    """The callable at `module:name`; modules in the working folder are found too."""
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
    if isinstance(found, type) and not any("__call__" in vars(one) for one in found.__mro__):
        raise InputError(
            "function", f"{path!r} is a class without __call__", "define __call__(self, item) in it"
        )
    return found  # type: ignore[no-any-return]


class FunctionJudge:
    """Asks a function, sync or async, for scores at a fixed price per call; see `Judge`.

    A sync function runs in its own thread. A call that raises counts as paid, except for
    `CallRefusedError`. With a `path`, such as `module:name`, the judge can be sent to processes
    that can import the module: the path is pickled, not the function.
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
        replicas: Replicas | None = None,
        path: str | None = None,
        deterministic: bool = False,
    ) -> None:
        if price is None:
            raise InputError(f"price of {name}", "none is given", "give one per call, 0 if free")
        self.name = name
        self.form = "function"
        """The form of the answers; see `form_of`."""
        self.limits = limits or Limits()
        self.reads: frozenset[str] | None = None
        self.replicas = replicas or Replicas()
        self.timeout = timeout
        """Seconds allowed for a call or a batch."""
        self._path = path
        self._function = function
        self._made: JudgeFunction | None = None
        """The instance of a class, which is called in its place; None before it is made."""
        self.scale = scale
        self.repeats_itself = deterministic
        """Whether all answers about an item are the same; see `RepeatsItself`."""
        self._quote = Quote(most=Cost(input=price), likely=Cost(input=price))
        self._cost = Cost(input=price)
        self._version = version
        self._known: FunctionIdentity | None = None
        self._drifted = False
        self.failures: Failures | None = None
        """Exceptions since this object was made; None if there were none."""

    @property
    def identity(self) -> str:
        """The judge's name and the function's code: a changed function is another judge.

        The same holds for changed helpers, closures or constants; see `unseen`.
        """
        path = getattr(self._function, "__qualname__", type(self._function).__qualname__)
        module = getattr(self._function, "__module__", "")
        place = self.name, module, path
        return repr(("function", *place, self._code.digest, self._version, self.scale))

    @property
    def unseen(self) -> tuple[str, ...]:
        """Possible influences on answers that the identity does not cover; `version` must."""
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
        """The function's name and price."""
        name = getattr(self._function, "__qualname__", type(self._function).__qualname__)
        module = getattr(self._function, "__module__", "")
        version = (("version", self._version),) if self._version else ()
        return Description(
            kind="Python function",
            settings=(("function", f"{module}:{name}"), *version, *limit_settings(self.limits)),
            prices=(Price(PER_CALL, self._cost.total),),
        )

    def __getstate__(self) -> dict[str, object]:
        if self._path is None:
            raise TypeError(f"the function of {self.name} has no path")
        # The receiving process finds the function and its identity by itself.
        own = {"_function": None, "_made": None, "_known": None, "failures": None}
        return {**self.__dict__, **own}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._function = function_at(state["_path"])

    async def open(self, *, salt: bytes = b"") -> None:
        """Instantiate a class; do nothing for a function."""
        if not isinstance(self._function, type):
            return
        made: type[Any] = self._function
        try:
            self._made = await in_a_thread(lambda _: made(), None)  # type: ignore[assignment]
        except Exception as error:  # whatever a user's class raises
            raise JudgeUnavailableError(
                f"{self.name}: {made.__qualname__}() raised {type(error).__name__}: "
                f"{str(error)[:200]}"
            ) from error

    async def score(self, item: Item) -> Outcome:
        """Call the function once."""
        return (await self.score_batch([item]))[0]

    async def score_batch(self, items: Sequence[Item]) -> list[Outcome]:
        """Call the function once for all items; a function of one item gets a single item."""
        together = self.replicas.batch_size is not None
        limit = asyncio.timeout(self.timeout)
        try:
            async with limit:
                answer = await self._answer([*items] if together else items[0])
            answers = _one_each(answer, len(items)) if together else [answer]
        except CallRefusedError as error:
            return [Refused(reason=Reason.DOWN, detail=str(error))] * len(items)
        except TimeoutError as error:
            if not limit.expired():  # raised by the function, as by a socket
                return [self._raised(error)] * len(items)
            detail = f"no answer within {self.timeout:g} s"
            return [Lost(reason=Reason.TIMED_OUT, detail=detail)] * len(items)
        except Exception as error:  # whatever a user's function raises
            return [self._raised(error)] * len(items)
        return [self._verdict(one) for one in answers]

    async def _answer(self, argument: object) -> object:
        function = self._made or self._function
        if inspect.iscoroutinefunction(function):
            return await function(argument)
        answer = await in_a_thread(function, argument)
        return await answer if inspect.isawaitable(answer) else answer

    async def close(self) -> None:
        """Release the instance, and check whether calls changed the function's identity."""
        self._made = None
        self._drifted = function_identity(self._function).digest != self._code.digest

    def hear(self, failures: Failures) -> None:
        """Add the exceptions that the function raised in another process."""
        before = self.failures
        self.failures = Failures(
            count=failures.count + (0 if before is None else before.count),
            first=failures.first if before is None else before.first,
        )

    @property
    def _code(self) -> FunctionIdentity:
        # Computed once: changes by calls must not make it another judge during a run.
        if self._known is None:
            self._known = function_identity(self._function)
        return self._known

    def _raised(self, error: Exception) -> Lost:
        self.hear(Failures(count=1, first="" if self.failures else _traceback_of(error)))
        return Lost(reason=Reason.RAISED, detail=f"{type(error).__name__}: {error}"[:200])

    def _verdict(self, answer: object) -> Verdict:
        if isinstance(answer, str):
            reading = read_score(answer, self.scale)
            return Verdict(score=reading.score, cost=self._cost, reason=reading.reason, text=answer)
        if answer is None or isinstance(answer, bool):
            return self._without_score(Reason.UNREADABLE, str(answer))
        try:
            score = float(answer)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            kind = type(answer).__name__
            return self._without_score(Reason.UNREADABLE, f"an object of type {kind}")
        if not self.scale.holds(score):
            return self._without_score(Reason.OUT_OF_RANGE, f"{score:.6g}")
        return Verdict(score=score, cost=self._cost)

    def _without_score(self, reason: Reason, text: str) -> Verdict:
        return Verdict(score=None, cost=self._cost, reason=reason, text=text)


def _traceback_of(error: Exception) -> str:
    """The traceback, starting at the function."""
    frames: TracebackType | None = error.__traceback__
    ours = (__file__, function_thread.__file__)
    while frames is not None and frames.tb_frame.f_code.co_filename in ours:
        frames = frames.tb_next
    lines = traceback.format_exception(type(error), error, frames, limit=-_FRAMES)
    return "".join(lines).strip()[-_LONGEST:]


def _one_each(answer: object, count: int) -> list[object]:
    """The answers of a batch, one per item."""
    if isinstance(answer, str | bytes) or not isinstance(answer, Iterable):
        found = f"a {type(answer).__name__}"
    else:
        answers = list(answer)
        if len(answers) == count:
            return answers
        found = "1 answer" if len(answers) == 1 else f"{len(answers)} answers"
    raise ValueError(f"returned {found} for a batch of {count} items, not a list of {count}")
