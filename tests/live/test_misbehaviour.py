"""Whatever a judge does, the run ends as promised and the judge's own bill stays in the budget."""

import math
import threading
import time

import numpy as np
import pytest

from adjudge.core.strategies import Cyclic, Panel, Uniform
from adjudge.judges import FunctionJudge
from adjudge.records import Item, Reason, nano_dollars
from adjudge.run import End, Plan, run
from adjudge.testing.faults import Fault
from adjudge.testing.server import PracticeServer
from tests.live.support import HASTY, KEY, PRICES, SCALE, openai_judge, some_items

BUDGET = nano_dollars("0.001")
"""About 100 calls at their real price, 15 at their worst case."""
FREE = {
    Fault.BAD_REQUEST, Fault.WRONG_KEY, Fault.CONFLICT, Fault.TOO_EARLY, Fault.REDIRECT,
}  # fmt: skip
PRESUMED = {
    Fault.TOO_MANY, Fault.TOO_MANY_WAIT_SECONDS, Fault.TOO_MANY_WAIT_DATE,
    Fault.TOO_MANY_WAIT_FOR_EVER, Fault.OVERLOADED, Fault.OUT_OF_CREDIT, Fault.SPEND_LIMIT,
    Fault.ERROR_500, Fault.ERROR_503, Fault.WEB_PAGE,
}  # fmt: skip
"""Failures that cost nothing, which only somebody who knows the provider can know."""
UNSCORED = {
    Fault.TRUNCATED_JSON, Fault.INVALID_JSON, Fault.WRONG_UTF8, Fault.EMPTY_CHOICES,
    Fault.OUT_OF_RANGE, Fault.CONTRADICTION, Fault.PROSE, Fault.GIANT, Fault.DECLINED,
    Fault.CUT_SHORT,
}  # fmt: skip
BILLED_AND_FAILED = {
    Fault.BILLED_408, Fault.BILLED_429, Fault.BILLED_500, Fault.BILLED_503, Fault.BILLED_500_SAID,
}  # fmt: skip
LOST = {
    Fault.ERROR_503_SILENT, Fault.GATEWAY_TIMEOUT, Fault.SLOW, Fault.RESET_BEFORE_BODY,
    Fault.RESET_WITHIN_BODY, *BILLED_AND_FAILED,
}  # fmt: skip
DENIED = {Fault.OUT_OF_CREDIT, Fault.SPEND_LIMIT, Fault.WRONG_KEY, Fault.REDIRECT}
TOO_DEAR = {Fault.OVERRUN, Fault.DEARER_TIER}


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES, slow=1.0, wait=0.02) as running:
        yield running


def play(
    server, path, *, judges=("ann",), budget=BUDGET, items=12, strategy=None, norm=2.0, **changes
):
    settings = {"timeout": 0.3, "connect_timeout": 0.25, **changes}
    plan = Plan(
        items=some_items(items),
        judges=[openai_judge(server.url, name, **settings) for name in judges],
        scale=SCALE,
        strategy=strategy or Uniform(),
        norm=norm,
        patience=HASTY,
    )
    return run(plan, path / "ledger.db", budget=budget)


def books_hold(result, server, budget=BUDGET):
    balance = result.balance
    return server.bill <= balance.spent <= budget and balance.reserved == 0


@pytest.mark.parametrize("fault", Fault)
def test_a_judge_that_now_and_then_fails_is_used_to_the_end(server, tmp_path, fault):
    # A date is a matter of whole seconds; once is enough.
    seldom = 1000 if fault is Fault.TOO_MANY_WAIT_DATE else 4
    server.schedule = lambda number: fault if number % seldom == 2 else None
    result = play(server, tmp_path)
    (judge,) = result.judges
    assert books_hold(result, server)
    # Its reset may be under way while the next request is: nobody can tell that it was not read.
    unsure = fault is Fault.RESET_AFTER_BODY or fault in PRESUMED
    assert judge.answered <= sum(server.billed.values()) <= judge.answered + judge.presumed
    assert unsure or judge.answered + judge.presumed == sum(server.billed.values())
    if fault in DENIED | TOO_DEAR:
        assert result.end is End.JUDGES_OFF
        assert judge.switched_off
    elif fault not in LOST - BILLED_AND_FAILED:
        assert judge.scored >= 12
    assert fault is Fault.RESET_AFTER_BODY or (judge.presumed > 0) == (fault in LOST | PRESUMED)
    assert (judge.without_score > 0) == (fault in UNSCORED)


