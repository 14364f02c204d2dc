"""What a failure costs, and what to do about it."""

import re
from pathlib import Path

import orjson
import pytest

from adjudge.judges import Prices
from adjudge.judges.chat_failure import Billed, failure_of, presumption, retry_after
from adjudge.judges.transport import HttpAnswer
from adjudge.records import Lost, Reason, Refused

PRICES = Prices.of(input=1, output=2)
RELIABILITY = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


def failure(status, body=None, headers=None, *, free=False):
    said = {"error": {"message": "no"}} if body is None else body
    raw = said if isinstance(said, bytes) else orjson.dumps(said)
    answer = HttpAnswer(status=status, headers=headers or {}, body=raw)
    return failure_of(answer, prices=PRICES, service_tier=None, free_failures=free)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (301, Reason.DENIED),
        (400, Reason.REJECTED),
        (401, Reason.DENIED),
        (402, Reason.DENIED),
        (403, Reason.REJECTED),
        (404, Reason.DENIED),
        (409, Reason.DOWN),
        (413, Reason.REJECTED),
        (422, Reason.REJECTED),
        (425, Reason.DOWN),
    ],
)
def test_what_is_refused_before_any_work_costs_nothing(status, reason):
    refused = failure(status)
    assert isinstance(refused, Refused)
    assert refused.reason is reason
    assert refused.detail == f"HTTP {status}: no"


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (303, Reason.DENIED),
        (408, Reason.DOWN),
        (429, Reason.BUSY),
        (499, Reason.REJECTED),
        (500, Reason.DOWN),
        (502, Reason.DOWN),
        (503, Reason.DOWN),
        (529, Reason.BUSY),
    ],
)
def test_what_may_follow_the_work_is_presumed_billed_unless_failures_are_free(status, reason):
    lost = failure(status, headers={"retry-after": "7"})
    assert isinstance(lost, Lost)
    assert (lost.reason, lost.retry_after, lost.cost) == (reason, 7, None)
    free = failure(status, headers={"retry-after": "7"}, free=True)
    assert isinstance(free, Refused)
    assert (free.reason, free.retry_after, free.detail) == (reason, 7, lost.detail)


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (504, b"gateway", Reason.TIMED_OUT),
        (524, b"x", Reason.TIMED_OUT),
        (520, b"<html>", Reason.DOWN),
        (500, b"", Reason.DOWN),
        (503, b" ", Reason.DOWN),
    ],
)
def test_a_gateway_cannot_say_that_the_provider_does_not_bill(status, body, reason, free):
    lost = failure(status, body, free=free)
    assert isinstance(lost, Lost)
    assert lost.reason is reason


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("status", [400, 408, 429, 500, 503, 504])
def test_a_failure_that_states_its_usage_is_charged_by_it(status, free):
    lost = failure(status, {"error": {"message": "no"}, "usage": USAGE}, free=free)
    assert isinstance(lost, Lost)
    assert lost.cost.total == 100 * 1000 + 10 * 2000


