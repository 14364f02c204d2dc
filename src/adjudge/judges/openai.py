"""A judge behind any endpoint that speaks chat completions."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from yarl import URL

from adjudge.errors import InputError, JudgeUnavailableError
from adjudge.judges.chat_answer import outcome_of
from adjudge.judges.chat_request import ChatRequest
from adjudge.judges.description import Description, describe_chat
from adjudge.judges.direct_transport import DirectTransport
from adjudge.judges.judge import Limits, Quote
from adjudge.judges.prices import Prices
from adjudge.judges.secrets import key_from_environment, without_secrets
from adjudge.judges.transport import BrokenOffError, NotSentError, Transport, proxy_for
from adjudge.records import Item, Lost, Outcome, Reason, Refused, Verdict

_CACHE = 64 * 2**20
"""Bytes of rendered requests that are kept for the next call about the same item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAISettings:
    """Where a chat endpoint is, what it costs, and how it may be used."""

    name: str
    request: ChatRequest
    prices: Prices | None
    """A judge without prices is refused; one that is free has prices of zero."""
    base_url: str = "https://api.openai.com/v1"
    key_variable: str | None = "OPENAI_API_KEY"
    """The environment variable that holds the key; None for an endpoint that asks for none."""
    key_header: str = "Authorization"
    """The header that carries it: `Authorization: Bearer <key>`, or for instance `api-key`."""
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """Further headers; their values are treated as secrets."""
    limits: Limits = field(default_factory=Limits)
    timeout: float = 120.0
    """Seconds for a whole call."""
    connect_timeout: float = 10.0
    """Seconds to get a connection; nothing is billed before there is one."""

    def __post_init__(self) -> None:
        if self.prices is None:
            raise InputError(
                f"prices of {self.name}",
                "none are given",
                "give them per million tokens",
            )
        if not self.timeout > self.connect_timeout > 0:
            raise InputError(
                f"timeout of {self.name}",
                f"{self.timeout} s with {self.connect_timeout} s to connect",
                "both above zero, the whole call's the larger",
            )
        url = URL(self.base_url)
        if url.scheme not in {"http", "https"} or not url.host:
            raise InputError(f"base_url of {self.name}", "is no http address", "as https://host/v1")
        if url.user is not None:
            raise InputError(
                f"base_url of {self.name}",
                "holds a login",
                "put it into headers, from the environment",
            )


class OpenAIJudge:
    """Asks a chat endpoint for scores; see `Judge`."""

    def __init__(self, settings: OpenAISettings) -> None:
        if settings.prices is None:  # refused by the settings; said again for the type checker
            raise InputError(f"prices of {settings.name}", "none are given", "give them")
        self._settings = settings
        self._prices = settings.prices
        base = URL(settings.base_url)
        self._address = base.with_query(None).with_path(base.path.rstrip("/"))
        self._query = base.query  # as Azure's api-version
        self._secrets = [*settings.headers.values(), *self._query.values()]
        self._quotes: dict[int, Quote] = {}
        """By the length of the request; many have the same."""
        self._bodies: dict[str, bytes] = {}
        self._cached = 0
        self._transport: Transport | None = None

    @property
    def name(self) -> str:
        """How people call it."""
        return self._settings.name

    @property
    def identity(self) -> str:
        """Address without its query, model, settings and prompt."""
        return repr(("openai", str(self._address), self._settings.request.identity))

    @property
    def reads(self) -> frozenset[str]:
        """The fields that its prompt names."""
        return self._settings.request.prompt.reads

    @property
    def limits(self) -> Limits:
        """How hard it may be pressed."""
        return self._settings.limits

    def quote(self, item: Item) -> Quote:
        """The worst case and a first guess, by the length of the request."""
        length = len(self._body(item))
        quote = self._quotes.get(length)
        if quote is None:
            quote = self._quotes[length] = self._settings.request.quote(length, self._prices)
        return quote

    def preview(self, item: Item) -> str:
        """The messages that it would be sent."""
        messages = self._settings.request.prompt.messages(item)
        return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages)

    def describe(self, item: Item) -> Description:
        """Model, settings, prices and prompt; without key, headers, and the address's path."""
        host = str(self._address.origin())
        settings = self._settings
        return describe_chat(
            settings.request, self._prices, item, host=host, limits=settings.limits
        )

    async def open(self) -> None:
        """Read the key, and reach the endpoint once by a request that costs nothing."""
        self._transport = self._new_transport()
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                probe = await self._transport.get(self._at("models").raw_path_qs)
        except (NotSentError, BrokenOffError, TimeoutError) as error:
            await self.close()
            raise JudgeUnavailableError(
                f"{self.name}: {self._address} cannot be reached ({self._clean(error)})"
            ) from None
        except asyncio.CancelledError:
            await self.close()
            raise
        if probe.status in {401, 402}:
            await self.close()
            raise JudgeUnavailableError(
                f"{self.name}: {self._address} does not accept the key (HTTP {probe.status})"
            )

    async def score(self, item: Item) -> Outcome:
        """Make one call."""
        if self._transport is None:
            raise JudgeUnavailableError(f"{self.name}: is not open")
        try:
            answer = await self._transport.post(self._body(item))
        except NotSentError as error:
            return Refused(reason=Reason.DOWN, detail=self._clean(error))
        except BrokenOffError as error:
            return Lost(reason=Reason.BROKEN_OFF, detail=self._clean(error))
        except TimeoutError:
            after = f"no answer within {self._settings.timeout:g} s"
            return Lost(reason=Reason.TIMED_OUT, detail=after)
        outcome = outcome_of(answer, prices=self._prices, scale=self._settings.request.prompt.scale)
        if isinstance(outcome, Verdict):
            return outcome
        return replace(outcome, detail=without_secrets(outcome.detail, self._secrets))

    async def close(self) -> None:
        """Close the connections."""
        if self._transport is not None:
            transport, self._transport = self._transport, None
            await transport.close()

    def _new_transport(self) -> Transport:
        url, settings = self._at("chat", "completions"), self._settings
        times = {"timeout": settings.timeout, "connect_timeout": settings.connect_timeout}
        headers = self._headers()
        proxy = proxy_for(url)
        if proxy is not None:
            # A client that few need, and that takes a quarter of a second to import.
            from adjudge.judges.proxy_transport import ProxyTransport  # noqa: PLC0415

            return ProxyTransport(url, headers, proxy=proxy, **times)
        return DirectTransport(url, headers, **times)

    def _headers(self) -> dict[str, str]:
        """What goes with every request; the key is read here, and is a secret from now on."""
        settings = self._settings
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        headers.update(settings.headers)
        if settings.key_variable is not None:
            key = key_from_environment(settings.name, settings.key_variable)
            bearer = settings.key_header.lower() == "authorization"
            headers[settings.key_header] = f"Bearer {key}" if bearer else key
            if key not in self._secrets:
                self._secrets.append(key)
        return headers

    def _at(self, *path: str) -> URL:
        return self._address.joinpath(*path).with_query(self._query)

    def _clean(self, error: BaseException) -> str:
        said = str(error) or type(error).__name__
        return without_secrets(said, self._secrets)

    def _body(self, item: Item) -> bytes:
        body = self._bodies.get(item.id)
        if body is None:
            body = self._settings.request.body(item)
            if self._cached + len(body) <= _CACHE:
                self._bodies[item.id] = body
                self._cached += len(body)
        return body
