from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import Run

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
SMALL = (
    "reproduce", "single", "--items", "10", "--runs", "3", "--budgets", "1e3,1e5", "--jobs", "1",
)  # fmt: skip


@pytest.fixture
def score_file(tmp_path: Path) -> Path:
    rows = [
        {"prompt": f"p{item}", "model": judge, "rating": 1 + (item + call * (judge == "b")) % 2}
        for item in range(8)
        for judge in ("a", "b")
        for call in (0, 0, 1, 0, 2)
    ]
    path = tmp_path / "ratings.jsonl"
    pl.DataFrame(rows).write_ndjson(path)
    return path


def kept_runs(directory: Path) -> list[str]:
    return [line for path in directory.rglob("*.jsonl") for line in path.read_text().splitlines()]


def group_lives(leader: int) -> bool:
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("command", ["synthetic", "costs", "single", "recorded", "all"])
def test_every_command_has_help_with_an_example(adjudge: Run, command: str) -> None:
    shown = adjudge("reproduce", command, "--help")
    assert shown.returncode == 0
    assert "Example" in shown.stdout
    assert f"adjudge reproduce {command}" in shown.stdout
    for option in ("--runs", "--budgets", "--delta", "--seed", "--jobs", "-o"):
        assert option in shown.stdout


def test_all_writes_figures_points_and_findings_of_every_experiment(
    adjudge: Run, tmp_path: Path, score_file: Path
) -> None:
    done = adjudge(
        "reproduce", "all", "--items", "10", "--judges", "2", "--runs", "2", "--jobs", "1",
        "--budgets", "1e3,1e5", "--recorded", str(score_file), "--min-samples", "5",
        "--map", "item=prompt", "--map", "judge=model", "--map", "score=rating",
        "-o", str(tmp_path / "out"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "ratings.jsonl, ratings: 8 items; dropped:" in done.stdout
    names = {path.name for path in (tmp_path / "out").iterdir()}
    figures = ["synthetic-l1", "synthetic-l2", "synthetic-linf", "costs", "single-linf"]
    figures += ["recorded-ratings", "differing-ratings"]
    studies = ["synthetic", "costs", "single", "recorded-ratings", "differing-ratings"]
    expected = {f"{name}.{kind}" for name in figures for kind in ("png", "pdf")}
    expected |= {f"{name}.{kind}" for name in studies for kind in ("csv", "json")}
    assert names == expected | {"findings.md", "finished-runs"}
    assert all(str(tmp_path / "out" / name) in done.stdout for name in expected)
    findings = (tmp_path / "out" / "findings.md").read_text()
    assert "Verdict" in findings
    assert "Est-IVWE is below Uniform" in findings


def test_an_interrupted_run_keeps_what_is_done_and_goes_on_from_there(
    adjudge: Run, tmp_path: Path
) -> None:
    arguments = ["reproduce", "single", "--items", "300", "--jobs", "2", "-o", str(tmp_path)]
    with subprocess.Popen(
        [sys.executable, "-m", "adjudge", *arguments, "--runs", "500"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + 120
        while len(kept_runs(tmp_path)) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        # As a terminal does: to the program and to its workers alike.
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
    kept = kept_runs(tmp_path)
    assert process.returncode == 130
    assert said.startswith(f"adjudge: interrupted after {len(kept)} of 500 runs, which are kept in")
    assert said.endswith("the same command goes on from there\n")
    assert "Traceback" not in said
    done = adjudge(*arguments, "--runs", "2")
    assert done.returncode == 0, done.stderr
    again = kept_runs(tmp_path)
    assert again[: len(kept)] == kept
    assert len(again) <= len(kept) + 2
    assert json.loads((tmp_path / "single.json").read_text())["runs"] == 2


def test_a_killed_run_leaves_no_worker_behind(tmp_path: Path) -> None:
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "adjudge", "reproduce", "single", "--items", "300"),
            *("--jobs", "2", "--runs", "500", "-o", str(tmp_path)),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        deadline = time.monotonic() + 120
        while not kept_runs(tmp_path) and time.monotonic() < deadline:
            time.sleep(0.05)
        process.kill()
    while group_lives(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert kept_runs(tmp_path)
    assert not group_lives(process.pid)


def test_a_second_call_does_nothing_twice(adjudge: Run, tmp_path: Path) -> None:
    def written() -> list[bytes]:
        done = adjudge(*SMALL, "-o", str(tmp_path))
        assert done.returncode == 0, done.stderr
        return [path.read_bytes() for path in sorted(tmp_path.iterdir()) if path.is_file()]

    first = written()
    assert len(kept_runs(tmp_path)) == 3
    assert written() == first
    assert len(kept_runs(tmp_path)) == 3


def test_progress_with_the_time_left_is_shown_on_a_terminal(tmp_path: Path) -> None:
    outer, inner = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "adjudge", *SMALL, "-o", str(tmp_path)],
        stderr=inner,
        stdout=subprocess.DEVNULL,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    ) as process:
        os.close(inner)
        shown = b""
        try:
            while chunk := os.read(outer, 4096):
                shown += chunk
        except OSError:
            pass  # Linux says so when the other end of the terminal has closed.
    os.close(outer)
    assert process.returncode == 0
    assert b"3/3" in shown
    assert b"0:00:0" in shown


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("single", "--budgets", "much"), "--budgets: much; write numbers, as 1e6,1e7,1e8"),
        (("single", "--runs", "0"), "runs: 0; give at least 1"),
        (("single", "--jobs", "-2"), "jobs: -2; give at least 1"),
        (("synthetic", "--judges", "0"), "judges: 0; give at least 1"),
        (("costs", "--delta", "2"), "delta: 2.0; it must lie between 0 and 1, as 0.05 does"),
        (("recorded", "none.csv"), "path: none.csv is not a file; give a file of recorded scores"),
        (
            ("recorded", "FILE"),
            "item: no such column in ratings.jsonl, which has prompt, model, rating; recorded "
            "scores need the columns item, judge, score",
        ),
        (
            ("recorded", "FILE", "--map", "item"),
            "--map: item; write OURS=THEIRS, as item=prompt_id",
        ),
        (
            ("recorded", "FILE", "MAPPED", "--score-range", "0", "1"),
            "score: 2 in ratings.jsonl; every score must lie in the range 0 to 1",
        ),
        (
            ("recorded", "FILE", "MAPPED"),
            "min-samples: 25, but none of 8 items has that many scores by every judge; give at "
            "most 5",
        ),
    ],
)
def test_bad_input_ends_in_one_clear_sentence(
    adjudge: Run, tmp_path: Path, score_file: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    mapped = ("--map", "item=prompt", "--map", "judge=model", "--map", "score=rating")
    given: list[str] = []
    for argument in arguments:
        given += mapped if argument == "MAPPED" else [argument.replace("FILE", str(score_file))]
    done = adjudge("reproduce", *given, "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    assert done.stderr == f"adjudge: {sentence}\n"


@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded scores are not here")
def test_real_recorded_judges_run_as_they_stand(adjudge: Run, tmp_path: Path) -> None:
    file = str(DATA / "rewardbench2_core5x8.parquet")
    done = adjudge(
        "reproduce", "recorded", file, "--min-samples", "8", "--runs", "2", "--jobs", "1",
        "--budgets", "1e3,1e5,1e6", "-o", str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "6608 items" in done.stdout
    assert "kept: 453" in done.stdout
    findings = (tmp_path / "findings.md").read_text()
    assert "The paper's own algorithm, and its Oracle, lose to Uniform" in findings
