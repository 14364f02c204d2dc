"""Loads the worlds of this checkout, even if another checkout's strategies are measured.

With `PYTHONPATH` set to the `src` of another checkout, strategies, estimates and group means come
from there. Its families may be older or missing, so `adjudge.worlds` is loaded from here. This
module must be imported before `adjudge`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

NAME = "adjudge.worlds"
HERE = Path(__file__).resolve().parents[1] / "src" / "adjudge"


class OwnWorlds:
    """A module finder for one package."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of `adjudge.worlds`; its modules are found by its own path."""
        if name != NAME:
            return None
        folder = HERE / "worlds"
        return spec_from_file_location(
            NAME, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )


def measured() -> Path:
    """Path of the package whose strategies are measured."""
    spec = find_spec("adjudge")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).resolve().parent


if measured() != HERE and NAME not in sys.modules:
    sys.meta_path.insert(0, OwnWorlds)
