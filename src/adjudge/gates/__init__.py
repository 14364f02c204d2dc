"""Gates: claims that a run's scores must support, such as `mean(group=a) > 7`."""

from adjudge.gates.check import check_gate, check_gate_of
from adjudge.gates.decide import Decision, Outcome, decide
from adjudge.gates.enough import enough_by, level_at_the_end, plan_until
from adjudge.gates.gate import Gate, Kind, Quantity, parse_gate

__all__ = [
    "Decision",
    "Gate",
    "Kind",
    "Outcome",
    "Quantity",
    "check_gate",
    "check_gate_of",
    "decide",
    "enough_by",
    "level_at_the_end",
    "parse_gate",
    "plan_until",
]
