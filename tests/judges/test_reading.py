import pytest

from adjudge.judges import Scale, read_score
from adjudge.records import Reason

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
        'I think {"score": 7} is right.',
        '{"score": 7} and again {"score": 7}',
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
    ],
)
def test_labels_are_read_as_their_numbers(text):
    assert read_score(text, LABELS).score == (1 if "Fair" in text else 2)


@pytest.mark.parametrize("text", ["It is not very good", '{"score": "excellent"}', '{"score": 2}'])
def test_a_label_amid_prose_is_not_a_choice(text):
    assert read_score(text, LABELS).score is None


def test_a_hostile_answer_takes_no_more_than_a_moment():
    for text in (
        '{"a":' * 100_000,
        "{" * 10**6,
        "<think>" * 10**5,
        "score: " * 10**5,
        '{"' * 10**5,
    ):
        assert read_score(text, TEN).score is None
