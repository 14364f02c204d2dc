"""What a ledger says of a plan, without asking anybody."""

import os
import pickle
import subprocess
import sys
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.live.child import Child, Task
from tests.live.support import HASTY, PRICES, SCALE, openai_judge, some_items

from adjudge.core.strategies import Panel, Uniform
from adjudge.errors import StoreError
from adjudge.judges import SimulatedJudge
from adjudge.records import Reason, nano_dollars
from adjudge.run import End, Plan, history, ledger_calls, run, standing
from adjudge.store import NoteKind, State
from adjudge.testing.faults import Fault
from adjudge.testing.server import PracticeServer

BUDGET = nano_dollars("0.002")
_ROOT = Path(__file__).parents[2]
_CODE = f"{_ROOT}:{_ROOT / 'src'}"


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES) as running:
        yield running


def plan_for(server, **changes):
    settings = {
        "items": some_items(8),
        "judges": [openai_judge(server.url, name) for name in ("ann", "bob")],
        "scale": SCALE,
        "strategy": Uniform(),
        "patience": HASTY,
    }
    return Plan(**{**settings, **changes})


def simulated(**changes):
    settings = {
        "items": some_items(40),
        "judges": [
            SimulatedJudge(name=name, scale=SCALE, price=1000, noise=0.1, seed=seed)
            for seed, name in enumerate(("ann", "bob", "cas"))
        ],
        "scale": SCALE,
        "strategy": Panel(),
    }
    return Plan(**{**settings, **changes})


