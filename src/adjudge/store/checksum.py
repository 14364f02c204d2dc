"""Checksums of a ledger's rows: they detect damage and accidental edits, not attackers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from zlib import crc32

import numpy as np
import numpy.typing as npt

from adjudge.core.arrays import FloatArray, IntArray

_MIX = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
_DROPPED = np.uint64(33)
"""Number of bits dropped from the sum: the 31 left take four bytes in SQLite."""


class Damage(Exception):  # noqa: N818 (the store turns it into a StoreError)
    """Something in the ledger was changed after it was written."""


def _weights(count: int) -> npt.NDArray[np.uint64]:
    """Fixed pseudo-random odd numbers."""
    found, state = [], 0x41444A47
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        found.append(state ^ (state >> 29) | 1)
    return np.array(found, np.uint64)


WEIGHTS = _weights(16)


def column_sums(whole: Sequence[IntArray], real: Sequence[FloatArray]) -> IntArray:
    r"""One checksum per row of these columns of equal length.

    The top 31 bits of the mixed sum :math:`\sum_c w_c x_c \bmod 2^{64}` with odd weights: a change
    of one column always changes the sum.
    """
    # -0.0 becomes 0.0, as in SQLite.
    words = [column.view(np.uint64) for column in (*whole, *(column + 0.0 for column in real))]
    total = words[0] * WEIGHTS[0]
    for column, weight in zip(words[1:], WEIGHTS[1 : len(words)], strict=True):
        total += column * weight
    return mixed(total)


def mixed(total: npt.NDArray[np.uint64]) -> IntArray:
    """31-bit hashes of these weighted sums; the argument is overwritten."""
    for shift, factor in _MIX:
        total ^= total >> shift
        total *= factor
    return (total >> _DROPPED).view(np.int64)


def storable(text: str) -> str:
    """The text in a form that any database can store: lone surrogates and NUL become `?`."""
    return text.encode(errors="replace").decode().replace("\0", "?")


def text_sum(text: str | None) -> int | None:
    """Checksum of a text."""
    return None if text is None else crc32(text.encode())


def key_sum(number: int, fingerprint: bytes, name: str) -> int:
    """Checksum of an item or a judge."""
    return crc32(name.encode(), crc32(fingerprint, number % 2**32))


def values_sum(values: Iterable[object]) -> int:
    """Checksum of a row of a small table."""
    return crc32(repr(tuple(values)).encode())
