"""What the documents show is what the program does."""

import contextlib
import io
import math
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?")
TOLERANCE = 0.1
"""By this share, or by 0.05, a figure may differ from the one shown.

Which calls an adaptive run makes can hang on the last bit of a sum, and that on the processor.
"""


def assert_shows(shown: str, printed: str) -> None:
    """The same words in the same order, and figures within the tolerance."""
    words, said = (text.replace("─", " ").split() for text in (shown, printed))
    assert [NUMBER.sub("#", word) for word in words] == [NUMBER.sub("#", word) for word in said]
    figures, told = (
        [float(found.replace(",", "")) for found in NUMBER.findall(" ".join(text))]
        for text in (words, said)
    )
    for figure, other in zip(figures, told, strict=True):
        assert math.isclose(figure, other, rel_tol=TOLERANCE, abs_tol=0.05), (figure, other)


def blocks(document: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(document.read_text())


def cases(language: str) -> list[object]:
    """Each block of the language, with the block after it."""
    found = []
    for document in DOCUMENTS:
        listed = blocks(document)
        for number, (name, text) in enumerate(listed):
            after = listed[number + 1] if number + 1 < len(listed) else ("", "")
            if name == language:
                found.append(pytest.param(text, after, id=f"{document.name}-{number}"))
    return found


@pytest.mark.parametrize(("code", "after"), cases("python"))
def test_python_examples_print_what_stands_below_them(
    code: str, after: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "example", "exec"), {})
    if after[0] == "text":
        assert_shows(after[1], printed.getvalue())


def sessions() -> list[object]:
    """Sessions that stand alone; those of tutorials follow each other and are tried there."""
    return [
        case
        for case in cases("console")
        if case.values[0].startswith("$ ")  # type: ignore[attr-defined]
        and not str(case.id).startswith(("tutorial", "labels"))  # type: ignore[attr-defined]
    ]


@pytest.mark.parametrize(("session", "after"), sessions())
def test_sessions_show_what_the_program_prints(session: str, after: tuple[str, str]) -> None:
    command, _, expected = session.removeprefix("$ ").replace("\\\n", " ").partition("\n")
    program, *arguments = shlex.split(command)
    assert program == "adjudge"
    done = subprocess.run(
        [sys.executable, "-m", "adjudge", *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"COLUMNS": "100", "TERM": "dumb"},
    )
    assert_shows(expected, done.stdout)


def test_links_between_documents_lead_somewhere() -> None:
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        prose = BLOCK.sub("", document.read_text())
        for target in re.findall(r"\]\(([^)#\s]+)", prose):
            if "://" not in target:
                assert (document.parent / target).exists(), f"{document.name}: {target}"
