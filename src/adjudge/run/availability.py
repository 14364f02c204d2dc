"""Whether judges can be asked at all, found out without asking them anything."""

from __future__ import annotations

import asyncio

from adjudge.errors import AdjudgeError
from adjudge.judges import Judge
from adjudge.run.plan import Plan


def unavailable_judges(plan: Plan) -> list[str]:
    """Why judges cannot be asked, a sentence for each that cannot; nothing is spent."""

    async def all_of_them() -> list[str | None]:
        return await asyncio.gather(*(_trouble(judge) for judge in plan.judges))

    return [trouble for trouble in asyncio.run(all_of_them()) if trouble is not None]


async def _trouble(judge: Judge) -> str | None:
    try:
        await judge.open()
    except AdjudgeError as error:
        return str(error)
    await judge.close()
    return None
