from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from adjudge.core.evidence import Allocation
from adjudge.errors import InputError
from adjudge.worlds import RecordedScores

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"

ROWS = {
    "item": ["p", "p", "p", "p", "q", "q", "r"],
    "judge": ["ann", "ann", "ann", "bob", "ann", "bob", "bob"],
    "score": [1, 1, 4, 5, 3, 2, 2],
}


def written(path: Path, rows: dict[str, list[object]] | None = None) -> Path:
    frame = pl.DataFrame(ROWS if rows is None else rows)
    write = {".parquet": frame.write_parquet, ".csv": frame.write_csv, ".jsonl": frame.write_ndjson}
    write[path.suffix](path)
    return path


@pytest.mark.parametrize("name", ["scores.parquet", "scores.csv", "scores.jsonl"])
def test_the_same_scores_are_read_from_any_kind_of_file(tmp_path: Path, name: str) -> None:
    scores = RecordedScores.read(written(tmp_path / name))
    assert scores.item_names == ("p", "q", "r")
    assert scores.judge_names == ("ann", "bob")
    assert scores.scale == (1.0, 5.0)
    np.testing.assert_array_equal(scores.recorded, [[3, 1], [1, 1], [0, 1]])
    world = scores.world()
    np.testing.assert_array_equal(world.instance.mask, [[True, True], [True, True], [False, True]])
    np.testing.assert_allclose(world.instance.mean[world.instance.mask], [0.25, 1, 0.5, 0.25, 0.25])
    np.testing.assert_allclose(world.instance.variance[0], [0.75**2 * 2 / 9, 0], atol=1e-15)
    np.testing.assert_allclose(world.instance.truth, [0.625, 0.375, 0.25])
    np.testing.assert_array_equal(world.instance.price_per_call, np.ones((3, 2)))


def test_a_call_gives_one_of_the_pair_own_scores_as_often_as_it_was_recorded(
    tmp_path: Path,
) -> None:
    world = RecordedScores.read(written(tmp_path / "scores.csv")).world()
    rng = np.random.default_rng(81)
    counts = np.array([[1, 0], [0, 0], [0, 0]])
    seen = [world.draw(Allocation(counts=counts), rng).mean[0, 0] for _ in range(2000)]
    assert set(seen) == {0.0, 0.75}
    assert abs(np.mean(np.array(seen) == 0) - 2 / 3) < 5 * np.sqrt(2 / 9 / 2000)


def test_prices_and_weights_go_by_name(tmp_path: Path) -> None:
    path = written(tmp_path / "scores.csv")
    scores = RecordedScores.read(
        path, prices={"bob": 0.2, "ann": 0.1}, weights={"ann": 1, "bob": 3}
    )
    world = scores.world()
    np.testing.assert_array_equal(world.instance.price_per_call[0], [0.1, 0.2])
    np.testing.assert_allclose(world.instance.truth, [0.25 * 0.25 + 0.75, 0.125 + 0.1875, 0.25])


def test_judges_can_be_chosen_and_items_that_they_never_scored_are_dropped(
    tmp_path: Path,
) -> None:
    scores = RecordedScores.read(written(tmp_path / "scores.csv"), judges=["ann"])
    assert scores.judge_names == ("ann",)
    assert scores.item_names == ("p", "q")
    swapped = RecordedScores.read(tmp_path / "scores.csv", judges=["bob", "ann"])
    assert swapped.judge_names == ("bob", "ann")
    np.testing.assert_array_equal(swapped.recorded, [[1, 3], [1, 1], [1, 0]])


def test_a_sample_takes_random_items_without_repeating_one(tmp_path: Path) -> None:
    number = 30
    rows = {"item": list(range(number)), "judge": ["a"] * number, "score": list(range(number))}
    scores = RecordedScores.read(written(tmp_path / "scores.csv", rows))
    taken = [scores.sample(10, np.random.default_rng(seed)).instance.truth for seed in (1, 1, 2)]
    assert len(set(taken[0])) == 10
    np.testing.assert_array_equal(taken[0], taken[1])
    assert not np.array_equal(taken[0], taken[2])
    assert scores.sample(None, np.random.default_rng(1)).instance.truth.size == number
    for wrong in (31, 0):
        with pytest.raises(InputError, match=f"items: {wrong}; give 1 to 30, the items recorded"):
            scores.sample(wrong, np.random.default_rng(1))


