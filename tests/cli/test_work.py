"""`adjudge work` as a user meets it: a second process that makes calls of a run."""

import os
import subprocess
import sys

import psycopg

from tests.cli.conftest import Run
from tests.cli.project import ProjectFolder


def test_a_worker_makes_calls_of_a_run_that_another_process_plans(
    adjudge: Run, project: ProjectFolder, postgres: str
) -> None:
    (project.path / "strict.txt").write_text("Be strict.")
    project.server.latency = 0.1
    project.write_run_file(
        ledger=postgres, strategy="uniform", spend="all", budget=0.05, criteria_file="strict.txt",
        limits={"concurrency": 2},
    )  # fmt: skip
    elsewhere = project.path / "elsewhere"
    elsewhere.mkdir()
    with subprocess.Popen(
        [sys.executable, "-m", "adjudge", "work", postgres, "--quiet"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=elsewhere,
        env=os.environ | project.env,
    ) as worker:
        assert worker.stderr is not None
        assert "waiting for one" in worker.stderr.readline()
        done = adjudge("run", "-q", cwd=project.path, env=project.env)
        said, complaints = worker.communicate(timeout=60)
    assert done.returncode == 0, done.stderr
    assert worker.returncode == 0, complaints
    assert "Taking part in run: 24 items" in complaints
    assert "The run has ended" in said
    with psycopg.connect(postgres) as connection:
        owners = connection.execute(
            "SELECT count(DISTINCT owner), sum(charged) FROM adjudge.call WHERE charged > 0"
        ).fetchone()
    assert owners == (2, project.server.bill)
    assert project.server.bill <= 50_000_000


def test_work_without_a_shared_ledger_is_one_sentence(adjudge: Run, project: ProjectFolder) -> None:
    refused = adjudge("work", "run.ledger.sqlite", cwd=project.path)
    assert refused.returncode == 1
    assert "postgresql://host/database" in refused.stderr
