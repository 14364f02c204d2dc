"""What others wrote is shown on a terminal, and never obeyed."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import adjudge.cli as adjudge_cli
from adjudge.report.printable import printable
from tests.cli.conftest import Run
from tests.cli.project import ProjectFolder

CLIPBOARD = "\x1b]52;c;ZXZpbA==\x07"
HOSTILE = f"{CLIPBOARD}\x1b[2J\x9b2J\x1b]0;title\x07\u202egro\u2066up\x00 [red]x[/red] \r\x08"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text\nof two lines\t", "plain text\nof two lines\t"),
        ("caf\xe9 \u4f60\u597d \U0001f469\u200d\U0001f52c \xa0", None),
        (CLIPBOARD, "\ufffd]52;c;ZXZpbA==\ufffd"),
        ("a\x9b2Jb\x7f", "a\ufffd2Jb\ufffd"),
        ("\u202eabc\u2069", "\ufffdabc\ufffd"),
        ("\ud800\ufeff\u2028", "\ufffd" * 3),
        ("windows\r\nlines\r", "windows\nlines\ufffd"),
    ],
)
def test_only_printable_text_is_left(text: str, shown: str | None) -> None:
    assert printable(text) == (text if shown is None else shown)


def hostile(project: ProjectFolder) -> None:
    """A group and a judge whose names control terminals."""
    rows = [json.loads(line) for line in (project.path / "items.jsonl").read_text().splitlines()]
    for row in rows:
        row["group"] = HOSTILE if row["group"] == "new" else "old"
    (project.path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    name = HOSTILE.replace("\x00", "")  # which no run file may hold
    project.write_run_file(judges=[project.judge("large", name=name)])


def on_a_terminal(*arguments: str, project: ProjectFolder) -> str:
    """Everything that a terminal would get, byte by byte."""
    own, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "adjudge", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        cwd=project.path,
        env=os.environ | {"COLUMNS": "160", "TERM": "xterm"} | project.env,
    )
    os.close(theirs)
    received = b""
    while True:
        try:
            part = os.read(own, 65536)
        except OSError:
            break
        if not part:
            break
        received += part
    os.close(own)
    process.wait()
    return received.decode()


def assert_harmless(shown: str) -> None:
    for begin in ("\x1b]", "\x1b[2J", "\x9b", "\u202e", "\u2066", "\x00", "\x08", "\x07"):
        assert begin not in shown, f"{begin!r} in {shown!r}"


def test_a_terminal_gets_no_sequences_from_groups_judges_and_errors(project: ProjectFolder) -> None:
    hostile(project)
    shown = on_a_terminal("run", project=project)
    assert "[red]x[/red]" in shown  # as it is written: no markup
    assert "\ufffd]52;c;" in shown
    assert_harmless(shown)
    assert_harmless(on_a_terminal("status", project=project))
    refused = on_a_terminal("report", "--require", "mean(group=z) > 5", project=project)
    assert "no item has group=z; there are group =" in refused
    assert_harmless(refused)
    assert_harmless(on_a_terminal("export", "items", project=project))


def test_commands_print_through_one_door() -> None:
    """Only JSON, CSV of numbers and the version may pass beside it."""
    folder = Path(adjudge_cli.__file__).parent
    for file in folder.rglob("*.py"):
        text = file.read_text()
        if file.name != "screen.py":
            assert not re.search(r"\bConsole\(", text), file.name
        for after in re.findall(r"typer\.s?echo\(\s*(.{0,12})", text):
            exact = ("json.dumps(", "json_rows(", "csv_rows(", "described", 'f"adjudge {_')
            assert after.startswith(exact), f"{file.name}: {after}; use say"


def test_json_has_every_text_as_it_is(adjudge: Run, project: ProjectFolder) -> None:
    hostile(project)
    done = adjudge("run", "--json", cwd=project.path, env=project.env)
    assert done.returncode == 0, done.stderr
    assert HOSTILE in [group["name"] for group in json.loads(done.stdout)["groups"]]
    assert "\x1b" not in done.stdout


def test_cells_that_are_formulas_to_a_spreadsheet_are_written_safe(
    adjudge: Run, tmp_path: Path
) -> None:
    texts = ["=cmd|' /C calc'!A0", "+1+1", "-2", "-x", "@sum", "\ttab", "3.5", "plain", "-1e5"]
    rows = [{"id": f"i{n}", "response": "r", "note": text} for n, text in enumerate(texts)]
    rows[0]["=title"] = "x"
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "run.yaml").write_text(
        "items: items.jsonl\nbudget: 1\njudges: [{kind: simulated, price_per_call: 1}]\n"
    )
    done = adjudge("export", "items", "-o", "out.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    frame = pl.read_csv(tmp_path / "out.csv", infer_schema=False)
    assert frame["note"].to_list() == [
        "'=cmd|' /C calc'!A0", "'+1+1", "-2", "'-x", "'@sum", "'\ttab", "3.5", "plain", "-1e5",
    ]  # fmt: skip
    assert "'=title" in frame.columns
    assert done.stderr == (
        "adjudge: 6 cells would be a formula to a spreadsheet, and got an apostrophe in front; "
        ".jsonl and .parquet have every text as it is\n"
    )
    for ending, read in (("jsonl", pl.read_ndjson), ("parquet", pl.read_parquet)):
        done = adjudge("export", "items", "-o", f"out.{ending}", cwd=tmp_path)
        assert done.stderr == ""
        exact = read(tmp_path / f"out.{ending}")
        assert exact["note"].to_list() == texts
        assert "=title" in exact.columns
