"""What a shared ledger keeps while servers, networks and processes fail."""

import os
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from tests.postgres import Server
from tests.proxy import Proxy

from adjudge.errors import InputError, StoreError
from adjudge.records import Cost, Reason
from adjudge.run.reader import EntryReader
from adjudge.store import (
    Denial,
    PostgresAddress,
    Reservation,
    Settlement,
    State,
    UnderWay,
    look,
)
from adjudge.store.postgres.store import PostgresStore
from adjudge.store.postgres.upkeep import check_shared, purse_report, set_purse

_SRC = str(Path(__file__).parents[2] / "src")


@pytest.fixture
def address(postgres) -> PostgresAddress:
    return PostgresAddress.of(postgres)


def opened(address, budget=1000, **options):
    return closing(PostgresStore.open(address, budget=budget, **options))


def wanted(count, *, item=1, amount=100, first=0):
    return [Reservation(item, 1, 0, first + n, amount) for n in range(count)]


def settled(call, cost=10, score=0.5):
    return Settlement(call, State.SETTLED, None, Cost(input=cost), score)


def elsewhere(code: str, address: PostgresAddress) -> str:
    """What this code prints in another process; `store` is the ledger, opened there."""
    program = (
        "import os, sys; from adjudge.store import *\n"
        "store = open_store_at(PostgresAddress.of(sys.argv[1]), budget=1000)\n"
        f"{code}\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, address.url],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYTHONPATH": _SRC},
    )
    return run.stdout.strip()


def execute(address, *statements):
    with psycopg.connect(address.url, autocommit=True) as connection:
        connection.execute("SET search_path = adjudge")
        for statement in statements:
            connection.execute(statement)


def disconnect(address):
    """As when a connection dies: the server ends the session, and the process is not told."""
    execute(
        address,
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )


def test_a_killed_process_leaves_its_calls_presumed_and_the_rest_of_its_lease(address):
    with opened(address) as store:
        reserve = (
            "calls = store.commit([], [Reservation(1, 1, 0, n, 100) for n in range(3)])\n"
            "store.commit([Settlement(calls[0], State.REFUSED)], [])\n"
            "print(store.balance().reserved, flush=True); os.kill(os.getpid(), 9)"
        )
        assert elsewhere(reserve, address) == "200"
        while not (lost := store.presume_dead()):
            time.sleep(0.01)  # until the server has noticed that the connection is gone
        assert lost == 2
        assert (store.balance().spent, store.balance().remaining) == (200, 800)
        granted = store.commit([], wanted(9, item=2))
        assert [isinstance(call, int) for call in granted] == [True] * 8 + [False]


def test_a_process_that_lives_is_seen_at_work_and_a_dead_one_is_not(address):
    with opened(address) as store:
        (call,) = store.commit([], wanted(1))
        with closing(look(address)) as view:
            assert view.under_way() == UnderWay(processes=1, calls=1)
        elsewhere("store.commit([], [Reservation(2, 1, 0, 0, 1)]); os._exit(0)", address)
        with closing(look(address)) as view:
            assert view.under_way() == UnderWay(processes=1, calls=1, abandoned=1)
        store.commit([settled(call)], [])


def test_money_that_lies_idle_in_a_lease_is_there_for_whoever_needs_it(address):
    with opened(address) as idle, opened(address) as other:
        calls = idle.commit([], wanted(4))
        idle.commit([settled(call, 0) for call in calls], [])
        granted = other.commit([], [Reservation(9, 1, 0, 0, 1000)])
        assert isinstance(granted[0], int)
        assert idle.commit([], wanted(1, item=2, amount=1)) == [Denial.NO_FUNDS]


def test_the_database_itself_refuses_to_overspend(address):
    with opened(address) as store:
        store.commit([], wanted(5))
        for change in ("purse SET spent = 600", "purse SET budget = 400", "lease SET amount = 499"):
            with pytest.raises(psycopg.errors.CheckViolation):
                execute(address, f"UPDATE {change}")


def test_a_process_taken_for_dead_settles_its_calls_at_their_cost_and_says_so(address):
    with opened(address) as sleeper, opened(address) as other:
        calls = sleeper.commit([], wanted(3))
        disconnect(address)
        assert other.presume_dead() == 3
        assert other.balance().spent == 300
        # The lease is given away, and the sleeper wakes up with an answer.
        (more,) = sleeper.commit([settled(calls[0], 30)], [Reservation(2, 1, 0, 0, 50)])
        assert isinstance(more, int)
        assert (sleeper.balance().spent, sleeper.balance().reserved) == (230, 50)
        sleeper.commit([Settlement(calls[1], State.REFUSED, Reason.WITHDRAWN)], [])
        assert sleeper.balance().spent == 130
        assert other.presume_dead() == 0, "it is seen to live again"
        (note,) = other.notes()
        assert "presumed dead; its 3 calls" in note.text
        reasons = [call.reason for call in other.calls() if call.state is State.PRESUMED]
        assert reasons == [Reason.CRASHED]
    assert check_shared(address)[1] == []


