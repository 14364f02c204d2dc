"""What to do with a judge: keep it, mend it, or drop it."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.report.content.values import Advice, Counsel
from adjudge.report.numbers import count_text, share_text

FEW_CALLS = 5
"""Below so many paid calls nothing is said of a judge that was not found wanting."""
FAR_BELOW = 0.1
"""Of what the best judge's dollar buys: below it a dollar is better spent elsewhere."""
NEXT_TO_NONE = 0.2
"""Of an equal share: with fewer calls and less money the strategy has turned away from a judge."""
OFTEN_WITHOUT_SCORE = 0.25
"""Of a judge's paid calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What advice on a judge rests on."""

    calls: int
    """Paid ones."""
    call_share: float
    money_share: float
    judges: int
    """Of the panel."""
    all_calls: int
    buys: float | None
    """What its dollar buys, of what the best judge's buys."""
    best: str
    """The judge whose dollar buys most."""
    scored: int
    guarded: bool
    switched_off: str | None
    """Why, in whole sentences."""
    never_asked: str | None = None
    """Why no call was made to it."""


def advise(facts: Facts) -> Advice:
    """The first of these that is true decides; a judge of whom none is true is kept."""
    failed = 1 - facts.scored / facts.calls if facts.calls else 0.0
    if facts.guarded:
        return Advice(
            counsel=Counsel.DROP,
            reason="Its scores tell items apart no better than none would; they do not count.",
        )
    if facts.switched_off is not None:
        return Advice(
            counsel=Counsel.MEND,
            reason=f"It was switched off: {facts.switched_off} Mend this, or leave it out.",
        )
    if facts.calls >= FEW_CALLS and failed > OFTEN_WITHOUT_SCORE:
        return Advice(
            counsel=Counsel.MEND,
            reason=f"{share_text(failed)} of its paid calls gave no score. Look at what it wrote: "
            "another prompt or more tokens may help.",
        )
    if facts.judges > 1 and _turned_away_from(facts):
        assert facts.buys is not None
        return Advice(
            counsel=Counsel.DROP,
            reason=f"Its dollar buys {_fraction(facts.buys)} of what {facts.best}'s buys, and it "
            f"got {count_text(facts.calls, 'call')} of {facts.all_calls:,}. Without it scores mean "
            "what the other judges say.",
        )
    if facts.calls < FEW_CALLS:
        few = f"{count_text(facts.calls, 'call')}: not enough to tell."
        unasked = facts.never_asked
        return Advice(
            counsel=Counsel.WAIT, reason=few if unasked is None else f"Never asked: {unasked}."
        )
    return Advice(counsel=Counsel.KEEP, reason=_merit(facts))


def _turned_away_from(facts: Facts) -> bool:
    if facts.buys is None or facts.buys >= FAR_BELOW:
        return False
    return max(facts.call_share, facts.money_share) * facts.judges < NEXT_TO_NONE


def _fraction(buys: float) -> str:
    return f"1/{round(1 / buys):,}" if buys > 0 else "nothing"


def _merit(facts: Facts) -> str:
    if facts.buys is None:
        return "Nothing speaks against it."
    if facts.buys == 1:
        return "No other judge's dollar buys more."
    return f"Its dollar buys {share_text(facts.buys)} of what {facts.best}'s buys."
