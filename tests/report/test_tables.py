import io
import math

import numpy as np
import pytest
from rich.console import Console

from adjudge.report.content import content_of
from adjudge.report.numbers import money_text
from adjudge.report.tables import (
    differences_table,
    groups_table,
    items_table,
    judges_table,
    norm_name,
    simulation_table,
    with_error,
)
from adjudge.simulate import Budget, Summary
from tests.report.runs import NOW, plain_items, result_of


def summary(strategy: str, norm: float, **changes: object) -> Summary:
    fields: dict[str, object] = {
        "strategy": strategy, "budget": Budget(calls_per_item=5), "norm": norm, "runs": 10,
        "error": 0.12345, "error_se": 0.001, "ratio": 1.5, "ratio_se": 0.02, "calls": 12345.0,
        "coverage": 0.9512, "refusal": "",
    }  # fmt: skip
    return Summary(**(fields | changes))  # type: ignore[arg-type]


def test_the_table_names_each_budget_and_norm_once_and_every_strategy_in_full() -> None:
    console = Console(file=io.StringIO(), width=80)
    refused = summary("est-ivwe-bounded", math.inf, runs=0, refusal="too small")
    rows = [summary("oracle", 2), summary("est-ivwe-gaussian", 2), refused]
    console.print(simulation_table(rows, title="mult"))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert text.count("5 calls/item") == 2
    assert "est-ivwe-gaussian" in text
    assert "1.500 ± 0.020" in text
    assert "12,345" in text
    assert "refused" in text
    assert "0.951" in text


def test_the_table_fits_eighty_columns_with_long_names_and_large_numbers() -> None:
    budget = Budget(calls_per_item=1234.5)
    changes: dict[str, object] = {"budget": budget, "runs": 1000, "calls": 987_654.0}
    changes |= {"error": 0.00012345, "ratio": 12.345, "ratio_se": 0.123}
    rows = [summary("est-ivwe-gaussian", norm, **changes) for norm in (1.5, math.inf)]
    text = printed(simulation_table([*rows, summary("uniform", 2, calls=3e9)], title="t"), 80)
    assert max(map(len, text.splitlines())) <= 80
    for whole in (
        "1234.5 calls/item, norm 1.5", "est-ivwe-gaussian", "1000", "987,654", "0.0001234",
        "0.951", "12.345 ± 0.123", "3e+09",
    ):  # fmt: skip
        assert whole in text
    assert "…" not in text


def test_norms_are_written_as_people_write_them() -> None:
    assert [norm_name(p) for p in (1.0, 1.5, 2.0, math.inf)] == ["1", "1.5", "2", "inf"]


def test_an_unknown_error_is_not_shown_as_zero() -> None:
    assert with_error(1.5, math.nan) == "1.500"
    assert with_error(math.nan, math.nan) == "-"


@pytest.fixture
def spoken(spoken_run):
    return spoken_run[0]


def printed(table, width=120):
    console = Console(file=io.StringIO(), width=width)
    console.print(table)
    return console.file.getvalue()


def test_groups_and_their_differences_are_shown_with_intervals(spoken):
    text = printed(groups_table(spoken))
    best, other = spoken.groups
    assert text.index(best.name) < text.index(other.name)
    assert f"{best.mean:.2f}   {best.interval.low:.2f} to {best.interval.high:.2f}" in text
    assert "90 % interval" in text
    assert spoken.differences[0].sentence in printed(differences_table(spoken))


def test_judges_are_shown_with_what_they_cost_and_what_to_do(spoken):
    lines = printed(judges_table(spoken)).splitlines()
    (flatterer,) = [line for line in lines if "flatterer" in line]
    calls = spoken.judges[2].calls
    assert flatterer.split()[1:4] == [str(calls), money_text(20_000 * calls), "$0.0000200"]
    assert flatterer.rstrip().endswith("drop it")


def test_the_items_with_the_highest_scores_are_shown(spoken):
    text = printed(items_table(spoken, most=5))
    assert [item.id in text for item in spoken.items[:6]] == [True] * 5 + [False]
    assert "the highest of 40" in text


def test_names_that_look_like_markup_are_printed_as_they_are():
    items = plain_items(12, groups=["[red]a[/red]", "[/b]"])
    mean = np.linspace(0.2, 0.8, 12)[:, None]
    result = result_of(np.full((12, 2), 6), mean, m2=0.02)
    content = content_of(items, result, title="t", now=NOW)
    text = printed(groups_table(content)) + printed(differences_table(content))
    assert "[red]a[/red]" in text
    assert "[/b]" in text
