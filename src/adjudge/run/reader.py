"""Repeated reading of a growing ledger, without reading all of it each time."""

from __future__ import annotations

from adjudge.store import Entries, State, View


class EntryReader:
    """Caches the entries before the oldest call under way, which rarely change.

    If one of them does change, all are read again.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._final = Entries.none()
        self._since = 0
        self._amended = 0

    def entries(self) -> Entries:
        """Every call that is paid or may still be, oldest first, as of now."""
        amended = self._view.amended()
        if amended != self._amended:
            self._amended, self._final, self._since = amended, Entries.none(), 0
        complete = self._view.complete_before()  # before the read, which then has all these calls
        whole = self._final.plus(self._view.entries(self._since))
        waiting = whole.call[whole.state == State.RESERVED]
        if waiting.size:
            self._since = int(waiting[0])
        elif len(whole):
            self._since = int(whole.call[-1]) + 1
        self._since = min(self._since, complete)
        self._final = whole.where(slice(int(whole.call.searchsorted(self._since))))
        return whole
