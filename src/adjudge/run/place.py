"""Where a run's calls are made, if not in its own process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from adjudge.judges import Judge


class Place(Protocol):
    """Makes calls elsewhere; the ledger stays in the process of the run."""

    def carried(self, judges: Sequence[Judge]) -> Sequence[Judge]:
        """Judges with the same names and identities, whose calls are made there."""
        ...
