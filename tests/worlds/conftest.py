from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from adjudge.worlds import (
    FAMILIES,
    BetaWorld,
    CategoricalWorld,
    ConstantJudgeWorld,
    FailingWorld,
    GaussianWorld,
    Instance,
    World,
    hard_world,
    ordinal_world,
)

ITEMS, JUDGES = 40, 4


def _instance(**changes: object) -> Instance:
    rng = np.random.default_rng(20)
    mean = rng.uniform(0.2, 0.8, (ITEMS, JUDGES))
    fields = {
        "mean": mean,
        "variance": rng.uniform(0.05, 0.9, mean.shape) * mean * (1 - mean),
        "price_per_call": rng.uniform(0.5, 1.5, JUDGES),
    }
    return Instance.of(**{**fields, **changes})


def _beta() -> World:
    return BetaWorld.of(_instance())


def _beta_with_constants() -> World:
    world = _beta()
    variance = world.instance.variance.copy()
    variance[:, 1] = 0
    return BetaWorld.of(_instance(variance=variance))


def _beta_with_missing_pairs() -> World:
    mask = np.random.default_rng(21).random((ITEMS, JUDGES)) < 0.7
    mask[:, 0] = True
    return BetaWorld.of(_instance(mask=mask))


def _hard() -> World:
    score = np.random.default_rng(22).uniform(0.2, 0.8, ITEMS)
    radius = np.minimum(score, 1 - score)
    variance = np.outer(radius**2 / 2, np.linspace(0.1, 1, JUDGES))
    return hard_world(score=score, shift=radius / 4, variance=variance, cost=np.ones(JUDGES))


def _categorical_on_another_scale() -> World:
    rng = np.random.default_rng(23)
    return CategoricalWorld.of(
        values=rng.uniform(-3, 7, (ITEMS, JUDGES, 6)),
        probabilities=rng.dirichlet(np.ones(6), (ITEMS, JUDGES)),
        cost=np.ones(JUDGES),
        score_range=(-3, 7),
    )


def _ordinal() -> World:
    mean = _instance().mean
    return ordinal_world(mean=mean, variance=mean * (1 - mean) / 3, points=7, cost=np.ones(JUDGES))


def _failing() -> World:
    return FailingWorld.of(_beta(), np.linspace(0, 0.6, JUDGES))


_KINDS: dict[str, Callable[[], World]] = {
    "beta": _beta,
    "beta, constant judge": _beta_with_constants,
    "beta, missing pairs": _beta_with_missing_pairs,
    "beta, hard": _hard,
    "gaussian scores": lambda: GaussianWorld(instance=_instance()),
    "categorical": _categorical_on_another_scale,
    "ordinal": _ordinal,
    "failing": _failing,
    "with a constant judge": lambda: ConstantJudgeWorld.of(_beta(), 0.2),
}


def _member(name: str) -> World:
    return FAMILIES[name](ITEMS, JUDGES, np.random.default_rng(24))


MAKERS = _KINDS | {f"family {name}": partial(_member, name) for name in FAMILIES}


@pytest.fixture(params=sorted(MAKERS))
def world(request: pytest.FixtureRequest) -> World:
    """Every kind of world and a member of every family, one after the other."""
    return MAKERS[request.param]()
