"""A ledger with some of everything, and all that can be read in it."""

from __future__ import annotations

import random
from pathlib import Path

from adjudge.records import Cost, Reason
from adjudge.store import NoteKind, Reservation, Settlement, SqliteStore, State, View

ITEMS = [(f"item-{k}", bytes([k]) * 16) for k in range(8)]
JUDGES = [("ann", b"a" * 16), ("bob", b"b" * 16)]


def make_ledger(path: Path, *, budget: int = 10**6) -> SqliteStore:
    """Calls settled with and without text, refused, lost, overclaimed; notes."""
    chance = random.Random(1)
    store = SqliteStore.open(path, budget=budget, now=lambda: 1_700_000_000.0)
    items, judges = store.numbers_of_items(ITEMS), store.numbers_of_judges(JUDGES)
    store.note(None, "a run began", kind=NoteKind.BEGUN, run="r")
    wanted = [
        Reservation(item, judge, 0, ordinal, 300)
        for item in items.tolist()
        for judge in judges.tolist()
        for ordinal in range(3)
    ]
    endings = []
    for call in store.commit([], wanted):
        kind = chance.random()
        if kind < 0.1:
            endings.append(Settlement(call, State.REFUSED, Reason.REJECTED, detail="HTTP 400"))
        elif kind < 0.2:
            endings.append(Settlement(call, State.PRESUMED, Reason.TIMED_OUT))
        else:
            cost = Cost(input=100, output=chance.randrange(250))
            text = "because" if kind < 0.6 else None
            score = float(chance.randrange(1, 11))
            endings.append(
                Settlement(call, State.SETTLED, None, cost, score, 90, 0, 9, text, None, None)
            )
    store.commit(endings, [])
    store.note(int(judges[0]), "HTTP 401", kind=NoteKind.SWITCHED_OFF)
    store.note(None, "DONE: nothing was left to ask", kind=NoteKind.ENDED, run="r")
    return store


def everything(view: View) -> str:
    """All that a reader can learn, as text; the view is closed."""
    try:
        entries = view.entries()
        parts = [
            {name: getattr(entries, name).tolist() for name in entries.__slots__},
            sorted((judge, reason.name, n) for (judge, reason), n in view.refusals().items()),
            view.rejected().tolist(),
            view.presumed(),
            view.overcharged(),
            view.notes(),
            list(view.calls()),
            list(view.calls([1, 3])),
            view.balance(),
            view.salt(),
            view.find_items(ITEMS).tolist(),
            view.find_judges(JUDGES).tolist(),
        ]
        return repr(parts)
    finally:
        view.close()
