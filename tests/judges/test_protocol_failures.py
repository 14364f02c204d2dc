"""How each provider says no, and what it tells of its limits."""

import pytest

from adjudge.judges import remedy
from adjudge.records import Headroom, Lost, Quota, Reason, Refused
from tests.judges.protocol_support import ANTHROPIC, OPENROUTER, outcome


def google(code, status, *details):
    return {"error": {"code": code, "message": "no", "status": status, "details": [*details]}}


def anthropic(kind, **more):
    return {"type": "error", "error": {"type": kind, "message": "no", **more}, "request_id": "r"}


@pytest.mark.parametrize(
    ("protocol", "status", "body", "headers", "reason"),
    [
        ("messages", 402, anthropic("billing_error"), {}, Reason.DENIED),
        ("messages", 403, anthropic("permission_error"), {}, Reason.DENIED),
        ("messages", 429, anthropic("rate_limit_error"), {}, Reason.BUSY),
        (
            "messages",
            429,
            anthropic("rate_limit_error", details={"error_code": "enforced_spend_limit_reached"}),
            {},
            Reason.DENIED,
        ),
        ("messages", 529, anthropic("overloaded_error"), {}, Reason.BUSY),
        ("messages", 400, anthropic("invalid_request_error"), {}, Reason.REJECTED),
        ("messages", 500, anthropic("api_error"), {}, Reason.DOWN),
        ("generate", 429, google(429, "RESOURCE_EXHAUSTED"), {}, Reason.BUSY),
        ("generate", 503, google(503, "UNAVAILABLE"), {}, Reason.BUSY),
        ("generate", 402, google(402, "FAILED_PRECONDITION"), {}, Reason.DENIED),
        (
            "generate",
            400,
            google(400, "INVALID_ARGUMENT", {"reason": "API_KEY_INVALID"}),
            {},
            Reason.DENIED,
        ),
        ("generate", 400, google(400, "INVALID_ARGUMENT"), {}, Reason.REJECTED),
        ("generate", 403, google(403, "PERMISSION_DENIED"), {}, Reason.DENIED),
        (
            "converse",
            429,
            {"message": "Too many tokens"},
            {"x-amzn-errortype": "ThrottlingException"},
            Reason.BUSY,
        ),
        (
            "converse",
            403,
            {"message": "no"},
            {"x-amzn-errortype": "AccessDeniedException:http://internal"},
            Reason.DENIED,
        ),
        (
            "converse",
            400,
            {"message": "no"},
            {"x-amzn-errortype": "ValidationException"},
            Reason.REJECTED,
        ),
        (
            "converse",
            503,
            {"message": "no"},
            {"x-amzn-errortype": "ServiceUnavailableException"},
            Reason.BUSY,
        ),
        ("openrouter", 402, {"error": {"code": 402, "message": "no"}}, {}, Reason.DENIED),
        ("openrouter", 429, {"error": {"code": 429, "message": "no"}}, {}, Reason.BUSY),
        ("azure", 429, {"error": {"code": "429", "message": "no"}}, {}, Reason.BUSY),
    ],
)
def test_each_provider_s_errors_are_understood(protocol, status, body, headers, reason):
    refused = outcome(protocol, body, status=status, headers=headers, free_failures=True)
    assert isinstance(refused, Refused)
    assert refused.reason is reason
    assert refused.detail.startswith(f"HTTP {status}: ")


@pytest.mark.parametrize("status", [408, 424])
def test_a_model_that_failed_on_bedrock_is_presumed_billed(status):
    lost = outcome("converse", {"message": "no"}, status=status, free_failures=True)
    assert isinstance(lost, Lost)


def test_gemini_s_wait_is_read_from_its_body():
    wait = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "39.5s"}
    body = google(429, "RESOURCE_EXHAUSTED", wait)
    assert outcome("generate", body, status=429).retry_after == 39.5


def test_what_an_endpoint_still_takes_is_read_from_its_headers():
    headers = {
        "x-ratelimit-limit-requests": "5000",
        "x-ratelimit-remaining-requests": "4999",
        "x-ratelimit-reset-requests": "12ms",
        "x-ratelimit-limit-tokens": "160000",
        "x-ratelimit-remaining-tokens": "159976",
        "x-ratelimit-reset-tokens": "1m9.5s",
    }
    assert outcome("chat", OPENROUTER, headers=headers).headroom == Headroom(
        requests=Quota(limit=5000, remaining=4999, reset=0.012),
        tokens=Quota(limit=160000, remaining=159976, reset=69.5),
    )
    headers = {
        "date": "Wed, 18 Nov 2026 07:00:00 GMT",
        "anthropic-ratelimit-requests-limit": "50",
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": "2026-11-18T07:00:30Z",
    }
    assert outcome("messages", ANTHROPIC, headers=headers).headroom == Headroom(
        requests=Quota(limit=50, remaining=0, reset=30.0)
    )


@pytest.mark.parametrize(
    ("limit", "remaining", "reset"),
    [("5", "9", "1s"), ("5", "-1", "1s"), ("x", "1", "1s"), ("5", "1", "soon"), ("5", "1", "999d")],
)
def test_headers_that_cannot_be_believed_pace_nothing(limit, remaining, reset):
    headers = {
        "x-ratelimit-limit-requests": limit,
        "x-ratelimit-remaining-requests": remaining,
        "x-ratelimit-reset-requests": reset,
    }
    assert outcome("chat", OPENROUTER, headers=headers).headroom is None


@pytest.mark.parametrize("status", [400, 403, 429])
def test_a_spend_limit_is_told_by_its_code_and_mended_with_money(status):
    body = anthropic("rate_limit_error", details={"error_code": "enforced_spend_limit_reached"})
    ended = outcome("messages", body, status=status)
    assert ended.detail == f"HTTP {status}: no (out of credit or at a spend limit)"
    assert remedy(ended.reason, ended.detail).startswith("add credit")
