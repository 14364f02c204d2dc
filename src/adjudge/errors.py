"""Every error that adjudge raises on purpose.

AdjudgeError
├── InputError          an input is wrong: what, where, and how to fix it
│   ├── BudgetError     the budget is too small for its purpose; `.needed` is enough
│   ├── ConfigError     a run file has mistakes; `.problems` has one sentence for each
│   └── DatasetError    items have mistakes; `.problems` has one sentence for each kind
├── JudgeUnavailableError  a judge cannot be asked at all: which, and why
├── CallRefusedError    raised by a judge function for a call that it refused and that was free
├── StoreError          the ledger cannot be opened, read or written; its content is unchanged
└── SimulationError     a simulated run failed
"""

from __future__ import annotations

from collections.abc import Sequence


class AdjudgeError(Exception):
    """Base of all errors of this package; messages are written for people."""


class InputError(AdjudgeError, ValueError):
    """A field has a value that cannot be used.

    The message is one sentence: the field, its value, and what is expected.
    """

    def __init__(self, field: str, found: str, expected: str) -> None:
        super().__init__(f"{field}: {found}; {expected}")
        self.field = field
        self.found = found
        self.expected = expected

    def __reduce__(self) -> tuple[object, ...]:
        # Simulations pass exceptions between processes; the default would pass only the message.
        return type(self), (self.field, self.found, self.expected)


class BudgetError(InputError):
    """The budget is too small for its purpose."""

    def __init__(
        self, found: str, expected: str, *, needed: float, purpose: str = "", otherwise: str = ""
    ) -> None:
        super().__init__("budget", found, expected)
        self.needed = needed
        """The smallest budget that is enough."""
        self.purpose = purpose or "what was asked"
        """The purpose, so that a caller can restate the error in dollars."""
        self.otherwise = otherwise
        """An alternative to a larger budget, as the end of a sentence; empty if there is none."""

    @classmethod
    def too_small(
        cls, budget: float, purpose: str, *, needed: float, otherwise: str = ""
    ) -> BudgetError:
        """The error for a budget that is too small for this purpose, in the caller's units."""
        return cls(
            f"{budget:.6g} is too small for {purpose}",
            f"it needs at least {needed:.6g}{otherwise}",
            needed=needed,
            purpose=purpose,
            otherwise=otherwise,
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _budget_error, (
            self.found, self.expected, self.needed, self.purpose, self.otherwise,
        )  # fmt: skip


class _ListedError(InputError):
    """All problems of one source."""

    def __init__(self, source: str, problems: Sequence[str]) -> None:
        super().__init__(source, f"{len(problems)} problems", "fix each of them")
        self.args = ("\n".join(problems),)
        self.source = source
        self.problems = tuple(problems)
        """One sentence per problem; the message has one per line."""

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.source, self.problems)


class ConfigError(_ListedError):
    """A run file cannot be used; every problem names the file, the line and the key."""


class DatasetError(_ListedError):
    """Items cannot be used; every problem names the source and the rows."""


class JudgeUnavailableError(AdjudgeError):
    """A judge cannot be asked at all; raised before anything is spent."""


class CallRefusedError(AdjudgeError):
    """Raised by a judge function if it did not answer and the call was free.

    After any other exception of a judge function, the call counts as paid and lost.
    """


class StoreError(AdjudgeError):
    """The ledger cannot be opened, read or written; its content is unchanged."""


class SimulationError(AdjudgeError):
    """A simulated run failed."""


def _budget_error(
    found: str, expected: str, needed: float, purpose: str, otherwise: str
) -> BudgetError:
    return BudgetError(found, expected, needed=needed, purpose=purpose, otherwise=otherwise)
