"""What is installed, in which versions, what is missing, and the command that installs it.

Nothing here raises, because it must work where things are missing or broken.  The versions of Python
packages are read from their metadata and compared with the ranges that pairproof declares; each package
is imported in a separate process.  R is found with Rscript, and then started in the bridge's worker as for
a call.  An error on the way becomes an entry of ``missing`` with its message.

``python -m pairproof.cli.doctor`` prints the report; with ``--for-setup`` one line for each missing thing:
kind, name, words.
"""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..bridge.process.cures import (
    RPY2,
    Machine,
    broken_package,
    no_r_cure,
    python_command,
    python_package,
    r_package,
    release,
    rpy2_constraint as rpy2_constraint,
)
from ..files.r_startup import r_environment, r_options
from ..report.blocks import Code, Page

if TYPE_CHECKING:
    from packaging.requirements import Requirement


Kind = Literal["python", "rpy2", "r", "r-package"]


@dataclass(frozen=True)
class Missing:
    """Something that is not installed, or not in a version that works, and the command that cures it here."""

    what: str
    why: str
    cure: str
    kind: Kind


@dataclass(frozen=True)
class RFound:
    """The R on this machine; `reason`: why pairproof's worker cannot run it."""

    version: str | None
    home: str | None
    blas: str | None
    usable: bool
    reason: str | None


@dataclass(frozen=True)
class Report:
    """The result of :func:`examine`; versions are text, None for what is not installed."""

    pairproof: str | None
    python: str
    packages: Mapping[str, str | None]
    r: RFound | None
    r_packages: Mapping[str, str | None]
    missing: tuple[Missing, ...]


def to_dict(report: Report) -> dict[str, Any]:
    """The report as the JSON object of ``pairproof doctor --json``."""
    missing = [{"what": m.what, "why": m.why, "cure": m.cure} for m in report.missing]
    return {**vars(report), "r": None if report.r is None else vars(report.r), "missing": missing}


def render(report: Report) -> str:
    """The report as a few lines of text, with what to install last."""
    lines = [f"pairproof {report.pairproof or '(not installed)'} on Python {report.python}"]
    lines += [f"  {name:<16} {version or '-'}" for name, version in report.packages.items()]
    if report.r is None:
        lines.append("R: not found")
    else:
        trouble = "" if report.r.usable else f", not usable: {report.r.reason}"
        lines.append(
            f"R {report.r.version or '(version unknown)'}{f' with {report.r.blas}' if report.r.blas else ''}{trouble}"
        )
        lines += [f"  {name:<16} {version or '-'}" for name, version in report.r_packages.items()]
    if not report.missing:
        return "\n".join([*lines, "Nothing is missing."])
    lines.append("Missing:")
    for entry in report.missing:
        lines += [f"  {entry.what}", f"    for:  {entry.why}", f"    cure: {entry.cure}"]
    return "\n".join(lines)


def page(report: Report) -> Page:
    """The same lines as a page of a report."""
    return Page("pairproof doctor", [Code(render(report))])


#: The module imported to see whether a distribution works, where it is not the distribution's name with _ for
#: -.  Importing scipy alone would load none of its compiled parts.
MODULE_OF = {"pytest-xdist": "xdist", "scipy": "scipy.optimize"}

