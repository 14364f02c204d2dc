"""Functions that tests have asked on a Ray cluster; items say where to leave traces."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

from adjudge.records import Item


def _leave_trace(items: Sequence[Item]) -> None:
    """Write down who was asked about what; wait while there is a file `hold` with this machine."""
    import ray

    folder = Path(str(items[0].metadata["folder"]))
    node = ray.get_runtime_context().get_node_id()
    with (folder / "calls").open("a") as calls:
        calls.write(f"{os.getpid()} {node} {','.join(item.id for item in items)}\n")
    hold = folder / "hold"
    while hold.exists() and hold.read_text() in ("", node):
        time.sleep(0.01)


class Reward:
    """Scores batches by the length of the response."""

    def __init__(self) -> None:
        self.longest = 10

    def __call__(self, items: list[Item]) -> list[float]:
        _leave_trace(items)
        return [min(1 + len(item.response) / 10, self.longest) for item in items]


class Dying:
    """Takes its process with it."""

    def __call__(self, item: Item) -> float:
        _leave_trace([item])
        os._exit(3)


class Mistaken:
    """Raises for some, and gives too few answers for others."""

    def __call__(self, items: list[Item]) -> list[float]:
        if any(item.id.endswith("0") for item in items):
            raise ValueError("no answer for those that end in 0")
        return [5.0] * (len(items) - any(item.id.endswith("1") for item in items))


class Unloadable:
    """Cannot be made."""

    def __init__(self) -> None:
        raise OSError("weights not found")

    def __call__(self, item: Item) -> float:
        return 1.0
