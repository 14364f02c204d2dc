"""Strategies: which calls to make next, and the estimate from the answers; one file each."""

from adjudge.core.strategies.cyclic import Cyclic
from adjudge.core.strategies.est_ivwe import EstIvwe
from adjudge.core.strategies.foreseen import Foreseen
from adjudge.core.strategies.known_panel import KnownPanel
from adjudge.core.strategies.oracle import Oracle
from adjudge.core.strategies.panel import Panel
from adjudge.core.strategies.protocol import Strategy
from adjudge.core.strategies.robin import Robin, RobinHood
from adjudge.core.strategies.single import SingleJudge, cheapest_judge
from adjudge.core.strategies.uniform import Uniform

__all__ = [
    "Cyclic",
    "EstIvwe",
    "Foreseen",
    "KnownPanel",
    "Oracle",
    "Panel",
    "Robin",
    "RobinHood",
    "SingleJudge",
    "Strategy",
    "Uniform",
    "cheapest_judge",
]
