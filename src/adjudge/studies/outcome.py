"""A study with its finished runs, and its title, pictures and tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from adjudge.studies.costs import CostsStudy
from adjudge.studies.curves import Curves
from adjudge.studies.names import money, norm_symbol
from adjudge.studies.picture import Picture
from adjudge.studies.pictures import cost_picture, curve_pictures, grid_picture
from adjudge.studies.points import Point, Unit, as_rows
from adjudge.studies.recorded import DifferingStudy, RecordedStudy
from adjudge.studies.study import Study
from adjudge.studies.synthetic import SingleStudy, SyntheticStudy
from adjudge.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcome:
    """A study with its finished runs."""

    study: Study
    units: tuple[Unit, ...]
    """Ordered by run."""
    curves: Curves

    @classmethod
    def of(cls, study: Study, units: Iterable[Unit]) -> Outcome:
        """The outcome of these runs, in whatever order they finished."""
        ordered = tuple(sorted(units, key=lambda unit: unit.run))
        return cls(study=study, units=ordered, curves=Curves.of(ordered))

    @property
    def title(self) -> str:
        """The experiment and its size or file."""
        study = self.study
        if isinstance(study, SyntheticStudy):
            return f"Synthetic judges, K = {study.setup.items}, J = {study.setup.judges}"
        if isinstance(study, CostsStudy):
            return f"Cost structures, K = {study.setup.items}, J = {study.setup.judges}"
        if isinstance(study, SingleStudy):
            return f"A single judge, K = {study.setup.items}"
        if isinstance(study, RecordedStudy):
            sizes = sorted({kept.counts.kept for kept in study.by_axis.values()})
            return f"Recorded judges after the consensus filter, {study.source['file']}, " + (
                f"K = {sizes[0]}" if len(sizes) == 1 else f"K = {sizes[0]} to {sizes[-1]}"
            )
        assert isinstance(study, DifferingStudy)
        return f"Recorded judges whose means differ, {study.source['file']}"

    @property
    def conditions(self) -> str:
        """The settings, as a sentence."""
        settings = self.study.settings()
        grids = (
            [settings["budgets"]]
            if "budgets" in settings
            else [axis["budgets"] for axis in settings["axes"].values()]
        )
        low, high = min(grid[0] for grid in grids), max(grid[-1] for grid in grids)
        norms = ", ".join(norm_symbol(norm) for norm in self.study.norms)
        return (
            f"{self.curves.runs} runs, seed {settings['seed']}, delta {settings['delta']:g}, "
            f"errors {norms}, {len(grids[0])} budgets from {money(low)} to {money(high)}."
        )

    def pictures(self) -> tuple[Picture, ...]:
        """Every figure of the study."""
        if isinstance(self.study, CostsStudy):
            return (cost_picture(self.study, self.curves, title=self.title),)
        if isinstance(self.study, SyntheticStudy | SingleStudy):
            return tuple(curve_pictures(self.study, self.curves, title=self.title))
        return (grid_picture(self.study, self.curves, title=self.title),)

    def csv(self) -> str:
        """One row per point, under a header."""
        text = io.StringIO()
        names = ["study", *(field.name for field in fields(Point))]
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        for unit in self.units:
            writer.writerows({"study": self.study.name, **row} for row in as_rows(unit.points))
        return text.getvalue()

    def json(self) -> str:
        """Settings, points, starting budgets, bounds and limits, as one JSON object."""
        values: dict[str, Any] = {
            "study": self.study.name,
            "version": __version__,
            "runs": len(self.units),
            "settings": dict(self.study.settings()),
        }
        for name in ("points", "starts", "bounds", "limits"):
            values[name] = [row for unit in self.units for row in as_rows(getattr(unit, name))]
        lists = {name: value for name, value in values.items() if isinstance(value, list)}
        head = {name: value for name, value in values.items() if name not in lists}
        # One record per line, so that grep and diff work on this large file.
        parts = [json.dumps(head, indent=1)[1:-2].rstrip()]
        for name, rows in lists.items():
            body = ",\n  ".join(json.dumps(row) for row in rows)
            parts.append(f'\n "{name}": [\n  {body}\n ]' if rows else f'\n "{name}": []')
        return "{" + ",".join(parts) + "\n}\n"