def folder_of(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


def test_it_tells_the_same_as_the_run_that_wrote_the_ledger(server, tmp_path):
    plan = plan_for(server)
    result = run(plan, tmp_path / "ledger.db", budget=BUDGET)
    before = folder_of(tmp_path)
    asked = server.requests
    found = standing(plan, tmp_path / "ledger.db")
    assert found.end is result.end
    assert np.array_equal(found.estimate.score, result.estimate.score)
    assert np.array_equal(found.problem.price_per_call, result.problem.price_per_call)
    assert found.judges == result.judges
    assert (found.balance, found.identity) == (result.balance, result.identity)
    assert int(found.spent.sum()) == found.balance.spent == server.bill
    assert int(found.answered.sum()) == asked == server.requests
    assert folder_of(tmp_path) == before


def test_it_needs_no_key_and_no_judge(server, tmp_path):
    run(plan_for(server), tmp_path / "ledger.db", budget=BUDGET)
    server.go_dead()
    keyless = [openai_judge(server.url, n, key_variable="NO_SUCH_KEY") for n in ("ann", "bob")]
    found = standing(plan_for(server, judges=keyless), tmp_path / "ledger.db")
    assert found.balance.spent == server.bill


@pytest.mark.parametrize("ledger", [None, "none.db", "empty.db"])
def test_without_a_ledger_it_is_the_state_before_the_first_call(tmp_path, ledger):
    (tmp_path / "empty.db").touch()
    path = None if ledger is None else tmp_path / ledger
    plan = simulated()
    found = standing(plan, path)
    assert found.end is None
    assert (found.balance.budget, found.balance.spent) == (0, 0)
    assert not found.evidence.calls.any()
    assert (found.problem.price_per_call == 1000).all()
    assert np.isnan(found.scores).all()
    assert np.isfinite(found.filled_scores).all()
    assert history(plan, path) == []
    assert list(ledger_calls(plan, path)) == []
    assert [file.name for file in tmp_path.iterdir()] == ["empty.db"]


def test_another_plan_s_calls_do_not_count(tmp_path):
    run(simulated(), tmp_path / "ledger.db", budget=300_000)
    other = simulated(items=[replace(item, response="other") for item in some_items(40)])
    found = standing(other, tmp_path / "ledger.db")
    assert found.balance.spent > 0
    assert (found.spent.sum(), found.answered.sum(), found.end) == (0, 0, None)
    assert list(ledger_calls(other, tmp_path / "ledger.db")) == []


def test_it_can_be_asked_while_the_run_is_under_way(server, tmp_path):
    server.latency = 0.02
    task = Task(url=server.url, ledger=tmp_path / "ledger.db", budget=nano_dollars("0.02"))
    child = Child(task)
    child.wait_for_first_answer()
    found = standing(task.plan(), task.ledger)
    report = child.finish()
    assert found.end is None
    assert 0 < found.balance.spent <= report.spent
    assert int(found.spent.sum()) == found.balance.spent
    assert standing(task.plan(), task.ledger).end is report.end
    assert [file.name for file in tmp_path.iterdir()] == ["ledger.db"]


def test_a_run_that_was_killed_has_no_end(server, tmp_path):
    server.latency = 0.02
    task = Task(url=server.url, ledger=tmp_path / "ledger.db", budget=nano_dollars("0.02"))
    child = Child(task)
    child.wait_for_first_answer()
    child.kill()
    before = (tmp_path / "ledger.db").read_bytes()
    found = standing(task.plan(), task.ledger)
    assert found.end is None
    assert found.balance.reserved > 0
    assert (tmp_path / "ledger.db").read_bytes() == before
    Child(task).finish()
    assert standing(task.plan(), task.ledger).end in {End.BUDGET, End.DONE}


_AS_ANOTHER_USER = """
import os, pickle, sys
from adjudge.run import standing
task = pickle.load(sys.stdin.buffer)
if os.getuid() == 0:
    os.setuid(65534)  # root may write anywhere
print(standing(task.plan(), task.ledger).balance.spent)
"""


def test_a_folder_that_cannot_be_written_is_no_hindrance(server):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        task = Task(url=server.url, ledger=folder / "ledger.db", budget=BUDGET)
        run(task.plan(), task.ledger, budget=task.budget)
        before = folder_of(folder)
        task.ledger.chmod(0o444)
        folder.chmod(0o555)
        told = subprocess.run(
            [sys.executable, "-c", _AS_ANOTHER_USER],
            input=pickle.dumps(task),
            capture_output=True,
            env={**os.environ, "PYTHONPATH": _CODE},
            timeout=60,
            check=True,
        )
        folder.chmod(0o755)
        assert int(told.stdout) == server.bill
        assert folder_of(folder) == before


def test_a_judge_switched_off_stays_so_until_it_answers_again(server, tmp_path):
    good = server.reply_to

    def bob_denies(body, key):
        server.schedule = lambda number: Fault.WRONG_KEY if b'"bob"' in body else None
        return good(body, key)

    server.reply_to = bob_denies
    plan, ledger = plan_for(server), tmp_path / "ledger.db"
    run(plan, ledger, budget=BUDGET)
    ann, bob = standing(plan, ledger).judges
    assert ann.switched_off is None
    assert "401" in bob.switched_off
    assert bob.refusals == {Reason.DENIED: 1}
    (note,) = [n for n in standing(plan, ledger).notes if n.kind is NoteKind.SWITCHED_OFF]
    assert (note.judge, note.text) == ("bob", bob.switched_off)
    server.reply_to, server.schedule = good, lambda number: None
    run(plan, ledger, budget=2 * BUDGET)
    assert [judge.switched_off for judge in standing(plan, ledger).judges] == [None, None]


def test_items_that_a_judge_would_not_take_are_known_afterwards(server, tmp_path):
    good = server.reply_to

    def dislike(body, key):
        server.schedule = lambda number: Fault.BAD_REQUEST if b"item-3" in body else None
        return good(body, key)

    server.reply_to = dislike
    plan, ledger = plan_for(server), tmp_path / "ledger.db"
    result = run(plan, ledger, budget=BUDGET)
    found = standing(plan, ledger)
    assert [judge.rejected_items for judge in found.judges] == [("item-3",)] * 2
    assert found.judges == result.judges


def test_history_ends_with_what_is_known_now(tmp_path):
    plan, ledger = simulated(), tmp_path / "ledger.db"
    result = run(plan, ledger, budget=2_000_000)
    moments = history(plan, ledger, points=6)
    assert len(moments) == 6
    assert [moment.calls for moment in moments] == sorted({moment.calls for moment in moments})
    assert (moments[-1].spent, moments[-1].calls) == (
        result.balance.spent,
        result.evidence.calls.sum(),
    )
    assert moments[-1].norm_error == result.estimate.norm_error() * 9
    assert moments[-1].mean_width == pytest.approx(result.interval().width.mean())
    assert moments[-1].norm_error < moments[0].norm_error


def test_every_call_can_be_read_with_its_text_and_cost(server, tmp_path):
    server.schedule = lambda number: Fault.CONFLICT if number == 5 else None
    plan, ledger = plan_for(server, keep_texts=True), tmp_path / "ledger.db"
    result = run(plan, ledger, budget=BUDGET)
    calls = list(ledger_calls(plan, ledger))
    settled = [call for call in calls if call.state is State.SETTLED]
    assert [call.call for call in calls] == sorted(call.call for call in calls)
    assert sum(call.charged for call in calls) == server.bill
    assert len(settled) == result.answered.sum()
    assert all("because" in call.text and call.prompt_tokens > 0 for call in settled)
    assert all(1 <= call.score <= 10 and call.charged <= call.reserved for call in settled)
    assert {(call.item, call.judge) for call in settled} == {
        (f"item-{k}", judge) for k in range(8) for judge in ("ann", "bob")
    }
    assert [call.reason for call in calls if call.state is State.REFUSED] == [Reason.DOWN]


def test_the_calls_of_some_items_can_be_read_alone(tmp_path):
    plan, ledger = simulated(), tmp_path / "ledger.db"
    run(plan, ledger, budget=2_000_000)
    everything = list(ledger_calls(plan, ledger))
    chosen = list(ledger_calls(plan, ledger, items={"item-3", "item-5", "no such item"}))
    assert chosen == [call for call in everything if call.item in {"item-3", "item-5"}]
    assert chosen
    assert list(ledger_calls(plan, ledger, items=[])) == []


def test_calls_are_read_whole_while_others_write(server, tmp_path):
    plan, ledger = plan_for(server), tmp_path / "ledger.db"
    first = run(plan, ledger, budget=BUDGET)
    reading = ledger_calls(plan, ledger)
    calls = [next(reading)]
    writer = threading.Thread(target=run, args=(plan, ledger), kwargs={"budget": 2 * BUDGET})
    writer.start()
    writer.join()
    calls += reading
    numbers = [call.call for call in calls]
    assert numbers == sorted(set(numbers))
    assert len(calls) >= first.answered.sum()


def test_a_damaged_ledger_is_one_clear_error(tmp_path):
    (tmp_path / "ledger.db").write_text("items\n")
    with pytest.raises(StoreError, match="not a ledger"):
        standing(simulated(), tmp_path / "ledger.db")
