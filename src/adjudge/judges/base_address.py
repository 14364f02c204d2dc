"""The base address of an endpoint, and the addresses below it."""

from __future__ import annotations

from dataclasses import dataclass

from yarl import URL


@dataclass(frozen=True, slots=True)
class BaseAddress:
    """An address up to the version of the API; its query goes with every request."""

    url: URL

    @property
    def plain(self) -> URL:
        """Without its query, as Azure's api-version."""
        return self.url.with_query(None).with_path(self.url.path.rstrip("/"))

    def at(self, *path: str, encoded: bool = False) -> URL:
        """The address of this path."""
        return self.plain.joinpath(*path, encoded=encoded).with_query(self.url.query)

    def below(self, path: str) -> URL:
        """The address of a path that may have a query of its own."""
        name, _, query = path.partition("?")
        return self.at(name).update_query(query)
