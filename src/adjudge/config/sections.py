"""The parts of a run file that are not judges or strategies."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, model_validator

from adjudge.config.section import Dollars, OrElse, Section
from adjudge.errors import InputError
from adjudge.judges import Limits, Scale
from adjudge.run import Patience

_FARTHEST = 1e12
"""Largest absolute value of a scale's ends; beyond it floats cannot tell scores apart."""
Number = Annotated[float, Field(ge=-_FARTHEST, le=_FARTHEST, allow_inf_nan=False)]
_WEEK = 7 * 86_400.0
_MANY = 1_000_000
_RANGE = re.compile(r"\s*([-+]?[\d.]+)\s*\.\.\s*([-+]?[\d.]+)\s*")


def _day(value: object) -> date:
    """A date; whole numbers, which pydantic reads as seconds, are refused."""
    try:
        if type(value) is date:
            return value
        return date.fromisoformat(value.strip() if isinstance(value, str) else "")
    except ValueError:
        raise InputError("as_of", "this is not a date", "write it as 2026-11-18") from None


Day = Annotated[date, BeforeValidator(_day)]


class FieldsSection(Section):
    """The columns that hold the fields of an item, if their names differ from the defaults."""

    id: str | None = None
    """Column with the item's id; without one, items are numbered from 1."""
    prompt: str | None = None
    """Column with the prompt; default `prompt`, `input`, `instruction` or `user_input`."""
    response: str | None = None
    """Column with the text to score; default `response`, `output` or `actual_output`."""
    reference: str | None = None
    """Reference answer; default `reference`, `target`, `expected_output` or `expected`."""
    group: str | None = None
    """Column with the system that wrote the response; default `group`."""
    label: str | None = None
    """Column with a person's label; default `label`, `human` or `human_score`; "" for none."""


class ItemsSection(Section):
    """The items to score; `items: items.jsonl` is short for `items: {path: items.jsonl}`."""

    path: str
    """A .jsonl, .json, .csv, .tsv or .parquet file (text may be .gz), or "-" for standard input."""
    fields: FieldsSection = FieldsSection()
    """Columns by field, if their names differ from the defaults."""
    limit: int | None = Field(default=None, ge=1)
    """Use only the first N items."""


class ScaleSection(Section):
    """The scores that judges may give; `scale: 1..10` means whole numbers from 1 to 10."""

    low: Number | None = None
    """The lowest score."""
    high: Number | None = None
    """The highest score."""
    whole: bool = False
    """Whether only whole numbers count."""
    labels: dict[str, Number] | None = None
    """Words to choose from, with their scores, such as `{poor: 0, fair: 1, good: 2}`."""

    @model_validator(mode="after")
    def _is_a_scale(self) -> Self:
        self.scale()
        return self

    def scale(self) -> Scale:
        """The scale for the judges."""
        numbers = self.low is not None or self.high is not None or self.whole
        if self.labels is not None:
            if numbers:
                raise InputError(
                    "scale", "it has labels and numbers", "give labels, or low and high"
                )
            return Scale.of_labels(self.labels)
        if self.low is None or self.high is None:
            raise InputError("scale", "it does not have two ends", "give low and high, or labels")
        return Scale(low=self.low, high=self.high, whole=self.whole)


def _range(value: object) -> object:
    if isinstance(value, dict | ScaleSection):
        return value
    match = _RANGE.fullmatch(str(value))
    if match is None:
        raise InputError("scale", f"{value}", "write it as 1..10, or as low and high")
    low, high = match.groups()
    if (low, high) == ("0", "1"):
        raise InputError(
            "scale",
            "0..1 could mean pass or fail, or every number between",
            "write {low: 0, high: 1, whole: true}, or 0.0..1.0",
        )
    return {"low": low, "high": high, "whole": "." not in low + high}


ScaleOrRange = Annotated[
    ScaleSection, BeforeValidator(_range), OrElse({"type": "string", "pattern": r"\.\."})
]


class LabelsSection(Section):
    """People's labels of some items; `labels: labels.csv` is short for `{path: labels.csv}`."""

    path: str | None = None
    """A .csv, .tsv, .jsonl, .json or .parquet file with `item`, `label` and optionally `rater`."""
    scale: ScaleOrRange | None = None
    """The people's scale, such as `1..5`, if it differs from the judges'."""
    random_sample: bool = False
    """Whether labels not drawn by `adjudge label` are of a random sample of the items."""


class PromptSection(Section):
    """The messages to judges, as templates that may use the item's fields."""

    system: str | None = None
    """The system message, empty for none; the default asks for a fair judge."""
    system_file: str | None = None
    """A file with the system message, relative to the run file."""
    user: str | None = None
    """The user message; the default shows criteria, prompt, reference, response and scale."""
    user_file: str | None = None
    """A file with the user message, relative to the run file."""

    @model_validator(mode="after")
    def _says_each_once(self) -> Self:
        for name in ("system", "user"):
            if getattr(self, name) is not None and getattr(self, f"{name}_file") is not None:
                raise InputError(
                    "prompt", f"it has both {name} and {name}_file", "give one of them"
                )
        return self


