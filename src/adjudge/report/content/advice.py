"""What to do with a judge: keep it, fix it, or drop it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from adjudge.core.people import Figure
from adjudge.report.content.values import Advice, Counsel
from adjudge.report.numbers import count_text, range_text, score_text, share_text

FEW_CALLS = 5
"""Paid calls below which a judge without faults gets no advice."""
FAR_BELOW = 0.1
"""A judge is not worth its price if its dollar buys less than this share of the best judge's."""
NEXT_TO_NONE = 0.2
"""Below this share of an equal part of calls and money, the strategy has abandoned a judge."""
OFTEN_WITHOUT_SCORE = 0.25
"""Share of a judge's paid calls without a score, above which it needs fixing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts for the advice on a judge."""

    calls: int
    """Paid calls."""
    call_share: float
    money_share: float
    judges: int
    """Number of judges in the panel."""
    all_calls: int
    buys: float | None
    """What its dollar buys, as a share of what the best judge's dollar buys."""
    best: str
    """The judge whose dollar buys most."""
    scored: int
    guarded: bool
    switched_off: str | None
    """Why it was switched off, in whole sentences."""
    never_asked: str | None = None
    """Why it was never called."""
    people: Figure | None = None
    """Agreement with people; None if unknown or not used."""
    against_people: bool = False
    """Whether it is negatively correlated with people."""
    people_count: bool = False
    """Whether scores are on the people's scale; `buys` is then information about labels."""


def advise(facts: Facts) -> Advice:
    """The advice of the first rule that applies; if none does, keep the judge."""
    failed = 1 - facts.scored / facts.calls if facts.calls else 0.0
    useless = _useless(facts)
    if useless is not None:
        return Advice(counsel=Counsel.DROP, reason=useless)
    if facts.switched_off is not None:
        return Advice(
            counsel=Counsel.MEND,
            reason=f"It was switched off: {facts.switched_off} Fix this, or leave it out.",
        )
    if facts.calls >= FEW_CALLS and failed > OFTEN_WITHOUT_SCORE:
        return Advice(
            counsel=Counsel.MEND,
            reason=f"{share_text(failed)} of its paid calls gave no score. Look at what it wrote: "
            "another prompt or more tokens may help.",
        )
    if facts.judges > 1 and _turned_away_from(facts):
        assert facts.buys is not None
        rest = (
            f"{_agreed(facts)}"
            if facts.people_count
            else " Without it scores mean what the other judges say."
        )
        return Advice(
            counsel=Counsel.DROP,
            reason=f"{_dollar(facts, _fraction(facts.buys))}, and it got "
            f"{count_text(facts.calls, 'call')} of {facts.all_calls:,}.{rest}",
        )
    if facts.calls < FEW_CALLS:
        few = f"{count_text(facts.calls, 'call')}: not enough to tell."
        unasked = facts.never_asked
        return Advice(
            counsel=Counsel.WAIT, reason=few if unasked is None else f"Never asked: {unasked}."
        )
    return Advice(counsel=Counsel.KEEP, reason=_merit(facts))


def _useless(facts: Facts) -> str | None:
    """Why its scores are useless; None if they are useful."""
    if facts.against_people and facts.people is not None:
        return (
            f"It goes against people ({_with_people(facts)}): where they give more, it gives less."
        )
    if facts.guarded:
        return "Its scores tell items apart no better than none would; they do not count."
    return None


def _turned_away_from(facts: Facts) -> bool:
    if facts.buys is None or facts.buys >= FAR_BELOW:
        return False
    return max(facts.call_share, facts.money_share) * facts.judges < NEXT_TO_NONE


def _fraction(buys: float) -> str:
    return f"1/{round(1 / buys):,}" if buys > 0 else "nothing"


def _merit(facts: Facts) -> str:
    if facts.buys is None:
        return f"Nothing speaks against it.{_agreed(facts)}"
    if facts.buys == 1:
        more = "tells more of what people say" if facts.people_count else "buys more"
        return f"No other judge's dollar {more}.{_agreed(facts)}"
    return f"{_dollar(facts, share_text(facts.buys))}.{_agreed(facts)}"


def _dollar(facts: Facts, part: str) -> str:
    if facts.people_count:
        return f"Its dollar tells {part} of what {facts.best}'s tells of what people say"
    return f"Its dollar buys {part} of what {facts.best}'s buys"


def _agreed(facts: Facts) -> str:
    return "" if facts.people is None else f" It agrees with people to {_with_people(facts)}."


def _with_people(facts: Facts) -> str:
    found = facts.people
    assert found is not None
    if math.isnan(found.low):
        return score_text(found.value, 2)
    return f"{score_text(found.value, 2)}, {range_text(found.low, found.high, 2)}"
