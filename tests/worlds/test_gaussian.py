from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from adjudge.core.evidence import Allocation
from adjudge.worlds import GaussianWorld, Instance


@pytest.mark.parametrize("number", [2, 5, 40])
def test_the_moments_have_the_law_of_moments_of_normal_scores(number: int) -> None:
    pairs = 5000
    world = GaussianWorld(
        instance=Instance.of(
            mean=np.full((pairs, 1), 0.4), variance=np.full((pairs, 1), 0.09), price_per_call=[1]
        )
    )
    drawn = world.draw(Allocation(counts=np.full((pairs, 1), number)), np.random.default_rng(41))
    mean = stats.norm(0.4, 0.3 / np.sqrt(number))
    m2 = stats.chi2(number - 1, scale=0.09)
    assert stats.kstest(drawn.mean.ravel(), mean.cdf).pvalue > 1e-3
    assert stats.kstest(drawn.m2.ravel(), m2.cdf).pvalue > 1e-3
    assert abs(np.corrcoef(drawn.mean.ravel(), drawn.m2.ravel())[0, 1]) < 4.5 / np.sqrt(pairs)