class LongContextSection(Section):
    """The prices of all tokens of a request that sends more than a number of tokens."""

    above: int = Field(ge=1)
    """Tokens sent; these prices apply to requests with more."""
    input: Dollars
    """Dollars per million tokens sent."""
    output: Dollars
    """Dollars per million tokens of the answer, including reasoning."""
    cached_input: Dollars | None = None
    """Dollars per million tokens read from the provider's cache; default `input`."""
    cache_write: Dollars | None = None
    """Dollars per million tokens written to the provider's cache; default 1.25 times `input`."""
    cache_write_hour: Dollars | None = None
    """The same for tokens cached for an hour or longer; default twice `input`."""


class PricesSection(Section):
    """The prices of a judge; `prices: map.json` is short for `prices: {file: map.json}`."""

    input: Dollars | None = None
    """Dollars per million tokens sent."""
    output: Dollars | None = None
    """Dollars per million tokens of the answer, including reasoning."""
    cached_input: Dollars | None = None
    """Dollars per million tokens read from the provider's cache; default `input`."""
    cache_write: Dollars | None = None
    """Dollars per million tokens written to the provider's cache; default 1.25 times `input`."""
    cache_write_hour: Dollars | None = None
    """The same for tokens cached for an hour or longer; default twice `input`."""
    long_context: list[LongContextSection] | None = None
    """Prices of long requests, such as `[{above: 272000, input: 8, output: 30}]`."""
    service_tiers: dict[str, Annotated[float, Field(gt=0, allow_inf_nan=False)]] | None = None
    """Service tiers as multiples of the ordinary price, such as `{flex: 0.5, priority: 2}`."""
    per_call: Dollars | None = None
    """Dollars per call, in addition; alone, it can stand for the time of your own model."""
    file: str | None = None
    """A litellm-style price map (JSON) that has the model, relative to the run file."""
    as_of: Day | None = None
    """Use the public price of this day, such as 2026-11-18; default the day of the first run."""

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        looked_up = next((name for name in ("file", "as_of") if name in given), None)
        if looked_up is not None:
            others = [name for name in given if name != looked_up]
            if others:
                raise InputError(
                    "prices", f"it has {looked_up} and {others[0]}", "give one of them"
                )
        elif (self.input is None) != (self.output is None):
            absent = "output" if self.output is None else "input"
            raise InputError("prices", f"{absent} is missing", "give both input and output")
        elif not any(getattr(self, name) for name in ("input", "output", "per_call")):
            raise InputError(
                "prices",
                "a call costs nothing",
                "give a price, however small, as per_call: 0.001: "
                "what is free cannot be rationed by a budget",
            )
        return self


class LimitsSection(Section):
    """Rate and concurrency limits of a judge."""

    concurrency: int = Field(default=Limits().concurrency, ge=1, le=_MANY)
    """Largest number of calls under way at the same time."""
    requests_per_minute: float | None = Field(default=None, gt=0, le=1e12)
    """Largest number of calls started per minute."""
    tokens_per_minute: float | None = Field(default=None, gt=0, le=1e12)
    """Approximate limit of tokens sent and received per minute."""


class PatienceSection(Section):
    """Retries of a failing judge, before it is switched off."""

    first_wait: float = Field(default=Patience().first_wait, gt=0, le=_WEEK)
    """Seconds before the first retry; doubled each time."""
    longest_wait: float = Field(default=Patience().longest_wait, gt=0, le=_WEEK)
    """Longest wait between two attempts, in seconds."""
    longest_asked_wait: float = Field(default=Patience().longest_asked_wait, ge=0, le=_WEEK)
    """Seconds; a judge that asks for a longer wait is switched off."""
    attempts: int = Field(default=Patience().attempts, ge=1, le=_MANY)
    """Attempts at one call while the judge answers other calls."""
    pauses: int = Field(default=Patience().pauses, ge=1, le=_MANY)
    """Pauses without an answer between them, after which the judge is switched off."""

    @model_validator(mode="after")
    def _is_patience(self) -> Self:
        self.patience()
        return self

    def patience(self) -> Patience:
        """The patience for a run."""
        return Patience(**self.model_dump())


def _path(value: object) -> object:
    if isinstance(value, dict | ItemsSection | None):
        return value
    if not isinstance(value, str):
        raise InputError("items", "this is not a path", "name a file, as items: items.jsonl")
    return {"path": value}


def _labels_path(value: object) -> object:
    if isinstance(value, dict | LabelsSection):
        return value
    if value is None:
        return {}
    if not isinstance(value, str):
        raise InputError("labels", "this is not a path", "name a file, as labels: labels.csv")
    return {"path": value}


def _price_file(value: object) -> object:
    return {"file": value} if isinstance(value, str) else value


Items = Annotated[ItemsSection, BeforeValidator(_path), OrElse({"type": "string"})]
LabelsOrFile = Annotated[LabelsSection, BeforeValidator(_labels_path), OrElse({"type": "string"})]
PricesOrFile = Annotated[PricesSection, BeforeValidator(_price_file), OrElse({"type": "string"})]
