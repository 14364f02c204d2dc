"""The Python API: the whole of adjudge in a function call."""

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import adjudge
from adjudge import Evaluation, Item, Scale, SimulatedJudge
from adjudge.dataset import labels_of
from adjudge.errors import ConfigError, DatasetError, InputError
from adjudge.evaluation.labels import GivenLabels
from adjudge.judges import Prices
from adjudge.records import Label, nano_dollars
from adjudge.run import label_reading
from adjudge.testing.server import PracticeServer

ROWS = [
    {
        "id": f"{group}{n}",
        "prompt": f"Question {n}",
        "response": "word " * (n + extra),
        "group": group,
    }
    for group, extra in (("short", 1), ("long", 4))
    for n in range(6)
]


IDS = {str(row["id"]) for row in ROWS}


def by_length(item: Item) -> float:
    return min(len(item.response.split()), 10)


async def by_letters(item: Item) -> str:
    return f'{{"score": {min(len(item.response) // 5 + 1, 10)}}}'


JUDGES = [
    {"function": by_length, "price_per_call": 0.002},
    {"function": by_letters, "price_per_call": 0.001, "name": "letters"},
]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_five_lines_are_enough() -> None:
    evaluation = adjudge.evaluate(ROWS, JUDGES, budget=0.10, scale="1..10", confidence=0.9)
    assert isinstance(evaluation, Evaluation)
    assert len(evaluation) == 12
    assert evaluation.spent <= 0.10
    for scored in evaluation:
        assert 1 <= scored.low <= scored.score <= scored.high <= 10
    assert evaluation.difference("long", "short").low > 0
    assert evaluation.mean("long").score > evaluation.mean("short").score
    assert evaluation.mean().id == "all items"


def test_the_same_call_again_spends_nothing_and_a_larger_budget_buys_more() -> None:
    first = adjudge.evaluate(ROWS, JUDGES, budget=0.05)
    again = adjudge.evaluate(ROWS, JUDGES, budget=0.05)
    assert again.spent == first.spent
    assert np.array_equal(first.scores, again.scores)
    more = adjudge.evaluate(ROWS, JUDGES, budget="0.10")
    assert first.spent < more.spent <= 0.10
    other = adjudge.evaluate(ROWS[:6], JUDGES, budget=0.02)
    assert other.spent <= 0.02
    assert {path.name for path in Path(".adjudge").glob("*.gitignore")} == {".gitignore"}


def test_a_function_that_always_answers_the_same_is_asked_once_about_each_item(
    tmp_path: Path,
) -> None:
    judge = {"function": by_length, "price_per_call": 0.001, "deterministic": True}
    ledger = tmp_path / "ledger.sqlite"
    found = adjudge.evaluate(ROWS, [judge], budget=1, scale="0..10", ledger=ledger)
    assert found.spent == pytest.approx(0.001 * len(ROWS))
    answers = [by_length(Item(**row)) for row in ROWS]
    assert found.to_polars()["score"].to_list() == pytest.approx(answers, abs=0.01)


def test_judges_may_be_objects_settings_or_functions_and_items_a_file() -> None:
    Path("items.csv").write_text("id,response\na,good\nb,bad\n")
    Path("own.py").write_text("def seven(item):\n    return 7\n")
    scale = Scale(low=1, high=10)
    evaluation = adjudge.evaluate(
        "items.csv",
        [
            SimulatedJudge(name="made", scale=scale, price=nano_dollars("0.001")),
            {"kind": "simulated", "name": "told", "price_per_call": 0.001, "noise": 0.2},
            {"function": "own:seven", "price_per_call": 0.0005},
            {"function": by_length, "price_per_call": 0.0005, "limits": {"concurrency": 2}},
        ],
        budget=0.02,
        strategy="uniform",
        scale={"low": 1, "high": 10},
        ledger="own.sqlite",
    )
    names = [judge.name for judge in evaluation.result.judges]
    assert names == ["made", "told", "own:seven", "by_length"]
    assert evaluation.ledger == Path("own.sqlite")
    assert not Path(".adjudge").exists()


def test_it_can_be_awaited_beside_other_work() -> None:
    async def two() -> list[Evaluation]:
        return await asyncio.gather(
            adjudge.evaluate_async(ROWS[:6], JUDGES, budget=0.03, strategy="uniform"),
            adjudge.evaluate_async(ROWS[6:], JUDGES, budget=0.03, strategy="uniform"),
        )

    for evaluation in asyncio.run(two()):
        assert 0 < evaluation.spent <= 0.03


def test_it_runs_where_a_loop_is_running_already_as_in_a_notebook() -> None:
    async def cell() -> Evaluation:
        return adjudge.evaluate(ROWS, JUDGES, budget=0.05, strategy="uniform")

    evaluation = asyncio.run(cell())
    html = evaluation._repr_html_()
    assert "long" in html
    assert "<script" not in html


