"""`adjudge run` as a user meets it: a real process, real HTTP, a real ledger."""

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.cli.project import SECRET, ProjectFolder


def test_a_run_scores_every_item_within_the_budget_and_writes_its_report(
    adjudge_from_nothing: Run, project: ProjectFolder
) -> None:
    project.write_run_file(strategy=None)
    done = adjudge_from_nothing("run", cwd=project.path, env=project.env)
    assert done.returncode == 0, done.stderr
    assert 0 < project.server.bill <= 50_000_000
    assert "new" in done.stdout
    assert "large" in done.stdout
    assert "of $0.05" in done.stdout.replace("$0.050000", "$0.05")
    report = (project.path / "run.report.html").read_text()
    assert "<b>it</b>" not in report
    assert SECRET not in report + done.stdout + done.stderr


def test_a_second_run_spends_nothing(adjudge: Run, project: ProjectFolder) -> None:
    project.write_items(4)
    project.write_run_file(strategy=None, budget=0.02)
    first = adjudge("run", "--json", cwd=project.path, env=project.env)
    assert first.returncode == 0, first.stderr
    bill = project.server.bill
    again = adjudge("run", "--json", cwd=project.path, env=project.env)
    assert again.returncode == 0, again.stderr
    assert project.server.bill == bill
    one, other = json.loads(first.stdout), json.loads(again.stdout)
    assert one["bill"]["spent"] == other["bill"]["spent"] == bill / 1e9
    assert one["groups"] == other["groups"]


def test_a_larger_budget_buys_more_of_the_same(adjudge: Run, project: ProjectFolder) -> None:
    adjudge("run", "--budget", "0.02", "--json", cwd=project.path, env=project.env)
    bill = project.server.bill
    assert bill <= 20_000_000
    done = adjudge("run", "--budget", "0.04", "--json", cwd=project.path, env=project.env)
    assert done.returncode == 0, done.stderr
    assert bill < project.server.bill <= 40_000_000


def test_a_budget_that_is_set_is_the_one_that_is_kept(adjudge: Run, project: ProjectFolder) -> None:
    done = adjudge("run", "--set", "budget=0.01", "--json", cwd=project.path, env=project.env)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["bill"]["budget"] == 0.01
    assert 0 < project.server.bill <= 10_000_000


def test_a_dry_run_shows_prompts_and_prices_and_sends_nothing(
    adjudge: Run, project: ProjectFolder
) -> None:
    done = adjudge("run", "--dry-run", cwd=project.path)
    assert done.returncode == 0, done.stderr
    assert "This answer of old is worth 2 points." in done.stdout
    assert "Nothing was sent." in done.stdout
    assert project.server.requests == 0
    assert not (project.path / "run.ledger.sqlite").exists()
    plain = json.loads(adjudge("run", "--dry-run", "--json", cwd=project.path).stdout)
    assert {price["judge"] for price in plain["prices"]} == {"large", "small"}


def test_gates_decide_the_exit_code(adjudge: Run, project: ProjectFolder) -> None:
    better = "mean(group=new) - mean(group=old) > 0"
    passed = adjudge("run", "--require", better, cwd=project.path, env=project.env)
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert f"passed  {better}" in passed.stdout
    failed = adjudge("report", "--require", "mean(group=new) < 2", cwd=project.path)
    assert failed.returncode == 3
    undecided = adjudge(
        "report", "--require", "width < 0.18", "--require", better, cwd=project.path
    )
    assert undecided.returncode == 4, undecided.stdout
    assert "more would decide" in undecided.stdout
    wrong = adjudge("run", "--require", "median > 3", cwd=project.path, env=project.env)
    assert wrong.returncode == 1
    assert wrong.stderr.startswith("adjudge: require 'median > 3': 'median' is none of mean")


def test_results_and_gates_are_printed_even_if_the_report_cannot_be_written(
    adjudge: Run, project: ProjectFolder
) -> None:
    (project.path / "run.report.html.part").mkdir()
    done = adjudge("run", "--require", "spent < 1", cwd=project.path, env=project.env)
    assert done.returncode == 1
    assert "passed  spent < 1" in done.stdout
    assert "The report is" not in done.stdout
    assert done.stderr.endswith("; run with --report FILE, or with --no-report\n")


