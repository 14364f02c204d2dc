"""Reading the score from a judge's answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from adjudge.judges.json_scores import begins_with_json, scores_of_json, with_objects_replaced
from adjudge.judges.quotation import QUOTED, is_part_of_a_sentence, without_quotations
from adjudge.judges.scale import Scale
from adjudge.judges.score_value import TRIMMED, value_at, whole_value
from adjudge.records import Reason

_LONGEST = 100_000
"""Number of characters read, from the end of an answer; no score precedes that much text."""
_MOST = 200
"""Maximum number of scores; an answer with more is unreadable."""
_FENCE = "```"
_OBJECT = re.compile(r"\x00(\d+)\x00")
"""Placeholder for a JSON object with scores, with its number."""
_WRAPPED = re.compile(r"([\"'`*_]{1,3})((?:(?!\1).)*)\1", re.DOTALL)
_NAMED = re.compile(
    r"\b(?:score|rating|verdict|label)\b[\s*_`\"']{0,20}(is|of|[:=：])[\s*_`\"'“(\[]{0,20}",
    re.IGNORECASE,
)
_BEFORE = 200
"""Number of characters before a score that decide whether it is stated."""
_BULLET = r"[\s#*_\-•|(]*(?:\d{1,2}[.)]\s+)?[*_\"'`(]*"
_SO = r"(?:(?:so|thus|therefore|hence|overall|finally|in conclusion|in summary),?\s+)?"
_NOTHING = re.compile(_BULLET)
_LEAD = re.compile(
    _BULLET + _SO + r"(?:(?:a|the|my|its|this|final|overall|total|assigned|numeric)\s+)*[*_\"'`]*",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    _BULLET + _SO + r"I(?:['’]d|['’]ll| would| will)?\s+(?:therefore\s+|thus\s+)?"
    r"(?:give|assign|award|rate)\s+(?:(?:it|this|the|response|answer)\s+)*"
    r"(?:an?\s+)?(?:(?:final|overall|total)\s+)?[*_\"'`]*",
    re.IGNORECASE,
)
_LINE_ENDS = re.compile(r"[*_`\"'”)\]]*[.!;]?[*_`\"'”)\]]*[ \t]*(?:\n|$)")
_SENTENCE_ENDS = re.compile(r"[*_`\"'”)\]]*[.!](?=\s)")
_SAID = re.compile(r"[*_`\"'”)\]]*(?:[.;!](?=\s)|\s[-–—]\s|\s?\(|,?\s(?:because|since|due to)\b)")
_SENTENCE = re.compile(r"(?:[.!?]|\n)[*_)\"”\s]*")
_FIRST_KEY = re.compile(r"\{\s*[\"']?")
_LATER_KEY = re.compile(r",\s*[\"']?$")


class Reading(NamedTuple):
    """The score that was read, or why there is none."""

    score: float | None = None
    reason: Reason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A possible score in the text."""

    score: float | None
    """None if it is not on the scale."""
    stated: bool
    """Whether it is stated on its own, not mentioned within a sentence."""
    named: bool
    """Whether it is a phrase such as `Score: 7`, not JSON."""
    outermost: bool = False
    """Whether it is JSON at the start or end of the text."""


def read_score(text: str, scale: Scale) -> Reading:
    """The one score in the text, on this scale; an unclear answer gives none.

    A text that is JSON gives the score of its object. In other texts a score must be stated: by
    JSON or a phrase such as `Score: 7` on its own line, by such a phrase as the last sentence, or
    by a text that is only a score. All stated scores must agree. A score mentioned within a
    sentence does not count, but must not differ from the stated ones either. Exception: phrases
    are ignored if JSON begins or ends the text. Quotations are ignored.
    """
    whole = _plain_object(text, scale)
    if whole is not None:
        return _agreed(whole, scale)
    thoughts, _, text = text[-_LONGEST:].rpartition("</think>")
    text = _unwrapped(text)
    if not text:
        return Reading(reason=Reason.EMPTY)
    if not thoughts and text.startswith("<think>"):
        return Reading(reason=Reason.CUT_SHORT)
    whole = _whole(text, scale)
    if whole is not None:
        return _agreed(whole, scale)
    return _found_amid_words(text, scale)


def _plain_object(text: str, scale: Scale) -> list[float | None] | None:
    """The scores of a text that is a bare JSON object, the usual case; None for any other."""
    plain = text.startswith("{") and len(text) <= _LONGEST and "</think>" not in text
    return scores_of_json(text, scale) if plain else None


def _found_amid_words(text: str, scale: Scale) -> Reading:
    found = list(islice(_found(text, scale), _MOST + 1))
    if len(found) > _MOST:
        return Reading(reason=Reason.UNREADABLE)
    if any(each.outermost for each in found):
        found = [each for each in found if each.stated or not each.named]
    stated = [each.score for each in found if each.stated]
    mentioned = [each.score for each in found if not each.stated and _holds(scale, each.score)]
    if not stated:
        differ = len(set(mentioned)) > 1
        return Reading(reason=Reason.CONTRADICTING if differ else Reason.UNREADABLE)
    return _agreed(stated + mentioned, scale)


