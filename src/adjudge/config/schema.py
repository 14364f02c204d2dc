"""The JSON schema of run files, for editors."""

from __future__ import annotations

from typing import Any

from adjudge.config.run_section import REQUIRED, RunSection


def json_schema() -> dict[str, Any]:
    """The schema of a run file, with a description of every key (JSON Schema 2020-12)."""
    schema = _without_titles(RunSection.model_json_schema())
    for key in REQUIRED:
        # Required only in the schema: the file may omit a key that is overridden elsewhere.
        described = schema["properties"][key]
        del described["default"]
        described["anyOf"].remove({"type": "null"})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "adjudge run file",
        **schema,
    }


def _without_titles(schema: Any) -> Any:
    """The schema without titles, which only repeat its keys in capitals."""
    if isinstance(schema, list):
        return [_without_titles(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: _without_titles(part)
        for key, part in schema.items()
        if not (key == "title" and isinstance(part, str))
    }
