"""How the program begins and ends: at once, quietly, and with the right exit code."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from adjudge.cli import COMMANDS, SUMMARIES, help_text
from adjudge.cli.ending import exit_code
from adjudge.cli.program import program
from adjudge.errors import InputError
from tests.cli.conftest import Run
from tests.cli.project import ProjectFolder

PROGRAM = [sys.executable, "-m", "adjudge"]
HEAVY = {"typing", "typer", "rich", "numpy", "polars", "pydantic", "asyncio", "matplotlib"}


def imported(*arguments: str, **environment: str) -> set[str]:
    """The packages that Python imports for these arguments."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "adjudge", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | environment,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_the_version_and_the_help_import_next_to_nothing(argument: str) -> None:
    beside = {name for name in imported(argument) if name.startswith("adjudge")}
    assert beside <= {"adjudge", "adjudge.version", "adjudge.cli", "adjudge.cli.ending"}
    assert not HEAVY & imported(argument)


def test_the_help_says_of_each_command_what_the_command_says() -> None:
    group: Any = typer.main.get_command(program())
    assert list(group.commands) == list(COMMANDS)
    for name, command in group.commands.items():
        words = " ".join(command.help.split("\n\n")[0].split())
        assert SUMMARIES[name] == words
        assert f"  {name:<9}  {words}\n" in help_text()


def test_shells_complete_commands_and_options_and_import_only_what_was_named() -> None:
    def completed(words: str, number: int) -> list[str]:
        done = subprocess.run(
            PROGRAM,
            capture_output=True,
            text=True,
            check=True,
            env=os.environ
            | {"_ADJUDGE_COMPLETE": "complete_bash", "COMP_WORDS": words}
            | {"COMP_CWORD": str(number)},
        )
        return done.stdout.split()

    assert completed("adjudge re", 1) == ["report", "reproduce"]
    assert completed("adjudge init --sch", 2) == ["--schema"]
    names = imported(_ADJUDGE_COMPLETE="complete_bash", COMP_WORDS="adjudge r", COMP_CWORD="1")
    assert "typer" in names
    assert not {"polars", "numpy", "adjudge.config"} & names
    # It asks which shell called it; not the last command, or bash would give its place to it.
    called = f"{shlex.join(PROGRAM)} --show-completion; true"
    shown = subprocess.run(["bash", "-c", called], capture_output=True, text=True, check=False)
    assert "_ADJUDGE_COMPLETE=complete_bash" in shown.stdout


def test_a_command_that_is_not_there_is_answered_with_the_nearest(adjudge: Run) -> None:
    done = adjudge("stauts")
    assert done.returncode == 2
    assert "Did you mean 'status'?" in done.stderr


def test_no_command_shows_the_values_of_variables_when_it_crashes() -> None:
    app = program()
    apps = [app, *(group.typer_instance for group in app.registered_groups)]
    assert len(apps) > 1
    for one in apps:
        assert one is not None
        assert not one.pretty_exceptions_show_locals
        assert not one.pretty_exceptions_enable


def test_a_bug_is_one_sentence_with_places_and_without_values(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOME_API_KEY", "value-of-the-key")

    def work() -> int:
        local = "value of a local"
        raise RuntimeError(f"at value-of-the-key\x1b[2J {len(local)}")

    assert exit_code(work) == 1
    told = capsys.readouterr().err
    first, *places = told.splitlines()
    assert first.startswith("adjudge: this is a bug in adjudge (RuntimeError: at [secret]\ufffd[2J")
    assert any("test_ending.py" in place and place.endswith("in work") for place in places)
    assert "value" not in told
    assert "Traceback" not in told


def test_errors_interrupts_and_broken_pipes_have_their_exit_codes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def raising(error: BaseException) -> int:
        def work() -> int:
            raise error

        return exit_code(work)

    class Panic(BaseException):
        pass

    assert raising(InputError("budget", "none", "give one")) == 1
    assert raising(KeyboardInterrupt()) == 130
    assert raising(BrokenPipeError()) == 141
    assert raising(SystemExit(4)) == 4
    assert capsys.readouterr().err == "adjudge: budget: none; give one\n"
    refused = InputError("judge", "gone", "ask another")
    refused.__cause__ = BrokenPipeError("a judge's connection, not our output")
    assert raising(refused) == 1
    assert capsys.readouterr().err == "adjudge: judge: gone; ask another\n"
    assert raising(Panic("from a library")) == 1
    assert "Panic: from a library" in capsys.readouterr().err


def test_ctrl_c_while_modules_are_imported_ends_at_once_without_a_traceback(
    project: ProjectFolder,
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-X", "importtime", "-m", "adjudge", "run", "--items", "-"],
        stdin=subprocess.PIPE,  # nothing ever comes: the program cannot end by itself
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=project.path,
        env=os.environ | project.env,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.rstrip().endswith(" typer"):
            break
    process.send_signal(signal.SIGINT)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in rest
    assert "KeyboardInterrupt" not in rest


def test_an_export_whose_reader_has_enough_ends_quietly(tmp_path: Path) -> None:
    rows = [{"response": "r", "long": "x" * 4000} for _ in range(500)]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "run.yaml").write_text(
        "items: items.jsonl\nbudget: 1\njudges: [{kind: simulated, price_per_call: 1}]\n"
    )
    with subprocess.Popen(
        [*PROGRAM, "export", "items"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"id,group,score")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_a_run_without_a_single_score_exits_with_1(adjudge: Run, tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_text('{"response": "a"}\n{"response": "b"}\n')
    judge = "{kind: simulated, price_per_call: 0.01, failure_rate: 1}"
    (tmp_path / "run.yaml").write_text(f"items: items.jsonl\nbudget: 0.1\njudges: [{judge}]\n")
    done = adjudge("run", "--require", "spent < 5", cwd=tmp_path)
    assert done.returncode == 1
    assert "answers has a score, so nothing is known about the items" in done.stderr
    small = adjudge("run", "--set", "budget=0.001", "--set", "ledger=new.db", cwd=tmp_path)
    assert small.returncode == 1
    assert "$0.001 pays for no call" in small.stderr
    assert not (tmp_path / "new.db").exists()


def test_gates_are_checked_against_items_and_scale_before_anything_is_spent(
    adjudge: Run, project: ProjectFolder
) -> None:
    def refused(gate: str) -> str:
        done = adjudge("run", "--require", gate, cwd=project.path, env=project.env)
        assert done.returncode == 1
        assert project.server.requests == 0
        return done.stderr

    assert refused("mean(group=z) > 5") == (
        "adjudge: gate 'mean(group=z) > 5': no item has group=z; there are group = new, old\n"
    )
    assert "mean cannot be 12; give a bound from 1 to 10" in refused("mean > 12")
