"""Every prior and threshold stands in one short list, with its reason."""

import ast
import dataclasses
import inspect

from adjudge.core.panel import beliefs
from adjudge.core.panel.beliefs import UNBIASED, YES_OR_NO, Beliefs


def test_there_are_few_beliefs_and_each_has_its_reason() -> None:
    (found,) = (
        node
        for node in ast.parse(inspect.getsource(beliefs)).body
        if isinstance(node, ast.ClassDef) and node.name == Beliefs.__name__
    )
    fields = [place for place, line in enumerate(found.body) if isinstance(line, ast.AnnAssign)]
    assert len(fields) == len(dataclasses.fields(Beliefs)) <= 30
    for place in fields:
        reason = found.body[place + 1]
        assert isinstance(reason, ast.Expr), ast.unparse(found.body[place])
        assert isinstance(reason.value, ast.Constant)
        assert isinstance(reason.value.value, str)
        assert reason.value.value.endswith(".")


def test_presets_are_values_of_the_same_beliefs() -> None:
    assert YES_OR_NO.yes_or_no
    assert not Beliefs().yes_or_no
    assert type(UNBIASED) is type(YES_OR_NO) is Beliefs


def test_beliefs_that_judges_are_alike_change_nothing_else() -> None:
    plain = Beliefs(noise=0.03, skewness=0.2)
    for changed in (plain.that_judges_agree(0.8), plain.that_judges_measure_one_score()):
        assert (changed.noise, changed.skewness) == (0.03, 0.2)
        assert changed.offset == plain.offset
