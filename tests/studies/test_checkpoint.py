from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from adjudge.errors import InputError
from adjudge.studies import Checkpoint, Finished, Setup, SingleStudy, SyntheticStudy, run_studies
from adjudge.studies.points import Unit, from_json, to_json

SETUP = Setup(items=6, judges=2, budgets=(100.0, 3000.0))


def runs_of(finished: list[Finished]) -> dict[tuple[str, int], Unit]:
    return {(one.study, one.unit.run): one.unit for one in finished}


def test_a_unit_survives_its_way_through_json() -> None:
    unit = SyntheticStudy(setup=SETUP).unit(0)
    assert from_json(to_json(unit)) == unit


def test_finished_runs_are_found_again_and_only_the_missing_ones_done(tmp_path: Path) -> None:
    study = SyntheticStudy(setup=SETUP)
    first = list(run_studies([study], runs=2, directory=tmp_path))
    second = list(run_studies([study], runs=3, directory=tmp_path))
    assert [one.kept_before for one in first] == [False, False]
    assert [one.kept_before for one in second] == [True, True, False]
    assert runs_of(first).items() <= runs_of(second).items()


@pytest.mark.parametrize(
    "changed",
    [
        {"seed": 1},
        {"delta": 0.1},
        {"items": 7},
        {"judges": 3},
        {"budgets": (100.0,)},
    ],
)
def test_another_setting_never_reuses_a_run(tmp_path: Path, changed: dict[str, object]) -> None:
    study = SyntheticStudy(setup=SETUP)
    other = SyntheticStudy(setup=replace(SETUP, **changed))
    assert Checkpoint.of(study, tmp_path).path != Checkpoint.of(other, tmp_path).path


def test_a_line_that_was_cut_off_is_done_again_and_spoils_no_other(tmp_path: Path) -> None:
    study = SyntheticStudy(setup=SETUP)
    list(run_studies([study], runs=2, directory=tmp_path))
    path = Checkpoint.of(study, tmp_path).path
    text = path.read_text()
    path.write_text(text[:-40])
    again = list(run_studies([study], runs=2, directory=tmp_path))
    assert [one.kept_before for one in again] == [True, False]
    assert len(Checkpoint.of(study, tmp_path).finished(range(2))) == 2


def test_interrupting_keeps_what_is_done(tmp_path: Path) -> None:
    study = SyntheticStudy(setup=SETUP)
    work = run_studies([study], runs=4, directory=tmp_path)
    next(work)
    next(work)
    work.close()
    assert sorted(Checkpoint.of(study, tmp_path).finished(range(4))) == [0, 1]


def test_the_number_of_jobs_changes_no_number(tmp_path: Path) -> None:
    studies = [SyntheticStudy(setup=SETUP), SingleStudy(setup=SETUP)]
    alone = list(run_studies(studies, runs=2, directory=tmp_path / "one"))
    together = list(run_studies(studies, runs=2, directory=tmp_path / "two", jobs=2))
    assert runs_of(alone) == runs_of(together)


def test_runs_jobs_and_directories_that_cannot_be_are_refused(tmp_path: Path) -> None:
    study = SyntheticStudy(setup=SETUP)
    with pytest.raises(InputError, match="runs: 0; give at least 1"):
        list(run_studies([study], runs=0, directory=tmp_path))
    with pytest.raises(InputError, match="jobs: -1; give at least 1"):
        list(run_studies([study], runs=1, directory=tmp_path, jobs=-1))
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        list(run_studies([study], runs=1, directory=tmp_path / "file"))
