"""A fingerprint of everything that a function's answers are known to depend on.

The walk visits the function and, recursively, what it calls, its closure variables and the globals
that it uses. It enters the user's own code and plain data; libraries count by name only. It runs
none of the code.
"""

from __future__ import annotations

import functools
import hashlib
import types
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adjudge.judges.function_code import (
    changed_names,
    code_token,
    is_library_code,
    late_imports,
    methods,
    references,
    source_of,
)
from adjudge.judges.function_values import is_library, library_name, package_of, scalar_token

_MOST = 100_000
"""Maximum number of values in a walk."""
_DEEPEST = 60
"""Maximum depth of a walk."""
_ORDERED = (tuple, list, deque)
_UNORDERED = (set, frozenset)
_SILENT = ("logging.", "threading.", "_thread.", "asyncio.", "_contextvars.", "dataclasses.")
"""Libraries whose objects do not influence answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionIdentity:
    """A function's fingerprint, and what it does not cover."""

    digest: str
    unseen: tuple[str, ...]
    """Possible influences on answers that the fingerprint does not cover, one phrase each."""


def function_identity(function: object) -> FunctionIdentity:
    """The function's identity: the same in every process if code and values are the same."""
    module = getattr(function, "__module__", None)
    own = package_of(module) if isinstance(module, str) else ""
    first = _Walk(own=own)
    first.token(function, "it")
    # A second walk, now that the variables changed by any part of the code are known.
    walk = _Walk(own=own, changed=first.changed)
    return FunctionIdentity(
        digest=_digest(walk.token(function, "it")), unseen=tuple(sorted(walk.unseen))
    )


def _digest(*parts: str) -> str:
    whole = hashlib.blake2b(digest_size=16)
    for part in parts:
        content = part.encode(errors="surrogatepass")
        whole.update(len(content).to_bytes(8, "big") + content)
    return whole.hexdigest()