def test_it_prints_reports_and_exports(tmp_path: Path) -> None:
    with PracticeServer(prices=Prices.of(input=1, output=1)) as server:
        judge = {
            "model": "m",
            "base_url": server.url,
            "key": None,
            "prices": {"input": 1, "output": 1},
        }
        evaluation = adjudge.evaluate(ROWS, [judge], budget=0.05, strategy="uniform")
        assert evaluation.spent == server.bill / 1e9
    assert "short" in str(evaluation)
    page = evaluation.report(tmp_path / "page.html").read_text()
    assert "because" in page
    frame = evaluation.to_polars()
    assert frame["id"].to_list() == [row["id"] for row in ROWS]
    assert frame["dollars"].sum() == pytest.approx(evaluation.spent)
    assert evaluation.judges()["judge"].to_list() == ["m"]


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        ({"budget": -1}, ConfigError, "budget"),
        ({"scael": "1..5"}, ConfigError, "scale"),
        ({"judges": []}, ConfigError, "judges"),
        ({"judges": [{"function": by_length}]}, ConfigError, "price_per_call"),
        ({"items": [{"id": "a"}]}, DatasetError, "response"),
        ({"items": []}, InputError, "item"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(
    change: dict[str, object], kind: type[InputError], said: str
) -> None:
    given = {"items": ROWS, "judges": JUDGES, "budget": 0.05} | change
    items, judges = given.pop("items"), given.pop("judges")
    with pytest.raises(kind, match=said):
        adjudge.evaluate(items, judges, **given)  # type: ignore[arg-type]
    assert not list(Path().rglob("*.sqlite"))


def test_a_group_that_is_not_there_is_named() -> None:
    evaluation = adjudge.evaluate(ROWS, JUDGES, budget=0.03, strategy="uniform")
    with pytest.raises(InputError, match="'middle' has no items; there are long, short"):
        evaluation.mean("middle")


def test_importing_adjudge_is_quick_because_names_are_found_when_asked_for() -> None:
    code = (
        "import sys, adjudge; print('scipy' in sys.modules, len(adjudge.__all__), dir(adjudge)[-1])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split()[:2] == ["False", str(len(adjudge.__all__))]
    for name in adjudge.__all__:
        assert getattr(adjudge, name)


def test_items_that_no_judge_scored_have_no_score() -> None:
    """Money for four calls among twelve items."""
    few = adjudge.evaluate(ROWS, JUDGES[1:], budget=0.004, scale="1..10", ledger="few.sqlite")
    unasked = [scored for scored, asked in zip(few, few.asked, strict=True) if not asked]
    assert 8 <= len(unasked) < 12
    assert all((one.score, one.low, one.high) == (None, 1, 10) for one in unasked)
    assert np.isnan(few.scores[~few.asked]).all()
    frame = few.to_polars()
    assert frame["asked"].to_list() == few.asked.tolist()
    assert frame["score"].null_count() == len(unasked)


@pytest.mark.parametrize(
    "labels",
    [
        {"short0": 1, "long1": 4},
        [{"item": "short0", "label": 1}, Label(item="long1", value=4)],
        {"rows": pl.DataFrame({"item": ["short0", "long1"], "label": [1, 4]}), "scale": "1..10"},
    ],
)
def test_labels_are_given_in_whatever_people_have_them_in(labels: Any) -> None:
    rows = GivenLabels.of(labels).rows
    found = labels_of(rows, reading=label_reading(Scale(low=1, high=10)), items=IDS)
    assert found == [Label(item="short0", value=1), Label(item="long1", value=4)]


def test_labels_put_the_scores_on_the_scale_of_people() -> None:
    labels = {"rows": {"short0": 1, "long1": 2, "long4": 4}, "scale": "1..5", "random_sample": True}
    plain = adjudge.evaluate(ROWS, JUDGES, budget=0.03, scale="1..10")
    anchored = adjudge.evaluate(ROWS, JUDGES, budget=0.03, scale="1..10", labels=labels)
    assert anchored.ledger == plain.ledger
    assert anchored.people is not None
    assert (anchored.people.anchored, anchored.people.sampling) == (True, "random")
    assert plain.people is None
    assert anchored.scores.max() <= 5 < plain.scores.max()
    assert "on the people's scale" in str(anchored)


def test_no_judge_gets_to_see_a_label() -> None:
    seen: list[Item] = []

    def peeks(item: Item) -> float:
        seen.append(item)
        return by_length(item)

    rows = [{**row, "human": 1 + number % 4} for number, row in enumerate(ROWS)]
    found = adjudge.evaluate(rows, [peeks], budget=0.02, scale="1..10")
    assert found.people is not None
    assert found.people.labelled == len(ROWS)
    assert all(item.label is None and "human" not in item.fields for item in seen)


def test_labels_that_are_wrong_are_told_before_anything_is_asked() -> None:
    with pytest.raises(DatasetError) as caught:
        adjudge.evaluate(ROWS, JUDGES, budget=0.02, labels={"short0": 40, "shrt1": 4})
    assert [problem.split(":")[0] for problem in caught.value.problems] == [
        "labels, row 1",
        "labels, row 2",
    ]
