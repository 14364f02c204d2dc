"""Functions of a user's modules, found by reading the files without running them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from adjudge.errors import InputError
from adjudge.judges.function import JudgeFunction
from adjudge.judges.function_values import is_library_module


def module_file(module: str, folder: Path) -> Path | None:
    """The file that importing the module would run, for a run file in this folder."""
    places = [*sys.path]
    for beside in (str(folder.resolve()), str(Path.cwd())):
        if beside not in places:
            places.insert(0, beside)
    spec: ModuleSpec | None = None
    searched: list[str] | None = places
    parts = module.split(".")
    for length in range(1, len(parts) + 1):
        if searched is None:
            return None
        spec = PathFinder.find_spec(".".join(parts[:length]), searched)
        if spec is None:
            return None
        searched = spec.submodule_search_locations
    return None if spec is None or spec.origin is None else Path(spec.origin)


def unimported(path: str, folder: Path) -> JudgeFunction:
    """A placeholder for the function `module:name`, with its name and source; never call it.

    Only a plain `def` that refers to nothing else in its module but libraries is accepted: the
    effect of a decorator, an assignment or an import of other code is known only after the module
    has run.
    """
    module, _, name = path.partition(":")
    if not module or not name:
        raise InputError("function", f"{path!r}", "give it as module:name")
    file = module_file(module, folder)
    if file is None or file.suffix != ".py":
        raise _unknown(path, f"no file {module}.py was found")
    try:
        source = file.read_bytes()
        tree = ast.parse(source)
        code = compile(source, str(file), "exec", dont_inherit=True)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _unknown(path, f"{file.name} cannot be read ({type(error).__name__})") from None
    bindings = [node for node in _bindings(tree) if _binds(node, name)]
    plain = len(bindings) == 1 and isinstance(bindings[0], ast.FunctionDef | ast.AsyncFunctionDef)
    if not plain or bindings[0].decorator_list or bindings[0] not in tree.body:  # type: ignore[attr-defined]
        raise _unknown(path, f"{name} is no plain function of {file.name}")
    libraries = _libraries(path, bindings[0], tree)
    found = next(
        part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == name
    )
    return FunctionType(found, {**libraries, "__name__": module})


def _libraries(path: str, function: ast.AST, tree: ast.Module) -> dict[str, ModuleType]:
    """Stand-ins for the libraries that the function refers to, which count by their name only.

    A function that refers to other names of its module is refused: they may change its answers.
    """
    arguments = getattr(function, "args", None)
    if isinstance(arguments, ast.arguments) and (arguments.defaults or any(arguments.kw_defaults)):
        raise _unknown(path, "its arguments have defaults")
    named = sorted({node.id for node in ast.walk(function) if isinstance(node, ast.Name)})
    found = {}
    for name in named:
        others = [one for one in _bindings(tree) if one is not function and _binds(one, name)]
        if not others:
            continue
        library = _library_of(others[0], tree) if len(others) == 1 else None
        if library is None:
            raise _unknown(path, f"it refers to {name}")
        found[name] = ModuleType(library)
    return found


def _library_of(binding: ast.AST, tree: ast.Module) -> str | None:
    """The library that this part of an `import` binds; None for anything else."""
    imports = (one for one in tree.body if isinstance(one, ast.Import) and binding in one.names)
    if not isinstance(binding, ast.alias) or next(imports, None) is None:
        return None
    name, inner, _ = binding.name.partition(".")
    # What `import a.b as c` binds may have another name of its own, as os.path has.
    return name if is_library_module(name) and not (inner and binding.asname) else None


def _bindings(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that may bind names of the module: all outside functions and classes."""
    for node in ast.iter_child_nodes(tree):
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield from _bindings(node)


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.alias):
        return node.name == "*" or (node.asname or node.name).split(".")[0] == name
    if isinstance(node, ast.ExceptHandler | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name == name
    return False


def _unknown(path: str, reason: str) -> InputError:
    return InputError(
        "function",
        f"{reason}, so {path} cannot be identified without importing it",
        "make it self-contained, or add --import if you trust the module",
    )
