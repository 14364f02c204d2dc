"""Every key of a run file as Markdown; `docs/configuration.md` contains this output."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from pydantic.fields import FieldInfo

from adjudge.config.environment import VARIABLES
from adjudge.config.judge_sections import FunctionSection, ModelSection, SimulatedSection
from adjudge.config.mistakes import dotted
from adjudge.config.run_section import RunSection
from adjudge.config.section import Section
from adjudge.config.sections import (
    FieldsSection,
    ItemsSection,
    LabelsSection,
    LimitsSection,
    LongContextSection,
    PatienceSection,
    PricesSection,
    PromptSection,
    ScaleSection,
)
from adjudge.config.strategy_sections import (
    CyclicSection,
    EstIvweSection,
    PanelSection,
    RobinHoodSection,
    SingleSection,
    UniformSection,
)

_SECTIONS: dict[str, type[Section]] = {
    "The run": RunSection,
    "`items`": ItemsSection,
    "`items.fields`": FieldsSection,
    "`scale`": ScaleSection,
    "`labels`": LabelsSection,
    "`prompt`": PromptSection,
    "`judges`: a model": ModelSection,
    "`judges`: a function": FunctionSection,
    "`judges`: a simulated judge": SimulatedSection,
    "`prices`": PricesSection,
    "`prices.long_context`": LongContextSection,
    "`limits`": LimitsSection,
    "`patience`": PatienceSection,
    "`strategy: panel`": PanelSection,
    "`strategy: uniform`": UniformSection,
    "`strategy: cyclic`": CyclicSection,
    "`strategy: single`": SingleSection,
    "`strategy: est_ivwe`": EstIvweSection,
    "`strategy: robin_hood`": RobinHoodSection,
}


def reference() -> str:
    """A table of keys for every part of a run file, and a table of the overriding variables."""
    parts = [_table(title, section) for title, section in _SECTIONS.items()]
    return "\n".join([*parts, _variables()])


def _table(title: str, section: type[Section]) -> str:
    lines = [f"### {title}", "", section.__doc__ or "", "", "| key | default | meaning |"]
    lines += ["|---|---|---|", *_rows(section), ""]
    return "\n".join(lines)


def _rows(section: type[Section]) -> Iterator[str]:
    extra = section.model_config.get("json_schema_extra")
    needed = extra.get("required") if isinstance(extra, dict) else None
    # A section's own keys come first, then the inherited ones.
    ordered = sorted(
        section.model_fields.items(), key=lambda f: f[0] not in section.__annotations__
    )
    for key, field in ordered:
        required = field.is_required() or (isinstance(needed, list) and key in needed)
        default = "required" if required else _default(field)
        yield f"| `{key}` | {default} | {field.description} |"


def _default(field: FieldInfo) -> str:
    value = field.default
    if isinstance(value, ScaleSection):
        return "`1..10`"
    if isinstance(value, PanelSection):
        return "`panel`"
    if value is None or isinstance(value, Section) or value in ({}, ""):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, Enum):
        return f"`{value.value}`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


def _variables() -> str:
    rows = [f"| `{name}` | `{dotted(path)}` |" for name, path in VARIABLES.items()]
    return "\n".join(["### Variables", "", "| variable | sets |", "|---|---|", *rows, ""])


if __name__ == "__main__":
    print(reference())
