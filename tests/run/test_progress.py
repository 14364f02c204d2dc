"""Whoever watches a run hears how far it is."""

import math
import os
import signal
from itertools import pairwise

import pytest
from tests.live.support import HASTY, PRICES, SCALE, openai_judge, some_items

from adjudge.core.strategies import RobinHood, Uniform
from adjudge.errors import BudgetError
from adjudge.records import Verdict, nano_dollars
from adjudge.run import End, Plan, probe, run, standing
from adjudge.testing.faults import Fault
from adjudge.testing.server import PracticeServer

BUDGET = nano_dollars("0.004")


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES) as running:
        yield running


def plan_for(server, **changes):
    """A plan of several rounds; `Uniform` has one, and asks both judges from the first on."""
    judges = [openai_judge(server.url, name) for name in ("ann", "bob")]
    settings = {
        "items": some_items(12),
        "scale": SCALE,
        "strategy": RobinHood(judge=0),
        "patience": HASTY,
    }
    return Plan(judges=judges, **{**settings, **changes})


def test_the_last_word_is_the_result(server, tmp_path):
    server.schedule = {7: Fault.CONFLICT, 9: Fault.RESET_WITHIN_BODY}.get
    heard = []
    result = run(plan_for(server), tmp_path / "ledger.db", budget=BUDGET, watch=heard.append)
    last = heard[-1]
    assert (last.budget, last.spent, last.reserved) == (BUDGET, result.balance.spent, 0)
    assert last.calls == result.evidence.calls.sum()
    assert (last.in_flight, last.refused, last.lost) == (0, 1, 1)
    assert last.without_score == sum(judge.without_score for judge in result.judges)
    assert last.rounds == result.rounds > 1
    assert last.predicted_error == result.estimate.norm_error() * 9


def test_it_hears_of_every_round_and_of_calls_within_one(server, tmp_path):
    server.latency = 0.1
    heard = []
    run(plan_for(server), tmp_path / "ledger.db", budget=BUDGET, watch=heard.append)
    assert {progress.rounds for progress in heard} == set(range(heard[-1].rounds + 1))
    assert len(heard) > heard[-1].rounds + 1
    assert all(one.spent <= later.spent for one, later in pairwise(heard))
    assert all(one.spent + one.reserved <= BUDGET for one in heard)
    assert max(progress.in_flight for progress in heard) > 0
    assert all(math.isfinite(progress.predicted_error) for progress in heard)
    assert heard[-1].predicted_error < heard[0].predicted_error


def test_a_resumed_run_counts_on(server, tmp_path):
    plan = plan_for(server)
    first = run(plan, tmp_path / "ledger.db", budget=BUDGET)
    heard = []
    run(plan, tmp_path / "ledger.db", budget=2 * BUDGET, watch=heard.append)
    assert heard[0].calls == first.evidence.calls.sum()
    assert heard[0].spent == first.balance.spent


def test_a_watcher_that_raises_ends_the_run_in_order(server, tmp_path):
    def fail_at_the_second_round(progress):
        if progress.rounds == 2:
            raise RuntimeError("the screen is broken")

    plan = plan_for(server)
    with pytest.raises(RuntimeError, match="screen"):
        run(plan, tmp_path / "ledger.db", budget=BUDGET, watch=fail_at_the_second_round)
    found = standing(plan, tmp_path / "ledger.db")
    assert found.end is End.STOPPED
    assert found.balance.reserved == 0
    assert found.balance.spent == server.bill > 0


def test_a_probe_asks_every_judge_once_and_what_it_paid_counts(server, tmp_path):
    plan, ledger = plan_for(server), tmp_path / "ledger.db"
    found = probe(plan, ledger, budget=BUDGET)
    assert [(one.judge, one.item is not None) for one in found] == [("ann", True), ("bob", True)]
    once = standing(plan, ledger)
    assert once.answered.sum(axis=0).tolist() == [1, 1]
    assert server.requests == 2
    assert once.end is None, "a probe is no run"
    probe(plan, ledger, budget=BUDGET)
    twice = standing(plan, ledger)
    assert twice.answered.sum(axis=0).tolist() == [2, 2]
    whole = run(plan, ledger, budget=BUDGET)
    assert (whole.answered >= twice.answered).all()
    assert server.bill == whole.balance.spent <= BUDGET


FAILURES = [
    Fault.ERROR_500,
    Fault.BILLED_503,
    Fault.TOO_MANY,
    Fault.RESET_WITHIN_BODY,
    Fault.OUT_OF_CREDIT,
    Fault.PROSE,
]


@pytest.mark.parametrize("fault", FAILURES)
def test_a_probe_of_a_judge_that_fails_is_one_paid_attempt_and_switches_nobody_off(
    server, tmp_path, fault
):
    asked = []
    good = server.reply_to

    def bob_fails(body, key):
        asked.append("bob" if b'"bob"' in body else "ann")
        server.schedule = lambda number: fault if asked[-1] == "bob" else None
        return good(body, key)

    server.reply_to = bob_fails
    plan, ledger = plan_for(server), tmp_path / "ledger.db"
    ann, bob = probe(plan, ledger, budget=BUDGET)
    assert isinstance(ann.outcome, Verdict)
    assert bob.outcome.reason is not None
    assert sorted(asked) == ["ann", "bob"]
    found = standing(plan, ledger)
    assert ann.charged + bob.charged == found.balance.spent
    assert [judge.switched_off for judge in found.judges] == [None, None]


def test_a_probe_without_money_asks_nobody(server, tmp_path):
    with pytest.raises(BudgetError, match="pays for no call"):
        probe(plan_for(server), tmp_path / "ledger.db", budget=10)
    assert server.requests == 0


def test_calls_are_in_flight_from_being_sent_to_their_end(server, tmp_path):
    server.latency = 0.2
    heard = []
    run(
        plan_for(server, strategy=Uniform()),
        tmp_path / "ledger.db",
        budget=BUDGET // 4,
        watch=heard.append,
    )
    before_the_first_end = [one.in_flight for one in heard if one.calls == 0]
    assert max(before_the_first_end) == 2, "the first call of a judge goes alone"
    assert sum(one.in_flight > 0 for one in heard) > len(heard) / 2
    assert heard[-1].in_flight == 0


def test_it_hears_of_a_stop_at_once_and_of_the_calls_that_are_waited_for(server, tmp_path):
    server.latency = 60.0
    heard = []

    def watch(progress):
        heard.append(progress)
        if progress.in_flight == 2:
            os.kill(os.getpid(), signal.SIGINT)

    result = run(
        plan_for(server, strategy=Uniform()), tmp_path / "ledger.db", budget=BUDGET, watch=watch
    )
    assert result.end is End.STOPPED
    first = next(progress for progress in heard if progress.stopping)
    assert (first.in_flight, heard[heard.index(first) - 1].stopping) == (2, False)
    assert all(progress.stopping for progress in heard[heard.index(first) :])
