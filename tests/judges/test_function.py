import asyncio
import pickle
import threading

import pytest

from adjudge.errors import CallRefusedError, InputError, JudgeUnavailableError
from adjudge.judges import FunctionJudge, Replicas, Scale, function_at
from adjudge.records import Item, Lost, Reason, Refused

SCALE = Scale(low=0, high=1)
ITEM = Item(id="a", response="Hello!")


def outcome(function, **settings):
    judge = FunctionJudge("f", function, scale=SCALE, price=7, **settings)
    return asyncio.run(judge.score(ITEM))


@pytest.mark.parametrize("answer", [0.5, "0.5", "score: 0.5", '{"score": 0.5}'])
def test_a_function_may_answer_with_a_number_or_with_words(answer):
    verdict = outcome(lambda item: answer)
    assert verdict.score == 0.5
    assert verdict.cost.total == 7


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (None, Reason.UNREADABLE),
        (True, Reason.UNREADABLE),
        (object(), Reason.UNREADABLE),
        (2, Reason.OUT_OF_RANGE),
        (float("nan"), Reason.OUT_OF_RANGE),
        ("nothing", Reason.UNREADABLE),
    ],
)
def test_an_answer_without_a_score_is_billed(answer, reason):
    verdict = outcome(lambda item: answer)
    assert verdict.score is None
    assert verdict.reason is reason
    assert verdict.cost.total == 7


@pytest.mark.parametrize(
    ("answer", "shown"), [(None, "None"), (2, "2"), (5.5, "5.5"), ({}, "an object of type dict")]
)
def test_an_answer_without_a_score_is_shown(answer, shown):
    assert outcome(lambda item: answer).text == shown


@pytest.mark.parametrize("error", [ValueError("no"), StopIteration(), SystemExit(3), KeyError("k")])
def test_what_a_function_raises_is_a_call_that_was_paid(error):
    def raising(item):
        raise error

    lost = outcome(raising)
    assert isinstance(lost, Lost)
    assert lost.reason is Reason.RAISED


def test_a_function_can_say_that_a_call_cost_nothing():
    def refusing(item):
        raise CallRefusedError("not now")

    assert isinstance(outcome(refusing), Refused)


def test_a_function_that_hangs_is_given_up_after_its_timeout():
    release = threading.Event()
    lost = outcome(lambda item: release.wait(30), timeout=0.05)
    release.set()
    assert lost.reason is Reason.TIMED_OUT


def test_a_timeout_that_the_function_itself_raises_is_not_that_of_the_judge():
    def raising(item):
        raise TimeoutError("the socket gave no answer")

    lost = outcome(raising, timeout=30)
    assert lost.reason is Reason.RAISED
    assert lost.detail == "TimeoutError: the socket gave no answer"


def test_an_object_with_an_async_call_is_a_function_too():
    class Asking:
        async def __call__(self, item):
            return 0.25

    assert outcome(Asking()).score == 0.25


def test_a_changed_function_is_another_judge():
    def one(item):
        return 0.1

    first = FunctionJudge("f", one, scale=SCALE, price=7).identity

    def one(item):
        return 0.2

    assert FunctionJudge("f", one, scale=SCALE, price=7).identity != first
    assert FunctionJudge("f", one, scale=SCALE, price=9).identity != first


def test_a_function_is_found_by_its_path():
    assert function_at("math:sqrt")(4) == 2


@pytest.mark.parametrize("path", ["math", "nowhere.to.be:found", "math:nothing", "math:pi", ":"])
def test_a_path_that_leads_nowhere_is_one_clear_error(path):
    with pytest.raises(InputError, match="function"):
        function_at(path)


def test_a_function_without_a_price_is_refused():
    with pytest.raises(InputError, match="price"):
        FunctionJudge("f", lambda item: 1, scale=SCALE, price=None)


class Model:
    made = 0

    def __init__(self) -> None:
        type(self).made += 1

    def __call__(self, items: list[Item]) -> list[float]:
        return [len(item.response) / 10 for item in items]


class Broken:
    def __init__(self) -> None:
        raise OSError("weights not found")

    def __call__(self, item: Item) -> float:
        return 0.5


class WithoutCall:
    pass


def test_a_class_is_made_into_one_object_that_is_asked():
    judge = FunctionJudge("f", Model, scale=SCALE, price=7, replicas=Replicas(batch_size=4))

    async def asked():
        await judge.open()
        outcomes = [await judge.score(ITEM), *await judge.score_batch([ITEM, ITEM])]
        await judge.close()
        return outcomes

    assert [outcome.score for outcome in asyncio.run(asked())] == [0.6] * 3
    assert Model.made == 1


def test_a_class_that_cannot_be_made_is_told_before_the_first_call():
    judge = FunctionJudge("f", Broken, scale=SCALE, price=7)
    with pytest.raises(JudgeUnavailableError, match=r"Broken\(\) raised OSError: weights"):
        asyncio.run(judge.open())


def test_a_class_without_a_call_is_refused():
    with pytest.raises(InputError, match="a class without __call__"):
        function_at(f"{__name__}:WithoutCall")


@pytest.mark.parametrize("answer", [[0.5], [0.5] * 3, 0.5, "0.5", None])
def test_a_batch_needs_one_answer_for_each_item(answer):
    replicas = Replicas(batch_size=2)
    judge = FunctionJudge("f", lambda items: answer, scale=SCALE, price=7, replicas=replicas)
    outcomes = asyncio.run(judge.score_batch([ITEM, ITEM]))
    assert [outcome.reason for outcome in outcomes] == [Reason.RAISED] * 2
    assert "batch of 2 items" in outcomes[0].detail


def test_a_function_is_carried_by_its_path():
    path = f"{__name__}:Model"
    judge = FunctionJudge("f", function_at(path), scale=SCALE, price=7, path=path)
    assert pickle.loads(pickle.dumps(judge)).identity == judge.identity
    with pytest.raises(TypeError, match="has no path"):
        pickle.dumps(FunctionJudge("f", len, scale=SCALE, price=7))
