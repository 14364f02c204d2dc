from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.strategies import Uniform
from adjudge.records import Reason
from adjudge.report.content import Weight, content_of
from adjudge.run import Complaint, End
from adjudge.store import Balance, CallRecord, Note, NoteKind
from tests.report.runs import NOW, judge_summary, plain_items, result_of

TITLED = {"title": "t", "now": NOW}
BEGUN = Note(
    kind=NoteKind.BEGUN,
    text="a run began",
    at=0,
    judge=None,
    judge_number=None,
    run="0123456789abcdef" * 2,
    call=0,
)


def good(**changes):
    """A result that gives no cause for a warning."""
    rng = np.random.default_rng(4)
    mean = rng.uniform(0.3, 0.7, (60, 1)) + rng.normal(0, 0.02, (60, 3))
    return result_of(np.full((60, 3), 6), mean, m2=0.01, **changes)


def notices(result):
    return content_of(plain_items(60), result, title="t", now=NOW).notices


def record(**changes):
    fields = {
        "call": 1,
        "item": "item-3",
        "judge": "judge-1",
        "reason": Reason.TIMED_OUT,
        "charged": 2_000_000,
        "excess": 0,
    }
    return CallRecord(**{**fields, **changes})


def judges(**changes):
    own = good().judges
    return (replace(own[0], **changes), *own[1:])


def test_a_good_run_gives_no_warning():
    assert notices(good()) == ()


@pytest.mark.parametrize(
    ("changes", "weight", "words"),
    [
        ({"end": None, "notes": (BEGUN,)}, Weight.CAUTION, "under way, or it was killed"),
        (
            {"judges": judges(unstated=7)},
            Weight.CAUTION,
            "judge-0 did not say what 7 of 360 answers used. These count at their worst case",
        ),
        ({"end": None}, Weight.CAUTION, "No run has begun"),
        ({"end": End.STOPPED}, Weight.NOTE, "was stopped before its end"),
        ({"end": End.JUDGES_OFF}, Weight.TROUBLE, "every judge that could be asked"),
        (
            {"judges": judges(switched_off="HTTP 401")},
            Weight.TROUBLE,
            "judge-0 was switched off: HTTP 401.",
        ),
        (
            {"judges": judges(rejected_items=("a", "b"))},
            Weight.CAUTION,
            "judge-0 would not take 2 items.",
        ),
        (
            {"judges": judges(scored=200)},
            Weight.CAUTION,
            "held no usable score; most came from judge-0 (160 of 360).",
        ),
        (
            {"presumed": (record(),)},
            Weight.CAUTION,
            "1 call went out and was never fully answered, or failed.",
        ),
        (
            {"presumed": (record(), record())},
            Weight.CAUTION,
            "so they count at their worst case: $0.00400.",
        ),
        (
            {"presumed": (record(reason=Reason.BUSY), record())},
            Weight.CAUTION,
            "If the provider of judge-1 does not bill failures, say free_failures: true there.",
        ),
        (
            {"overcharged": (record(excess=5_000_000),)},
            Weight.TROUBLE,
            "$0.00500 of it beyond the budget: check the prices of judge-1.",
        ),
        (
            {"balance": Balance(budget=10**12, spent=630_000_000, reserved=7_000_000)},
            Weight.NOTE,
            "$0.00700 is reserved for calls that have not ended.",
        ),
        (
            {"balance": Balance(budget=10**12, spent=10**9, reserved=0)},
            Weight.NOTE,
            "$0.370 of what was spent went to other items",
        ),
        ({"strategy": Uniform()}, Weight.NOTE, "The panel strategy also"),
    ],
)
def test_what_a_reader_should_know_is_said_in_words(changes, weight, words):
    (notice,) = notices(good(**changes))
    assert notice.weight is weight
    assert words in notice.text


