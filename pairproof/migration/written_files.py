"""Writes a migration: into a stage, run there, and delivered when it ran.

steps -> call sites -> analysis.py, test_analysis.py, analysis.recorded.json, data/*.csv  (stage)
      -> run by a Python of its own, without R where no call needs it; each number compared; fits recorded
      -> the user's folder

The test of a migrated script: one function a call site, which asks for the numbers of the run again.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

import pairproof

from ..errors import InputError, PairproofError
from ..files.outputs import AnyPath
from ..fit.fit import Fit
from ..text import safe
from ..validation.again import COLUMNS
from ..validation.verdicts.agreement import AGREEING
from . import delivery
from .call_sites import BySite, by_site
from .outcome import Migration, differs
from .python_script import R_FOLDER, Files, bridged, key_text, script_text
from .steps.compared import lines_of
from .steps.evaluated import CallSite
from .steps.flow import Done
from .translate.python_code import INDENT, Unique, comment, docstring, plain, text_literal


def names_of_tests(found: Sequence[CallSite], asked: delivery.Asked) -> dict[str, str]:
    """CallSite -> name of its test, for sites of which a number is compared or a fit is recorded."""
    names, made = Unique(), {}
    for site in found:
        if _all_fits(site) or any(any(asked[s.call.id]) for s in site.steps):
            line = site.call.place.line
            where = f"test_line_{line}_" if line else "test_"
            made[site.name] = names.name(where + plain(site.name, "value").replace("-", "_"))
    return made


def record_names(found: Sequence[CallSite]) -> dict[int, str]:
    """Call id -> what its record is called within its test: "" where the test has one."""
    made = {}
    for site in filter(_all_fits, found):
        names = Unique()
        for k, step in enumerate(site.steps[: delivery.MOST_RECORDED]):
            made[step.call.id] = names.name(plain(key_text(site.keys[k]), "key")) if site.many else ""
    return made


def text_of_test(
    of: BySite,
    tests: Mapping[str, str],
    script: str,
    asked: delivery.Asked,
    kept: str,
    differing: Sequence[str],
) -> str:
    """The test's source; numbers that differ are named by a test that fails when there are others, or fewer."""
    name, stem = of.migration.captured.text.name, PurePath(script).stem
    about = [
        f"Tests of {script}: each fit gives the same numbers as when it was migrated, and R's.",
        f"R's numbers are those of its run of {name}, in {stem}.recorded.json; they must agree to the digits stated there. R is not needed: where a call stays in R, its recorded result is used.",
    ]
    lines = list(docstring(about))
    wrong = [f"{a.quantity} {a.native}, R {a.r}" for a in of.migration.agreements if differs(a)]
    functions = [
        line for s in of.found if s.name in tests for line in ("", "", *_test(s, tests[s.name], asked))
    ]
    needed = any(line.lstrip().startswith("agree(") for line in functions)
    if differing:
        said = f"{len(wrong):,} of R's numbers differ from Python's, first {wrong[0]}; see {stem}.report.html. If these are others now, migrate again."
        functions += ["", "", "def test_the_numbers_that_differ(request):", *comment(said, INDENT, 4)]
        functions += [f"{INDENT}assert CALLS.differing(request) == ["]
        functions += [*(f"{INDENT * 2}{text_literal(name)}," for name in differing), f"{INDENT}]"]
    functions += ["", "", "def test_what_the_script_prints(request):"]
    functions += [f"{INDENT}CALLS.compare_printed(request, {text_literal(kept)})"]
    lines += ["", "from pathlib import Path", ""]
    lines += [f"from pairproof.validation import Again{', agree' if needed else ''}", ""]
    lines += [f"CALLS = Again(Path(__file__).with_name({text_literal(script)}))", *functions]
    return "\n".join(lines) + "\n"


