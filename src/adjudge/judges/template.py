"""A prompt's template: compiled once, rendered for every item."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Never

import jinja2
from jinja2 import meta, nodes
from jinja2.runtime import Context
from jinja2.visitor import NodeTransformer

from adjudge.errors import InputError
from adjudge.judges.fence import fenced
from adjudge.judges.sandbox import (
    CONCATENATED,
    COUNTED,
    LOOPED,
    STEP,
    WORK,
    Sandbox,
    TooMuchWorkError,
    Work,
    work_of,
)

_LONGEST = 500_000
"""Maximum characters of a template."""
_LARGEST = 20_000
"""Maximum expressions and blocks of a template; compiling that many takes about a second."""
_RANDOM = frozenset({"lipsum", "random"})
_REFUSED: Mapping[type[nodes.Node], str] = {
    nodes.Block: "block",
    nodes.Extends: "extends",
    nodes.FromImport: "from",
    nodes.Import: "import",
    nodes.Include: "include",
    nodes.ScopedEvalContextModifier: "autoescape",
}
"""Blocks that need other templates or change autoescaping."""
_SALT = "salt of this run"
"""The variable that holds the run's salt; templates cannot name it."""


@jinja2.pass_context
def _fenced(context: Context, text: object, kind: str) -> str:
    """The filter `fenced("what it is")`."""
    work = work_of(context)
    if type(text) is type(kind) is str:  # the usual case
        work.spend(3 * STEP + len(text) + len(kind))
    else:
        work.read([text, kind], text=True)
    return fenced(text, kind, salt=context.parent[_SALT])


_SANDBOX = Sandbox()
_SANDBOX.filters["fenced"] = _fenced
_GLOBALS = dict(_SANDBOX.globals)
_NOTHING: Mapping[str, object] = MappingProxyType({})


class Template:
    """One template; its errors are InputErrors that begin with its name."""

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        if len(source) > _LONGEST:
            raise InputError(name, f"has {len(source):,} characters", f"at most {_LONGEST:,}")
        try:
            tree = _Counting().visit(_SANDBOX.parse(source))
            tree.set_environment(_SANDBOX)
            self.reads = frozenset(meta.find_undeclared_variables(tree))
            self._compiled = _SANDBOX.from_string(tree)
        except jinja2.TemplateSyntaxError as error:
            raise InputError(
                name, f"line {error.lineno}: {error.message}", "fix the template"
            ) from error
        except (RecursionError, MemoryError, SyntaxError):
            raise InputError(
                name, "is nested too deeply", "nest fewer blocks, and shorten expressions"
            ) from None
        except (ValueError, OverflowError) as error:  # such as a number of ten thousand digits
            raise InputError(name, f"{error}", "fix the template") from error

    def render(
        self,
        fields: Mapping[str, object],
        own: Mapping[str, object] = _NOTHING,
        *,
        salt: bytes,
        item: str,
    ) -> str:
        """The text for these fields and our `own` variables; errors name the `item`."""
        try:
            # Like Jinja's `render`, but without copying the globals for every item.
            given = {**_GLOBALS, **fields, **own, WORK: Work(), _SALT: salt}
            context = Context(_SANDBOX, given, self._compiled.name, self._compiled.blocks)
            return "".join(self._compiled.root_render_func(context)).strip()
        except jinja2.UndefinedError as error:
            raise InputError(
                self.name, f"{error.message} in item {item!r}", "name fields that items have"
            ) from error
        except (TooMuchWorkError, MemoryError) as error:
            raise InputError(
                self.name,
                f"{str(error) or 'takes too much memory'} for item {item!r}",
                "loop over less, and repeat or pad no text",
            ) from None
        except RecursionError:
            raise InputError(
                self.name, f"calls itself without end for item {item!r}", "take the recursion out"
            ) from None
        except Exception as error:  # filters raise anything for values of the wrong type
            raise InputError(
                self.name, f"{str(error).rstrip('.')} for item {item!r}", "fix the template"
            ) from error


class _Counting(NodeTransformer):
    """Puts a counting filter around all work that the sandbox cannot intercept."""

    def __init__(self) -> None:
        self._nodes = 0
        self._repeated = 0
        """Number of loops and macros around the node; at 0, it is rendered once."""

    def visit(self, node: nodes.Node, *args: Any, **kwargs: Any) -> Any:
        self._nodes += 1
        if self._nodes > _LARGEST:
            self._refuse(node, f"there are more than {_LARGEST:,} expressions and blocks")
        if type(node) in _REFUSED:
            self._refuse(node, f"{{% {_REFUSED[type(node)]} %}} is not available in prompts")
        return super().visit(node, *args, **kwargs)

    def visit_For(self, node: nodes.For) -> nodes.Node:  # noqa: N802
        if node.recursive:
            self._refuse(node, "a loop cannot call itself")
        node.iter = _filtered(self.visit(node.iter), LOOPED)
        node.target = self.visit(node.target)
        self._repeated += 1
        node.body = [self.visit(part) for part in node.body]
        node.test = self.visit(node.test) if node.test else None
        self._repeated -= 1
        node.else_ = [self.visit(part) for part in node.else_]
        return node

    def visit_Macro(self, node: nodes.Macro) -> nodes.Node:  # noqa: N802
        return self._inside(node)

    def visit_CallBlock(self, node: nodes.CallBlock) -> nodes.Node:  # noqa: N802
        return self._inside(node)

    def visit_TemplateData(self, node: nodes.TemplateData) -> nodes.Node:  # noqa: N802
        return _filtered(nodes.Const(node.data), COUNTED) if self._repeated else node

    def visit_Filter(self, node: nodes.Filter) -> nodes.Node:  # noqa: N802
        if node.name not in _SANDBOX.filters:
            why = "draws at random" if node.name in _RANDOM else "is not available in prompts"
            self._refuse(node, f"the filter {node.name!r} {why}")
        return self._deeper(node)

    def visit_Call(self, node: nodes.Call) -> nodes.Node:  # noqa: N802
        if isinstance(node.node, nodes.Name) and node.node.name in _RANDOM:
            self._refuse(node, f"the function {node.node.name!r} draws at random")
        return self._deeper(node)

    def visit_Compare(self, node: nodes.Compare) -> nodes.Node:  # noqa: N802
        node.expr = _filtered(self.visit(node.expr), COUNTED)
        for operand in node.ops:
            operand.expr = _filtered(self.visit(operand.expr), COUNTED)
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Node:  # noqa: N802
        parts = nodes.List([self.visit(part) for part in node.nodes])
        return _filtered(parts, CONCATENATED)

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Node:  # noqa: N802
        self._deeper(node)
        if isinstance(node.arg, nodes.Slice):
            node.node = _filtered(node.node, COUNTED)
        return node

    def visit_List(self, node: nodes.List) -> nodes.Node:  # noqa: N802
        return _filtered(self._deeper(node), COUNTED)

    def visit_Dict(self, node: nodes.Dict) -> nodes.Node:  # noqa: N802
        return _filtered(self._deeper(node), COUNTED)

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Node:  # noqa: N802
        self._deeper(node)
        return _filtered(node, COUNTED) if node.ctx == "load" else node

    def _inside(self, node: nodes.Node) -> nodes.Node:
        self._repeated += 1
        self._deeper(node)
        self._repeated -= 1
        return node

    def _deeper(self, node: nodes.Node) -> nodes.Node:
        deeper: nodes.Node = self.generic_visit(node)
        return deeper

    def _refuse(self, node: nodes.Node, why: str) -> Never:
        raise jinja2.TemplateSyntaxError(why, node.lineno)


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)
