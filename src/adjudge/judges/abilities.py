"""Optional features of an endpoint, detected by its replies to the first requests that use them."""

from __future__ import annotations

from adjudge.records import Outcome, Reason, Refused, Verdict


class Abilities:
    """Several answers per request, and instructions for the provider's cache.

    Refused requests cost nothing, and what they asked for is asked again in another way.
    """

    def __init__(self, *, chosen: int | None, most: int) -> None:
        self.several = most if chosen is None else chosen
        """Answers that one request may ask for."""
        self.several_known = chosen is not None or most == 1
        """Whether the endpoint has shown that it gives them, or the user says so."""
        self._caching_known = False
        self.caching = True
        """Whether requests may say what is to be cached."""

    def after_several(self, outcomes: list[Outcome]) -> list[Outcome]:
        """The outcomes of a request for several; if it asked for too many, none of it was made."""
        first = outcomes[0]
        if first.reason is Reason.REJECTED and all(isinstance(one, Refused) for one in outcomes):
            self._ask_one_by_one()
            detail = "several answers to a request are refused; asked one by one"
            return [Refused(reason=Reason.WITHDRAWN, detail=detail)] * len(outcomes)
        if any(one.reason is Reason.WITHDRAWN for one in outcomes):
            self._ask_one_by_one()
        elif not self.several_known and isinstance(first, Verdict) and first.cost is not None:
            self.several_known = True
        elif not self.several_known and first.reason is not Reason.BUSY:
            self._ask_one_by_one()
        return outcomes

    def _ask_one_by_one(self) -> None:
        self.several, self.several_known = 1, True

    def after_one(self, outcome: Outcome) -> Outcome:
        """The outcome of a request for one answer that said something about the cache."""
        if self._caching_known:
            return outcome
        if isinstance(outcome, Refused) and (
            outcome.reason is Reason.REJECTED or _is_about_caching(outcome)
        ):
            self.caching = False
            detail = "words about the cache are refused; asked without"
            return Refused(reason=Reason.WITHDRAWN, detail=detail)
        self._caching_known = isinstance(outcome, Verdict)
        return outcome


def _is_about_caching(outcome: Refused) -> bool:
    """Whether it is refused as Bedrock does it for models that cache nothing: with a 403."""
    return outcome.reason is Reason.DENIED and "prompt caching" in outcome.detail.lower()
