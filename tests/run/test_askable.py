"""A strategy is asked about what can be asked, and about nothing else."""

import numpy as np
import pytest

from adjudge.core.evidence import Evidence, Phase
from adjudge.core.problem import Problem
from adjudge.core.strategies import Cyclic, EstIvwe, Panel, Uniform
from adjudge.run.askable import batch_for

STRATEGIES = [Uniform(), Cyclic(), Panel(), EstIvwe(gaussian=True, reduced_pilot=True)]


@pytest.fixture
def problem(rng):
    return Problem.of(rng.uniform(1, 3, (12, 3)))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_only_pairs_that_may_be_asked_are_asked(problem, rng, strategy):
    may_ask = rng.random((12, 3)) < 0.6
    may_ask[3] = may_ask[7] = False
    batch = batch_for(strategy, problem, Evidence.none(problem), 200.0, rng, may_ask=may_ask)
    assert batch.calls > 0
    assert not batch.counts[~may_ask].any()
    assert batch.phase in Phase


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_where_all_may_be_asked_it_is_the_strategy_s_own_batch(problem, strategy):
    evidence = Evidence.none(problem)
    own = strategy.next_batch(problem, evidence, 200.0, np.random.default_rng(1))
    batch = batch_for(
        strategy,
        problem,
        evidence,
        200.0,
        np.random.default_rng(1),
        may_ask=np.ones((12, 3), bool),
    )
    assert np.array_equal(batch.counts, own.counts)
