"""The schema that editors use says what the loader takes."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from adjudge.config import json_schema
from adjudge.config.sample import LOCAL_RUN_FILE, SAMPLE_RUN_FILE

SCHEMA = json_schema()
TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
}


def fits(value: object, schema: dict[str, Any]) -> bool:
    """Whether the value conforms, by the words of JSON Schema that our schema uses."""
    if "$ref" in schema:
        return fits(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")])
    claims = [
        "anyOf" not in schema or any(fits(value, part) for part in schema["anyOf"]),
        "oneOf" not in schema or sum(fits(value, part) for part in schema["oneOf"]) == 1,
        "type" not in schema or is_of_type(value, schema["type"]),
        value in schema.get("enum", [value]),
        value == schema.get("const", value),
    ]
    if isinstance(value, str):
        claims.append(re.search(schema.get("pattern", ""), value) is not None)
    if isinstance(value, int | float):
        claims.append(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    if isinstance(value, list):
        claims += [fits(entry, schema.get("items", {})) for entry in value]
    if isinstance(value, dict):
        known = schema.get("properties", {})
        claims += [key in value for key in schema.get("required", [])]
        claims += [key in known for key in value if schema.get("additionalProperties") is False]
        claims += [fits(entry, known.get(key, {})) for key, entry in value.items()]
    return all(claims)


def is_of_type(value: object, name: str) -> bool:
    number = isinstance(value, bool) and name in {"number", "integer"}
    return isinstance(value, TYPES[name]) and not number


def described_fields(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from schema["properties"].items()
    for name, part in schema["$defs"].items():
        for key, field in part.get("properties", {}).items():
            yield f"{name}.{key}", field


def test_every_key_has_a_description():
    fields = dict(described_fields(SCHEMA))
    assert len(fields) > 80
    assert not [name for name, field in fields.items() if not field.get("description")]


def test_unknown_keys_are_refused_by_the_schema_too():
    for part in (SCHEMA, *SCHEMA["$defs"].values()):
        if "properties" in part:
            assert part["additionalProperties"] is False


def test_the_schema_is_json_and_says_what_is_required():
    assert json.loads(json.dumps(SCHEMA)) == SCHEMA
    assert SCHEMA["required"] == ["items", "budget", "judges"]
    assert SCHEMA["title"] == "adjudge run file"


@pytest.mark.parametrize("text", [SAMPLE_RUN_FILE, LOCAL_RUN_FILE], ids=["openai", "local"])
def test_the_samples_conform(text):
    assert fits(yaml.safe_load(text), SCHEMA)


JUDGE = {"model": "m", "prices": {"input": 1, "output": 2}}


@pytest.mark.parametrize(
    ("changes", "conforms"),
    [
        ({}, True),
        ({"items": {"path": "x", "fields": {"response": "answer"}}}, True),
        ({"items": 3}, False),
        ({"budget": -1}, False),
        ({"bugdet": 1}, False),
        ({"norm": "inf"}, True),
        ({"norm": "max"}, False),
        ({"strategy": "panel"}, True),
        ({"strategy": {"kind": "single", "judge": "m"}}, True),
        ({"strategy": {"kind": "single"}}, False),
        ({"scale": "1..10"}, True),
        ({"scale": {"labels": {"bad": 0, "good": 1}}}, True),
        ({"scale": "ten"}, False),
        ({"judges": ["gpt-4o-mini"]}, True),
        ({"judges": [{**JUDGE, "key": None, "limits": {"concurrency": 3}}]}, True),
        ({"judges": [{**JUDGE, "limits": {"concurrency": 0}}]}, False),
        ({"judges": [{"function": "a:b", "price_per_call": 1}]}, True),
        ({"judges": [{"kind": "simulated", "price_per_call": 1}]}, True),
        ({"judges": [{"kind": "other"}]}, False),
        ({"judges": JUDGE}, False),
    ],
)
def test_the_schema_tells_right_from_wrong(changes, conforms):
    values = {"items": "items.jsonl", "budget": 5, "judges": [JUDGE], **changes}
    assert fits(values, SCHEMA) is conforms
