"""Frames, scales, strategies and functions, as Python has them."""

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import adjudge
from adjudge import Item, Scale
from adjudge.core.estimate import Estimate, plain_estimate
from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.problem import Problem
from adjudge.errors import DatasetError, InputError

ROWS: list[dict[str, Any]] = [
    {"id": "a", "response": "one", "reference": None, "words": 1, "mark": 1.5},
    {"id": "b", "response": "one two", "reference": "two", "words": 2, "mark": None},
]


def by_words(item: Item) -> float:
    return min(len(item.response.split()), 5)


def upper(item: Item) -> float:
    return 1 + item.response.isupper()


class Counting:
    def __call__(self, item: Item) -> float:
        return min(len(item.response), 5)


JUDGES = [{"function": by_words, "price_per_call": 0.001}]

evaluate = partial(adjudge.evaluate, strategy="uniform")
"""What is about values given needs no strategy that learns."""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame(ROWS),
        pl.LazyFrame(ROWS),
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS).set_index("id"),
        pd.DataFrame(ROWS).convert_dtypes(),
        pd.DataFrame(ROWS, index=[7, 9]).astype({"response": "category"}),
    ],
)
def test_items_may_be_a_frame_of_polars_or_pandas(frame: Any) -> None:
    evaluation = evaluate(frame, JUDGES, budget=0.01)
    assert [item.id for item in evaluation.items] == ["a", "b"]
    assert [item.reference for item in evaluation.items] == [None, "two"]
    assert [item.metadata["words"] for item in evaluation.items] == [1, 2]
    assert [item.metadata["mark"] for item in evaluation.items] == [1.5, None]
    same = evaluate(ROWS, JUDGES, budget=0.01)
    assert same.result.identity == evaluation.result.identity


def test_a_frame_that_cannot_be_read_is_one_clear_error() -> None:
    with pytest.raises(DatasetError, match="no column holds the response"):
        evaluate(pd.DataFrame({"text": ["a"]}), JUDGES, budget=0.01)
    twice = pd.DataFrame([["a", "b"]], columns=["response", "response"])
    with pytest.raises(InputError, match='the column "response" occurs twice'):
        evaluate(twice, JUDGES, budget=0.01)
    with pytest.raises(DatasetError, match="there are no items"):
        evaluate(pd.DataFrame({"response": []}), JUDGES, budget=0.01)


def test_scores_come_out_as_a_pandas_frame() -> None:
    evaluation = evaluate(ROWS, JUDGES, budget=0.01)
    frame = evaluation.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    polars = evaluation.to_polars()
    assert list(frame.columns) == polars.columns
    assert frame["score"].tolist() == polars["score"].to_list()
    assert frame["score"].dtype == np.float64
    assert frame["reference"].isna().tolist() == [True, False]
    assert frame["response"].tolist() == ["one", "one two"]


def test_pandas_out_needs_neither_pyarrow_nor_pandas_until_it_is_asked_for() -> None:
    code = (
        "import sys, adjudge\n"
        "sys.modules['pyarrow'] = None\n"
        "done = adjudge.evaluate([{'response': 'a'}], [len and (lambda item: 5)], budget=0.002,"
        " strategy='uniform')\n"
        "assert 'pandas' not in sys.modules\n"
        "print(len(done.to_pandas()))\n"
        "sys.modules['pandas'] = None\n"
        "try:\n"
        "    done.to_pandas()\n"
        "except adjudge.AdjudgeError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    said = "to_pandas: pandas is not installed; install pandas, or use to_polars()"
    assert done.stdout.splitlines() == ["1", said]


def test_spent_is_in_dollars() -> None:
    assert evaluate(ROWS, JUDGES, budget=0.01).spent == pytest.approx(0.01)


def test_a_bare_function_is_a_judge_at_a_stated_price() -> None:
    evaluation = evaluate(ROWS, [by_words, Counting()], budget=0.02, scale="1..5")
    assert [judge.name for judge in evaluation.result.judges] == ["by_words", "Counting"]
    calls = int(evaluation.result.answered.sum())
    assert evaluation.spent == pytest.approx(calls * 0.001)
    assert (
        "No price was given for by_words and Counting: a call counts as $0.001. "
        "If it costs something else, say so with price_per_call=." in evaluation.notices
    )


def test_the_price_of_functions_can_be_said_once() -> None:
    own = {"function": upper, "price_per_call": 0.002}
    evaluation = evaluate(
        ROWS, [by_words, {"function": Counting()}, own], budget=0.04, price_per_call=0.004
    )
    prices = [judge.quote(evaluation.items[0]).most.total for judge in evaluation.plan.judges]
    assert prices == [4_000_000, 4_000_000, 2_000_000]
    assert not any("No price" in text for text in evaluation.notices)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"noise": 0.2}, "judges: by_words: 'noise' is no setting of a function"),
        ({"version": ["2"]}, 'version is .*; give a text, as "2"'),
        ({"timeout": 0}, "timeout is 0; give seconds above zero"),
    ],
)
def test_settings_that_functions_do_not_have_are_refused(
    settings: dict[str, object], said: str
) -> None:
    judge = {"function": by_words, "price_per_call": 0.001, **settings}
    with pytest.raises(InputError, match=said):
        evaluate(ROWS, [judge], budget=0.01)


@pytest.mark.parametrize(
    "scale",
    [
        Scale(low=0, high=5),
        Scale(low=1, high=5, whole=True),
        Scale.of_labels({"bad": 1, "fair": 2, "good": 4}),
    ],
)
def test_a_scale_may_be_an_object(scale: Scale) -> None:
    evaluation = evaluate(ROWS, [by_words], budget=0.01, scale=scale)
    assert evaluation.result.scale == scale
    assert evaluation.result.scored.any()


def test_labels_that_do_not_span_their_scale_are_refused() -> None:
    odd = Scale(low=0, high=9, labels=(("bad", 1.0), ("good", 2.0)))
    with pytest.raises(InputError, match="of_labels"):
        evaluate(ROWS, [by_words], budget=0.01, scale=odd)


class EveryoneOnce:
    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        wanted = np.where(problem.mask, 1 - evidence.calls, 0).clip(0)
        affordable = np.cumsum((wanted * problem.price_per_call).sum(axis=1)) <= remaining
        return Allocation(counts=wanted * affordable[:, None])

    def estimate(self, problem: Problem, evidence: Evidence) -> Estimate:
        return plain_estimate(problem, evidence.pooled)


def test_a_strategy_may_be_an_object() -> None:
    evaluation = adjudge.evaluate(ROWS, [by_words, upper], budget=0.05, strategy=EveryoneOnce())
    assert evaluation.result.answered.tolist() == [[1, 1], [1, 1]]
    assert evaluation.spent == pytest.approx(0.004)
    assert "EveryoneOnce" in evaluation.report("page.html").read_text()
    assert 1 <= evaluation.mean().score <= 10
    by_name = adjudge.evaluate(ROWS, [by_words, upper], budget=0.05, strategy="uniform")
    assert "uniform" in by_name.report("page.html").read_text()


@pytest.mark.parametrize("judge", [lambda item: 5, {"model": "openai/gpt-4o-mini"}, "gpt-4o-mini"])
def test_a_judge_without_a_list_is_told_to_come_in_one(judge: object) -> None:
    with pytest.raises(InputError, match="judges: this is one judge; give a list of judges"):
        adjudge.evaluate([{"response": "x"}], judge, budget=0.1)  # type: ignore[arg-type]
