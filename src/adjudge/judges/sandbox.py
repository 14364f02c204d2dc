"""A Jinja sandbox for prompt templates: no randomness, and every step counted.

Templates come from run files, which people share. They have no access to Python's objects. One
rendering is bounded by counted work, not by a clock, so it ends the same way on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, KeysView, Mapping, ValuesView
from collections.abc import ItemsView as Items
from decimal import Decimal
from typing import Any

import jinja2
from jinja2.runtime import Context, LoopContext, Macro, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.utils import Cycler, Joiner, Namespace

WORK = "work of this rendering"
"""The variable that holds the `Work` of a rendering; templates cannot name it."""
_MOST_WORK = 100_000_000
"""Maximum characters that one rendering may read and write; each step counts as `STEP`."""
STEP = 300
_LARGEST_NUMBER = 4096
"""Maximum bits of a whole number."""
_WIDEST = 999
"""Maximum characters that a number may be padded to."""

_FILTERS = frozenset(
    {
        "abs", "batch", "capitalize", "count", "d", "default", "dictsort", "first", "float",
        "format", "groupby", "indent", "int", "items", "join", "last", "length", "list", "lower",
        "map", "max", "min", "reject", "rejectattr", "replace", "reverse", "round", "select",
        "selectattr", "slice", "sort", "string", "sum", "title", "tojson", "trim", "truncate",
        "unique", "upper", "wordcount",
    }
)  # fmt: skip
_METHODS = frozenset(
    {
        "capitalize", "casefold", "count", "endswith", "find", "get", "index", "isalnum",
        "isalpha", "isdecimal", "isdigit", "isnumeric", "isoformat", "isspace", "items", "join",
        "keys", "lower", "lstrip", "partition", "removeprefix", "removesuffix", "replace", "rfind",
        "rindex", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip",
        "swapcase", "title", "upper", "values",
    }
)  # fmt: skip
_GLOBALS = ("cycler", "dict", "joiner", "namespace", "range")
_WITH_METHODS = (Cycler, Joiner, LoopContext, Macro, Namespace)
_CONVERSION = re.compile(r"%[-#0 +]*(\(|\*|\d*)(?:\.(\*|\d*))?")


class TooMuchWorkError(jinja2.TemplateRuntimeError):
    """A rendering would take more time or memory than any prompt needs."""


class Work:
    """The work that one rendering may still do."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        self._left = _MOST_WORK

    def spend(self, amount: int) -> None:
        """Count this amount; raise TooMuchWorkError if nothing is left."""
        self._left -= amount
        if self._left < 0:
            raise TooMuchWorkError("takes too much time or memory")

    def read(self, value: object, *, text: bool = False) -> None:
        """Count a value with all its elements; with `text`, refuse values without a text form."""
        if isinstance(value, (str, bytes)):  # a union type would take twice as long
            self.spend(len(value))
        elif isinstance(value, list | tuple):
            self.spend(STEP * (1 + len(value)))
            for part in value:
                self.read(part, text=text)
        elif isinstance(value, Mapping):
            self.spend(STEP * (1 + len(value)))
            for key, part in value.items():
                self.read(key, text=text)
                self.read(part, text=text)
        elif isinstance(value, range):
            self.spend(STEP * len(value))
        elif isinstance(value, int):
            if value.bit_length() > _LARGEST_NUMBER:
                raise TooMuchWorkError("computes with a number that is too large")
        elif text and _has_no_text(value):
            raise TypeError(f"a {type(value).__name__} is not text")

    def result(self, value: object) -> object:
        """The counted result of a function; an iterator is consumed first."""
        if isinstance(value, Iterator | KeysView | ValuesView | Items):
            pieces = []
            for piece in value:
                self.spend(STEP)
                pieces.append(piece)
            value = pieces
        elif isinstance(value, str):
            value = str.__str__(value)  # Markup has other methods
        self.read(value)
        return value

    def times(self, value: object, number: int) -> None:
        """Count a value `number` times."""
        before = self._left
        self.read(value)
        self.spend((before - self._left) * max(number, 0))


