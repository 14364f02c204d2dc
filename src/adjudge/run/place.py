"""Where a run's calls are made, if not in its own process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from adjudge.judges import Judge


class Place(Protocol):
    """Makes calls elsewhere; the ledger stays with the process that runs."""

    def carried(self, judges: Sequence[Judge]) -> Sequence[Judge]:
        """The same judges, by name and identity, whose calls are made there."""
        ...
