from __future__ import annotations

import re

import numpy as np

from adjudge.studies import Outcome, findings
from adjudge.studies.curves import Curve
from adjudge.studies.findings.comparison import Comparison, verdict_below, where_below, with_error
from adjudge.studies.names import money

BUDGETS = [1e5, 1e6, 1e7]


def curve(factors: list[float], *, noise: float = 0.01) -> Curve:
    """Errors of 20 runs: the same instance's luck times a factor, and a little noise."""
    rng = np.random.default_rng(4)
    luck = rng.uniform(0.8, 1.2, (len(BUDGETS), 20))
    own = np.array(factors)[:, None] * luck * (1 + noise * rng.standard_normal(luck.shape))
    return Curve(
        panel="x",
        norm=2.0,
        strategy="oracle",
        budget=np.array(BUDGETS),
        errors=own,
        begins=1e5,
    )


def compared(factors: list[float], *, noise: float = 0.01) -> Comparison:
    found = Comparison.of(curve(factors, noise=noise), curve([1, 1, 1], noise=0))
    assert found is not None
    return found


def test_a_curve_that_is_below_everywhere_is_said_to_be() -> None:
    found = compared([0.5, 0.5, 0.25])
    sentence = where_below("A", "B", found)
    assert sentence.startswith("A is below B at every budget that both accept, from 1e5 on; at 1e7")
    assert re.search(r"its error is 0\.25 ± 0\.00 times B's", sentence)
    assert verdict_below([found]) == "holds"


def test_a_curve_that_falls_below_says_from_where() -> None:
    found = compared([1.5, 0.9, 0.5])
    assert "is below B from budget 1e6 on, but not yet at 1e5" in where_below("A", "B", found)
    assert verdict_below([found, compared([0.5, 0.5, 0.5])]) == "holds from budget 1e6 on"


def test_a_curve_that_ends_above_is_said_to_lose() -> None:
    found = compared([0.5, 0.9, 1.5])
    assert "A is not below B: at 1e7" in where_below("A", "B", found)
    assert verdict_below([found]) == "does not hold"
    won = compared([0.5, 0.5, 0.5])
    assert verdict_below([found, won]) == "does not hold in 1 of 2 comparisons"


def test_what_chance_may_have_done_is_left_open() -> None:
    found = compared([1.0, 1.0, 0.99], noise=0.3)
    assert "cannot be told from B" in where_below("A", "B", found)
    assert verdict_below([found]) == "cannot be told in 1 of 1 comparisons"
    assert verdict_below([None]) == "not tested"
    assert "share no budget" in where_below("A", "B", None)


def test_numbers_are_rounded_for_reading() -> None:
    assert [money(x) for x in (45.3, 1780, 99999, 5.6234e7, 1e10)] == [
        "45.3", "1,780", "100,000", "5.62e7", "1e10",
    ]  # fmt: skip
    assert with_error(1.034, 0.012) == "1.03 ± 0.01"
    assert with_error(0.0444, 0.001) == "0.044 ± 0.001"
    assert with_error(1.034, float("nan")) == "1.03"


def test_the_findings_tell_every_claim_with_its_verdict_and_numbers(
    synthetic: Outcome,
    costs: Outcome,
    single: Outcome,
    recorded_pair: tuple[Outcome, Outcome],
) -> None:
    text = findings([synthetic, costs, single, *recorded_pair])
    sections = re.findall(r"^## (.*)$", text, flags=re.M)
    assert sections == [
        "Verdicts",
        "Synthetic judges, K = 30, J = 5",
        "Cost structures, K = 30, J = 5",
        "A single judge, K = 30",
        "Recorded judges after the consensus filter, scores.parquet, "
        + recorded_pair[0].title.rpartition(", ")[2],
        "Recorded judges whose means differ, scores.parquet",
    ]
    claims = re.findall(r"^### (?!Numbers)(.*)$", text, flags=re.M)
    told = re.findall(r"^\*\*Verdict: .+\*\*$", text, flags=re.M)
    assert len(claims) == len(told) >= 20
    for claim in claims:
        assert f"| {claim} | **" in text
    assert "nan" not in text
    assert "16 runs, seed 3, delta 0.05, errors ℓ1, ℓ2, ℓ∞" in text
    assert "kept: " in text
    assert "stays at a root mean squared error of" in text


def test_the_same_runs_give_the_same_findings(single: Outcome) -> None:
    shuffled = Outcome.of(single.study, reversed(single.units))
    assert findings([shuffled]) == findings([single])


def test_a_single_run_is_told_without_standard_errors(single: Outcome) -> None:
    text = findings([Outcome.of(single.study, single.units[:1])])
    assert "nan" not in text
    assert "cannot be told" in text
