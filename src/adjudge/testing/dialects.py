"""The protocols of the practice server."""

from __future__ import annotations

from adjudge.testing.dialect import Dialect
from adjudge.testing.dialect_chat import AZURE, CHAT, OPENROUTER
from adjudge.testing.dialect_converse import ConverseDialect
from adjudge.testing.dialect_decisions import DecisionsDialect, SystemOneDialect
from adjudge.testing.dialect_generate import GenerateDialect
from adjudge.testing.dialect_messages import MessagesDialect

DIALECTS: tuple[Dialect, ...] = (
    CHAT,
    MessagesDialect(),
    GenerateDialect(),
    ConverseDialect(),
    OPENROUTER,
    AZURE,
    DecisionsDialect(),
    SystemOneDialect(),
)


def dialect_at(path: str) -> Dialect:
    """The protocol of this path; chat completions if no other matches."""
    return next((one for one in DIALECTS if one.is_asked(path)), CHAT)


def dialect_named(protocol: str) -> Dialect:
    """The protocol of this name in run files."""
    return next(one for one in DIALECTS if one.protocol == protocol)
