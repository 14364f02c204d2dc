from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from adjudge.studies import (
    CostsStudy,
    Outcome,
    RecordedFile,
    Setup,
    SingleStudy,
    Study,
    SyntheticStudy,
    recorded_studies,
)
from adjudge.studies.budgets import log_grid

RUNS = 16
# Coarser than the default grid, as wide: far beyond the largest pilot of these small studies.
BUDGETS = log_grid(100, 1e7, per_decade=2)


def played(study: Study, runs: int = RUNS) -> Outcome:
    return Outcome.of(study, [study.unit(run) for run in range(runs)])


@pytest.fixture(scope="session")
def synthetic() -> Outcome:
    return played(SyntheticStudy(setup=Setup(items=30, judges=5, seed=3, budgets=BUDGETS)))


@pytest.fixture(scope="session")
def costs() -> Outcome:
    return played(CostsStudy(setup=Setup(items=30, judges=5, seed=3, budgets=BUDGETS)), runs=6)


@pytest.fixture(scope="session")
def single() -> Outcome:
    return played(SingleStudy(setup=Setup(items=30, seed=3, budgets=BUDGETS)), runs=5)


@pytest.fixture(scope="session")
def score_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two axes of 60 items, 3 judges whose means differ, 30 scores a pair from 1 to 5."""
    rng = np.random.default_rng(5)
    rows: dict[str, list[object]] = {"axis": [], "item": [], "judge": [], "score": []}
    for axis, spread in (("tone", 0.4), ("facts", 0.7)):
        for item in range(60):
            score = rng.integers(2, 5)
            for judge, noise in (("ann", 0.3), ("bob", 0.6), ("cy", 0.9)):
                center = score + rng.normal(0, spread / 2)
                drawn = np.clip(np.rint(rng.normal(center, noise, 30)), 1, 5)
                rows["axis"] += [axis] * 30
                rows["item"] += [f"{axis}{item}"] * 30
                rows["judge"] += [judge] * 30
                rows["score"] += drawn.astype(int).tolist()
    path = tmp_path_factory.mktemp("recorded") / "scores.parquet"
    pl.DataFrame(rows).write_parquet(path)
    return path


@pytest.fixture(scope="session")
def recorded_pair(score_file: Path) -> tuple[Outcome, Outcome]:
    filtered, differing, _ = recorded_studies(
        RecordedFile(path=score_file, columns={}), Setup(seed=3, budgets=BUDGETS), min_samples=25
    )
    return played(filtered, runs=5), played(differing, runs=5)
