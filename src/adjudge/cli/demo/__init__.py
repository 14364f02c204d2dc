"""`adjudge demo`: the whole pipeline with simulated judges on this machine."""

from adjudge.cli.demo.command import demo_command

__all__ = ["demo_command"]
