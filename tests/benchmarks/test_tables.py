"""Every table that the benchmarks rest on can be printed by one command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchmarks.tables import RESULTS, markdown, read

HERE = Path(__file__).parents[2]


def printed(*names: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks.tables", *names]
    return subprocess.run(command, capture_output=True, text=True, cwd=HERE, check=False)


def test_columns_have_one_width_and_numbers_are_aligned_to_the_right() -> None:
    assert list(markdown([["set", "error"], ["a", "1.5"], ["long", "12 ± 3"]])) == [
        "| set  |  error |",
        "|------|-------:|",
        "| a    |    1.5 |",
        "| long | 12 ± 3 |",
    ]


def test_every_table_is_printed() -> None:
    done = printed()
    assert done.returncode == 0, done.stderr
    for path in RESULTS.glob("*.csv"):
        assert f"## {path.stem}\n" in done.stdout
        assert "\n".join(markdown(read(path))) in done.stdout


def test_a_table_that_does_not_exist_is_one_sentence() -> None:
    done = printed("nothing")
    assert done.returncode == 1
    assert "no table nothing; there are coverage" in done.stderr
