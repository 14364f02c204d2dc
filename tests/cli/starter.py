"""The program in processes of its own that need not import it again.

Importing takes a second, and tests start the program hundreds of times. A starter imports all of
it once and forks for every call: the process that a test sees has its own memory, folder,
environment, streams and end, as one from a shell has.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

_PIPE = 65536
"""So much can be written to a pipe that nobody reads yet."""
_REQUEST = 1 << 20


class Starter:
    """Starts the program; one call at a time."""

    def __init__(self, ours: socket.socket) -> None:
        self._ours = ours

    @classmethod
    @contextmanager
    def ready(cls) -> Iterator[Starter]:
        """A starter for as long as it is used."""
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, its:
            process = subprocess.Popen(
                [sys.executable, __file__, str(its.fileno())],
                pass_fds=[its.fileno()],
                stdin=subprocess.DEVNULL,
            )
            its.close()
            try:
                yield cls(ours)
            finally:
                ours.close()
                process.wait()

    def run(
        self, arguments: Sequence[str], *, cwd: Path, env: Mapping[str, str], stdin: str | None
    ) -> subprocess.CompletedProcess[str]:
        """As `subprocess.run`, with the output captured."""
        text = (stdin or "").encode()
        assert len(text) < _PIPE
        reading, writing = os.pipe()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            try:
                os.write(writing, text)
                os.close(writing)
                request = {"arguments": list(arguments), "cwd": str(cwd), "env": dict(env)}
                socket.send_fds(
                    self._ours,
                    [json.dumps(request).encode()],
                    [reading, out.fileno(), err.fileno()],
                )
            finally:
                os.close(reading)
            ended = self._ours.recv(64)
            assert ended, "the starter died"
            said = []
            for stream in (out, err):
                stream.seek(0)
                said.append(stream.read().decode())
        return subprocess.CompletedProcess([*arguments], int(ended), *said)


def _import_all() -> None:
    commands = importlib.import_module("adjudge.cli").COMMANDS
    for target in ("adjudge.cli.program", *commands.values()):
        importlib.import_module(target.partition(":")[0])


def _become_what_is_asked_for(its: socket.socket) -> list[str] | None:
    """In a new process, with everything but the program as it was asked for: its arguments."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(its, _REQUEST, 3)
        if not message:
            return None
        process = os.fork()
        if not process:
            break
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(process, 0)
        with suppress(BrokenPipeError):
            its.send(str(os.waitstatus_to_exitcode(status)).encode())
    its.close()
    for stream, descriptor in enumerate(descriptors):
        os.dup2(descriptor, stream)
        os.close(descriptor)
    request = json.loads(message)
    os.chdir(request["cwd"])
    sys.path[0] = request["cwd"]  # as `python -m` has it
    os.environ.clear()
    os.environ.update(request["env"])
    return request["arguments"]


if __name__ == "__main__":
    sys.path[0] = ""  # not the folder of this file
    _import_all()
    gc.freeze()  # or every process would copy all that it looks through for garbage
    given = _become_what_is_asked_for(socket.socket(fileno=int(sys.argv[1])))
    if given is not None:
        sys.argv[1:] = given
        runpy.run_module("adjudge", run_name="__main__", alter_sys=True)
