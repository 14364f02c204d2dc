import math

import pytest

from adjudge.judges import Limits
from adjudge.records import Cost, Headroom, Lost, Quota, Reason, Refused, Verdict
from adjudge.run.pace import Pace
from adjudge.run.plan import Patience
from adjudge.run.throttle import Throttle

ANSWER = Verdict(score=1.0, cost=Cost(input=1))
BUSY = Refused(reason=Reason.BUSY, detail="too many")
DOWN = Refused(reason=Reason.DOWN, detail="HTTP 500")


@pytest.fixture
def throttle(rng):
    return Throttle(Limits(concurrency=32), Patience(first_wait=1, longest_wait=8, pauses=5), rng)


def one(throttle, outcome, at):
    """One call that starts and ends at this moment."""
    throttle.admit(at, 0)
    throttle.send()
    throttle.end(outcome, started=at, now=at, tokens=0)


def window(throttle):
    return throttle.places + throttle.under_way


def answers(throttle, count, at=0.0):
    for _ in range(count):
        one(throttle, ANSWER, at)


def test_the_first_call_goes_alone(throttle):
    assert throttle.delay(0) == 0
    throttle.admit(0, 0)
    assert throttle.delay(0) == math.inf
    assert throttle.places == 1
    throttle.send()
    assert throttle.places == 0


def test_a_quarter_more_is_reserved_ahead_and_not_sent(throttle):
    answers(throttle, 100)
    admitted = 0
    while throttle.delay(0) == 0:
        throttle.admit(0, 0)
        admitted += 1
        if throttle.places:
            throttle.send()
    assert (admitted, throttle.under_way) == (40, 32)
    throttle.withdraw()
    assert throttle.room == 1


def test_answers_widen_the_window_up_to_the_limit(throttle):
    answers(throttle, 1)
    assert window(throttle) == 8
    answers(throttle, 2)
    assert window(throttle) == 14
    answers(throttle, 100)
    assert window(throttle) == 32


def test_too_many_requests_halve_it_once_for_all_calls_that_were_under_way(throttle):
    answers(throttle, 100)
    for _ in range(8):
        throttle.admit(1, 0)
        throttle.send()
    for _ in range(8):
        throttle.end(BUSY, started=1, now=2, tokens=0)
    assert window(throttle) == 16
    assert throttle.delay(2) > 0


def test_it_grows_again_by_one_place_per_round(throttle):
    answers(throttle, 100)
    one(throttle, BUSY, 1)
    answers(throttle, 17, at=10)
    assert window(throttle) == 17
    answers(throttle, 1000, at=10)
    assert window(throttle) == 32


def test_a_wait_that_was_asked_for_is_kept_and_little_more(throttle):
    one(throttle, Refused(reason=Reason.BUSY, detail="", retry_after=30.0), 0)
    assert 30 <= throttle.delay(0) <= 33
    assert throttle.delay(33) == 0


@pytest.mark.parametrize("kind", [Refused, Lost])
def test_a_failure_slows_the_judge_down_whether_it_was_billed_or_not(throttle, kind):
    answers(throttle, 100)
    one(throttle, kind(reason=Reason.BUSY, detail="", retry_after=30.0), 1)
    assert window(throttle) == 16
    assert 30 <= throttle.delay(1) <= 33
    one(throttle, kind(reason=Reason.DOWN, detail="", retry_after=60.0), 100)
    assert window(throttle) == 1
    assert throttle.delay(100) >= 60


def test_a_judge_that_denies_us_or_rejects_all_at_a_price_is_off(throttle, rng):
    for _ in range(10):
        one(throttle, Lost(reason=Reason.REJECTED, detail="HTTP 400"), 0)
    assert "rejects everything" in throttle.off
    other = Throttle(Limits(), Patience(), rng)
    one(other, Lost(reason=Reason.DENIED, detail="HTTP 429: pay"), 0)
    assert other.off == "HTTP 429: pay"


def test_a_wait_beyond_all_patience_switches_the_judge_off(throttle):
    one(throttle, Refused(reason=Reason.BUSY, detail="tomorrow", retry_after=86_400.0), 0)
    assert "86400 s" in throttle.off
    assert "tomorrow" in throttle.off


def test_single_failures_amid_answers_do_not_slow_it_down(throttle):
    answers(throttle, 100)
    for at in range(20):
        one(throttle, DOWN, at)
        one(throttle, ANSWER, at)
    assert window(throttle) == 32
    assert throttle.delay(20) == 0


def test_failures_in_a_row_pause_it_longer_each_time_until_it_is_off(throttle):
    answers(throttle, 100)
    now, waits = 0.0, []
    while throttle.off is None:
        one(throttle, DOWN, now)
        if throttle.delay(now) > 0:
            waits.append(throttle.delay(now))
            now += throttle.delay(now)
    assert window(throttle) == 1
    assert len(waits) == 6
    for number, wait in enumerate(waits[:5]):
        assert min(2**number, 8) * 0.5 <= wait <= min(2**number, 8)
    assert "HTTP 500" in throttle.off


