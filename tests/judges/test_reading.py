import time

import pytest

from adjudge.judges import Scale, read_score
from adjudge.judges.reading import Reading
from adjudge.records import Reason
from tests.fuzz.corpus.answers import CONTRADICTING, SCORED, UNREADABLE

TEN = Scale(low=1, high=10, whole=True)
UNIT = Scale(low=0, high=1)
LABELS = Scale.of_labels({"Poor": 0, "Fair": 1, "Very good": 2})


@pytest.mark.parametrize(
    "text",
    [
        '{"reason": "fine", "score": 7}',
        '{"score": 7.0, "reason": "{\\"score\\": 3}"}',
        '{"score": "7"}',
        '{"Score": "7/10"}',
        '{"rating": 7}',
        'Here is my verdict:\n```json\n{"reason": "good", "score": 7}\n```\nThank you.',
        '{"score": 7}\n\nAs I said:\n{"score": 7}',
        "Score: 7",
        "**Score:** 7",
        "The final score is 7.",
        "Rating = 7/10",
        "score of 7 out of 10",
        "It is good, but long.\n\nScore: 7\n",
        "7",
        " 7/10 ",
        "**7**",
        "<think>maybe score: 3, or 4</think>Score: 7",
    ],
)
def test_a_score_is_read_however_it_is_wrapped(text):
    assert read_score(text, TEN).score == 7


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", Reason.EMPTY),
        ("   \n", Reason.EMPTY),
        ("A fine piece of work.", Reason.UNREADABLE),
        ("There are 7 reasons to like it.", Reason.UNREADABLE),
        ("Score: between 6 and 7", Reason.UNREADABLE),
        ("Score: 6-7", Reason.UNREADABLE),
        ("Score: 6/10-7/10", Reason.UNREADABLE),
        ("Score: 6 to 7", Reason.UNREADABLE),
        ("Score: 70%", Reason.UNREADABLE),
        ("Score: 1,000", Reason.UNREADABLE),
        ('{"verdict"', Reason.UNREADABLE),
        ('{"reason": "no number"}', Reason.UNREADABLE),
        ("Score: 11", Reason.OUT_OF_RANGE),
        ("Score: 0", Reason.OUT_OF_RANGE),
        ("Score: -7", Reason.OUT_OF_RANGE),
        ("Score: 7.5", Reason.OUT_OF_RANGE),
        ("Score: 4/5", Reason.OUT_OF_RANGE),
        ('{"score": 1e400}', Reason.OUT_OF_RANGE),
        ('{"score": NaN}', Reason.OUT_OF_RANGE),
        ('{"score": true}', Reason.OUT_OF_RANGE),
        ('{"score": null}', Reason.OUT_OF_RANGE),
        ('{"score": [7]}', Reason.OUT_OF_RANGE),
        ('{"score": 7} no, {"score": 8}', Reason.CONTRADICTING),
        ("Score: 7, on reflection score: 8", Reason.CONTRADICTING),
        ("<think>I would say score: 7", Reason.CUT_SHORT),
    ],
)
def test_no_score_is_guessed(text, reason):
    reading = read_score(text, TEN)
    assert reading.score is None
    assert reading.reason is reason


@pytest.mark.parametrize(("text", "score"), SCORED.items())
def test_what_a_judge_states_is_its_score(text, score):
    assert read_score(text, TEN).score == score


@pytest.mark.parametrize("text", CONTRADICTING)
def test_contradicting_scores_are_no_score(text):
    assert read_score(text, TEN) == Reading(reason=Reason.CONTRADICTING)


@pytest.mark.parametrize("text", UNREADABLE)
def test_quoting_and_mentioning_are_not_scoring(text):
    assert read_score(text, TEN) == Reading(reason=Reason.UNREADABLE)


@pytest.mark.parametrize("text", ["0.25", '{"score": 0.25}', "Score: 0,25"])
def test_real_scores_are_read(text):
    assert read_score(text, UNIT).score == 0.25


@pytest.mark.parametrize(
    "text",
    [
        '{"score": "very good"}',
        "Label: Very good",
        "Verdict: **Very good**.",
        "very good",
        '"Fair"',
        'It is not "Very good".\n\nVerdict: Fair',
        "Label: Fair - it lacks detail",
    ],
)
def test_labels_are_read_as_their_numbers(text):
    assert read_score(text, LABELS).score == (1 if "Fair" in text else 2)


@pytest.mark.parametrize(
    "text",
    [
        "It is not very good",
        "Verdict: very good at first sight",
        '{"score": "excellent"}',
        '{"score": 2}',
    ],
)
def test_a_label_amid_prose_is_not_a_choice(text):
    assert read_score(text, LABELS).score is None


HOSTILE = (
    '{"a":',
    "{",
    '{"score": ',
    "<think>",
    "score: ",
    '{"',
    "```",
    "```{",
    '"',
    '"a ',
    "'a ",
    "“",
    "score: 7 ",
    "Score: 7. ",
    "the final ",
    "I would give it a ",
    "score" + " " * 50,
    "\n",
    "\n> ",
    "* ",
    "1. ",
    "[",
    '{"score": 7}',
    '{"score": 7}\n',
    "\x00",
    "9",
    "Score: 9.",
    "\\",
)


@pytest.mark.parametrize("piece", HOSTILE)
def test_the_time_to_read_an_answer_grows_with_its_length_alone(piece):
    """A hundred thousand characters of anything take about a second, far from the ten allowed."""
    for text in (piece * (100_000 // len(piece)), "Score: 8\n" + piece * (99_000 // len(piece))):
        began = time.process_time()
        read_score(text, TEN)
        read_score(text, LABELS)
        assert time.process_time() - began < 10
