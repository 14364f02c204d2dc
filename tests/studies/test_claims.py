"""What the paper says must show, on small, seeded versions of its experiments."""

from __future__ import annotations

import math

import numpy as np

from adjudge.studies import Outcome
from adjudge.studies.curves import ratio
from adjudge.studies.findings.sections import section


def last_ratio(outcome: Outcome, panel: str, norm: float, one: str, other: str) -> float:
    curve = outcome.curves.curve(panel, norm, one)
    reference = outcome.curves.curve(panel, norm, other)
    assert curve is not None
    assert reference is not None
    return float(ratio(curve, reference).value[-1])


def verdicts(outcome: Outcome) -> dict[str, str]:
    found = section(outcome.study, outcome.curves, title="")
    return {claim.statement: claim.verdict for claim in found.claims}


def test_est_ivwe_is_below_uniform_and_approaches_the_oracle(synthetic: Outcome) -> None:
    for norm in (1.0, 2.0, math.inf):
        for name in ("est-ivwe-bounded", "est-ivwe-gaussian"):
            assert last_ratio(synthetic, "synthetic", norm, name, "uniform") < 0.75
            assert last_ratio(synthetic, "synthetic", norm, name, "oracle") < 1.2
    found = verdicts(synthetic)
    assert found["Est-IVWE is below Uniform"].startswith("holds")
    assert found["Est-IVWE approaches Oracle as the budget grows"].startswith("holds")


def test_the_gaussian_variant_is_on_par_with_the_bounded_one(synthetic: Outcome) -> None:
    found = verdicts(synthetic)
    assert [v for s, v in found.items() if s.startswith("Est-IVWE (Gaussian)")] == ["holds"]


def test_the_oracle_keeps_above_the_bounds_whose_conditions_are_named(synthetic: Outcome) -> None:
    claims = section(synthetic.study, synthetic.curves, title="").claims
    bounds = next(claim for claim in claims if "lower bounds" in claim.statement)
    assert bounds.verdict == "holds at the largest budget"
    assert all("not met in 16 of 16 runs" in sentence for sentence in bounds.evidence)


def test_bad_is_cheap_is_the_hardest(costs: Outcome) -> None:
    for norm in (1.0, 2.0):
        for strategy in ("oracle", "est-ivwe-bounded"):
            for panel in ("bad-is-expensive", "uniform-costs"):
                curve = costs.curves.curve(panel, norm, strategy)
                hardest = costs.curves.curve("bad-is-cheap", norm, strategy)
                assert curve is not None
                assert hardest is not None
                # Six runs of 30 items leave 5 % of noise at each budget; all of them far less.
                assert np.log(curve.mean / hardest.mean).mean() < 0
    assert "Bad is cheap is the hardest cost structure: errors are the largest" in verdicts(costs)


def test_recorded_errors_plateau_above_zero(recorded_pair: tuple[Outcome, Outcome]) -> None:
    filtered, _ = recorded_pair
    found = verdicts(filtered)
    assert [v for s, v in found.items() if s.startswith("Error curves plateau")] == ["holds"]
    for axis in ("tone", "facts"):
        for name in ("oracle", "uniform", "uniform-ivw"):
            curve = filtered.curves.curve(axis, 2.0, name)
            assert curve is not None
            limit = filtered.curves.limit(axis, 2.0, name)
            assert limit > 0
            assert abs(curve.mean[-1] / limit - 1) < 0.02


def test_uniform_beats_the_paper_where_judges_differ(
    recorded_pair: tuple[Outcome, Outcome],
) -> None:
    _, differing = recorded_pair
    assert next(iter(verdicts(differing).values())) == "holds"
    for axis in ("tone", "facts"):
        for name in ("oracle", "est-ivwe-bounded", "est-ivwe-gaussian"):
            assert last_ratio(differing, axis, 2.0, name, "uniform") > 5


def test_robin_hood_is_compared_on_a_single_judge(single: Outcome) -> None:
    curve = single.curves.curve("single", math.inf, "robin-hood")
    assert curve is not None
    assert np.isfinite(curve.mean).all()
    assert any("ROBIN-HOOD is below Uniform" in statement for statement in verdicts(single))
    assert last_ratio(single, "single", math.inf, "robin", "oracle") < 1.5
