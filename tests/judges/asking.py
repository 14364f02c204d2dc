"""Asking one judge a few times, one call after the other."""

import asyncio

from adjudge.records import Item

ITEM = Item(id="a", prompt="Greet me.", response="Hello!")


def ask(judge, *, calls=1, between=lambda: None, salt=b"", item=ITEM):
    async def asking():
        await judge.open(salt=salt)
        try:
            outcomes = []
            for _ in range(calls):
                outcomes.append(await judge.score(item))
                between()
                for _ in range(5):  # turns in which the loop sees what became of its connections
                    await asyncio.sleep(0)
            return outcomes
        finally:
            await judge.close()

    return asyncio.run(asking())
