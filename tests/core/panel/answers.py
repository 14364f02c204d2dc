"""Answers of four judges, drawn for tests."""

import numpy as np

from adjudge.core.panel.noise import Noise, learn_noise
from adjudge.core.panel.repeats import Repeats
from adjudge.core.problem import Moments

EQUAL = np.full(4, 0.25)


def drawn(
    answers: np.ndarray, noise: np.ndarray, n: np.ndarray, rng: np.random.Generator
) -> Moments:
    """Gaussian calls around the judges' answers."""
    mean = answers + rng.standard_normal(n.shape) * np.sqrt(noise / np.maximum(n, 1))
    m2 = noise * rng.chisquare(np.maximum(n - 1, 1)) * (n > 1)
    return Moments(n=n, mean=np.where(n > 0, mean, 0), m2=m2)


def noise_of(seen: Moments) -> Noise:
    """What these calls say of noise if all of them count."""
    return learn_noise(seen, Repeats.of(seen))


def own_variance(covariance: np.ndarray) -> float:
    """What judges do not share, on average."""
    shared = covariance[~np.eye(len(covariance), dtype=bool)].mean()
    return float(np.diag(covariance).mean() - shared)
