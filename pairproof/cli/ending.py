"""Ends a command: the exit code, and one or two lines on standard error if an error stopped it.

====  ==========================================================================================
code  when
====  ==========================================================================================
0     done
1     a number differs, is explained but not accepted, is ambiguous, or is printed but not estimable
2     something required did not run: R, a package, a solver that did not converge, a defect of pairproof
3     bad input or bad usage
130   interrupted, also by a reader that closed the pipe
====  ==========================================================================================
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any, TextIO

import click

from .state import State, echo

DONE, ATTENTION, NOT_RUN, BAD_INPUT, INTERRUPTED = 0, 1, 2, 3, 130


def run(arguments: Sequence[str]) -> int:
    """Run the command line; if an error stops it, say so on standard error."""
    from ..files.inputs import noting
    from .app import ReaderGone, app

    state = State()
    for stream in (sys.stdout, sys.stderr):
        _never_fail_to_encode(stream)
    with warnings.catch_warnings(), noting():
        warnings.showwarning = _show_warning(state)
        try:
            outcome = app.main(list(arguments), prog_name="pairproof", standalone_mode=False, obj=state)
            sys.stdout.flush()
            return outcome if isinstance(outcome, int) else DONE
        except (ReaderGone, BrokenPipeError):
            _drop_output()
            return INTERRUPTED
        except (KeyboardInterrupt, click.Abort):
            echo("pairproof: interrupted", err=True)
            return INTERRUPTED
        except Exception as error:
            if state.debug:
                import traceback

                echo(traceback.format_exc().rstrip("\n"), err=True)
            code, message = describe(error)
            if isinstance(error, OSError) and error.filename is None:
                _drop_output()  # standard output itself may be what cannot be written
            echo(message, err=True)
            return code


def describe(error: Exception) -> tuple[int, str]:
    """The exit code of an error, and its message."""
    from ..errors import (
        ComparisonError,
        ConvergenceError,
        InputError,
        NotEstimableError,
        PairproofError,
        RError,
    )

    if isinstance(error, click.UsageError):
        command = error.ctx.command_path if error.ctx is not None else "pairproof"
        return BAD_INPUT, f"{command}: {error.format_message()}\nTry '{command} --help'."
    if isinstance(error, click.ClickException):
        return BAD_INPUT, f"pairproof: {error.format_message()}"
    name = type(error).__name__
    if isinstance(error, (InputError, ComparisonError, NotEstimableError)):
        return BAD_INPUT, f"{name}: {error}"
    if isinstance(error, (RError, ConvergenceError, PairproofError)):
        return NOT_RUN, f"{name}: {error}"
    if isinstance(error, OSError) and error.errno is None and error.args:
        return BAD_INPUT, f"{name}: {error}"  # one of pairproof's own errors, whose message is complete
    if isinstance(error, OSError):
        # An error of the operating system; if standard output's disk is full, it has no file name.
        what, cure = (
            ("output", "make room, or write elsewhere")
            if error.filename is None
            else (error.filename, "check the path and its permissions")
        )
        return BAD_INPUT, f"{what}: {error.strerror or name}; {cure}"
    if isinstance(error, MemoryError):
        what = " ".join(str(error).split())
        return (
            NOT_RUN,
            f"pairproof: out of memory{f' ({what})' if what else ''}; ask for less at a time: fewer rows or items, or, in"
            " a model of judges, fewer covariates or coarser --cells",
        )
    if (
        isinstance(error, ModuleNotFoundError)
        and (package := (error.name or "").partition(".")[0]) != "pairproof"
    ):
        from ..bridge.process.cures import python_package

        return NOT_RUN, f"pairproof: {package} is not installed; cure: {python_package(package, package, '')}"
    text = " ".join(str(error).split()) or "no message"
    return (
        NOT_RUN,
        (
            f"pairproof: a defect of pairproof, not of your input: {name}: {text}\n"
            "Run it again with --debug for the traceback, and please report it."
        ),
    )


def _show_warning(state: State) -> Any:
    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        from ..errors import PairproofWarning

        if issubclass(category, PairproofWarning):
            state.say(f"Warning: {message}")
        elif state.debug:
            state.say(warnings.formatwarning(message, category, filename, lineno, line).rstrip())

    return show


def _never_fail_to_encode(stream: TextIO) -> None:
    """Print \\u escapes, instead of failing, for characters that the terminal's encoding lacks and for file
    names that are not UTF-8.
    """
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Discard what is left in the output buffer, which Python would otherwise fail to write when it ends."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
    except (OSError, ValueError, AttributeError):
        # Standard output is not a file of the system (a test's buffer): there is nothing to close.
        return
