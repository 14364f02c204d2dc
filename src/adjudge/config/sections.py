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
    """A day; whole numbers, which pydantic takes for seconds, are none."""
    try:
        if type(value) is date:
            return value
        return date.fromisoformat(value.strip() if isinstance(value, str) else "")
    except ValueError:
        raise InputError("as_of", "this is not a date", "write it as 2026-11-18") from None


Day = Annotated[date, BeforeValidator(_day)]


class FieldsSection(Section):
    """Which columns hold the fields of an item, where their names do not say so."""

    id: str | None = None
    """The column with each item's own name; without one, items are numbered from 1."""
    prompt: str | None = None
    """The column with what was asked; else `prompt`, `input`, `instruction` or `user_input`."""
    response: str | None = None
    """The column with the text to score; else `response`, `output` or `actual_output`."""
    reference: str | None = None
    """The column with a good answer; else `reference`, `target`, `expected_output`, `expected`."""
    group: str | None = None
    """The column with the system that wrote the response; else `group`."""
    label: str | None = None
    """The column with what a person says; else `label`, `human` or `human_score`; "" for none."""


class ItemsSection(Section):
    """What is to be scored; `items: items.jsonl` is short for `items: {path: items.jsonl}`."""

    path: str
    """A .jsonl, .json, .csv, .tsv or .parquet file (text may be .gz), or "-" for standard input."""
    fields: FieldsSection = FieldsSection()
    """Which columns hold what, where their names do not say so."""
    limit: int | None = Field(default=None, ge=1)
    """Take only the first so many items."""


class ScaleSection(Section):
    """The scores that judges may give; `scale: 1..10` is short for whole numbers from 1 to 10."""

    low: Number | None = None
    """The lowest score."""
    high: Number | None = None
    """The highest score."""
    whole: bool = False
    """Whether only whole numbers count."""
    labels: dict[str, Number] | None = None
    """Words to choose from and what each is worth, as `{poor: 0, fair: 1, good: 2}`."""

    @model_validator(mode="after")
    def _is_a_scale(self) -> Self:
        self.scale()
        return self

    def scale(self) -> Scale:
        """As judges use it."""
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
    """What people say of some items; `labels: labels.csv` is short for `{path: labels.csv}`."""

    path: str | None = None
    """A .csv, .tsv, .jsonl, .json or .parquet file with `item`, `label` and, if any, `rater`."""
    scale: ScaleOrRange | None = None
    """The scale that people were given, if it is not that of the judges; as `1..5`."""
    random_sample: bool = False
    """Whether labels from elsewhere than `adjudge label` are of a random sample of the items."""


class PromptSection(Section):
    """What judges are told, as templates; they may name the item's fields."""

    system: str | None = None
    """The system message; empty for none; the default asks for a fair judge."""
    system_file: str | None = None
    """A file that holds it, relative to the run file."""
    user: str | None = None
    """The user message; the default shows criteria, prompt, reference, response and scale."""
    user_file: str | None = None
    """A file that holds it, relative to the run file."""

    @model_validator(mode="after")
    def _says_each_once(self) -> Self:
        for name in ("system", "user"):
            if getattr(self, name) is not None and getattr(self, f"{name}_file") is not None:
                raise InputError(
                    "prompt", f"it has both {name} and {name}_file", "give one of them"
                )
        return self


class LongContextSection(Section):
    """What all tokens of a request cost that sends more of them than a limit."""

    above: int = Field(ge=1)
    """Tokens sent; the prices are those of requests with more."""
    input: Dollars
    """Dollars per million tokens sent."""
    output: Dollars
    """Dollars per million tokens that come back, reasoning included."""
    cached_input: Dollars | None = None
    """Dollars per million tokens sent that the provider had in its cache; else as `input`."""
    cache_write: Dollars | None = None
    """Dollars per million tokens written to the provider's cache; else 1.25 times `input`."""
    cache_write_hour: Dollars | None = None
    """The same of those that it keeps for an hour or longer; else twice `input`."""


class PricesSection(Section):
    """What a judge costs; `prices: map.json` is short for `prices: {file: map.json}`."""

    input: Dollars | None = None
    """Dollars per million tokens sent."""
    output: Dollars | None = None
    """Dollars per million tokens that come back, reasoning included."""
    cached_input: Dollars | None = None
    """Dollars per million tokens sent that the provider had in its cache; else as `input`."""
    cache_write: Dollars | None = None
    """Dollars per million tokens written to the provider's cache; else 1.25 times `input`."""
    cache_write_hour: Dollars | None = None
    """The same of those that it keeps for an hour or longer; else twice `input`."""
    long_context: list[LongContextSection] | None = None
    """Prices of requests that send many tokens, as `[{above: 272000, input: 8, output: 30}]`."""
    service_tiers: dict[str, Annotated[float, Field(gt=0, allow_inf_nan=False)]] | None = None
    """What other service tiers cost, in ordinary prices, as `{flex: 0.5, priority: 2}`."""
    per_call: Dollars | None = None
    """Dollars per call, on top; alone, a stand-in for the time of a model of your own."""
    file: str | None = None
    """A litellm-style price map (JSON), relative to the run file; the model is looked up in it."""
    as_of: Day | None = None
    """The public price of this day, as 2026-11-18; without any `prices`, of the first run's day."""

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
    """Calls under way at the same time, at most."""
    requests_per_minute: float | None = Field(default=None, gt=0, le=1e12)
    """Calls begun in a minute, at most."""
    tokens_per_minute: float | None = Field(default=None, gt=0, le=1e12)
    """Tokens sent and received in a minute, about."""


class PatienceSection(Section):
    """Retries of a judge that does not work, before it is switched off."""

    first_wait: float = Field(default=Patience().first_wait, gt=0, le=_WEEK)
    """Seconds before the first new attempt; doubled each time."""
    longest_wait: float = Field(default=Patience().longest_wait, gt=0, le=_WEEK)
    """Seconds between two attempts, at most."""
    longest_asked_wait: float = Field(default=Patience().longest_asked_wait, ge=0, le=_WEEK)
    """A judge that asks for a longer wait than this is switched off."""
    attempts: int = Field(default=Patience().attempts, ge=1, le=_MANY)
    """Attempts at one call of a judge that answers others."""
    pauses: int = Field(default=Patience().pauses, ge=1, le=_MANY)
    """Waits of a judge without one answer between them, before it is switched off."""

    @model_validator(mode="after")
    def _is_patience(self) -> Self:
        self.patience()
        return self

    def patience(self) -> Patience:
        """As a run uses it."""
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
