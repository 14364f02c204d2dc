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
"""Seconds to wait for Ray to place a replica, unless the run file sets it."""
_REACHED = 10.0
"""Connection timeout for the cluster's address, in seconds."""
_OBJECTS = 256 * 2**20
"""Object store of a cluster started for this run, in bytes; nothing large is kept there."""
_LITTLE = 0.01
"""CPUs for a replica that mostly waits: above 0, so that machines without CPUs get none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What the replicas of one judge need."""

    judge: str
    count: int | None
    """Number of replicas; None for one on each machine."""
    num_gpus: float = 0.0
    mostly_waits: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """The actor options for Ray, which must never restart or retry by itself."""
        waits = self.mostly_waits or self.num_gpus
        return {
            "num_cpus": _LITTLE if waits else 1,
            "num_gpus": self.num_gpus,
            "max_restarts": 0,
            "max_task_retries": 0,
            "scheduling_strategy": "SPREAD",
        }


class Cluster:
    """The connection that all judges of a run share; open while at least one judge is open."""

    def __init__(self, address: str, wait: float | None, folder: Path) -> None:
        self._address = address
        self._wait = wait
        self._folders = [str(folder.resolve()), str(Path.cwd())]
        self._connecting = asyncio.Lock()
        self._users = 0
        self._connected = False
        """Whether this object made the connection."""

    @property
    def wait(self) -> float:
        """Seconds to wait for Ray to place a replica."""
        return _USUAL_WAIT if self._wait is None else self._wait

    async def enter(self, needs: Sequence[Needs]) -> None:
        """Connect if needed; refuse a cluster with too few GPUs for all judges of the run."""
        async with self._connecting:
            if not self._users:
                # In a thread, where Ray cannot replace Python's signal handlers.
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
        """Release one user of the connection; the last one closes it."""
        async with self._connecting:
            self._users -= 1
            if not self._users and self._connected:
                self._connected = False
                await asyncio.to_thread(library().shutdown)

    def count(self, needs: Needs) -> int:
        """Number of replicas to start."""
        if needs.count is not None:
            return needs.count
        return max(sum(machine.get("CPU", 0.0) > 0 for machine in _machines()), 1)

    def replica(self, needs: Needs) -> Any:
        """A new actor; Ray places it once the resources are free."""
        return library().remote(Replica).options(**needs.options).remote(self._folders)

    def shortage(self, needs: Needs) -> str:
        """Free and total GPUs or CPUs of the cluster, in words."""
        ray, kind = library(), "GPU" if needs.num_gpus else "CPU"
        free, total = (
            found.get(kind, 0.0) for found in (ray.available_resources(), ray.cluster_resources())
        )
        return f"{free:g} of the cluster's {total:g} {kind}s are free"


def library() -> Any:
    """The `ray` module."""
    try:
        import ray  # noqa: PLC0415 (an extra: most users have no cluster)
    except ImportError as error:
        raise JudgeUnavailableError(
            f"run: on Ray needs Ray ({error}); install it with: pip install 'adjudge[ray]'"
        ) from error
    return ray


def _connect(address: str) -> bool:
    """Connect to Ray; returns False if the process was connected before."""
    logging.getLogger("ray").setLevel(logging.ERROR)
    ray = library()
    if ray.is_initialized():
        return False
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == LOCAL:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no telemetry
        options |= {"include_dashboard": False, "object_store_memory": _OBJECTS}
    elif address != AUTO:
        _check_reachable(address)
    try:
        ray.init(address=address, **options)
    except Exception as error:  # Ray raises many types and documents none
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
    """Keep Ray from printing messages about machines to our standard output.

    Ray has no setting for this. If a machine dies, the outcomes of its calls say so.
    """
    worker: Any = sys.modules.get("ray._private.worker")
    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = _say_nothing


def _take_signals_back() -> None:
    """Restore the run's SIGTERM handler, since Ray's prints a stack trace."""
    own = signal.getsignal(signal.SIGTERM)
    if own is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, own)


def _say_nothing(*_: object, **__: object) -> None:
    pass


def _machines() -> list[dict[str, float]]:
    """The resources of each live machine of the cluster."""
    return [dict(node["Resources"]) for node in library().nodes() if node["Alive"]]


def _check_gpus(needs: Sequence[Needs], machines: Sequence[dict[str, float]]) -> None:
    """Refuse at once if the judges need more GPUs than the cluster has: waiting would not help."""
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
