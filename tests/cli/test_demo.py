"""`adjudge demo`: the whole pipeline on one machine, without a key and for no money."""

import json
import re
import socket
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Run, from_nothing

pytestmark = pytest.mark.xdist_group("the demonstration")


@pytest.fixture(scope="module")
def demonstrated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Where the demonstration was carried out, from nothing, and what it said."""
    above = tmp_path_factory.mktemp("demonstrated")
    done = from_nothing("demo", "here", cwd=above)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "" or "of $0.40" in done.stderr
    return above, done.stdout


def test_the_demonstration_runs_the_real_pipeline_and_a_second_run_spends_nothing(
    adjudge: Run, demonstrated: tuple[Path, str]
) -> None:
    above, first = demonstrated
    cost = re.search(r"By the judges' own bills, this run cost \$(\d\.\d+)\.", first)
    assert cost
    assert 0 < float(cost[1]) <= 0.40
    assert (above / "here" / "run.report.html").exists()
    status = json.loads(adjudge("status", "--json", cwd=above / "here").stdout)
    assert abs(status["spent"] - float(cost[1])) < 1e-6
    again = adjudge("demo", "here", cwd=above)
    assert again.returncode == 0, again.stderr
    assert "this run cost $0.00." in again.stdout
    assert again.stdout.splitlines()[:8] == first.splitlines()[:8]


def test_the_demonstration_finds_what_was_built_into_its_systems_and_judges(
    adjudge: Run, demonstrated: tuple[Path, str]
) -> None:
    above, _ = demonstrated
    found = json.loads(adjudge("report", "--json", cwd=above / "here").stdout)
    groups = {group["name"]: group for group in found["groups"]}
    assert (found["groups"][0]["name"], found["groups"][-1]["name"]) == ("thorough", "hasty")
    for group in groups.values():
        assert group["interval"]["high"] - group["interval"]["low"] < 2
    judges = {judge["name"]: judge for judge in found["judges"]}
    assert found["people"]["labelled"] == 20
    assert found["people"]["sampling"] == "random"
    lines = {line["name"]: line for line in found["people"]["lines"]}
    # People are stricter by an eighth of the scale; the judges are generous.
    assert lines["the panel's own score"]["bias"]["low"] > 0.3
    assert abs(lines["scores on the people's scale"]["bias"]["value"]) < 0.5
    assert judges["flatterer"]["guarded"]
    assert judges["flatterer"]["advice"]["counsel"] == "drop it"
    assert judges["flatterer"]["money_share"] < 0.05
    assert not any(judge["guarded"] for name, judge in judges.items() if name != "flatterer")
    assert max(judges[name]["offset"] for name in ("large", "medium")) < judges["small"]["offset"]
    for judge in judges.values():
        shown = sum(
            answer["times"]
            for item in found["items"]
            for answer in item["answers"]
            if answer["judge"] == judge["name"]
        )
        assert shown == judge["calls"], "every answer stands with its item"


def test_a_folder_whose_ports_are_taken_or_that_is_not_its_own_is_refused(
    adjudge: Run, tmp_path: Path
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        judge = {"model": "large", "base_url": f"http://127.0.0.1:{port}/v1"}
        (tmp_path / "run.yaml").write_text(yaml.safe_dump({"judges": [judge]}))
        done = adjudge("demo", ".", cwd=tmp_path)
        assert done.returncode == 1
        assert "the ports of its judges are in use" in done.stderr
    (tmp_path / "run.yaml").write_text("items: mine.csv\n")
    done = adjudge("demo", ".", cwd=tmp_path)
    assert done.returncode == 1
    assert "was not made by the demonstration; choose another folder" in done.stderr
    assert (tmp_path / "run.yaml").read_text() == "items: mine.csv\n"