@pytest.mark.parametrize("fault", Fault)
def test_a_judge_that_always_fails_never_costs_more_than_the_budget(server, tmp_path, fault):
    server.schedule = lambda number: fault
    result = play(server, tmp_path, items=6)
    (judge,) = result.judges
    assert books_hold(result, server)
    if fault in FREE:
        assert result.balance.spent == 0
    if fault in FREE | PRESUMED | BILLED_AND_FAILED | TOO_DEAR:
        assert result.end is End.JUDGES_OFF
        assert judge.switched_off
    if fault in UNSCORED | LOST:
        assert judge.scored == 0
    assert np.isfinite(result.estimate.score).all()
    assert KEY not in repr(result)


@pytest.mark.parametrize("fault", sorted(PRESUMED - {Fault.TOO_MANY_WAIT_DATE}))
def test_failures_of_a_provider_known_for_free_ones_cost_nothing(server, tmp_path, fault):
    server.schedule = lambda number: fault
    result = play(server, tmp_path, items=6, free_failures=True)
    (judge,) = result.judges
    assert result.balance.spent == 0
    assert result.end is End.JUDGES_OFF
    assert judge.switched_off


@pytest.mark.parametrize("fault", sorted(DENIED))
def test_a_judge_that_will_take_nothing_more_is_off_after_one_call(server, tmp_path, fault):
    server.schedule = lambda number: fault
    result = play(server, tmp_path)
    assert server.requests == 1
    assert result.judges[0].switched_off.startswith("HTTP")


def test_a_dearer_service_tier_than_sent_ends_the_judge(server, tmp_path):
    server.schedule = lambda number: Fault.DEARER_TIER
    result = play(server, tmp_path, service_tier="default")
    assert server.requests == 1
    assert result.judges[0].switched_off == (
        "billed by the service tier priority, dearer than default, which was sent. What to change: "
        "see which tier the project's settings at the provider choose, or give the judge that "
        "service_tier"
    )
    assert server.bill == result.balance.spent


@pytest.mark.parametrize("fault", [Fault.CACHE_WRITE, Fault.REASONING_LEFT_OUT])
def test_every_token_that_is_billed_is_charged(server, tmp_path, fault):
    server.schedule = lambda number: fault
    result = play(server, tmp_path)
    assert sum(server.billed.values()) > 12
    assert server.bill == result.balance.spent


def test_a_failure_that_states_its_usage_is_charged_by_it_and_no_more(server, tmp_path):
    server.schedule = lambda number: Fault.BILLED_500_SAID if number % 3 == 1 else None
    result = play(server, tmp_path, free_failures=True)
    assert result.judges[0].presumed > 0
    assert server.bill == result.balance.spent


@pytest.mark.parametrize("fault", sorted(BILLED_AND_FAILED))
def test_a_call_that_was_billed_and_failed_is_made_again(server, tmp_path, fault):
    server.schedule = lambda number: fault if number in {3, 4} else None
    result = play(server, tmp_path, strategy=OncePerItem())
    (judge,) = result.judges
    assert (judge.scored, judge.presumed) == (12, 2)
    assert judge.rejected_items == ()
    assert books_hold(result, server)


def test_the_money_of_a_judge_that_is_switched_off_goes_to_the_others(server, tmp_path):
    good = server.reply_to

    def only_bob_fails(body, key):
        server.schedule = lambda number: Fault.ERROR_500 if b'"bob"' in body else None
        return good(body, key)

    server.reply_to = only_bob_fails
    result = play(server, tmp_path, judges=("ann", "bob", "cas"), free_failures=True)
    ann, bob, cas = result.judges
    assert bob.switched_off
    assert "500" in bob.switched_off
    assert bob.spent == 0
    assert ann.spent + cas.spent > BUDGET * 0.9
    assert result.end in {End.BUDGET, End.DONE}
    assert books_hold(result, server)


def test_an_item_that_nobody_takes_is_left_out_and_the_others_use_the_money(server, tmp_path):
    good = server.reply_to

    def dislike(body, key):
        server.schedule = lambda number: Fault.BAD_REQUEST if b"item-3 " in body else None
        return good(body, key)

    server.reply_to = dislike
    result = play(server, tmp_path, judges=("ann", "bob"), strategy=Panel(), norm=math.inf)
    assert [judge.switched_off for judge in result.judges] == [None, None]
    assert [judge.rejected_items for judge in result.judges] == [("item-3",)] * 2
    assert result.end in {End.BUDGET, End.DONE}
    assert result.balance.spent > BUDGET * 0.8
    assert np.flatnonzero(np.isnan(result.scores)).tolist() == [3]
    assert books_hold(result, server)


