"""Judges as a Python user gives them: settings, functions, or objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, cast

from pydantic import ValidationError

from adjudge.config.judge_sections import FunctionSection
from adjudge.errors import InputError
from adjudge.judges import FunctionJudge, Judge, Scale, SimulatedJudge
from adjudge.judges.function import JudgeFunction
from adjudge.records import dollars, nano_dollars
from adjudge.report.numbers import listed

JudgeSpec: TypeAlias = Judge | JudgeFunction | Mapping[str, object]
"""A judge, a function of an item, or the settings of a judge as a run file has them."""

STAND_IN_PRICE = 0.001
"""Assumed dollars per call of a function without a price: about the price of a small model."""
_OWN_SETTINGS = ("function", "version", "timeout", "deterministic")
"""Settings of a function that its placeholder in the run file does not have."""
_EXPECTED = {
    "version": 'give a text, as "2"',
    "timeout": "give seconds above zero",
    "deterministic": "give True or False",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSpecs:
    """The judges of a call of `evaluate`, before its run file is checked."""

    given: tuple[Judge | Mapping[str, object], ...]
    unpriced: tuple[str, ...]
    """Functions without a price, which count at the stand-in price."""

    @classmethod
    def of(cls, judges: Iterable[JudgeSpec], price_per_call: float | str | None) -> JudgeSpecs:
        """The judges, with functions as settings; functions without a price get this one."""
        if callable(judges) or isinstance(judges, Mapping | str):
            raise InputError("judges", "this is one judge", "give a list of judges")
        given: list[Judge | Mapping[str, object]] = []
        unpriced = []
        for judge in judges:
            bare = not isinstance(judge, Mapping) and not hasattr(judge, "quote")
            spec = {"function": judge} if bare else judge
            if isinstance(spec, Mapping) and callable(spec.get("function")):
                _settings(spec)
                price = price_per_call
                if bare and price is None:
                    price = STAND_IN_PRICE
                    unpriced.append(_function_name(spec))
                if price is not None:
                    spec = {"price_per_call": price, **spec}
            given.append(cast("Judge | Mapping[str, object]", spec))
        return cls(given=tuple(given), unpriced=tuple(unpriced))

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks for the user."""
        if not self.unpriced:
            return ()
        price = dollars(nano_dollars(STAND_IN_PRICE))
        return (
            f"No price was given for {listed(list(self.unpriced))}: a call counts as {price}. "
            "If it costs something else, say so with price_per_call=.",
        )

    def sections(self) -> list[dict[str, object]]:
        """The judges as in a run file, with placeholders for objects and functions."""
        return [_section(judge) for judge in self.given]

    def ready(self, made: Sequence[Judge], scale: Scale) -> tuple[Judge, ...]:
        """The judges, with placeholders replaced by the caller's objects and functions."""
        return tuple(
            _ready(judge, place, scale) for judge, place in zip(self.given, made, strict=True)
        )


def _section(judge: Judge | Mapping[str, object]) -> dict[str, object]:
    if not isinstance(judge, Mapping):
        return {"kind": "simulated", "name": judge.name, "price_per_call": 1}
    if not callable(judge.get("function")):
        return dict(judge)
    known = {key: value for key, value in judge.items() if key not in _OWN_SETTINGS}
    return {**known, "kind": "simulated", "name": _function_name(judge)}


def _ready(judge: Judge | Mapping[str, object], place: Judge, scale: Scale) -> Judge:
    if not isinstance(judge, Mapping):
        return judge
    if not callable(judge.get("function")):
        return place
    assert isinstance(place, SimulatedJudge)
    settings = _settings(judge)
    return FunctionJudge(
        place.name,
        cast("JudgeFunction", judge["function"]),
        scale=scale,
        price=place.price,
        version=settings.version,
        limits=place.limits,
        timeout=settings.timeout,
        deterministic=settings.deterministic,
    )


def _settings(judge: Mapping[str, object]) -> FunctionSection:
    """The checked settings that only functions have."""
    name = f"judges: {_function_name(judge)}"
    unknown = [key for key in judge if key not in FunctionSection.model_fields]
    if unknown:
        known = ", ".join(FunctionSection.model_fields)
        raise InputError(name, f"{unknown[0]!r} is no setting of a function", f"there are {known}")
    own = {key: judge[key] for key in _OWN_SETTINGS[1:] if key in judge}
    try:
        return FunctionSection.model_validate({**own, "function": "given as an object"})
    except ValidationError as error:
        key = error.errors()[0]["loc"][0]
        raise InputError(name, f"{key} is {own[str(key)]!r}", _EXPECTED[str(key)]) from None


def _function_name(judge: Mapping[str, object]) -> str:
    function = judge["function"]
    return str(judge.get("name") or getattr(function, "__name__", type(function).__name__))