PURPOSE_OF_EXTRA = {
    "r": "running R itself; without it R's numbers are the recorded ones",
    "arrow": "reading Parquet and Arrow files; nothing else needs it",
    "test": "running the tests",
    "format": "formatting the code",
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

    extras: parts whose absence is a complaint; those for the code are looked at only then.
    """
    try:
        declared = _declared()
    except importlib.metadata.PackageNotFoundError:  # an ImportError too, so it comes first
        why = "listing the packages that pairproof needs: this is a source folder, not an installation"
        cure = "make setup" if Machine.here().makefile else f"{python_command()} -m pip install ."
        return {}, [Missing("pairproof's own metadata", why, cure, "python")]
    except ImportError:
        cure = python_package("packaging", "packaging", r_version)
        return {}, [Missing("packaging", "checking the versions that pairproof needs", cure, "python")]
    looked_at = [(r, extra) for r, extra in declared if extra not in FOR_THE_CODE or extra in extras]
    versions = {requirement.name: version_of(requirement.name) for requirement, _ in looked_at}
    missing = []
    for requirement, extra in looked_at:
        found = versions[requirement.name]
        if (extra is None or extra in extras) and not _fits(found, requirement):
            wrong = "" if found is None else f" {requirement.specifier} ({found} is here)"
            what = f"{requirement.name}{wrong}"
            why = PURPOSE_OF_EXTRA.get(extra, extra) if extra else "pairproof does not run without it"
            cure = python_package(requirement.name, f"{requirement.name}{requirement.specifier}", r_version)
            missing.append(Missing(what, why, cure, "rpy2" if requirement.name == "rpy2" else "python"))
    # Whether rpy2 works is tested by starting R.
    here = [name for name, found in versions.items() if found is not None and name != "rpy2"]
    for name, error in broken_imports(here).items():
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
    ended = f"Python exited with status {ran.returncode} during the import"
    first_without_answer = next((name for name in names if name not in answers), None)
    broken = {name: error for name, error in answers.items() if error and name in names}
    return broken if first_without_answer is None else {**broken, first_without_answer: ended}


@dataclass(frozen=True)
class RPackage:
    """An R package that pairproof uses: one line of r_requirements.txt (a test compares the two)."""

    name: str
    minimum: str
    required: bool
    purpose: str
    on_request: bool = False


_FURTHER = {
    ("rjags", "4-13"): "JAGS: the item-response models of translation competitions",
    ("MCMCpack", "1.6-3"): "MCMCpaircompare: item-response models without ties",
    ("sandwich", "3.0-2"): "vcovCL: standard errors by cluster, one way and two ways",
    ("clubSandwich", "0.5.8"): "vcovCR, coef_test, Wald_test: CR2, Satterthwaite's degrees of freedom, HTZ",
    (
        "mvtnorm",
        "1.1-3",
    ): "pmvnorm, qmvnorm, pmvt, qmvt: the distribution of the largest of several statistics",
    ("multcomp", "1.4-22"): "glht: single-step p-values and intervals of many comparisons",
    ("multcompView", "0.1-8"): "multcompLetters: letter displays",
    ("csranks", "1.2.1"): "csranks: confidence sets for ranks",
    ("boot", "1.3-28"): "boot.ci: percentile and BCa limits",
    (
        "lme4",
        "1.1-31",
    ): "glmer: two systems with a random effect of the judge; lmer: scores by item, annotator and system",
    ("nlme", "3.1-162"): "lme: scores by annotators with different precision",
    ("PlackettLuce", "0.4.5"): "PlackettLuce: rankings with ties",
    ("survival", "3.5-3"): "coxph: strict and top-k rankings as strata",
    ("brglm2", "0.9"): "brglmFit: mean, median and Jeffreys bias reduction of contests",
    ("psychotree", "0.16-0"): "bttree: trees of subgroups with different rankings",
    ("strucchange", "1.5-3"): "sctest: the tests of a tree's nodes",
    ("eba", "1.10-1"): "eba, thurstone, strans: elimination by aspects, Thurstone's case V",
}
R_PACKAGES = (
    RPackage("MASS", "7.3-58", True, "polr: Rao-Kupper ties as an ordinal logit"),
    RPackage("gnm", "1.1-3", True, "LLBT and Davidson models with nuisance parameters eliminated"),
    RPackage("BradleyTerry2", "1.1-2", True, "all functions, and the methods of its models"),
    RPackage("psychotools", "0.7-2", True, "paircomp, btmodel, itempar"),
    RPackage("prefmod", "0.8-36", False, "all of its functions: LLBT, pattern models, latent classes"),
    *(RPackage(*found, False, purpose, on_request=True) for found, purpose in _FURTHER.items()),
)

_QUESTION = r"""
cat("R\t", format(getRversion()), "\t", R.home(), "\n", sep = "")
for (p in commandArgs(TRUE)) {
  v <- tryCatch(as.character(packageDescription(p, fields = "Version")), warning = function(w) NA, error = function(e) NA)
  cat("P\t", p, "\t", if (is.na(v)) "" else v, "\n", sep = "")
}
"""


def ask_rscript() -> tuple[tuple[str, str] | None, dict[str, str | None]]:
    """((version, home) or None, package versions), from a separate R started, like pairproof's, without user
    profiles.
    """
    names = [package.name for package in R_PACKAGES]
    versions: dict[str, str | None] = dict.fromkeys(names)
    try:
        command = ["Rscript", *r_options(os.environ, profile=False), "-e", _QUESTION, *names]
        asked: dict[str, Any] = {"env": r_environment(os.environ, profile=False), "timeout": 60}
        ran = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, **asked)
    except (OSError, subprocess.SubprocessError):
        return None, versions
    found = None
    for line in ran.stdout.splitlines():
        tag, _, rest = line.partition("\t")
        first, _, second = rest.partition("\t")
        if tag == "R":
            found = (first, second)
        elif tag == "P" and second:
            versions[first] = second
    return found, versions


def examine_r(version: str, home: str) -> tuple[RFound, Mapping[str, str | None], list[Missing]]:
    """Whether pairproof's worker can run this R, the R packages it finds, and what to do if it cannot."""
    rinterface = version_of("rpy2-rinterface")
    constraint = rpy2_constraint(version)
    if rinterface and constraint and not _satisfies(rinterface, constraint):
        reason = f"rpy2-rinterface {rinterface} does not load on R {version}, which needs {constraint}"
        fits = Missing("an rpy2 that fits R", reason, python_package("rpy2", RPY2, version), "rpy2")
        return RFound(version, home, None, False, reason), {}, [fits]
    try:
        from ..bridge.process.session import probe

        status = probe()
    except Exception as error:  # probe should never raise; if it does, its error is the finding
        reason = f"{type(error).__name__}: {error}"
        runs = Missing("R that runs from Python", reason, "install pairproof again", "r")
        return RFound(version, home, None, False, reason), {}, [runs]
    if status.usable:
        return RFound(version, home, status.blas, True, None), status.packages or {}, []
    found = RFound(version, home, None, False, status.why_not)
    if version_of("rpy2") is None:  # the Python part has reported this already, with the cure
        return found, {}, []
    why = f"R {version} is installed but does not run from Python: {status.why_not}"
    return found, {}, [Missing("R that runs from Python", why, status.cure, "r")]


def _satisfies(version: str, constraint: str) -> bool:
    from packaging.requirements import Requirement

    return Requirement(constraint).specifier.contains(version, prereleases=True)


def no_r() -> Missing:
    """The entry for a machine without R."""
    why = "running R itself; without it R's numbers are the recorded ones"
    return Missing("R", why, no_r_cure(), "r")


def complaints_about_packages(
    versions: Mapping[str, str | None], on_request: bool = True
) -> Iterator[Missing]:
    """An entry for each package of :data:`R_PACKAGES` that is missing or older than its minimum; those that are
    brought on request only if that is asked.
    """
    for package in R_PACKAGES:
        if package.on_request and not on_request:
            continue
        found = versions.get(package.name)
        if found is not None and release(found) >= release(package.minimum):
            continue
        what = f"R package {package.name}" + (f" >= {package.minimum} ({found} is here)" if found else "")
        why = package.purpose + ("" if package.required else "; recorded results are used instead")
        yield Missing(what, why, r_package(package.name, too_old=found is not None), "r-package")


def examine(extras: Sequence[str] = ("r", "arrow"), on_request: bool = True) -> Report:
    """Examine this machine, which never raises; `extras`, and R packages on request if asked for, must be there."""
    version_and_home, r_packages = ask_rscript()
    packages, missing = examine_python(extras, version_and_home[0] if version_and_home else "")
    r = None
    if version_and_home is None:
        missing.append(no_r())
    else:
        r, seen_by_worker, complaints = examine_r(*version_and_home)
        r_packages.update(seen_by_worker)
        missing += complaints
        missing += complaints_about_packages(r_packages, on_request)
    return Report(version_of("pairproof"), platform.python_version(), packages, r, r_packages, tuple(missing))


def print_for_setup() -> None:
    """Print the lines that ``scripts/setup.sh`` reads: with the tests' packages, without Parquet's and without the
    R packages that only ``make r-packages`` brings.
    """
    for entry in examine(extras=("r", "test"), on_request=False).missing:
        texts = (entry.kind, entry.what, f"{entry.why}; cure: {entry.cure}")
        print("\t".join(" ".join(text.split()) for text in texts))


if __name__ == "__main__":
    if sys.argv[1:] == ["--for-setup"]:
        print_for_setup()
    else:
        print(render(examine()))
