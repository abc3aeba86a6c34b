"""Checks which of the Python packages that pairproof declares are installed, in a suitable version, and can
be imported.
"""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...bridge.process.cures import Machine, broken_package, python_command, python_package
from .report import Missing

if TYPE_CHECKING:
    from packaging.requirements import Requirement

#: The module imported to see whether a distribution works, where it is not the distribution's name with _ for
#: -.  Importing scipy alone would load none of its compiled parts.
MODULE_OF = {"pytest-xdist": "xdist", "scipy": "scipy.optimize"}

PURPOSE_OF_EXTRA = {
    "r": "running R itself; without it R's numbers are the recorded ones",
    "arrow": "reading Parquet and Arrow files; nothing else needs it",
    "test": "running the tests",
    "format": "writing the code as its formatters have it",
}
#: Extras for working on pairproof itself: not looked at unless they are asked for.
FOR_THE_CODE = ("test", "format")


def version_of(distribution: str) -> str | None:
    """The installed version of a distribution, None if it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def examine_python(extras: Sequence[str], r_version: str) -> tuple[dict[str, str | None], list[Missing]]:
    """Versions of all packages that pairproof declares, and an entry for each required one that is missing.

    Parameters
    ----------
    extras : sequence of str
        Optional parts whose absence is a complaint; the packages of ``test`` and ``format`` are looked at
        only when these are among them.
    r_version : str
        R's version, which the command that installs rpy2 depends on; empty if there is no R.
    """
    try:
        declared = _declared()
    except importlib.metadata.PackageNotFoundError:  # an ImportError too, so it comes first
        why = "knowing which packages pairproof needs: this is a source folder, not an installation"
        cure = "make setup" if Machine.here().makefile else f"{python_command()} -m pip install ."
        return {}, [Missing("pairproof's own metadata", why, cure, "python")]
    except ImportError:
        cure = python_package("packaging", "packaging", r_version)
        return {}, [Missing("packaging", "reading which versions pairproof needs", cure, "python")]
    looked_at = [
        (requirement, extra)
        for requirement, extra in declared
        if extra not in FOR_THE_CODE or extra in extras
    ]
    versions = {requirement.name: version_of(requirement.name) for requirement, _ in looked_at}
    missing = []
    for requirement, extra in looked_at:
        found = versions[requirement.name]
        if (extra is None or extra in extras) and not _fits(found, requirement):
            what = (
                requirement.name
                if found is None
                else f"{requirement.name} {requirement.specifier} ({found} is here)"
            )
            why = PURPOSE_OF_EXTRA.get(extra, extra) if extra else "pairproof does not run without it"
            cure = python_package(requirement.name, f"{requirement.name}{requirement.specifier}", r_version)
            missing.append(Missing(what, why, cure, "rpy2" if requirement.name == "rpy2" else "python"))
    # Whether rpy2 works is tested by starting R.
    broken = broken_imports(
        [name for name, found in versions.items() if found is not None and name != "rpy2"]
    )
    for name, error in broken.items():
        why = f"it is installed but cannot be imported: {error}"
        missing.append(Missing(f"{name} that imports", why, broken_package(name, r_version), "python"))
    return versions, missing


def _declared() -> list[tuple[Requirement, str | None]]:
    """pairproof's requirements for this Python, each with the extra it belongs to."""
    from packaging.requirements import Requirement

    found = []
    for requirement in map(Requirement, importlib.metadata.requires("pairproof") or []):
        # A marker of an extra reads ``... extra == "test"``.
        extra = str(requirement.marker).partition('extra == "')[2].partition('"')[0] or None
        if requirement.marker is None or requirement.marker.evaluate({"extra": extra or ""}):
            found.append((requirement, extra))
    return found


def _fits(version: str | None, requirement: Requirement) -> bool:
    """Whether an installed version meets a requirement; one that cannot be parsed does not."""
    from packaging.version import InvalidVersion

    try:
        return version is not None and requirement.specifier.contains(version, prereleases=True)
    except InvalidVersion:
        return False


_IMPORT_EACH = """
import importlib, sys
for pair in sys.argv[1:]:
    name, module = pair.split("=")
    try:
        importlib.import_module(module)
        print(name, "", sep="\\t", flush=True)
    except BaseException as error:
        text = " ".join(str(error).split())
        print(name, f"{type(error).__name__}: {text}", sep="\\t", flush=True)
"""


def broken_imports(names: Sequence[str]) -> dict[str, str]:
    """The distributions that cannot be imported in a separate process, with the error message of each."""
    pairs = [f"{name}={MODULE_OF.get(name, name.replace('-', '_'))}" for name in names]
    try:
        command = [sys.executable, "-c", _IMPORT_EACH, *pairs]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError) as error:
        return {"Python": f"{type(error).__name__}: {error}"}
    answers = dict(line.split("\t", 1) for line in ran.stdout.splitlines() if "\t" in line)
    ended = f"Python ended with status {ran.returncode} while it was imported"
    first_without_answer = next((name for name in names if name not in answers), None)
    broken = {name: error for name, error in answers.items() if error and name in names}
    return broken if first_without_answer is None else {**broken, first_without_answer: ended}
