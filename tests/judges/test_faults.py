"""Every way in which an endpoint can misbehave, told apart over real connections."""

import pytest

from adjudge.records import Lost, Reason, Refused, Verdict
from adjudge.testing.faults import Fault
from adjudge.testing.server import PracticeServer
from tests.judges.asking import ask
from tests.live.support import PRICES, openai_judge


@pytest.fixture
def server():
    with PracticeServer(prices=PRICES, slow=30) as running:
        yield running


REFUSED = {
    Fault.BAD_REQUEST: Reason.REJECTED,
    Fault.WRONG_KEY: Reason.DENIED,
    Fault.CONFLICT: Reason.DOWN,
    Fault.TOO_EARLY: Reason.DOWN,
    Fault.REDIRECT: Reason.DENIED,
}
PRESUMED = {
    Fault.TOO_MANY: Reason.BUSY,
    Fault.TOO_MANY_WAIT_SECONDS: Reason.BUSY,
    Fault.TOO_MANY_WAIT_DATE: Reason.BUSY,
    Fault.TOO_MANY_WAIT_FOR_EVER: Reason.BUSY,
    Fault.OVERLOADED: Reason.BUSY,
    Fault.OUT_OF_CREDIT: Reason.DENIED,
    Fault.SPEND_LIMIT: Reason.DENIED,
    Fault.ERROR_500: Reason.DOWN,
    Fault.ERROR_503: Reason.DOWN,
    Fault.WEB_PAGE: Reason.DOWN,
    Fault.BILLED_408: Reason.DOWN,
    Fault.BILLED_429: Reason.BUSY,
    Fault.BILLED_500: Reason.DOWN,
    Fault.BILLED_503: Reason.DOWN,
}
"""Failures that cost nothing where the provider is known for it."""
LOST = {
    Fault.BILLED_500_SAID: Reason.DOWN,
    Fault.ERROR_503_SILENT: Reason.DOWN,
    Fault.GATEWAY_TIMEOUT: Reason.TIMED_OUT,
    Fault.SLOW: Reason.TIMED_OUT,
    Fault.RESET_BEFORE_BODY: Reason.BROKEN_OFF,
    Fault.RESET_WITHIN_BODY: Reason.BROKEN_OFF,
}
NO_SCORE = {
    Fault.TRUNCATED_JSON: Reason.MALFORMED,
    Fault.INVALID_JSON: Reason.MALFORMED,
    Fault.WRONG_UTF8: Reason.MALFORMED,
    Fault.EMPTY_CHOICES: Reason.EMPTY,
    Fault.OUT_OF_RANGE: Reason.OUT_OF_RANGE,
    Fault.CONTRADICTION: Reason.CONTRADICTING,
    Fault.PROSE: Reason.UNREADABLE,
    Fault.DECLINED: Reason.DECLINED,
    Fault.CUT_SHORT: Reason.CUT_SHORT,
    Fault.GIANT: Reason.TOO_LONG,
}
SCORED = {
    Fault.RESET_AFTER_BODY,
    Fault.NO_USAGE,
    Fault.NEGATIVE_USAGE,
    Fault.ABSURD_USAGE,
    Fault.OVERRUN,
    Fault.REASONING_LEFT_OUT,
    Fault.CACHE_WRITE,
    Fault.LONG_CACHE_WRITE,
    Fault.CACHE_READ,
    Fault.THINKING,
    Fault.CHEAPER_TIER,
    Fault.DEARER_TIER,
}


@pytest.mark.parametrize("way", ["directly", "by proxy", "directly, failures being free"])
@pytest.mark.parametrize("fault", Fault)
def test_every_fault_is_told_apart(server, monkeypatch, fault, way):
    if way == "by proxy":
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
        monkeypatch.setenv("no_proxy", "")
    server.schedule = lambda number: fault
    free = True if way.endswith("free") else None
    judge = openai_judge(server.url, timeout=0.5, connect_timeout=0.4, free_failures=free)
    (outcome,) = ask(judge)
    expected = {**REFUSED, **PRESUMED, **LOST, **NO_SCORE}.get(fault)
    refused = REFUSED.keys() | (PRESUMED if free else {}).keys()
    kind = Refused if fault in refused else Lost if fault in PRESUMED | LOST else Verdict
    assert isinstance(outcome, kind)
    assert getattr(outcome, "reason", None) is expected
    assert (fault in SCORED) == (getattr(outcome, "score", None) is not None)
