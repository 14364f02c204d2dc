import json
import math
from dataclasses import replace

import numpy as np
import pytest

from adjudge.records import Reason
from adjudge.report.content import content_json, content_of, shown_items
from adjudge.run import LedgerCall, Moment, standing
from adjudge.store import CallRecord, State
from tests.report.runs import HOSTILE, NOW, plain_items, result_of, spoken_content, spoken_plan


@pytest.fixture
def spoken(spoken_run):
    return spoken_run


def call(**changes):
    fields = {
        "call": 1,
        "item": "item-0",
        "judge": "judge-0",
        "state": State.SETTLED,
        "reason": None,
        "score": 7.0,
        "charged": 100,
        "reserved": 200,
        "prompt_tokens": None,
        "cached_tokens": None,
        "output_tokens": None,
        "text": '{"reason": "Fine.", "score": 7}',
        "at": 0,
    }
    return LedgerCall(**{**fields, **changes})


def small(items=12, **changes):
    mean = np.linspace(0.2, 0.8, items)[:, None]
    return result_of(np.full((items, 2), 3), mean, m2=0.02, **changes)


def content(result, **changes):
    items = changes.pop("items", plain_items(result.problem.items))
    return content_of(items, result, title="t", now=NOW, **changes)


def test_a_run_is_reported_to_the_last_nano_dollar(spoken):
    found, result = spoken
    assert found.bill.spent == result.balance.spent == sum(judge.spent for judge in found.judges)
    assert found.bill.calls == found.bill.scored + found.bill.without_score
    assert sum(item.spent for item in found.items) == found.bill.spent
    assert sum(item.calls for item in found.items) == found.bill.calls
    assert (found.bill.elsewhere, found.bill.reserved) == (0, 0)


def test_scores_and_intervals_are_on_the_users_scale(spoken):
    found, result = spoken
    by_id = {item.id: item for item in found.items}
    interval = result.interval()
    for k, item in enumerate(spoken_plan().items):
        line = by_id[item.id]
        assert line.score == pytest.approx(result.scores[k])
        assert line.interval.low == pytest.approx(interval.low[k])
        assert 1 <= line.interval.low <= line.score <= line.interval.high <= 10
    assert [item.score for item in found.items] == sorted(result.scores, reverse=True)


def test_what_judges_said_stands_with_its_item(spoken):
    found, _ = spoken
    assert found.texts_kept
    for item in found.items:
        assert sum(answer.times for answer in item.answers) == item.calls
        assert sum(answer.charged for answer in item.answers) == item.spent
        assert item.further_answers == 0
        for answer in item.answers:
            if answer.judge != "flatterer" and answer.score is not None:
                assert answer.text == f"{answer.judge} on {item.id}: <b>fair</b>."
    silent = [answer for item in found.items for answer in item.answers if answer.score is None]
    assert silent
    assert {(answer.trouble, answer.text) for answer in silent} == {
        ("unreadable", "I would rather not say.")
    }


def test_texts_are_kept_as_they_are_without_markup(spoken):
    found, _ = spoken
    (line,) = [item for item in found.items if item.id == "q00-plain"]
    assert line.response == HOSTILE


def test_the_curve_ends_at_what_was_spent_with_the_present_error(spoken):
    found, _ = spoken
    last = found.curve[-1]
    assert (last.spent, last.calls) == (found.bill.spent, found.bill.calls)
    assert last.mean_width == pytest.approx(found.mean_width)
    assert last.error == pytest.approx(found.error)
    assert [point.spent for point in found.curve] == sorted(point.spent for point in found.curve)


def test_a_ledger_gives_the_same_report_as_the_run(tmp_path):
    ledger = tmp_path / "ledger.db"
    found, _ = spoken_content(ledger, budget=8_000_000)
    plan = spoken_plan()
    again = content_of(plan.items, standing(plan, ledger), title=found.title, now=NOW)
    assert again.groups == found.groups
    assert again.differences == found.differences
    assert again.judges == found.judges
    assert again.bill == found.bill


@pytest.mark.parametrize(
    ("norm", "expected"), [(1.0, 6 / 12), (2.0, 6 / math.sqrt(12)), (math.inf, 6.0)]
)
def test_the_error_is_divided_among_the_items_by_its_norm(norm, expected):
    moment = Moment(spent=10, calls=12, norm_error=6.0, mean_width=1.0)
    (point,) = content(small(norm=norm), history=[moment]).curve
    assert point.error == pytest.approx(expected)


def test_the_curve_begins_where_there_is_a_call_for_each_item():
    guess = Moment(spent=5, calls=11, norm_error=6.0, mean_width=1.0)
    known = Moment(spent=9, calls=12, norm_error=6.0, mean_width=1.0)
    assert [point.calls for point in content(small(), history=[guess, known]).curve] == [12]


def test_moments_of_which_nothing_is_known_are_left_out_of_the_curve():
    nothing = Moment(spent=0, calls=0, norm_error=1.0, mean_width=1.0)
    unknown = Moment(spent=5, calls=1, norm_error=math.inf, mean_width=1.0)
    assert content(small(), history=[nothing, unknown]).curve == ()


