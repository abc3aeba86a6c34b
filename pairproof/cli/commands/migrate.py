"""`pairproof migrate`: an R script into a Python script, whose numbers are compared with R's."""

from __future__ import annotations

import contextlib
import shlex
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import click

from ...text import safe
from ..options.verifying import project_option
from ..state import READ, FileName, State, options, sectioned, shared_options, watched_work


@sectioned("migrate")
@click.argument("script", metavar="SCRIPT", type=READ)
@options(
    "Files",
    {
        "--out FILE.py": "The Python script; its folder is created (default: NAME.py next to SCRIPT).",
        "--check": "Report only; write no files.",
    },
    out=FileName(),
)
@options(
    "Running the script",
    {
        "--args TEXT": "Arguments of the script, as on a command line: the value of commandArgs(TRUE).",
        "--seconds N": "Time limit for the script.",
        "--sandbox": "Run and parse the script without network and with write access only to its copy; refused"
        " if the system does not support it.",
    },
    args={"default": ""},
    seconds={"type": click.FloatRange(min=0.0, min_open=True), "default": 600.0},
)
@project_option
@shared_options
def command(state: State, script: str, out: str | None, check: bool, args: str, **asked: Any) -> int:
    """Run SCRIPT, an R analysis of comparisons, and write a Python script that does the same.

    R runs SCRIPT unchanged, with your rights, in a copy of its folder (with the folder's .Renviron and .Rprofile, if
    any, as R always does). Its calls of fitting functions (prefmod, BradleyTerry2, psychotools, PlackettLuce, gnm,
    glm and polr on designs of comparisons) are recorded with their values. Each call is translated to Python, and
    each number from Python is compared with R's number from that run.

    \b
    pairproof migrate analysis.R --out analysis.py      also data/*.csv, test_analysis.py, analysis.report.html
    pairproof migrate paper.Rmd --check --json
    """
    if check and out is not None:
        raise click.UsageError("--check writes nothing; omit --out.")
    if out is not None and not out.endswith(".py"):
        raise click.UsageError(f"--out {out}: the name must end in .py.")
    try:
        arguments = shlex.split(args)
    except ValueError as error:
        raise click.UsageError(f"--args {args}: {error}; give the arguments as on a command line.") from None
    from ...migration.migrate import migrate
    from ...migration.report_page import output

    def passed(block: bytes) -> None:
        if not state.quiet:
            click.echo(safe(block.decode("utf-8", "replace")), err=True, nl=False)

    with contextlib.ExitStack() as later:
        later.enter_context(_ended_with_its_script())
        bar: list[Callable[[int, int], None]] = []

        def told(done: int, total: int) -> None:
            if not bar:  # only now, since R's output came before
                bar.append(later.enter_context(watched_work(state, "calls")))
            bar[0](done, total)

        shown: dict[str, Any] = {"say": state.say, "output": passed, "told": told}
        found = migrate(script, out, check=check, arguments=arguments, force=state.force, **asked, **shown)
    state.give_output(output(found), found.to_dict)
    return found.exit_code


@contextlib.contextmanager
def _ended_with_its_script() -> Iterator[None]:
    """SIGTERM and SIGHUP end this command as Ctrl-C does: with R, which runs in a session of its own, and its
    copy.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():  # Python takes signals there only
        numbers = []
    # One that is ignored stays ignored: nohup ignores SIGHUP.
    default = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in default:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in default:
            signal.signal(number, signal.SIG_DFL)