def test_a_judge_that_does_not_follow_the_others_is_named():
    rng = np.random.default_rng(4)
    truth = rng.uniform(0.3, 0.7, (60, 1))
    mean = np.hstack([truth, truth, np.full((60, 1), 0.9)])
    (notice,) = notices(result_of(np.full((60, 3), 6), mean, m2=[0.01, 0.01, 0.0]))
    assert notice.text.startswith("judge-2 always gives the same answer")


def test_items_that_no_judge_scored_are_counted():
    n = np.full((60, 3), 6)
    n[:7] = 0
    rng = np.random.default_rng(4)
    mean = rng.uniform(0.3, 0.7, (60, 1)) + rng.normal(0, 0.02, (60, 3))
    (notice,) = notices(result_of(n, mean, m2=0.01))
    assert notice.text.startswith("7 of 60 items have no score from any judge")


def test_wide_intervals_a_shared_error_and_guessed_noise_are_owned_up_to():
    rng = np.random.default_rng(4)
    n = np.zeros((60, 3), int)
    n[np.arange(60), np.arange(60) % 3] = 1
    n[:6] = 1
    mean = rng.uniform(0.0, 1.0, (60, 3))
    said = " ".join(notice.text for notice in notices(result_of(n, mean)))
    assert "Too few calls for precise scores" in said
    assert "For shorter ones raise the budget; with a run file, `adjudge plan` says" in said
    assert "all items share this error" in said
    assert "No judge scored an item twice" in said


def test_before_the_first_call_nothing_is_claimed():
    (notice,) = notices(result_of(np.zeros((60, 3), int), 0.0, end=None))
    assert notice.text.startswith("No call was made yet")


def test_the_most_serious_comes_first():
    off = replace(judge_summary(0, scored=360), switched_off="HTTP 401", rejected_items=("a",))
    found = notices(good(end=End.STOPPED, judges=(off, *good().judges[1:])))
    assert [notice.weight for notice in found] == [
        Weight.TROUBLE,
        Weight.CAUTION,
        Weight.NOTE,
        Weight.NOTE,
    ]


def dear_and_unasked(**changes):
    """The first judge, the dearest, got no call."""
    rng = np.random.default_rng(4)
    n = np.full((60, 2), 6)
    n[:, 0] = 0
    return result_of(n, rng.uniform(0.3, 0.7, (60, 2)), m2=0.01, **changes)


def test_a_judge_that_was_never_asked_is_named_with_the_reason_and_what_helps():
    said = [notice.text for notice in notices(dear_and_unasked())]
    (text,) = [one for one in said if one.startswith("judge-0 was never asked")]
    assert "at about $0.00100 a call, 2 times the cheapest judge's" in text
    assert "It counts 50 % in every score" in text
    assert "Raise the budget so that it is asked, or leave it out." in text


def test_a_judge_that_counts_without_ever_giving_a_score_is_named_with_what_helps():
    off = judge_summary(0, answered=10, switched_off="gave no readable score in its first answers")
    found = notices(dear_and_unasked(judges=(off, judge_summary(1, scored=360))))
    (text,) = [one.text for one in found if one.text.startswith("judge-0 gave no score")]
    assert text == (
        "judge-0 gave no score. It counts 50 % in every score, but its answers are only predicted, "
        "which makes intervals longer. Fix it, or leave it out."
    )
    assert not any("Too few calls for precise scores" in one.text for one in found)


def test_a_judge_that_was_hardly_asked_is_named_where_it_widens_the_intervals():
    rng = np.random.default_rng(4)
    n = np.full((60, 2), 6)
    n[:, 0] = 0
    n[0, 0] = 1
    mean = rng.uniform(0.3, 0.7, (60, 2))
    said = " ".join(one.text for one in notices(result_of(n, mean)))
    assert "judge-0 counts 50 % in every score and gave 1 score only: raise the budget" in said
    ended = " ".join(one.text for one in notices(result_of(n, mean, end=End.ENOUGH)))
    assert "only: set `spend: all`, or leave it out" in ended
    enough = result_of(np.full((60, 2), 6), rng.uniform(0.3, 0.7, (60, 2)), m2=0.01)
    assert "gave" not in " ".join(one.text for one in notices(enough))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"balance": Balance(budget=900_000, spent=600_000, reserved=0)},
            "one call costs about $0.00100, more than the whole budget of $0.000900",
        ),
        (
            {"balance": Balance(budget=10**9, spent=10**8, reserved=0), "end": End.STOPPED},
            "the run has not come to its end",
        ),
    ],
)
def test_the_reason_why_a_judge_was_never_asked_is_the_true_one(changes, words):
    said = " ".join(notice.text for notice in notices(dear_and_unasked(**changes)))
    assert f"judge-0 was never asked: {words}." in said


