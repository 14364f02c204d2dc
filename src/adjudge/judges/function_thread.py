"""Runs a user's function in its own thread, so that it does not block the event loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any


async def in_a_thread(function: Callable[[Any], Any], argument: object) -> object:
    """The function's result; its daemon thread does not keep the process alive."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[object] = loop.create_future()

    def tell(result: object, error: Exception | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(result)
        elif isinstance(error, StopIteration):
            done.set_exception(RuntimeError("StopIteration"))  # futures do not accept it
        else:
            done.set_exception(error)

    def work() -> None:
        result: object = None
        failure: Exception | None = None
        try:
            result = function(argument)
        except Exception as error:
            failure = error
        except BaseException as error:  # SystemExit and the like end the thread, not the run
            failure = RuntimeError(f"{type(error).__name__}: {error}")
        try:
            loop.call_soon_threadsafe(tell, result, failure)
        except RuntimeError:
            return  # the loop has ended: nobody waits for the result

    threading.Thread(target=work, name="adjudge-function", daemon=True).start()
    return await done
