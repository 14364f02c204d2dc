"""A function of the user's in a thread of its own, so that the event loop goes on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any


async def in_a_thread(function: Callable[[Any], Any], argument: object) -> object:
    """What the function returns; its thread does not keep the process from ending."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[object] = loop.create_future()

    def tell(result: object, error: Exception | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(result)
        elif isinstance(error, StopIteration):
            done.set_exception(RuntimeError("StopIteration"))  # futures do not carry it
        else:
            done.set_exception(error)

    def work() -> None:
        result: object = None
        failure: Exception | None = None
        try:
            result = function(argument)
        except Exception as error:
            failure = error
        except BaseException as error:  # of the thread, not of the run: SystemExit and the like
            failure = RuntimeError(f"{type(error).__name__}: {error}")
        try:
            loop.call_soon_threadsafe(tell, result, failure)
        except RuntimeError:
            return  # the loop has ended, and with it everyone who waited

    threading.Thread(target=work, name="adjudge-function", daemon=True).start()
    return await done