def test_a_lost_connection_is_made_again_and_nobody_is_taken_for_dead(address):
    with opened(address) as store, opened(address) as other:
        (call,) = store.commit([], wanted(1))
        disconnect(address)
        (second,) = store.commit([settled(call)], wanted(1, item=2))
        assert other.presume_dead() == 0
        store.commit([settled(second)], [])
        assert other.balance().spent == 20
        assert other.notes() == []


def test_a_server_that_crashes_and_comes_back_has_lost_nothing_and_nobody(tmp_path):
    server = Server()
    try:
        address = PostgresAddress.of(server.url("postgres"))
        with opened(address) as store, opened(address) as other:
            calls = store.commit([], wanted(5))
            store.commit([settled(calls[0])], [])
            server.crash()
            back = threading.Timer(0.3, server.start)
            back.start()
            (more,) = store.commit([settled(call) for call in calls[1:3]], wanted(1, item=2))
            back.join()
            assert other.presume_dead() == 0, (
                "it may come back: the server was away, not the process"
            )
            assert (other.balance().spent, other.balance().reserved) == (30, 300)
            store.commit([settled(call) for call in (*calls[3:], more)], [])
        assert check_shared(address) == (6, [])
    finally:
        server.remove()


@pytest.mark.parametrize(
    ("request_", "growth"),
    [(b"\0_pg3_", 1), (b"COMMIT", 20)],  # a statement that was prepared; a transaction's end
    ids=["within the lease", "with more money from the purse"],
)
def test_a_commit_whose_answer_is_lost_on_the_way_is_made_once(address, request_, growth):
    port = int(address.url.rsplit(":", 1)[1].split("/")[0])
    proxy = Proxy(port)
    there = PostgresAddress.of(address.url.replace(f":{port}/", f":{proxy.port}/"))
    try:
        with opened(there, budget=10**12) as store:
            calls = store.commit([], wanted(2))
            for number in range(5):
                proxy.lose_the_answer_to(request_)
                amount = 100 * growth ** (number + 1)
                more = wanted(2, item=2, first=2 * number, amount=amount)
                calls = store.commit([settled(call) for call in calls], more)
                assert [type(call) for call in calls] == [int, int]
            assert proxy.lost == 5
            assert (store.balance().spent, store.balance().reserved) == (100, 2 * amount)
            assert len(store.entries()) == 12
    finally:
        proxy.close()


def test_a_network_that_is_cut_is_waited_for_and_then_given_up_with_one_sentence(address):
    port = int(address.url.rsplit(":", 1)[1].split("/")[0])
    proxy = Proxy(port)
    there = PostgresAddress.of(address.url.replace(f":{port}/", f":{proxy.port}/"))
    try:
        with opened(there, patience=0.5) as store:
            (call,) = store.commit([], wanted(1))
            proxy.cut()
            back = threading.Timer(0.2, proxy.mend)
            back.start()
            (following,) = store.commit([settled(call)], wanted(1, item=2))
            back.join()
            proxy.cut()
            with pytest.raises(StoreError, match=r"could not be written for 0 s.*adjudge run"):
                store.commit([settled(following)], [])
    finally:
        proxy.close()
    with opened(address) as later:
        assert later.balance().spent == 10 + 100, "settled once, and presumed billed once"


@pytest.fixture
def far(address, other_host):
    """The ledger, and this test on another host."""
    if other_host is None:
        pytest.skip("no other host: network namespaces need root and iproute2")
    with other_host.inside():
        yield PostgresAddress.of(address.url.replace("127.0.0.1", other_host.here))
    other_host.mend()


def test_a_cable_that_is_pulled_for_a_moment_loses_nothing(far, other_host):
    with opened(far) as store:
        (call,) = store.commit([], wanted(1))
        other_host.cut()
        back = threading.Timer(0.3, other_host.mend)
        back.start()
        (following,) = store.commit([settled(call)], wanted(1, item=2))
        back.join()
        store.commit([settled(following)], [])
        assert (store.balance().spent, store.balance().reserved) == (20, 0)
        assert store.notes() == []
    assert check_shared(far) == (2, [])


def test_a_network_that_loses_packets_loses_no_commit(far, other_host):
    done = threading.Event()

    def lose():
        while not done.wait(0.02):
            other_host.cut()
            other_host.mend()

    with opened(far, budget=10**6) as store:
        losing = threading.Thread(target=lose)
        losing.start()
        try:
            calls = []
            for number in range(20):
                calls = store.commit([settled(call) for call in calls], wanted(3, first=3 * number))
            store.commit([settled(call) for call in calls], [])
        finally:
            done.set()
            losing.join()
        assert (store.balance().spent, store.balance().reserved) == (600, 0)
    assert check_shared(far) == (60, [])