def test_items_may_come_from_standard_input(adjudge: Run, project: ProjectFolder) -> None:
    rows = (project.path / "items.jsonl").read_text()
    done = adjudge("run", "--items", "-", "--json", cwd=project.path, env=project.env, stdin=rows)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["asked"]["items"] == 24


def test_a_missing_key_is_one_sentence_for_all_judges_and_nothing_is_sent(
    adjudge: Run, project: ProjectFolder
) -> None:
    done = adjudge("run", cwd=project.path)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "key of large, small: the environment variable PRACTICE_KEY is not set" in line
    assert project.server.bill == 0


def test_the_key_may_stand_in_a_file_beside_the_run_file(
    adjudge: Run, project: ProjectFolder
) -> None:
    (project.path / ".env").write_text(f"PRACTICE_KEY={SECRET}\n")
    done = adjudge("run", "--limit", "4", cwd=project.path.parent, env={}, stdin="")
    assert done.returncode == 1  # the run file is looked for where one is
    done = adjudge("run", "--limit", "4", "-c", str(project.path / "run.yaml"))
    assert done.returncode == 0, done.stderr


def test_status_report_export_and_plan_need_no_key(adjudge: Run, project: ProjectFolder) -> None:
    project.write_run_file(strategy=None, budget=0.02)
    adjudge("run", cwd=project.path, env=project.env)
    bill = project.server.bill
    status = json.loads(adjudge("status", "--json", cwd=project.path).stdout)
    assert status["spent"] == bill / 1e9
    assert status["end"] in {"done", "budget"}
    report = adjudge("report", "-o", "page.html", cwd=project.path)
    assert report.stdout == "The report is page.html.\n"
    assert "Question 3?" in (project.path / "page.html").read_text()
    plan = adjudge("plan", "--width", "1", "--figure", "plan.png", cwd=project.path)
    assert plan.returncode == 0, plan.stderr
    assert "Intervals of 1 need about" in plan.stdout
    assert (project.path / "plan.png").stat().st_size > 10_000
    assert project.server.bill == bill


def test_exports_hold_every_item_call_and_judge(
    adjudge: Run, adjudge_from_nothing: Run, project: ProjectFolder
) -> None:
    import polars as pl

    adjudge("run", cwd=project.path, env=project.env)
    for ending, read in (
        ("csv", pl.read_csv),
        ("jsonl", pl.read_ndjson),
        ("parquet", pl.read_parquet),
    ):
        frames = {}
        for what in ("items", "calls", "judges"):
            done = adjudge("export", what, "-o", f"out-{what}.{ending}", cwd=project.path)
            assert done.returncode == 0, done.stderr
            frames[what] = read(project.path / f"out-{what}.{ending}")
        items, calls, judges = frames["items"], frames["calls"], frames["judges"]
        assert items["id"].to_list()[:2] == ["old-0", "old-1"]
        assert ((items["low"] <= items["score"]) & (items["score"] <= items["high"])).all()
        spent = project.server.bill / 1e9
        for frame in (items, calls, judges):
            assert abs(frame["dollars"].sum() - spent) < 1e-9
        assert items["calls"].sum() == judges["answered"].sum() == len(calls)
        assert calls["text"].str.contains("saw").any()
    shown = adjudge_from_nothing("export", "items", cwd=project.path).stdout
    assert shown.startswith("id,group,score,low,high")


def test_an_export_that_cannot_be_written_says_so(adjudge: Run, project: ProjectFolder) -> None:
    done = adjudge("export", "items", "-o", "scores.xlsx", cwd=project.path)
    assert done.returncode == 1
    assert "end it with .csv, .jsonl or .parquet" in done.stderr
    rows = (project.path / "items.jsonl").read_text()
    done = adjudge("export", "items", "-o", "items.jsonl", cwd=project.path)
    assert done.returncode == 1
    assert "the run itself lives on this file" in done.stderr
    assert (project.path / "items.jsonl").read_text() == rows
    done = adjudge("export", "items", "-o", "nowhere/scores.csv", cwd=project.path)
    assert done.returncode == 1
    assert "nowhere/scores.csv: cannot be written" in done.stderr


