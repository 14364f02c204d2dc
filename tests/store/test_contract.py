"""What every store must keep."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.errors import BudgetError
from adjudge.records import Cost, Reason
from adjudge.store import (
    UNKNOWN,
    Denial,
    NoteKind,
    Reservation,
    Settlement,
    State,
    open_store_at,
)


def reserve(store, *amounts, item=1, first=0):
    wanted = [Reservation(item, 1, 0, first + n, amount) for n, amount in enumerate(amounts)]
    return store.commit([], wanted)


def known_pair(store):
    items, judges = (
        store.numbers_of_items([("essay", b"i")]),
        store.numbers_of_judges([("ann", b"j")]),
    )
    return int(items[0]), int(judges[0])


def settled(call, cost, score=0.5, output=0):
    return Settlement(call, State.SETTLED, None, Cost(input=cost - output, output=output), score)


def test_a_new_store_has_its_whole_budget(open_store):
    balance = open_store(500).balance()
    assert (balance.budget, balance.spent, balance.reserved, balance.remaining) == (500, 0, 0, 500)


def test_a_reservation_holds_its_worst_case(open_store):
    store = open_store(1000)
    assert all(isinstance(call, int) for call in reserve(store, 300, 200))
    assert store.balance().reserved == 500
    assert store.balance().spent == 0


def test_what_does_not_fit_is_denied_and_what_fits_behind_it_is_not(open_store):
    store = open_store(1000)
    first, second, third = reserve(store, 700, 400, 300)
    assert second is Denial.NO_FUNDS
    assert isinstance(first, int)
    assert isinstance(third, int)
    assert store.balance().remaining == 0


def test_calls_of_one_request_are_reserved_all_or_not_at_all(open_store):
    store = open_store(1000)
    item, judge = known_pair(store)
    three = [Reservation(item, judge, 0, n, 400, 1 if n else 3) for n in range(3)]
    one = Reservation(item, judge, 0, 9, 300)
    *denied, last = store.commit([], [*three, one])
    assert denied == [Denial.NO_FUNDS] * 3
    assert isinstance(last, int)
    two = [Reservation(item, judge, 0, n, 350, 2 - n) for n in range(2)]
    assert all(isinstance(call, int) for call in store.commit([], two))
    assert store.balance().remaining == 0


def test_settling_charges_the_cost_and_frees_the_rest(open_store):
    store = open_store(1000)
    (call,) = reserve(store, 900)
    store.commit([settled(call, 120)], [])
    assert store.balance().spent == 120
    assert store.balance().remaining == 880


def test_money_freed_by_a_settlement_pays_a_reservation_of_the_same_commit(open_store):
    store = open_store(1000)
    (call,) = reserve(store, 900)
    (following,) = store.commit([settled(call, 100)], [Reservation(2, 1, 0, 0, 900)])
    assert isinstance(following, int)


def test_an_answer_without_usage_is_charged_its_reservation(open_store):
    store = open_store(1000)
    (call,) = reserve(store, 400)
    store.commit([Settlement(call, State.SETTLED, Reason.EMPTY)], [])
    assert store.balance().spent == 400


def test_a_refused_call_costs_nothing_and_frees_its_place(open_store):
    store = open_store(1000)
    (call,) = reserve(store, 400)
    store.commit([Settlement(call, State.REFUSED, Reason.BUSY)], [])
    assert store.balance().remaining == 1000
    assert len(store.entries()) == 0
    assert isinstance(reserve(store, 400)[0], int)


def test_a_lost_call_is_presumed_billed_and_named(open_store):
    store = open_store(1000)
    (call,) = store.commit([], [Reservation(*known_pair(store), 0, 0, 400)])
    store.commit([Settlement(call, State.PRESUMED, Reason.TIMED_OUT)], [])
    assert store.balance().spent == 400
    (named,) = store.presumed()
    assert (named.item, named.judge, named.reason) == ("essay", "ann", Reason.TIMED_OUT)
    assert named.charged == 400


def test_each_call_of_a_pair_is_made_once_whoever_asks(open_store):
    one, other = open_store(1000), open_store(1000)
    assert isinstance(reserve(one, 100)[0], int)
    assert reserve(other, 100)[0] is Denial.TAKEN
    assert one.balance().reserved == 100
    mixed = other.commit([], [Reservation(1, 1, 0, 0, 10), Reservation(1, 1, 0, 1, 10)])
    assert mixed[0] is Denial.TAKEN
    assert isinstance(mixed[1], int)


def test_the_phases_of_a_pair_are_apart(open_store):
    store = open_store(1000)
    granted = store.commit([], [Reservation(1, 1, 0, 0, 10), Reservation(1, 1, 1, 0, 10)])
    assert all(isinstance(call, int) for call in granted)


def test_a_claim_above_the_reservation_is_charged_as_far_as_the_budget_bears_it(open_store):
    store = open_store(1000)
    pair = known_pair(store)
    calls = store.commit([], [Reservation(*pair, 0, n, 300) for n in range(3)])
    store.commit([settled(calls[0], 350)], [])
    assert store.balance().spent == 350
    store.commit([settled(calls[1], 5000)], [])
    balance = store.balance()
    assert balance.spent + balance.reserved == balance.budget
    assert balance.debt == 4650
    first, second = store.overcharged()
    assert (first.charged, first.excess) == (350, 0)
    assert (second.charged, second.excess) == (350, 4650)


def test_what_is_freed_pays_a_debt_before_anything_new_is_reserved(open_store):
    store = open_store(1000)
    pair = known_pair(store)
    calls = store.commit([], [Reservation(*pair, 0, n, 300) for n in range(3)])
    store.commit([settled(calls[0], 700)], [])
    assert (store.balance().spent, store.balance().debt) == (400, 300)
    (denied,) = store.commit([settled(calls[1], 100)], [Reservation(*pair, 0, 3, 1)])
    assert denied is Denial.NO_FUNDS
    assert (store.balance().spent, store.balance().debt) == (700, 100)
    seen = store.amended()
    (granted,) = store.commit([settled(calls[2], 50)], [Reservation(*pair, 0, 4, 150)])
    assert isinstance(granted, int)
    balance = store.balance()
    assert (balance.spent, balance.debt, balance.remaining) == (850, 0, 0)
    assert store.entries().charged.tolist() == [700, 100, 50, 0]
    assert store.amended() > seen
    (named,) = store.overcharged()
    assert (named.charged, named.excess) == (700, 0)


@pytest.mark.parametrize("ending", [State.REFUSED, State.PRESUMED])
def test_a_call_that_costs_nothing_pays_a_debt_and_a_lost_one_does_not(open_store, ending):
    store = open_store(1000)
    one, other = reserve(store, 500, 500)
    store.commit([settled(one, 900)], [])
    assert store.balance().debt == 400
    store.commit([Settlement(other, ending, Reason.BUSY)], [])
    assert store.balance().debt == (0 if ending is State.REFUSED else 400)
    assert store.balance().spent == (900 if ending is State.REFUSED else 1000)


def test_a_raised_budget_pays_debts_first(open_store):
    store = open_store(1000)
    (call,) = reserve(store, 1000)
    store.commit([settled(call, 1500)], [])
    store.close()
    again = open_store(1400)
    assert (again.balance().spent, again.balance().debt) == (1400, 100)
    assert reserve(again, 0, item=2) == [Denial.NO_FUNDS]
    again.close()
    last = open_store(2000)
    assert (last.balance().spent, last.balance().remaining) == (1500, 500)


def test_the_dead_leave_their_debts_to_the_living(open_store):
    dying, living = open_store(1000), open_store(1000)
    one, _ = reserve(dying, 400, 600)
    dying.commit([settled(one, 700)], [])
    dying.close()
    assert living.presume_dead() == 1
    assert (living.balance().spent, living.balance().debt) == (1000, 300)
    assert reserve(living, 1, item=2) == [Denial.NO_FUNDS]


def test_a_claim_that_no_number_holds_is_a_claim_like_any_other(open_store):
    store = open_store(1000)
    calls = reserve(store, 300, 300, 300)
    store.commit([settled(call, 10**30) for call in calls], [])
    assert store.balance().spent == 1000
    assert store.balance().remaining < 0


def test_what_one_process_settles_every_process_sees(open_store):
    one, other = open_store(1000), open_store(1000)
    (call,) = reserve(one, 100)
    assert other.reserved_elsewhere() == 1
    assert one.reserved_elsewhere() == 0
    one.commit([settled(call, 70, score=0.25, output=20)], [])
    entries = other.entries()
    assert other.balance().spent == 70
    assert entries.score.tolist() == [0.25]
    assert entries.charged.tolist() == [70]
    assert entries.charged_output.tolist() == [20.0]
    assert other.reserved_elsewhere() == 0


def test_scores_come_back_to_the_last_bit(open_store, rng):
    store = open_store(10**6)
    scores = rng.random(200)
    calls = reserve(store, *[1] * 200)
    store.commit([settled(c, 1, score=float(s)) for c, s in zip(calls, scores, strict=True)], [])
    assert np.array_equal(store.entries().score, scores)


def test_an_answer_without_a_score_is_kept_as_such(open_store):
    store = open_store(1000)
    (call,) = reserve(store, 100)
    store.commit([Settlement(call, State.SETTLED, Reason.UNREADABLE, Cost(input=60))], [])
    entries = store.entries()
    assert np.isnan(entries.score).tolist() == [True]
    assert entries.state.tolist() == [State.SETTLED]


def test_everything_is_there_after_closing(open_store):
    store = open_store(1000)
    calls = reserve(store, 100, 100)
    store.commit([settled(call, 60) for call in calls], [])
    store.close()
    again = open_store(None)
    assert again.balance().spent == 120
    assert len(again.entries()) == 2


def test_what_a_dead_process_had_reserved_is_presumed_on_opening(open_store):
    store = open_store(1000)
    reserve(store, 100, 150)
    store.close()
    again = open_store(1000)
    assert again.balance().spent == 250
    assert again.balance().reserved == 0
    assert again.entries().state.tolist() == [State.PRESUMED] * 2


def test_what_a_living_process_has_reserved_is_not_presumed(open_store):
    living = open_store(1000)
    (call,) = reserve(living, 100)
    other = open_store(1000)
    assert other.presume_dead() == 0
    assert other.balance().reserved == 100
    living.commit([settled(call, 10)], [])
    assert other.balance().spent == 10


def test_a_death_is_noticed_by_those_who_live(open_store):
    dying, living = open_store(1000), open_store(1000)
    reserve(dying, 100)
    reserve(living, 50, item=2)
    dying.close()
    assert living.presume_dead() == 1
    assert living.balance().spent == 100
    assert living.balance().reserved == 50


def test_the_budget_may_be_raised_and_not_lowered_below_what_is_spent(open_store):
    store = open_store(1000)
    (call,) = reserve(store, 900)
    store.commit([settled(call, 600)], [])
    store.close()
    assert open_store(2000).balance().remaining == 1400
    with pytest.raises(BudgetError, match="below") as refused:
        open_store(599)
    assert refused.value.needed == 600
    assert open_store(None).balance().budget == 2000


def test_an_item_keeps_its_number_and_a_changed_one_gets_another(open_store):
    store = open_store()
    first = store.numbers_of_items([("a", b"1"), ("b", b"2")])
    again = store.numbers_of_items([("b", b"2"), ("a", b"changed"), ("a", b"1")])
    assert again[0] == first[1]
    assert again[2] == first[0]
    assert again[1] not in first


def test_reading_finds_numbers_and_adds_none(open_store):
    store = open_store()
    items, judges = (
        store.numbers_of_items([("a", b"1")]),
        store.numbers_of_judges([("ann", b"j")]),
    )
    assert store.find_items([("b", b"2"), ("a", b"1")]).tolist() == [UNKNOWN, items[0]]
    assert store.find_judges([("ann", b"j"), ("bob", b"k")]).tolist() == [judges[0], UNKNOWN]
    assert store.find_items([("b", b"2")]).tolist() == [UNKNOWN]


def test_what_is_noted_stays_with_its_judge_its_run_and_its_moment(open_store):
    store = open_store(1000)
    item, judge = known_pair(store)
    store.note(None, "a run began", kind=NoteKind.BEGUN, run="r")
    (call,) = store.commit([], [Reservation(item, judge, 0, 0, 10)])
    store.commit([settled(call, 5)], [])
    store.note(judge, "HTTP 401", kind=NoteKind.SWITCHED_OFF)
    store.close()
    first, second = open_store(None).notes()
    assert (first.kind, first.run, first.judge, first.call) == (NoteKind.BEGUN, "r", None, 0)
    assert (second.judge, second.judge_number, second.text) == ("ann", judge, "HTTP 401")
    assert second.call == call
    assert second.words == "was switched off: HTTP 401"
    assert 0 < first.at <= second.at


def test_refusals_are_counted_by_judge_and_reason(open_store):
    store = open_store(1000)
    calls = store.commit([], [Reservation(n, 1 + n % 2, 0, 0, 10) for n in range(4)])
    reasons = [Reason.BUSY, Reason.BUSY, Reason.REJECTED, Reason.BUSY]
    store.commit([Settlement(c, State.REFUSED, r) for c, r in zip(calls, reasons, strict=True)], [])
    assert store.refusals() == {
        (1, Reason.BUSY): 1,
        (1, Reason.REJECTED): 1,
        (2, Reason.BUSY): 2,
    }
    assert store.rejected().tolist() == [[2, 1]]


def test_entries_can_be_read_from_a_number_on(open_store):
    store = open_store(1000)
    calls = reserve(store, 10, 20, 30)
    store.commit([settled(calls[0], 5), Settlement(calls[1], State.REFUSED, Reason.BUSY)], [])
    assert store.entries().call.tolist() == [calls[0], calls[2]]
    assert store.entries(calls[1]).call.tolist() == [calls[2]]
    assert len(store.entries(calls[2] + 1)) == 0


def test_every_call_is_told_in_full_oldest_first(open_store):
    store = open_store(1000)
    one, two, three = reserve(store, 100, 200, 300)
    store.commit(
        [
            Settlement(one, State.REFUSED, Reason.BUSY, detail="HTTP 429: slow down"),
            Settlement(
                two,
                State.SETTLED,
                cost=Cost(input=7, output=3),
                score=0.5,
                prompt_tokens=9,
                cached_tokens=4,
                output_tokens=2,
                text="Fine.",
                written_tokens=5,
            ),
        ],
        [],
    )
    refused, answered, waiting = store.calls()
    assert [row.call for row in (refused, answered, waiting)] == [one, two, three]
    assert (refused.state, refused.reason, refused.charged) == (State.REFUSED, Reason.BUSY, 0)
    assert (answered.state, answered.score, answered.text) == (State.SETTLED, 0.5, "Fine.")
    assert (answered.charged, answered.reserved) == (10, 200)
    assert (answered.prompt_tokens, answered.cached_tokens, answered.output_tokens) == (9, 4, 2)
    assert (answered.written_tokens, answered.detail) == (5, None)
    assert refused.detail == "HTTP 429: slow down"
    assert (waiting.state, waiting.score, waiting.text) == (State.RESERVED, None, None)


def test_the_calls_of_some_items_are_told_alone(open_store):
    store = open_store(1000)
    store.commit([], [Reservation(n % 3, 1, 0, n, 1) for n in range(12)])
    assert [row.item for row in store.calls([2, 0])] == [0, 2, 0, 2, 0, 2, 0, 2]
    assert list(store.calls([])) == []


def test_a_text_that_is_no_unicode_is_kept_as_far_as_it_is(open_store):
    store = open_store(1000)
    one, other = reserve(store, 10, 10)
    torn = Settlement(one, State.SETTLED, cost=Cost(input=1), text="a\ud800b")
    store.commit([torn, Settlement(other, State.REFUSED, Reason.DOWN, detail="\udfff")], [])
    assert [row.text for row in store.calls()] == ["a?b", None]


def test_a_ledger_has_a_salt_of_its_own_and_keeps_it(open_store):
    salt = open_store(1000).salt()
    assert len(salt) == 16
    assert salt != bytes(16)
    assert open_store(2000).salt() == salt


def test_runs_in_one_process_and_reading_beside_them_share_one_purse(open_store, look, rng):
    """As two evaluations in one notebook do, while a third cell looks at the ledger."""
    stores = [open_store(1000), open_store(1000), open_store(1000)]
    held: list[list[int]] = [[] for _ in stores]
    bill = 0
    for step in range(300):
        who = int(rng.integers(len(stores)))
        wanted = [Reservation(step, 1, 0, 0, int(rng.integers(1, 60)))]
        ended = [settled(call, 3) for call in held[who]] if rng.random() < 0.4 else []
        granted = stores[who].commit(ended, wanted)
        bill += 3 * len(ended)
        held[who] = [] if ended else held[who]
        held[who] += [call for call in granted if isinstance(call, int)]
        if step % 7 == 0:
            view = look()
            found = view.balance()
            assert found.spent == bill == view.entries().charged.sum()
            assert found.spent + found.reserved <= found.budget
            assert stores[who].presume_dead() == 0
            view.close()
    stores[0].close()
    assert stores[1].presume_dead() == len(held[0])
    assert stores[2].reserved_elsewhere() == len(held[1])


step = st.tuples(
    st.sampled_from(["reserve", "settle", "refuse", "lose", "claim", "crash", "raise"]),
    st.integers(min_value=0, max_value=400),
)


@given(steps=st.lists(step, max_size=40))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_happens_the_bill_is_within_the_budget_or_the_rest_is_owed(new_ledger, steps):
    """The server bills what it claims, and the worst case of every call that was lost."""
    place, budget = new_ledger(), 1000
    store = open_store_at(place, budget=budget)
    under_way: dict[int, int] = {}
    bill = 0
    for number, (what, amount) in enumerate(steps):
        if what == "reserve":
            owed = store.balance().debt
            (call,) = store.commit([], [Reservation(number, 1, 0, 0, amount)])
            if isinstance(call, int):
                assert owed == 0
                under_way[call] = amount
        elif what in ("crash", "raise"):
            store.close()
            budget += amount if what == "raise" else 0
            store = open_store_at(place, budget=budget)
            bill += sum(under_way.values())
            under_way = {}
        elif under_way:
            call = [*under_way][amount % len(under_way)]
            reserved = under_way.pop(call)
            ending, billed = {
                "settle": (settled(call, reserved // 2), reserved // 2),
                "refuse": (Settlement(call, State.REFUSED, Reason.DOWN), 0),
                "lose": (Settlement(call, State.PRESUMED, Reason.TIMED_OUT), reserved),
                "claim": (settled(call, amount * 3), amount * 3),
            }[what]
            store.commit([ending], [])
            bill += billed
        balance = store.balance()
        assert balance.spent + balance.reserved <= balance.budget == budget
        assert balance.spent == store.entries().charged.sum()
        assert bill == balance.spent + balance.debt
        assert balance.debt == 0 or balance.spent + balance.reserved == budget
    store.close()
