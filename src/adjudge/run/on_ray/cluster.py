"""The connection to a Ray cluster, and actors on it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adjudge.errors import InputError, JudgeUnavailableError
from adjudge.run.on_ray.replica import Replica

LOCAL, AUTO = "local", "auto"
_USUAL_WAIT = 60.0
"""Seconds to wait for a place, unless the run file says otherwise."""
_REACHED = 10.0
"""Seconds within which the cluster's address has to take a connection."""
_OBJECTS = 256 * 2**20
"""Bytes for objects of a cluster that lives only for the run; nothing large is kept there."""
_LITTLE = 0.01
"""CPUs of a replica that mostly waits: next to none, but only of machines that lend any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What the replicas of one judge need."""

    judge: str
    count: int | None
    """How many; None for one on each machine."""
    num_gpus: float = 0.0
    mostly_waits: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """As Ray puts it. Nothing that was begun is ever begun again by Ray itself."""
        waits = self.mostly_waits or self.num_gpus
        return {
            "num_cpus": _LITTLE if waits else 1,
            "num_gpus": self.num_gpus,
            "max_restarts": 0,
            "max_task_retries": 0,
            "scheduling_strategy": "SPREAD",
        }


class Cluster:
    """One cluster for the judges of a run, from the first that is opened to the last closed."""

    def __init__(self, address: str, wait: float | None, folder: Path) -> None:
        self._address = address
        self._wait = wait
        self._folders = [str(folder.resolve()), str(Path.cwd())]
        self._connecting = asyncio.Lock()
        self._users = 0
        self._connected = False
        """Whether it was this object that connected."""

    @property
    def wait(self) -> float:
        """Seconds to wait for a place."""
        return _USUAL_WAIT if self._wait is None else self._wait

    async def enter(self, needs: Sequence[Needs]) -> None:
        """Be connected, to a cluster that has what all judges of the run need together."""
        async with self._connecting:
            if not self._users:
                # In a thread, where Ray leaves the process's signals alone.
                self._connected = await asyncio.to_thread(_connect, self._address)
                _take_signals_back()
            self._users += 1
        if self._wait is None:
            try:
                _check_gpus(needs, _machines())
            except InputError:
                await self.leave()
                raise

    async def leave(self) -> None:
        """One who entered leaves; the last one ends the connection."""
        async with self._connecting:
            self._users -= 1
            if not self._users and self._connected:
                self._connected = False
                await asyncio.to_thread(library().shutdown)

    def count(self, needs: Needs) -> int:
        """How many replicas there are to be."""
        if needs.count is not None:
            return needs.count
        return max(sum(machine.get("CPU", 0.0) > 0 for machine in _machines()), 1)

    def replica(self, needs: Needs) -> Any:
        """A new actor, placed as soon as there is a place."""
        return library().remote(Replica).options(**needs.options).remote(self._folders)

    def shortage(self, needs: Needs) -> str:
        """What the cluster has of what a replica needs, in words."""
        ray, kind = library(), "GPU" if needs.num_gpus else "CPU"
        free, total = (
            found.get(kind, 0.0) for found in (ray.available_resources(), ray.cluster_resources())
        )
        return f"{free:g} of the cluster's {total:g} {kind}s are free"


def library() -> Any:
    """Ray itself."""
    try:
        import ray  # noqa: PLC0415 (an extra: most users have no cluster)
    except ImportError as error:
        raise JudgeUnavailableError(
            f"run: on Ray needs Ray ({error}); install it with: pip install 'adjudge[ray]'"
        ) from error
    return ray


def _connect(address: str) -> bool:
    """Connect; whether it was not connected before."""
    logging.getLogger("ray").setLevel(logging.ERROR)
    ray = library()
    if ray.is_initialized():
        return False
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == LOCAL:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere
        options |= {"include_dashboard": False, "object_store_memory": _OBJECTS}
    elif address != AUTO:
        _check_reachable(address)
    try:
        ray.init(address=address, **options)
    except Exception as error:  # of many kinds, none of them documented
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise JudgeUnavailableError(
            f"run: the Ray cluster at {address!r} cannot be used ({lines[0][:200]}); start one by "
            "`ray start --head`, or write address: local for one on this machine"
        ) from error
    _silence()
    return True


def _check_reachable(address: str) -> None:
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), timeout=_REACHED).close()
    except OSError as error:
        raise JudgeUnavailableError(
            f"run: nothing answers at the Ray cluster's address {address} ({error}); see that it "
            "is up (`ray status`) and that this machine may connect to it"
        ) from error


def _silence() -> None:
    """Keep Ray from printing what it hears of machines to standard output, which is ours.

    There is no setting for it. What it would say of a machine that died is told of the calls there.
    """
    worker: Any = sys.modules.get("ray._private.worker")
    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = _say_nothing


def _take_signals_back() -> None:
    """Ray handles SIGTERM with a stack trace; set again what the run does when told to stop."""
    own = signal.getsignal(signal.SIGTERM)
    if own is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, own)


def _say_nothing(*_: object, **__: object) -> None:
    pass


def _machines() -> list[dict[str, float]]:
    """What each machine of the cluster has."""
    return [dict(node["Resources"]) for node in library().nodes() if node["Alive"]]


def _check_gpus(needs: Sequence[Needs], machines: Sequence[dict[str, float]]) -> None:
    """Refuse at once what no waiting would help: more GPUs than there are."""
    gpus = [machine.get("GPU", 0.0) for machine in machines]
    has = f"the cluster has {sum(gpus):g}"
    advice = "lower replicas or num_gpus, or add machines; with `wait` in run they may come later"
    for one in needs:
        count = one.count or 1
        places = sum(int(own / one.num_gpus) for own in gpus) if one.num_gpus else count
        if places < count:
            found = f"{count} with {one.num_gpus:g} GPUs each, and {has}, room for {places} of them"
            raise InputError(f"replicas of {one.judge}", found, advice)
    wanted = sum((one.count or 1) * one.num_gpus for one in needs)
    if wanted > sum(gpus):
        raise InputError("num_gpus", f"the judges need {wanted:g} GPUs, and {has}", advice)