def test_items_can_be_kept_and_given_another_truth(tmp_path: Path) -> None:
    scores = RecordedScores.read(written(tmp_path / "scores.csv"))
    kept = scores.keep(scores.mask.all(axis=1))
    assert kept.item_names == ("p", "q")
    np.testing.assert_array_equal(kept.world(truth=[0.1, 0.9]).instance.truth, [0.1, 0.9])


def test_the_scale_comes_from_the_file_of_items_beside_the_scores(tmp_path: Path) -> None:
    path = written(tmp_path / "scores.parquet")
    notes = tmp_path / "scores.items.csv.gz"
    notes.write_bytes(gzip.compress(b"item,lo,hi\np,0,10\nq,0,10\n"))
    assert RecordedScores.read(path).scale == (0.0, 10.0)
    assert RecordedScores.read(path, score_range=(0, 5)).scale == (0.0, 5.0)
    notes.write_bytes(gzip.compress(b"item,lo,hi\np,0,10\nq,1,5\n"))
    with pytest.raises(InputError, match=r"score_range: 2 scales in scores.items.csv.gz; say"):
        RecordedScores.read(path)


def test_one_axis_of_several_is_read(tmp_path: Path) -> None:
    rows = ROWS | {"axis": ["x", "x", "y", "y", "y", "x", "y"]}
    path = written(tmp_path / "scores.parquet", rows)
    scores = RecordedScores.read(path, axis="x", score_range=(1, 5))
    assert scores.item_names == ("p", "q")
    assert scores.recorded.sum() == 3
    with pytest.raises(InputError, match="axis: not chosen; the file has several: x, y"):
        RecordedScores.read(path)
    with pytest.raises(InputError, match="axis: no z; the file has x, y"):
        RecordedScores.read(path, axis="z")


