"""Worst-case and expected prices of every call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from adjudge.core.arrays import FloatArray, IntArray
from adjudge.core.requests import Requests
from adjudge.errors import InputError
from adjudge.judges import Salted
from adjudge.records import dollars
from adjudge.run.plan import Plan
from adjudge.run.seen import Seen


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Quotes:
    """The judges' quotes for every pair, in nano-dollars."""

    most_input: IntArray
    """Worst case of the input's cost; shape (K, J)."""
    most_output: IntArray
    likely_input: IntArray
    """A first guess at the input's cost; shape (K, J)."""
    likely_output: IntArray
    tokens: IntArray
    """Approximate number of tokens of a call; shape (K, J)."""

    @classmethod
    def of(cls, plan: Plan, *, salt: bytes = b"") -> Quotes:
        """Every judge's quote for every item; raises if a prompt cannot be rendered.

        The salt of the run changes no quote. With it, prompts are rendered as they will be sent,
        so that they need not be rendered again.
        """
        for judge in plan.judges:
            if isinstance(judge, Salted):
                judge.use_salt(salt)
        shape = len(plan.items), len(plan.judges)
        # Sums over all pairs must fit into 64 bits.
        largest = 2**62 // (2 * shape[0] * shape[1])
        rows: list[tuple[int, ...]] = []
        # Item by item, so that judges that share a prompt render it once.
        for item in plan.items:
            for judge in plan.judges:
                quote = judge.quote(item)
                most, likely = quote.most, quote.likely
                row = most.input, most.output, likely.input, likely.output, quote.tokens
                if max(row) > largest:
                    raise InputError(
                        f"price of {judge.name}",
                        f"one call could cost {dollars(most.total)}",
                        "lower max_tokens, or the prices",
                    )
                rows.append(row)
        table = np.array(rows, np.int64).reshape(*shape, 5).transpose(2, 0, 1).copy()
        _check_priced(plan, table[0] + table[1])
        return cls(
            most_input=table[0],
            most_output=table[1],
            likely_input=table[2],
            likely_output=table[3],
            tokens=table[4],
        )

    @property
    def most(self) -> IntArray:
        """Worst case of a call; shape (K, J)."""
        return self.most_input + self.most_output

    def likely_of(self, judge: int) -> float:
        """First guess at the price of a call of this judge; mean over all items."""
        likely = self.likely_input[:, judge] + self.likely_output[:, judge]
        return max(float(likely.mean()), 1.0)

    def expected(self, seen: Seen, *, prompts: FloatArray | float | None = None) -> FloatArray:
        r"""Expected price of one call, learned from the calls seen; shape (K, J).

        .. math:: (1 - l_j)\,(w_j r^{in}_j q^{in}_{kj} + r^{out}_j q^{out}_{kj}) + l_j\,m_{kj}

        with the first guesses q, the judge's ratios r of real cost to guess, the worst case m, and
        the share l of lost calls (charged m). As pseudo-counts, each ratio and share starts with
        one call that cost the guess and was not lost. w is the number of prompts that a call pays
        for: `prompts`, or the average so far. In whole nano-dollars, at least 1.
        """
        calls = seen.answered.sum(axis=0)
        if prompts is None:
            prompts = (seen.requests.sum(axis=0) + 1) / (calls + 1)
        paid = self._ratio(seen.paid_input, self.likely_input, seen.requests)
        usage = prompts * paid * self.likely_input
        paid = self._ratio(seen.paid_output, self.likely_output, seen.answered)
        usage = usage + paid * self.likely_output
        lost = seen.lost.sum(axis=0)
        share = lost / (calls + lost + 1)
        expected: FloatArray = np.maximum(np.ceil((1 - share) * usage + share * self.most), 1.0)
        return expected

    def requests(self, seen: Seen, together: IntArray) -> Requests | None:
        """Expected prices of calls that share a request; None if no calls have shared one yet.

        `together` (J,) is the number of calls that each judge takes per request.
        """
        shared = (together > 1) & (seen.requests.sum(axis=0) < seen.answered.sum(axis=0))
        if not shared.any():
            return None
        return Requests(
            first=self.expected(seen, prompts=1.0),
            again=self.expected(seen, prompts=np.where(shared, 0.0, 1.0)),
            together=np.where(shared, together, 1),
        )

    def _ratio(self, paid: FloatArray, likely: IntArray, calls: IntArray) -> FloatArray:
        """Each judge's ratio of real cost to first guess; shape (J,)."""
        one = np.maximum(likely.mean(axis=0), 1.0)
        ratio: FloatArray = (paid + one) / ((likely * calls).sum(axis=0) + one)
        return ratio


def _check_priced(plan: Plan, most: IntArray) -> None:
    """Refuse a free judge: no budget would ever limit its calls."""
    free = np.flatnonzero((most == 0).any(axis=0))
    if free.size:
        raise InputError(
            f"price of {plan.judges[free[0]].name}",
            "a call costs nothing",
            "give a price, however small: what is free cannot be rationed by a budget",
        )
