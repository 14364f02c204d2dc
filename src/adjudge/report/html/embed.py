"""The items as data for the page's script."""

from __future__ import annotations

import json
from typing import Any

from adjudge.report.content import ItemLine, ReportContent
from adjudge.report.numbers import label_text, money_text, range_text, score_text

# Inside <script>, the data must not close the element or open a comment. Some JSON parsers treat
# the two separators as line ends.
_ESCAPES = str.maketrans(
    {
        "<": "\\u003c",
        ">": "\\u003e",
        "&": "\\u0026",
        "\u2028": "\\u2028",
        "\u2029": "\\u2029",
    }
)


def embedded(content: ReportContent) -> str:
    """JSON that is safe inside a script element."""
    names = [judge.name for judge in content.judges]
    number = {name: place for place, name in enumerate(names)}
    data = {
        "low": content.scale.low,
        "high": content.scale.high,
        "judges": names,
        "labelled": content.people is not None,
        "anchored": content.people is not None and content.people.anchored,
        "items": [
            _item(line, content.scale.digits, number, people=content.people is not None)
            for line in content.items
        ],
    }
    return escaped_json(data)


def escaped_json(value: object) -> str:
    """JSON without characters that are special in HTML."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_ESCAPES)


def _item(line: ItemLine, digits: int, number: dict[str, int], *, people: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": line.id,
        "group": line.group or "",
        "score": line.score,
        "scoreText": score_text(line.score, digits) if line.asked else "never asked",
        "low": line.interval.low,
        "high": line.interval.high,
        "intervalText": range_text(line.interval.low, line.interval.high, digits),
        "calls": line.calls,
        "spent": line.spent,
        "spentText": money_text(line.spent),
        "asked": line.asked,
        "prompt": line.prompt,
        "response": line.response,
        "answers": [
            [
                number.get(answer.judge, 0),
                answer.trouble or f"{answer.score:g}",
                bool(answer.trouble),
                money_text(answer.charged),
                answer.text,
                answer.times,
            ]
            for answer in line.answers
        ],
        "further": line.further_answers,
    }
    if people:
        found |= {
            "label": line.label,
            "labelText": label_text(line.label),
            "panel": line.panel_score,
            "panelText": score_text(line.panel_score, digits),
        }
    return found if line.reference is None else found | {"reference": line.reference}