def _has_no_text(value: object) -> bool:
    """Whether its text would contain a memory address, which differs between processes."""
    if isinstance(value, Undefined):
        return False
    unnamed = type(value).__str__ is object.__str__ and type(value).__repr__ is object.__repr__
    return unnamed or callable(value) or isinstance(value, Iterator | Namespace)


def work_of(context: Context) -> Work:
    """The work of the current rendering."""
    work: Work = context.parent[WORK]
    return work


class Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox, with operators, functions, methods, filters and tests that count."""

    intercepted_binops = frozenset({"+", "-", "*", "/", "//", "%", "**"})

    def __init__(self) -> None:
        super().__init__(
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            finalize=_shown,
        )
        self.globals = {name: self.globals[name] for name in _GLOBALS}
        self.filters = {name: _filter(name) for name in _FILTERS} | _OWN_FILTERS
        self.tests = {name: _test(name) for name in _PLAIN.tests}
        self.tests["defined"] = _is_defined

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """Count the operands and an upper bound of the result before computing it."""
        work = work_of(context)
        work.spend(STEP)
        work.read(left)
        work.read(right)
        numbers = isinstance(left, int) and isinstance(right, int)
        if operator == "**" and numbers and left.bit_length() * right > _LARGEST_NUMBER:
            raise TooMuchWorkError("computes with a number that is too large")
        if operator == "*" and not numbers:
            for value, number in ((left, right), (right, left)):
                if isinstance(number, int) and not isinstance(value, float):
                    work.times(value, number)
        if operator == "%" and isinstance(left, str):
            work.read(right, text=True)
            work.spend(_padding(left))
        return super().call_binop(context, operator, left, right)

    def call(__self, __context: Context, __obj: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N805
        """Count the arguments and the result of a function or method."""
        work = work_of(__context)
        work.spend(STEP)
        owner = getattr(__obj, "__self__", None)
        name = getattr(__obj, "__name__", "")
        for value in (owner, *args, *kwargs.values()):
            work.read(value)
        if isinstance(owner, str) and name == "replace":
            _replaced(work, owner, *args)
        if isinstance(owner, str) and name == "join":
            _joined(work, args[0] if args else (), owner)
        return work.result(super().call(__context, __obj, *args, **kwargs))

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Whether it is a method whose output is not much larger than its input."""
        if callable(value) and attr not in _METHODS and not isinstance(obj, _WITH_METHODS):
            return False
        return super().is_safe_attribute(obj, attr, value)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """None: `str.format` is not an allowed method."""
        return None

    def getitem(self, obj: Any, argument: Any) -> Any:
        """The element for a text or a number; other keys are refused as slow to compare."""
        if not isinstance(argument, str | int):
            return self.undefined(obj=obj, name=argument)
        return super().getitem(obj, argument)


@jinja2.pass_context
def _shown(context: Context, value: object) -> object:
    """The value that `{{ }}` prints."""
    work: Work = context.parent[WORK]  # not by `work_of`: saves one frame for every `{{ }}`
    if type(value) is str:  # the usual case
        work.spend(STEP + len(value))
    else:
        work.spend(STEP)
        work.read(value, text=True)
    return value


@jinja2.pass_context
def _counted(context: Context, value: object) -> object:
    """The value, counted."""
    work = work_of(context)
    work.spend(STEP)
    work.read(value)
    return value


@jinja2.pass_context
def _looped(context: Context, value: object) -> object:
    """The value that a loop iterates over, counted as a whole; loops cannot end early."""
    if not isinstance(value, str | list | tuple | Mapping | range | Undefined):
        raise TypeError(f"a {type(value).__name__} cannot be looped over")
    if not isinstance(value, Undefined):
        work_of(context).spend(STEP * len(value))
    return value


@jinja2.pass_context
def _concatenated(context: Context, parts: list[object]) -> str:
    """The text that `~` joins from its operands."""
    work_of(context).read(parts, text=True)
    return "".join(map(str, parts))