def test_an_item_too_dear_for_the_budget_is_left_out_and_the_others_use_the_money(server, tmp_path):
    items = [*some_items(11), Item(id="novel", prompt="Greet me.", response="Hello! " * 10_000)]
    plan = Plan(
        items=items,
        judges=[openai_judge(server.url, "ann")],
        scale=SCALE,
        strategy=Panel(),
        norm=math.inf,
        patience=HASTY,
    )
    result = run(plan, tmp_path / "ledger.db", budget=BUDGET)
    assert result.answered[-1].sum() == 0
    assert result.answered[:-1].min() > 0
    assert result.balance.spent > BUDGET * 0.8
    assert books_hold(result, server)


@pytest.mark.parametrize("left", [1, 2, 5])
def test_a_judge_that_fails_with_few_calls_left_does_not_keep_the_run(server, tmp_path, left):
    server.schedule = lambda number: Fault.ERROR_500 if number >= 12 - left else None
    result = play(server, tmp_path, strategy=OncePerItem(), free_failures=True)
    assert result.judges[0].scored == 12 - left
    assert result.end in {End.DONE, End.JUDGES_OFF}
    assert result.judges[0].refusals[Reason.DOWN] >= left
    assert books_hold(result, server)


def test_all_judges_down_stops_the_run_with_everything_paid_kept(server, tmp_path):
    server.schedule = lambda number: None if number < 20 else Fault.ERROR_503
    result = play(server, tmp_path, judges=("ann", "bob"), free_failures=True)
    assert result.end is End.JUDGES_OFF
    assert sum(judge.scored for judge in result.judges) == 20
    assert server.bill == result.balance.spent
    server.schedule = lambda number: None
    again = play(server, tmp_path, judges=("ann", "bob"))
    assert again.end in {End.BUDGET, End.DONE}
    assert books_hold(again, server)


def test_a_judge_that_is_dead_for_a_while_is_used_again(server, tmp_path):
    good = server.reply_to
    dead = threading.Event()

    def die_once(body, key):
        if server.requests == 10 and not dead.is_set():
            dead.set()
            # From another thread: the server's own cannot wait for itself.
            threading.Thread(target=lambda: (server.go_dead(), server.listen())).start()
        return good(body, key)

    server.reply_to = die_once
    result = play(server, tmp_path)
    assert dead.is_set()
    assert result.judges[0].switched_off is None
    assert result.judges[0].scored >= 12
    assert books_hold(result, server)


def test_a_judge_that_dies_for_good_is_switched_off_and_what_it_gave_is_kept(server, tmp_path):
    good = server.reply_to
    dying = threading.Event()

    def die(body, key):
        # Several requests are under way at once: the fifteenth may not be seen as such.
        if server.requests >= 15 and not dying.is_set():
            dying.set()
            threading.Thread(target=server.go_dead).start()
        return good(body, key)

    server.reply_to = die
    result = play(server, tmp_path)
    assert result.end is End.JUDGES_OFF
    assert result.judges[0].switched_off
    assert result.judges[0].scored > 0
    assert books_hold(result, server)


def test_a_slow_judge_does_not_hold_up_the_round_beyond_its_timeout(server, tmp_path):
    server.slow = 30
    server.schedule = lambda number: Fault.SLOW if number == 5 else None
    result = play(server, tmp_path)
    (lost,) = result.presumed
    assert lost.reason is Reason.TIMED_OUT
    assert lost.judge == "ann"
    assert result.judges[0].scored >= 12


def test_too_many_requests_narrow_the_window_and_answers_widen_it_again(server, tmp_path):
    good = server.reply_to

    def bear_three_at_once(body, key):
        busy = server.at_once > 3
        server.schedule = lambda number: Fault.TOO_MANY if busy else None
        return good(body, key)

    server.reply_to = bear_three_at_once
    server.latency = 0.005
    result = play(server, tmp_path, concurrency=16, timeout=5.0, free_failures=True)
    (judge,) = result.judges
    assert judge.refusals[Reason.BUSY] < judge.answered
    assert judge.switched_off is None
    assert books_hold(result, server)
    assert server.most_at_once > 3


@pytest.mark.parametrize("fault", [Fault.TOO_MANY_WAIT_SECONDS, Fault.TOO_MANY_WAIT_DATE])
def test_a_wait_that_was_asked_for_is_kept(server, tmp_path, fault):
    server.wait = 1.0
    server.schedule = lambda number: fault if number == 20 else None
    good = server.reply_to
    arrivals = []

    def note_the_time(body, key):
        arrivals.append((time.monotonic(), good(body, key)))
        return arrivals[-1][1]

    server.reply_to = note_the_time
    result = play(server, tmp_path)
    (asked,) = [moment for moment, reply in arrivals if reply.status == 429]
    # Calls sent before the answer could be read do not count.
    later = [moment for moment, _ in arrivals if moment > asked + 0.2]
    assert min(later) - asked >= 1.0
    assert books_hold(result, server)


