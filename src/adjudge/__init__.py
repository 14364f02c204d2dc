"""Spend a fixed budget of LLM-judge calls where it buys the most accuracy."""

from __future__ import annotations

from adjudge.version import __version__

TYPE_CHECKING = False
# As typing has it, whose import would take most of the time of `adjudge --version`.

if TYPE_CHECKING:
    from adjudge.errors import AdjudgeError
    from adjudge.evaluation import Evaluation, evaluate, evaluate_async
    from adjudge.judges import FunctionJudge, ModelJudge, Prices, Scale, SimulatedJudge
    from adjudge.records import Item

__all__ = [
    "AdjudgeError",
    "Evaluation",
    "FunctionJudge",
    "Item",
    "ModelJudge",
    "Prices",
    "Scale",
    "SimulatedJudge",
    "__version__",
    "evaluate",
    "evaluate_async",
]

_HOMES = {
    "adjudge.errors": ("AdjudgeError",),
    "adjudge.evaluation": ("Evaluation", "evaluate", "evaluate_async"),
    "adjudge.judges": ("FunctionJudge", "ModelJudge", "Prices", "Scale", "SimulatedJudge"),
    "adjudge.records": ("Item",),
}


def __getattr__(name: str) -> object:
    # Found when asked for: the command line need not wait for everything that Python may want.
    from importlib import import_module  # noqa: PLC0415

    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
