"""`adjudge ledger` as a user meets it: a real process and a real ledger."""

import json
import sqlite3
from contextlib import closing

from tests.cli.conftest import Run
from tests.cli.project import ProjectFolder


def test_a_damaged_ledger_is_refused_checked_repaired_and_used_again(
    adjudge: Run, project: ProjectFolder
) -> None:
    assert adjudge("run", cwd=project.path, env=project.env).returncode == 0
    bill = project.server.bill
    ledger = project.path / "run.ledger.sqlite"
    with closing(sqlite3.connect(ledger)) as database:
        database.execute("UPDATE call SET score = 10 WHERE id = 2")
        database.commit()
    refused = adjudge("status", cwd=project.path, env=project.env)
    assert refused.returncode == 1
    assert "call 2 does not match its checksum" in refused.stderr
    assert "adjudge ledger repair" in refused.stderr
    found = adjudge("ledger", "check", str(ledger), "--json", cwd=project.path)
    assert found.returncode == 1
    assert json.loads(found.stdout)["problems"] == ["call 2 does not match its checksum."]

    repaired = adjudge("ledger", "repair", cwd=project.path, env=project.env)
    assert repaired.returncode == 0, repaired.stderr
    assert "run.ledger.sqlite.before-repair" in repaired.stdout
    assert "1 damaged call" in repaired.stdout
    status = adjudge("status", "--json", cwd=project.path, env=project.env)
    assert json.loads(status.stdout)["spent"] * 1e9 == bill
    sound = adjudge("ledger", "check", cwd=project.path, env=project.env)
    assert sound.returncode == 0, sound.stdout
    assert "Nothing is wrong." in sound.stdout
    assert adjudge("run", cwd=project.path, env=project.env).returncode == 0
    assert project.server.bill <= 50_000_000


def test_a_ledger_that_is_not_there_is_one_sentence(
    adjudge_from_nothing: Run, project: ProjectFolder
) -> None:
    for command in ("check", "repair"):
        done = adjudge_from_nothing("ledger", command, cwd=project.path, env=project.env)
        assert done.returncode == 1
        assert "there is no ledger here" in done.stderr
        assert "Traceback" not in done.stderr
