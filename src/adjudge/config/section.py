"""The base of every part of a run file."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, GetJsonSchemaHandler, WithJsonSchema
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from adjudge.records import nano_dollars


class Section(BaseModel):
    """A mapping of a run file; unknown keys are refused."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        coerce_numbers_to_str=True,
        hide_input_in_errors=True,
        validate_default=False,
    )


@dataclass(frozen=True, slots=True, eq=False)
class OrElse:
    """Adds an alternative to the mapping to the JSON schema, such as a plain text."""

    schema: dict[str, Any]

    def __get_pydantic_json_schema__(
        self, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {"anyOf": [self.schema, handler(core_schema)]}


def _amount(value: object) -> object:
    if isinstance(value, str):
        value = value.strip().removeprefix("$")
    if isinstance(value, str | int | float | Decimal):
        nano_dollars(str(value), of="amount")
        return Decimal(str(value))
    return value


Dollars = Annotated[
    Decimal,
    BeforeValidator(_amount),
    WithJsonSchema({"anyOf": [{"type": "number", "minimum": 0}, {"type": "string"}]}),
]
"""An amount of money, exact."""


def _several(value: object) -> object:
    return (value,) if isinstance(value, str) else value


Texts = Annotated[
    tuple[str, ...],
    BeforeValidator(_several),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
"""A text, or a list of them."""
