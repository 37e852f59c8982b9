"""From the start of the process to its end: every ending -> an exit code, a refusal -> one line on stderr."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
import threading
import warnings
from typing import Any, NoReturn

INTERRUPTED, TERMINATED = 128 + signal.SIGINT, 128 + signal.SIGTERM


def main() -> None:
    """Entry point: every refusal of ours is one line on stderr and exit code 1; wrong usage is 2."""
    show = warnings.showwarning
    terminate: Any = None
    try:
        # Python's own warnings (of numpy, say) are for developers; ours are in the result.
        if not sys.warnoptions and "--debug" not in sys.argv:
            warnings.showwarning = _silent
        if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            terminate = signal.signal(signal.SIGTERM, _terminated)  # so that what is half written is taken away
        code = _run()
    except KeyboardInterrupt:
        code = _interrupted()
    finally:
        warnings.showwarning = show
        if terminate is not None:
            signal.signal(signal.SIGTERM, terminate)
    sys.exit(code)


def _run() -> int:
    """The command's exit code; whatever goes wrong is printed in one line."""
    from gaitid.cli.streams import discard_stdout, prepare_streams, print_stderr

    prepare_streams()
    import click

    from gaitid.cli.common import Interrupted, group
    from gaitid.errors import GaitidError, in_words

    debug = "--debug" in sys.argv
    try:
        code = group.main(standalone_mode=False, prog_name="gaitid")
        sys.stdout.flush()
    except (click.exceptions.Abort, Interrupted):
        return _interrupted()
    except click.UsageError as error:
        if not sys.argv[1:]:
            print_stderr(error.format_message())  # all of the help, for a first try
            return error.exit_code
        where = error.ctx.command_path if error.ctx is not None else "gaitid"
        text = " ".join(error.format_message().split()).removesuffix(".")
        print_stderr(f"gaitid: {text}; see {where} --help")
        return error.exit_code
    except click.ClickException as error:
        print_stderr(f"gaitid: {error.format_message()}")
        return error.exit_code
    except BrokenPipeError:
        discard_stdout()  # the reader of our output went away, as `head` does
        return 1
    except OSError as error:
        if debug:
            raise
        discard_stdout()
        print_stderr(f"gaitid: {_refused(error)} ({error.strerror or error})")
        return 1
    except GaitidError as error:
        if debug:
            raise
        print_stderr(f"gaitid: {error.line()}")
        return 1
    except Exception as error:
        if debug:
            raise
        words = _not_loaded(error) if type(error) is ImportError else in_words(error)
        print_stderr(f"gaitid: {words}")
        return 1
    return code if isinstance(code, int) else 0


def _refused(error: OSError) -> str:
    """The file or stream that the system refused, as far as it is known."""
    from gaitid.cli.streams import STDOUT

    if error.filename == STDOUT:
        return f"cannot write to {STDOUT}"
    if error.filename:
        return f"{error.filename}: cannot be used"
    try:
        os.getcwd()  # noqa: PTH109 - whether there is one
    except OSError:
        return "the current folder cannot be used"
    return "the system refused"


def _not_loaded(error: ImportError) -> str:
    """Why an installed library does not load: the message of the system is at the end of the chain of errors."""
    first: BaseException = error
    while first.__cause__ or first.__context__:
        first = first.__cause__ or first.__context__ or first
    words = " ".join(str(first).split())
    return f"a library cannot be loaded ({words}); is there too little memory, or is the installation broken?"


def _interrupted() -> int:
    from gaitid.cli.streams import discard_stdout, print_stderr

    discard_stdout()
    print_stderr("gaitid: interrupted")
    # Python ends with the signal where Ctrl-C came inside an `exec` of text, as of a dataclass, until the next one.
    exec("")
    return INTERRUPTED


def _terminated(number: int, frame: object) -> NoReturn:
    sys.exit(TERMINATED)


def _silent(*args: object, **options: object) -> None:
    """Shows no warning."""


def entry() -> NoReturn:
    """`main` for a process that ends with it: nothing is torn down that the system takes back at once (15 ms)."""
    # Hardly anything here is a cycle, and a run of one trial makes 51,000 objects: looking through them costs 12 ms.
    gc.set_threshold(200_000)
    code: object = 1
    try:
        main()
    except SystemExit as end:
        code = end.code
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    if "matplotlib" in sys.modules:
        raise SystemExit(code)  # it takes its cache away at the end, where that is a temporary folder
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)
