"""The claims that each study tests, and its table of results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from adjudge.studies.costs import CostsStudy
from adjudge.studies.curves import Curves
from adjudge.studies.findings.claims import (
    Claim,
    approaches_oracle,
    below,
    gaussian_on_par,
    lower_bounds_hold,
    pilots_fit,
    plateaus,
    runs_far_off,
)
from adjudge.studies.findings.comparison import Comparison
from adjudge.studies.findings.cost_claims import (
    cheap_is_hardest,
    decay_is_the_same,
    gap_is_widest,
)
from adjudge.studies.names import STRATEGY, money, norm_symbol
from adjudge.studies.recorded import DifferingStudy, RecordedStudy
from adjudge.studies.study import Study
from adjudge.studies.synthetic import SingleStudy

EST = ("est-ivwe-bounded", "est-ivwe-gaussian")


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The findings of one study."""

    title: str
    notes: tuple[str, ...]
    claims: tuple[Claim, ...]


def section(study: Study, curves: Curves, *, title: str) -> Section:
    """The section of a study."""
    notes: tuple[str, ...] = ()
    if isinstance(study, CostsStudy):
        claims = _cost_claims(study, curves)
    elif isinstance(study, SingleStudy):
        claims = _single_claims(study, curves)
    elif isinstance(study, DifferingStudy):
        notes, claims = _differing_notes(study), _differing_claims(study, curves)
    elif isinstance(study, RecordedStudy):
        notes, claims = _recorded_notes(study), _recorded_claims(study, curves)
    else:
        claims = (*_common_claims(study, curves), lower_bounds_hold(study, curves))
    return Section(title=title, notes=notes, claims=claims)


def _common_claims(study: Study, curves: Curves) -> tuple[Claim, ...]:
    return (
        pilots_fit(study, curves, names=EST),
        _est_below_uniform(study, curves),
        below(
            study,
            curves,
            names=EST,
            other="uniform-ivw",
            statement="Est-IVWE is below Uniform (IVW) too (not tested in the paper)",
        ),
        approaches_oracle(study, curves, names=EST),
        gaussian_on_par(study, curves),
    )


def _recorded_claims(study: Study, curves: Curves) -> tuple[Claim, ...]:
    return (
        *_common_claims(study, curves),
        plateaus(study, curves),
        below(
            study,
            curves,
            names=("oracle",),
            other="uniform-ivw",
            statement="Oracle is below Uniform (IVW) (not tested in the paper)",
        ),
    )


def _cost_claims(study: Study, curves: Curves) -> tuple[Claim, ...]:
    return (
        cheap_is_hardest(study, curves),
        gap_is_widest(study, curves),
        decay_is_the_same(study, curves),
        approaches_oracle(study, curves, names=("est-ivwe-bounded",)),
    )


def _est_below_uniform(study: Study, curves: Curves) -> Claim:
    return below(study, curves, names=EST, other="uniform", statement="Est-IVWE is below Uniform")


def _single_claims(study: Study, curves: Curves) -> tuple[Claim, ...]:
    robin_hood = below(
        study,
        curves,
        names=("robin-hood",),
        other="uniform",
        statement="ROBIN-HOOD is below Uniform (not tested in the paper)",
    )
    far_off = tuple(runs_far_off(study, curves, name="robin-hood"))
    return (
        pilots_fit(study, curves, names=EST),
        _est_below_uniform(study, curves),
        approaches_oracle(study, curves, names=EST),
        replace(robin_hood, evidence=robin_hood.evidence + far_off),
        below(
            study,
            curves,
            names=EST,
            other="robin-hood",
            statement="Est-IVWE is below ROBIN-HOOD (not tested in the paper)",
        ),
        lower_bounds_hold(study, curves),
    )


