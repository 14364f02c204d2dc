from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from adjudge.errors import InputError
from adjudge.studies import RecordedFile, Setup, recorded_studies
from adjudge.studies.recorded import PRICE

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def test_all_axes_of_a_file_become_panels_with_their_counts(score_file: Path) -> None:
    filtered, differing, counts = recorded_studies(
        RecordedFile(path=score_file, columns={}), Setup(), min_samples=25
    )
    assert filtered.panels == differing.panels == ("tone", "facts")
    assert all(0 < count.kept < count.items == 60 for count in counts.values())
    assert filtered.name == "recorded-scores"


def test_the_truth_is_the_common_mode_and_the_oracle_counts_bias_as_noise(
    score_file: Path,
) -> None:
    filtered, _, _ = recorded_studies(
        RecordedFile(path=score_file, columns={}, axes=("tone",)), Setup(), min_samples=25
    )
    (scene,) = filtered._scenes(0)
    instance = scene.world.instance
    assert set(np.unique(instance.truth)) <= {0.0, 0.25, 0.5, 0.75, 1.0}
    squared = np.einsum(
        "kjs,kjs->kj",
        scene.world.probabilities,
        (scene.world.values - instance.truth[:, None, None]) ** 2,
    )
    np.testing.assert_allclose(scene.variance, squared, atol=1e-12)
    assert (instance.price_per_call == PRICE).all()


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_columns_of_other_names_are_mapped(tmp_path: Path, score_file: Path, ending: str) -> None:
    ours = {"item": "prompt_id", "judge": "model", "score": "rating", "axis": "criterion"}
    frame = pl.read_parquet(score_file).rename(ours)
    path = tmp_path / f"scores.{ending}"
    {"csv": frame.write_csv, "jsonl": frame.write_ndjson, "parquet": frame.write_parquet}[ending](
        path
    )
    mapped = RecordedFile(path=path, columns=ours).read()
    plain = RecordedFile(path=score_file, columns={}).read()
    assert list(mapped) == list(plain) == ["tone", "facts"]
    for axis, scores in mapped.items():
        np.testing.assert_array_equal(scores.recorded, plain[axis].recorded)
        np.testing.assert_allclose(scores.world().instance.mean, plain[axis].world().instance.mean)


def test_the_scale_noted_beside_a_mapped_file_still_holds(tmp_path: Path) -> None:
    rows = {"id": ["p", "p", "q"], "judge": ["a", "b", "a"], "score": [2, 3, 4]}
    pl.DataFrame(rows).write_csv(tmp_path / "few.csv")
    with gzip.open(tmp_path / "few.items.csv.gz", "wt") as notes:
        notes.write("item,lo,hi\np,1,5\nq,1,5\n")
    read = RecordedFile(path=tmp_path / "few.csv", columns={"item": "id"}).read()
    assert read["few"].scale == (1.0, 5.0)


def test_a_mapped_column_replaces_one_that_bears_our_name(tmp_path: Path) -> None:
    rows = {"item": ["p", "p"], "judge": ["a", "b"], "score": [9, 9], "clean": [1, 5]}
    pl.DataFrame(rows).write_csv(tmp_path / "both.csv")
    read = RecordedFile(path=tmp_path / "both.csv", columns={"score": "clean"}).read()
    assert read["both"].scale == (1.0, 5.0)


def test_a_map_that_fits_nothing_is_refused(score_file: Path) -> None:
    with pytest.raises(InputError, match=r"map: item=id, but scores\.parquet has no column id"):
        RecordedFile(path=score_file, columns={"item": "id"}).read()
    with pytest.raises(InputError, match="map: price; name one of item, judge, score"):
        RecordedFile(path=score_file, columns={"price": "cost"})


def test_missing_columns_scores_out_of_range_and_files_are_one_sentence(
    tmp_path: Path, score_file: Path
) -> None:
    with pytest.raises(InputError, match="is not a file"):
        RecordedFile(path=tmp_path / "none.csv", columns={}).read()
    (tmp_path / "thin.csv").write_text("item,judge\np,a\n")
    with pytest.raises(InputError, match=r"score: no such column in thin\.csv"):
        RecordedFile(path=tmp_path / "thin.csv", columns={}).read()
    with pytest.raises(InputError, match="every score must lie in the range 1 to 4"):
        RecordedFile(path=score_file, columns={}, score_range=(1, 4)).read()
    (tmp_path / "notes.txt").write_text("item,judge\np,a\n")
    with pytest.raises(InputError, match=r"notes\.txt; give one of \.parquet, \.csv, \.jsonl"):
        RecordedFile(path=tmp_path / "notes.txt", columns={"item": "id"}).read()


def test_a_file_of_which_no_item_passes_is_refused_with_the_counts(tmp_path: Path) -> None:
    rows = {"item": ["p"] * 4, "judge": ["a", "a", "b", "b"], "score": [1, 1, 5, 5]}
    pl.DataFrame(rows).write_csv(tmp_path / "torn.csv")
    with pytest.raises(InputError, match=r"no item passes the filter \(torn: 1 items; dropped"):
        recorded_studies(
            RecordedFile(path=tmp_path / "torn.csv", columns={}), Setup(), min_samples=2
        )


def test_an_axis_without_a_kept_item_does_not_stop_the_others(tmp_path: Path) -> None:
    rows = {
        "axis": ["x"] * 4 + ["y"] * 4,
        "item": ["p"] * 8,
        "judge": ["a", "a", "b", "b"] * 2,
        "score": [1, 1, 5, 5, 2, 2, 2, 2],
    }
    pl.DataFrame(rows).write_csv(tmp_path / "half.csv")
    file = RecordedFile(path=tmp_path / "half.csv", columns={}, score_range=(1, 5))
    filtered, differing, counts = recorded_studies(file, Setup(), min_samples=2)
    assert filtered.panels == ("y",)
    assert differing.panels == ("x", "y")
    assert {axis: count.kept for axis, count in counts.items()} == {"x": 0, "y": 1}


@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded scores are not here")
def test_the_paper_oracle_stays_far_above_uniform_on_real_judges() -> None:
    file = RecordedFile(path=DATA / "rewardbench2_core5x8.parquet", columns={})
    setup = Setup(budgets=(1e3, 1e5), seed=1)
    filtered, differing, counts = recorded_studies(file, setup, min_samples=8)
    assert counts["base"].items == 6608
    assert counts["base"].kept == 453
    error = {point.strategy: point.error for point in differing.unit(0).points}
    per_item = error["oracle"] / np.sqrt(1000)
    assert 0.08 < per_item < 0.11
    assert error["uniform"] < error["oracle"] / 10
    assert {point.norm for point in filtered.unit(0).points} == {1.0, 2.0, np.inf}
