"""Reading a growing ledger again and again without reading all of it each time."""

from __future__ import annotations

from adjudge.store import Entries, State, View


class EntryReader:
    """Keeps the entries that can no longer change: all before the oldest call under way."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._final = Entries.none()
        self._since = 0

    def entries(self) -> Entries:
        """Every call that is or may be paid, oldest first, as of now."""
        whole = self._final.plus(self._view.entries(self._since))
        waiting = whole.call[whole.state == State.RESERVED]
        if waiting.size:
            self._since = int(waiting[0])
        elif len(whole):
            self._since = int(whole.call[-1]) + 1
        self._final = whole.where(slice(int(whole.call.searchsorted(self._since))))
        return whole
