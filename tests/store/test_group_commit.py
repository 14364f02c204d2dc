import asyncio

import pytest

from adjudge.errors import StoreError
from adjudge.records import Cost, Reason
from adjudge.store import Denial, GroupCommit, NoteKind, Reservation, Settlement, SqliteStore, State


@pytest.fixture
def store(tmp_path):
    opened = SqliteStore.open(tmp_path / "ledger.db", budget=1000)
    yield opened
    opened.close()


def test_calls_that_wait_together_share_a_commit(store):
    commits = []

    class Counting:
        balance = store.balance

        def commit(self, settlements, reservations):
            commits.append(len(reservations))
            return store.commit(settlements, reservations)

    async def many():
        ledger = GroupCommit(Counting())
        granted = await asyncio.gather(
            *(ledger.reserve(Reservation(n, 1, 0, 0, 1)) for n in range(100))
        )
        await ledger.close()
        return granted

    granted = asyncio.run(many())
    assert len(set(granted)) == 100
    assert len(commits) <= 2


def test_a_settlement_is_told_only_once_it_is_on_disk(store):
    on_disk = []

    async def one():
        def told(settlements):
            on_disk.append((len(settlements), store.balance().spent))

        ledger = GroupCommit(store)
        ledger.listeners.append(told)
        call = await ledger.reserve(Reservation(1, 1, 0, 0, 100))
        assert ledger.outstanding == 1
        ledger.settle(Settlement(call, State.SETTLED, cost=Cost(input=40), score=1.0))
        await ledger.flush()
        assert ledger.outstanding == 0
        assert ledger.balance == store.balance()
        await ledger.close()

    asyncio.run(one())
    assert on_disk == [(1, 40)]


def test_money_that_is_freed_wakes_those_who_wait_for_it(store):
    async def two():
        ledger = GroupCommit(store)
        call = await ledger.reserve(Reservation(1, 1, 0, 0, 900))
        assert await ledger.reserve(Reservation(2, 1, 0, 0, 900)) is Denial.NO_FUNDS
        waiting = asyncio.create_task(ledger.money_freed())
        await asyncio.sleep(0)
        ledger.settle(Settlement(call, State.REFUSED, Reason.BUSY))
        await waiting
        assert isinstance(await ledger.reserve(Reservation(2, 1, 0, 0, 900)), int)
        await ledger.close()

    asyncio.run(two())


def test_a_reservation_that_is_given_up_is_given_back(store):
    async def one():
        ledger = GroupCommit(store)
        ledger.reserve(Reservation(1, 1, 0, 0, 900)).cancel()
        await ledger.flush()
        await ledger.close()

    asyncio.run(one())
    assert store.balance().remaining == 1000


@pytest.mark.parametrize("failure", [StoreError("disk full"), RuntimeError("full of surprises")])
def test_after_a_failure_nothing_more_is_written_and_everyone_is_told(failure):
    class Full:
        def commit(self, settlements, reservations):
            raise failure

    async def failing():
        ledger = GroupCommit(Full())
        for _ in range(2):
            with pytest.raises(StoreError, match="full"):
                await ledger.reserve(Reservation(1, 1, 0, 0, 1))
        ledger.settle(Settlement(1, State.REFUSED))
        with pytest.raises(StoreError, match="full"):
            await ledger.flush()
        await ledger.close()

    asyncio.run(failing())


def test_a_judge_that_was_switched_off_is_noted_with_the_next_commit(store):
    (ann,) = store.numbers_of_judges([("ann", b"j")])

    async def one():
        ledger = GroupCommit(store)
        ledger.note(int(ann), "HTTP 401", NoteKind.SWITCHED_OFF)
        await ledger.flush()
        await ledger.close()

    asyncio.run(one())
    (note,) = store.notes()
    assert (note.kind, note.judge, note.text) == (NoteKind.SWITCHED_OFF, "ann", "HTTP 401")