def test_calls_presumed_billed_are_named():
    presumed = CallRecord(
        call=3, item="item-1", judge="judge-0", reason=Reason.TIMED_OUT, charged=5, excess=0
    )
    bill = content(small(presumed=(presumed,) * 60)).bill
    assert (bill.presumed, bill.presumed_cost, len(bill.named)) == (60, 300, 50)
    assert (bill.named[0].item, bill.named[0].reason) == ("item-1", "timed out")


def test_how_a_call_failed_is_said_and_refused_ones_are_left_out():
    calls = [
        call(score=None, reason=Reason.EMPTY),
        call(score=None, reason=Reason.TIMED_OUT, state=State.PRESUMED),
        call(score=None, reason=Reason.BUSY, state=State.REFUSED),
        call(score=None, state=State.RESERVED),
        call(item="of another report"),
    ]
    found = content(small(), calls=calls)
    (line,) = [item for item in found.items if item.id == "item-0"]
    assert [answer.trouble for answer in line.answers] == [
        "empty",
        "timed out, presumed billed",
        "under way",
    ]


def test_an_answer_of_a_judge_that_is_asked_last_is_shown_after_many_of_others():
    many = [call(call=k, text=f"thought {k}") for k in range(60)]
    last = call(call=60, judge="judge-1", text="the dearest one's")
    (line,) = [i for i in content(small(), calls=[*many, last]).items if i.id == "item-0"]
    assert [answer.text for answer in line.answers if answer.judge == "judge-1"] == [last.text]
    assert (len(line.answers), line.further_answers) == (61, 0)


def test_equal_answers_of_a_judge_are_one_with_their_number_and_price():
    calls = [call(call=k, score=7.0 if k % 3 else 8.0, charged=100 + k) for k in range(6)]
    (line,) = [i for i in content(small(), calls=calls).items if i.id == "item-0"]
    assert [(a.score, a.times, a.charged) for a in line.answers] == [(8.0, 2, 203), (7.0, 4, 412)]


def test_where_there_is_no_room_for_all_answers_each_judge_keeps_its_first(rng):
    result = result_of(np.full((2000, 3), 2), rng.uniform(0, 1, (2000, 1)), m2=0.01)
    calls = [
        call(call=k, judge=judge, text=f"{judge} {k}")
        for judge, often in (("judge-0", 50), ("judge-1", 1), ("judge-2", 1))
        for k in range(often)
    ]
    (line,) = [i for i in content(result, calls=calls).items if i.id == "item-0"]
    assert {answer.judge for answer in line.answers} == {"judge-0", "judge-1", "judge-2"}
    assert (len(line.answers), line.further_answers) == (20, 32)


def test_many_items_are_a_sample_with_the_extremes_and_long_texts_are_cut(rng):
    result = result_of(np.full((5000, 2), 2), rng.uniform(0, 1, (5000, 1)), m2=0.01)
    items = [replace(item, response="&" * 3000) for item in plain_items(5000)]
    found = content(result, items=items)
    assert len(found.items) == 2000
    assert found.asked.items == 5000
    assert found.items[0].score == result.scores.max()
    assert found.items[-1].score == result.scores.min()
    assert [item.id for item in found.items] == sorted(
        shown_items(items, result),
        key=lambda name: -result.scores[int(name.removeprefix("item-"))],
    )
    assert found.items[0].response.endswith("(cut)")
    assert len(found.items[0].response) < 300
    assert len(found.spots) == 150


def test_the_grid_of_calls_is_binned_when_there_are_many_items(rng):
    few = content(small()).allocation
    assert (len(few.calls[0]), few.items_per_bin) == (12, 1)
    n = rng.integers(1, 4, (600, 2))
    many = content(result_of(n, rng.uniform(0, 1, (600, 1)), m2=0.01)).allocation
    assert (len(many.calls), len(many.calls[0]), many.items_per_bin) == (2, 60, 10)
    assert np.mean(many.calls, axis=1) == pytest.approx(n.mean(axis=0))


def test_content_is_json_with_money_in_dollars_and_no_number_json_does_not_know(spoken):
    found, result = spoken
    plain = json.loads(json.dumps(content_json(found), allow_nan=False))
    assert plain["bill"]["spent"] == result.balance.spent / 1e9
    assert [card["noise"] for card in plain["judges"]] == [card.noise for card in found.judges]
    assert plain["groups"][0]["name"] == "tuned"
    assert plain["differences"][0]["sentence"] == found.headline
    assert plain["made"] == "2026-03-01T12:30:00+00:00"
    assert plain["judges"][2]["advice"]["counsel"] == "drop it"


def test_content_of_an_infinite_norm_and_of_halves_of_characters_is_json():
    items = [replace(item, response="\ud800") for item in plain_items(12)]
    plain = content_json(content(small(norm=math.inf), items=items))
    assert plain["asked"]["norm"] == "inf"
    assert json.dumps(plain, ensure_ascii=False, allow_nan=False).encode()
