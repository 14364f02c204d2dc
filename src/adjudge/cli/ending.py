"""How the program ends: its own errors, interrupts, broken pipes, and bugs."""

from __future__ import annotations

import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from typer import Typer

_ERROR = 1
_INTERRUPTED = 130
_BROKEN_PIPE = 141
"""Exit code of shells for a broken pipe (128 + SIGPIPE), for example after `| head`."""


def exit_code(work: Callable[[], int]) -> int:
    """Do the work and return the exit code; errors are then printed and all output is flushed."""
    try:
        code = work()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except BaseException as error:
        code = _told(error)
    return _flushed(code)


def carried_out(given: Sequence[str]) -> int:
    """Run the command that these arguments name, and return the exit code."""
    app = _imported(given)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app(list(given), prog_name="adjudge")
    return 0


def _imported(given: Sequence[str]) -> Typer:
    """The program with the command that these arguments name."""
    import signal  # noqa: PLC0415
    import threading  # noqa: PLC0415

    # During the imports no work has started, so Ctrl-C may exit at once; a KeyboardInterrupt could
    # be caught by a library. If SIGINT is ignored, as in a shell's background jobs, it stays so.
    own = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if own:
        signal.signal(signal.SIGINT, lambda *_: os._exit(_INTERRUPTED))
    try:
        from adjudge.cli.program import named_command, program  # noqa: PLC0415

        return program(named_command(given))
    finally:
        if own:
            signal.signal(signal.SIGINT, signal.default_int_handler)


def _told(error: BaseException) -> int:
    """Print what the error means, if there is anything to say; returns the exit code."""
    from adjudge.cli.screen import say  # noqa: PLC0415
    from adjudge.errors import AdjudgeError  # noqa: PLC0415

    if isinstance(error, AdjudgeError):
        say(f"adjudge: {error}", err=True)
        return _ERROR
    # On a broken pipe, typer raises SystemExit with code 1.
    gone = error.__context__ if isinstance(error, SystemExit) else error
    if isinstance(gone, BrokenPipeError):
        return _BROKEN_PIPE
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else _ERROR if error.code else 0
    if any(isinstance(cause, KeyboardInterrupt) for cause in _chain(error)):
        return _INTERRUPTED
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        say(f"adjudge: no more can be written ({error.strerror}); make room for it", err=True)
        return _ERROR
    from adjudge.cli.crash import crash_text  # noqa: PLC0415

    say(crash_text(error), err=True)
    return _ERROR


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and its causes."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__


def _flushed(code: int) -> int:
    """Flush all output and return the exit code; without this Python reports a broken pipe."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except OSError as error:
            # The rest cannot be written, and Python must not try again when it exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            if isinstance(error, BrokenPipeError):
                code = code or _BROKEN_PIPE
            elif stream is sys.stdout:
                code = code or _ERROR
                print(f"adjudge: output cannot be written ({error.strerror})", file=sys.stderr)
    return code
