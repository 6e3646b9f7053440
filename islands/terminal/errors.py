"""Whatever ends a command becomes one message and an exit code."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence

import typer

from islands.errors import IslandsError, as_options, shortened

AGAIN = 0.02  # seconds after which a callback has ended


def hear_lost_signals() -> None:
    """Let a Ctrl-C come again that Python has lost: one in a callback from C, as the compiler of kernels has them."""
    usual = sys.unraisablehook

    def hook(lost: sys.UnraisableHookArgs) -> None:
        if lost.exc_type is not KeyboardInterrupt:
            usual(lost)
            return
        again = threading.Timer(AGAIN, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
        again.daemon = True
        again.start()

    sys.unraisablehook = hook


def exit_code(command: Callable[[], int | None], given: Sequence[str]) -> int:
    """Run a command and return its exit code; `given` are the words that were typed."""
    try:
        code = command() or 0
        if sys.stdout is not None:
            sys.stdout.flush()
    except IslandsError as error:
        return _complain(as_options(str(error)), error.exit_code)
    except typer.TyperException as error:
        return _complain(_in_words(error), error.exit_code)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader has seen enough
        _close_stdout()
        return 1
    except OSError as error:
        return _of_the_system(error, given)
    except MemoryError:
        return _complain("out of memory. Try fewer --islands, a smaller --population or a smaller puzzle.", 3)
    except Exception as error:
        return _unexpected(error, given)
    return code


def _of_the_system(error: OSError, given: Sequence[str]) -> int:
    if error.errno == errno.ENAMETOOLONG:
        return _complain(f"{shortened(str(error.filename))}: this name is too long for a file or directory.", 2)
    if error.errno != errno.ENOSPC or error.filename is not None:
        return _unexpected(error, given)
    _close_stdout()  # a full disk under a file of a run would be a DiskError
    return _complain(f"cannot write the output: {error.strerror}.", 3)


def _close_stdout() -> None:
    """The interpreter's own last flush must not complain once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unexpected(error: Exception, given: Sequence[str]) -> int:
    if {"-v", "--verbose"} & set(given):
        traceback.print_exc()
    kept = "".join(f" The traceback is in {note}." for note in getattr(error, "__notes__", []))
    bug = f"unexpected {type(error).__name__}: {error}. This is a bug in puzzle-islands; please report it."
    return _complain(bug + (kept or " -v shows the traceback."), 3)


def _complain(message: str, code: int) -> int:
    if message:
        typer.echo(f"{typer.style('error:', fg=typer.colors.RED, bold=True)} {message}", err=True)
    return code


def _in_words(error: typer.TyperException) -> str:
    """What typer says, with a suggestion and where to read more."""
    near = getattr(error, "possibilities", None)
    context = getattr(error, "ctx", None)
    message = (error.message if near else error.format_message()).replace("Value error, ", "").rstrip(".")
    if not message:  # help was shown already
        return ""
    hint = f" Did you mean {near[0]}?" if near else ""
    return f"{message}.{hint}" + (f" See {context.command_path} --help" if context else "")
