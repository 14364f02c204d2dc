"""Running again: less money than was spent, nothing left to buy, the same key missing twice."""

import json
import os

from tests.cli.conftest import Run
from tests.cli.project import ProjectFolder

SIMULATED = [{"kind": "simulated", "name": "cheap", "price_per_call": 0.001}]


def test_a_budget_below_what_was_spent_shows_what_is_there(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.write_run_file(judges=SIMULATED, budget=0.1, spend="all")
    before = json.loads(adjudge("run", "--json", cwd=project.path).stdout)
    again = adjudge("run", "--json", "--budget", "0.05", cwd=project.path)
    assert again.returncode == 0, again.stderr
    told = " ".join(again.stderr.split())
    assert "Nothing was asked: this budget is $0.05, and $0.10 was spent" in told
    assert "--fresh" in told
    assert "adjudge report" in told
    after = json.loads(again.stdout)
    assert after["overall"] == before["overall"]
    assert after["bill"]["spent"] == before["bill"]["spent"]


def test_runs_that_buy_nothing_leave_one_line_in_status(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.write_run_file(judges=SIMULATED, budget=0.05, strategy="uniform", spend="all")
    for _ in range(3):
        assert adjudge("run", "--json", cwd=project.path).returncode == 0
    told = adjudge("status", cwd=project.path).stdout
    assert told.count("the run ended: ") == 1
    assert "DONE:" not in told
    assert "BUDGET:" not in told


def test_a_key_that_several_judges_lack_is_told_of_once(
    adjudge: Run, project: ProjectFolder
) -> None:
    judges = [project.judge(name, key="ABSENT_KEY") for name in ("large", "small")]
    project.write_run_file(judges=judges)
    bare = {name: value for name, value in os.environ.items() if name != "ABSENT_KEY"}
    for command in ("check", "run"):
        done = adjudge(command, cwd=project.path, env=bare)
        assert done.returncode == 1
        told = " ".join(done.stderr.split())
        assert told.count("ABSENT_KEY is not set") == 1, told
        assert "key of large, small: " in told