def test_a_failure_too_long_to_be_read_is_a_failure():
    answer = HttpAnswer(status=500, headers={}, body=None)
    lost = failure_of(answer, prices=PRICES, service_tier=None, free_failures=True)
    assert isinstance(lost, Lost)
    assert lost.reason is Reason.DOWN


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (429, {"code": "insufficient_quota", "message": "pay"}),
        (429, {"code": "credit_balance_exhausted", "type": "insufficient_quota"}),
        (429, {"code": "organization_spend_limit_exceeded"}),
        (429, {"code": "project_spend_limit_exceeded"}),
        (429, {"code": "organization_usage_limit_exceeded"}),
        (
            429,
            {
                "type": "rate_limit_error",
                "details": {"error_code": "enforced_spend_limit_reached"},
            },
        ),
        (400, {"type": "billing_error"}),
        (
            400,
            {
                "type": "invalid_request_error",
                "message": "You have reached your specified API usage limits. You will regain",
            },
        ),
        (402, {"code": 402, "message": "Insufficient credits"}),
        (402, {"code": 402, "status": "RESOURCE_EXHAUSTED"}),
    ],
)
@pytest.mark.parametrize("wrap", [lambda body: body, lambda body: [body]], ids=["plain", "list"])
def test_being_out_of_credit_is_not_being_too_fast(status, error, wrap):
    assert failure(status, wrap({"error": error}), free=True).reason is Reason.DENIED


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (429, b"insufficient_quota", Reason.BUSY),
        (429, {"error": "insufficient_quota"}, Reason.BUSY),
        (429, {"error": {"message": "rejected: insufficient_quota"}}, Reason.BUSY),
        (429, {"error": {"message": "x", "input": {"code": "insufficient_quota"}}}, Reason.BUSY),
        (400, {"error": {"message": "You have reached your specified goal"}}, Reason.REJECTED),
        (429, {"error": {"code": ["insufficient_quota"], "details": "x"}}, Reason.BUSY),
    ],
)
def test_a_judged_text_that_is_repeated_does_not_switch_the_judge_off(status, body, reason):
    assert failure(status, body, free=True).reason is reason


def test_a_402_that_asks_to_wait_is_waited_for():
    assert failure(402, headers={"retry-after": "3"}).reason is Reason.BUSY
    assert failure(402).reason is Reason.DENIED


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "86400"}, 86400),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after-ms": "soon", "retry-after": "9"}, 9),
        (
            {
                "retry-after": "Wed, 21 Oct 2015 07:28:30 GMT",
                "date": "Wed, 21 Oct 2015 07:28:00 GMT",
            },
            30,
        ),
    ],
)
def test_both_forms_of_retry_after_are_understood(headers, seconds):
    assert retry_after(headers) == seconds


@pytest.mark.parametrize(
    "asked",
    [
        "soon", "", "0", "-3", "nan", "inf", "-inf", "1e400", "1e9", "99999999999999999999",
        "Wed, 21 Oct 2015 07:28:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
        "Fri, 31 Dec 9999 23:59:59 -2359", "Mon, 01 Jan 0001 00:00:00 +2359",
        "Mon, 99 Zzz 99999999999999999999 00:00:00 GMT", "Wed, 21 Oct 2015 07:28:00 -0000",
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["retry-after", "retry-after-ms"])
def test_an_absurd_retry_after_is_read_as_later(asked, name):
    dates = (
        {},
        {"date": "Wed, 21 Oct 2015 07:28:30 GMT"},
        {"date": "Mon, 01 Jan 0001 00:00 +2359"},
    )
    for date in dates:
        wait = retry_after({name: asked, **date})
        assert wait is None or (name == "retry-after-ms" and wait == 10**6)


def test_the_table_of_statuses_is_documented_as_it_is():
    """Every status that is no answer stands in docs/reliability.md, with what is presumed."""
    rows = re.findall(
        r"^\| (other [345]xx|[\d, ]+) \| ([\w ]+) \| ([\w ]+) \|$",
        RELIABILITY.read_text(),
        re.MULTILINE,
    )
    documented = {}
    for statuses, what, billed in rows:
        if statuses.startswith("other"):
            first = int(statuses[6]) * 100
            numbers = range(first, first + 100)
        else:
            numbers = [int(number) for number in statuses.split(",")]
        for number in numbers:
            documented.setdefault(number, (what, Billed(billed)))
    words = {
        Reason.DENIED: "judge switched off",
        Reason.REJECTED: "item left out",
        Reason.DOWN: "tried again",
        Reason.BUSY: "tried again later",
        Reason.TIMED_OUT: "not tried again",
    }
    actual = {status: presumption(status) for status in range(300, 600)}
    assert documented == {
        status: (words[reason], billed) for status, (reason, billed) in actual.items()
    }
