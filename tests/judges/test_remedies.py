import pytest

from adjudge.judges import remedy
from adjudge.records import Reason

SAID = {
    "HTTP 400: Unsupported parameter: 'max_tokens' is not supported with this model. Use "
    "'max_completion_tokens' instead.": "max_completion_tokens",
    "HTTP 400: Unrecognized request argument supplied: max_completion_tokens": "set max_tokens",
    "HTTP 400: Unsupported value: 'temperature' does not support 0": "leave out temperature",
    "HTTP 400: 'response_format.type' must be 'text'": "response_format: none for",
    "HTTP 400: This model's maximum context length is 8192 tokens": "shorten the prompt",
    "HTTP 404: model 'llama3' not found, try pulling it first": "the model's name",
    "HTTP 404: The model `gpt-5o` does not exist": "the model's name",
    "HTTP 400: nosuch/model is not a valid model ID": "the model's name",
    "HTTP 404: 404 page not found": "base_url",
    "HTTP 401: Incorrect API key provided": "check the key",
    "HTTP 402: Insufficient credits": "add credit",
    "HTTP 429: You exceeded your current quota": "add credit",
    "HTTP 400: You have reached your specified API usage limits.": "spend limit",
    "HTTP 403: You are not allowed to request logprobs from this model": "score_from",
    "HTTP 400: service_tier: Input should be 'auto' or 'standard_only'": "service_tier",
    "HTTP 400: thinking.budget_tokens: must be at least 1024": "thinking_budget",
    "HTTP 400: Budget 0 is invalid. This model only works in thinking mode.": "thinking_budget",
    "HTTP 400: Unsupported parameter: 'reasoning_effort' is not supported": "leave out effort",
    "HTTP 429: too many requests": "limits",
    "HTTP 503: loading model": "wait",
    "HTTP 200: a web page came back, and no chat completion": "base_url",
}


@pytest.mark.parametrize("words", SAID)
def test_what_providers_say_is_known_by_what_to_change(words):
    assert SAID[words] in remedy(Reason.REJECTED, words)


@pytest.mark.parametrize(
    ("reason", "change"),
    [
        (Reason.CUT_SHORT, "raise max_tokens"),
        (Reason.UNREADABLE, "ask for JSON"),
        (Reason.TIMED_OUT, "timeout"),
        (Reason.CRASHED, ""),
        (None, ""),
    ],
)
def test_without_words_the_reason_tells(reason, change):
    assert change in remedy(reason)
    assert bool(change) == bool(remedy(reason))


def test_the_words_of_a_function_s_exception_are_not_a_provider_s():
    assert remedy(Reason.RAISED, "KeyError: temperature") == "correct the judge function"


@pytest.mark.parametrize(
    ("form", "change"),
    [("json_object", "json_schema"), ("json_schema", "change the prompt"), ("function", "return")],
)
def test_nobody_is_told_to_do_what_was_done(form, change):
    told = remedy(Reason.UNREADABLE, form=form)
    assert change in told
    assert "ask for JSON" not in told


def test_a_function_off_the_scale_is_told_what_to_return():
    assert "whole numbers only" in remedy(Reason.OUT_OF_RANGE, form="function")


def test_more_tokens_are_advised_only_where_the_answer_was_cut_off():
    assert "max_tokens" not in remedy(Reason.EMPTY)
    assert "max_tokens" in remedy(Reason.CUT_SHORT)


def test_a_form_that_was_refused_is_not_advised_again():
    words = "HTTP 400: response_format of type json_object is not supported"
    assert "json_object for" not in remedy(Reason.REJECTED, words, form="json_object")
    assert "none or json_object for" in remedy(Reason.REJECTED, words, form="json_schema")
