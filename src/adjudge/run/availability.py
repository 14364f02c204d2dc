"""Whether judges can be reached, checked without a call."""

from __future__ import annotations

import asyncio

from adjudge.errors import AdjudgeError
from adjudge.judges import Judge
from adjudge.run.opening import told_once
from adjudge.run.plan import Plan


def unavailable_judges(plan: Plan) -> list[str]:
    """One sentence for each judge that cannot be asked, with the reason; spends nothing."""

    async def all_of_them() -> list[AdjudgeError | None]:
        return await asyncio.gather(*(_trouble(judge) for judge in plan.judges_in_place))

    return told_once([trouble for trouble in asyncio.run(all_of_them()) if trouble is not None])


async def _trouble(judge: Judge) -> AdjudgeError | None:
    try:
        await judge.open()
    except AdjudgeError as error:
        return error
    await judge.close()
    return None
