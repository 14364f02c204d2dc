"""What an endpoint is found to take, by how it answers the first requests that ask for it."""

from __future__ import annotations

from adjudge.records import Outcome, Reason, Refused, Verdict

_FIRST = 2
"""Answers that the first requests for several ask for, of an endpoint that is not known to give
them: one that fails at it and bills that wastes no more."""


class Abilities:
    """Several answers to a request, and words about the provider's cache.

    Refused requests cost nothing, and what they asked for is asked again in another way.
    """

    def __init__(self, *, chosen: int | None, most: int) -> None:
        self._most = most
        self._several_known = chosen is not None
        self.several = min(_FIRST, most) if chosen is None else chosen
        """Answers that one request may ask for."""
        self._caching_known = False
        self.caching = True
        """Whether requests may say what is to be cached."""

    def after_several(self, outcomes: list[Outcome]) -> list[Outcome]:
        """The outcomes of a request for several; if it asked for too many, none of it was made."""
        first = outcomes[0]
        if first.reason is Reason.REJECTED and all(isinstance(one, Refused) for one in outcomes):
            self.several = 1
            detail = "several answers to a request are refused; asked one by one"
            return [Refused(reason=Reason.WITHDRAWN, detail=detail)] * len(outcomes)
        if any(one.reason is Reason.WITHDRAWN for one in outcomes):
            self.several = 1
        elif not self._several_known and isinstance(first, Verdict) and first.cost is not None:
            self._several_known, self.several = True, self._most
        elif not self._several_known and first.reason is not Reason.BUSY:
            self.several = 1
        return outcomes

    def after_one(self, outcome: Outcome, *, told: bool) -> Outcome:
        """The outcome of a request for one; `told` is whether it said anything about the cache."""
        if not told or self._caching_known:
            return outcome
        if isinstance(outcome, Refused) and outcome.reason is Reason.REJECTED:
            self.caching = False
            detail = "words about the cache are refused; asked without"
            return Refused(reason=Reason.WITHDRAWN, detail=detail)
        self._caching_known = isinstance(outcome, Verdict)
        return outcome
