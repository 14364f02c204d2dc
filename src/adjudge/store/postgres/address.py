"""Addresses of shared ledgers."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from adjudge.errors import InputError

SCHEMES = ("postgresql://", "postgres://")
_SECRET = ("password", "sslpassword", "passwd")


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """A database, with the purse and the account in it; it contains no secrets."""

    url: str
    purse: str = ""
    """Name of a purse shared by several runs; empty for the ledger's own."""
    account: str = ""
    """Name of this run's account in a shared purse, with its own budget."""

    @classmethod
    def of(cls, text: str, *, purse: str = "", account: str = "") -> PostgresAddress:
        """The parsed address; a password in it raises InputError, which does not repeat it."""
        try:
            parts = urlsplit(text)
            named = {name.lower() for name, _ in parse_qsl(parts.query)}
            has_password = parts.password is not None or not named.isdisjoint(_SECRET)
            port = parts.port
        except ValueError:
            raise InputError(
                "ledger", "the address cannot be read", "write it as postgresql://host/database"
            ) from None
        if has_password:
            raise InputError(
                "ledger",
                "the address has a password in it (it is not shown here)",
                "leave it out and set PGPASSWORD, or name a file by PGPASSFILE",
            )
        if not text.startswith(SCHEMES) or port == 0:
            raise InputError("ledger", f"{text!r}", "write it as postgresql://host/database")
        return cls(text, purse, account)

    @property
    def name(self) -> str:
        """The address in messages."""
        return self.url

    def __str__(self) -> str:
        return self.url


def is_postgres(text: str) -> bool:
    """Whether this is the address of a PostgreSQL database, not of a file."""
    return text.startswith(SCHEMES)
