"""A run that is resumed settles at the listed price with which it began."""

import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from adjudge.config import load_run_file
from adjudge.core.strategies import Uniform
from adjudge.errors import StoreError
from adjudge.evaluation.evaluate import _Asked, _Job
from adjudge.evaluation.judge_specs import JudgeSpecs
from adjudge.evaluation.labels import GivenLabels
from adjudge.judges import ModelJudge, Prices
from adjudge.judges.price_list import looked_up
from adjudge.judges.price_origin import Origin
from adjudge.judges.price_record import price_record, recorded_prices
from adjudge.records import NANO
from adjudge.run import Plan, probe, run, standing
from adjudge.run.frozen_prices import frozen_prices, price_changes
from adjudge.store import NoteKind, SqliteStore, SqliteView
from adjudge.testing.server import PracticeServer
from tests.live.support import HASTY, SCALE, openai_judge, some_items

LUNA = "openai/gpt-5.6-luna"  # cheaper since 2026-07-30
BEGUN = date(2026, 7, 1)
LATER = date(2026, 11, 18)
BEFORE = looked_up(LUNA, day=BEGUN)
RUN_FILE = f"items: items.jsonl\nbudget: 5\njudges: [{LUNA}]\n"


def plan_at(server: PracticeServer, prices: Prices = BEFORE) -> Plan:
    judge = openai_judge(server.url, "luna", prices=prices)
    return Plan(
        items=some_items(5), judges=[judge], scale=SCALE, strategy=Uniform(), patience=HASTY
    )


@pytest.fixture
def begun(tmp_path: Path) -> Path:
    """A folder with a run file, and a ledger of calls that were paid by the price of July."""
    (tmp_path / "run.yaml").write_text(RUN_FILE)
    with PracticeServer(prices=BEFORE) as server:
        result = run(plan_at(server), tmp_path / "run.ledger.sqlite", budget=NANO // 100)
        assert result.balance.spent == server.bill > 0
    return tmp_path


def prices_in(folder: Path, content: str = RUN_FILE, **options: bool) -> Prices:
    (folder / "run.yaml").write_text(content)
    (judge,) = load_run_file(folder / "run.yaml", today=LATER, **options).judges
    assert isinstance(judge, ModelJudge)
    return judge.prices


def notes(ledger: Path) -> list[str]:
    view = SqliteView.look(ledger)
    try:
        return [note.text for note in view.notes() if note.kind is NoteKind.PRICED]
    finally:
        view.close()


def test_a_resumed_run_has_the_price_of_the_first(begun: Path) -> None:
    assert looked_up(LUNA, day=LATER) != BEFORE
    prices = prices_in(begun)
    assert prices == BEFORE
    assert prices.origin is not None
    assert prices.origin.day == BEGUN
    assert prices.origin.words.endswith("prices of 2026-07-01, kept since the run began")


def test_the_price_is_noted_once_however_often_a_run_is_resumed(begun: Path) -> None:
    ledger = begun / "run.ledger.sqlite"
    with PracticeServer(prices=BEFORE) as server:
        plan = plan_at(server, prices_in(begun))
        spent = run(plan, ledger, budget=NANO // 50, seed=1).balance.spent
        assert spent == standing(plan, ledger).balance.spent
    (kept,) = notes(ledger)
    assert recorded_prices(kept) == BEFORE


def test_a_probe_keeps_the_price_too(tmp_path: Path) -> None:
    with PracticeServer(prices=BEFORE) as server:
        probe(plan_at(server), tmp_path / "ledger", budget=NANO)
    assert frozen_prices(tmp_path / "ledger") == {(LUNA, None): BEFORE}


def test_who_begins_anew_or_asks_for_a_day_or_types_a_price_gets_it(begun: Path) -> None:
    assert prices_in(begun, frozen=False) == looked_up(LUNA, day=LATER)
    asked = f"items: i\nbudget: 5\njudges: [{{model: {LUNA}, prices: {{as_of: 2026-09-01}}}}]\n"
    assert prices_in(begun, asked) == looked_up(LUNA, day=date(2026, 9, 1))
    typed = f"items: i\nbudget: 5\njudges: [{{model: {LUNA}, prices: {{input: 7, output: 8}}}}]\n"
    assert prices_in(begun, typed) == Prices.of(input=7, output=8)


def test_a_changed_price_is_told_with_what_to_write(begun: Path) -> None:
    judges = load_run_file(begun / "run.yaml", today=LATER).judges
    (told,) = price_changes(judges, LATER)
    assert "settled at $1.00 in and $6.00 out per million tokens" in told
    assert "the price of 2026-11-18 is $0.20 in and $1.20 out per million tokens" in told
    assert told.endswith("write prices: {as_of: 2026-11-18}.")
    assert list(price_changes(judges, BEGUN)) == []


def test_a_model_that_left_the_list_keeps_its_price(tmp_path: Path) -> None:
    origin = Origin(source="genai-prices 0.1", model="openai/gone", day=BEGUN)
    gone = replace(Prices.of(input=1, output=2), origin=origin)
    with PracticeServer(prices=gone) as server:
        run(plan_at(server, gone), tmp_path / "run.ledger.sqlite", budget=NANO // 100)
    content = "items: i\nbudget: 5\njudges: [openai/gone]\n"
    assert prices_in(tmp_path, content) == gone
    (judge,) = load_run_file(tmp_path / "run.yaml").judges
    assert list(price_changes([judge], LATER)) == []


def test_a_resumed_run_need_not_read_the_list(begun: Path) -> None:
    code = (
        "import sys; from adjudge.config import load_run_file; load_run_file('run.yaml');"
        " sys.exit('genai_prices' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, cwd=begun)
    assert done.returncode == 0


def test_prices_that_were_typed_leave_no_note(tmp_path: Path) -> None:
    with PracticeServer(prices=Prices.of(input=1, output=1)) as server:
        plan = plan_at(server, Prices.of(input=1, output=1))
        run(plan, tmp_path / "ledger", budget=NANO // 100)
    assert notes(tmp_path / "ledger") == []


def test_evaluating_again_has_the_price_of_the_first_time(
    begun: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(begun)
    specs = JudgeSpecs.of([{"model": LUNA}], None)
    asked = _Asked(scale=None, strategy=None, labels=GivenLabels.of(None), settings={})
    job = _Job.of([{"id": "1", "response": "r"}], specs, 5, "run.ledger.sqlite", asked)
    (judge,) = job.plan.judges
    assert isinstance(judge, ModelJudge)
    assert judge.prices == BEFORE


def test_a_kept_price_that_cannot_be_read_is_one_clear_error(tmp_path: Path) -> None:
    with closing(SqliteStore.open(tmp_path / "run.ledger.sqlite", budget=NANO)) as store:
        store.note(None, '{"rates": [{"tokens": 1}]}', kind=NoteKind.PRICED)
    with pytest.raises(StoreError, match="keeps a price that this adjudge cannot read"):
        prices_in(tmp_path)


def test_a_record_of_prices_loses_nothing() -> None:
    kept = recorded_prices(price_record(BEFORE))
    assert kept == BEFORE
    assert kept.origin == replace(BEFORE.origin, frozen=True)  # type: ignore[type-var]
