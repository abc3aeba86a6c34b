"""What is installed, in which versions, what is missing, and the command that cures it.

Nothing here raises: a doctor that needs a healthy patient is of no use.  Python packages are read from their metadata
(against the ranges pairproof itself declares), R is asked in a process of its own, and whatever goes wrong while looking
becomes an entry of ``missing`` with the words it went wrong with.

``python -m pairproof.doctor --for-setup`` prints one line for each missing thing, for ``scripts/setup.sh``.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["python", "rpy2", "r", "r-package"]


@dataclass(frozen=True)
class RPackage:
    """One line of r_requirements.txt; a test keeps the two the same."""

    name: str
    minimum: str
    required: bool
    purpose: str
    in_distributions: bool = True


R_PACKAGES = (
    RPackage("MASS", "7.3-58", True, "polr: Rao-Kupper ties as an ordinal logit"),
    RPackage("gnm", "1.1-2", True, "LLBT and Davidson models with nuisance parameters eliminated"),
    RPackage("BradleyTerry2", "1.1-2", True, "BTm, BTabilities, countsToBinomial, GenDavidson"),
    RPackage("psychotools", "0.7-2", True, "btmodel"),
    RPackage("prefmod", "0.8-36", False, "llbt.design, llbt.fit, llbtPC.fit, llbt.worth", in_distributions=False),
)

NOT_IN_DEBIAN = frozenset({"pyarrow"})

PURPOSE_OF_EXTRA = {
    "r": "asking R itself; without it R's numbers are the recorded ones",
    "arrow": "reading Parquet and Arrow files; nothing else needs it",
    "test": "running the tests",
}


@dataclass(frozen=True)
class Missing:
    """One thing that is not here, or not in a version that works.

    Attributes
    ----------
    what : str
        Its name, with the version found if there is one.
    why : str
        What pairproof does with it.
    cure : str
        A command for this machine.
    kind : {"python", "rpy2", "r", "r-package"}
    """

    what: str
    why: str
    cure: str
    kind: Kind


@dataclass(frozen=True)
class RFound:
    """The R on this machine.

    Attributes
    ----------
    version : str or None
        As R writes it, "4.2.2"; None when R started and did not say.
    home : str or None
        R's own ``R.home()``.
    blas : str or None
        The BLAS it computes with, where its worker could say.
    usable : bool
        Whether pairproof's worker process runs it.
    reason : str or None
        Why not, in one sentence.
    """

    version: str | None
    home: str | None
    blas: str | None
    usable: bool
    reason: str | None


@dataclass(frozen=True)
class Report:
    """What :func:`examine` found; versions are text, None where a thing is not installed."""

    pairproof: str | None
    python: str
    packages: Mapping[str, str | None]
    r: RFound | None
    r_packages: Mapping[str, str | None]
    missing: tuple[Missing, ...]


def examine(extras: Sequence[str] = ("r", "arrow")) -> Report:
    """Look at this machine.

    Parameters
    ----------
    extras : sequence of str
        Optional parts of pairproof (``r``, ``arrow``, ``test``) whose absence counts as missing.

    Returns
    -------
    Report
        Never raises.
    """
    version_and_home, r_packages = _ask_rscript()
    packages, missing = _python_packages(extras, version_and_home[0] if version_and_home else "")
    r = None
    if version_and_home is None:
        missing.append(_no_r())
    else:
        r, seen_by_worker, complaints = _examine_r(*version_and_home)
        r_packages.update(seen_by_worker)
        missing += complaints
        missing += _r_package_complaints(r_packages)
    return Report(_version_of("pairproof"), platform.python_version(), packages, r, r_packages, tuple(missing))


def to_dict(report: Report) -> dict[str, Any]:
    """The report as the JSON object of ``pairproof doctor --json``."""
    r = report.r
    about_r = {"version": r.version, "home": r.home, "blas": r.blas, "usable": r.usable, "reason": r.reason} if r else None
    return {
        "pairproof": report.pairproof,
        "python": report.python,
        "packages": dict(report.packages),
        "r": about_r,
        "r_packages": dict(report.r_packages),
        "missing": [{"what": m.what, "why": m.why, "cure": m.cure} for m in report.missing],
    }


def render(report: Report) -> str:
    """The report as text, a few lines, the cures last."""
    lines = [f"pairproof {report.pairproof or '(not installed)'} on Python {report.python}"]
    lines += [f"  {name:<16} {version or '-'}" for name, version in report.packages.items()]
    if report.r is None:
        lines.append("R: not found")
    else:
        trouble = "" if report.r.usable else f", which cannot be used: {report.r.reason}"
        lines.append(f"R {report.r.version or '(version unknown)'}{f' with {report.r.blas}' if report.r.blas else ''}{trouble}")
        lines += [f"  {name:<16} {version or '-'}" for name, version in report.r_packages.items()]
    if not report.missing:
        return "\n".join([*lines, "Nothing is missing."])
    lines.append("Missing:")
    for entry in report.missing:
        lines += [f"  {entry.what}", f"    for:  {entry.why}", f"    cure: {entry.cure}"]
    return "\n".join(lines)


# ---- Python ----------------------------------------------------------------------------------------------------------


def _version_of(distribution: str) -> str | None:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def _python_packages(extras: Sequence[str], r_version: str) -> tuple[dict[str, str | None], list[Missing]]:
    """Versions of all that pairproof declares, and complaints about what it cannot do without."""
    try:
        from packaging.requirements import Requirement
    except ImportError:
        cure = _cure_python("packaging", "packaging", r_version)
        return {}, [Missing("packaging", "reading which versions pairproof needs", cure, "python")]
    try:
        declared = importlib.metadata.requires("pairproof") or []
    except importlib.metadata.PackageNotFoundError:
        why = "knowing which packages it needs: this is a folder of sources, not an installation"
        return {}, [Missing("pairproof's own metadata", why, "make setup", "python")]
    versions: dict[str, str | None] = {}
    missing = []
    for requirement in map(Requirement, declared):
        extra = _extra_of(requirement.marker)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra or ""}):
            continue  # for another Python
        if extra == "test" and "test" not in extras:
            continue
        found = versions[requirement.name] = _version_of(requirement.name)
        fits = found is not None and requirement.specifier.contains(found, prereleases=True)
        if not fits and (extra is None or extra in extras):
            what = requirement.name if found is None else f"{requirement.name} {requirement.specifier} ({found} is here)"
            why = PURPOSE_OF_EXTRA[extra] if extra else "pairproof does not run without it"
            kind: Kind = "rpy2" if requirement.name == "rpy2" else "python"
            cure = _cure_python(requirement.name, f"{requirement.name}{requirement.specifier}", r_version)
            missing.append(Missing(what, why, cure, kind))
    return versions, missing


def _extra_of(marker: object) -> str | None:
    """The extra a requirement belongs to: its marker reads ``... extra == "test"``."""
    _, found, tail = str(marker).partition('extra == "')
    return tail.partition('"')[0] if found else None


def _cure_python(name: str, spelled: str, r_version: str) -> str:
    if _in_conda():
        return f"conda install -c conda-forge {name}"
    if _sees_system_packages() and shutil.which("apt-get") and name not in NOT_IN_DEBIAN:
        return f"apt-get install python3-{name}"
    constraint = rpy2_constraint(r_version) if name == "rpy2" else None
    return f"{_python_command()} -m pip install '{spelled}'" + (f" '{constraint}'" if constraint else "")


def _python_command() -> str:
    """The interpreter, relative to the current folder where it lies below it."""
    try:
        relative = os.path.relpath(sys.executable)
    except ValueError:  # another drive
        return sys.executable
    return sys.executable if relative.startswith(os.pardir) else relative


def _in_conda() -> bool:
    return os.path.isdir(os.path.join(sys.prefix, "conda-meta"))


def _sees_system_packages() -> bool:
    """Whether this is the distribution's Python, or an environment that looks through to it."""
    if sys.prefix == sys.base_prefix:
        return sys.base_prefix == "/usr"
    try:
        with open(os.path.join(sys.prefix, "pyvenv.cfg"), encoding="utf-8") as settings:
            return "include-system-site-packages = true" in settings.read()
    except OSError:
        return False


