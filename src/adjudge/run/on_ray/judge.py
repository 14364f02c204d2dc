"""Judges whose calls are made by replicas on a Ray cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from adjudge.judges import FunctionJudge, Limits, ModelJudge, Prices, Quote, Scale, form_of
from adjudge.records import Item, Outcome, Refused
from adjudge.run.on_ray.batches import Batches, withdrawn
from adjudge.run.on_ray.cluster import Cluster, Needs
from adjudge.run.on_ray.pool import Pool
from adjudge.run.on_ray.replica import Request


def needs_of(judge: FunctionJudge | ModelJudge) -> Needs:
    """What the judge's replicas need."""
    if isinstance(judge, ModelJudge):
        return Needs(judge=judge.name, count=None, mostly_waits=True)
    wanted = judge.replicas
    return Needs(judge=judge.name, count=wanted.count, num_gpus=wanted.num_gpus)


class _OnRay:
    """What both kinds have in common; the properties are those of the wrapped judge."""

    def __init__(
        self,
        judge: FunctionJudge | ModelJudge,
        cluster: Cluster,
        needs: Sequence[Needs],
        *,
        abreast: int,
    ) -> None:
        self._inner = judge
        self._cluster = cluster
        self._needs = needs
        """Needs of all judges of the run."""
        self._pool = Pool(judge, cluster, needs_of(judge), abreast=abreast, timeout=judge.timeout)
        self.form = form_of(judge)
        """The judge's own."""

    @property
    def name(self) -> str:
        """The judge's own."""
        return self._inner.name

    @property
    def identity(self) -> str:
        """The judge's own: where its calls are made does not change its answers."""
        return self._inner.identity

    @property
    def reads(self) -> frozenset[str] | None:
        """The judge's own."""
        return self._inner.reads

    @property
    def limits(self) -> Limits:
        """The judge's own, for all replicas together."""
        return self._inner.limits

    @property
    def scale(self) -> Scale:
        """The judge's own."""
        return self._inner.scale

    def quote(self, item: Item) -> Quote:
        """The judge's own."""
        return self._inner.quote(item)

    def preview(self, item: Item) -> str:
        """The judge's own."""
        return self._inner.preview(item)

    async def open(self, *, salt: bytes = b"") -> None:
        """Connect to the cluster and start the replicas."""
        await self._cluster.enter(self._needs)
        try:
            await self._pool.open(salt)
        except BaseException:
            await self._cluster.leave()
            raise

    async def close(self) -> None:
        """Stop the replicas and release the cluster."""
        await self._pool.close()
        await self._cluster.leave()


class FunctionOnRay(_OnRay):
    """A function judge on its own replicas, each of which gets one batch at a time."""

    def __init__(self, judge: FunctionJudge, cluster: Cluster, needs: Sequence[Needs]) -> None:
        super().__init__(judge, cluster, needs, abreast=1)
        most = judge.replicas.batch_size or 1
        self._batches = Batches(self._pool, most=most, on_failures=judge.hear)

    async def score(self, item: Item) -> Outcome:
        """Make one call, as part of a batch."""
        return await self._batches.score(item)

    async def close(self) -> None:
        """Stop the replicas and release the cluster."""
        await self._batches.close()
        await super().close()


class ModelOnRay(_OnRay):
    """A model's endpoint, called from every machine of the cluster with that machine's API key."""

    def __init__(self, judge: ModelJudge, cluster: Cluster, needs: Sequence[Needs]) -> None:
        super().__init__(judge, cluster, needs, abreast=judge.limits.concurrency)
        self._model = judge
        self._several = judge.answers_per_request

    @property
    def prices(self) -> Prices:
        """The judge's own."""
        return self._model.prices

    @property
    def repeats_itself(self) -> bool:
        """The judge's own."""
        return self._model.repeats_itself

    @property
    def caches_prompts(self) -> bool:
        """The judge's own."""
        return self._model.caches_prompts

    @property
    def answers_per_request(self) -> int:
        """Number of answers that one request asks for, according to the latest reply."""
        return self._several

    def use_salt(self, salt: bytes) -> None:
        """Quote with the run's salt from now on; see `Salted`."""
        self._model.use_salt(salt)

    async def score(self, item: Item) -> Outcome:
        """Make one call."""
        return (await self._ask(Request(items=(item,))))[0]

    async def score_repeated(self, item: Item) -> Outcome:
        """Make one of several calls about this item; see `CachesPrompts`."""
        return (await self._ask(Request(items=(item,), repeated=True)))[0]

    async def score_several(self, item: Item, count: int) -> list[Outcome]:
        """Make one request for `count` answers; see `AnswersSeveral`."""
        return await self._ask(Request(items=(item,), count=count))

    async def _ask(self, request: Request) -> list[Outcome]:
        try:
            member = await self._pool.member()
        except asyncio.CancelledError:
            member = withdrawn()
        if isinstance(member, Refused):
            return [member] * request.count
        reply = await self._pool.ask(member, request)
        self._several = reply.several
        return list(reply.outcomes)
