"""The content of a report, independent of its layout."""

from adjudge.report.content.as_json import content_json
from adjudge.report.content.build import content_of
from adjudge.report.content.items import shown_items
from adjudge.report.content.people_values import ConcordLine, FigureLine, PeopleCard
from adjudge.report.content.pictures import error_of_an_item
from adjudge.report.content.setup import JudgeSetup, PromptShown, Setup
from adjudge.report.content.values import (
    Advice,
    AllocationGrid,
    Answer,
    Asked,
    Bill,
    Counsel,
    CurvePoint,
    DifferenceLine,
    GateLine,
    GroupLine,
    ItemLine,
    JudgeCard,
    NamedCall,
    Notice,
    Range,
    ReportContent,
    ScaleLine,
    Spot,
    Weight,
)

__all__ = [
    "Advice",
    "AllocationGrid",
    "Answer",
    "Asked",
    "Bill",
    "ConcordLine",
    "Counsel",
    "CurvePoint",
    "DifferenceLine",
    "FigureLine",
    "GateLine",
    "GroupLine",
    "ItemLine",
    "JudgeCard",
    "JudgeSetup",
    "NamedCall",
    "Notice",
    "PeopleCard",
    "PromptShown",
    "Range",
    "ReportContent",
    "ScaleLine",
    "Setup",
    "Spot",
    "Weight",
    "content_json",
    "content_of",
    "error_of_an_item",
    "shown_items",
]
