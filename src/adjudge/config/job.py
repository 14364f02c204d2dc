"""The job that lets another machine take part in a run: run file, files that it names, and items.

It holds nothing of the environment: the machine that makes the calls supplies its own API keys and
the code of judges that are functions.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, MutableMapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from adjudge.config.environment import Override
from adjudge.config.load import effective_values, run_file_of
from adjudge.config.run_file import RunFile
from adjudge.errors import InputError
from adjudge.records import Item
from adjudge.run import Plan, identity_of
from adjudge.store import PostgresAddress

_FILES = (
    ("criteria_file",),
    ("prompt", "system_file"),
    ("prompt", "user_file"),
    ("prices", "file"),
)
"""Keys of the run, or of a judge, that name a file; the job holds its content."""

_OWN = ("id", "response", "prompt", "reference", "group")
"""The fields of every item."""


def packed_job(
    file: RunFile,
    items: Sequence[Item],
    *,
    overrides: Sequence[Override],
    environment: MutableMapping[str, str],
) -> bytes:
    """The job as bytes for the ledger, for other machines."""
    assert isinstance(file.ledger, PostgresAddress)
    values = effective_values(file.path, overrides=overrides, environment=environment)
    values["items"], values["output"] = "-", "unused.html"
    values["ledger"] = file.ledger.url
    if file.ledger.purse:
        values["purse"] = f"{file.ledger.purse}/{file.ledger.account}"
    files = dict(_inlined(values, file.path.parent))
    rows = [
        {**{name: getattr(item, name) for name in _OWN}, "metadata": dict(item.metadata)}
        for item in items
    ]
    content = {"name": file.path.name, "values": values, "files": files, "items": rows}
    return zlib.compress(json.dumps(content, default=str).encode())


def unpacked_plan(run: str, job: bytes) -> tuple[RunFile, Plan]:
    """The run file and plan that another machine has published."""
    content: dict[str, Any] = json.loads(zlib.decompress(job))
    with TemporaryDirectory() as folder:
        for name, text in content["files"].items():
            (Path(folder) / Path(name).name).write_text(text, encoding="utf-8")
        file = run_file_of(content["values"], name=content["name"], folder=Path(folder))
    items = [
        Item(**{**row, "metadata": MappingProxyType(row["metadata"])}) for row in content["items"]
    ]
    plan = file.plan(items)
    if identity_of(plan) != run:
        raise InputError(
            "run",
            "its items or judges are not the same on this machine",
            "install the same adjudge, and the same modules of judges that are functions",
        )
    return file, plan


def _inlined(values: dict[str, Any], folder: Path) -> Iterator[tuple[str, str]]:
    """Name and content of every file that the values name; changes the values to these names."""
    judges = [judge for judge in values.get("judges") or [] if isinstance(judge, dict)]
    number = 0
    for section in (values, *judges):
        if isinstance(section.get("prices"), str):
            section["prices"] = {"file": section["prices"]}
        for *above, key in _FILES:
            part = section.get(above[0]) if above else section
            if isinstance(part, dict) and isinstance(part.get(key), str):
                number += 1
                name = f"{number}-{Path(part[key]).name}"
                yield name, (folder / part[key]).read_text(encoding="utf-8-sig")
                part[key] = name
