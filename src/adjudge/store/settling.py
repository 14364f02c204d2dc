"""Effects of settlements on the purse: pure arithmetic on rows."""

from __future__ import annotations

from collections.abc import Sequence

from adjudge.records import Money
from adjudge.store.checksum import storable, text_sum
from adjudge.store.entries import State
from adjudge.store.purse import Purse
from adjudge.store.rows import Row
from adjudge.store.store import Settlement

_RESERVED, _REFUSED = State.RESERVED.value, State.REFUSED
LARGEST_DEBT = 2**62
"""Limit of the total debt, so that it fits a column; no budget could cover more anyway."""


def charged_rows(
    purse: Purse, before: Sequence[Row], settlements: Sequence[Settlement]
) -> tuple[Purse, list[Row]]:
    """The purse and the rows after these calls have ended, before any debts are paid.

    Each call is charged at most its reservation; a claim above that is a debt, for `pay_debts`.
    """
    spent, reserved, debt = purse.spent, purse.reserved, purse.debt
    after = []
    for row, ended in zip(before, settlements, strict=True):
        amount = row[13]  # by index for speed: this runs for every call
        if row[6] == _RESERVED:
            reserved -= amount
        else:  # another process presumed it billed and charged it
            spent -= row.charged
        charged = excess = 0
        if ended.state is not _REFUSED:
            cost = ended.cost
            charged = amount if cost is None else cost.input + cost.output
            if charged > amount:
                charged, excess = amount, min(charged - amount, LARGEST_DEBT - debt)
        spent += charged
        debt += excess
        after.append(_ended(row, ended, charged, excess))
    return purse._replace(spent=spent, reserved=reserved, debt=debt), after


def pay_debts(purse: Purse, rows: Sequence[Row]) -> tuple[Purse, list[Row]]:
    """The purse and the rows after free money has paid their debts, in the order of the rows."""
    free, paid = purse.free, 0
    if not purse.debt or not free:
        return purse, list(rows)
    after = []
    for row in rows:
        owed = row.excess or 0
        part = min(owed, free - paid)
        paid += part
        after.append(
            row._replace(charged=row.charged + part, excess=owed - part or None) if part else row
        )
    return purse._replace(spent=purse.spent + paid, debt=purse.debt - paid), after


def _ended(row: Row, ended: Settlement, charged: Money, excess: Money) -> Row:
    (
        number, one, item, judge, phase, ordinal, _, _, _, _, _, other, owner, reserved,
        _, _, _, _, _, at, _, _,
    ) = row  # fmt: skip
    _, state, reason, cost, score, prompt, cached, output, text, written, detail = ended
    columns = (
        number,
        one,
        item,
        judge,
        phase,
        None if state is _REFUSED else ordinal,
        int(state),
        reason,
        charged,
        None if cost is None else min(cost.output, charged + excess),
        score,
        other,
        owner,
        reserved,
        excess or None,
        prompt,
        cached,
        written,
        output,
        at,
        None if text is None else text_sum(storable(text)),
        None if detail is None else storable(detail),
    )
    return tuple.__new__(Row, columns)