def _test(site: CallSite, name: str, asked: delivery.Asked) -> Iterator[str]:
    fits = _all_fits(site)
    yield f"def {name}({'recorded, ' if fits else ''}request):"
    before = f"{site.variable} <- " if site.variable else ""
    yield from comment(f"{site.call.place}: {before}{site.call.text}", INDENT, 2)
    for said in _not_compared(site, asked):
        yield from comment(said, INDENT, 4)
    own = text_literal(site.name)
    yield f"{INDENT}for call in CALLS.all({own}):" if site.many else f"{INDENT}call = CALLS[{own}]"
    inner = INDENT * 2 if site.many else INDENT
    if not fits:
        yield f"{inner}call.compare(call.value(request))"
        return
    yield f"{inner}fit = call.value(request)"
    if not site.many:
        yield f"{inner}recorded(fit)"
    elif len(site.steps) <= delivery.MOST_RECORDED:
        yield f"{inner}recorded(fit, call.record)"
    else:
        yield f"{inner}if call.has_record:  # the first {delivery.MOST_RECORDED}"
        yield f"{inner}{INDENT}recorded(fit, call.record)"
    compared = [any(asked[s.call.id]) for s in site.steps]
    if all(compared):
        yield f"{inner}agree(fit, call.r, digits=call.digits)"
    elif any(compared):
        yield f"{inner}if call.r:"
        yield f"{inner}{INDENT}agree(fit, call.r, digits=call.digits)"


def _not_compared(site: CallSite, asked: delivery.Asked) -> Iterator[str]:
    """What R gave and the test does not compare, and why."""
    verdicts = (a.verdict for step in site.steps for a in step.rows if a.verdict not in AGREEING)
    found = Counter("DIFFER" if v.startswith("differs") else f"are {v}" for v in verdicts)
    for verdict, n in found.items():
        one = {"DIFFER": "DIFFERS"}.get(verdict, verdict.replace("are ", "is ")) if n == 1 else verdict
        yield f"{n:,} of R's numbers {one}, and {'is' if n == 1 else 'are'} not compared here."
    rows = (pair for step in site.steps for pair in zip(step.rows, asked[step.call.id]))
    lost = sum(a.verdict in AGREEING and a.r is not None and test is None for a, test in rows)
    if lost:
        those = "1 number that is" if lost == 1 else f"{lost:,} numbers that are"
        yield f"{those} computed from this value, and not in it, agreed and {'is' if lost == 1 else 'are'} not compared here."


def _all_fits(site: CallSite) -> bool:
    return all(isinstance(step.value, Fit) for step in site.steps)


#: Seconds that the new script may take, beside many times what its calls took when they were evaluated.
SECONDS, TIMES = 120.0, 20.0
#: What the new Python does: the script first, in a Python that has loaded nothing else, then the comparison.
_RUN = """
import runpy, sys
values = runpy.run_path(sys.argv[1], run_name="__main__")
from pathlib import Path
from pairproof.validation.again import check
sys.exit(1 if check(values, Path(sys.argv[1]), Path(sys.argv[2])) else 0)
"""
#: What it printed, as lines, apart from the records of its fits.
PRINTED = "recorded/printed"
#: How near numbers are that a statement prints twice, but for rounding, and what is 0 (observed: equal).
AGAIN, NOTHING = 1e-6, 1e-9
#: Bytes of it that are kept.
MOST_OUTPUT = 1 << 24
#: Modules that the script loads: one of its own by such a name would be loaded instead.
_LOADED = "pairproof numpy scipy pandas click rpy2 pytest dateutil pytz six tzdata".split()


