"""`migrate(script)`: run an R analysis unchanged, and leave a Python script that does the same, every number compared.

    analysis.R --R, recorded--> calls with their values --translated--> Python code --evaluated--> values
        --held against R's numbers of that run--> analysis.py, test_analysis.py, data/*.csv, a report
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ..bridge.capture.run import capture
from ..files.outputs import check as check_output
from .migration.left_out import left_out
from .migration.migration import Migration
from .migration.output import output as result_in_every_form
from .migration.steps import Told, steps_of
from .migration.written.files import check_target, write_migration
from .migration.written.stage import Stage

#: Longest run of a script, in seconds, unless told otherwise.
SECONDS = 600.0


def migrate(
    script: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    check: bool = False,
    seconds: float = SECONDS,
    sandbox: bool = False,
    force: bool = False,
    say: Callable[[str], None] | None = None,
    output: Callable[[bytes], None] | None = None,
    told: Told | None = None,
) -> Migration:
    """Run an R script, translate its fits into Python, and compare every number.

    **The script is run by R, with your rights**, in a copy of its folder: it does whatever it does.

    Parameters
    ----------
    script : path
        .R, .Rmd, .qmd, .Rnw.
    out : path, optional
        The Python script to write; default: beside the R script, `NAME.py`. Its data, test, record and report are
        written beside it.
    check : bool
        Write nothing.
    seconds : float
        Longest run of the R script.
    sandbox : bool
        Run it where it reaches no network and writes only in its copy; an error where the system cannot.
    force : bool
        Also replace files that pairproof did not make.
    say : function of str, optional
        Gets what must be known before the script runs, and notes.
    output : function of bytes, optional
        Gets the script's output as it comes.
    told : function of (calls done, all calls), optional

    Returns
    -------
    Migration
        Prints as a table of the calls; `agreements` has every number, `exit_code` the verdict.

    Raises
    ------
    InputError
        No such script, a syntax error (line and column), a folder too large to copy, a file that must not be replaced.
    RUnavailable
        R, or a package that the script loads, is not installed; the message has the cure.

    Examples
    --------
    >>> import pairproof
    >>> print(pairproof.migrate("analysis.R", check=True))  # doctest: +SKIP
    """
    begun = time.monotonic()
    source = Path(script)
    target = source if out is None else Path(out)
    if source.is_file():  # what is wrong with the script itself is said by `capture`
        target = source.with_suffix(".py") if out is None else target
        if not check:
            check_target(source, target, force=force)
            check_output(_report(target), reads=[source], force=force)
    captured = capture(source, seconds=seconds, sandbox=sandbox, say=say, output=output)
    with tempfile.TemporaryDirectory(prefix="pairproof-migrate-") as folder:
        stage = Stage(Path(folder))
        steps = steps_of(captured, stage.place, told)
        found = Migration(captured, steps, left_out(captured))
        if not check:
            written = write_migration(found, source, target, stage=stage, force=force)
            found = replace(found, ran_seconds=written.ran_seconds)
            found = replace(
                found, written=(*written.shown, str(written.script.with_name(_report(target).name)))
            )
    found = replace(found, seconds=time.monotonic() - begun)
    if not check:
        result_in_every_form(found).write(_report(target), force=force)
    return found


def _report(target: Path) -> Path:
    """`analysis.report.html` beside `analysis.py`."""
    return target.with_name(f"{target.stem}.report.html")
