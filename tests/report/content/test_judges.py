import numpy as np
import pytest

from adjudge.core.strategies import Uniform
from adjudge.records import Reason
from adjudge.report.content import Counsel, content_of
from tests.report.runs import NOW, judge_summary, plain_items, result_of


def judged(rng, *, items=80, calls=(3, 3, 3), offsets=(0.0, 0.1, -0.1), **changes):
    truth = rng.uniform(0.3, 0.7, items)[:, None]
    n = np.tile(calls, (items, 1))
    mean = truth + np.array(offsets) + rng.normal(0, 0.05, n.shape)
    return result_of(n, np.clip(mean, 0, 1), m2=(n - 1) * 0.01, **changes)


def cards(result):
    content = content_of(plain_items(result.problem.items), result, title="t", now=NOW)
    return content.judges


def test_what_judges_are_like_is_on_the_users_scale(rng):
    result = judged(rng)
    for card, learned in zip(cards(result), result.estimate.judges, strict=True):
        assert card.offset == pytest.approx(9 * learned.offset)
        assert card.noise == pytest.approx(9 * learned.noise)
        assert card.deviation == pytest.approx(9 * learned.deviation)
        assert card.fall_per_dollar == pytest.approx(81 * 1e9 * learned.fall_per_money)


def test_what_a_dollar_buys_is_told_against_the_best(rng):
    found = cards(judged(rng))
    assert max(card.buys for card in found) == 1
    assert found[2].buys == 1
    assert found[0].buys < found[1].buys


def test_shares_add_up_and_prices_are_what_calls_cost(rng):
    found = cards(judged(rng))
    assert sum(card.call_share for card in found) == pytest.approx(1)
    assert sum(card.money_share for card in found) == pytest.approx(1)
    assert [card.price for card in found] == pytest.approx([1e6, 5e5, 2.5e5])
    assert sum(card.weight for card in found) == pytest.approx(1)


def test_a_judge_never_asked_is_unknown_not_zero(rng):
    card = cards(judged(rng, calls=(3, 3, 0)))[2]
    assert (card.offset, card.noise, card.deviation, card.buys) == (None,) * 4
    assert card.price == pytest.approx(2.5e5)
    assert card.advice.counsel is Counsel.WAIT


@pytest.mark.parametrize(("calls", "scored"), [((3, 3, 0), 0), ((3, 3, 3), 240)])
def test_advice_is_never_measured_against_a_judge_without_scores_or_switched_off(
    rng, calls, scored
):
    broken = judge_summary(2, answered=240, scored=scored, switched_off="HTTP 401")
    others = [judge_summary(j, scored=240) for j in range(2)]
    found = cards(judged(rng, calls=calls, judges=(*others, broken)))
    assert (found[1].buys, found[2].buys) == (1, None)
    assert "judge-1" in found[0].advice.reason
    assert found[1].advice.reason == "No other judge's dollar buys more."


def test_noise_without_repeats_is_unknown(rng):
    found = cards(judged(rng, calls=(3, 1, 1)))
    assert [card.noise is None for card in found] == [False, True, True]
    assert found[1].offset is not None


def test_what_a_few_scores_suggest_of_a_judge_is_not_shown(rng):
    mean = rng.uniform(0.3, 0.7, (80, 1)) + np.array([0.0, 0.1, -0.1])
    n = np.tile((3, 3, 0), (80, 1))
    n[:4, 2] = 1
    card = cards(result_of(n, mean, m2=0.01))[2]
    assert (card.scored, card.offset, card.deviation) == (4, None, None)
    n[4, 2] = 1
    assert cards(result_of(n, mean, m2=0.01))[2].offset is not None


def test_a_judge_that_always_says_the_same_is_guarded_and_to_be_dropped(rng):
    truth = rng.uniform(0.2, 0.8, (80, 1))
    mean = np.hstack([truth, truth + 0.01, np.full((80, 1), 0.9)])
    card = cards(result_of(np.full((80, 3), 3), mean, m2=[0.02, 0.02, 0.0]))[2]
    assert card.guarded
    assert (card.offset, card.noise, card.deviation) == (None, None, None)
    assert card.buys == 0
    assert card.advice.counsel is Counsel.DROP


def test_failures_are_counted_by_why(rng):
    refusals = {Reason.BUSY: 2, Reason.DOWN: 7}
    broken = judge_summary(
        1, answered=200, scored=90, presumed=10, refusals=refusals, rejected_items=("item-1",)
    )
    result = judged(rng)
    others = result.judges
    card = cards(judged(rng, judges=(others[0], broken, others[2])))[1]
    assert (card.calls, card.without_score, card.presumed, card.rejected) == (210, 110, 10, 1)
    assert card.refusals == (("down", 7), ("busy", 2))
    assert card.advice.counsel is Counsel.MEND


def test_a_strategy_without_a_panel_says_nothing_of_what_judges_are_like(rng):
    for card in cards(judged(rng, strategy=Uniform())):
        assert (card.offset, card.noise, card.buys, card.guarded) == (None, None, None, False)
        assert card.advice.counsel is Counsel.KEEP
