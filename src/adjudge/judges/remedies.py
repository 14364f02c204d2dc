"""Advice on what to change after a call without a score."""

from __future__ import annotations

import re

from adjudge.judges.judge import Judge
from adjudge.records import Reason

_NO_FORM = "set response_format: none"
_LESS_FORM = f"{_NO_FORM} or json_object"
_BY_WORDS: tuple[tuple[str, str], ...] = (
    (
        r"(use|try).{0,5}max_completion_tokens|max_completion_tokens.{0,3} instead",
        "set max_completion_tokens instead of max_tokens for this judge",
    ),
    (r"max_completion_tokens", "set max_tokens instead of max_completion_tokens for this judge"),
    (
        r"response_format|json_schema|json_object|json mode|structured output|guided_json|grammar",
        f"{_NO_FORM} for this judge, or a mapping in the server's own form, as "
        "{type: json_object, schema: {...}}",
    ),
    (r"temperature", "leave out temperature for this judge"),
    (r"log.?prob", "leave out score_from for this judge"),
    (r"service.?tier", "leave out service_tier, or choose one that the provider has"),
    (
        r"thinking.{0,3}budget|budget.?tokens|thinking mode",
        "change thinking_budget, or leave it out for this judge",
    ),
    (r"effort", "leave out effort, or choose one that the model takes"),
    (
        r"context.{0,20}(length|window|size)|(prompt|input).{0,20}too long|maximum context",
        "shorten the prompt or the items, or use a model with a longer context",
    ),
    (
        r"model.{0,80}(not found|not exist|unknown|unavailable|not supported|no access)"
        r"|model_not_found|(unknown|no such|invalid|not a valid) model|no endpoints found",
        "check the model's name and that your key may use it",
    ),
    (
        r"its process or its machine died",
        "check Ray's logs, and whether there was enough memory",
    ),
    (r"no replica is alive", "see whether the Ray cluster has machines for it (`ray status`)"),
    (r"a web page", "check base_url: it must be the address of the API, as https://host/v1"),
    (
        r"HTTP 402|quota|credit|billing|spend limit|balance|usage limit",
        "add credit or raise the spend limit at the provider",
    ),
    (r"HTTP 401|HTTP 403|api.key|unauthori[sz]ed", "check the key and what it may be used for"),
    (r"HTTP 404|HTTP 405", "check base_url and the model's name"),
    (r"HTTP 30\d", "give the address that it redirects to as base_url"),
    (r"HTTP 429", "wait, or lower the judge's limits"),
    (r"HTTP 5\d\d", "wait, or ask who runs the endpoint"),
    (r"max_tokens", "change max_tokens as the endpoint says"),
)
"""Patterns in the error message of an endpoint, with advice; the first match counts."""
_BY_FORM = {
    "none": "ask for JSON (response_format: json_object), or use another model",
    "json_object": "it was asked for JSON: try response_format: json_schema (or a mapping in the "
    "server's own form), or use another model",
    "function": "return a number or a label of the scale",
}
"""Advice after an unreadable answer, by the form of the judge's answers."""
_OUT_OF_RANGE_OF_A_FUNCTION = (
    "return a score on the run's scale: one such as 1..10 takes whole numbers only, "
    "{low: 1, high: 10} any number between"
)
_OTHER_FORM = "change the prompt, or use another model"
_UNREADABLE = frozenset({Reason.UNREADABLE, Reason.CONTRADICTING})
_BY_REASON = {
    Reason.OUT_OF_RANGE: "name the scale in the prompt, if yours does not; else hold the model to "
    "it (response_format: json_schema), or use another",
    Reason.EMPTY: "change the prompt, or use another model",
    Reason.DECLINED: "change the prompt, or use another model",
    Reason.CUT_SHORT: "raise max_tokens (a model that thinks first needs more)",
    Reason.MALFORMED: "check base_url: the reply is not a chat completion",
    Reason.TOO_LONG: "check base_url: the reply is not a chat completion",
    Reason.BUSY: "wait, or lower the judge's limits",
    Reason.DOWN: "see whether the endpoint runs, and check base_url",
    Reason.TIMED_OUT: "raise the judge's timeout",
    Reason.BROKEN_OFF: "see whether the endpoint runs, and check base_url",
    Reason.RAISED: "correct the judge function",
}


def form_of(judge: Judge) -> str:
    """The form of the judge's answers: the name of a response format, or `function`."""
    return str(getattr(judge, "form", "none"))


def remedy(reason: Reason | None, words: str = "", *, form: str = "none") -> str:
    """What to change after a call without a score for this reason; empty if unknown.

    `words` is an endpoint's error message, never a model's answer, which may say anything. For
    `form` see `form_of`.
    """
    if reason is not Reason.RAISED:  # a user's exception may say anything
        for pattern, change in _BY_WORDS:
            if re.search(pattern, words, re.IGNORECASE):
                return change.replace(_NO_FORM, _LESS_FORM) if form == "json_schema" else change
    if reason in _UNREADABLE:
        return _BY_FORM.get(form, _OTHER_FORM)
    if reason is Reason.OUT_OF_RANGE and form == "function":
        return _OUT_OF_RANGE_OF_A_FUNCTION
    return "" if reason is None else _BY_REASON.get(reason, "")
