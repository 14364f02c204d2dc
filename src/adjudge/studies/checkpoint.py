"""Finished runs on disk, so that an interrupted experiment can resume."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from adjudge.errors import InputError
from adjudge.studies.points import Unit, from_json, to_json
from adjudge.studies.study import Study
from adjudge.version import __version__

FOLDER = "finished-runs"
"""Subfolder of the results directory that holds finished runs."""
_FORMAT = 1
"""Version of the file format; increased when the meaning of a stored run changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The finished runs of one experiment with one set of settings, as JSON lines."""

    path: Path

    @classmethod
    def of(cls, study: Study, directory: Path) -> Checkpoint:
        """The file of a study; its name changes with settings, version and data set."""
        settings = {
            "format": _FORMAT,
            "version": __version__,
            "strategies": study.strategies,
            "norms": [str(norm) for norm in study.norms],
            **study.settings(),
        }
        text = json.dumps(settings, sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()[:12]
        return cls(path=directory / FOLDER / f"{study.name}-{key}.jsonl")

    def finished(self, runs: Iterable[int]) -> dict[int, Unit]:
        """The stored runs among these; truncated lines are skipped."""
        wanted = set(runs)
        units: dict[int, Unit] = {}
        if not self.path.is_file():
            return units
        with self.path.open(encoding="utf-8") as lines:
            for line in lines:
                try:
                    unit = from_json(json.loads(line))
                except (ValueError, KeyError, TypeError):
                    continue
                if unit.run in wanted:
                    units[unit.run] = unit
        return units

    def add(self, unit: Unit) -> None:
        """Append a finished run; it is on disk when this returns."""
        # End a line truncated by a crash first, so that the new line is not joined to it.
        text = json.dumps(to_json(unit)) + "\n"
        cut_off = self._ends_within_a_line()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\n" + text if cut_off else text)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise unwritable(self.path.parent, error) from error

    def _ends_within_a_line(self) -> bool:
        if not self.path.is_file() or self.path.stat().st_size == 0:
            return False
        with self.path.open("rb") as file:
            file.seek(-1, os.SEEK_END)
            return file.read(1) != b"\n"


def unwritable(path: Path, error: OSError) -> InputError:
    """The error for a path that cannot be written."""
    return InputError(
        "output", f"{path} cannot be written ({error.strerror})", "give another directory"
    )