COUNTED, LOOPED, CONCATENATED = " counted", " looped", " concatenated"
"""Filters that the compiler puts around expressions; templates cannot name them."""
_OWN_FILTERS = {COUNTED: _counted, LOOPED: _looped, CONCATENATED: _concatenated}
_PLAIN = ImmutableSandboxedEnvironment(undefined=jinja2.StrictUndefined)


def _filter(name: str) -> Callable[..., object]:
    growth = _GROWTH.get(name)

    @jinja2.pass_context
    def counted(context: Context, value: Any, *args: Any, **kwargs: Any) -> object:
        work = work_of(context)
        work.spend(STEP)
        for part in (value, *args, *kwargs.values()):
            work.read(part, text=True)
        if growth is not None:
            growth(work, value, *args, **kwargs)
        return work.result(_PLAIN.call_filter(name, value, args, kwargs, context))

    return counted


def _test(name: str) -> Callable[..., bool]:
    @jinja2.pass_context
    def counted(context: Context, value: Any, *args: Any, **kwargs: Any) -> bool:
        work = work_of(context)
        work.spend(STEP)
        for part in (value, *args, *kwargs.values()):
            work.read(part)
        return bool(_PLAIN.call_test(name, value, args, kwargs, context))

    return counted


@jinja2.pass_context
def _is_defined(context: Context, value: object) -> bool:
    """The test `is defined`, which most prompts use; Jinja's own takes ten times as long."""
    work = work_of(context)
    work.spend(STEP)
    if isinstance(value, Undefined):
        return False
    work.read(value)
    return True


def _replaced(work: Work, value: Any, old: Any, new: Any, count: int | None = None) -> None:
    work.spend(str(value).count(str(old)) * len(str(new)))


def _joined(work: Work, value: Any, d: Any = "", attribute: object = None) -> None:
    work.spend(len(value) * len(str(d)))


def _indented(
    work: Work, value: Any, width: int | str = 4, first: bool = False, blank: bool = False
) -> None:
    each = width if isinstance(width, int) else len(width)
    work.spend(max(each, 0) * (1 + len(str(value).splitlines())))


def _divided(work: Work, value: Any, number: int, fill_with: object = None) -> None:
    work.spend(STEP * max(number, 0))
    work.times(fill_with, number)


def _rounded(work: Work, value: Any, precision: int = 0, method: str = "common") -> None:
    if abs(precision) > _WIDEST:
        raise TooMuchWorkError("computes with a number that is too large")


def _summed(work: Work, value: Any, attribute: object = None, start: object = 0) -> None:
    if not isinstance(start, int | float | Decimal):
        raise TypeError("only numbers are summed")


def _dumped(work: Work, value: Any, indent: int | None = None) -> None:
    work.times(value, (indent or 0) * _depth(value))


def _depth(value: object) -> int:
    if isinstance(value, Mapping):
        return 1 + max(map(_depth, value.values()), default=0)
    if isinstance(value, list | tuple):
        return 1 + max(map(_depth, value), default=0)
    return 0


def _formatted(work: Work, value: Any, *args: object, **kwargs: object) -> None:
    work.spend(_padding(str(value)))


def _padding(form: str) -> int:
    """Maximum characters that a format such as `%5.2f` adds to its value."""
    total = 0
    for found in _CONVERSION.finditer(form):
        for width in found.groups(default=""):
            if width in {"*", "("} or int(width or 0) > _WIDEST:
                raise TooMuchWorkError(f"{found[0]!r} pads to any width, or to more than {_WIDEST}")
        total += 2 * _WIDEST
    return total


_GROWTH: Mapping[str, Callable[..., None]] = {
    "batch": _divided,
    "format": _formatted,
    "indent": _indented,
    "join": _joined,
    "replace": _replaced,
    "round": _rounded,
    "slice": _divided,
    "sum": _summed,
    "tojson": _dumped,
}
"""Functions whose output may be larger than their input: it is counted before they run."""
