"""`python -m tools.pages.migrate_runs`: run `pairproof migrate` on all the scripts of `docs/migrate.md`, and keep what came of each.

The scripts are the ten in `tests/migration/corpus/scripts`, the listings of two papers beside them, and,
where R has the packages, the examples of every help page and a vignette, made by `tools/pages/migrate_pages.R` in a temporary
folder: they are the packages' text and are not kept.  What is kept (`tools/pages/migrate.json`) are counts, digits and the
reasons that pairproof gives, from which `python -m tools.pages docs/migrate.md` makes the page on any machine.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import pairproof
from pairproof.errors import PairproofError
from pairproof.files.r_startup import r_environment
from pairproof.migration.outcome import DIFFERENT, Migration, counts, fewest

from .snippets import ROOT

KEPT = Path(__file__).with_name("migrate.json")
CORPUS = ROOT / "tests" / "migration" / "corpus"
PAGES = Path(__file__).with_name("migrate_pages.R")
#: In the order of the page.
GROUPS = ("scripts", "papers", "vignettes", "BradleyTerry2", "prefmod", "psychotools", "PlackettLuce")
#: Longest run of a script, and of the Python files that came of it, in seconds.
SECONDS = 300.0
#: The script of the page's walk-through, and how many lines of what it prints are shown.
EXAMPLE, OUTPUT_LINES = "tea_regions", 24
#: Words of R that a migration's own text may have; longer ones are cut.
LONGEST = 300


@dataclass(frozen=True)
class Script:
    """An R script of the corpus."""

    group: str
    name: str
    path: Path


def scripts(made: Path | None) -> Iterator[Script]:
    """All scripts; those of help pages from the folder where they were made."""
    for group in ("scripts", "papers"):
        for home in sorted((CORPUS / group).iterdir()):
            yield Script(group, home.name, home / "analysis.R")
    if made is None:
        return
    for home in sorted((made / "vignettes").glob("*")):
        yield Script("vignettes", home.name, next(home.glob("analysis.*")))
    for group in GROUPS[3:]:
        for home in sorted((made / "pages" / group).glob("*")):
            yield Script(group, home.name, home / "analysis.R")


def make_pages(folder: Path) -> Path | None:
    """The folder with scripts of the help pages; None where there is no R."""
    program = shutil.which("Rscript")
    if program is None:
        return None
    subprocess.run(
        [program, str(PAGES), str(folder)], check=True, capture_output=True, env=r_environment(os.environ)
    )
    return folder


def run(script: Script, into: Path | None = None) -> dict[str, Any]:
    """What came of a script: counts of its calls and numbers, and how the files that were written did.

    The Python files are written into `into`, by default a temporary folder.
    """
    with tempfile.TemporaryDirectory(prefix="pairproof-corpus-") as temporary:
        home = Path(temporary) / "in"
        shutil.copytree(script.path.parent, home)
        out = (into or Path(temporary) / "out") / "analysis.py"
        out.parent.mkdir(parents=True, exist_ok=True)
        begun = time.monotonic()
        try:
            found = pairproof.migrate(home / script.path.name, out, seconds=SECONDS, force=True)
        except PairproofError as error:
            return {"group": script.group, "name": script.name, "error": _short(str(error))}
        took = time.monotonic() - begun
        same = (
            plain_output(home / script.path.name) == found.captured.output
            if script.path.suffix == ".R"
            else None
        )
        return {**of(script, found), "seconds": round(took, 1), "same_output": same, **written(out)}


def plain_output(script: Path) -> str:
    """What R prints of a script that nobody records."""
    program = shutil.which("R")
    assert program is not None, "R ran the script a moment ago"
    ran = subprocess.run(
        [program, "--no-echo", "--no-restore", "--no-save", f"--file={script.name}"],
        cwd=script.parent,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
        env=r_environment(os.environ),
    )
    return ran.stdout.decode("utf-8", "replace")


def of(script: Script, found: Migration) -> dict[str, Any]:
    """The counts of a migration."""
    fits = [s for s in found.steps if not s.call.helper]
    helpers = [s for s in found.steps if s.call.helper]
    least = fewest(found.agreements)
    differ = [a for a in found.agreements if a.verdict in DIFFERENT and not a.accepted]
    explained = Counter(
        _short(a.explanation)
        for a in found.agreements
        if a.verdict == "explained" or a.accepted and a.verdict in DIFFERENT
    )
    numbers = counts(found.agreements)
    return {
        "group": script.group,
        "name": script.name,
        "lines": len(found.captured.text.lines),
        "ending": found.captured.ending,
        "calls": len(fits),
        "states": dict(Counter(s.state for s in fits)),
        "helpers": len(helpers),
        "helper_states": dict(Counter(s.state for s in helpers)),
        "functions": _functions(found),
        "left_out": [f"{o.mentioned.function}: {o.reason}" for o in found.left_out],
        **numbers,
        "fewest": None if least is None or least.digits is None else round(float(least.digits), 1),
        "fewest_in": None if least is None else f"{least.quantity} of {least.r_call}",
        "differences": [f"{a.quantity} of {a.r_call}: {a.native!r}, R {a.r!r}; {_short(a.explanation)}" for a in differ],
        "explanations": dict(explained),
        "reasons": sorted({_short(s.translation.reason) for s in found.steps if s.state in ("bridge", "outside")}),
        "refused": [f"{s.call.function}: {_short(s.refused)}" for s in found.steps if s.state == "refused"],
        "exit_code": found.exit_code,
        "r_seconds": round(found.captured.seconds, 1),
    }  # fmt: skip


def _functions(found: Migration) -> dict[str, dict[str, int]]:
    """R function -> state -> how often."""
    known: dict[str, Counter[str]] = {}
    for step in found.steps:
        known.setdefault(step.call.function, Counter())[step.state] += 1
    return {name: dict(states) for name, states in sorted(known.items())}


def written(out: Path) -> dict[str, Any]:
    """How the Python script and the test that were written do by themselves."""
    said: dict[str, Any] = {"analysis": "", "tests": ""}
    if out.is_file():
        ran = run_python([out.name], out.parent)
        said["analysis"] = "runs" if ran.returncode == 0 else _last(ran.stderr)
    test = out.parent / f"test_{out.name}"
    if test.is_file():
        ran = run_python(["-m", "pytest", "-q", "-p", "no:cacheprovider", test.name], out.parent)
        said["tests"] = _last(ran.stdout)
    return said


def run_python(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(p for p in (str(ROOT), os.environ.get("PYTHONPATH", "")) if p)
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


def _last(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return _short(lines[-1]) if lines else ""


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def kept() -> list[dict[str, Any]]:
    """What the last run left, script by script."""
    found: list[dict[str, Any]] = _kept()["scripts"]
    return found


def _kept() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def example() -> Mapping[str, str]:
    """The walk-through: what the command printed, the files that it wrote, and what the Python script prints."""
    found: Mapping[str, str] = _kept()["example"]
    return found


def example_here() -> dict[str, str]:
    """The walk-through, run now."""
    with tempfile.TemporaryDirectory(prefix="pairproof-example-") as temporary:
        home = Path(temporary) / "tea"
        shutil.copytree(CORPUS / "scripts" / EXAMPLE, home)
        command = "import sys; from pairproof.cli import main; sys.exit(main())"
        ran = run_python(["-c", command, "migrate", "analysis.R"], home)
        if ran.returncode:
            raise SystemExit(f"the walk-through ended with {ran.returncode}: {ran.stderr}")
        output = run_python(["analysis.py"], home).stdout.splitlines()
        return {
            "name": EXAMPLE,
            "printed": ran.stdout.rstrip(),
            "python": (home / "analysis.py").read_text(encoding="utf-8"),
            "test": (home / "test_analysis.py").read_text(encoding="utf-8"),
            "output": "\n".join(x.rstrip() for x in output[:OUTPUT_LINES]),
        }


def versions() -> Mapping[str, str]:
    """Of R and its packages, at the last run."""
    found: Mapping[str, str] = _kept()["versions"]
    return found


def versions_here() -> dict[str, str]:
    """Of R and its packages, on this machine."""
    from pairproof.bridge.process.session import probe

    status = probe()
    packages = status.packages or {}
    names = ("prefmod", "BradleyTerry2", "psychotools", "PlackettLuce", "gnm", "MASS", "lme4")
    return {"R": str(status.r_version), **{n: str(packages.get(n) or "") for n in names}}


@click.command()
@click.argument("names", nargs=-1)
@click.option(
    "--into", type=click.Path(file_okay=False, path_type=Path), help="Keep the Python files in this folder."
)
@click.option("--dry", is_flag=True, help="Do not keep what came of it.")
def main(names: tuple[str, ...], into: Path | None, dry: bool) -> None:
    """Run NAMES, as GROUP or GROUP/NAME (default: all), and keep what came of each in tools/pages/migrate.json."""
    old = {(r["group"], r["name"]): r for r in kept()} if KEPT.is_file() and names else {}
    with tempfile.TemporaryDirectory(prefix="pairproof-pages-") as folder:
        wanted = [
            s
            for s in scripts(make_pages(Path(folder)))
            if not names or s.group in names or f"{s.group}/{s.name}" in names
        ]
        for script in wanted:
            row = run(script, into / script.group / script.name if into else None)
            old[script.group, script.name] = row
            click.echo(line(row))
            if not dry:
                keep(old.values())
        if not dry and any(s.name == EXAMPLE for s in wanted):
            keep(old.values(), example_here())


def line(row: Mapping[str, Any]) -> str:
    """A script in a line, for who runs them."""
    name = f"{row['group']}/{row['name']}"
    if "error" in row:
        return f"{name}: ERROR {row['error']}"
    said = f"{name}: {row['calls']} calls {row['states']}, {row['helpers']} helpers {row['helper_states']}; {row['agree']} agree"
    said += (
        f", {row['explained']} explained, {row['differ']} DIFFER, fewest {row['fewest']} ({row['fewest_in']})"
    )
    return f"{said}; analysis {row['analysis']}; {row['tests']}; {row['seconds']} s"


def keep(rows: Iterable[Mapping[str, Any]], shown: Mapping[str, str] | None = None) -> None:
    """Write the rows, in the order of the page, and the walk-through (default: the one that is kept)."""
    listed = sorted(rows, key=lambda r: (GROUPS.index(r["group"]), r["name"].lower()))
    found = {
        "versions": versions_here(),
        "example": shown or (example() if KEPT.is_file() else {}),
        "scripts": listed,
    }
    KEPT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
