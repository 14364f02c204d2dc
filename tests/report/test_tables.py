import io
import math

from rich.console import Console

from adjudge.report.tables import norm_name, simulation_table, with_error
from adjudge.simulate import Budget, Summary


def summary(strategy: str, norm: float, **changes: object) -> Summary:
    fields: dict[str, object] = {
        "strategy": strategy, "budget": Budget(calls_per_item=5), "norm": norm, "runs": 10,
        "error": 0.12345, "error_se": 0.001, "ratio": 1.5, "ratio_se": 0.02, "calls": 12345.0,
        "refusal": "",
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


def test_norms_are_written_as_people_write_them() -> None:
    assert [norm_name(p) for p in (1.0, 1.5, 2.0, math.inf)] == ["1", "1.5", "2", "inf"]


def test_an_unknown_error_is_not_shown_as_zero() -> None:
    assert with_error(1.5, math.nan) == "1.500"
    assert with_error(math.nan, math.nan) == "-"