def test_many_calls_that_fail_together_are_one_failure(throttle):
    answers(throttle, 100)
    for _ in range(30):
        throttle.admit(1, 0)
        throttle.send()
    for _ in range(30):
        throttle.end(Lost(reason=Reason.TIMED_OUT, detail=""), started=1, now=2, tokens=0)
    assert throttle.off is None
    assert throttle.delay(2) <= 1


def test_an_answer_makes_good_all_that_was(throttle):
    for at in range(0, 40, 10):
        one(throttle, DOWN, at)
    one(throttle, ANSWER, 50)
    for at in range(60, 100, 10):
        one(throttle, DOWN, at)
    assert throttle.off is None


def test_a_judge_that_denies_us_is_off_at_once(throttle):
    one(throttle, Refused(reason=Reason.DENIED, detail="HTTP 401"), 0)
    assert throttle.off == "HTTP 401"


def test_a_judge_that_rejects_item_after_item_is_off(throttle):
    rejected = Refused(reason=Reason.REJECTED, detail="HTTP 400")
    for _ in range(9):
        one(throttle, rejected, 0)
    assert throttle.off is None
    one(throttle, rejected, 0)
    assert "rejects everything" in throttle.off


def test_requests_keep_to_their_rate(rng):
    throttle = Throttle(Limits(requests_per_minute=60), Patience(), rng)
    answers(throttle, 1)
    made, now = 1, 0.0
    while now < 60:
        now += throttle.delay(now)
        one(throttle, ANSWER, now)
        made += 1
    assert 60 <= made <= 63


def test_tokens_keep_to_their_rate_and_estimates_are_mended(rng):
    throttle = Throttle(Limits(tokens_per_minute=6000), Patience(), rng)
    used = Verdict(score=1.0, cost=None, prompt_tokens=90, output_tokens=10)
    made, now = 0, 0.0
    while now < 60:
        now += throttle.delay(now)
        throttle.admit(now, 1000)
        throttle.send()
        throttle.end(used, started=now, now=now, tokens=1000)
        made += 1
    assert 58 <= made <= 63


def test_a_pace_gives_back_what_was_not_used():
    pace = Pace(per_minute=60)
    pace.take(0, 10)
    pace.take(0, -10)
    assert pace.delay(0) == 0


@pytest.mark.parametrize("asked", [None, 0.05, 1.0, 5.0, 20.0])
@pytest.mark.parametrize("reason", [Reason.DOWN, Reason.BUSY])
def test_a_server_that_is_busy_for_a_minute_is_waited_for(rng, asked, reason):
    for own in rng.spawn(200):
        throttle, now = Throttle(Limits(), Patience(), own), 0.0
        while now < 60.0 and throttle.off is None:
            one(throttle, Refused(reason=reason, detail="busy", retry_after=asked), now)
            now += throttle.delay(now)
        assert throttle.off is None
        one(throttle, ANSWER, now)
        assert not throttle.failing


def test_a_server_that_never_works_is_switched_off_within_minutes(rng):
    throttle, now = Throttle(Limits(), Patience(), rng), 0.0
    while throttle.off is None:
        one(throttle, DOWN, now)
        now += throttle.delay(now)
    assert 60 < now < 300


def told(**quotas):
    return Verdict(score=1.0, cost=Cost(input=1), headroom=Headroom(**quotas))


def test_a_call_waits_until_the_endpoint_takes_one_again(throttle):
    empty = Quota(limit=60, remaining=0, reset=60)
    one(throttle, told(requests=empty), 0.0)
    assert throttle.delay(0.0) == pytest.approx(1.0)
    assert throttle.delay(1.0) == 0
    throttle.admit(1.0, 0)
    assert throttle.delay(1.0) == pytest.approx(1.0)


def test_calls_that_are_left_are_made_at_once(throttle):
    answers(throttle, 5)
    one(throttle, told(requests=Quota(limit=60, remaining=2, reset=58)), 0.0)
    for _ in range(2):
        assert throttle.delay(0.0) == 0
        throttle.admit(0.0, 0)
    assert throttle.delay(0.0) > 0


def test_tokens_that_are_left_pace_calls_by_their_size(throttle):
    answers(throttle, 5)
    one(throttle, told(tokens=Quota(limit=1000, remaining=100, reset=9)), 0.0)
    assert throttle.delay(0.0, 100) == 0
    assert throttle.delay(0.0, 200) == pytest.approx(1.0)
    assert throttle.delay(0.0, 10**9) == pytest.approx(9.0)  # as much as it ever takes


def test_a_wait_beyond_all_patience_is_left_to_the_endpoint_to_ask_for(throttle):
    one(throttle, told(requests=Quota(limit=1, remaining=0, reset=80_000)), 0.0)
    assert throttle.delay(0.0) == 0
