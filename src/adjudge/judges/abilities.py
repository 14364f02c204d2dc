"""Optional features of an endpoint, detected from its first answers."""

from __future__ import annotations

from adjudge.records import Outcome, Reason, Refused, Verdict


class Abilities:
    """Support for several answers per request, and for instructions to the provider's cache.

    Refused requests cost nothing; their calls are made again without the feature.
    """

    def __init__(self, *, chosen: int | None, most: int) -> None:
        self.several = most if chosen is None else chosen
        """Maximum number of answers per request."""
        self.several_known = chosen is not None or most == 1
        """Whether `several` is certain: the user or an answer has confirmed it."""
        self._caching_known = False
        self.caching = True
        """Whether requests may contain cache instructions."""

    def after_several(self, outcomes: list[Outcome]) -> list[Outcome]:
        """The outcomes of a request for several answers; all withdrawn if it was refused."""
        first = outcomes[0]
        if first.reason is Reason.REJECTED and all(isinstance(one, Refused) for one in outcomes):
            self._ask_one_by_one()
            detail = "several answers per request are refused; asked one by one"
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
        """The outcome of a request with cache instructions; withdrawn if it was refused."""
        if self._caching_known:
            return outcome
        if isinstance(outcome, Refused) and (
            outcome.reason is Reason.REJECTED or _is_about_caching(outcome)
        ):
            self.caching = False
            detail = "cache instructions are refused; asked without them"
            return Refused(reason=Reason.WITHDRAWN, detail=detail)
        self._caching_known = isinstance(outcome, Verdict)
        return outcome


def _is_about_caching(outcome: Refused) -> bool:
    """Whether this is the refusal, by a 403, of Bedrock's models without a cache."""
    return outcome.reason is Reason.DENIED and "prompt caching" in outcome.detail.lower()
