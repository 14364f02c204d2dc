"""Where the endpoint of a judge is, what it costs, and how it may be used."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from yarl import URL

from adjudge.errors import InputError
from adjudge.judges.chat_request import ChatRequest
from adjudge.judges.judge import Limits
from adjudge.judges.prices import Prices
from adjudge.judges.request_headers import check_header

_CONNECT = 10.0
"""Seconds that a connection may take, unless another number is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
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
    """Secrets besides the key; None for the values of all headers and of the address's query."""
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
            raise InputError(
                f"base_url of {self.name}", "is not an http address", "as https://host/v1"
            )
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
