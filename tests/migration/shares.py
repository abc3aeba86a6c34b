"""How many of the numbers that R prints of a script's models are among what the Python script prints.

    python -m tests.migration.shares [NAME ...]

A number of a model is a number with decimals, or of three digits and more, in what R printed of an expression "of
models" (`printed.R` decides by names alone). Each needs a number of its own in Python's output that is equal to R's
last printed decimal (of a whole number with four digits or more, to which R rounds deviances, to 1/2); where Python shows
fewer digits, to three significant ones at least (of a small p two). Not counted are the line
of significance codes, quantiles of residuals in a summary (R prints them no more since 4.3), and what is 0 but for
rounding.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pairproof
from tests.places import ROOT

HERE = Path(__file__).parent / "corpus"
SCRIPTS = {home.name: home for kind in ("scripts", "papers") for home in sorted((HERE / kind).iterdir())}
_NUMBER = re.compile(r"(?<![\w.\[:])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w\]]|\.\d)")
_NOT_OF_MODELS = re.compile(r"^Signif\. codes:.*$|^Deviance Residuals: *\n.*\n.*$", re.MULTILINE)
_NOTHING = 1e-14


@dataclass(frozen=True)
class Share:
    """R's printed numbers of models, and those of them that Python does not print."""

    theirs: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def agree(self) -> int:
        return len(self.theirs) - len(self.missing)

    @property
    def value(self) -> float:
        return self.agree / len(self.theirs)


def script_of(home: Path) -> Path:
    """The script of a folder: R or R Markdown."""
    (script,) = (path for path in home.iterdir() if path.name in ("analysis.R", "analysis.Rmd"))
    return script


def golden(home: Path) -> str:
    """What R printed of expressions of models."""
    parts = re.split(r"^#: line (\d+)(, of models)?\n", (home / "printed.txt").read_text("utf-8"), flags=re.M)
    return "\n".join(text for of, text in zip(parts[2::3], parts[3::3]) if of)


def counted(printed: str) -> tuple[str, ...]:
    """The numbers of models of what R printed."""
    words = _NUMBER.findall(_NOT_OF_MODELS.sub("", printed))
    return tuple(w for w in words if (_decimals(w) or len(w.strip("+-")) > 2) and abs(float(w)) > _NOTHING)


def share(printed: str, ours: str) -> Share:
    """Each number of R's beside one of Python's that is no other's: equal as written first, then equal as rounded."""
    theirs = counted(printed)
    left = Counter(_NUMBER.findall(ours))
    rest = []
    for word in theirs:
        if left[word]:
            left[word] -= 1
        else:
            rest.append(word)
    missing = []
    for word in sorted(rest, key=_unit):
        found = next((own for own in left if left[own] and _equal(own, word)), None)
        if found is None:
            missing.append(word)
        else:
            left[found] -= 1
    return Share(theirs, tuple(missing))


def _equal(own: str, theirs: str) -> bool:
    a, b = float(own), float(theirs)
    unit = _unit(own)
    digits = 2 if "e" in own else 3  # a small p is printed with two
    shown = unit if unit <= 10.0 ** (1 - digits) * abs(b) else 0.0
    return abs(a - b) <= 0.5001 * max(shown, _unit(theirs)) + 1e-12 * abs(b)


def _decimals(word: str) -> bool:
    return "." in word or "e" in word.lower()


def _unit(word: str) -> float:
    """The last digit's unit; of a whole number nothing, because it is a count, unless it has four digits or more."""
    mantissa, _, exponent = word.lower().partition("e")
    if not _decimals(word):
        return 1.0 if len(word.strip("+-")) > 3 else 0.0
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def python(home: Path, *arguments: str, r: str = "") -> subprocess.CompletedProcess[str]:
    """Python in the folder of a migration, which sees this checkout and nothing of the tests."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PAIRPROOF_", "PYTEST_"))}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=home,
        env={**environment, "PYTHONPATH": str(ROOT), **({"PAIRPROOF_R": r} if r else {})},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def main(names: Sequence[str]) -> None:
    for name in names or SCRIPTS:
        with tempfile.TemporaryDirectory() as place:
            home = Path(place, name)
            shutil.copytree(SCRIPTS[name], home)
            print(_line(name, home), flush=True)
            if kept := os.environ.get("KEEP"):
                shutil.copytree(home, Path(kept, name), dirs_exist_ok=True)


def _line(name: str, home: Path) -> str:
    if not (home / "printed.txt").is_file():
        return f"{name:20} R has not printed it: a package is missing"
    try:
        found = pairproof.migrate(script_of(home))
    except Exception as error:  # noqa: BLE001 - the row of a script that cannot be migrated says so
        return f"{name:20} {type(error).__name__}: {str(error)[:160]}"
    ran = python(home, "analysis.py", r="none")
    of = share(golden(home), ran.stdout)
    tests = python(home, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_analysis.py", r="none")
    said = (tests.stdout.strip().splitlines() or ["nothing"])[-1]
    alone = "runs alone" if not ran.returncode else ran.stderr.strip().splitlines()[-1][:90]
    row = f"{name:20} {of.agree:4} of {len(of.theirs):4} {of.value:6.1%}  exit {found.exit_code}  {alone}; {said}"
    return row + (f"\n    missing: {' '.join(of.missing)}" if of.missing else "")


if __name__ == "__main__":
    main(sys.argv[1:])
