"""A reply of the practice server."""

from __future__ import annotations

from dataclasses import dataclass

from adjudge.testing.completion import Completion


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The reply to send, and the completion it bills, if any."""

    body: bytes
    billed: Completion | None
    status: int = 200
    headers: tuple[str, ...] = ()
    slow: bool = False
    sent: float = 1.0
    """Share of the reply that is sent."""
    reset: bool = False
    """Whether the connection is reset afterwards."""
