"""What a changed run file leaves uncounted, and how to begin anew."""

import json
from pathlib import Path

import pytest

from adjudge.errors import StoreError
from adjudge.records import nano_dollars
from adjudge.store import SqliteStore, SqliteView, put_aside
from tests.cli.conftest import Run
from tests.cli.project import ProjectFolder
from tests.cli.test_terminal import Terminal


def spent_in(ledger: Path) -> int:
    view = SqliteView.look(ledger)
    try:
        return view.balance().spent
    finally:
        view.close()


def test_a_changed_prompt_tells_before_the_run_how_many_paid_answers_no_longer_count(
    adjudge: Run, project: ProjectFolder
) -> None:
    first = adjudge("run", "--budget", "0.01", "--json", cwd=project.path, env=project.env)
    assert first.returncode == 0, first.stderr
    assert "not count" not in first.stderr
    calls, bill = project.server.requests, project.server.bill
    project.write_run_file(criteria="Is it short?", budget=0.01)
    terminal = Terminal("run", cwd=project.path, env=project.env)
    asked = terminal.read_until(lambda shown: "?" in shown)
    assert f"more ({calls} paid answers not counted)?" in asked
    terminal.type("n\n")
    assert terminal.end() == 1
    done = adjudge("run", "--json", cwd=project.path, env=project.env)
    assert f"{calls} paid answers (${bill / 1e9:.6f}".rstrip("0") in done.stderr
    assert "do not count for it" in done.stderr
    assert "--fresh" in done.stderr


def test_a_fresh_run_has_the_whole_budget_and_keeps_the_old_ledgers(
    adjudge: Run, project: ProjectFolder
) -> None:
    settings = ("--budget", "0.01", "--json", "--limit", "6")
    bills = [0]
    for fresh in ((), ("--fresh",), ("--fresh",)):
        done = adjudge("run", *settings, *fresh, cwd=project.path, env=project.env)
        assert done.returncode == 0, done.stderr
        bills.append(project.server.bill)
        assert json.loads(done.stdout)["bill"]["spent"] == (bills[-1] - bills[-2]) / 1e9 > 0
    assert "run.ledger.2.sqlite. This run has the whole budget of $0.01 again." in done.stderr
    kept = [spent_in(project.path / f"run.ledger.{n}.sqlite") for n in (1, 2)]
    assert kept == [bills[1], bills[2] - bills[1]]
    assert not list(project.path.glob("run.ledger*-wal"))


def test_a_ledger_in_use_is_not_put_aside(tmp_path: Path) -> None:
    ledger = tmp_path / "run.ledger.sqlite"
    assert put_aside(ledger) is None
    store = SqliteStore.open(ledger, budget=nano_dollars("1"))
    with pytest.raises(StoreError, match="is in use"):
        put_aside(ledger)
    store.close()
    assert put_aside(ledger) == tmp_path / "run.ledger.1.sqlite"
    assert not ledger.exists()


def test_a_file_that_is_no_ledger_is_not_put_aside(tmp_path: Path) -> None:
    ledger = tmp_path / "run.ledger.sqlite"
    ledger.write_text("notes of mine, longer than any header of a database would be\n" * 20)
    with pytest.raises(StoreError):
        put_aside(ledger)
    assert ledger.exists()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (("--budget", "0.000001"), "pays for no call"),
        (("--set", "judges.0.model=larg"), "larg"),
        (("--set", "judges.0.key=NO_SUCH_KEY"), "NO_SUCH_KEY"),
    ],
)
def test_a_fresh_run_that_cannot_begin_leaves_the_ledger_where_it_is(
    adjudge: Run, project: ProjectFolder, change: tuple[str, str], complaint: str
) -> None:
    first = adjudge("run", "--budget", "0.01", "--json", cwd=project.path, env=project.env)
    assert first.returncode == 0, first.stderr
    project.server.models = ("large", "small")
    refused = adjudge("run", "--fresh", "--json", *change, cwd=project.path, env=project.env)
    assert refused.returncode == 1
    assert complaint in refused.stderr
    assert (project.path / "run.ledger.sqlite").exists()
    assert not (project.path / "run.ledger.1.sqlite").exists()
