import contextlib
import csv
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import Run

SMALL = (
    "simulate", "--family", "mult", "--items", "20", "--judges", "3", "--runs", "2", "--jobs", "1",
    "--strategy", "oracle", "--strategy", "uniform", "--calls-per-item", "6", "--norm", "2",
    "--norm", "inf",
)  # fmt: skip


def test_the_version_and_the_help_are_printed(adjudge: Run) -> None:
    assert adjudge("--version").stdout.startswith("adjudge 0.")
    assert "simulate" in adjudge("--help").stdout
    shown = adjudge("simulate", "--help").stdout
    assert "Example" in shown
    assert "--calls-per-item" in shown


def test_a_table_of_mean_errors_and_ratios_is_the_default(adjudge: Run) -> None:
    done = adjudge(*SMALL)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "6 calls/item" in done.stdout
    assert "ratio: mean error over that of oracle in the same runs" in done.stdout
    assert "coverage" in done.stdout
    assert "1.000 ± 0.000" in done.stdout


def test_json_and_csv_give_one_row_per_run(adjudge: Run) -> None:
    from_json = json.loads(adjudge(*SMALL, "--json").stdout)
    from_csv = list(csv.DictReader(io.StringIO(adjudge(*SMALL, "--csv").stdout)))
    fields = ["strategy", "budget", "norm", "run", "error", "spent", "calls", "coverage"]
    assert len(from_json) == len(from_csv) == 8
    assert list(from_json[0]) == list(from_csv[0]) == fields
    assert {row["norm"] for row in from_json} == {2.0, "inf"}
    for one, other in zip(from_json, from_csv, strict=True):
        assert one["error"] == float(other["error"])
        assert one["spent"] <= one["budget"]
        assert 0 <= one["coverage"] == float(other["coverage"]) <= 1


def test_a_seed_repeats_the_numbers_whatever_the_number_of_jobs(adjudge: Run) -> None:
    def by_cell(text: str) -> list[dict[str, object]]:
        return sorted(json.loads(text), key=lambda row: json.dumps(row, sort_keys=True))

    alone = adjudge(*SMALL, "--json", "--seed", "5").stdout
    together = adjudge(*SMALL, "--json", "--seed", "5", "--jobs", "2").stdout
    assert by_cell(alone) == by_cell(together)


def test_recorded_scores_can_be_replayed_with_prices(adjudge: Run, tmp_path: Path) -> None:
    rows = [
        {"item": item, "judge": judge, "sample": sample, "score": (item * 7 + sample) % 5 + 1}
        for item in range(12)
        for judge in ("a=x", "b")
        for sample in range(4)
    ]
    file = tmp_path / "scores.parquet"
    pl.DataFrame(rows).write_parquet(file)
    done = adjudge(
        "simulate", "--recorded", str(file), "--items", "8", "--price", "a=x=0.5", "--price",
        "b=1.5", "--strategy", "uniform", "--calls-per-item", "2", "--runs", "2", "--json",
        "--jobs", "1",
    )  # fmt: skip
    assert done.returncode == 0
    assert [row["budget"] for row in json.loads(done.stdout)] == [16.0, 16.0]


def test_a_budget_that_a_strategy_refuses_is_named_and_the_others_run(adjudge: Run) -> None:
    done = adjudge(*SMALL, "--strategy", "est-ivwe-bounded")
    assert done.returncode == 0
    assert "refused" in done.stdout
    assert "adjudge: est-ivwe-bounded was not run at 6 calls/item, norm 2: budget: " in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--family, --recorded: neither; say where instances come from"),
        (("--family", "mult", "--recorded", "x.csv"), "--family, --recorded: both"),
        (("--family", "mul"), "family: mul; choose one of paper, "),
        (("--family", "mult", "--axis", "a"), "--axis: given with --family; it belongs to"),
        (("--family", "mult", "--norm", "two"), "--norm: two; give a number from 1 to inf"),
        (("--family", "mult", "--norm", "0.5"), "norm: 0.5; give numbers from 1 to inf"),
        (("--family", "mult", "--budget", "-3"), "budget: -3.0; a budget must be positive"),
        (("--family", "mult", "--items", "0"), "items: 0; give at least 1"),
        (("--family", "mult", "--strategy", "x"), "strategy: x; choose among oracle, "),
        (("--family", "mult", "--json", "--csv"), "--json, --csv: both; choose one"),
        (("--family", "mult", "--delta", "2"), "confidence: -1.0"),
        (("--recorded", "missing.parquet"), "missing.parquet"),
    ],
)
def test_bad_input_ends_in_one_sentence_and_exit_code_1(
    adjudge: Run, arguments: tuple[str, ...], message: str
) -> None:
    done = adjudge("simulate", *arguments, "--runs", "1", "--jobs", "1")
    assert done.returncode == 1
    assert done.stdout == ""
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_an_unknown_option_is_a_usage_error(adjudge: Run) -> None:
    assert adjudge("simulate", "--famly", "mult").returncode == 2


def test_ctrl_c_prints_what_is_done_so_far() -> None:
    screen, terminal = pty.openpty()
    process = subprocess.Popen(
        [
            sys.executable, "-m", "adjudge", "simulate", "--family", "mult", "--items", "50",
            "--judges", "3", "--runs", "1000000", "--strategy", "uniform", "--calls-per-item", "3",
            "--jobs", "2", "--csv",
        ],
        stdout=subprocess.PIPE, stderr=terminal, text=True, start_new_session=True,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100"},
    )  # fmt: skip
    os.close(terminal)
    shown = b""
    while not re.search(rb"[1-9][0-9]*/1000000", shown):
        shown += os.read(screen, 4096)
    os.killpg(process.pid, signal.SIGINT)
    rows, said = process.stdout.read(), _rest_of(screen)  # type: ignore[union-attr]
    process.stdout.close()  # type: ignore[union-attr]
    assert process.wait() == 130
    assert re.search(r"interrupted after [1-9][0-9]* of 1000000 runs", said)
    assert len(rows.splitlines()) > 1


def _rest_of(screen: int) -> str:
    said = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while part := os.read(screen, 4096):
            said += part
    os.close(screen)
    return said.decode()
