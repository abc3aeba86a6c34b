"""Options that control whether and how R is used, and what the commands that check papers share.

These recompute the papers, show and write the verdicts, and give the exit code.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...files.r_startup import PROJECT
from ...text import label
from ..state import COUNT, FLAG, State, choice, gathered, options, shared_options, stacked
from .reading import parsed

if TYPE_CHECKING:
    from ...validation.report.verification import Verification

MODES = ("live", "recorded", "both", "none")


def _remember_project(ctx: click.Context, parameter: click.Parameter, value: bool) -> bool:
    """Ask for the current folder's start-up files, for this command and the programs that it starts."""
    if value:
        before = os.environ.get(PROJECT, "")
        os.environ[PROJECT] = "1"
        ctx.call_on_close(lambda: os.environ.update({PROJECT: before}))
    return value


#: The option of every command that starts R.
project_option = options(
    "R",
    {
        "--project-r": "Let R run .Renviron and .Rprofile of this folder (renv). Default: no, unless PAIRPROOF_R_PROJECT=1."
    },
    project_r={**FLAG, "expose_value": False, "callback": _remember_project},
)
_R = (
    project_option,
    options(
        "R",
        {
            "--r": "Run R, use its recorded answers, both, or none. Default: live if R and the package are installed.",
            "--require-r": "Exit with 2 if R did not answer everything.",
            "--full": "Print every number; default: at most 60 lines, the important ones first.",
        },
        r=choice(*MODES),
    ),
)
data_option = options(
    "Data",
    {
        "--data-limit MB": "Maximum size of a claims file's data files (default: 256).",
        "--data DIR": "Another folder for data files besides the claims file's own, such"
        " as data that may not be distributed (default: $PAIRPROOF_DATA). Claims without data are"
        " reported as not run.",
    },
    data_limit={"type": COUNT, "callback": parsed(lambda megabytes: megabytes * 1024**2)},
    data=click.Path(exists=True, file_okay=False, path_type=Path),
)


def _without_contradiction(command: Callable[..., Any], given: dict[str, Any]) -> Any:
    """The command gets `r` (None for the default), `require_r` and `full`."""
    if given["require_r"] and given["r"] == "none":
        raise click.UsageError("--require-r and --r none contradict each other; omit one.")
    return command(**given)


r_options = gathered(_R, _without_contradiction)


def stated(**options: Any) -> dict[str, Any]:
    """The options that were given a value."""
    return {name: value for name, value in options.items() if value is not None}


paper_options = stacked(r_options, data_option, shared_options)
#: How the verdicts on a claims file are come to.
verdict_options = options(
    "Verdicts",
    {
        "--immaterial PART": "Fraction of its standard error by which a number may miss its printed digits,"
        " if no sign, order, significance or mark changes (default: 0.01). A single misprint is never immaterial.",
        "--no-explain": "Do not search for other readings of the page if its numbers are not reproduced.",
    },
    immaterial=click.FloatRange(0.0, 1.0, max_open=True),
    no_explain=FLAG,
)


def of_run(
    data_limit: int | None, immaterial: float | None = None, no_explain: bool = False, **asked: Any
) -> dict[str, Any]:
    """The arguments of `run`, from the options of the commands that check papers."""
    explain = False if no_explain else None
    return {**asked, **stated(data_limit=data_limit, immaterial=immaterial, explain=explain)}


def check_papers(
    state: State,
    names: Sequence[str],
    *,
    require_r: bool,
    full: bool,
    after: Callable[[Verification], None] | None = None,
    **asked: Any,
) -> int:
    """Recompute the papers, show and write the verdicts, and return the exit code; `after` is told the verdicts first."""
    import pairproof.validation

    with watched(state) as progress:
        found = pairproof.validation.run(
            names, progress=progress, workers=os.cpu_count() or 1, **of_run(**asked)
        )
    if after is not None:
        after(found)
    return give_verdicts(state, found, require_r, full)


def give_verdicts(state: State, found: Verification, require_r: bool, full: bool) -> int:
    """Show and write verdicts, and return the exit code."""
    from ...validation.report.rendering import output
    from ...validation.report.terminal import screen
    from ...validation.verdicts.agreement import to_document

    context = replace(found.context, command=state.again)
    shown = replace(
        output(found, context),
        terminal=lambda: screen(found, context, full=full, reports=[*map(str, state.reports)]),
    )
    state.give_output(shown, lambda: to_document(found))
    if found.interrupted:
        state.say("interrupted: these are the verdicts so far")
    return replace(found, require_r=require_r).exit_code


@contextlib.contextmanager
def watched(state: State) -> Iterator[Callable[[str], None]]:
    """Give a function to call with each step's name, which is shown on one line of standard error if that is
    a terminal.
    """
    if state.quiet or not sys.stderr.isatty():
        yield lambda what: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("reading") as status:
        yield lambda what: status.update(escape(label(what)))