def _recorded_notes(study: RecordedStudy) -> tuple[str, ...]:
    lines = [f"Axis {axis}: {kept.counts}." for axis, kept in study.by_axis.items()]
    lines.append(
        "Where a judge gave several scores equally often, the lowest counts as its mode. Scores "
        "are mapped to a range of length 1. Oracle's variance is the mean squared deviation from "
        "the common mode, so that it takes a judge's bias for noise."
    )
    return tuple(lines)


def _differing_notes(study: DifferingStudy) -> tuple[str, ...]:
    lines = [
        f"Axis {axis}: {study.items(axis)} random items in each run of "
        f"{study.by_axis[axis].items} with enough samples."
        for axis in study.panels
    ]
    lines.append(
        "No consensus filter: the truth of an item is the mean over its judges of their recorded "
        "means, what the whole panel would say if asked for ever. The paper's model, in which all "
        "judges have the same mean, does not hold here, and it is not claimed to."
    )
    return tuple(lines)


def _differing_claims(study: DifferingStudy, curves: Curves) -> tuple[Claim, ...]:
    evidence = []
    lost = 0
    for axis in study.panels:
        items = study.items(axis)
        for name in ("oracle", "uniform-ivw", *EST):
            curve = curves.curve(axis, 2.0, name)
            uniform = curves.curve(axis, 2.0, "uniform")
            if curve is None or uniform is None:
                continue
            found = Comparison.of(uniform, curve)
            lost += found is not None and found.below_from is not None
            place = f"{axis}: " if len(study.panels) > 1 else ""
            since = (
                f", and Uniform is below it from {money(found.below_from)} on"
                if found is not None and found.below_from is not None
                else ""
            )
            limit = curves.limit(axis, 2.0, name)
            known = (
                ""
                if math.isnan(limit)
                else f" (with unlimited calls {limit / math.sqrt(items):.4f})"
            )
            evidence.append(
                f"{place}{STRATEGY[name]} stays at a root mean squared error of "
                f"{curve.mean[-1] / math.sqrt(items):.4f}{known} at {money(curve.budget[-1])}, "
                f"where Uniform has {uniform.mean[-1] / math.sqrt(items):.5f}{since}."
            )
    return (
        Claim(
            statement="The paper's own algorithm, and its Oracle, lose to Uniform where judges' "
            "means differ",
            verdict="holds" if evidence and lost == len(evidence) else "does not hold everywhere",
            evidence=tuple(evidence),
        ),
    )


def results_table(study: Study, curves: Curves) -> list[str]:
    """A Markdown table: each curve's starting budget, last error and ratio to the oracle's."""
    rows = [
        "| panel | error | strategy | accepts budgets from | largest budget | mean error "
        "(10 % to 90 % of runs) | error / Oracle's |",
        "|---|---|---|---:|---:|---:|---:|",
    ]
    for panel in study.panels:
        for norm in study.norms:
            oracle = curves.curve(panel, norm, "oracle")
            for name in study.strategies:
                over = Comparison.of(curves.curve(panel, norm, name), oracle)
                rows += [_row(curves, panel, norm, name, over)]
    return rows


def _row(curves: Curves, panel: str, norm: float, name: str, over: Comparison | None) -> str:
    curve = curves.curve(panel, norm, name)
    begins = money(curves.begins(panel, norm, name))
    start = f"| {panel} | {norm_symbol(norm)} | {STRATEGY[name]} | {begins} |"
    if curve is None:
        return f"{start} - | - | - |"
    spread = f"{curve.mean[-1]:.4g} ({curve.low[-1]:.4g} to {curve.high[-1]:.4g})"
    ratio = over.last if over is not None else "-"
    return f"{start} {money(curve.budget[-1])} | {spread} | {ratio} |"


def summary_table(sections: Sequence[Section]) -> list[str]:
    """A Markdown table of every verdict."""
    rows = ["| experiment | claim | verdict |", "|---|---|---|"]
    rows += [
        f"| {part.title} | {claim.statement} | **{claim.verdict}** |"
        for part in sections
        for claim in part.claims
    ]
    return rows
