"""Reads YAML into plain values, with the line of every key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from adjudge.config.mistakes import KeyPath, Mistakes, Places
from adjudge.errors import ConfigError

_MOST_BYTES = 256 * 1024
"""Size limit of a run file; long texts belong into separate files."""
_MOST_NODES = 100_000
"""Limit on the number of values, against exponentially nested aliases."""
_MERGE = "tag:yaml.org,2002:merge"


class _Loader(yaml.SafeLoader):
    """YAML without surprises: `no` and `1:30` are text, `1e-3` is a number."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012


_YAML = "tag:yaml.org,2002:"
_FORMS: dict[str, re.Pattern[str]] = {}
"""The accepted tags, and the accepted form of each tag's values. Others are refused, because YAML's
own constructors may raise other exceptions for them."""
for _name, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(0|[1-9][0-9_]*)", list("-+0123456789")),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)",
        list("-+0123456789."),
    ),
    ("merge", r"<<", ["<"]),
):
    _FORMS[_YAML + _name] = re.compile(rf"^(?:{_pattern})$")
    _Loader.add_implicit_resolver(_YAML + _name, _FORMS[_YAML + _name], _first)
_FORMS[_YAML + "str"] = re.compile("")


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """The values of a YAML file, and their lines."""

    values: dict[str, object]
    lines: Mapping[KeyPath, int]


def read_document(path: Path) -> Document:
    """The file's mapping; any error in its YAML raises a ConfigError."""
    name = str(path)
    try:
        with path.open("rb") as file:
            content = file.read(_MOST_BYTES + 1)
    except FileNotFoundError:
        raise _refused(name, None, f"there is no such file; {_advice(path)}") from None
    except IsADirectoryError:
        raise _refused(name, None, "this is a folder; name the run file in it") from None
    except OSError as error:
        reason = f"it cannot be read ({error.strerror}); make it readable"
        raise _refused(name, None, reason) from None
    if len(content) > _MOST_BYTES:
        reason = (
            f"it has more than {_MOST_BYTES // 1024} kB; put long texts into files of their own"
        )
        raise _refused(name, None, f"{reason}, as criteria_file")
    return parsed(name, _decoded(name, content))


def parsed(name: str, text: str) -> Document:
    """The text's mapping; `name` is the name of the file in errors."""
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _refused(name, mark.line + 1 if mark else 1, _words(error)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        reason = f"there is a control character (U+{ord(text[error.position]):04X}); remove it"
        raise _refused(name, line, reason) from None
    except RecursionError:
        raise _refused(name, 1, "it is nested too deeply; make it flatter") from None
    if node is None:
        raise _refused(name, 1, "the file is empty; adjudge init writes one to begin with")
    if not isinstance(node, yaml.MappingNode):
        kind = "a list" if isinstance(node, yaml.SequenceNode) else "plain text"
        line = node.start_mark.line + 1
        raise _refused(name, line, f"the file is {kind}; write keys and values, as budget: 5.00")
    reading = _Reading(loader, name, lines={(): 1})
    values = reading.mapping(node, ())
    if reading.mistakes:
        raise reading.mistakes.error(Places(file=name, lines=reading.lines))
    return Document(values=values, lines=reading.lines)


@dataclass(slots=True)
class _Reading:
    loader: _Loader
    name: str
    lines: dict[KeyPath, int] = field(default_factory=dict)
    mistakes: Mistakes = field(default_factory=Mistakes)
    visited: int = 0
    around: list[yaml.Node] = field(default_factory=list)

    def value(self, node: yaml.Node, path: KeyPath) -> object:
        self.visited += 1
        if self.visited > _MOST_NODES or node in self.around:
            reason = "it has aliases within aliases without end; write the values out"
            raise _refused(self.name, node.start_mark.line + 1, reason)
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path)
        if not node.tag.startswith(("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")):
            self.mistakes.note(path, f"it has the tag {node.tag}; leave the tag out")
            return None
        self.around.append(node)
        try:
            if isinstance(node, yaml.MappingNode):
                return self.mapping(node, path)
            return self._sequence(node, path)
        finally:
            self.around.pop()

    def mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, object]:
        # Merged keys first, so that the lines of the mapping's own keys win.
        merged: dict[str, object] = {}
        for _, value in (pair for pair in node.value if pair[0].tag == _MERGE):
            merged = {**self._merged(value, path), **merged}
        own: dict[str, object] = {}
        for key, value in (pair for pair in node.value if pair[0].tag != _MERGE):
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise _refused(self.name, line, "a key is a list or a mapping; write it as text")
            # Keys stay as written: a label called 1 or true is text.
            name = str(key.value)
            here = (*path, name)
            if name in own:
                first = self.lines[here]
                self.lines[here] = line
                self.mistakes.note(here, f"it is also on line {first}; keep one of the two")
                continue
            self.lines[here] = line
            own[name] = self.value(value, here)
        return {**merged, **own}

    def _merged(self, node: yaml.Node, path: KeyPath) -> dict[str, object]:
        """The keys that `<<` merges in."""
        parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
        merged: dict[str, object] = {}
        for part in parts:
            found = self.value(part, path)
            if not isinstance(found, dict):
                reason = "<< merges mappings only; name an anchor of one"
                raise _refused(self.name, node.start_mark.line + 1, reason)
            merged = {**found, **merged}
        return merged

    def _sequence(self, node: yaml.Node, path: KeyPath) -> list[object]:
        found = []
        for index, child in enumerate(node.value):
            self.lines[(*path, index)] = child.start_mark.line + 1
            found.append(self.value(child, (*path, index)))
        return found

    def _scalar(self, node: yaml.ScalarNode, path: KeyPath) -> object:
        form = _FORMS.get(node.tag)
        if form is None or not form.match(node.value):
            self.mistakes.note(path, f"it has the tag {node.tag}; leave the tag out")
            return None
        try:
            return self.loader.construct_object(node)
        except ValueError:  # Python refuses integers with thousands of digits
            self.mistakes.note(path, "the number is too long; give one that is shorter")
            return None


def _decoded(name: str, content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _refused(name, 1, "it is UTF-16; save it as UTF-8")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"0x{content[error.start]:02X}"
        reason = f"the byte {byte} is not UTF-8; save the file as UTF-8"
        raise _refused(name, line, reason) from None


def _words(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or "it is not YAML"
    if "'\\t'" in problem:
        return "there is a tab; indent with spaces"
    if "mapping values are not allowed" in problem:
        return "a colon is out of place; indent keys alike, and put text with a colon in quotes"
    if "expected a single document" in (error.context or ""):
        return "a second document begins; keep one, without --- between"
    if "undefined alias" in problem:
        return "an alias is not defined; define it above, or put text that begins with * in quotes"
    if "sequence entries are not allowed" in problem:
        return 'a dash is out of place; put it in quotes, as "-", or on a line of its own'
    return f"this is not YAML ({problem}); check the indentation, quotes and brackets here"


def _advice(path: Path) -> str:
    try:
        others = [*path.parent.glob("*.yaml"), *path.parent.glob("*.yml")]
    except OSError:
        others = []
    if others:
        return f"did you mean {', '.join(sorted(other.name for other in others)[:3])}?"
    return "adjudge init writes one to begin with"


def _refused(name: str, line: int | None, sentence: str) -> ConfigError:
    place = name if line is None else f"{name}:{line}"
    return ConfigError(name, [f"{place}: {sentence}"])
