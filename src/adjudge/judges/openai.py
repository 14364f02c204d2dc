"""A judge behind an endpoint that speaks one of the protocols."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from yarl import URL

from adjudge.errors import InputError, JudgeUnavailableError
from adjudge.judges.chat_answer import outcomes_of
from adjudge.judges.chat_failure import codes_of, failure_json
from adjudge.judges.chat_request import ChatRequest
from adjudge.judges.description import Description, describe_chat
from adjudge.judges.hosts import fails_for_free, needs_service_tier, serves_by_deployment
from adjudge.judges.http_transport import HttpTransport
from adjudge.judges.judge import Limits, Quote
from adjudge.judges.model_list import answered_json, lists, names_a_model, unknown_model
from adjudge.judges.prices import Prices
from adjudge.judges.rates import STANDARD
from adjudge.judges.request_headers import check_header, merged
from adjudge.judges.scale import Scale
from adjudge.judges.secrets import Secrets, key_from_environment
from adjudge.judges.transport import (
    BrokenOffError,
    HttpAnswer,
    NotSentError,
    Proxy,
    proxy_for,
)
from adjudge.records import Item, Lost, Outcome, Reason, Refused, Verdict

_CONNECT = 10.0
"""Seconds that a connection may take, unless another number is given."""
_CACHE = 64 * 2**20
"""Bytes of rendered requests that are kept for the next call about the same item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAISettings:
    """Where a chat endpoint is, what it costs, and how it may be used."""

    name: str
    request: ChatRequest
    prices: Prices | None
    """A judge without prices is refused; one that is free has prices of zero."""
    base_url: str = field(default="https://api.openai.com/v1", repr=False)
    shown_url: str | None = None
    """The address in errors and in the identity, with `${NAME}` for what a variable adds to its
    path; None for `base_url` itself, without its query."""
    key_variable: str | None = "OPENAI_API_KEY"
    """The environment variable that holds the key; None for an endpoint that asks for none."""
    key_header: str | None = None
    """The header that carries it, as `api-key`; None for the one that the protocol has."""
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """Further headers; see `secrets`."""
    secrets: Collection[str] | None = field(default=None, repr=False)
    """What is kept and shown nowhere, besides the key; None for the values of all headers and of
    the address's query."""
    free_failures: bool | None = None
    """Whether requests that fail cost nothing; if not given, known hosts are trusted to do so."""
    limits: Limits = field(default_factory=Limits)
    timeout: float = 120.0
    """Seconds for a whole call."""
    connect_timeout: float = _CONNECT
    """Seconds to get a connection; nothing is billed before there is one. Half of `timeout` where
    that leaves no room for the default."""

    def __post_init__(self) -> None:
        if self.prices is None:
            raise InputError(
                f"prices of {self.name}",
                "none are given",
                "give them per million tokens",
            )
        self.prices.check_priced(self.request.service_tier)
        if self.connect_timeout == _CONNECT >= self.timeout > 0:
            object.__setattr__(self, "connect_timeout", self.timeout / 2)
        if not self.timeout > self.connect_timeout > 0:
            raise InputError(
                f"timeout of {self.name}",
                f"{self.timeout:g} s, and connect_timeout is {self.connect_timeout:g} s",
                "timeout must be the longer one: raise it, or lower connect_timeout too",
            )
        self._check_headers()
        try:
            url = URL(self.base_url)
        except ValueError:
            url = URL()
        if url.scheme not in {"http", "https"} or not url.host:
            raise InputError(f"base_url of {self.name}", "is no http address", "as https://host/v1")
        if url.user is not None:
            raise InputError(
                f"base_url of {self.name}",
                "holds a login",
                "put it into headers, from the environment",
            )

    @property
    def carries_key(self) -> str:
        """The header that carries the key."""
        return self.key_header or self.request.protocol.key_header

    def _check_headers(self) -> None:
        for name, value in self.headers.items():
            try:
                check_header(name, value)
            except InputError as error:
                raise InputError(f"headers of {self.name}", error.found, error.expected) from None
        if self.key_variable is None:
            return
        carries_key = self.carries_key
        try:
            check_header(carries_key, "")
        except InputError as error:
            raise InputError(f"key_header of {self.name}", error.found, error.expected) from None
        if carries_key.lower() in map(str.lower, self.headers):
            raise InputError(
                f"headers of {self.name}",
                f"{carries_key} is the header of the key too",
                "leave it out, or say that this judge needs no key",
            )