def test_a_claim_above_the_worst_case_is_booked_and_ends_the_judge(server, tmp_path):
    server.schedule = lambda number: Fault.OVERRUN if number == 30 else None
    server.answer = lambda model, prompt, number: '{"score": 5}' + " " * 100
    budget = 4 * BUDGET
    result = play(server, tmp_path, judges=("ann", "bob"), concurrency=1, budget=budget)
    off = [judge for judge in result.judges if judge.switched_off]
    assert [judge.switched_off for judge in off] == ["billed more than the worst case of a call"]
    assert [call.judge for call in result.overcharged] == [off[0].name]
    assert books_hold(result, server, budget)


def test_a_claim_above_all_that_is_left_is_named_and_nothing_more_is_bought(server, tmp_path):
    server.schedule = lambda number: Fault.OVERRUN if number == 0 else None
    server.answer = lambda model, prompt, number: '{"score": 5}' + " " * 200
    result = play(server, tmp_path, judges=("ann", "bob"), concurrency=1, budget=BUDGET)
    (call,) = result.overcharged
    assert result.balance.spent <= BUDGET
    assert call.excess > 0
    assert server.bill == result.balance.spent + call.excess


def test_unreadable_answers_are_asked_again_only_so_often(server, tmp_path):
    server.answer = lambda model, prompt, number: "No idea." if "item-1 " in prompt else "Score: 5"
    plan = Plan(
        items=some_items(3),
        judges=[openai_judge(server.url)],
        scale=SCALE,
        strategy=OncePerItem(),
        ask_again=2,
    )
    result = run(plan, tmp_path / "ledger.db", budget=BUDGET)
    assert result.judges[0].without_score == 3
    assert server.bill == result.balance.spent


@pytest.mark.parametrize(("items", "answers"), [(1, 2), (2, 3), (6, 6), (40, 10)])
def test_with_few_items_a_judge_without_scores_is_switched_off_sooner(
    server, tmp_path, items, answers
):
    server.answer = lambda model, prompt, number: "No idea."
    plan = Plan(
        items=some_items(items),
        judges=[openai_judge(server.url, concurrency=1)],
        scale=SCALE,
        strategy=OncePerItem(),
    )
    result = run(plan, tmp_path / "ledger.db", budget=100 * BUDGET)
    (judge,) = result.judges
    assert judge.without_score == answers
    assert f"in its first {answers} answers. Last answer: " in judge.switched_off
    (sentence,) = judge.troubles
    assert sentence.count("What to change: ask for JSON") == 1, "advice is given once"


@pytest.mark.parametrize(("share", "answers"), [(30, 3), (200, 6), (2000, 10)])
def test_a_judge_without_scores_costs_three_percent_of_its_share_at_most(tmp_path, share, answers):
    price = nano_dollars("0.001")
    judges = [
        FunctionJudge("prose", lambda item: "No idea.", scale=SCALE, price=price),
        FunctionJudge("good", lambda item: 5, scale=SCALE, price=price),
    ]
    plan = Plan(items=some_items(12), judges=judges, scale=SCALE, strategy=OncePerItem())
    result = run(plan, tmp_path / "ledger.db", budget=2 * share * price)
    prose, good = result.judges
    # Calls that are under way when the judge is switched off are paid as well.
    assert f"in its first {answers} answers." in prose.switched_off
    assert good.switched_off is None


def test_answers_without_a_score_raise_the_price_per_score_of_their_judge(server, tmp_path):
    server.answer = lambda model, prompt, number: (
        "No idea." if model == "bob" and number % 2 == 0 else '{"score": 5}'
    )
    result = play(server, tmp_path, judges=("ann", "bob"), budget=4 * BUDGET, strategy=Cyclic())
    per_call = result.problem.price_per_call.mean(axis=0)
    assert abs(per_call[1] / per_call[0] - 1) < 0.2
    ann, bob = per_call / result.evidence.answer_rate
    assert bob > 1.5 * ann


def test_expected_costs_follow_real_usage(server, tmp_path):
    result = play(server, tmp_path, budget=3 * BUDGET)
    real = server.bill / sum(server.billed.values())
    assert abs(result.problem.price_per_call.mean() / real - 1) < 0.1
    shortest, longest = result.problem.price_per_call[0, 0], result.problem.price_per_call[6, 0]
    assert longest > shortest


class OncePerItem(Uniform):
    """One call of every pair, however much money there is."""

    def next_batch(self, problem, evidence, remaining, rng):
        whole = super().next_batch(problem, evidence, remaining, rng)
        wanted = np.minimum(whole.counts, np.maximum(1 - evidence.calls, 0))
        return type(whole)(counts=wanted, phase=whole.phase)
