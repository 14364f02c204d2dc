"""A full disk, a folder that cannot be written, a clock that jumps."""

import asyncio
import itertools
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from adjudge.records import nano_dollars
from adjudge.run import End, judge_items
from adjudge.store import SqliteStore
from adjudge.testing.server import PracticeServer
from tests.live.child import Child, Task
from tests.live.support import PRICES

BUDGET = nano_dollars("0.02")
ROOT = Path(__file__).parents[2]


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES) as running:
        yield running


def test_a_file_that_may_not_grow_ends_the_run_and_can_be_resumed(server, tmp_path):
    task = Task(url=server.url, ledger=tmp_path / "ledger.db", budget=BUDGET)
    said = Child(replace(task, largest_file=120_000)).finish()
    assert said.startswith("StoreError")
    assert "ledger.db" in said
    assert 0 < server.bill <= BUDGET
    report = Child(task).finish()
    assert report.end in {End.BUDGET, End.DONE}
    assert server.bill <= report.spent <= BUDGET


_ON_A_SMALL_DISK = """
import pickle, sys
from adjudge.errors import StoreError
from adjudge.run import run
task = pickle.load(sys.stdin.buffer)
try:
    run(task.plan(), task.ledger, budget=task.budget)
except StoreError as error:
    print(error)
"""


def test_a_full_disk_ends_the_run_within_the_budget(server, tmp_path):
    mount = f"mount -t tmpfs -o size=192k none {tmp_path}"
    alone = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*alone, mount], check=False).returncode:
        pytest.skip("this system lets nobody mount a small disk")
    task = Task(url=server.url, ledger=tmp_path / "ledger.db", budget=BUDGET)
    ended = subprocess.run(
        [*alone, f'{mount} && exec "$0" -c "$1"', sys.executable, _ON_A_SMALL_DISK],
        input=pickle.dumps(task),
        capture_output=True,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT}/src"},
        timeout=60,
        check=True,
    )
    assert b"full" in ended.stdout
    assert 0 < server.bill <= BUDGET


def test_a_folder_that_cannot_be_written_is_one_clear_error_and_nothing_is_spent(server):
    # Root may write anywhere, so that the child becomes somebody else first.
    user = 65534 if os.getuid() == 0 else None
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o555)
        task = Task(url=server.url, ledger=Path(folder) / "ledger.db", budget=BUDGET, user=user)
        said = Child(task).finish()
        Path(folder).chmod(0o755)
    assert said.startswith("StoreError")
    assert folder in said
    assert server.requests == 0


def test_a_clock_that_jumps_changes_nothing(server, tmp_path):
    jumps = itertools.cycle([0.0, 4e9, 1.0, 2e9])

    def run_with(now, name):
        # One judge, one call at a time: two take the last of the money in either order.
        task = Task(
            url=server.url,
            ledger=tmp_path / name,
            budget=BUDGET // 10,
            judges=("ann",),
            concurrency=1,
        )
        store = SqliteStore.open(task.ledger, budget=task.budget, now=now)
        try:
            return asyncio.run(judge_items(task.plan(), store, rng=np.random.default_rng(1)))
        finally:
            store.close()

    steady, jumping = (
        run_with(lambda: 0.0, "steady.db"),
        run_with(lambda: next(jumps), "jumping.db"),
    )
    assert jumping.end is steady.end
    assert jumping.balance == steady.balance
    assert np.array_equal(jumping.evidence.calls, steady.evidence.calls)
