"""TypeSafe's System One, an endpoint that decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adjudge.judges.protocol import mapping
from adjudge.judges.protocol_decisions import Deciding, Levels, named, share


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemOne(Deciding):
    """`POST /systemone` of TypeSafe, and of compatible servers."""

    name: str = "systemone"
    family: str = "systemone"
    most_levels: int = 10

    @property
    def input_field(self) -> str:
        """See `Deciding`."""
        return "state"

    def path(self, model: str) -> tuple[str, ...]:
        """See `ChatProtocol`."""
        return ("systemone",)

    def asked(self) -> object:
        """See `Deciding`; the model sees only the description of a level."""
        lowest, highest = self.levels[0], self.levels[-1]
        described = [f"{one}, from {lowest} (worst) to {highest} (best)" for one in self.levels]
        return {
            name: {"type": "score", "instructions": question, "criteria": described}
            for name, question in named(self.questions).items()
        }

    def answers(self, said: object) -> Sequence[object] | None:
        """See `Deciding`."""
        answers = mapping(said).get("answers")
        if not isinstance(answers, dict):
            return None
        return [answers[name] for name in named(self.questions) if name in answers]

    def levels_of(self, answer: Mapping[str, object]) -> Levels:
        """See `Deciding`; levels are named by their position."""
        given = mapping(answer.get("probabilities"))
        places = {str(place): label for place, label in enumerate(self.levels)}
        if not given.keys() <= places.keys():
            return []
        return [(places[key], share(value)) for key, value in given.items()]

    def listed(self, said: object) -> frozenset[str]:
        """See `ChatProtocol`."""
        models = mapping(said).get("models")
        names = [mapping(one).get("name") for one in (models if isinstance(models, list) else ())]
        return frozenset(name for name in names if isinstance(name, str) and name)


SYSTEM_ONE = SystemOne()
