import re
from dataclasses import replace

import numpy as np
import pytest

from adjudge.core.groups import group_mean, paired_difference
from adjudge.core.strategies import Uniform
from adjudge.report.content import content_of
from tests.report.runs import NOW, SCALE, plain_items, result_of


def scored(levels, *, each=20, noise=0.05, calls=3, judges=2, seed=5, **changes):
    """Items of as many groups as there are levels, in turn; a prompt is hard or easy for all."""
    rng = np.random.default_rng(seed)
    hardness = np.repeat(rng.normal(0, 0.05, each), len(levels))
    mean = (np.tile(levels, each) + hardness)[:, None] + rng.normal(
        0, noise, (each * len(levels), judges)
    )
    n = np.full(mean.shape, calls)
    return result_of(n, np.clip(mean, 0, 1), m2=(calls - 1) * noise**2, **changes)


def content(items, result):
    return content_of(items, result, title="t", now=NOW)


def test_groups_are_ranked_by_their_means_on_the_users_scale():
    items, result = plain_items(60, groups="abc"), scored([0.3, 0.8, 0.5])
    found = content(items, result)
    assert [group.name for group in found.groups] == ["b", "c", "a"]
    best = group_mean(result.estimate, np.arange(1, 60, 3))
    assert found.groups[0].mean == pytest.approx(1 + 9 * best.mean)
    assert found.groups[0].interval.low == pytest.approx(1 + 9 * best.interval()[0])
    assert found.groups[0].items == 20
    assert found.groups[0].beyond.low < found.groups[0].interval.low


def test_answers_to_the_same_prompt_are_compared_pair_by_pair():
    items, result = plain_items(40, groups="ab"), scored([0.4, 0.6])
    (line,) = content(items, result).differences
    pairs = paired_difference(result.estimate, np.arange(1, 40, 2), np.arange(0, 40, 2))
    assert (line.first, line.second, line.pairs) == ("b", "a", 20)
    assert line.mean == pytest.approx(9 * pairs.mean)
    assert line.interval.high == pytest.approx(9 * pairs.interval()[1])
    assert line.told_apart


def test_a_difference_that_leaves_scored_items_out_says_so():
    items = plain_items(40, groups="ab")
    n = np.full((40, 2), 3)
    n[1] = 0
    mean = np.random.default_rng(1).uniform(0.3, 0.7, (40, 2))
    found = content(items, result_of(n, mean, m2=0.01))
    (line,) = found.differences
    assert (line.pairs, line.left_out) == (19, 1)
    assert any("may not be that of the two means" in notice.text for notice in found.notices)
    whole = content(items, scored([0.4, 0.6]))
    assert whole.differences[0].left_out == 0
    assert not any("two means" in notice.text for notice in whole.notices)


def test_groups_without_common_prompts_are_compared_whole():
    items = [replace(item, prompt=item.id) for item in plain_items(40, groups="ab")]
    (line,) = content(items, scored([0.4, 0.6])).differences
    assert line.pairs == 0
    assert line.told_apart


def test_a_difference_is_said_in_plain_words():
    items = plain_items(40, groups="ab")
    apart = content(items, scored([0.4, 0.6]))
    (line,) = apart.differences
    said = re.fullmatch(r"b is better than a by ([\d.]+) to ([\d.]+)\.", line.sentence)
    assert said is not None
    ends = [float(said[1]), float(said[2])]
    assert ends == pytest.approx([line.interval.low, line.interval.high], abs=0.01)
    assert line.sentence == apart.headline
    level = content(items, scored([0.5, 0.5], noise=0.3))
    assert level.differences[0].sentence.endswith(" cannot be told apart with these calls.")
    assert level.headline == level.differences[0].sentence


def test_a_finding_that_other_items_may_not_bear_out_says_so():
    rng = np.random.default_rng(3)
    quality = np.clip(0.5 + rng.normal(0, 0.3, 40) + np.tile([0.0, 0.08], 20), 0.05, 0.95)
    n = np.full((40, 2), 400)
    result = result_of(n, np.repeat(quality[:, None], 2, axis=1), m2=400 * 1e-4)
    found = content(plain_items(40, groups="ab"), result)
    (line,) = found.differences
    assert line.told_apart
    assert not line.holds_beyond
    assert (
        found.headline
        == f"{line.sentence} On other items like these, {line.second} may be as good."
    )


def test_groups_level_with_the_first_are_marked():
    found = content(plain_items(60, groups="abc"), scored([0.6, 0.6, 0.2], noise=0.2))
    assert [group.level_with_first for group in found.groups] == [True, True, False]
    assert "cannot be told apart from" in found.headline


def test_a_clear_winner_of_many_is_named():
    found = content(plain_items(60, groups="abc"), scored([0.2, 0.8, 0.3], noise=0.02))
    assert found.headline.startswith("b is the best of 3 groups.")


def test_many_groups_are_shown_at_both_ends_and_compared_with_the_first():
    names = [f"g{number:03}" for number in range(60)]
    items = [replace(item, group=names[k % 60]) for k, item in enumerate(plain_items(240))]
    found = content(items, scored(np.linspace(0.2, 0.8, 60), each=4, noise=0.01))
    assert len(found.groups) == 40
    assert found.groups_left_out == 20
    assert {line.first for line in found.differences} == {found.groups[0].name}
    assert len(found.differences) == 39
    means = [group.mean for group in found.groups]
    assert means == sorted(means, reverse=True)


def test_a_group_that_was_never_asked_has_no_mean_and_comes_last():
    n = np.full((40, 2), 3)
    n[::2] = 0
    mean = np.linspace(0.3, 0.7, 40)[:, None]
    found = content(plain_items(40, groups="ab"), result_of(n, mean, m2=0.02))
    assert [(group.name, group.mean is None) for group in found.groups] == [
        ("b", False),
        ("a", True),
    ]
    assert found.groups[1].unasked == 20
    assert not found.differences


def test_items_without_groups_give_one_mean():
    found = content(plain_items(40), scored([0.5] * 1, each=40))
    assert not found.groups
    assert found.headline.startswith("40 items score 5.")
    assert found.overall.interval.low < found.overall.mean < found.overall.interval.high


def test_a_strategy_without_a_panel_gives_means_alone():
    found = content(plain_items(40, groups="ab"), scored([0.4, 0.6], strategy=Uniform()))
    assert [group.name for group in found.groups] == ["b", "a"]
    assert all(group.interval is None and group.mean is not None for group in found.groups)
    assert not found.differences


def test_precise_means_are_shown_with_more_decimals():
    n = np.full((4000, 2), 50)
    rng = np.random.default_rng(0)
    mean = np.repeat(rng.uniform(0.3, 0.7, 4000)[:, None], 2, axis=1)
    found = content(plain_items(4000, groups="ab"), result_of(n, mean, m2=50 * 1e-4, scale=SCALE))
    assert found.group_digits > found.scale.digits
