import numpy as np
import pytest

from adjudge.report.content.sample import evenly, sampled


def test_few_items_are_all_shown_in_their_order(rng):
    assert sampled(rng.random(50), rng.random(50), rng=rng, most=50).tolist() == list(range(50))


@pytest.mark.parametrize("items", [101, 5_000])
def test_of_many_the_extremes_and_the_widest_are_shown_and_no_item_twice(rng, items):
    score, width = rng.random(items), rng.random(items)
    shown = sampled(score, width, rng=rng, most=100)
    assert shown.size == 100
    assert (np.diff(shown) > 0).all()
    order = np.argsort(score)
    assert np.isin(order[:15], shown).all()
    assert np.isin(order[-15:], shown).all()
    assert np.isin(np.argsort(-width)[:20], shown).all()


def test_the_rest_is_random_and_the_same_for_the_same_seed(rng):
    score, width = rng.random(1000), rng.random(1000)
    first, again, other = (
        set(sampled(score, width, rng=np.random.default_rng(s), most=100)) for s in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_ties_do_not_make_the_sample_larger(rng):
    assert sampled(np.zeros(1000), np.zeros(1000), rng=rng, most=100).size == 100


def test_items_of_a_picture_reach_from_the_lowest_to_the_highest(rng):
    score = rng.random(1000)
    chosen = evenly(score, 150)
    assert chosen.size == np.unique(chosen).size == 150
    assert score[chosen[0]] == score.min()
    assert score[chosen[-1]] == score.max()
    assert (np.diff(score[chosen]) >= 0).all()
    assert evenly(score[:10], 150).tolist() == np.argsort(score[:10]).tolist()
