"""A Ray cluster as the place where a run's calls are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from adjudge.judges import FunctionJudge, Judge, ModelJudge
from adjudge.run.on_ray.cluster import AUTO, Cluster
from adjudge.run.on_ray.judge import FunctionOnRay, ModelOnRay, needs_of


@dataclass(frozen=True, slots=True, kw_only=True)
class OnRay:
    """A Ray cluster as configured in a run file; see `Place`."""

    address: str = AUTO
    """`auto`, `local` or `host:port`."""
    wait: float | None = None
    """Seconds to wait for machines to join; if None, a cluster that lacks GPUs is refused at
    once."""
    folder: Path = Path()
    """Where modules of functions are searched, besides the working folder."""

    def carried(self, judges: Sequence[Judge]) -> list[Judge]:
        """The judges, with models and functions called on the cluster; others stay here."""
        cluster = Cluster(self.address, self.wait, self.folder)
        needs = [needs_of(one) for one in judges if isinstance(one, FunctionJudge | ModelJudge)]
        found: list[Judge] = []
        for judge in judges:
            if isinstance(judge, FunctionJudge):
                found.append(FunctionOnRay(judge, cluster, needs))
            elif isinstance(judge, ModelJudge):
                found.append(ModelOnRay(judge, cluster, needs))
            else:
                found.append(judge)
        return found
