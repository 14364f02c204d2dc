"""Removal of secrets from everything that an endpoint sends, in one place."""

from __future__ import annotations

from dataclasses import replace

from adjudge.judges.chat_answer import Terms, outcomes_of
from adjudge.judges.secrets import Secrets
from adjudge.judges.transport import HttpAnswer
from adjudge.records import Outcome, Verdict


def clean_outcomes(answer: HttpAnswer, count: int, terms: Terms, secrets: Secrets) -> list[Outcome]:
    """The outcomes of a request's calls, without secrets in anything that is kept or shown."""
    outcomes = outcomes_of(answer, count, terms)
    for outcome in outcomes:
        if not _is_clean(outcome, secrets):
            break
    else:
        return outcomes
    # The score may come from a secret, and a message may be cut inside one. So the cleaned body is
    # read again, and the outcomes are cleaned again, as reading may have joined parts of a secret.
    if answer.body is not None:
        answer = replace(answer, body=secrets.clean_body(answer.body))
    return [_cleaned(outcome, secrets) for outcome in outcomes_of(answer, count, terms)]


def _is_clean(outcome: Outcome, secrets: Secrets) -> bool:
    if not isinstance(outcome, Verdict):
        return False
    said = outcome.text + outcome.surcharge + outcome.note
    return secrets.clean(said) is said


def _cleaned(outcome: Outcome, secrets: Secrets) -> Outcome:
    if isinstance(outcome, Verdict):
        return replace(
            outcome,
            text=secrets.clean(outcome.text),
            surcharge=secrets.brief(outcome.surcharge),
            note=secrets.brief(outcome.note),
        )
    return replace(outcome, detail=secrets.brief(outcome.detail))
