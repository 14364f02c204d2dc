"""Exported tables: what they hold, and that our own commands read them."""

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import Run

JUDGE = """
def first(item):
    number = STATE.setdefault(item.id, len(STATE))
    STATE[item.id] += 1
    if number % 5 == 4:
        return None
    return 2 + (len(item.response) + number) % 4

def second(item):
    if item.id == "i3":
        raise KeyError("nothing is known of i3")
    return first(item)

STATE = {}
"""

pytestmark = pytest.mark.xdist_group("the finished run")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of two functions that sometimes give no score, and what it said."""
    folder = tmp_path_factory.mktemp("finished")
    rows = [
        {"id": f"i{n}", "prompt": f"Question {n}?", "response": "a" * n + ".", "target": f"t{n}"}
        | {"word count": n, "calls": 7}
        for n in range(6)
    ]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "own.py").write_text(JUDGE)
    settings = {
        "items": "items.jsonl",
        "budget": 0.1,
        "strategy": "uniform",
        "judges": [
            {"function": "own:first", "name": "a judge", "price_per_call": 0.001},
            {"function": "own:second", "name": "a_judge", "price_per_call": 0.001},
        ],
    }
    (folder / "run.yaml").write_text(json.dumps(settings))
    for arguments in (["run", "--no-report"], ["export", "calls", "--import", "-o", "calls.csv"]):
        done = subprocess.run(
            [sys.executable, "-m", "adjudge", *arguments],
            capture_output=True,
            text=True,
            check=True,
            cwd=folder,
        )
        (folder / f"{arguments[0]}.txt").write_text(done.stdout)
    return folder


def test_a_run_shows_what_functions_raised(finished: Path) -> None:
    said = (finished / "run.txt").read_text()
    assert "a_judge raised" in said
    assert 'raise KeyError("nothing is known of i3")' in said


def test_exported_items_carry_their_texts_under_names_without_spaces(
    adjudge: Run, finished: Path
) -> None:
    done = adjudge("export", "items", "--import", "-o", "items.parquet", cwd=finished)
    assert done.returncode == 0, done.stderr
    items = pl.read_parquet(finished / "items.parquet")
    assert items["prompt"].to_list() == [f"Question {n}?" for n in range(6)]
    assert items["response"].to_list() == ["a" * n + "." for n in range(6)]
    assert items["reference"].to_list() == [f"t{n}" for n in range(6)]
    ours = set(items.columns) - {"word count"}  # the user's own name of a column
    assert ours >= {"calls_a_judge", "calls_a_judge_2", "weight_a_judge", "weight_a_judge_2"}
    assert not any(" " in name for name in ours)
    assert items["item_calls"].to_list() == [7] * 6
    total = items["calls_a_judge"] + items["calls_a_judge_2"]
    assert items["calls"].to_list() == total.to_list()


def test_exported_calls_can_be_simulated_as_they_are(adjudge: Run, finished: Path) -> None:
    silent = pl.read_csv(finished / "calls.csv")["score"].null_count()
    assert silent > 1
    done = adjudge(
        "simulate", "--recorded", "calls.csv", "--strategy", "panel", "--runs", "2",
        "--calls-per-item", "2", "--jobs", "1", "--json", cwd=finished,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)) == 2
    assert f"calls.csv: {silent} calls without a score left out" in done.stderr


def test_exported_calls_can_be_studied_as_they_are(adjudge: Run, finished: Path) -> None:
    silent = pl.read_csv(finished / "calls.csv")["score"].null_count()
    done = adjudge(
        "reproduce", "recorded", "calls.csv", "--min-samples", "1", "--judge", "a judge",
        "--runs", "1", "--budgets", "100", "--jobs", "1", "-o", "results", cwd=finished,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "calls.csv: " in done.stdout
    assert "without a score left out" in done.stdout
    assert 0 < int(done.stdout.split("calls.csv: ")[1].split()[0]) < silent
    assert (finished / "results" / "findings.md").exists()