def test_judges_that_do_not_tell_items_apart_are_told_of_in_the_headline():
    rng = np.random.default_rng(4)
    noise = rng.normal(0.5, 0.1, (60, 3))
    found = content_of(plain_items(60), result_of(np.full((60, 3), 2), noise, m2=0.02), **TITLED)
    assert "The judges barely tell these items apart" in found.headline
    assert not any("barely tell" in notice.text for notice in found.notices), "told once"
    same = content_of(plain_items(60), result_of(np.full((60, 3), 2), 0.5), **TITLED)
    assert "they give all of them the same score" in same.headline
    assert "apart" not in content_of(plain_items(60), good(), **TITLED).headline


def unscored(*, answered=0, **changes):
    """A result in which no judge gave a score."""
    none = np.zeros((60, 3), int)
    found = result_of(none, np.full((60, 3), 0.5), **changes)
    return replace(found, answered=np.where(np.arange(60)[:, None] < answered, [[1, 0, 0]], 0))


@pytest.mark.parametrize(
    ("result", "headline"),
    [
        (unscored(), "Nothing was asked yet."),
        (unscored(answered=1), "No item has a score: the only answer has none."),
        (unscored(answered=7), "No item has a score: not one of 7 answers has one."),
        (
            unscored(judges=judges(refusals={Reason.DENIED: 1})),
            "No item has a score: 1 call made, none answered.",
        ),
    ],
)
def test_without_a_score_the_headline_says_what_happened_and_no_precision_is_told(result, headline):
    content = content_of(plain_items(60), result, **TITLED)
    assert content.headline == headline
    told = " ".join(notice.text for notice in content.notices)
    for useless in ("The overall level", "scored an item twice", "Too few calls", "apart"):
        assert useless not in told


def test_a_refused_call_is_no_call_that_was_never_made():
    refused = unscored(judges=judges(refusals={Reason.DENIED: 1}))
    assert any(notice.text.startswith("No call was answered") for notice in notices(refused))


def test_exceptions_of_functions_are_not_said_to_be_billed():
    raised = record(reason=Reason.RAISED, judge="mine")
    (notice,) = notices(good(presumed=(raised,)))
    assert "1 call of mine ended with an exception" in notice.text
    assert "billed" not in notice.text


def test_one_item_is_told_of_as_one():
    one = result_of(np.full((1, 3), 6), np.full((1, 3), 0.5), m2=0.01)
    assert content_of(plain_items(1), one, **TITLED).headline.startswith("The item scores 5.5")


@pytest.mark.parametrize(
    ("off", "words", "told"),
    [
        ("HTTP 401: bad", "HTTP 401: bad", "HTTP 401: bad. What to change: R."),
        ("HTTP 401", "HTTP 401: bad", "HTTP 401: bad. What to change: R."),
        ("no answer (it broke)", "it broke", "no answer (it broke). What to change: R."),
        ("no score. What to change: R", "prose", "no score. What to change: R."),
    ],
)
def test_what_is_wrong_with_a_judge_is_told_once(off, words, told):
    complaint = Complaint(reason=Reason.DENIED, words=words, remedy="R")
    broken = judges(switched_off=off, complaint=complaint, refusals={Reason.DENIED: 400})
    (notice,) = notices(good(judges=broken))
    assert notice.text == f"judge-0 was switched off: {told}"
