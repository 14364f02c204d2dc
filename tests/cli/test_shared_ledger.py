"""A ledger in PostgreSQL as a user meets it: real processes and a real server."""

import json

import pytest

from tests.cli.conftest import Run
from tests.cli.project import ProjectFolder


def told(adjudge: Run, project: ProjectFolder, *arguments: str) -> dict:
    done = adjudge(*arguments, "--json", cwd=project.path, env=project.env)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_password_in_the_address_is_refused_and_not_repeated(
    adjudge: Run, project: ProjectFolder
) -> None:
    in_the_file, given = "postgresql://me:hush-hush@h/db", "postgresql://h/db?password=hush-hush"
    project.write_run_file(ledger=in_the_file)
    for command in (["status"], ["ledger", "check", given]):
        done = adjudge(*command, cwd=project.path, env=project.env)
        assert done.returncode == 1
        assert "PGPASSFILE" in done.stderr
        assert "hush-hush" not in done.stdout + done.stderr


def test_a_server_that_does_not_answer_is_one_sentence(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.write_run_file(ledger="postgresql://127.0.0.1:1/nowhere")
    done = adjudge("run", cwd=project.path, env=project.env)
    assert done.returncode == 1
    assert "postgresql://127.0.0.1:1/nowhere: cannot be reached" in done.stderr
    assert "Traceback" not in done.stderr
    assert project.server.bill == 0


def test_runs_on_one_purse_keep_their_own_limits_and_the_purse_keeps_its_own(
    adjudge: Run, project: ProjectFolder, postgres: str
) -> None:
    own = {"ledger": postgres, "strategy": "uniform", "spend": "all"}
    project.write_run_file(**own, purse="team", budget=0.004)
    missing = adjudge("run", cwd=project.path, env=project.env)
    assert missing.returncode == 1
    assert "adjudge ledger purse team --budget" in missing.stderr
    made = adjudge("ledger", "purse", "team", "--budget", "0.01", cwd=project.path, env=project.env)
    assert made.returncode == 0, made.stderr
    assert adjudge("run", "-q", cwd=project.path, env=project.env).returncode == 0
    first = project.server.bill
    assert 0 < first <= 4_000_000
    assert not list(project.path.glob("*.sqlite*"))
    # Another run, with other prompts, would spend more than the purse still has.
    project.write_run_file(**own, purse="team/nightly", budget=0.05, criteria="Be strict.")
    assert adjudge("run", "-q", cwd=project.path, env=project.env).returncode == 0
    report = told(adjudge, project, "status", "--purse")
    spent = {account["run"]: round(account["spent"] * 1e9) for account in report["accounts"]}
    assert spent == {"run": first, "nightly": project.server.bill - first}
    assert 7_000_000 < sum(spent.values()) <= 10_000_000
    assert [one["spent"] for one in report["accounts"][0]["by"]] == [report["accounts"][0]["spent"]]


def test_a_ledger_is_copied_into_a_database_and_the_run_goes_on_there(
    adjudge: Run, project: ProjectFolder, postgres: str
) -> None:
    settings = {"strategy": "uniform", "spend": "all"}
    project.write_run_file(**settings, budget=0.01)
    assert adjudge("run", "-q", cwd=project.path, env=project.env).returncode == 0
    bill = project.server.bill
    copied = adjudge("ledger", "copy", "run.ledger.sqlite", postgres, cwd=project.path)
    assert copied.returncode == 0, copied.stderr
    project.write_run_file(**settings, budget=0.02, ledger=postgres)
    refused = adjudge("run", "--fresh", cwd=project.path, env=project.env)
    assert "is shared with others" in refused.stderr
    assert adjudge("run", "-q", cwd=project.path, env=project.env).returncode == 0
    assert bill < project.server.bill <= 20_000_000
    assert told(adjudge, project, "status")["spent"] * 1e9 == pytest.approx(project.server.bill)
    checked = adjudge("ledger", "check", cwd=project.path, env=project.env)
    assert "Nothing is wrong." in checked.stdout
