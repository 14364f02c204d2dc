"""Whatever a judge answers, it has one score on the scale or a reason for none."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudge.judges import Prices, Scale, read_score
from adjudge.judges.chat_answer import outcome_of
from adjudge.judges.providers import PROTOCOLS
from adjudge.judges.transport import HttpAnswer
from adjudge.records import Lost, Refused, Verdict
from tests.fuzz.corpus.answers import CONTRADICTING, SCORED, UNREADABLE

SCALES = (
    Scale(low=1, high=10, whole=True),
    Scale(low=0, high=1),
    Scale.of_labels({"Poor": 0, "Fair": 1, "Very good": 2}),
)
PIECES = st.sampled_from(
    [
        *("score", "Score: ", "**Rating:** ", "verdict is ", "7", "10", "/10", " out of 10"),
        *("{", "}", '{"score": 7}', '{"score": ', '"', "'", "`", "```", "```json\n", "“", "”"),
        *("\n", "\n\n", "\n> ", ". ", ": ", ", ", " ", "The response says", "I would give it a "),
        *("Poor", "Very good", "<think>", "</think>", "\x00", "\x01", "\ud800", "٣", "１", "\\"),
    ]
)
TEXTS = st.lists(PIECES | st.text(max_size=4), max_size=25).map("".join)
CORPUS = [*SCORED, *CONTRADICTING, *UNREADABLE]


def assert_read(text: str) -> None:
    for scale in SCALES:
        reading = read_score(text, scale)
        assert (reading.score is None) != (reading.reason is None)
        assert reading.score is None or scale.holds(reading.score)


@given(text=TEXTS)
def test_any_text_has_a_score_on_the_scale_or_a_reason_for_none(text):
    assert_read(text)


@given(text=st.sampled_from(CORPUS), other=st.sampled_from(CORPUS), cut=st.integers(0, 200))
def test_answers_cut_and_put_together_are_read_or_not(text, other, cut):
    assert_read(text[:cut] + other[cut:])
    assert_read(f"{text}\n{other}")


@given(text=st.sampled_from(sorted(SCORED)), other=st.sampled_from(sorted(SCORED)))
def test_two_answers_in_one_never_give_a_third_score(text, other):
    score = read_score(f"{text}\n\n{other}", SCALES[0]).score
    assert score in {None, SCORED[text], SCORED[other]}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=5),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("choices", "message", "content", "usage", "prompt_tokens", "text", "error"),
                    *("completion_tokens", "total_tokens", "finish_reason", "refusal", "type"),
                    *("prompt_tokens_details", "completion_tokens_details", "cached_tokens"),
                    *("candidates", "parts", "usageMetadata", "promptTokenCount", "output", "cost"),
                    *("input_tokens", "output_tokens", "cache_creation", "inputTokens", "details"),
                    *(
                        "outputTokens",
                        "cacheDetails",
                        "stop_details",
                        "promptFeedback",
                        "retryDelay",
                    ),
                ]
            ),
            below,
            max_size=4,
        )
    ),
    max_leaves=12,
)
USAGE = st.dictionaries(
    st.sampled_from(["prompt_tokens", "completion_tokens", "total_tokens"]), JSON, max_size=3
)
CHATS = st.fixed_dictionaries(
    {"choices": st.lists(st.fixed_dictionaries({"message": JSON}), max_size=2) | JSON},
    optional={"usage": USAGE | JSON},
)
OTHERS = st.fixed_dictionaries(
    {},
    optional={
        "content": st.lists(JSON, max_size=2) | JSON,
        "candidates": st.lists(JSON, max_size=2) | JSON,
        "output": JSON,
        "usage": JSON,
        "usageMetadata": JSON,
        "error": JSON,
    },
)


@given(
    status=st.sampled_from([200, 201, 302, 400, 401, 402, 404, 408, 409, 425, 429, 500, 503, 504]),
    body=st.binary(max_size=40) | (CHATS | OTHERS | JSON).map(json.dumps).map(str.encode),
    headers=st.dictionaries(
        st.sampled_from(
            [
                *("retry-after", "retry-after-ms", "date", "x-request-id", "x-amzn-errortype"),
                *("x-ratelimit-remaining-requests", "x-ratelimit-limit-requests"),
                "x-ratelimit-reset-requests",
            ]
        ),
        st.text(max_size=12) | st.sampled_from(["1e999", "-1", "Fri, 31 Dec 9999 23:59:59 GMT"]),
        max_size=3,
    ),
    protocol=st.sampled_from(sorted(PROTOCOLS)),
)
def test_any_answer_of_an_endpoint_is_a_way_that_a_call_ends(status, body, headers, protocol):
    answer = HttpAnswer(status=status, headers=headers, body=body)
    outcome = outcome_of(
        answer,
        prices=Prices.of(input=1, output=4),
        scale=SCALES[0],
        protocol=PROTOCOLS[protocol],
    )
    assert isinstance(outcome, Verdict | Refused | Lost)
    if isinstance(outcome, Verdict) and outcome.cost is not None:
        assert outcome.cost.total >= 0


@pytest.mark.parametrize("text", CORPUS)
def test_every_answer_of_the_corpus_is_read_or_not(text):
    assert_read(text)
