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
    """An answer, in no protocol's own words, and its tokens."""

    prices: Prices
    model: str
    text: str
    prompt_tokens: int
    """Those of the cache included."""
    output_tokens: int
    """Of the text and of all further texts, without thinking."""
    more: tuple[str, ...] = ()
    """Further answers to the same prompt."""
    cached_tokens: int = 0
    written_tokens: int = 0
    long_written_tokens: int = 0
    """Those of the written ones that are kept for an hour."""
    thinking_tokens: int = 0
    """Billed as output, and stated as the protocol states them."""
    reasoning_tokens: int = 0
    """Billed on top of the output, and left out of its tokens and of the total."""
    service_tier: str = STANDARD
    logprobs: bool = False
    """Whether its log-probabilities are told."""
    levels: tuple[str, ...] = ()
    """The levels that it decides between, where that is asked."""
    questions: tuple[str, ...] = ()
    """The names of the questions that it decides."""
    declined: bool = False
    cut_short: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        """All answers."""
        return self.text, *self.more

    def tokens(self, text: str) -> list[tuple[str, list[tuple[str, float]]]]:
        """The text's tokens, each with the likeliest that might have stood there.

        Where it says a number, the ones beside it were each half as likely.
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
        """Tokens of the prompt that have nothing to do with a cache."""
        return self.prompt_tokens - self.cached_tokens - self.written_tokens

    @property
    def cost(self) -> Money:
        """What it is billed at."""
        return self.prices.cost(
            prompt_tokens=self.prompt_tokens,
            output_tokens=self.answer_tokens + self.reasoning_tokens,
            cached_tokens=self.cached_tokens,
            written_tokens=self.written_tokens,
            long_written_tokens=self.long_written_tokens,
            service_tier=self.service_tier,
        ).total
