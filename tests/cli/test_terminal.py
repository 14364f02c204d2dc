"""What a person at a terminal sees, through a real pseudo-terminal."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.project import ProjectFolder

_PATIENCE = 60.0
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, *arguments: str, cwd: Path, env: dict[str, str]) -> None:
        self._own, theirs = pty.openpty()
        wide = {"COLUMNS": "140", "LINES": "40", "TERM": "xterm-256color"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "adjudge", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=cwd,
            env=os.environ | wide | env,
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = ""

    def read_until(self, seen: Callable[[str], bool]) -> str:
        """Everything shown, once it holds what is waited for."""
        while not seen(self.shown):
            ready, _, _ = select.select([self._own], [], [], _PATIENCE)
            assert ready, f"waited for nothing after {self.shown!r}"
            try:
                part = os.read(self._own, 65536)
            except OSError:  # the program has ended
                part = b""
            if not part:
                break
            self.shown += _ESCAPES.sub("", part.decode(errors="replace"))
        return self.shown

    def type(self, text: str) -> None:
        os.write(self._own, text.encode())

    def end(self) -> int:
        self.read_until(lambda shown: False)
        os.close(self._own)
        return self.process.wait(_PATIENCE)


def test_a_person_is_asked_before_money_is_spent(project: ProjectFolder) -> None:
    terminal = Terminal("run", cwd=project.path, env=project.env)
    asked = terminal.read_until(lambda shown: "?" in shown)
    assert "Score 24 items with 2 judges for up to $0.05" in asked.replace("$0.050000", "$0.05")
    terminal.type("n\n")
    assert terminal.end() == 1
    assert project.server.requests == 0


def test_a_terminal_shows_spending_calls_and_the_falling_error(project: ProjectFolder) -> None:
    project.write_items(4)
    project.write_run_file(strategy=None)
    project.server.latency = 0.05
    terminal = Terminal("run", cwd=project.path, env=project.env)
    terminal.read_until(lambda shown: "?" in shown)
    terminal.type("y\n")
    terminal.read_until(lambda shown: "in flight" in shown and "error" in shown)
    assert terminal.end() == 0
    assert re.search(r"\$0\.\d+ of \$0\.05\d*", terminal.shown)
    assert "The report is" in terminal.shown


def test_calls_that_were_sent_are_in_flight_before_any_has_ended(project: ProjectFolder) -> None:
    project.server.latency = 30.0
    terminal = Terminal("run", "-y", cwd=project.path, env=project.env)
    terminal.read_until(lambda shown: "0 calls, 2 in flight" in shown)
    terminal.process.kill()
    assert terminal.end() == -signal.SIGKILL


def test_ctrl_c_is_acknowledged_at_once_with_what_is_waited_for(project: ProjectFolder) -> None:
    project.server.latency = 30.0
    project.write_run_file(grace=20)
    terminal = Terminal("run", "-y", cwd=project.path, env=project.env)
    terminal.read_until(lambda shown: "2 in flight" in shown)
    told_to_stop = time.monotonic()
    terminal.process.send_signal(signal.SIGINT)
    terminal.read_until(lambda shown: "stop now" in shown)
    assert (
        "stopping: waiting for 2 calls under way, at most 20 s; Ctrl-C again to stop now"
        in terminal.shown
    )
    assert terminal.process.poll() is None, "calls under way are waited for"
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 130
    assert time.monotonic() - told_to_stop < 15, "asked again, it does not wait"
    assert terminal.shown.count("stopping:") == 1


def test_elapsed_and_remaining_time_have_their_names_on_a_narrow_terminal(
    project: ProjectFolder,
) -> None:
    project.server.latency = 0.05
    narrow = {"COLUMNS": "80"}
    terminal = Terminal("run", "-y", cwd=project.path, env=project.env | narrow)
    terminal.read_until(lambda shown: re.search(r"remaining about \d+:\d\d", shown) is not None)
    assert terminal.end() == 0
    assert re.search(r"elapsed \d+:\d\d, remaining about \d+:\d\d", terminal.shown)
    assert not re.search(r"\d:\d\d left", terminal.shown)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_in_order_and_can_be_resumed(
    project: ProjectFolder, number: signal.Signals
) -> None:
    project.server.latency = 0.3
    terminal = Terminal("run", "-y", cwd=project.path, env=project.env)
    terminal.read_until(lambda shown: "in flight" in shown)
    terminal.process.send_signal(number)
    assert terminal.end() == 130
    assert "spent on" in terminal.shown
    project.server.latency = 0.0
    again = Terminal("run", "-y", cwd=project.path, env=project.env)
    assert again.end() == 0
    assert project.server.bill <= 50_000_000


def test_an_interruption_outranks_an_open_gate_and_ends_no_later_run(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.server.latency = 0.3
    gate = ("--require", "mean > 5")
    terminal = Terminal("run", "-y", *gate, cwd=project.path, env=project.env)
    terminal.read_until(lambda shown: re.search(r"[1-9]\d* calls", shown) is not None)
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 130
    assert "inconclusive" in terminal.shown
    small = ("run", "--budget", "0.000001")
    later = adjudge(*small, cwd=project.path, env=project.env)
    assert "Nothing was asked" in later.stderr
    assert later.returncode == 0
    assert adjudge(*small, *gate, cwd=project.path, env=project.env).returncode == 4
