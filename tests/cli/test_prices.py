"""What users see of prices: `adjudge prices`, and `check` with source and day."""

import json
from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from adjudge.judges.price_list import looked_up, source
from adjudge.judges.price_record import price_record
from adjudge.records import NANO
from adjudge.store import NoteKind, SqliteStore
from tests.cli.conftest import Run

LUNA = "openai/gpt-5.6-luna"  # cheaper since 2026-07-30


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "items.jsonl").write_text('{"id": "1", "response": "Hello."}\n')
    (tmp_path / "run.yaml").write_text(f"items: items.jsonl\nbudget: 5\njudges: [{LUNA}]\n")
    return tmp_path


@pytest.fixture
def begun(folder: Path) -> Path:
    """The same with a ledger that keeps the price of July."""
    record = price_record(looked_up(LUNA, day=date(2026, 7, 1)))
    with closing(SqliteStore.open(folder / "run.ledger.sqlite", budget=NANO)) as store:
        store.note(None, record, kind=NoteKind.PRICED)
    return folder


def test_prices_of_a_model_are_shown_by_tier_and_length_with_source_and_day(
    adjudge_from_nothing: Run,
) -> None:
    done = adjudge_from_nothing("prices", LUNA, "--as-of", "2026-11-18")
    assert done.returncode == 0
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["default", "$0.20", "$0.02", "$0.25", "$1.20"] in rows
    assert ["priority", "272,000", "$0.80", "$0.08", "$1.00", "$3.60"] in rows
    assert ["batch", "$0.10", "$0.01", "$0.125", "$0.60"] in rows
    assert f"{LUNA}: {source()}, prices of 2026-11-18." in one_line(done.stdout)


def test_prices_as_json_are_those_of_the_list(adjudge: Run) -> None:
    (found,) = json.loads(adjudge("prices", LUNA, "--as-of", "2026-07-01", "--json").stdout)
    assert found["source"] == source()
    assert found["day"] == "2026-07-01"
    short = found["per_million_tokens"][0]
    assert (short["input"], short["output"], short["cache_write"]) == (1.0, 6.0, 1.25)


def test_a_part_of_a_name_lists_the_models_that_hold_it(adjudge: Run) -> None:
    done = adjudge("prices", "claude-sonnet-4")
    assert done.returncode == 0
    assert "anthropic/claude-sonnet-4-5 " in done.stdout
    assert "bedrock/global.anthropic.claude-sonnet-4-5" in done.stdout


def test_without_a_model_providers_are_counted_and_the_list_says_its_age(adjudge: Run) -> None:
    found = json.loads(adjudge("prices", "--json").stdout)
    assert [one["provider"] for one in found["providers"]] == [
        "openai", "anthropic", "gemini", "bedrock", "openrouter", "typesafe", "openai-decisions"
    ]  # fmt: skip
    assert sum(one["priced"] for one in found["providers"]) > 1000
    assert date.fromisoformat(found["newest"]) <= date.fromisoformat(found["day"])
    shown = adjudge("prices", "--as-of", "1990-01-01")
    assert f"its newest price is of {found['newest']}" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["openai/gpt-4o-minx"], "did you mean openai/gpt-4o-mini"),
        ([LUNA, "--as-of", "soon"], "'soon' is no day; write it as 2026-11-18"),
    ],
)
def test_what_is_not_known_is_one_sentence(adjudge: Run, arguments: list[str], told: str) -> None:
    done = adjudge("prices", *arguments)
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert told in line


def test_check_shows_the_price_of_each_judge_with_source_and_day(
    adjudge: Run, folder: Path
) -> None:
    done = adjudge("check", "--offline", "--set", "prices.as_of=2026-11-18", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert (
        f"{LUNA}: $0.20 in and $1.20 out per million tokens, more above 272,000 "
        f"({source()}, prices of 2026-11-18)"
    ) in one_line(done.stdout)
    told = json.loads(adjudge("check", "--offline", "--json", cwd=folder).stdout)
    assert told["prices"][LUNA]["source"] == source()
    assert told["price_changes"] == []


def test_check_tells_of_a_price_that_is_kept_and_has_changed(adjudge: Run, begun: Path) -> None:
    done = adjudge("check", "--offline", cwd=begun)
    assert done.returncode == 0, done.stderr
    assert "prices of 2026-07-01, kept since the run began" in one_line(done.stdout)
    assert "settled at $1.00 in and $6.00 out per million tokens" in done.stderr
    assert "write prices: {as_of: " in done.stderr


def test_beginning_anew_takes_the_price_of_today(adjudge: Run, begun: Path) -> None:
    kept, fresh = (
        json.loads(adjudge("run", "--dry-run", "--json", *options, cwd=begun).stdout)["most"]
        for options in ([], ["--fresh"])
    )
    assert kept > 3 * fresh


def test_a_damaged_ledger_with_listed_prices_can_still_be_looked_at(
    adjudge: Run, begun: Path
) -> None:
    ledger = begun / "run.ledger.sqlite"
    raw = bytearray(ledger.read_bytes())
    raw[100:200] = bytes(100)
    ledger.write_bytes(raw)
    assert "The file itself is damaged" in adjudge("ledger", "check", cwd=begun).stdout


def test_status_does_not_show_the_record_of_a_price(adjudge: Run, begun: Path) -> None:
    done = adjudge("status", cwd=begun)
    assert done.returncode == 0, done.stderr
    assert "rates" not in done.stdout
