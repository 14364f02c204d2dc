"""Answers of judges, drawn for tests."""

import numpy as np

from adjudge.core.evidence import Allocation, Evidence, Moments
from adjudge.core.panel.law import Law, Sample
from adjudge.core.panel.model import PanelModel
from adjudge.core.problem import Problem


def drawn(
    answers: np.ndarray, noise: np.ndarray | float, n: np.ndarray, rng: np.random.Generator
) -> Moments:
    """Normal calls around the judges' long-run answers."""
    noise = np.broadcast_to(noise, n.shape)
    mean = answers + rng.standard_normal(n.shape) * np.sqrt(noise / np.maximum(n, 1))
    m2 = noise * rng.chisquare(np.maximum(n - 1, 1)) * (n > 1)
    return Moments(n=n, mean=np.where(n > 0, mean, 0), m2=m2)


def some_of(
    items: int, judges: int, number: int, rng: np.random.Generator, *, twice: int = 4
) -> np.ndarray:
    """Calls of so many random judges per item, every so many-th item asked twice; (K, J)."""
    order = rng.random((items, judges)).argsort(axis=1)
    n: np.ndarray = (order < number).astype(np.int64)
    n[::twice] *= 2
    return n


def sample_of(moments: Moments, groups: np.ndarray | None = None) -> Sample:
    """All of these answers, pairs being equally noisy."""
    group = np.zeros(len(moments.n), np.int64) if groups is None else groups
    return Sample.of(moments, np.ones(moments.n.shape), group)


def evidence_of(problem: Problem, scores: Moments) -> Evidence:
    """These scores, one for every call."""
    return Evidence.none(problem).plus(Allocation(counts=scores.n), scores)


def panel_of(
    covariance: np.ndarray,
    noise: np.ndarray,
    *,
    mean: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> PanelModel:
    """A panel of one group of items, none harder than others; noise (K, J)."""
    items, judges = noise.shape
    return PanelModel(
        mean=np.full((1, judges), 0.5) if mean is None else mean[None],
        group=np.zeros(items, np.int64),
        covariance=covariance,
        noise=noise,
        weights=np.broadcast_to(1 / judges if weights is None else weights, noise.shape),
        hardness=np.ones(items),
    )


def law_of(covariance: np.ndarray, *, mean: np.ndarray, noise: np.ndarray | float) -> Law:
    """A law of one group of items."""
    judges = len(covariance)
    return Law(
        group_mean=np.broadcast_to(mean, (1, judges)),
        mean=np.broadcast_to(mean, (judges,)),
        covariance=covariance,
        noise=np.broadcast_to(noise, (judges,)),
        offset=0.0025,
        favour=0.001,
    )


def own_variance(covariance: np.ndarray) -> float:
    """What judges do not share, on average."""
    shared = covariance[~np.eye(len(covariance), dtype=bool)].mean()
    return float(np.diag(covariance).mean() - shared)
