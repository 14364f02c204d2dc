"""A practice server for demos and for your own tests."""

from adjudge.testing.faults import Fault
from adjudge.testing.server import PracticeServer

__all__ = ["Fault", "PracticeServer"]
