"""A judge that asks a chat endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from yarl import URL

from adjudge.errors import InputError, JudgeUnavailableError
from adjudge.judges.abilities import Abilities
from adjudge.judges.base_address import BaseAddress
from adjudge.judges.chat_answer import Terms
from adjudge.judges.clean_outcome import clean_outcomes
from adjudge.judges.description import Description, describe_chat
from adjudge.judges.hosts import fails_for_free, needs_service_tier
from adjudge.judges.http_transport import HttpTransport
from adjudge.judges.judge import Limits, Quote
from adjudge.judges.model_settings import ModelSettings
from adjudge.judges.prices import Prices
from adjudge.judges.protocol import Caching
from adjudge.judges.rates import STANDARD
from adjudge.judges.request_headers import merged
from adjudge.judges.scale import Scale
from adjudge.judges.secrets import Secrets, key_from_environment
from adjudge.judges.transport import (
    BrokenOffError,
    HttpAnswer,
    NotSentError,
    Proxy,
    proxy_for,
)
from adjudge.judges.welcome import objection
from adjudge.records import Item, Lost, Outcome, Reason, Refused

_UNSAID = Caching.UNSAID
_CACHE = 64 * 2**20
"""Maximum bytes of rendered requests kept for further calls about the same items."""


class ModelJudge:
    """Asks a chat endpoint for scores; see `Judge`."""

    def __init__(self, settings: ModelSettings) -> None:
        if settings.prices is None:  # already refused by the settings; for the type checker
            raise InputError(f"prices of {settings.name}", "none are given", "give them")
        self._prices = settings.prices
        base = URL(settings.base_url)
        if settings.request.service_tier is None and needs_service_tier(base.host):
            request = replace(settings.request, service_tier=STANDARD)
            # Only by a list: without one, the price of writing may be a worst-case guess.
            dear = self._prices.listed and self._prices.writes_cost
            settings = replace(settings, request=replace(request, writes_cost=dear))
        free = settings.free_failures
        self._settings = settings
        request = settings.request
        self._terms = Terms(
            prices=self._prices,
            scale=request.prompt.scale,
            service_tier=request.service_tier,
            free_failures=fails_for_free(base.host) if free is None else free,
            protocol=request.protocol,
            expected=request.logprobs,
        )
        self._alone = Caching.IN_VAIN if request.writes_cost else _UNSAID
        """Caching for requests that no other about the same item will follow soon."""
        self._abilities = Abilities(
            chosen=request.answers_per_request, most=request.protocol.most_answers
        )
        self._base = BaseAddress(base)
        self._shown = settings.shown_url or str(self._base.plain)
        known = settings.secrets
        self._known = (
            (*settings.headers.values(), *base.query.values()) if known is None else tuple(known)
        )
        self._secrets = Secrets.of(self._known)
        self._quotes: dict[int, Quote] = {}
        """Quotes by length of the request: many requests share one."""
        self._quoted: dict[str, int] = {}
        """Length of the quoted request, by the item's id."""
        self._salt = b""
        self._bodies: dict[str, bytes] = {}
        self._cached = 0
        self._transport: HttpTransport | None = None

    def __reduce__(self) -> tuple[type[ModelJudge], tuple[ModelSettings]]:
        return type(self), (self._settings,)  # the receiving process reads the key in `open`

    @property
    def timeout(self) -> float:
        """Seconds allowed for a call."""
        return self._settings.timeout

    @property
    def name(self) -> str:
        """The judge's name."""
        return self._settings.name

    @property
    def identity(self) -> str:
        """The address (without its query), model, settings and prompt."""
        request = self._settings.request
        return repr((request.protocol.family, self._shown, request.identity))

    @property
    def reads(self) -> frozenset[str]:
        """The item fields that the prompt names."""
        return self._settings.request.prompt.reads

    @property
    def form(self) -> str:
        """The response format; see `form_of`."""
        return self._settings.request.form

    @property
    def limits(self) -> Limits:
        """The judge's rate and concurrency limits."""
        return self._settings.limits

    @property
    def prices(self) -> Prices:
        """The prices and their origin."""
        return self._prices

    @property
    def scale(self) -> Scale:
        """The scale in the prompt."""
        return self._settings.request.prompt.scale

    def quote(self, item: Item) -> Quote:
        """The worst case and a first estimate, from the length of the request."""
        length = self._quoted[item.id] = len(self._body(item))
        quote = self._quotes.get(length)
        if quote is None:
            quote = self._quotes[length] = self._settings.request.quote(length, self._prices)
        return quote

    def preview(self, item: Item) -> str:
        """The messages of a call about this item."""
        messages = self._settings.request.prompt.messages(item)
        return "\n\n".join(f"[{message['role']}]\n{message['content']}" for message in messages)

    def describe(self, item: Item) -> Description:
        """Model, settings, prices and prompt, without the key, the headers and the URL's path."""
        host = str(self._base.plain.origin())
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
        """Read the key, and check by free requests that the endpoint has the model."""
        self.use_salt(salt)
        self._transport = self._new_transport()
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                request = self._settings.request
                problem = await objection(
                    self._transport, self._base, request.protocol, request.model
                )
        except (NotSentError, BrokenOffError, TimeoutError) as error:
            problem = (
                f"cannot be reached ({self._said(error)}); see whether it runs and whether this "
                "machine has a connection, and check base_url"
            )
        except asyncio.CancelledError:
            await self.close()
            raise
        if problem is None:
            return
        await self.close()
        # Not chained to its cause, whose text may contain secrets of the address.
        problem = self._secrets.brief(problem)
        raise JudgeUnavailableError(f"{self.name}: {self._shown} {problem}")

    @property
    def repeats_itself(self) -> bool:
        """Whether all answers about an item are the same; see `RepeatsItself`."""
        return self._settings.request.protocol.repeats_itself

    @property
    def answers_per_request(self) -> int:
        """Maximum number of answers per request; see `AnswersSeveral`."""
        return self._abilities.several

    @property
    def several_known(self) -> bool:
        """Whether that number is confirmed; see `AnswersSeveral`."""
        return self._abilities.several_known

    @property
    def caches_prompts(self) -> bool:
        """Whether cached tokens have a lower price."""
        return self._prices.reads_save

    # Every awaited frame costs time in each call: these methods return the coroutine itself.
    def score(self, item: Item) -> Coroutine[Any, Any, Outcome]:
        """Make one call; secrets are removed from whatever the endpoint sends."""
        return self._score(item, self._alone)

    def score_repeated(self, item: Item) -> Coroutine[Any, Any, Outcome]:
        """Make one of several calls about this item; see `CachesPrompts`."""
        return self._score(item, Caching.WORTH_IT if self.caches_prompts else _UNSAID)

    async def _score(self, item: Item, caching: Caching) -> Outcome:
        if not self._abilities.caching:
            caching = _UNSAID
        answer = await self._answer(item, 1, caching)
        outcome: Outcome
        if isinstance(answer, HttpAnswer):
            (outcome,) = clean_outcomes(answer, 1, self._terms, self._secrets)
        else:
            outcome = answer
        return outcome if caching is _UNSAID else self._abilities.after_one(outcome)

    async def score_several(self, item: Item, count: int) -> list[Outcome]:
        """Make one request for `count` answers; see `AnswersSeveral`."""
        caching = self._alone if self._abilities.caching else _UNSAID
        answer = await self._answer(item, count, caching)
        if not isinstance(answer, HttpAnswer):
            return [answer] * count
        outcomes = clean_outcomes(answer, count, self._terms, self._secrets)
        return self._abilities.after_several(outcomes)

    async def _answer(
        self, item: Item, count: int, caching: Caching = _UNSAID
    ) -> HttpAnswer | Refused | Lost:
        """The answer to a request for `count` answers, or the outcome of its calls without one."""
        if self._transport is None:
            raise JudgeUnavailableError(f"{self.name}: is not open")
        body = self._body(item)
        if len(body) > self._quoted.get(item.id, len(body)):
            return Refused(
                reason=Reason.REJECTED,
                detail="not sent: the prompt has become longer than the one that was paid for",
            )
        if count > 1 or caching is not _UNSAID:
            body = self._settings.request.varied(body, count, caching)
        try:
            return await self._transport.post(body)
        except NotSentError as error:
            return Refused(reason=Reason.DOWN, detail=self._said(error))
        except BrokenOffError as error:
            return Lost(reason=Reason.BROKEN_OFF, detail=self._said(error))
        except TimeoutError:
            after = f"no answer within {self._settings.timeout:g} s"
            return Lost(reason=Reason.TIMED_OUT, detail=after)

    async def close(self) -> None:
        """Close the connections."""
        if self._transport is not None:
            transport, self._transport = self._transport, None
            await transport.close()

    def _new_transport(self) -> HttpTransport:
        settings = self._settings
        url = self._base.at(*settings.request.protocol.path(settings.request.model), encoded=True)
        proxy = proxy_for(url)
        return HttpTransport(
            url,
            self._headers(proxy),
            timeout=settings.timeout,
            connect_timeout=settings.connect_timeout,
            proxy=proxy,
        )

    def _headers(self, proxy: Proxy | None) -> dict[str, str]:
        """Headers of every request; reads the key, and adds it to the secrets."""
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

    def _said(self, error: BaseException) -> str:
        return self._secrets.brief(str(error) or type(error).__name__)

    def _body(self, item: Item) -> bytes:
        body = self._bodies.get(item.id)
        if body is None:
            body = self._settings.request.body(item, self._salt)
            if self._cached + len(body) <= _CACHE:
                self._bodies[item.id] = body
                self._cached += len(body)
        return body