_FAILING = """
CREATE SEQUENCE attempts;
CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
IF nextval('adjudge.attempts') <= {times} THEN
RAISE EXCEPTION 'no room' USING ERRCODE = '{code}'; END IF; RETURN NEW; END $$;
CREATE TRIGGER failing BEFORE INSERT OR UPDATE ON call FOR EACH ROW EXECUTE FUNCTION fail();
"""


@pytest.mark.parametrize("code", ["40001", "40P01", "57014", "53100"])
def test_a_transaction_that_is_undone_by_the_server_is_made_again(address, code):
    with opened(address) as store:
        (call,) = store.commit([], wanted(1))
        execute(address, _FAILING.format(code=code, times=3))
        (following,) = store.commit([settled(call)], wanted(1, item=2))
        assert isinstance(following, int)
        assert (store.balance().spent, store.balance().reserved) == (10, 100)


def test_a_disk_that_stays_full_ends_the_run_and_loses_nothing_that_was_settled(address):
    with opened(address, patience=0.2) as store:
        calls = store.commit([], wanted(2))
        store.commit([settled(calls[0])], [])
        execute(address, _FAILING.format(code="53100", times=10**6))
        with pytest.raises(StoreError, match="no room"):
            store.commit([settled(calls[1])], [])
        execute(address, "DROP TRIGGER failing ON call")
    with opened(address) as later:
        assert later.balance().spent == 10 + 100
        assert later.entries().score.tolist()[0] == 0.5


def test_processes_that_make_a_ledger_at_once_make_one(address):
    stores, begin = [], threading.Barrier(4)

    def make():
        begin.wait()
        stores.append(PostgresStore.open(address, budget=1000))

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({store.salt() for store in stores}) == 1
    granted = [store.commit([], wanted(4, item=n)) for n, store in enumerate(stores)]
    assert sum(isinstance(call, int) for calls in granted for call in calls) == 10
    for store in stores:
        store.close()


def test_calls_that_two_processes_want_at_once_are_made_by_one_of_them(address):
    with opened(address, budget=10**6) as one, opened(address, budget=10**6) as other:
        results = {}

        def reserve(name, store, order):
            calls = [Reservation(item, 1, 0, 0, 10) for item in order]
            results[name] = [
                grant
                for start in range(0, 400, 20)
                for grant in store.commit([], calls[start : start + 20])
            ]

        threads = [
            threading.Thread(target=reserve, args=("one", one, range(400))),
            threading.Thread(target=reserve, args=("other", other, range(399, -1, -1))),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        made = [grant for grants in results.values() for grant in grants if isinstance(grant, int)]
        assert len(set(made)) == len(made) == len(one.entries()) == 400
        assert one.balance().reserved == 4000


def test_a_call_whose_lower_number_comes_later_is_not_passed_over(address):
    with opened(address) as first, opened(address) as second:
        (low,) = first.commit([], wanted(1, item=1))
        (high,) = second.commit([], wanted(1, item=2))
        first.commit([settled(low)], [])
        second.commit([settled(high)], [])
        reader = EntryReader(second)
        assert len(reader.entries()) == 2
        (later,) = first.commit([], wanted(1, item=3))
        assert low < later < high
        assert reader.entries().call.tolist() == [low, later, high]


def test_accounts_share_a_purse_and_keep_their_own_limits(address):
    set_purse(address, "team", 1000)
    one = PostgresAddress(address.url, "team", "one")
    two = PostgresAddress(address.url, "team", "two")
    with opened(one, budget=400) as first, opened(two, budget=900) as second:
        calls = first.commit([], wanted(5, item=1))
        assert calls[4] is Denial.NO_FUNDS, "its own limit"
        more = second.commit([], wanted(9, item=2))
        assert sum(isinstance(call, int) for call in more) == 6, "what the purse has left"
        assert second.balance().remaining == 0
        first.commit([settled(calls[0], 40)], [])
        assert second.balance().remaining == 60
        second.commit([settled(call, 100) for call in more[:6]], [])
        assert (first.balance().spent, first.reserved_elsewhere()) == (40, 0)
        with pytest.raises(InputError, match="already spent"):
            set_purse(address, "team", 900)
        set_purse(address, "team", 2000)
        assert second.balance().remaining == 300
    report = purse_report(one)
    assert {one.account: (one.spent, one.reserved) for one in report.accounts} == {
        "one": (40, 300),
        "two": (600, 0),
    }
    assert check_shared(one)[1] == []


@pytest.mark.parametrize(
    "url", ["postgresql://me:hush@h/db", "postgresql://h/db?password=hush", "postgres://a:hush@/x"]
)
def test_an_address_with_a_password_is_refused_and_never_repeated(url):
    with pytest.raises(InputError, match="PGPASSFILE") as refused:
        PostgresAddress.of(url)
    assert "hush" not in str(refused.value)
