"""Where a run's calls are made: in its own process, or on a Ray cluster."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from adjudge.config.section import Section
from adjudge.errors import InputError

if TYPE_CHECKING:
    from adjudge.run.place import Place

_ADDRESS = re.compile(r"auto|local|(\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}")


def _address(value: str) -> str:
    if _ADDRESS.fullmatch(value) is None:
        raise InputError(
            "address",
            f"{value!r}",
            "write auto for the cluster that this machine is part of, local for one on this "
            "machine alone, or host:port (not ray://, which is for machines outside the cluster)",
        )
    return value


class PlaceSection(Section):
    """Where calls are made; the ledger stays in the process of the run."""

    on: Literal["here", "ray"] = "here"
    """`here`, or `ray` for a Ray cluster (needs `pip install 'adjudge[ray]'`)."""
    address: Annotated[str, AfterValidator(_address)] | None = None
    """`auto` (the default): this machine's cluster; `local`: one started here; or `host:port`."""
    wait: float | None = Field(default=None, gt=0, le=7 * 86_400)
    """Seconds to wait for machines to join; without it, a cluster with too few GPUs is refused."""

    @model_validator(mode="after")
    def _is_a_place(self) -> Self:
        for name in ("address", "wait"):
            if self.on == "here" and getattr(self, name) is not None:
                raise InputError("run", f"it has {name} and is not on Ray", "add on: ray")
        return self

    def place(self, folder: Path) -> Place | None:
        """The place for a run; None for its own process. Functions are searched in the folder."""
        if self.on == "here":
            return None
        from adjudge.run.on_ray import OnRay  # noqa: PLC0415 (few runs need it)

        return OnRay(address=self.address or "auto", wait=self.wait, folder=folder)