@dataclass(frozen=True)
class Written:
    """What was written.

    script: analysis.py.  test: test_analysis.py; None if no number was compared.  run:
    analysis.recorded.json.  data, records: tables, and the records of the test.  files: all of them, the
    script first.  ran_seconds: how long the new script took by itself, with its start, before it was
    delivered, with R switched off.  output: what it printed, up to a limit.
    """

    script: Path
    test: Path | None
    run: Path
    data: tuple[Path, ...]
    records: tuple[Path, ...]
    files: tuple[str, ...]
    ran_seconds: float
    output: str
    done: tuple[Done, ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        """The files in few words: "analysis.py", "data/*.csv", ..."""
        alone = [self.script, *([self.test] if self.test else []), self.run]
        many = [str(found[0].parent / f"*{found[0].suffix}") for found in (self.data, self.records) if found]
        return (str(alone[0]), *many[:1], *map(str, alone[1:]), *many[1:])


def write_migration(
    migration: Migration, source: AnyPath, out: AnyPath, *, stage: delivery.Stage, force: bool = False
) -> Written:
    """Write a migration beside `out`, never over `source`; `force`: also files not ours, but no tables."""
    target, test_stem, before = _places(out)
    run = before.run
    of = by_site(migration)
    found = of.found
    tables = Files(found, stage.digest, before.taken())
    steps = (step for site in found for step in site.steps)
    asked = {step.call.id: delivery.asked(step.value, step.rows) for step in steps}
    tests, records = names_of_tests(found, asked), record_names(found)
    test, kept = (f"{test_stem}.py", f"{PRINTED}/{test_stem}.json") if tests else ("", "")

    folder = stage.folder / "delivered"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / delivery.DATA).mkdir(parents=True)
    if bridged(found) and stage.answers.is_dir():
        shutil.copytree(stage.answers, folder / R_FOLDER)
    for name_of, path in tables.paths.items():
        shutil.copyfile(stage.path_of(name_of), folder / path)
    data = list(tables.paths.values())
    text = script_text(of, tables, test, target.name)
    _put(folder / target.name, text)
    names = [*data, *([test] if test else []), target.name]

    def write_run(files: Sequence[str]) -> None:
        digests = {name: delivery.digest((folder / name).read_bytes()) for name in files}
        _put(folder / run, delivery.text_of(delivery.document(of, tests, records, digests, asked)))

    write_run([])
    limit = SECONDS + TIMES * sum(s.seconds for s in migration.steps)
    wrong: Sequence[Done] = ()
    try:
        took, output = _try_out(folder, target.name, test or f"{test_stem}.py", limit)
        how, wrong = "prints something else", _printed_otherwise(migration.done, output)
    except PairproofError as error:
        if not any(d.lines or d.inside for d in migration.done):
            raise
        # A statement after the fits stops the script: it goes, or all do where it cannot be told.
        how, wrong = "stopped the script", _stopping(migration.done, text, target.name, str(error))
    if wrong:
        why = f"its Python {how} when that ran by itself, a defect of pairproof"
        plain = replace(migration, done=tuple(_not_run(d, why) if d in wrong else d for d in migration.done))
        return write_migration(plain, source, out, stage=stage, force=force)
    made = sorted(p.relative_to(folder).as_posix() for p in (folder / "recorded").glob("*/*.json"))
    if test:
        differing = delivery.differing(of, output)
        _put(folder / test, text_of_test(of, tests, target.name, asked, kept, differing))
        (folder / kept).parent.mkdir(parents=True, exist_ok=True)
        _put(folder / kept, json.dumps(output.splitlines(), indent=0) + "\n")
        made.append(kept)
    write_run([*names, *made])

    whole = [*data, *made, run, *names[len(data) :]]
    delivered = delivery.deliver(folder, whole, before, [source], force)
    return Written(
        script=target,
        test=target.parent / test if test else None,
        run=target.parent / run,
        data=tuple(target.parent / name for name in data),
        records=tuple(target.parent / name for name in made),
        files=tuple(map(str, reversed(delivered))),
        ran_seconds=took,
        output=output,
        done=migration.done,
    )


def _stopping(done: Sequence[Done], script: str, name: str, error: str) -> Sequence[Done]:
    """The statement at which Python stopped, by the line that its error names and R's line above that; else all."""
    at = re.findall(rf'{re.escape(name)}", line (\d+)', error)
    above = re.findall(r"# line (\d+)", "\n".join(script.splitlines()[: int(at[-1])])) if at else []
    return [d for d in done if (d.lines or d.inside) and above and d.place.line == int(above[-1])] or done


