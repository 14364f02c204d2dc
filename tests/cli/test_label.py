"""Labels by people: drawn, taken back, kept, and worth something without costing an answer."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from adjudge.cli.label import label_command
from adjudge.cli.project import Project
from adjudge.dataset.draws import read_draws
from adjudge.errors import DatasetError, InputError
from adjudge.report.frames import items_frame
from adjudge.run import standing
from tests.cli.conftest import Run
from tests.cli.project import ProjectFolder

SIMULATED = [
    {"kind": "simulated", "name": "cheap", "price_per_call": 0.001},
    {"kind": "simulated", "name": "dear", "price_per_call": 0.004},
]


def fill_in(path: Path, *, less: int) -> list[dict[str, str]]:
    """Somebody labels the items of the sheet: so many points less than they are worth."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["label"] = str(int(row["response"].split("worth ")[1].split()[0]) - less)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return rows


def told(run: Run, folder: Path, *arguments: str) -> Any:
    done = run(*arguments, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def exported(folder: Path, *settings: str) -> pl.DataFrame:
    """What `adjudge export items` would write now."""
    project = Project.read(folder / "run.yaml", settings=settings, imports=False)
    return items_frame(project.items, standing(project.plan, project.file.ledger))


def test_labels_added_after_a_run_cost_nothing_and_move_the_scores(
    adjudge: Run, project: ProjectFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project.path
    for name, value in project.env.items():
        monkeypatch.setenv(name, value)
    project.write_run_file(budget=0.02, strategy=None)
    before = told(adjudge, folder, "run", "--json", "--no-report")
    own = exported(folder)
    bill, asked = project.server.bill, project.server.requests
    assert before["people"] is None
    assert not {"label", "target", "panel_score"} & set(own.columns)

    drawn = told(adjudge, folder, "label", "-n", "8", "--json")
    assert len(drawn["items"]) == 8
    assert all(0 < one["probability"] <= 1 for one in drawn["items"])
    rows = fill_in(folder / "to_label.csv", less=1)
    assert {row["item"] for row in rows} == {one["item"] for one in drawn["items"]}
    assert set(rows[0]) == {"item", "prompt", "response", "scale", "label", "rater"}
    taken = told(adjudge, folder, "label", "--import", "to_label.csv", "--json")
    assert (taken["added"], taken["labelled_items"], taken["items"]) == (8, 8, 24)

    after = told(adjudge, folder, "report", "--json")
    assert (project.server.bill, project.server.requests) == (bill, asked)
    assert after["bill"]["spent"] == before["bill"]["spent"]
    assert after["asked"]["identity"] == before["asked"]["identity"]
    assert after["people"]["sampling"] == "drawn"
    assert "on the people's scale" in after["whose_scale"]
    # People give a point less than the judges see; 8 labels leave less than half a point open.
    assert before["overall"]["mean"] - after["overall"]["mean"] == pytest.approx(1, abs=0.6)
    lines = {line["name"]: line for line in after["people"]["lines"]}
    assert lines["the panel's own score"]["bias"]["value"] == pytest.approx(1, abs=0.6)
    assert {"large", "small"} < set(lines)
    scores = exported(folder)
    assert set(scores["target"]) == {"people"}
    assert scores["panel_score"].to_list() == own["score"].to_list()
    assert scores["label"].drop_nulls().len() == 8
    kept = exported(folder, "strategy.target=panel")
    assert set(kept["target"]) == {"panel"}
    assert kept["score"].to_list() == own["score"].to_list()


def test_gates_on_agreement_and_bias_decide_by_the_labels(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.write_run_file(strategy=None)
    folder = project.path
    items = [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]
    labels = [(item["id"], int(item["response"].split("worth ")[1].split()[0])) for item in items]
    text = "".join(f"{name},{worth}\n" for name, worth in labels[::2])
    (folder / "labels.csv").write_text(f"item,label\n{text}")
    gates = ["agreement(panel) > 0.5", "bias(panel) within 1", "agreement(large) < 0.2"]
    required = [word for gate in gates for word in ("--require", gate)]
    arguments = ("--no-report", "--budget", "0.02", "--set", "labels=labels.csv", *required)
    done = adjudge("run", "-y", "-q", "--json", *arguments, cwd=folder, env=project.env)
    assert done.returncode == 3, done.stderr
    outcomes = {gate["text"]: gate["outcome"] for gate in json.loads(done.stdout)["gates"]}
    assert list(outcomes.values()) == ["passed", "passed", "failed"]
    assert json.loads(done.stdout)["people"]["sampling"] == "assumed"


@pytest.fixture
def label(tmp_path: Path) -> Callable[..., None]:
    """The command, in this process, in a folder with items that nobody needs to be asked about."""
    text = "".join(f'{{"id": "old-{n}", "response": "worth {n}"}}\n' for n in range(1, 9))
    (tmp_path / "items.jsonl").write_text(text)
    settings = {"items": "items.jsonl", "budget": 1, "judges": SIMULATED}
    (tmp_path / "run.yaml").write_text(yaml.safe_dump(settings))

    def run(**arguments: Any) -> None:
        label_command(config=tmp_path / "run.yaml", output=tmp_path / "to_label.csv", **arguments)

    return run


def test_a_sheet_is_never_written_over_and_the_last_items_are_all_drawn(
    label: Callable[..., None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    label(number=30)
    assert "8 items to label in" in capsys.readouterr().out
    lines = (tmp_path / "to_label.jsonl").read_text().splitlines()
    assert {json.loads(line)["item"] for line in lines} == {f"old-{n}" for n in range(1, 9)}
    with pytest.raises(InputError, match="it is there already; import it, remove it, or name"):
        label(number=3)
    label_command(config=tmp_path / "run.yaml", output=tmp_path / "two.jsonl", number=2)
    assert (tmp_path / "two.csv").read_text().startswith("item,response,scale,label,rater")
    assert len((tmp_path / "two.jsonl").read_text().splitlines()) == 2
    with pytest.raises(InputError, match="it holds no label; fill in the column label"):
        label(done=tmp_path / "to_label.csv")
    with pytest.raises(InputError, match="give -n 20 or --import"):
        label()


def test_that_no_label_came_though_they_are_asked_for_is_told_by_check(
    label: Callable[..., None], tmp_path: Path, adjudge: Run
) -> None:
    (tmp_path / "labels.csv").write_text("item,label\n")
    for setting in ("labels=labels.csv", "strategy.target=reference"):
        found = told(adjudge, tmp_path, "check", "--json", "--set", setting)
        (remark,) = found["remarks"]
        assert "no item has a label" in remark
        assert found["problems"] == []
    assert told(adjudge, tmp_path, "check", "--json")["remarks"] == []
    assert "no item has a label" in adjudge("check", "--set", setting, cwd=tmp_path).stderr


def test_a_wrong_sheet_is_told_whole_and_changes_nothing(
    label: Callable[..., None], tmp_path: Path
) -> None:
    done, kept = tmp_path / "done.csv", tmp_path / "run.labels.csv"
    done.write_text("item,label\nold-1,4\nold-99,4\nold-2,44\nold-1,5\n")
    with pytest.raises(DatasetError) as caught:
        label(done=done)
    assert len(caught.value.problems) == 3
    assert not kept.exists()
    done.write_text("item,label,rater\nold-1,4,\nold-1,5,eve\n")
    label(done=done)
    done.write_text("item,label\nold-1,6\nold-2,3\n")
    with pytest.raises(DatasetError, match=r'"old-1" is labelled 6 here and 4 in .*run\.labels'):
        label(done=done)
    assert kept.read_text() == "item,label,rater\nold-1,4,\nold-1,5,eve\n"
    done.write_text("item,label\nold-1,4\nold-2,3\n")
    label(done=done)
    assert kept.read_text() == "item,label,rater\nold-1,4,\nold-1,5,eve\nold-2,3,\n"


def test_a_second_draw_is_another_one_and_both_are_remembered(
    label: Callable[..., None], tmp_path: Path
) -> None:
    for number in (1, 2):
        label(number=3)
        for ending in ("csv", "jsonl"):
            (tmp_path / f"to_label.{ending}").rename(tmp_path / f"{number}.{ending}")
    draws = read_draws(tmp_path / "run.draws.jsonl")
    assert [len(draw.items) for draw in draws] == [3, 3]
    assert all(sum(draw.probability.values()) == pytest.approx(3) for draw in draws)


def test_a_plan_says_which_errors_are_against_people(adjudge: Run, project: ProjectFolder) -> None:
    def sentences() -> str:
        return adjudge("plan", "--label-price", "0.05", cwd=project.path).stdout

    project.write_run_file(judges=SIMULATED, strategy=None)
    assert "Errors in this table are against people's labels" in sentences()
    people = [{"item": f"old-{n}", "label": n + 1} for n in range(8)]
    rows = "".join(json.dumps(row) + "\n" for row in people)
    (project.path / "labels.jsonl").write_text(rows)
    project.write_run_file(judges=SIMULATED, strategy=None, labels="labels.jsonl")
    assert "Errors in this table" not in sentences()


def test_a_plan_divides_money_between_labels_and_calls(
    adjudge: Run, project: ProjectFolder
) -> None:
    project.write_run_file(judges=SIMULATED, budget=0.5, strategy=None)
    found = told(adjudge, project.path, "plan", "--label-price", "0.05", "--json")["labels"]
    (one,) = found
    assert one["money"] == 0.5
    rows = one["divisions"]
    assert rows[0]["labels"] == 0
    assert len(rows) > 2
    for row in rows:
        assert row["for_labels"] == pytest.approx(0.05 * row["labels"])
        assert row["for_labels"] + row["for_calls"] == pytest.approx(0.5)
    assert sum(row["best_for_items"] for row in rows) == 1
    best = min(rows, key=lambda row: row["mean_error"])
    assert best["best_for_mean"]