@dataclass(slots=True)
class _Walk:
    """One token per value, the same in every process with the same value."""

    own: str
    """The package that the function belongs to."""
    changed: set[tuple[int, str]] = field(default_factory=set)
    """Variables that the code on the walk changes."""
    unseen: set[str] = field(default_factory=set)
    met: dict[int, tuple[int, object]] = field(default_factory=dict)
    """Number and object by address; the references keep addresses from being used again."""
    left: int = _MOST
    depth: int = 0

    def token(self, value: object, name: str) -> str:
        """The token of a value; `name` is its name where it was found."""
        self.left -= 1
        if self.left < 0 or self.depth > _DEEPEST:
            self.unseen.add(f"all of {name}, which is too much to compare")
            return "..."
        plain = scalar_token(value)
        if plain is not None:
            return plain
        if id(value) in self.met:
            return f"<{self.met[id(value)][0]}>"
        self.met[id(value)] = len(self.met), value
        self.depth += 1
        try:
            if isinstance(value, types.ModuleType | types.FunctionType | type):
                return self._code(value)
            return self._callable(value, name) or self._instance(value, name)
        finally:
            self.depth -= 1

    def _code(self, value: types.ModuleType | types.FunctionType | type) -> str:
        if isinstance(value, types.ModuleType):
            return f"module {value.__name__}"
        if self._is_library(value):
            return f"library {library_name(value)}"
        return self._class(value) if isinstance(value, type) else self._function(value)

    def _function(self, function: types.FunctionType) -> str:
        code, name = function.__code__, function.__name__
        parts, changes = [function.__qualname__], set[str]()
        if is_library_code(function, own=self.own):
            parts.append(code.co_qualname)
        else:
            source, changes = source_of(code), changed_names(code)
            # One line may hold several lambdas: the source of each is the whole line.
            parts += [source, code_token(code) if not source or name == "<lambda>" else ""]
            imported = late_imports(code)
            self.unseen |= {f"{module}, imported when it is called" for module in imported}
        parts += [self.token(function.__defaults__, name), self._plain(function.__kwdefaults__)]
        for one in references(function, own=self.own):
            if one.variable[1] in changes or one.name in changes:
                self.changed.add(one.variable)
            if one.variable in self.changed and not callable(one.value):
                self.unseen.add(f"{one.name}, which its calls change")
            else:
                parts.append(f"{one.name} = {self.token(one.value, one.name)}")
        return _digest("function", *parts)

    def _is_library(self, value: types.FunctionType | type) -> bool:
        return is_library(value, own=self.own)

    def _plain(self, named: Mapping[str, object] | None) -> str:
        values = sorted((named or {}).items())
        return _digest(*(f"{key} = {self.token(value, key)}" for key, value in values))

    def _class(self, found: type) -> str:
        parts = [found.__qualname__, source_of(found)]
        parts += [self.token(base, base.__name__) for base in found.__bases__ if base is not object]
        parts += [f"{name}: {self.token(one, name)}" for name, one in methods(found)]
        changes = _changed_attributes(found)
        constants = {name: scalar_token(one) for name, one in vars(found).items()}
        parts += [
            f"{name} = {constant}"
            for name, constant in sorted(constants.items())
            if constant is not None and not name.startswith("__") and name not in changes
        ]
        return _digest("class", *parts)

    def _callable(self, value: object, name: str) -> str | None:
        """The token of a bound method, partial, builtin or wrapper; None for anything else."""
        if isinstance(value, types.MethodType):
            return f"method {self.token(value.__func__, name)} {self.token(value.__self__, name)}"
        if isinstance(value, functools.partial):
            bound = self.token(value.args, name), self._plain(value.keywords)
            return f"partial {self.token(value.func, name)} {bound}"
        if isinstance(value, types.BuiltinFunctionType):
            owner = value.__self__
            bare = owner is None or isinstance(owner, types.ModuleType | type)
            return f"builtin {value.__qualname__} {'' if bare else self.token(owner, name)}"
        wrapped = _dict_of(value).get("__wrapped__")
        if isinstance(wrapped, types.FunctionType):  # as functools.cache leaves it
            return f"wrapper {self.token(wrapped, name)}"
        if callable(value) and self._is_library(type(value)) and hasattr(value, "__name__"):
            return f"library {library_name(type(value))} {value.__name__}"  # as numpy's functions
        return None

    def _instance(self, value: object, name: str) -> str:
        kind = type(value)
        parts = [library_name(kind) if self._is_library(kind) else self.token(kind, kind.__name__)]
        content = self._content(value, name)
        if content is not None:
            parts.append(content)
        elif self._is_library(kind) and not parts[0].startswith(_SILENT):
            self.unseen.add(f"{name}, of {parts[0]}")
        if not self._is_library(kind):
            parts += self._state(value, name)
        return _digest("instance", *parts)

    def _content(self, value: Any, name: str) -> str | None:
        """The token of a container's elements; None if the value is not a container."""
        base: Any
        for base in (*_ORDERED, *_UNORDERED):
            if isinstance(value, base):
                # By the base's method: a user's subclass may have overridden it.
                return self._elements(list(base.__iter__(value)), name, ordered=base in _ORDERED)
        if isinstance(value, dict):
            pairs = [(scalar_token(key), key, part) for key, part in dict.items(value)]
            if all(token is not None for token, _, _ in pairs):
                pairs.sort(key=lambda pair: str(pair[0]))
            return _digest(
                *(one for _, *pair in pairs for one in (self.token(part, name) for part in pair))
            )
        return None

    def _elements(self, parts: list[object], name: str, *, ordered: bool) -> str:
        if ordered:
            return _digest(*(self.token(part, name) for part in parts))
        tokens = [scalar_token(part) for part in parts]
        if None in tokens:
            self.unseen.add(f"{name}, whose elements have no order")
        return _digest(*sorted(token for token in tokens if token is not None))

    def _state(self, value: object, name: str) -> list[str]:
        """Attributes of an object of a user's class, except those that its methods change."""
        changes = _changed_attributes(type(value))
        state = _dict_of(value) | {
            slot: member.__get__(value)
            for base in type(value).__mro__
            for slot, member in vars(base).items()
            if isinstance(member, types.MemberDescriptorType) and _is_set(member, value)
        }
        parts = []
        for attribute, part in sorted(state.items()):
            if attribute in changes and not callable(part):
                self.unseen.add(f"{name}.{attribute}, which its calls change")
            else:
                parts.append(f"{attribute} = {self.token(part, f'{name}.{attribute}')}")
        return parts


def _changed_attributes(kind: type) -> set[str]:
    """Attributes that methods of the user's classes change after construction."""
    return {
        name.removeprefix(".")
        for base in kind.__mro__
        if not is_library(base)
        for method, function in methods(base)
        if method not in ("__init__", "__post_init__")
        for name in changed_names(function.__code__)
        if name.startswith(".")
    }


def _dict_of(value: object) -> dict[str, object]:
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return dict(found) if isinstance(found, dict) else {}


def _is_set(member: types.MemberDescriptorType, value: object) -> bool:
    try:
        member.__get__(value)
    except AttributeError:
        return False
    return True
