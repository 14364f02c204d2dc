"""`adjudge plan` is about the run that the run file describes."""

import json
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.project import ProjectFolder

SIMULATED = [
    {"kind": "simulated", "name": "cheap", "price_per_call": 0.001},
    {"kind": "simulated", "name": "dear", "price_per_call": 0.004},
]


@pytest.mark.parametrize(
    ("strategy", "calls"),
    [("uniform", 96), ({"kind": "single", "judge": "dear"}, 60)],
)
def test_the_forecast_is_that_of_the_strategy_which_the_run_then_follows(
    adjudge: Run, project: ProjectFolder, strategy: Any, calls: int
) -> None:
    project.write_run_file(judges=SIMULATED, budget=0.24, strategy=strategy, spend="all")
    planned = adjudge("plan", "--budget", "0.24", "--json", cwd=project.path)
    assert planned.returncode == 0, planned.stderr
    (row,) = json.loads(planned.stdout)["budgets"]
    assert row["calls"] == calls
    told = adjudge("plan", cwd=project.path).stdout
    assert "Forecast for the strategy" in told
    done = adjudge("run", "--json", cwd=project.path)
    assert done.returncode == 0, done.stderr
    after = json.loads(adjudge("status", "--json", cwd=project.path).stdout)
    assert after["calls"] == calls
    assert after["mean_width"] == pytest.approx(row["mean_width"], rel=0.25)


def test_a_budget_that_the_strategy_refuses_is_named(adjudge: Run, project: ProjectFolder) -> None:
    project.write_run_file(judges=SIMULATED, strategy="est_ivwe")
    planned = adjudge("plan", "--budget", "0.1", "--budget", "1000", cwd=project.path)
    assert planned.returncode == 0, planned.stderr
    assert "est_ivwe refuses $0.10: it needs at least $" in planned.stdout
    assert "$1,000" in planned.stdout.replace("$1000", "$1,000")


def test_a_plan_tells_where_the_run_would_end_before_its_budget(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.write_run_file(judges=SIMULATED, budget=1, until=["width < 1", "mean(group=new) > 7"])
    planned = adjudge("plan", "--json", cwd=project.path)
    assert planned.returncode == 0, planned.stderr
    plain = json.loads(planned.stdout)
    reached = next(row["budget"] for row in plain["budgets"] if row["mean_width"] < 1)
    assert plain["until"] == [
        {"gate": "width < 1", "budget": reached},
        {"gate": "mean(group=new) > 7", "budget": None},
    ]
    told = " ".join(adjudge("plan", cwd=project.path).stdout.split())
    assert "`until: width < 1` would hold at $" in told
    assert "`until: mean(group=new) > 7` would hold cannot be forecast" in told
    project.write_run_file(judges=SIMULATED, budget=0.1, until="width < 0.001")
    assert "would hold at none of these budgets" in adjudge("plan", cwd=project.path).stdout
    project.write_run_file(judges=SIMULATED, budget=1, strategy="panel", until="width < 5")
    assert adjudge("run", "--json", cwd=project.path).returncode == 0
    told = " ".join(adjudge("plan", cwd=project.path).stdout.split())
    assert "`until: width < 5` holds already" in told


def test_money_spent_on_what_no_longer_counts_is_not_forecast_as_if_it_were_there(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.write_run_file(judges=SIMULATED, budget=0.12, strategy="uniform", spend="all")
    assert adjudge("run", "--json", cwd=project.path).returncode == 0
    other = [{**judge, "noise": 0.11} for judge in SIMULATED]
    project.write_run_file(judges=other, budget=0.24, strategy="uniform", spend="all")
    planned = adjudge("plan", "--budget", "0.24", "--json", cwd=project.path)
    (row,) = json.loads(planned.stdout)["budgets"]
    assert row["calls"] == 48
    told = " ".join(adjudge("plan", cwd=project.path).stdout.split())
    assert "$0.12 of every budget is spent already" in told


def test_a_plan_tells_from_which_budget_on_a_run_leaves_money(
    adjudge: Run, project: ProjectFolder
) -> None:
    sentence = "twice the money would narrow the intervals by less than 5% of the scale"
    project.write_run_file(judges=SIMULATED, budget=20, strategy=None)
    assert sentence in " ".join(adjudge("plan", cwd=project.path).stdout.split())
    project.write_run_file(judges=SIMULATED, budget=20, strategy=None, spend="all")
    assert sentence not in " ".join(adjudge("plan", cwd=project.path).stdout.split())


def test_a_plan_has_no_default_budget_below_what_was_spent(
    adjudge: Run, project: ProjectFolder
) -> None:
    def budgets(*arguments: str) -> list[float]:
        planned = adjudge("plan", "--json", *arguments, cwd=project.path)
        return [row["budget"] for row in json.loads(planned.stdout)["budgets"]]

    project.write_run_file(judges=SIMULATED, budget=0.12, strategy="uniform", spend="all")
    assert adjudge("run", "--json", cwd=project.path).returncode == 0
    assert budgets("--set", "budget=0.05") == [0.12, 0.24, 0.48, 0.96]
    assert budgets("--set", "budget=0.30") == [0.15, 0.3, 0.6, 1.2, 2.4]
    assert budgets("--budget", "0.05") == [0.05]


def test_a_budget_below_what_was_spent_is_not_where_a_run_would_end(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.write_run_file(judges=SIMULATED, budget=0.3, strategy=None, spend="all")
    assert adjudge("run", "--json", cwd=project.path).returncode == 0
    project.write_run_file(judges=SIMULATED, budget=0.3, strategy=None)
    planned = adjudge("plan", "--budget", "0.14", cwd=project.path).stdout
    assert "From $" not in planned


def test_a_width_that_is_reached_has_no_price_and_one_above_the_scale_is_refused(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.write_items(4)
    project.write_run_file(strategy=None, budget=0.02)
    assert adjudge("run", cwd=project.path, env=project.env).returncode == 0
    spent = json.loads(adjudge("status", "--json", cwd=project.path).stdout)["spent"]
    planned = adjudge("plan", "--width", "8.9", cwd=project.path)
    assert planned.stdout.endswith("Intervals of 8.9 are reached already.\n")
    plain = json.loads(adjudge("plan", "--width", "8.9", "--json", cwd=project.path).stdout)
    assert plain["budget_for_width"] == spent
    refused = adjudge("plan", "--width", "20", cwd=project.path)
    assert refused.returncode == 1
    assert "--width: 20; a width is above 0 and at most 9, as wide as the scale" in refused.stderr
