"""A completion of the practice server, and its price."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from adjudge.judges.prices import Prices
from adjudge.judges.rates import STANDARD
from adjudge.records import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """An answer and its tokens, independent of the protocol."""

    prices: Prices
    model: str
    text: str
    prompt_tokens: int
    """Including cached tokens."""
    output_tokens: int
    """Tokens of all texts, without thinking."""
    more: tuple[str, ...] = ()
    """Further answers to the same prompt."""
    cached_tokens: int = 0
    written_tokens: int = 0
    long_written_tokens: int = 0
    """The written tokens that are cached for an hour."""
    thinking_tokens: int = 0
    """Billed as output, and reported as the protocol does."""
    reasoning_tokens: int = 0
    """Billed as output, but missing from the reported output and total."""
    service_tier: str = STANDARD
    logprobs: bool = False
    """Whether log-probabilities are reported."""
    levels: tuple[str, ...] = ()
    """The levels to decide between, for decision endpoints."""
    questions: tuple[str, ...] = ()
    """The names of the questions to decide."""
    declined: bool = False
    cut_short: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """All answers."""
        return self.text, *self.more

    def tokens(self, text: str) -> list[tuple[str, list[tuple[str, float]]]]:
        """The text's tokens, each with its most likely alternatives.

        The two neighbours of a number are each half as likely as the number.
        """
        found: list[tuple[str, list[tuple[str, float]]]] = []
        for piece in re.findall(r"\d+|\D+", text):
            others = [piece]
            if piece.isdigit():
                others += [str(int(piece) - 1), str(int(piece) + 1)]
            shares = [0.5 if number else 1.0 for number in range(len(others))]
            total = sum(shares)
            likely = [
                (one, math.log(share / total)) for one, share in zip(others, shares, strict=True)
            ]
            found.append((piece, likely))
        return found

    @property
    def answer_tokens(self) -> int:
        """Tokens of the answers, thinking included."""
        return self.output_tokens + self.thinking_tokens

    @property
    def fresh_tokens(self) -> int:
        """Prompt tokens neither read from nor written to the cache."""
        return self.prompt_tokens - self.cached_tokens - self.written_tokens

    @property
    def cost(self) -> Money:
        """The billed amount."""
        return self.prices.cost(
            prompt_tokens=self.prompt_tokens,
            output_tokens=self.answer_tokens + self.reasoning_tokens,
            cached_tokens=self.cached_tokens,
            written_tokens=self.written_tokens,
            long_written_tokens=self.long_written_tokens,
            service_tier=self.service_tier,
        ).total
