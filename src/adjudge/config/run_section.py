"""The run file as a whole."""

from __future__ import annotations

import math
import re
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema

from adjudge.config.judge_sections import JudgeSection
from adjudge.config.place import PlaceSection
from adjudge.config.section import Dollars, Section, Texts
from adjudge.config.sections import (
    Items,
    LabelsOrFile,
    LabelsSection,
    LimitsSection,
    PatienceSection,
    PricesOrFile,
    PromptSection,
    ScaleOrRange,
    ScaleSection,
)
from adjudge.config.strategy_sections import PanelSection, StrategySection
from adjudge.errors import InputError

REQUIRED = ("items", "budget", "judges")

_LARGEST_NORM = 100.0
"""Larger norms overflow, and are practically the same as inf."""
_NORM = WithJsonSchema({"anyOf": [{"type": "number", "minimum": 1}, {"const": "inf"}]})


def _norm(value: float) -> float:
    if math.isfinite(value) and value > _LARGEST_NORM:
        raise InputError("norm", f"{value:g}", f"give one from 1 to {_LARGEST_NORM:g}, or inf")
    return value


def _purse(value: str) -> str:
    if re.fullmatch(r"[\w.-]+(/[\w.-]+)?", value) is None:
        raise InputError(
            "purse", f"{value!r}", "write a name of letters, digits, . _ and -, or PURSE/ACCOUNT"
        )
    return value


class RunSection(Section):
    """What to score, with which judges, and for how much."""

    model_config = ConfigDict(json_schema_extra={"required": [*REQUIRED]})

    items: Items | None = None
    """The items to score: a file, or its path with a mapping of columns and a limit."""
    budget: Dollars | None = None
    """Dollars that this run's ledger may ever spend in total; it is never exceeded."""
    judges: list[JudgeSection] | None = Field(default=None, min_length=1)
    """The judges; a list of one or more."""
    scale: ScaleOrRange = ScaleSection(low=1, high=10, whole=True)
    """The scores that judges may give: `1..10`, `{low: 0, high: 1}` or `{labels: {...}}`."""
    labels: LabelsOrFile = LabelsSection()
    """People's labels of some items: a file, or its path with the scale that people used."""
    criteria: str | None = None
    """The criteria in words; the default asks for correct, complete and clear answers."""
    criteria_file: str | None = None
    """A file that holds the criteria, relative to the run file."""
    prompt: PromptSection = PromptSection()
    """The messages to judges, as templates."""
    strategy: StrategySection = PanelSection()
    """How the money is divided among items and judges."""
    norm: Annotated[float, Field(ge=1), AfterValidator(_norm), _NORM] = 2.0
    """The error to minimise: 1 the mean, 2 the mean squared, `inf` the largest error."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The confidence level of the intervals."""
    until: Texts = ()
    """End as soon as this gate, such as `width < 0.5`, or every gate of this list holds."""
    spend: Literal["needed", "all"] = "needed"
    """`needed`: end when twice the spend would gain under 5 % of the scale; `all`: spend it all."""
    seed: int = Field(default=0, ge=0)
    """Seed of every random choice of the run."""
    limits: LimitsSection = LimitsSection()
    """Rate and concurrency limits for judges without their own."""
    prices: PricesOrFile | None = None
    """Prices for judges without their own, usually a price map; default public prices."""
    keep_reasons: bool = True
    """Whether the ledger keeps the judges' texts for the report."""
    ask_again: int = Field(default=1, ge=0, le=1000)
    """How often a call is repeated if its answer has no score."""
    grace: float = Field(default=5.0, ge=0, le=86_400)
    """Seconds to wait for calls under way when the run is stopped."""
    patience: PatienceSection = PatienceSection()
    """Retries of a failing judge."""
    run: PlaceSection = PlaceSection()
    """Where calls are made: here, or on a Ray cluster with `{on: ray, address: auto}`."""
    title: str | None = None
    """Title of the report; default the name of the run file."""
    ledger: str | None = None
    """The ledger: a file (default `run.ledger.sqlite`), or `postgresql://host/database`."""
    purse: Annotated[str, AfterValidator(_purse)] | None = None
    """Shared purse to spend from, within `budget`: `team`, or `team/nightly` with an account."""
    output: str | None = None
    """Path of the report; default `run.report.html` beside the run file."""