class OpenAIJudge:
    """Asks a chat endpoint for scores; see `Judge`."""

    def __init__(self, settings: OpenAISettings) -> None:
        if settings.prices is None:  # refused by the settings; said again for the type checker
            raise InputError(f"prices of {settings.name}", "none are given", "give them")
        self._prices = settings.prices
        base = URL(settings.base_url)
        if settings.request.service_tier is None and needs_service_tier(base.host):
            settings = replace(settings, request=replace(settings.request, service_tier=STANDARD))
        free = settings.free_failures
        self._free_failures = fails_for_free(base.host) if free is None else free
        self._settings = settings
        self._several = settings.request.answers_per_request
        self._address = base.with_query(None).with_path(base.path.rstrip("/"))
        self._query = base.query  # as Azure's api-version
        self._shown = settings.shown_url or str(self._address)
        known = settings.secrets
        self._known = (
            (*settings.headers.values(), *self._query.values()) if known is None else tuple(known)
        )
        self._secrets = Secrets.of(self._known)
        self._quotes: dict[int, Quote] = {}
        """By the length of the request; many have the same."""
        self._quoted: dict[str, int] = {}
        """The length of the request that was quoted, by the item's id."""
        self._salt = b""
        self._bodies: dict[str, bytes] = {}
        self._cached = 0
        self._transport: HttpTransport | None = None

    @property
    def name(self) -> str:
        """How people call it."""
        return self._settings.name

    @property
    def identity(self) -> str:
        """Address without its query, model, settings and prompt."""
        request = self._settings.request
        return repr((request.protocol.family, self._shown, request.identity))

    @property
    def reads(self) -> frozenset[str]:
        """The fields that its prompt names."""
        return self._settings.request.prompt.reads

    @property
    def form(self) -> str:
        """How the model is made to answer, by the name of the response format."""
        return self._settings.request.form

    @property
    def limits(self) -> Limits:
        """How hard it may be pressed."""
        return self._settings.limits

    @property
    def prices(self) -> Prices:
        """What its tokens cost, and who says so."""
        return self._prices

    @property
    def scale(self) -> Scale:
        """The scale that it is told to use."""
        return self._settings.request.prompt.scale

    def quote(self, item: Item) -> Quote:
        """The worst case and a first guess, by the length of the request."""
        length = self._quoted[item.id] = len(self._body(item))
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

    def use_salt(self, salt: bytes) -> None:
        """Render with the run's salt from now on; see `Salted`."""
        if salt != self._salt:
            self._salt, self._cached = salt, 0
            self._bodies.clear()

    async def open(self, *, salt: bytes = b"") -> None:
        """Read the key, and see by requests that cost nothing that it has the model."""
        self.use_salt(salt)
        self._transport = self._new_transport()
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                problem = await self._problem(self._transport)
        except (NotSentError, BrokenOffError, TimeoutError) as error:
            problem = f"cannot be reached ({self._said(error)})"
        except asyncio.CancelledError:
            await self.close()
            raise
        if problem is None:
            return
        await self.close()
        # Not chained to its cause, which holds the address as it is.
        raise JudgeUnavailableError(f"{self.name}: {self._shown} {problem}")

    async def _problem(self, transport: HttpTransport) -> str | None:
        """What speaks against asking the endpoint, by what it says of its models.

        Many endpoints have no list of them, which says nothing. One that has a list may leave a
        model out, and is then asked for that model alone.
        """
        protocol = self._settings.request.protocol
        if not protocol.models:  # any answer shows that it can be reached, and says no more
            await transport.get(self._address.raw_path or "/")
            return None
        answer = await transport.get(self._below(protocol.models).raw_path_qs)
        if answer.status in {401, 402, 407} or self._denies(answer):
            unwelcome = "the login of the proxy" if answer.status == 407 else "the key"
            return f"does not accept {unwelcome} (HTTP {answer.status})"
        if 200 <= answer.status < 300 and answer.is_web_page:
            return (
                "answers with a web page, as of a login, and not as a chat endpoint; check base_url"
            )
        model, known = self._settings.request.model, protocol.listed(answered_json(answer))
        if not known or lists(known, model) or serves_by_deployment(self._address.host):
            return None
        answer = await transport.get(self._at("models", model).raw_path_qs)
        if names_a_model(answer):
            return None
        return self._secrets.brief(unknown_model(known, model))

    def _denies(self, answer: HttpAnswer) -> bool:
        """Whether a failure says by its code that the key is of no use; 404 may mean no list."""
        if answer.status not in {400, 403}:
            return False
        reasons = self._settings.request.protocol.reasons
        codes = codes_of(answer.headers, failure_json(answer))
        return any(reasons.get(code) is Reason.DENIED for code in codes)

    @property
    def repeats_itself(self) -> bool:
        """Whether it gives the same answer whenever it is asked the same."""
        return self._settings.request.protocol.repeats_itself

    @property
    def answers_per_request(self) -> int:
        """How many answers one request is made to bring."""
        return self._several

    async def score(self, item: Item) -> Outcome:
        """Make one call; what the endpoint says is freed of secrets."""
        answer = await self._answer(item, 1)
        return self._outcome(answer, 1, 0) if isinstance(answer, HttpAnswer) else answer

    async def score_several(self, item: Item, count: int) -> list[Outcome]:
        """Make one request for so many answers; see `AnswersSeveral`."""
        answer = await self._answer(item, count)
        if not isinstance(answer, HttpAnswer):
            return [answer] * count
        return self._unless_it_gives_one(
            [self._outcome(answer, count, number) for number in range(count)]
        )

    async def _answer(self, item: Item, count: int) -> HttpAnswer | Refused | Lost:
        """The answer to a request for so many, or how each of its calls ended without one."""
        if self._transport is None:
            raise JudgeUnavailableError(f"{self.name}: is not open")
        body = self._body(item)
        if len(body) > self._quoted.get(item.id, len(body)):
            return Refused(
                reason=Reason.REJECTED,
                detail="not sent: the prompt has become longer than the one that was paid for",
            )
        if count > 1:
            body = self._settings.request.body(item, self._salt, count)
        try:
            return await self._transport.post(body)
        except NotSentError as error:
            return Refused(reason=Reason.DOWN, detail=self._said(error))
        except BrokenOffError as error:
            return Lost(reason=Reason.BROKEN_OFF, detail=self._said(error))
        except TimeoutError:
            after = f"no answer within {self._settings.timeout:g} s"
            return Lost(reason=Reason.TIMED_OUT, detail=after)

    def _unless_it_gives_one(self, outcomes: list[Outcome]) -> list[Outcome]:
        """The outcomes; if the endpoint does not take several calls together, none was made."""
        refused = [isinstance(one, Refused) for one in outcomes]
        if outcomes[0].reason is Reason.REJECTED and all(refused):
            self._several = 1
            detail = "several answers to a request are refused; asked one by one"
            return [Refused(reason=Reason.WITHDRAWN, detail=detail)] * len(outcomes)
        if any(one.reason is Reason.WITHDRAWN for one in outcomes):
            self._several = 1
        return outcomes

    async def close(self) -> None:
        """Close the connections."""
        if self._transport is not None:
            transport, self._transport = self._transport, None
            await transport.close()

    def _new_transport(self) -> HttpTransport:
        settings = self._settings
        url = self._at(*settings.request.protocol.path(settings.request.model), encoded=True)
        proxy = proxy_for(url)
        return HttpTransport(
            url,
            self._headers(proxy),
            timeout=settings.timeout,
            connect_timeout=settings.connect_timeout,
            proxy=proxy,
        )

    def _headers(self, proxy: Proxy | None) -> dict[str, str]:
        """What goes with every request; the key is read here, and is a secret from now on."""
        settings = self._settings
        headers = merged(
            {
                "Accept": "application/json",
                "Content-Type": "application/json",
                "Accept-Encoding": "identity",
            },
            settings.request.protocol.headers,
            settings.headers,
        )
        secrets = [*self._known, "" if proxy is None else proxy.login]
        if settings.key_variable is not None:
            key = key_from_environment(settings.name, settings.key_variable)
            bearer = settings.carries_key.lower() == "authorization"
            headers[settings.carries_key] = f"Bearer {key}" if bearer else key
            secrets.append(key)
        self._secrets = Secrets.of(secrets)
        return headers

    def _at(self, *path: str, encoded: bool = False) -> URL:
        return self._address.joinpath(*path, encoded=encoded).with_query(self._query)

    def _below(self, path: str) -> URL:
        """The address of a path that may have a query of its own."""
        name, _, query = path.partition("?")
        return self._at(name).update_query(query)

    def _said(self, error: BaseException) -> str:
        return self._secrets.brief(str(error) or type(error).__name__)

    def _outcome(self, answer: HttpAnswer, count: int, number: int) -> Outcome:
        """How a call ended: the one door through which what an endpoint says comes in."""
        outcome = self._read(answer, count)[number]
        if isinstance(outcome, Verdict):
            said = outcome.text + outcome.surcharge + outcome.note
            if self._secrets.clean(said) is said:
                return outcome
        # A score may have been read from a secret, a complaint cut within one: both are read again
        # from what may be kept, and cleaned again, since parts may have been put together.
        if answer.body is not None:
            answer = replace(answer, body=self._secrets.clean_body(answer.body))
        outcome = self._read(answer, count)[number]
        if isinstance(outcome, Verdict):
            return replace(
                outcome,
                text=self._secrets.clean(outcome.text),
                surcharge=self._secrets.brief(outcome.surcharge),
                note=self._secrets.brief(outcome.note),
            )
        return replace(outcome, detail=self._secrets.brief(outcome.detail))

    def _read(self, answer: HttpAnswer, count: int) -> list[Outcome]:
        request = self._settings.request
        return outcomes_of(
            answer,
            count,
            prices=self._prices,
            scale=request.prompt.scale,
            service_tier=request.service_tier,
            free_failures=self._free_failures,
            protocol=request.protocol,
            expected=request.logprobs,
        )

    def _body(self, item: Item) -> bytes:
        body = self._bodies.get(item.id)
        if body is None:
            body = self._settings.request.body(item, self._salt)
            if self._cached + len(body) <= _CACHE:
                self._bodies[item.id] = body
                self._cached += len(body)
        return body