def _printed_otherwise(done: Sequence[Done], output: str) -> Sequence[Done]:
    """The statements of which the script by itself printed a line otherwise than when they were evaluated."""
    there = defaultdict[str, list[list[str]]](list)
    for words, numbers in lines_of(output):
        there[words].append(numbers)

    def printed(words: str, numbers: Sequence[str]) -> bool:
        pairs = (zip(map(float, numbers), map(float, other)) for other in there[words])
        return any(all(math.isclose(a, b, rel_tol=AGAIN, abs_tol=NOTHING) for a, b in p) for p in pairs)

    whole = len(output) < MOST_OUTPUT
    return [d for d in done if whole and not all(printed(*line) for line in lines_of(d.said))]


def _not_run(d: Done, why: str) -> Done:
    """The expression as a comment."""
    if not (d.lines or d.inside):
        return d
    return replace(
        d,
        state="comment",
        lines=(),
        inside=(),
        of="",
        why=why,
        rows=(),
        printed=(),
        summaries=(),
        of_r=(),
        said="",
    )


def check_target(source: AnyPath, out: AnyPath, *, force: bool = False) -> None:
    """Whether a migration may be written there; asked before the R script is run, which may take long."""
    target, test_stem, before = _places(out)
    delivery.ready(before, [target.name, f"{test_stem}.py", before.run], [source], force)


def _places(out: AnyPath) -> tuple[Path, str, delivery.Earlier]:
    """The script's path, its test's name without suffix, and what an earlier run wrote there."""
    target = checked_out(out)
    test_stem = "test_" + plain(target.stem, "analysis").replace("-", "_")
    return target, test_stem, delivery.earlier(target.parent, f"{target.stem}.recorded.json", test_stem)


def checked_out(out: AnyPath) -> Path:
    """The script's path, if a Python script may be called so."""
    target = Path(out)
    if target.suffix != ".py" or not target.stem:
        raise InputError(f"{target}: the script is Python: give it a name that ends in .py")
    if target.stem in sys.stdlib_module_names or target.stem in _LOADED:
        itself = "the script loads a module of this name, and would load itself instead"
        raise InputError(f"{target.name}: {itself}; choose another name")
    if target.name.startswith("test_"):
        raise InputError(f"{target.name}: pytest would take the script for a test; choose another name")
    return target


def _put(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


# -- tried out -----------------------------------------------------------------------------------------------


def _try_out(folder: Path, script: str, test: str, limit: float) -> tuple[float, str]:
    """Run the script in a Python of its own and compare its numbers; (seconds, what it printed)."""
    package, path = str(Path(pairproof.__file__).resolve().parent.parent), os.environ.get("PYTHONPATH")
    environment = os.environ | {"PYTHONPATH": package + (os.pathsep + path if path else "")}
    environment |= {"PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {"PAIRPROOF_R": "none", "COLUMNS": COLUMNS}
    command = [sys.executable, "-c", _RUN, script, test]
    begun = time.monotonic()
    # What is printed goes into files: a script that prints much fills no pipe and no memory.
    said, failed = folder.parent / "said.txt", folder.parent / "failed.txt"
    with said.open("wb") as out, failed.open("wb") as err:
        streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err}
        try:
            wrong = subprocess.run(command, cwd=folder, env=environment, timeout=limit, **streams).returncode
            found, more = "does not do what it should", f". It said:\n{_tail(failed)}" if wrong else ""
        except subprocess.TimeoutExpired:
            wrong, found, more = 1, f"did not end within {limit:g} s", ""
    if wrong:
        report = "this is an error of pairproof: please report it with the R script"
        raise PairproofError(f"{script}, as it was written, {found}, so nothing was written; {report}{more}")
    took = time.monotonic() - begun
    with said.open("rb") as file:
        return took, file.read(MOST_OUTPUT).decode("utf-8", "replace")


def _tail(path: Path) -> str:
    raw = path.read_bytes()[-4000:].decode("utf-8", "replace").replace(str(path.parent), "")
    return safe("\n".join(raw.strip().splitlines()[-12:]))
