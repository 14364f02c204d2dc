import pytest

from adjudge.report.content import Counsel
from adjudge.report.content.advice import Facts, advise


def facts(**changes):
    usual = {
        "calls": 300,
        "call_share": 0.3,
        "money_share": 0.3,
        "judges": 3,
        "all_calls": 1000,
        "buys": 0.5,
        "best": "mini",
        "scored": 300,
        "guarded": False,
        "switched_off": None,
    }
    return Facts(**{**usual, **changes})


TURNED_AWAY_FROM = {
    "buys": 0.04,
    "calls": 12,
    "scored": 12,
    "call_share": 0.012,
    "money_share": 0.05,
}


@pytest.mark.parametrize(
    ("changes", "counsel"),
    [
        ({}, Counsel.KEEP),
        ({"buys": 0.04}, Counsel.KEEP),
        ({"guarded": True}, Counsel.DROP),
        (TURNED_AWAY_FROM, Counsel.DROP),
        (TURNED_AWAY_FROM | {"money_share": 0.4}, Counsel.KEEP),
        (TURNED_AWAY_FROM | {"buys": 0.2}, Counsel.KEEP),
        (TURNED_AWAY_FROM | {"judges": 1}, Counsel.KEEP),
        (TURNED_AWAY_FROM | {"calls": 0, "scored": 0, "buys": None}, Counsel.WAIT),
        ({"switched_off": "HTTP 401"}, Counsel.MEND),
        ({"scored": 200}, Counsel.MEND),
        ({"calls": 3, "scored": 1}, Counsel.WAIT),
        ({"buys": None}, Counsel.KEEP),
    ],
)
def test_advice_follows_from_the_facts(changes, counsel):
    assert advise(facts(**changes)).counsel is counsel


def test_a_judge_with_an_equal_share_of_many_is_not_dropped_for_it():
    crowd = TURNED_AWAY_FROM | {"judges": 50, "call_share": 0.02, "money_share": 0.02}
    assert advise(facts(**crowd)).counsel is Counsel.KEEP


def test_advice_gives_its_reason_in_numbers():
    assert advise(facts(**TURNED_AWAY_FROM)).reason == (
        "Its dollar buys 1/25 of what mini's buys, and it got 12 calls of 1,000. Without it scores "
        "mean what the other judges say."
    )
    assert "HTTP 401" in advise(facts(switched_off="HTTP 401")).reason
    assert advise(facts(scored=200)).reason.startswith("33 % of its paid calls gave no score.")
    assert advise(facts(buys=1.0)).reason == "No other judge's dollar buys more."
