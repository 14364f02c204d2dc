import os

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "adjudge",
    deadline=None,  # no test asserts a time
    derandomize=True,  # a random test that fails is a bug, so every run sees the same cases
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "fuzz",
    parent=settings.get_profile("adjudge"),
    max_examples=3000,
    derandomize=False,  # `make fuzz` gives the seed
    database=None,
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "adjudge"))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20260101)
