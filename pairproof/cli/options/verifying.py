"""Options that control whether and how R is used, and what the commands that check papers share.

These recompute the papers, show and write the verdicts, and give the exit code.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...files.r_startup import PROJECT
from ...text import label
from ..state import COUNT, WRITTEN, State, gathered, json_text, option, shared_options, stacked
from .reading import taken

if TYPE_CHECKING:
    from ...bridge.process.policy import Mode
    from ...fit.fit import Fit
    from ..reports.fitted import Found
    from ..reports.person_models import AskedAnswers


MODES = ("live", "recorded", "both", "none")
_r, _data = option("R"), option("Data")


def _remember_project(ctx: click.Context, parameter: click.Parameter, value: bool) -> bool:
    """Ask for the current folder's start-up files, for this command and the programs that it starts."""
    if value:
        before = os.environ.get(PROJECT, "")
        os.environ[PROJECT] = "1"
        ctx.call_on_close(lambda: os.environ.update({PROJECT: before}))
    return value


#: The option of every command that starts R.
project_option = _r(
    "--project-r",
    is_flag=True,
    expose_value=False,
    callback=_remember_project,
    help=(
        "R also reads .Renviron and .Rprofile of the current folder, for a project with a library of its own (renv);"
        " they run code. Default: those of the site and of your home only. Also: PAIRPROOF_R_PROJECT=1."
    ),
)
_R = (
    project_option,
    _r(
        "--r",
        type=click.Choice(MODES),
        help=(
            "Run R live, use its recorded answers, both (fails if they differ), or none. Default: live if R"
            " and the package are installed, else recorded."
        ),
    ),
    _r("--require-r", is_flag=True, help="End with exit code 2 if R did not answer everything."),
    _r(
        "--full",
        is_flag=True,
        help="Print every number; default: at most 60 lines, what needs attention first.",
    ),
)
data_option = stacked(
    _data(
        "--data-limit",
        metavar="MB",
        type=COUNT,
        callback=lambda _, __, value: None if value is None else value * 1024**2,
        help="Largest data file that a claims file may name (default: 256).",
    ),
    _data(
        "--data",
        metavar="DIR",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help=(
            "Another folder, besides the claims file's own, that may hold its data files, such as data that"
            " may not be shipped (default: $PAIRPROOF_DATA). Claims whose data are not there are reported as"
            " not run."
        ),
    ),
)


def _without_contradiction(command: Callable[..., Any], given: dict[str, Any]) -> Any:
    """The command gets `r` (None for the default), `require_r` and `full`."""
    if given["require_r"] and given["r"] == "none":
        raise click.UsageError("--require-r and --r none contradict each other; leave one out.")
    return command(**given)


r_options = gathered(_R, _without_contradiction)


@dataclass(frozen=True)
class BesideR:
    """What is asked of R about a fit: whether it agrees, and a script that reproduces it."""

    verify: bool
    r: Mode | None
    require_r: bool
    full: bool
    script: str | None

    def check(self) -> None:
        """Refuse options that have no effect."""
        if (self.r is not None or self.require_r or self.full) and not self.verify:
            raise click.UsageError(
                "--r, --require-r and --full have no effect without --verify; add --verify."
            )

    def give(self, state: State, fitted: Fit, found: Found, answers: AskedAnswers | None = None) -> int:
        """Ask R, write the script and give the fit, with verdicts as their report; their exit code."""
        import pairproof

        from ..reports import fitted as report

        agreements: Any = pairproof.verify(fitted, r=self.r) if self.verify else None
        if self.script is not None:
            state.write(Path(self.script), fitted.to_r(), ".r")
            state.say(f"R script: {self.script}")
        document = report.fit_document(fitted, agreements) | report.comparison_document(found)
        document |= {} if answers is None else answers.document()
        parts = (report.effects_text(fitted) if answers is None else answers.text(), report.text(found))
        shown = "\n\n".join(filter(None, [fitted.summary(), *parts]))
        if state.json:
            for warning in document["warnings"]:
                state.say(f"Warning: {warning}")
        if agreements is None:
            more = [*answers.blocks()] if answers is not None and state.reports else []
            state.give(lambda: report.fit_page(fitted, found, more), document, terminal=lambda: shown)
            return 0
        from ...validation.report.rendering import output
        from ...validation.verdicts.agreement import exit_code

        beside_r = agreements.screen(self.full, [*map(str, state.reports)])
        verdicts = replace(
            output(agreements, report.context(fitted, agreements)),
            json=lambda: json_text(document) + "\n",
            terminal=lambda: f"{shown}\n\n{beside_r}",
        )
        state.give_output(verdicts, document)
        return exit_code(agreements, self.require_r)


def _beside_r(command: Callable[..., Any], given: dict[str, Any]) -> Any:
    """A command that fits gets `--verify`, what goes with it, and `--to-r` as one value, `beside_r`."""
    return command(beside_r=BesideR(**taken(given, [f.name for f in fields(BesideR)])), **given)


verify_options = gathered(
    (
        _r("--verify", is_flag=True, help="Compute the same numbers in R and show how many digits agree."),
        r_options,
        _r(
            "--to-r",
            "script",
            metavar="SCRIPT.R",
            type=WRITTEN,
            help="Write an R script that reproduces the fit.",
        ),
    ),
    _beside_r,
)


def stated(**options: Any) -> dict[str, Any]:
    """The options that were given a value."""
    return {name: value for name, value in options.items() if value is not None}


paper_options = stacked(r_options, data_option, shared_options)


def check_papers(
    state: State, names: Sequence[str], *, require_r: bool, full: bool, data_limit: int | None, **asked: Any
) -> int:
    """Recompute the papers, show and write the verdicts, and return the exit code 0, 1 or 2."""
    import pairproof.validation

    from ...validation.report.rendering import output
    from ...validation.report.terminal import screen
    from ...validation.verdicts.agreement import exit_code, to_document

    with watched(state) as progress:
        found = pairproof.validation.run(
            names, progress=progress, workers=os.cpu_count() or 1, **asked, **stated(data_limit=data_limit)
        )
    shown = replace(
        output(found, found.context),
        terminal=lambda: screen(found, found.context, full=full, reports=[*map(str, state.reports)]),
    )
    state.give_output(shown, to_document(found))
    return exit_code(found, require_r)


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
