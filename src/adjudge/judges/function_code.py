"""A function's source, what it refers to, and what it changes."""

from __future__ import annotations

import ast
import dis
import inspect
import textwrap
import types
from collections.abc import Iterator
from dataclasses import dataclass

from adjudge.judges.function_values import is_library, is_library_module, scalar_token

_UNSOURCED = ("<string>", "<stdin>")
"""File names that unrelated code shares: source found by them may belong to other code."""
_GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME"}
_ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}
_CHANGING = {
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem",
    "popleft", "put", "remove", "reverse", "setdefault", "sort", "update", "write",
}  # fmt: skip
"""Methods that change their container."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A value that a function refers to."""

    name: str
    value: object
    variable: tuple[int, str]
    """Where the variable is stored: the same for every function that refers to it."""


def source_of(code: types.CodeType | type) -> str:
    """The source; empty if it is not available."""
    if isinstance(code, types.CodeType) and code.co_filename in _UNSOURCED:
        return ""
    try:
        return inspect.getsource(code)
    except (OSError, TypeError, SyntaxError):
        return ""


def code_token(code: types.CodeType) -> str:
    """The bytecode, constants and names, without line numbers; depends on the Python version."""
    constants = [
        code_token(part) if isinstance(part, types.CodeType) else _constant(part)
        for part in code.co_consts
    ]
    names = code.co_names, code.co_varnames, code.co_freevars
    return f"code {code.co_code.hex()} {constants} {names}"


def references(function: types.FunctionType, *, own: str = "") -> list[Reference]:
    """The function's closure variables and the globals that its code uses, sorted by name.

    For library code only the closure variables: a wrapper holds the user's function there.
    """
    found: dict[str, Reference] = {}
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        try:
            value = cell.cell_contents
        except ValueError:
            continue  # not assigned yet
        found[name] = Reference(name=name, value=value, variable=(id(cell), ""))
    inner = () if is_library_code(function, own=own) else _codes(function.__code__)
    for code in inner:
        for name, value in _named_globals(code, function.__globals__, own):
            variable = id(function.__globals__), name.partition(".")[0]
            found.setdefault(name, Reference(name=name, value=value, variable=variable))
    return [found[name] for name in sorted(found)]


def late_imports(code: types.CodeType) -> set[str]:
    """Modules that the code imports when it is called, except libraries."""
    return {
        str(one.argval) or "a neighbouring module"
        for part in _codes(code)
        for one in dis.get_instructions(part)
        if one.opname == "IMPORT_NAME" and not is_library_module(str(one.argval))
    }


def methods(found: type) -> list[tuple[str, types.FunctionType]]:
    """The functions in the body of a class, by name, except generated ones."""
    sourced = source_of(found) != ""
    listed = []
    for name, value in sorted(vars(found).items()):
        wraps = isinstance(value, staticmethod | classmethod)
        inner = value.fget if isinstance(value, property) else value.__func__ if wraps else value
        if isinstance(inner, types.FunctionType) and not (sourced and _is_generated(inner)):
            listed.append((name, inner))
    return listed


def is_library_code(function: types.FunctionType, *, own: str = "") -> bool:
    """Whether its code is in a library, whatever its `__module__` says."""
    module = function.__globals__.get("__name__")
    return isinstance(module, str) and is_library_module(module, own=own)


def changed_names(code: types.CodeType) -> set[str]:
    """Names whose values the code changes: variables, and attributes as `.name`."""
    try:
        tree = ast.parse(textwrap.dedent(source_of(code)))
    except (SyntaxError, ValueError):  # a lambda's source is all of its lines, often no statement
        return set()
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal):
            found.update(node.names)
        for target in _changed_targets(node):
            found.update(_roots(target))
    return found


def _is_generated(function: types.FunctionType) -> bool:
    """Whether a decorator, such as `dataclass`, generated the function."""
    file = function.__code__.co_filename
    return file in _UNSOURCED or file.startswith("<attrs") or is_library_code(function)


def _changed_targets(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Assign | ast.Delete):
        return [one for one in node.targets if isinstance(one, ast.Subscript | ast.Attribute)]
    if isinstance(node, ast.AugAssign):
        return [node.target]
    changes = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    if changes and node.func.attr in _CHANGING:  # type: ignore[attr-defined]
        return [node.func.value]  # type: ignore[attr-defined]
    return []


def _roots(target: ast.expr) -> Iterator[str]:
    """The variable that the target belongs to, and the attributes on the way to it."""
    while isinstance(target, ast.Subscript | ast.Attribute):
        if isinstance(target, ast.Attribute):
            yield f".{target.attr}"
        target = target.value
    if isinstance(target, ast.Name):
        yield target.id


def _constant(value: object) -> str:
    if isinstance(value, frozenset):
        return f"frozenset {sorted(map(repr, value))}"
    return scalar_token(value) or repr(value)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code, and the code of the functions inside it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _named_globals(
    code: types.CodeType, known: dict[str, object], own: str
) -> Iterator[tuple[str, object]]:
    """The globals that the code uses; for a user's module, the attributes that it uses."""
    instructions = list(dis.get_instructions(code))
    for number, one in enumerate(instructions):
        if one.opname not in _GLOBALS or one.argval not in known:
            continue
        name, value = str(one.argval), known[one.argval]
        for after in instructions[number + 1 :]:
            if not isinstance(value, types.ModuleType) or is_library(value, own=own):
                break
            if after.opname not in _ATTRIBUTES or after.argval not in vars(value):
                break
            name, value = f"{name}.{after.argval}", vars(value)[after.argval]
        yield name, value
