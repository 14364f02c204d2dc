"""Every error that adjudge raises on purpose.

AdjudgeError
├── InputError          something given to us is wrong: what, where, and how to fix it
│   ├── BudgetError     the budget is too small for what was asked; `.needed` would do
│   ├── ConfigError     a run file has mistakes; `.problems` has one sentence for each
│   └── DatasetError    items have mistakes; `.problems` has one sentence for each kind
├── JudgeUnavailableError  a judge cannot be asked at all: which, and why
├── CallRefusedError    raised by a judge function to say that this call cost nothing
├── StoreError          the ledger cannot be opened, read or written; what it holds stays
└── SimulationError     a simulated run could not be carried out
"""

from __future__ import annotations

from collections.abc import Sequence


class AdjudgeError(Exception):
    """Base of all errors of this package; its message is meant to be read by a person."""


class InputError(AdjudgeError, ValueError):
    """A field has a value that cannot be used.

    The message is one sentence: the field, what it holds, and what would be right.
    """

    def __init__(self, field: str, found: str, expected: str) -> None:
        super().__init__(f"{field}: {found}; {expected}")
        self.field = field
        self.found = found
        self.expected = expected

    def __reduce__(self) -> tuple[object, ...]:
        # Exceptions cross process borders in simulations; the default would pass the message only.
        return type(self), (self.field, self.found, self.expected)


class BudgetError(InputError):
    """The budget cannot do what was asked of it."""

    def __init__(
        self, found: str, expected: str, *, needed: float, purpose: str = "", otherwise: str = ""
    ) -> None:
        super().__init__("budget", found, expected)
        self.needed = needed
        """The smallest budget that would do."""
        self.purpose = purpose or "what was asked"
        """What it is too small for, so that a caller can restate the error in dollars."""
        self.otherwise = otherwise
        """What else would do, as the end of a sentence; empty if nothing would."""

    @classmethod
    def too_small(
        cls, budget: float, purpose: str, *, needed: float, otherwise: str = ""
    ) -> BudgetError:
        """The budget, in units that only the caller knows, is too small for this purpose."""
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
    """Everything that is wrong with one source, told at once."""

    def __init__(self, source: str, problems: Sequence[str]) -> None:
        super().__init__(source, f"{len(problems)} problems", "fix each of them")
        self.args = ("\n".join(problems),)
        self.source = source
        self.problems = tuple(problems)
        """One sentence each; the message has one on each line."""

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.source, self.problems)


class ConfigError(_ListedError):
    """A run file cannot be used; every problem names the file, the line and the key."""


class DatasetError(_ListedError):
    """Items cannot be used; every problem names the source and the rows."""


class JudgeUnavailableError(AdjudgeError):
    """A judge cannot be asked at all, found out before anything was spent."""


class CallRefusedError(AdjudgeError):
    """Raised by a judge function to say that it did not answer and that this cost nothing.

    Any other exception of a judge function counts as a call that was paid and lost.
    """


class StoreError(AdjudgeError):
    """The ledger cannot be opened, read or written; what it holds already stays as it is."""


class SimulationError(AdjudgeError):
    """A simulated run could not be carried out."""


def _budget_error(
    found: str, expected: str, needed: float, purpose: str, otherwise: str
) -> BudgetError:
    return BudgetError(found, expected, needed=needed, purpose=purpose, otherwise=otherwise)
