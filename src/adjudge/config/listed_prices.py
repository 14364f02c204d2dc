"""Prices that the user did not give: from the ledger, or else from a public list."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from yarl import URL

from adjudge.judges import ChatProtocol, Prices
from adjudge.judges.hosts import public_provider
from adjudge.judges.price_list import PROVIDERS, looked_up
from adjudge.judges.protocol_decisions import Decisions
from adjudge.run.frozen_prices import Looked, frozen_prices
from adjudge.store import Address


class PriceBook:
    """Looks up models' prices; ledger and list are read only when needed."""

    def __init__(self, ledger: Address | None, today: date) -> None:
        self._ledger = ledger
        """A ledger whose kept prices outrank the list's; None to use the list alone."""
        self._today = today
        self._kept: Mapping[Looked, Prices] | None = None

    def prices(self, name: str, asked: date | None) -> Prices:
        """The price with which the first run began, or else that of the day `asked` or of today."""
        kept = self._frozen().get((name, asked))
        return kept or looked_up(name, day=asked or self._today, asked=asked)

    def _frozen(self) -> Mapping[Looked, Prices]:
        if self._kept is None:
            self._kept = {} if self._ledger is None else frozen_prices(self._ledger)
        return self._kept


def name_in_list(
    model: str, base_url: str | None, protocol: ChatProtocol | None = None
) -> str | None:
    """The model's name in price lists, such as `openai/gpt-4o-mini`; None if it is not listed.

    Without a `base_url` the prefix of the model's name is the provider; without a prefix it is
    OpenAI. Decision protocols have separate prices.
    """
    name = _name_in_list(model, base_url)
    if name is not None and isinstance(protocol, Decisions):
        return name.replace("openai/", "openai-decisions/", 1)
    return name


def _name_in_list(model: str, base_url: str | None) -> str | None:
    if base_url is None:
        prefix, slash, _ = model.partition("/")
        if not slash:
            return f"openai/{model}"
        return model if prefix in PROVIDERS else None
    try:
        provider = public_provider(URL(base_url).host)
    except ValueError:
        return None
    if provider is None:
        return None
    # OpenRouter serves other providers' models, and its own, which are named openrouter/...
    own = model if provider == "openrouter" else model.removeprefix(f"{provider}/")
    return f"{provider}/{own}"
