"""`adjudge demo`: the whole pipeline against judges that live on this machine."""

from adjudge.cli.demo.command import demo_command

__all__ = ["demo_command"]
