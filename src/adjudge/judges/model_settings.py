"""Settings of a judge that asks a chat endpoint."""

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
"""Default of `connect_timeout`, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSettings:
    """A chat endpoint's address, request, prices, key and limits."""

    name: str
    request: ChatRequest
    prices: Prices | None
    """Prices are required; a free judge has prices of zero."""
    base_url: str = field(default="https://api.openai.com/v1", repr=False)
    shown_url: str | None = None
    """The URL in errors and in the identity, with `${NAME}` in place of variables in its path; None
    for `base_url` without its query."""
    key_variable: str | None = "OPENAI_API_KEY"
    """The environment variable that holds the key; None if the endpoint needs no key."""
    key_header: str | None = None
    """The header of the key, such as `api-key`; None for the protocol's."""
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """Further headers; see `secrets`."""
    secrets: Collection[str] | None = field(default=None, repr=False)
    """Secrets besides the key; None for the values of all headers and of the URL's query."""
    free_failures: bool | None = None
    """Whether failed requests are free; None if only those to known hosts are (see `hosts`)."""
    limits: Limits = field(default_factory=Limits)
    timeout: float = 120.0
    """Seconds allowed for a call."""
    connect_timeout: float = _CONNECT
    """Seconds allowed to connect; nothing is billed before that. By default 10, or half of
    `timeout` if that is at most 10."""

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
        """Name of the header for the key."""
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
