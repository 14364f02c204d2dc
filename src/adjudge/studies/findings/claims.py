"""The paper's claims, each tested on the points of a study."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from adjudge.simulate.summary import paired_ratio
from adjudge.studies.curves import Curves
from adjudge.studies.findings.comparison import (
    ON_PAR,
    SURE,
    Comparison,
    verdict_below,
    where_below,
    with_error,
)
from adjudge.studies.names import PANEL, STRATEGY, money, norm_symbol
from adjudge.studies.study import Study

NEAR_ORACLE = 0.05
"""An error within this share of the oracle's counts as having approached it."""
FAR_OFF = 2.0
"""An error above this multiple of the oracle's counts as far off."""
PLATEAU = 0.9
"""An error has stopped falling if ten times the budget leaves more than this share of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A statement of the paper or ours, its verdict and the evidence."""

    statement: str
    verdict: str
    evidence: tuple[str, ...]


def cells(study: Study) -> list[tuple[str, float, str]]:
    """Every panel and norm, with the opening words of a sentence about it."""
    several = len(study.panels) > 1
    return [
        (panel, norm, f"{PANEL.get(panel, panel)}, " * several + f"{norm_symbol(norm)}: ")
        for panel in study.panels
        for norm in study.norms
    ]


def below(
    study: Study, curves: Curves, *, names: Sequence[str], other: str, statement: str
) -> Claim:
    """Claim: each of these strategies is below `other`."""
    comparisons, evidence = [], []
    for panel, norm, place in cells(study):
        for name in names:
            found = Comparison.of(curves.curve(panel, norm, name), curves.curve(panel, norm, other))
            comparisons.append(found)
            evidence.append(place + where_below(STRATEGY[name], STRATEGY[other], found))
    return Claim(statement=statement, verdict=verdict_below(comparisons), evidence=tuple(evidence))


def pilots_fit(study: Study, curves: Curves, *, names: Sequence[str]) -> Claim:
    """Claim: the theorems' pilots fit into the budgets tested."""
    evidence, late, tested = [], 0, 0
    for panel, norm, place in cells(study):
        for name in names:
            begins = curves.begins(panel, norm, name)
            once = curves.begins(panel, norm, "uniform")
            first = min(
                (float(curve.budget[0]) for curve in curves.curves if curve.budget.size),
                default=math.inf,
            )
            tested += 1
            late += begins > first
            evidence.append(
                f"{place}{STRATEGY[name]} begins at {money(begins)}, which would buy "
                f"{begins / once:,.0f} calls of every pair."
            )
    return Claim(
        statement="Est-IVWE, with the pilots of its theorems, can be run at the budgets at which "
        "Oracle and Uniform can",
        verdict=f"does not hold in {late} of {tested} cases" if late else "holds",
        evidence=tuple(evidence),
    )


def runs_far_off(study: Study, curves: Curves, *, name: str) -> Iterator[str]:
    """In how many runs a strategy ends far above the oracle, which a mean alone would hide."""
    for panel, norm, place in cells(study):
        own, oracle = curves.curve(panel, norm, name), curves.curve(panel, norm, "oracle")
        if own is None or oracle is None:
            continue
        far = int(np.count_nonzero(own.errors[-1] > FAR_OFF * oracle.errors[-1]))
        yield (
            f"{place}in {far} of {curves.runs} runs the error of {STRATEGY[name]} at "
            f"{money(own.budget[-1])} is more than {FAR_OFF:g} times Oracle's; the median ratio is "
            f"{np.median(own.errors[-1] / oracle.errors[-1]):.2f}."
        )


def approaches_oracle(study: Study, curves: Curves, *, names: Sequence[str]) -> Claim:
    """Claim: the ratio to the oracle's error falls toward 1."""
    evidence, near, stuck = [], 0, 0
    tested = 0
    for panel, norm, place in cells(study):
        for name in names:
            found = Comparison.of(
                curves.curve(panel, norm, name), curves.curve(panel, norm, "oracle")
            )
            if found is None:
                evidence.append(f"{place}{STRATEGY[name]} accepts none of the budgets.")
                continue
            tested += 1
            near += found.within(NEAR_ORACLE)
            stuck += found.surely_beyond(NEAR_ORACLE) and not found.has_come_nearer
            evidence.append(
                f"{place}the error of {STRATEGY[name]} is {found.first} times Oracle's at "
                f"{money(found.first_budget)} and {found.last} times at "
                f"{money(found.last_budget)}."
            )
    if not tested:
        verdict = "not tested"
    elif stuck:
        verdict = f"does not hold in {stuck} of {tested} comparisons"
    elif near == tested:
        verdict = f"holds: within {NEAR_ORACLE:.0%} of Oracle at the largest budget"
    else:
        verdict = (
            f"holds: nearer with the budget, and within {NEAR_ORACLE:.0%} of Oracle at the "
            f"largest in {near} of {tested} comparisons"
        )
    return Claim(
        statement="Est-IVWE approaches Oracle as the budget grows",
        verdict=verdict,
        evidence=tuple(evidence),
    )


