"""What a notebook needs: running a cell again, and being told what went wrong."""

import asyncio
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests.report.html.test_page import Reader

import adjudge
from adjudge import Evaluation, Item
from adjudge.errors import BudgetError
from adjudge.report.content import Weight

ROWS = [{"id": f"i{n}", "response": "word " * (n + 1), "group": "ab"[n % 2]} for n in range(8)]
ASKED: list[str] = []


def by_length(item: Item) -> float:
    ASKED.append(item.id)
    return min(len(item.response.split()), 10)


def uneven(item: Item) -> float:
    if len(item.response.split()) % 2:
        raise ValueError(f"cannot score {item.id}")
    return 5


def other(item: Item) -> float:
    return 3 + len(item.response) % 4


JUDGES = [{"function": by_length, "price_per_call": 0.001}]
BAD = [{"function": uneven, "price_per_call": 0.001}, {"function": other, "price_per_call": 0.001}]

evaluate = partial(adjudge.evaluate, strategy="uniform")
"""What a notebook is told does not hang on the strategy."""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


async def _awaited(**settings: object) -> Evaluation:
    return await adjudge.evaluate_async(ROWS, JUDGES, strategy="uniform", **settings)  # type: ignore[arg-type]


async def _in_a_cell(**settings: object) -> Evaluation:
    return evaluate(ROWS, JUDGES, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize("how", ["script", "notebook", "awaited"])
def test_a_budget_below_what_was_spent_returns_what_is_there_and_spends_nothing(how: str) -> None:
    first = evaluate(ROWS, JUDGES, budget=0.02)
    asked = len(ASKED)
    if how == "script":
        again = evaluate(ROWS, JUDGES, budget="0.01")
    else:
        again = asyncio.run((_awaited if how == "awaited" else _in_a_cell)(budget=0.01))
    assert len(ASKED) == asked
    assert again.spent == first.spent > 0.01
    assert np.array_equal(again.scores, first.scores)
    (said,) = [text for text in again.notices if text.startswith("Nothing was asked")]
    assert "$0.01" in said
    assert str(first.ledger) in said
    assert said in str(again)
    more = evaluate(ROWS, JUDGES, budget=0.03, spend="all")
    assert more.spent > first.spent


def test_a_ledger_that_was_spent_on_something_else_is_an_error_that_names_it() -> None:
    evaluate(ROWS, JUDGES, budget=0.02, ledger="shared.sqlite")
    with pytest.raises(BudgetError, match=r"\$0.01 is below the \$0.02 that shared.sqlite has"):
        evaluate([{"response": "something else"}], JUDGES, budget=0.01, ledger="shared.sqlite")


def test_what_a_function_raises_is_shown_with_its_first_traceback_and_how_often() -> None:
    evaluation = evaluate(ROWS, BAD, budget=0.06, ledger="own.sqlite")
    (lost,) = [one.presumed for one in evaluation.result.judges if one.name == "uneven"]
    assert lost > 1
    said = evaluation.notices[0]
    assert said.startswith(f"uneven raised {lost} exceptions")
    assert 'raise ValueError(f"cannot score {item.id}")' in said
    assert re.search(r"ValueError: cannot score i\d\Z", said)
    assert "judges/function.py" not in said
    assert said in str(evaluation)
    assert " ".join(said.split()) in Reader(evaluation._repr_html_()).text
    page = evaluation.report("page.html").read_text()
    assert "cannot score i" in page
    assert not any("raised" in text for text in evaluate(ROWS, JUDGES, budget=0.01).notices)


def test_a_function_that_cannot_be_called_is_told_without_our_own_lines() -> None:
    evaluation = adjudge.evaluate(
        ROWS,
        [{"function": lambda: 5, "price_per_call": 0.001, "name": "none"}],
        budget=0.01,
        patience={"first_wait": 0.01, "longest_wait": 0.02},
    )
    (said,) = [text for text in evaluation.notices if text.startswith("none raised")]
    assert "takes 0 positional arguments but 1 was given" in said
    assert "File" not in said


def test_print_and_the_notebook_have_every_notice_and_the_ledger() -> None:
    evaluation = evaluate(ROWS, JUDGES, budget=0.004, ledger="own.sqlite")
    weights = {notice.weight for notice in evaluation._content(full=False).notices}
    assert weights >= {Weight.CAUTION, Weight.NOTE}  # ASKED is changed by calls: a note
    shown = str(evaluation)
    html = Reader(evaluation._repr_html_()).text
    for text in evaluation.notices:
        assert text in shown
        assert " ".join(text.split()) in html
    assert any("ASKED, which its calls change" in text for text in evaluation.notices)
    assert shown.endswith("$0.004 of $0.004 spent on 4 calls; the ledger is own.sqlite")
    assert "The ledger is own.sqlite" in html


def test_a_function_that_reads_what_changed_meanwhile_says_so() -> None:
    heard: dict[str, int] = {}

    def note(store: dict[str, int], item: Item) -> None:
        store[item.id] = 1

    def forgetful(item: Item) -> float:
        note(heard, item)
        return 5

    evaluation = evaluate(ROWS, [{"function": forgetful, "price_per_call": 0.001}], budget=0.01)
    assert any("what changed while it was asked" in text for text in evaluation.notices)
    versioned = {"function": forgetful, "price_per_call": 0.001, "version": "1"}
    evaluation = evaluate(ROWS, [versioned], budget=0.01)
    assert not any("Python cannot compare" in text for text in evaluation.notices)
