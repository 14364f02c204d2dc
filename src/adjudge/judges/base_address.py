"""The base URL of an endpoint, and the URLs below it."""

from __future__ import annotations

from dataclasses import dataclass

from yarl import URL


@dataclass(frozen=True, slots=True)
class BaseAddress:
    """A URL up to the API version; its query is part of every request."""

    url: URL

    @property
    def plain(self) -> URL:
        """The URL without its query (such as Azure's api-version)."""
        return self.url.with_query(None).with_path(self.url.path.rstrip("/"))

    def at(self, *path: str, encoded: bool = False) -> URL:
        """The URL of this path."""
        return self.plain.joinpath(*path, encoded=encoded).with_query(self.url.query)

    def below(self, path: str) -> URL:
        """The URL of a path that may have its own query."""
        name, _, query = path.partition("?")
        return self.at(name).update_query(query)