def gaussian_on_par(study: Study, curves: Curves) -> Claim:
    """Claim: the Gaussian variant's error is never significantly above the bounded one's."""
    evidence, worse = [], 0
    tested = 0
    for panel, norm, place in cells(study):
        found = Comparison.of(
            curves.curve(panel, norm, "est-ivwe-gaussian"),
            curves.curve(panel, norm, "est-ivwe-bounded"),
        )
        if found is None:
            continue
        tested += 1
        worse += bool(found.surely_above)
        earlier = curves.begins(panel, norm, "est-ivwe-bounded") / curves.begins(
            panel, norm, "est-ivwe-gaussian"
        )
        above = ", ".join(money(budget) for budget in found.surely_above)
        evidence.append(
            f"{place}the Gaussian variant's error is {found.first} times the bounded one's at "
            f"{money(found.first_budget)} and {found.last} times at {money(found.last_budget)}; "
            + (f"it is above at {above}" if above else "it is nowhere above")
            + f". It runs from a budget {earlier:.3g} times smaller."
        )
    verdict = "holds" if not worse else f"does not hold in {worse} of {tested} comparisons"
    return Claim(
        statement="Est-IVWE (Gaussian) is at least on par with Est-IVWE (Bounded) "
        f"(above by less than {ON_PAR:.0%}, or by chance)",
        verdict=verdict if tested else "not tested",
        evidence=tuple(evidence),
    )


def plateaus(study: Study, curves: Curves) -> Claim:
    """Claim: errors stop falling above zero."""
    evidence, still = [], 0
    falling = []
    for panel, norm, place in cells(study):
        for name in study.strategies:
            curve = curves.curve(panel, norm, name)
            if curve is None or not curve.budget.size:
                continue
            last = curve.budget[-1]
            earlier = np.flatnonzero(curve.budget <= last / 9.9)
            if earlier.size == 0 or not curve.mean[earlier[-1]] > 0:
                continue
            share = curve.mean[-1] / curve.mean[earlier[-1]]
            limit = curves.limit(panel, norm, name)
            known = "" if math.isnan(limit) else f"; with unlimited calls it would be {limit:.4g}"
            evidence.append(
                f"{place}{STRATEGY[name]} stands at {curve.mean[-1]:.4g} at {money(last)}, "
                f"{share:.2f} times its error at a tenth of that budget{known}."
            )
            still += bool(share > PLATEAU)
            if share <= PLATEAU:
                falling.append(STRATEGY[name])
    if not evidence:
        verdict = "not tested"
    elif not falling:
        verdict = "holds"
    else:
        verdict = f"does not hold in {len(falling)} of {len(evidence)} cases"
    return Claim(
        statement="Error curves plateau above zero (ten times the budget leaves more than "
        f"{PLATEAU:.0%} of the error; without a plateau it would leave 32%)",
        verdict=verdict,
        evidence=tuple(evidence),
    )


def lower_bounds_hold(study: Study, curves: Curves) -> Claim:
    """Claim: the oracle is not below either lower bound; with the bounds' unmet conditions."""
    evidence, broken = [], 0
    for panel, norm, place in cells(study):
        oracle = curves.curve(panel, norm, "oracle")
        if oracle is None:
            continue
        parts = []
        for kind in ("gaussian", "bounded"):
            found = curves.bound(panel, norm, kind)
            bound = np.array([run.scale for run in found]) / math.sqrt(oracle.budget[-1])
            value, error = paired_ratio(oracle.errors[-1], bound)
            if not value > 0:
                continue
            broken += bool(value + SURE * error < 1)
            unmet = [run.unmet for run in found if run.unmet]
            parts.append(
                f"{with_error(value, error)} times the bound for {kind} scores"
                + f", whose conditions are not met in {len(unmet)} of {len(found)} runs"
                * bool(unmet)
                + (f" (as: {unmet[0]})" if unmet else "")
            )
        if parts:
            where = f"{place}at {money(oracle.budget[-1])} Oracle's mean error is "
            evidence.append(where + ", and ".join(parts) + ".")
    return Claim(
        statement="Oracle's error is not below the lower bounds on the expected error, "
        "C3 sqrt(A\\*/B) for bounded and sqrt(2/pi) sqrt(A\\*/B) for Gaussian scores",
        verdict="does not hold" if broken else "holds at the largest budget",
        evidence=tuple(evidence),
    )
