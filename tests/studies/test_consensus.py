from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from adjudge.errors import InputError
from adjudge.studies.consensus import consensus, enough_samples, modal_scores
from adjudge.worlds import RecordedScores

SCORES = {
    # item: scores of ann, scores of bob
    "agreed": ([1, 3, 3], [3, 3, 5]),
    "tied": ([2, 2, 4, 4], [2, 2, 2]),
    "torn": ([1, 1, 1], [5, 5, 5]),
    "rare": ([3, 3, 3], [3, 3]),
    "alone": ([3, 3, 3], []),
    "elsewhere": ([], [4, 4, 4]),
}


@pytest.fixture
def scores(tmp_path: Path) -> RecordedScores:
    rows = [
        {"item": item, "judge": judge, "score": score}
        for item, pair in SCORES.items()
        for judge, given in zip(("ann", "bob"), pair, strict=True)
        for score in given
    ]
    path = tmp_path / "scores.csv"
    pl.DataFrame(rows).write_csv(path)
    return RecordedScores.read(path)


def test_items_are_kept_where_all_judges_usually_say_the_same(scores: RecordedScores) -> None:
    kept = consensus(scores, min_samples=3)
    assert kept.scores.item_names == ("agreed", "tied")
    np.testing.assert_allclose(kept.truth, [0.5, 0.25])


def test_every_dropped_item_is_counted_under_one_reason(scores: RecordedScores) -> None:
    counts = consensus(scores, min_samples=3).counts
    assert counts.items == 6
    assert (counts.not_by_all_judges, counts.too_few_samples, counts.modes_differ) == (2, 1, 1)
    assert (counts.kept, counts.by_a_tie) == (2, 1)
    assert str(counts) == (
        "6 items; dropped: 2 not scored by all 2 judges, 1 with fewer than 3 samples of some "
        "judge, 1 whose judges' modal scores differ; kept: 2 (1 of them where a tie between modes "
        "was broken)"
    )


def test_the_lowest_of_several_modes_counts(scores: RecordedScores) -> None:
    mode, tied = modal_scores(scores)
    place = scores.item_names.index("tied")
    assert mode[place].tolist() == [0.25, 0.25]
    assert tied[place].tolist() == [True, False]


def test_too_many_samples_asked_for_is_refused_with_the_number_there_is(
    scores: RecordedScores,
) -> None:
    sentence = "min-samples: 9, but none of 6 items .* give at most 3"
    with pytest.raises(InputError, match=sentence):
        enough_samples(scores, min_samples=9)
    with pytest.raises(InputError, match="min-samples: 0; give at least 1"):
        enough_samples(scores, min_samples=0)


def test_judges_that_share_no_item_are_refused_by_name(scores: RecordedScores) -> None:
    alone = scores.keep(np.array([4]))
    with pytest.raises(InputError, match="none of 1 items was scored by all 2: ann, bob"):
        enough_samples(alone, min_samples=2)