# ---- R ---------------------------------------------------------------------------------------------------------------


def rpy2_constraint(r_version: str) -> str | None:
    """What pip must be told beside ``rpy2`` for this R, or None.

    rpy2's C layer follows R's C API: rpy2-rinterface 3.6.6 and later do not load on R before 4.5, and R 4.6 asks for
    3.6.7; its metadata declares neither.
    """
    release = _release(r_version)
    if release and release < (4, 5):
        return "rpy2-rinterface<3.6.6"
    return "rpy2-rinterface>=3.6.7" if release >= (4, 6) else None


def _release(version: str) -> tuple[int, ...]:
    """The numbers of an R version, "1.1-2" -> (1, 1, 2); empty when there are none."""
    return tuple(int(part) for part in version.replace("-", ".").split(".") if part.isdigit())


_QUESTION = r"""
cat("R\t", format(getRversion()), "\t", R.home(), "\n", sep = "")
for (p in commandArgs(TRUE)) {
  v <- tryCatch(as.character(packageDescription(p, fields = "Version")), warning = function(w) NA, error = function(e) NA)
  cat("P\t", p, "\t", if (is.na(v)) "" else v, "\n", sep = "")
}
"""


def _ask_rscript() -> tuple[tuple[str, str] | None, dict[str, str | None]]:
    """((version, home) or None, package versions), from an R of its own, without user profiles as pairproof's is."""
    names = [package.name for package in R_PACKAGES]
    versions: dict[str, str | None] = dict.fromkeys(names)
    try:
        command = ["Rscript", "--no-init-file", "-e", _QUESTION, *names]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL).stdout
    except (OSError, subprocess.SubprocessError):
        return None, versions
    found = None
    for line in answer.splitlines():
        tag, _, rest = line.partition("\t")
        first, _, second = rest.partition("\t")
        if tag == "R":
            found = (first, second)
        elif tag == "P" and second:
            versions[first] = second
    return found, versions


