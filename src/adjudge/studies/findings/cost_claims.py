"""Claims on cost structures: which is the hardest, and whether it changes the rate of decay."""

from __future__ import annotations

import math

from adjudge.studies.curves import Curves
from adjudge.studies.findings.claims import Claim
from adjudge.studies.findings.comparison import SURE, Comparison
from adjudge.studies.names import PANEL, STRATEGY, money, norm_symbol
from adjudge.studies.study import Study

HARDEST = "bad-is-cheap"


def cheap_is_hardest(study: Study, curves: Curves) -> Claim:
    """Claim: errors are largest where noisy judges are cheap, at every budget."""
    evidence, wrong, tested = [], 0, 0
    for norm in study.norms:
        for strategy in study.strategies:
            for other in study.panels:
                if other == HARDEST:
                    continue
                found = Comparison.of(
                    curves.curve(other, norm, strategy), curves.curve(HARDEST, norm, strategy)
                )
                if found is None:
                    continue
                tested += 1
                wrong += not found.below_everywhere
                where = (
                    "at every budget"
                    if found.below_everywhere
                    else f"from {money(found.below_from)} on"
                    if found.below_from is not None
                    else "but not surely at the largest budget"
                )
                evidence.append(
                    f"{norm_symbol(norm)}: {STRATEGY[strategy]}'s error under {PANEL[other]} is "
                    f"{found.last} times that under {PANEL[HARDEST]} at "
                    f"{money(found.last_budget)}; it is below {where}."
                )
    verdict = (
        "holds" if not wrong else f"does not hold at every budget in {wrong} of {tested} cases"
    )
    return Claim(
        statement="Bad is cheap is the hardest cost structure: errors are the largest",
        verdict=verdict if tested else "not tested",
        evidence=tuple(evidence),
    )


def gap_is_widest(study: Study, curves: Curves) -> Claim:
    """Claim: the gap between Est-IVWE and the oracle is widest where noisy judges are cheap."""
    evidence, surely, tested = [], 0, 0
    for norm in study.norms:
        gaps = {
            panel: Comparison.of(
                curves.curve(panel, norm, "est-ivwe-bounded"), curves.curve(panel, norm, "oracle")
            )
            for panel in study.panels
        }
        hardest = gaps[HARDEST]
        if hardest is None:
            continue
        said = []
        for panel, gap in gaps.items():
            if gap is None:
                continue
            said.append(f"{gap.first} under {PANEL[panel]}")
            if panel != HARDEST:
                tested += 1
                difference = hardest.ratio.value[0] - gap.ratio.value[0]
                error = math.hypot(hardest.ratio.error[0], gap.ratio.error[0])
                surely += bool(difference > SURE * error)
        evidence.append(
            f"{norm_symbol(norm)}: at {money(hardest.first_budget)}, where the pilot first fits, "
            f"Est-IVWE's error over Oracle's is {', '.join(said)}."
        )
    return Claim(
        statement="The reason given, that judges are harder to tell apart there, shows as the "
        "widest gap between Est-IVWE and Oracle",
        verdict=f"surely so in {surely} of {tested} comparisons" if tested else "not tested",
        evidence=tuple(evidence),
    )


def decay_is_the_same(study: Study, curves: Curves) -> Claim:
    """Claim: error falls as budget^-0.5 under every cost structure, over the last decade."""
    evidence, slopes = [], []
    for norm in study.norms:
        for strategy in study.strategies:
            said = []
            for panel in study.panels:
                curve = curves.curve(panel, norm, strategy)
                if curve is None or curve.budget[0] > curve.budget[-1] / 9.9:
                    continue
                earlier = int((curve.budget <= curve.budget[-1] / 9.9).nonzero()[0][-1])
                slope = math.log(curve.mean[-1] / curve.mean[earlier]) / math.log(
                    curve.budget[-1] / curve.budget[earlier]
                )
                slopes.append(slope)
                said.append(f"{slope:.2f} under {PANEL[panel]}")
            if said:
                evidence.append(
                    f"{norm_symbol(norm)}: {STRATEGY[strategy]}'s error falls as the budget to the "
                    f"power {', '.join(said)}."
                )
    same = bool(slopes) and max(abs(slope + 0.5) for slope in slopes) < 0.1
    return Claim(
        statement="Costs change the constant, not the decay as the square root of the budget "
        "(exponents within 0.1 of -0.5)",
        verdict="not tested" if not slopes else "holds" if same else "does not hold everywhere",
        evidence=tuple(evidence),
    )
