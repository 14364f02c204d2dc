"""Reading little by little gives the same as reading everything."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adjudge.records import Cost, Reason
from adjudge.run.reader import EntryReader
from adjudge.store import Reservation, Settlement, SqliteStore, State

steps = st.lists(
    st.tuples(
        st.sampled_from(["reserve", "settle", "overclaim", "refuse", "lose", "look"]),
        st.integers(0, 9),
    ),
    max_size=40,
)


@given(steps=steps)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_happens_between_two_looks(tmp_path_factory, steps):
    store = SqliteStore.open(tmp_path_factory.mktemp("reader") / "ledger.db", budget=600)
    reader = EntryReader(store)
    waiting = []
    for number, (what, choice) in enumerate([*steps, ("look", 0)]):
        if what == "reserve":
            granted = store.commit([], [Reservation(number, 1, 0, 0, 100)])
            waiting += [call for call in granted if isinstance(call, int)]
        elif what == "look":
            found, whole = reader.entries(), store.entries()
            for name in whole.__slots__:
                assert np.array_equal(getattr(found, name), getattr(whole, name), equal_nan=True)
        elif waiting:
            call = waiting.pop(choice % len(waiting))
            ending = {
                "settle": Settlement(call, State.SETTLED, None, Cost(input=7), 0.5),
                "overclaim": Settlement(call, State.SETTLED, None, Cost(input=400), 0.5),
                "refuse": Settlement(call, State.REFUSED, Reason.BUSY),
                "lose": Settlement(call, State.PRESUMED, Reason.TIMED_OUT),
            }[what]
            store.commit([ending], [])
    store.close()


def test_what_can_no_longer_change_is_not_read_again(tmp_path):
    store = SqliteStore.open(tmp_path / "ledger.db", budget=1000)
    asked = []

    class Watched:
        amended = store.amended
        complete_before = store.complete_before

        def entries(self, since=0):
            asked.append(since)
            return store.entries(since)

    reader = EntryReader(Watched())
    one, two, three = store.commit([], [Reservation(n, 1, 0, 0, 10) for n in range(3)])
    store.commit([Settlement(call, State.PRESUMED, Reason.TIMED_OUT) for call in (one, three)], [])
    reader.entries()
    store.commit([Settlement(two, State.PRESUMED, Reason.TIMED_OUT)], [])
    reader.entries()
    assert reader.entries().charged.tolist() == [10, 10, 10]
    assert asked == [0, two, three + 1]
    store.close()
