"""The table of beliefs: `python -m tests.beliefs_table` writes it into the document."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from adjudge.core.panel import beliefs
from adjudge.core.panel.beliefs import UNBIASED, YES_OR_NO, Beliefs

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "method.md"
BEGIN, END = "<!-- beliefs -->\n", "<!-- end of beliefs -->\n"
PRESETS = {"YES_OR_NO": YES_OR_NO, "UNBIASED": UNBIASED}


def table() -> str:
    """Every belief with its value and its reason, and what the presets change."""
    lines = ["| name | value | what it is |", "|---|---|---|", *_rows()]
    for name, preset in PRESETS.items():
        changed = ", ".join(
            f"`{field.name}` {_shown(getattr(preset, field.name))}"
            for field in fields(Beliefs)
            if getattr(preset, field.name) != getattr(Beliefs(), field.name)
        )
        lines.append(f"\n`{name}` has {changed}.")
    return "\n".join(lines) + "\n"


def _rows() -> Iterator[str]:
    """One row for each field, and one for each comment that heads a part."""
    source = Path(str(beliefs.__file__)).read_text()
    lines = source.splitlines()
    (found,) = (
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef) and node.name == "Beliefs"
    )
    for field, text in zip(found.body, found.body[1:], strict=False):
        if not isinstance(field, ast.AnnAssign):
            continue
        above = lines[field.lineno - 2].strip()
        if above.startswith("#"):
            yield f"| *{above.strip('# .')}* | | |"
        assert isinstance(field.target, ast.Name)
        assert isinstance(text, ast.Expr)
        words = " ".join(str(ast.literal_eval(text.value)).split())
        yield f"| `{field.target.id}` | {_shown(getattr(Beliefs(), field.target.id))} | {words} |"


def _shown(value: float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}"


def written(document: str) -> str:
    """The document with the table of the beliefs as they are."""
    head, begin, rest = document.partition(BEGIN)
    _, end, tail = rest.partition(END)
    assert begin, "the document has no place for the table"
    assert end, "the table has no end"
    return f"{head}{BEGIN}{table()}{END}{tail}"


if __name__ == "__main__":
    DOCUMENT.write_text(written(DOCUMENT.read_text()))
