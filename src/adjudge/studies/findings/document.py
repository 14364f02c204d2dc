"""`findings.md`: the verdicts on the paper's claims, generated from the runs."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.studies.findings.comparison import ON_PAR, SURE
from adjudge.studies.findings.sections import results_table, section, summary_table
from adjudge.studies.outcome import Outcome
from adjudge.version import __version__


def findings(outcomes: Sequence[Outcome]) -> str:
    """The document, in Markdown."""
    parts = [
        (outcome, section(outcome.study, outcome.curves, title=outcome.title))
        for outcome in outcomes
    ]
    lines = [
        "# Findings",
        "",
        f"Computed by adjudge {__version__} from the runs themselves: every number and every "
        "verdict. A strategy is *below* another if its mean error is smaller by more than "
        f"{SURE:g} standard errors of their ratio in the same runs, and *above* if it is larger "
        f"by more than that and by more than {ON_PAR:.0%}. Ratios are of mean errors in paired "
        "runs, ± one standard error. Uniform (IVW) asks as Uniform does and weights its judges by "
        "inverse sample variance. Est-IVWE's pilots are the theorems', in the paper's units.",
        "",
        "## Verdicts",
        "",
        *summary_table([part for _, part in parts]),
    ]
    for outcome, part in parts:
        lines += ["", f"## {part.title}", "", outcome.conditions]
        for note in part.notes:
            lines += ["", note]
        for claim in part.claims:
            lines += ["", f"### {claim.statement}", "", f"**Verdict: {claim.verdict}.**", ""]
            lines += [f"- {sentence}" for sentence in claim.evidence]
        lines += ["", "### Numbers", "", *results_table(outcome.study, outcome.curves)]
    return "\n".join(lines) + "\n"
