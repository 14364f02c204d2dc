"""The results of probing a judge, for people and for programs."""

from __future__ import annotations

from adjudge.judges import remedy
from adjudge.records import NANO, Verdict, dollars
from adjudge.run import Probe

_LONGEST = 200
"""Most characters shown of an answer."""


def probe_fields(probe: Probe) -> dict[str, object]:
    """Everything about the call, in dollars and seconds; None if missing."""
    outcome = probe.outcome
    answered = isinstance(outcome, Verdict)
    reason = None if outcome is None else outcome.reason
    return {
        "item": probe.item,
        "score": outcome.score if isinstance(outcome, Verdict) else None,
        "reason": None if reason is None else reason.words,
        "answer": outcome.text if isinstance(outcome, Verdict) else None,
        "detail": _detail(probe) or None,
        "remedy": remedy(reason, "" if answered else _detail(probe), form=probe.form) or None,
        "dollars": probe.charged / NANO,
        "seconds": round(probe.seconds, 3),
    }


def probe_line(probe: Probe) -> str:
    """The answer with its score, price and time; or why there is no score and what to change."""
    outcome = probe.outcome
    if outcome is None:
        return f"{probe.judge} was not asked: what is left of the budget does not pay for its call."
    effort = f"{dollars(probe.charged)}, {probe.seconds:.2f} s"
    detail = _detail(probe)
    if isinstance(outcome, Verdict) and outcome.score is not None:
        terms = f" {detail}." if detail else ""
        score = f"{outcome.score:g}"
        return f"{probe.judge} answered with {score} ({effort}): {_shortened(outcome.text)}{terms}"
    why = "" if outcome.reason is None else f"{outcome.reason.words}; "
    said = f'"{_shortened(outcome.text)}"' if isinstance(outcome, Verdict) else _shortened(detail)
    change = probe_fields(probe)["remedy"]
    advice = f" What to change: {change}." if change else ""
    return f"{probe.judge} gave no score ({why}{effort}): {said.rstrip('.')}.{advice}"


def _detail(probe: Probe) -> str:
    """The endpoint's message, apart from an answer."""
    outcome = probe.outcome
    if outcome is None:
        return ""
    return outcome.surcharge if isinstance(outcome, Verdict) else outcome.detail


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
