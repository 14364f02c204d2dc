"""Worlds that simulate judges: synthetic, recorded, and named families of instances."""

from adjudge.worlds.beta import BetaWorld
from adjudge.worlds.categorical import CategoricalWorld
from adjudge.worlds.constant import ConstantJudgeWorld
from adjudge.worlds.failing import FailingWorld
from adjudge.worlds.families import FAMILIES, Family
from adjudge.worlds.gaussian import GaussianWorld
from adjudge.worlds.hard import hard_world
from adjudge.worlds.instance import Instance, panel_mean
from adjudge.worlds.ordinal import (
    nearest_reachable_variance,
    ordinal_probabilities,
    ordinal_world,
    reachable_variance,
)
from adjudge.worlds.recorded import RecordedScores
from adjudge.worlds.world import World

__all__ = [
    "FAMILIES",
    "BetaWorld",
    "CategoricalWorld",
    "ConstantJudgeWorld",
    "FailingWorld",
    "Family",
    "GaussianWorld",
    "Instance",
    "RecordedScores",
    "World",
    "hard_world",
    "nearest_reachable_variance",
    "ordinal_probabilities",
    "ordinal_world",
    "panel_mean",
    "reachable_variance",
]
