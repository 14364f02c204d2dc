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
"""Powers beyond it overflow, and mean what inf means."""
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
    """What to score, by whom, and for how much."""

    model_config = ConfigDict(json_schema_extra={"required": [*REQUIRED]})

    items: Items | None = None
    """What is to be scored: a file, or its path with a mapping of columns and a limit."""
    budget: Dollars | None = None
    """Dollars for everything that this run's ledger ever spends; it is never exceeded."""
    judges: list[JudgeSection] | None = Field(default=None, min_length=1)
    """The judges; a list of one or more."""
    scale: ScaleOrRange = ScaleSection(low=1, high=10, whole=True)
    """The scores that judges may give, as `1..10`, `{low: 0, high: 1}` or `{labels: {...}}`."""
    labels: LabelsOrFile = LabelsSection()
    """What people say of some items: a file, or its path with the scale that people were given."""
    criteria: str | None = None
    """The criteria, in words; the default asks for correct, complete and clear answers."""
    criteria_file: str | None = None
    """A file that holds the criteria, relative to the run file."""
    prompt: PromptSection = PromptSection()
    """What judges are told, as templates."""
    strategy: StrategySection = PanelSection()
    """How the money is spread over items and judges."""
    norm: Annotated[float, Field(ge=1), AfterValidator(_norm), _NORM] = 2.0
    """The error to minimise: 1 the mean error, 2 the mean squared error, inf the largest error."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the intervals."""
    until: Texts = ()
    """End as soon as this holds: a gate, as `width < 0.5`, or a list of them that all hold."""
    spend: Literal["needed", "all"] = "needed"
    """`needed` ends when doubling the spend would gain less than 5 % of the scale; `all` does
    not."""
    seed: int = Field(default=0, ge=0)
    """Seed of every random choice of the run."""
    limits: LimitsSection = LimitsSection()
    """Rate and concurrency limits of judges that have none of their own."""
    prices: PricesOrFile | None = None
    """Prices for judges that give none themselves, usually a price map; else public ones."""
    keep_reasons: bool = True
    """Whether the ledger keeps what judges wrote, for the report."""
    ask_again: int = Field(default=1, ge=0, le=1000)
    """How often a call whose answer has no score is followed by another about the same."""
    grace: float = Field(default=5.0, ge=0, le=86_400)
    """Seconds that calls under way are waited for when the run is told to stop."""
    patience: PatienceSection = PatienceSection()
    """How often and how patiently a judge that does not work is tried again."""
    run: PlaceSection = PlaceSection()
    """Where calls are made: here, or as `{on: ray, address: auto}` on a Ray cluster."""
    title: str | None = None
    """What the report is called; else the name of the run file."""
    ledger: str | None = None
    """Where every call is kept: a file, else `run.ledger.sqlite`, or `postgresql://host/database`."""
    purse: Annotated[str, AfterValidator(_purse)] | None = None
    """The shared purse to spend from, within `budget`, by this file's name or as `team/nightly`."""
    output: str | None = None
    """Where the report goes; else beside the run file, as `run.report.html`."""