def test_before_the_first_call_status_and_plan_say_so(
    adjudge: Run, adjudge_from_nothing: Run, project: ProjectFolder
) -> None:
    project.write_run_file(strategy=None)
    status = adjudge_from_nothing("status", cwd=project.path)
    assert status.stdout.startswith("Nothing was asked yet")
    plan = adjudge_from_nothing("plan", "--width", "1e-7", cwd=project.path)
    assert plan.returncode == 0, plan.stderr
    assert "Intervals of 1e-07 are out of reach" in plan.stdout
    assert "A guess, before the first call" in plan.stdout
    rows = json.loads(adjudge("plan", "--json", cwd=project.path).stdout)["budgets"]
    widths = [row["mean_width"] for row in rows]
    assert widths == sorted(widths, reverse=True)


def test_check_names_every_judge_that_cannot_be_asked(
    adjudge: Run, adjudge_from_nothing: Run, project: ProjectFolder
) -> None:
    project.write_run_file(
        judges=[
            project.judge("large"),
            project.judge("small", base_url="http://127.0.0.1:9/v1"),
            project.judge("other", key="ANOTHER_KEY"),
        ]
    )
    done = adjudge_from_nothing("check", cwd=project.path, env=project.env)
    assert done.returncode == 1
    assert "small: http://127.0.0.1:9/v1 cannot be reached" in done.stderr
    assert "ANOTHER_KEY is not set" in done.stderr
    assert project.server.bill == 0
    assert adjudge("check", "--offline", cwd=project.path).returncode == 0


def test_a_probe_pays_one_call_of_every_judge_and_it_counts(
    adjudge: Run, project: ProjectFolder
) -> None:
    done = adjudge("check", "--probe", cwd=project.path, env=project.env)
    assert done.returncode == 0, done.stderr
    assert "large answered with" in done.stdout
    assert sum(project.server.billed.values()) == 2
    adjudge("run", cwd=project.path, env=project.env)
    status = json.loads(adjudge("status", "--json", cwd=project.path).stdout)
    assert status["spent"] == project.server.bill / 1e9


def test_init_writes_a_project_that_checks_and_overwrites_nothing(
    adjudge: Run, adjudge_from_nothing: Run, tmp_path: Path
) -> None:
    done = adjudge_from_nothing("init", "fresh", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    check = adjudge("check", "--offline", cwd=tmp_path / "fresh")
    assert check.returncode == 0, check.stderr
    before = (tmp_path / "fresh" / "run.yaml").read_text()
    again = adjudge("init", "fresh", cwd=tmp_path)
    assert again.returncode == 1
    assert "already exists" in again.stderr
    assert (tmp_path / "fresh" / "run.yaml").read_text() == before
    local = adjudge("init", "here", "--local", cwd=tmp_path)
    assert local.returncode == 0
    assert adjudge("check", "--offline", cwd=tmp_path / "here").returncode == 0
    schema = json.loads(adjudge("init", "--schema").stdout)
    assert schema["properties"]["budget"]["description"]


def test_all_judges_that_cannot_be_asked_are_named_at_once_and_nothing_is_sent(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.write_run_file(
        judges=[
            project.judge("large", base_url="http://127.0.0.1:9/v1"),
            project.judge("small", base_url="http://nowhere.invalid/v1"),
            project.judge("other"),
        ]
    )
    done = adjudge("run", cwd=project.path, env=project.env)
    assert done.returncode == 1
    lines = done.stderr.splitlines()
    assert len(lines) == 2, done.stderr
    assert "large: http://127.0.0.1:9/v1 cannot be reached" in lines[0]
    assert "small: http://nowhere.invalid/v1 cannot be reached" in lines[1]
    assert project.server.bill == 0
