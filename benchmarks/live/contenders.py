"""Different clients that make the same calls; each returns its calls per second."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import aiohttp
import numpy as np
import orjson
import uvloop

from adjudge.core.evidence import Allocation, Evidence
from adjudge.core.problem import Problem
from adjudge.core.strategies import Uniform
from adjudge.judges import ChatRequest, Limits, ModelJudge, ModelSettings, Prices, Prompt, Scale
from adjudge.records import Item, nano_dollars
from adjudge.run import Plan, run

KEY = "sk-practice-key"
os.environ["PRACTICE_KEY"] = os.environ["OPENAI_API_KEY"] = KEY
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # no downloads during the measurement
SCALE = Scale(low=1, high=10, whole=True)
REQUEST = ChatRequest(model="practice", prompt=Prompt(scale=SCALE), max_tokens=64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """Calls per second: at full pace, and including the time before the first answer."""

    pace: float
    whole: float


Contender = Callable[[str, int, int], Speed]
"""Maps (address, calls, calls at a time) to a speed."""


@dataclass(frozen=True, slots=True)
class OnceEach(Uniform):
    """A strategy that calls every pair once, whatever the budget."""

    def next_batch(
        self, problem: Problem, evidence: Evidence, remaining: float, rng: np.random.Generator
    ) -> Allocation:
        """The pairs not yet asked."""
        return Allocation(counts=np.maximum(1 - evidence.calls, 0))


def items(count: int) -> list[Item]:
    """`count` short answers to judge."""
    return [Item(id=f"item-{k}", prompt="Greet me.", response=f"Hello {k}!") for k in range(count)]


def settings(url: str, at_once: int) -> ModelSettings:
    """A judge at this address that allows `at_once` concurrent calls."""
    return ModelSettings(
        name="practice",
        request=REQUEST,
        prices=Prices.of(input="0.15", output="0.60"),
        base_url=url,
        key_variable="PRACTICE_KEY",
        limits=Limits(concurrency=at_once),
    )


def bare(url: str, calls: int, at_once: int) -> Speed:
    """A plain aiohttp loop with uvloop and orjson: no ledger, no budget, no scores."""

    async def all_calls() -> Speed:
        headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0), headers=headers
        ) as session:

            async def one(body: bytes) -> str:
                async with session.post(f"{url}/chat/completions", data=body) as response:
                    answer = orjson.loads(await response.read())
                    return str(answer["choices"][0]["message"]["content"])

            return await _timed(one, calls, at_once)

    return uvloop.run(all_calls())


def adjudge(url: str, calls: int, at_once: int, *, judge: type[ModelJudge] = ModelJudge) -> Speed:
    """Adjudge: reserves and settles every call on disk, and reads every score."""
    own = judge(settings(url, at_once))
    plan = Plan(items=items(calls), judges=[own], scale=SCALE, strategy=OnceEach())
    moments: list[tuple[float, int]] = []
    # Not in the system's temporary folder, which may be in memory, where commits cost nothing.
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        began = time.perf_counter()
        result = run(
            plan,
            Path(folder) / "ledger.db",
            budget=nano_dollars(1000),
            on_settled=lambda settled: moments.append((time.perf_counter(), len(settled))),
        )
    assert result.judges[0].scored == calls
    (first, head), (last, _) = moments[0], moments[-1]
    return Speed(pace=(calls - head) / (last - first), whole=calls / (last - began))


def openai_sdk(url: str, calls: int, at_once: int) -> Speed:
    """The openai package, without retries."""
    openai = import_module("openai")

    async def all_calls() -> Speed:
        async with openai.AsyncOpenAI(base_url=url, api_key=KEY, max_retries=0) as client:

            async def one(body: bytes) -> str:
                answer = await client.chat.completions.create(**orjson.loads(body))
                return str(answer.choices[0].message.content)

            return await _timed(one, calls, at_once)

    return uvloop.run(all_calls())


def litellm_sdk(url: str, calls: int, at_once: int) -> Speed:
    """The litellm package, without retries."""
    litellm = import_module("litellm")
    litellm.suppress_debug_info = True

    async def all_calls() -> Speed:
        async def one(body: bytes) -> str:
            fields = {**orjson.loads(body), "model": "openai/practice"}
            answer = await litellm.acompletion(**fields, api_base=url, api_key=KEY, num_retries=0)
            return str(answer.choices[0].message.content)

        return await _timed(one, calls, at_once)

    return uvloop.run(all_calls())


def inspect_models(url: str, calls: int, at_once: int) -> Speed:
    """The model layer of inspect_ai, without its log."""
    inspect_model = import_module("inspect_ai.model")

    async def all_calls() -> Speed:
        config = inspect_model.GenerateConfig(max_tokens=64, max_connections=at_once, max_retries=0)
        model = inspect_model.get_model(
            "openai/practice", base_url=url, api_key=KEY, config=config, responses_api=False
        )

        async def one(body: bytes) -> str:
            answer = await model.generate(orjson.loads(body)["messages"][-1]["content"])
            return str(answer.completion)

        return await _timed(one, calls, at_once)

    return uvloop.run(all_calls())


def installed() -> dict[str, Contender]:
    """The other packages that are installed, for comparison."""
    known: dict[str, tuple[str, Contender]] = {
        "openai SDK": ("openai", openai_sdk),
        "litellm": ("litellm", litellm_sdk),
        "inspect_ai": ("inspect_ai", inspect_models),
    }
    return {name: make for name, (module, make) in known.items() if find_spec(module)}


async def _timed(one: Callable[[bytes], Awaitable[str]], calls: int, at_once: int) -> Speed:
    queue = iter([REQUEST.body(item) for item in items(calls)])

    async def worker() -> None:
        for body in queue:
            assert "score" in await one(body)

    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(at_once):
            group.create_task(worker())
    pace = calls / (time.perf_counter() - began)
    return Speed(pace=pace, whole=pace)