def _examine_r(version: str, home: str) -> tuple[RFound, Mapping[str, str | None], list[Missing]]:
    """Whether pairproof's worker runs this R, the R packages as it sees them, and if it does not what to do."""
    rinterface = _version_of("rpy2-rinterface")
    constraint = rpy2_constraint(version)
    if rinterface and constraint and not _satisfies(rinterface, constraint):
        reason = f"rpy2-rinterface {rinterface} does not load on R {version}, which needs {constraint}"
        cure = f"{_python_command()} -m pip install 'rpy2>=3.5.9,<3.7' '{constraint}'"
        return RFound(version, home, None, False, reason), {}, [Missing("an rpy2 that fits R", reason, cure, "rpy2")]
    try:
        from pairproof.bridge.session import probe

        status = probe()
    except Exception as error:  # probe promises not to raise; if it does, that is what is wrong here
        reason, cure = f"{type(error).__name__}: {error}", "install pairproof again"
        return RFound(version, home, None, False, reason), {}, [Missing("R that runs from Python", reason, cure, "r")]
    if status.usable:
        return RFound(version, home, status.blas, True, None), status.packages or {}, []
    found = RFound(version, home, None, False, status.why_not)
    if _version_of("rpy2") is None:  # the Python part has said so, with its cure
        return found, {}, []
    why = f"R {version} is installed and does not run from Python: {status.why_not}"
    return found, {}, [Missing("R that runs from Python", why, status.cure, "r")]


def _satisfies(version: str, constraint: str) -> bool:
    from packaging.requirements import Requirement

    return Requirement(constraint).specifier.contains(version, prereleases=True)


def _no_r() -> Missing:
    why = "asking R itself; without it R's numbers are the recorded ones"
    return Missing("R", why, _installer("r-base-core", "r-base", "r") or "install R and put Rscript on PATH", "r")


def _installer(debian: str, conda: str, brew: str | None) -> str | None:
    """The command of this machine's package manager, None where it has none of the three."""
    if _in_conda():
        return f"conda install -c conda-forge {conda}"
    if shutil.which("apt-get"):
        return f"apt-get install {debian}"
    if brew and shutil.which("brew"):
        return f"brew install {brew}"
    return None


def _r_package_complaints(versions: Mapping[str, str | None]) -> Iterator[Missing]:
    for package in R_PACKAGES:
        found = versions.get(package.name)
        if found is not None and _release(found) >= _release(package.minimum):
            continue
        what = f"R package {package.name}" + (f" >= {package.minimum} ({found} is here)" if found else "")
        why = package.purpose + ("" if package.required else "; recorded results stand in")
        yield Missing(what, why, _cure_r_package(package), "r-package")


def _cure_r_package(package: RPackage) -> str:
    from_cran = f"""Rscript -e 'install.packages("{package.name}")'"""
    if not package.in_distributions:
        return from_cran
    name = package.name.lower()
    return _installer(f"r-cran-{name}", f"r-{name}", None) or from_cran


def _print_for_setup() -> None:
    for entry in examine(extras=("r", "test")).missing:
        texts = (entry.kind, entry.what, f"{entry.why}; cure: {entry.cure}")
        print("\t".join(" ".join(text.split()) for text in texts))


if __name__ == "__main__":
    if sys.argv[1:] == ["--for-setup"]:
        _print_for_setup()
    else:
        print(render(examine()))
