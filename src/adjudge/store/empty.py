"""The view of a ledger that does not exist yet."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from adjudge.core.arrays import IntArray
from adjudge.records import Reason
from adjudge.store.entries import Balance, CallRecord, CallRow, Entries, Note, UnderWay
from adjudge.store.store import UNKNOWN


class EmptyView:
    """A ledger without entries; see `View`."""

    def find_items(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """No item is known."""
        return np.full(len(keys), UNKNOWN, np.int64)

    def find_judges(self, keys: Sequence[tuple[str, bytes]]) -> IntArray:
        """No judge is known."""
        return np.full(len(keys), UNKNOWN, np.int64)

    def balance(self) -> Balance:
        """No money."""
        return Balance(budget=0, spent=0, reserved=0)

    def amended(self) -> int:
        """No changes."""
        return 0

    def salt(self) -> bytes:
        """No salt."""
        return b""

    def entries(self, since: int = 0) -> Entries:
        """No calls."""
        return Entries.none()

    def complete_before(self) -> int:
        """0: calls of any number may still be added."""
        return 0

    def refusals(self) -> Mapping[tuple[int, Reason], int]:
        """No refusals."""
        return {}

    def rejected(self) -> IntArray:
        """No rejected pairs."""
        return np.zeros((0, 2), np.int64)

    def complaints(self) -> Mapping[int, CallRow]:
        """No calls without a score."""
        return {}

    def presumed(self) -> list[CallRecord]:
        """No calls presumed billed."""
        return []

    def overcharged(self) -> list[CallRecord]:
        """No overcharged calls."""
        return []

    def notes(self) -> list[Note]:
        """No notes."""
        return []

    def under_way(self) -> UnderWay:
        """No processes and no calls."""
        return UnderWay()

    def calls(self, items: Collection[int] | None = None) -> Iterator[CallRow]:
        """No calls."""
        return iter(())

    def close(self) -> None:
        """Do nothing."""
