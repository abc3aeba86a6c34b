"""`migrate(script)`: run an R analysis unchanged, and leave a Python script that does the same.

Its numbers are compared.

analysis.R --R, recorded--> calls with their values --translated--> Python code --evaluated--> values
    --compared with R's numbers of that run--> analysis.py, test_analysis.py, data/*.csv, a report

Every recorded call is translated, evaluated and compared with what R gave, in the order in which R made them.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from ..bridge.capture.recorded import Captured, NotRecorded, RecordedCall
from ..bridge.capture.run import capture
from ..bridge.process.policy import Backend, using
from ..bridge.records.record_files import Records
from ..errors import PairproofError, PairproofWarning
from ..files.outputs import check as check_output
from .call_sites import sites
from .delivery import Stage, made_folder
from .outcome import Migration, left_out
from .report_page import output as result_in_every_form
from .steps.evaluated import loop_names
from .steps.script_steps import ScriptSteps
from .translate import translation as translating
from .translate.python_code import Where, evaluate
from .translate.translation import Context, OutOfTime, Step, Translation, Translator, outside
from .written_files import check_target, write_migration

#: Modules of translators, one for the functions of one package.
MODULES = (
    "bradleyterry2.btm_fits bradleyterry2.btm_helpers designs.glm_gnm_polr designs.eba_models"
    " plackett_luce other_packages prefmod.llbt_fits prefmod.patterns prefmod.prefmod_worths"
).split()


def translators() -> dict[str, Translator]:
    """R function with its package -> its translator."""
    for name in MODULES:
        import_module(f".translate.{name}", __package__)
    return translating.TRANSLATORS


Told = Callable[[int, int], None]


#: Seconds of the processor that the evaluations of one call may take, beside so many times R's seconds.
SECONDS_A_CALL, TIMES_R = 20.0, 5.0


def steps_of(
    captured: Captured, where: Where, told: Told | None = None, answers: Path | None = None
) -> tuple[Step, ...]:
    """Translate and evaluate the calls of a run in the order in which they ended; `told` is for progress.

    answers: a folder for what R answers to calls that stay there.
    """
    known, done, results = translators(), dict[int, Step](), dict[int, Any]()
    spent, of_r = (defaultdict[tuple[str, int], float](float) for _ in range(2))
    for call in captured.calls:
        of_r[call.text, call.task] += call.seconds
    kept = Backend("live") if answers is None else Backend("live", record="all", records=Records([answers]))
    evaluated = partial(_evaluated, where=where, results=results, kept=kept)
    with using("live"):
        for k, call in enumerate(captured.calls):
            site = call.text, call.task
            left = SECONDS_A_CALL + TIMES_R * of_r[site] - spent[site]
            begun = time.process_time()
            step = done[call.id] = _in_time(call, Context(captured, done), known, left, evaluated)
            spent[site] += time.process_time() - begun
            if step.value is not None:
                results[call.id] = step.value
            if told is not None:
                told(k + 1, len(captured.calls))
    return tuple(done.values())


#: The step of a call by its translation.
ToStep = Callable[[RecordedCall, Translation], Step]


def _in_time(
    call: RecordedCall, context: Context, known: Mapping[str, Translator], seconds: float, evaluated: ToStep
) -> Step:
    """The step; where Python fails or takes too long, by R through the bridge, or left out with the reason."""
    why = f"Python took longer than {TIMES_R:g} times R's seconds and {SECONDS_A_CALL:g} more"
    try:
        with translating.within(max(seconds, 0.001)):
            step = evaluated(call, _translated(call, context, known))
        if not step.failed:
            return step
        why = step.failed
    except OutOfTime:
        pass
    step = evaluated(call, translating.kept_in_r(call, context, why))
    return Step(call, outside(why)) if step.failed else step


def _translated(call: RecordedCall, context: Context, known: Mapping[str, Translator]) -> Translation:
    if call.error:
        return outside(f"R gave an error: {call.error}")
    if not call.kept:
        return outside("more calls from one place than are recorded")
    if translating.by_package(call):
        return outside(f"{call.via} fits a model for its own result")
    if call.function not in known:
        return outside(f"pairproof has no equivalent of {call.function}")
    return known[call.function](call, context)


def _evaluated(
    call: RecordedCall, translation: Translation, where: Where, results: Mapping[int, Any], kept: Backend
) -> Step:
    """The step with its value and rows, or with Python's error."""
    if translation.code is None:
        return Step(call, translation)
    begun, step = time.monotonic(), Step(call, translation)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with using(kept if translation.route == "bridge" else "live"):
                value = evaluate(translation.code, where, results)
            step = replace(step, value=value, rows=tuple(translation.judge(value)))
        except PairproofError as error:
            step = replace(step, refused=f"{type(error).__name__}: {error}")
        except NotRecorded as why:
            step = replace(step, refused=f"R's result cannot be compared: {why}")
        except Exception as error:  # a defect of ours loses this call and no other
            stopped = f"Python stopped ({type(error).__name__}: {error}), a defect of pairproof"
            step = replace(step, failed=stopped)
    ours = (w for w in caught if issubclass(w.category, PairproofWarning))
    said = tuple(dict.fromkeys(str(w.message) for w in ours))
    return replace(step, said=said, seconds=time.monotonic() - begun)


#: Longest run of a script, in seconds, unless told otherwise.
SECONDS = 600.0


def migrate(
    script: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    check: bool = False,
    arguments: Sequence[str] = (),
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
        written beside it. Its folder is made if there is none.
    check : bool
        Write nothing.
    arguments : sequence of str
        What `commandArgs(TRUE)` gives in the script.
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
            made_folder(target.parent)
            check_target(source, target, force=force)
            check_output(_report(target), reads=[source], force=force)
    captured = capture(source, arguments=arguments, seconds=seconds, sandbox=sandbox, say=say, output=output)
    with tempfile.TemporaryDirectory(prefix="pairproof-migrate-") as folder:
        stage = Stage(Path(folder))
        steps = steps_of(captured, stage.place, told, stage.answers)
        called, _ = sites(captured, steps)
        done = ScriptSteps(captured, called, Path(folder), loop_names(called)).all()
        found = Migration(captured, steps, left_out(captured), tuple(done))
        if not check:
            written = write_migration(found, source, target, stage=stage, force=force)
            files = (*written.shown, str(written.script.with_name(_report(target).name)))
            found = replace(found, done=written.done, ran_seconds=written.ran_seconds, written=files)
    found = replace(found, seconds=time.monotonic() - begun)
    if not check:
        result_in_every_form(found).write(_report(target), force=force)
    return found


def _report(target: Path) -> Path:
    """`analysis.report.html` beside `analysis.py`."""
    return target.with_name(f"{target.stem}.report.html")
