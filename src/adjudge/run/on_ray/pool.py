"""The replicas of one judge: which are free, and replacing dead ones."""

from __future__ import annotations

import asyncio
import pickle
from collections import deque
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from adjudge.errors import JudgeUnavailableError
from adjudge.judges import Judge
from adjudge.records import Lost, Outcome, Reason, Refused
from adjudge.run.on_ray.cluster import Cluster, Needs, library
from adjudge.run.on_ray.packing import packed
from adjudge.run.on_ray.replica import Reply, Request
from adjudge.version import __version__

_MARGIN = 30.0
"""Seconds that a reply may take beyond the judge's own timeout."""
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
"""First and longest wait between attempts to replace a replica, in seconds; doubled each time."""


_ATTEMPTS = 3
"""Attempts to start a replica: one fails if Ray picks a machine that has just died."""
_UNPACKED = (pickle.PicklingError, TypeError, AttributeError)
"""Exceptions for values that cannot be pickled."""


@dataclass(slots=True, eq=False)
class Member:
    """A replica that can be asked."""

    actor: Any
    under_way: int = 0
    """Requests without a reply so far."""


class Pool:
    """Keeps the wanted number of replicas alive, by replacing dead ones."""

    def __init__(
        self, judge: Judge, cluster: Cluster, needs: Needs, *, abreast: int, timeout: float
    ) -> None:
        self._judge = judge
        self._cluster = cluster
        self._needs = needs
        self._abreast = abreast
        """Most requests that a replica gets at a time."""
        self._timeout = timeout
        self._packed = packed(judge)
        self._salt = b""
        self._members: list[Member] = []
        """The replicas that can be asked."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._trouble = ""
        """Why the last attempt to replace a replica failed."""

    async def open(self, salt: bytes) -> None:
        """Start all replicas; if one fails to start, stop the others."""
        self._salt = salt
        count = self._cluster.count(self._needs)
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(count):
                    group.create_task(self._add())
        except BaseExceptionGroup as errors:
            await self.close()
            raise errors.exceptions[0] from None
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Stop all replicas."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for member in self._members:
            _kill(member.actor)
        self._members = []

    @property
    def idle(self) -> int:
        """Number of idle replicas."""
        return sum(not member.under_way for member in self._members)

    async def member(self) -> Member | Refused:
        """Wait for a replica that can take one more request, and count that request.

        If none is alive and the last attempt to start one failed, returns a refusal instead.
        """
        while True:
            free = min(self._members, key=lambda one: one.under_way, default=None)
            if free is not None and free.under_way < self._abreast:
                free.under_way += 1
                return free
            if not self._members and self._trouble:
                detail = f"no replica is alive ({self._trouble})"
                return Refused(reason=Reason.DOWN, detail=detail)
            place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            await place

    def give_back(self, member: Member) -> None:
        """Take back a request that was counted for this replica."""
        member.under_way -= 1
        self._wake()

    async def ask(self, member: Member, request: Request) -> Reply:
        """The replica's reply; if the replica dies, its calls are presumed billed."""
        count = request.count * len(request.items)
        lost: Outcome
        try:
            content = packed(request)
            async with asyncio.timeout(self._timeout + _MARGIN):
                reply: Reply = await member.actor.ask.remote(content)
                return reply
        except _UNPACKED as error:
            detail = f"the item cannot be sent to another process ({_brief(error)})"
            lost = Refused(reason=Reason.REJECTED, detail=detail)
        except TimeoutError:
            self._lose(member)
            detail = f"no reply within {self._timeout + _MARGIN:g} s"
            lost = Lost(reason=Reason.TIMED_OUT, detail=detail)
        except library().exceptions.RayTaskError as error:
            lost = Lost(reason=Reason.RAISED, detail=_brief(error))
        except library().exceptions.RayError as error:
            self._lose(member)
            detail = f"its process or its machine died ({type(error).__name__})"
            lost = Lost(reason=Reason.BROKEN_OFF, detail=detail)
        finally:
            self.give_back(member)
        return Reply(outcomes=(lost,) * count)

    def _lose(self, member: Member) -> None:
        """Drop this replica and start another.

        If its machine died, others may be dead too. So each gets requests again only after it has
        replied to a check.
        """
        if member not in self._members:
            return
        self._members.remove(member)
        self._trouble = ""
        self._begin(self._renew(member))
        others, self._members = self._members, []
        for other in others:
            self._begin(self._confirm(other))

    async def _confirm(self, member: Member) -> None:
        """Check that the replica is alive; replace it if not."""
        try:
            async with asyncio.timeout(_MARGIN):
                await member.actor.version.remote()
        except (TimeoutError, library().exceptions.RayError):
            await self._renew(member)
        else:
            self._members.append(member)
            self._wake()

    async def _renew(self, member: Member) -> None:
        """Replace this replica, trying until it succeeds."""
        _kill(member.actor)
        wait = _FIRST_WAIT
        while True:
            try:
                await self._add()
            except JudgeUnavailableError as error:
                self._trouble = str(error)
                self._wake()
            else:
                self._trouble = ""
                return
            await asyncio.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT)

    async def _add(self) -> None:
        """Start one more replica and make it available."""
        actor = await self._placed()
        try:
            await self._opened(actor)
        except BaseException:
            _kill(actor)
            raise
        self._members.append(Member(actor))
        self._wake()

    async def _placed(self) -> Any:
        """A replica that Ray has placed and that runs our version."""
        name, left = self._judge.name, _ATTEMPTS
        try:
            async with asyncio.timeout(self._cluster.wait):
                while True:
                    left -= 1
                    actor = self._cluster.replica(self._needs)
                    try:
                        version = await actor.version.remote()
                        break
                    except library().exceptions.RayError as error:
                        if not left:
                            raise JudgeUnavailableError(
                                f"{name}: a replica could not be started on the Ray cluster "
                                f"({_brief(error)}); see that adjudge is installed on all of its "
                                "machines"
                            ) from error
                    except BaseException:
                        _kill(actor)
                        raise
        except TimeoutError:
            wait, has = self._cluster.wait, self._cluster.shortage(self._needs)
            raise JudgeUnavailableError(
                f"{name}: a replica found no place on the Ray cluster within {wait:g} s; {has}"
            ) from None
        if version != __version__:
            _kill(actor)
            raise JudgeUnavailableError(
                f"{name}: a machine of the Ray cluster has adjudge {version}, and this is "
                f"{__version__}; install the same version on all"
            )
        return actor

    async def _opened(self, actor: Any) -> None:
        """Open the judge on the replica, without a time limit."""
        name = self._judge.name
        try:
            identity, trouble = await actor.open.remote(self._packed, self._salt)
        except library().exceptions.RayError as error:
            raise JudgeUnavailableError(
                f"{name}: a replica died while it was got ready ({_brief(error)})"
            ) from error
        if trouble:
            raise JudgeUnavailableError(f"{trouble} (on a machine of the Ray cluster)")
        if identity != self._judge.identity:
            raise JudgeUnavailableError(
                f"{name}: its code is not the same on a machine of the Ray cluster; install the "
                "same module on all, or send it by `ray job submit --working-dir`"
            )

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _wake(self) -> None:
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                if self._members:
                    return


def _kill(actor: Any) -> None:
    with suppress(Exception):  # the actor or the cluster is dead already
        library().kill(actor)


def _brief(error: BaseException) -> str:
    """The last line of a Ray error, which names the cause."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:200]