def _agreed(found: list[float | None], scale: Scale) -> Reading:
    """The reading of scores that must all agree; None in `found` is a score off the scale."""
    if not found:
        return Reading(reason=Reason.UNREADABLE)
    for score in found:
        if score is None or not scale.holds(score):
            return Reading(reason=Reason.OUT_OF_RANGE)
    if len(found) > 1 and len(set(found)) > 1:
        return Reading(reason=Reason.CONTRADICTING)
    return Reading(found[0])


def _holds(scale: Scale, score: float | None) -> bool:
    return score is not None and scale.holds(score)


def _unwrapped(text: str) -> str:
    """The text without an enclosing fence, quotes or emphasis."""
    text = text.strip()
    if text.startswith(_FENCE) and text.endswith(_FENCE) and text.count(_FENCE) == 2:
        text = _content(text[len(_FENCE) : -len(_FENCE)])
    wrapped = _WRAPPED.fullmatch(text)
    return text if wrapped is None else wrapped[2].strip()


def _content(fenced: str) -> str:
    """The content of a code fence, without the language name."""
    return re.sub(r"^\w{0,20}\s", "", fenced, count=1).strip()


def _whole(text: str, scale: Scale) -> list[float | None] | None:
    """The scores of a text that is JSON, nearly JSON, or a bare score; None for any other."""
    scores = scores_of_json(text, scale)
    if scores is None and text.startswith("{") and not begins_with_json(text):
        scores = _broken_object(text, scale)
    if scores is None and (bare := whole_value(text, scale)) is not None:
        return [*bare]
    return scores


def _broken_object(text: str, scale: Scale) -> list[float | None] | None:
    """The scores of an object with wrong quotes or commas, if its first or last key is a score.

    Strings and keys cannot be distinguished there, so everything that looks like a score counts.
    """
    values = [(match, value_at(text, match.end(), scale)) for match in _NAMED.finditer(text)]
    given = [(match, *value) for match, value in values if value is not None]
    if not given or text.rpartition("}")[1:] not in {("", text), ("}", "")}:
        return None
    (first, _, first_end), (last, _, last_end) = given[0], given[-1]
    leads = _FIRST_KEY.fullmatch(text, 0, first.start()) is not None
    ends = _LATER_KEY.search(text, max(0, last.start() - 20), last.start()) is not None
    if not (leads and text[first_end:].lstrip("\"' ")[:1] in {",", "}"}) and not (
        ends and re.fullmatch(r"[\"'\s,]*\}\s*", text[last_end:])
    ):
        return None
    return [score for _, score, _ in given]


def _found(text: str, scale: Scale) -> Iterator[_Found]:
    """Every score in the text outside quotations."""
    objects: list[list[float | None]] = []

    def numbered(scores: list[float | None]) -> str:
        objects.append(scores)
        return f"\x00{len(objects) - 1}\x00" if scores else QUOTED

    parts = text.replace("\x00", " ").replace(QUOTED, " ").split(_FENCE)
    for number, part in enumerate(parts):
        if number % 2 == 0:
            parts[number] = with_objects_replaced(part, scale, numbered)
        else:
            content = _content(part)
            scores = _whole(content, scale) if content.startswith("{") else None
            parts[number] = f"\n{numbered(scores or [])}\n"
    text = without_quotations("".join(parts), _gives_a_score).strip()
    for match in _OBJECT.finditer(text):
        stated = _stands(text, match.start(), match.end())
        outside = text[: match.start()].strip(TRIMMED), text[match.end() :].strip(TRIMMED)
        outermost = stated and not all(outside)
        for score in objects[int(match[1])]:
            yield _Found(score=score, stated=stated, named=False, outermost=outermost)
    for match in _NAMED.finditer(text):
        value = value_at(text, match.end(), scale)
        if value is not None:
            yield _Found(score=value[0], stated=_is_stated(text, match, value[1]), named=True)


def _gives_a_score(quotation: str) -> bool:
    return "\x00" in quotation or _NAMED.search(quotation) is not None


def _stands(text: str, start: int, end: int) -> bool:
    """Whether an object is alone on its line, except for words that end with a colon before it."""
    before = _before(text, start).rpartition("\n")[2]
    led = _NOTHING.fullmatch(before) is not None or before.rstrip("*_ ").endswith(":")
    alone = led and _LINE_ENDS.match(text, end) is not None
    return alone and not is_part_of_a_sentence(text, start, end)


def _is_stated(text: str, name: re.Match[str], end: int) -> bool:
    """Whether a phrase begins its line or is the last sentence of the text."""
    before = _before(text, name.start())
    line = before.rpartition("\n")[2]
    sentence = before[max((found.end() for found in _SENTENCE.finditer(before)), default=0) :]
    ends_line = _LINE_ENDS.match(text, end) is not None
    if is_part_of_a_sentence(text, name.start() - len(line), end):
        return False
    if _FIRST_PERSON.fullmatch(sentence):
        return ends_line or _SENTENCE_ENDS.match(text, end) is not None
    if name[1].lower() == "of" or "\n" in name[0]:
        return ends_line and _LEAD.fullmatch(line) is not None
    if _LEAD.fullmatch(line):
        return ends_line or _SAID.match(text, end) is not None
    return _LEAD.fullmatch(sentence) is not None and not text[end:].strip(TRIMMED)


def _before(text: str, at: int) -> str:
    """The text before this index, shortened to its end with a mark that it is not the start."""
    return text[:at] if at <= _BEFORE else "…" + text[at - _BEFORE : at]
