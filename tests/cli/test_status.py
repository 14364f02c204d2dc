"""What `adjudge status` says after a probe, after a change, and beside other processes."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from adjudge.testing.faults import Fault
from adjudge.testing.reply import Reply
from tests.cli.conftest import Run
from tests.cli.project import MODELS, ProjectFolder


@pytest.fixture
def small(project: ProjectFolder) -> ProjectFolder:
    project.write_items(3)
    project.write_run_file(budget=0.02)
    return project


def status_of(adjudge: Run, project: ProjectFolder) -> tuple[str, dict[str, object]]:
    """In words, on one line, and as JSON."""
    words = adjudge("status", cwd=project.path)
    plain = adjudge("status", "--json", cwd=project.path)
    assert words.returncode == plain.returncode == 0, words.stderr + plain.stderr
    return " ".join(words.stdout.split()), json.loads(plain.stdout)


@contextmanager
def running(project: ProjectFolder, calls: int) -> Iterator["subprocess.Popen[str]"]:
    """A run in a process of its own, with so many calls under way that do not end."""
    project.server.latency = 60.0
    arrived = threading.Semaphore(0)
    reply_to = project.server.reply_to

    def heard(body: bytes, key: str) -> Reply:
        arrived.release()
        return reply_to(body, key)

    project.server.reply_to = heard  # type: ignore[method-assign]
    process = subprocess.Popen(
        [sys.executable, "-m", "adjudge", "run", "--quiet"],
        cwd=project.path,
        env=os.environ | project.env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert all(arrived.acquire(timeout=60) for _ in range(calls))
        yield process
    finally:
        process.kill()
        process.communicate()


def test_after_a_probe_no_run_has_begun_and_its_answers_count(
    adjudge: Run, small: ProjectFolder
) -> None:
    adjudge("check", "--probe", cwd=small.path, env=small.env)
    words, plain = status_of(adjudge, small)
    assert "No run has begun" in words
    assert "2 answers count already, from a probe." in words
    assert "running" not in words
    assert "killed" not in words
    assert (plain["begun"], plain["end"], plain["calls"]) == (False, None, 2)
    report = adjudge("report", "--json", cwd=small.path)
    (first, *_) = json.loads(report.stdout)["notices"]
    assert first["text"].startswith("No run has begun with this run file as it is now.")


def test_after_a_change_of_the_prompt_it_says_how_much_no_longer_counts(
    adjudge: Run, small: ProjectFolder
) -> None:
    adjudge("run", cwd=small.path, env=small.env)
    _, before = status_of(adjudge, small)
    assert before["not_counted"] == {"calls": 0, "spent": 0}
    small.write_run_file(budget=0.02, criteria="Is it short?")
    words, plain = status_of(adjudge, small)
    calls = sum(small.server.billed.values())
    assert plain["not_counted"] == {"calls": calls, "spent": small.server.bill / 1e9}
    assert (plain["calls"], plain["begun"], plain["end"]) == (0, False, None)
    assert f"Not counted here: {calls} paid calls for $" in words
    assert "No run has begun with this run file as it is now." in words
    small.write_run_file(budget=0.04, criteria="Is it short?")
    done = adjudge("run", cwd=small.path, env=small.env)
    own = sum(small.server.billed.values()) - calls
    assert f"of it on {own} calls." in " ".join(done.stdout.split())


def test_a_judge_that_was_switched_off_with_other_settings_is_not_told_of(
    adjudge: Run, small: ProjectFolder
) -> None:
    small.server.schedule = lambda _: Fault.OUT_OF_CREDIT
    assert adjudge("run", cwd=small.path, env=small.env).returncode == 1
    assert "switched off: HTTP 429: you have no credit" in status_of(adjudge, small)[0]
    small.write_run_file(criteria="Is it short?")
    assert "you have no credit" not in status_of(adjudge, small)[0]


def test_calls_under_way_in_another_process_are_told_and_after_its_death_that_it_died(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.write_run_file(judges=[project.judge(name, answers_per_request=1) for name in MODELS])
    with running(project, 2) as process:
        words, plain = status_of(adjudge, project)
        assert "Now 1 process is at work, with 2 calls under way." in words
        assert "killed" not in words
        assert plain["at_work"] == {"processes": 1, "calls": 2}
        assert (plain["begun"], plain["end"], plain["abandoned"]) == (True, None, 0)
        process.send_signal(signal.SIGKILL)
        process.wait()
    words, plain = status_of(adjudge, project)
    assert "2 calls were under way in a process that died" in words
    assert "The last run did not come to its end" in words
    assert (plain["at_work"], plain["abandoned"]) == ({"processes": 0, "calls": 0}, 2)


def test_an_ended_run_beside_one_that_goes_on_is_not_the_end(
    adjudge: Run, small: ProjectFolder
) -> None:
    small.write_run_file(budget=0.005)
    assert adjudge("run", cwd=small.path, env=small.env).returncode == 0
    small.write_run_file(budget=0.02)
    with running(small, 1) as process:
        words, _ = status_of(adjudge, small)
        assert "Now 1 process is at work" in words
        assert process.poll() is None


def test_what_a_judge_billed_beyond_the_budget_is_told_and_is_no_success(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.server.schedule = lambda number: Fault.OVERRUN
    project.server.answer = lambda model, prompt, number: '{"score": 5}' + " " * 400
    project.write_run_file(budget=0.0025)
    for _ in range(2):
        done = adjudge("run", "--no-report", cwd=project.path, env=project.env)
        assert done.returncode == 1
        assert "more than the budget allows" in done.stderr
    status = adjudge("status", cwd=project.path, env=project.env)
    assert "more than the budget allows" in " ".join(status.stdout.split())


def test_a_precision_that_was_not_reached_is_told(adjudge: Run, project: ProjectFolder) -> None:
    done = adjudge(
        "run", "--budget", "0.01", "--until", "width < 0.01", cwd=project.path, env=project.env
    )
    assert done.returncode == 0
    assert "until `width < 0.01` is not reached: the intervals are" in done.stderr
