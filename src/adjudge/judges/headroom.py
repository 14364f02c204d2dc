"""Rate-limit headers: the remaining quota that an endpoint states."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from adjudge.records import Headroom, Quota

_LONGEST = 24 * 3600.0
"""Seconds; quotas that reset more slowly are not used to pace calls."""
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_PARTS = ("remaining", "limit", "reset")
_OF_REQUESTS = (
    tuple(f"x-ratelimit-{part}-requests" for part in _PARTS),
    tuple(f"anthropic-ratelimit-requests-{part}" for part in _PARTS),
)
_OF_TOKENS = (
    tuple(f"x-ratelimit-{part}-tokens" for part in _PARTS),
    tuple(f"anthropic-ratelimit-tokens-{part}" for part in _PARTS),
)

_REMAINING = frozenset(names[0] for names in (*_OF_REQUESTS, *_OF_TOKENS))


def headroom_of(headers: Mapping[str, str]) -> Headroom | None:
    """The remaining quotas of calls and tokens; None if the headers state none."""
    if _REMAINING.isdisjoint(headers):
        return None
    requests = _first(headers, _OF_REQUESTS)
    tokens = _first(headers, _OF_TOKENS)
    return None if requests is tokens is None else Headroom(requests=requests, tokens=tokens)


def duration(text: str) -> float | None:
    """Seconds of `6m0s`, `1.5s` or `20ms`; None for anything else."""
    parts = _PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in parts)


def _first(headers: Mapping[str, str], names: tuple[tuple[str, ...], ...]) -> Quota | None:
    for remaining, limit, reset in names:
        if remaining in headers:
            until = _seconds(headers.get(reset, ""), headers)
            return _quota(headers.get(limit, ""), headers[remaining], until)
    return None


def _quota(limit: str, remaining: str, reset: float | None) -> Quota | None:
    try:
        most, left = int(limit), int(remaining)
    except ValueError:
        return None
    credible = 0 <= left <= most and reset is not None and 0 <= reset <= _LONGEST
    return Quota(limit=most, remaining=left, reset=reset or 0.0) if credible else None


def _seconds(reset: str, headers: Mapping[str, str]) -> float | None:
    """Seconds until a quota resets: a duration, or a date compared with the answer's own date."""
    if reset[4:5] != "-":
        return duration(reset)
    try:
        until = datetime.fromisoformat(reset)
        own = headers.get("date")
        now = datetime.now(UTC) if own is None else parsedate_to_datetime(own)
        return max((until - now).total_seconds(), 0.0)
    except (TypeError, ValueError, OverflowError):
        return None
