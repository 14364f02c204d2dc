"""How the program ends: its own errors, interrupts, readers that went away, and bugs."""

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
"""As shells count a program that wrote to a reader that was gone, as `head` once it has enough."""


def exit_code(work: Callable[[], int]) -> int:
    """The exit code of this work; whatever went wrong is told by now, and everything written."""
    try:
        code = work()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except BaseException as error:
        code = _told(error)
    return _flushed(code)


def carried_out(given: Sequence[str]) -> int:
    """The exit code of the program that these arguments name."""
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

    # Nothing was begun while modules are imported: leaving at once is right, and the only way that
    # no library can mistake for an error of its own. Whoever ignores Ctrl-C, as a shell makes its
    # background jobs do, is left alone.
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
    """Say what the error means, unless there is nothing to say; the exit code."""
    from adjudge.cli.screen import say  # noqa: PLC0415
    from adjudge.errors import AdjudgeError  # noqa: PLC0415

    if isinstance(error, AdjudgeError):
        say(f"adjudge: {error}", err=True)
        return _ERROR
    # Typer ends the program with 1 where the output's reader is gone.
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
    """The error, and those that led to it."""
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        yield found
        found = found.__cause__ or found.__context__


def _flushed(code: int) -> int:
    """The exit code, once everything is written; Python itself would complain of a broken pipe."""
    for stream in (sys.stdout, sys.stderr):
        if stream is None:
            continue
        try:
            stream.flush()
        except OSError as error:
            # What is left cannot be written, and must not be tried again when Python ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            if isinstance(error, BrokenPipeError):
                code = code or _BROKEN_PIPE
            elif stream is sys.stdout:
                code = code or _ERROR
                print(f"adjudge: output cannot be written ({error.strerror})", file=sys.stderr)
    return code
