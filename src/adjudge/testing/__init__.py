"""A practice server for demos, and for tests of one's own."""

from adjudge.testing.faults import Fault
from adjudge.testing.server import PracticeServer

__all__ = ["Fault", "PracticeServer"]
