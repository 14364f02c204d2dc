"""Reading a growing ledger again and again without reading all of it each time."""

from __future__ import annotations

from adjudge.store import Entries, State, View


class EntryReader:
    """Keeps the entries that have ended: all before the oldest call under way or still to come.

    Few of them change later; all are then read again.
    """

    def __init__(self, view: View) -> None:
        self._view = view
        self._final = Entries.none()
        self._since = 0
        self._amended = 0

    def entries(self) -> Entries:
        """Every call that is or may be paid, oldest first, as of now."""
        amended = self._view.amended()
        if amended != self._amended:
            self._amended, self._final, self._since = amended, Entries.none(), 0
        complete = self._view.complete_before()  # asked first: what is read next has all of those
        whole = self._final.plus(self._view.entries(self._since))
        waiting = whole.call[whole.state == State.RESERVED]
        if waiting.size:
            self._since = int(waiting[0])
        elif len(whole):
            self._since = int(whole.call[-1]) + 1
        self._since = min(self._since, complete)
        self._final = whole.where(slice(int(whole.call.searchsorted(self._since))))
        return whole