def test_names_of_items_keep_their_zeros(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("item,judge,score\n007,a,1\n7,a,2\n")
    assert RecordedScores.read(tmp_path / "scores.csv").item_names == ("007", "7")


def test_exported_calls_without_a_score_are_left_out_and_counted(tmp_path: Path) -> None:
    calls = {
        "call": [1, 2, 3, 4],
        "item": ["p", "p", "q", "q"],
        "judge": ["a", "b", "a", "b"],
        "state": ["settled", "presumed", "settled", "refused"],
        "reason": [None, "timed out", None, "busy"],
        "score": [2.0, None, 4.0, None],
    }
    for ending in ("csv", "jsonl", "parquet"):
        scores = RecordedScores.read(written(tmp_path / f"calls.{ending}", calls))
        assert scores.judge_names == ("a",)
        assert scores.left_out == 2
        assert scores.keep(np.array([0])).left_out == 2
        only = RecordedScores.read(tmp_path / f"calls.{ending}", judges=["a"])
        assert only.left_out == 0
    path = written(tmp_path / "none.csv", calls | {"score": [None] * 4})
    with pytest.raises(InputError, match=r"none.csv: no call has a score"):
        RecordedScores.read(path)
    plain = {name: calls[name] for name in ("item", "judge", "score")}
    with pytest.raises(InputError, match=r"score: empty in row 2 of plain.csv"):
        RecordedScores.read(written(tmp_path / "plain.csv", plain))


def test_thousands_of_samples_of_a_few_values_take_the_room_of_the_values(tmp_path: Path) -> None:
    number = 5000
    rows = {"item": ["p"] * number, "judge": ["a"] * number, "score": [0, 1] * (number // 2)}
    scores = RecordedScores.read(written(tmp_path / "scores.parquet", rows))
    assert scores.values.shape == (1, 1, 2)
    np.testing.assert_array_equal(scores.times, [[[2500, 2500]]])


HEADER = "item,judge,score\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("s.csv", "", "s.csv: no rows; record at least one score"),
        ("s.jsonl", "", "s.jsonl: no rows"),
        ("s.csv", HEADER, "s.csv: no rows"),
        ("s.csv", "item,score\np,1\n", "judge: no such column in s.csv, which has item, score"),
        ("s.csv", f"{HEADER}p,a,1\np,a,good\n", "score: good in row 2 of s.csv; every score must"),
        ("s.csv", f"{HEADER}p,a,nan\n", "score: nan in row 1 of s.csv"),
        ("s.csv", f"{HEADER}p,a,inf\n", "score: inf in row 1 of s.csv"),
        ("s.csv", f"{HEADER}p,a,\n", "score: empty in row 1 of s.csv"),
        ("s.csv", f"{HEADER}p,a,1\n,a,1\n", "item: empty in row 2 of s.csv; every row needs one"),
        ("s.csv", f"{HEADER}p,a,2\np,a,2\n", "score: always 2; give the score_range"),
        ("s.csv", f"{HEADER}p,a,2,7\n", "s.csv: cannot be read"),
        ("s.jsonl", '{"item": 1, "judge": "a", "score": [1]}\n', "score: a list in s.jsonl"),
        ("s.jsonl", '{"item": 1, "judge"\n', "s.jsonl: cannot be read"),
        ("s.parquet", "not parquet", "s.parquet: cannot be read"),
        ("s.txt", "1", "path: s.txt; give one of .parquet, .csv, .jsonl"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_sentence(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=message) as refusal:
        RecordedScores.read(tmp_path / name)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"axis": "x"}, "axis: x; the file has no column axis"),
        (
            {"score_range": (1, 4)},
            "score: 5 in scores.csv; every score must lie in the range 1",
        ),
        ({"score_range": (5, 1)}, "score_range: 5 to 1; low must be below high"),
        ({"judges": ["ann", "eve"]}, "judges: no judge eve; there are ann, bob"),
        ({"judges": ["ann", "ann"]}, "judges: ann, ann; name each judge once"),
        ({"judges": []}, "judges: none; name at least one"),
        ({"prices": {"anne": 1}}, r"prices: no judge anne; did you mean ann\? there are ann, bob"),
        ({"prices": {"ann": 1}}, "prices: nothing for bob; name every judge or none"),
        ({"prices": {"ann": 1, "bob": 0}}, "prices: 0.0 at"),
    ],
)
def test_a_choice_that_does_not_fit_the_file_is_refused(
    tmp_path: Path, options: dict[str, object], message: str
) -> None:
    path = written(tmp_path / "scores.csv")
    with pytest.raises(InputError, match=message):
        RecordedScores.read(path, **options)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere.csv is not a file; give a file of recorded"):
        RecordedScores.read(tmp_path / "nowhere.csv")


@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded data is not here")
@pytest.mark.parametrize(
    ("name", "axis", "items", "judges", "scale"),
    [
        ("rewardbench2_core5x8", None, 6608, 5, (1, 10)),
        ("rewardbench2_composo", "base", 7052, 8, (1, 10)),
        ("themis_fourway", "rewardbench2", 1763, 5, (0, 1)),
        ("hanna_llm_prompts", "complexity", 1056, 8, (1, 5)),
    ],
)
def test_the_public_data_sets_are_read(
    name: str, axis: str | None, items: int, judges: int, scale: tuple[float, float]
) -> None:
    scores = RecordedScores.read(DATA / f"{name}.parquet", axis=axis)
    assert scores.mask.shape == (items, judges)
    assert scores.scale == scale
    world = scores.sample(100, np.random.default_rng(82))
    drawn = world.draw(
        Allocation(counts=np.where(world.instance.mask, 10**9, 0)), np.random.default_rng(83)
    )
    np.testing.assert_allclose(
        drawn.mean[world.instance.mask], world.instance.mean[world.instance.mask], atol=1e-4
    )


@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded data is not here")
def test_real_judges_stray_item_by_item_as_measured() -> None:
    world = RecordedScores.read(DATA / "rewardbench2_core5x8.parquet").world()
    call_variance = world.instance.variance.mean(axis=0) * 8 / 7
    assert 0.002 <= call_variance.min() <= call_variance.max() <= 0.015
    assert np.sqrt(np.mean((world.instance.mean.mean(axis=1) - world.instance.truth) ** 2)) < 1e-12
