"""R and its packages: found by Rscript, then started by the bridge's own worker as it would be for a call."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .cures import installer, python_command, release, rpy2_constraint
from .python_side import version_of
from .report import Missing, RFound


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
    RPackage("gnm", "1.1-3", True, "LLBT and Davidson models with nuisance parameters eliminated"),
    RPackage("BradleyTerry2", "1.1-2", True, "BTm, BTabilities, countsToBinomial, GenDavidson"),
    RPackage("psychotools", "0.7-2", True, "btmodel"),
    RPackage(
        "prefmod", "0.8-36", False, "llbt.design, llbt.fit, llbtPC.fit, llbt.worth", in_distributions=False
    ),
    RPackage("rjags", "4-13", False, "JAGS: the item-response models of translation competitions"),
    RPackage("MCMCpack", "1.6-3", False, "MCMCpaircompare: the same without ties"),
)

_QUESTION = r"""
cat("R\t", format(getRversion()), "\t", R.home(), "\n", sep = "")
for (p in commandArgs(TRUE)) {
  v <- tryCatch(as.character(packageDescription(p, fields = "Version")), warning = function(w) NA, error = function(e) NA)
  cat("P\t", p, "\t", if (is.na(v)) "" else v, "\n", sep = "")
}
"""


def ask_rscript() -> tuple[tuple[str, str] | None, dict[str, str | None]]:
    """((version, home) or None, package versions), from an R of its own, without user profiles as pairproof's
    is.
    """
    names = [package.name for package in R_PACKAGES]
    versions: dict[str, str | None] = dict.fromkeys(names)
    try:
        command = ["Rscript", "--no-init-file", "-e", _QUESTION, *names]
        answer = subprocess.run(
            command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL
        ).stdout
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


def examine_r(version: str, home: str) -> tuple[RFound, Mapping[str, str | None], list[Missing]]:
    """Whether pairproof's worker runs this R, the R packages as it sees them, and if it does not what to
    do.
    """
    rinterface = version_of("rpy2-rinterface")
    constraint = rpy2_constraint(version)
    if rinterface and constraint and not _satisfies(rinterface, constraint):
        reason = f"rpy2-rinterface {rinterface} does not load on R {version}, which needs {constraint}"
        cure = f"{python_command()} -m pip install 'rpy2>=3.5.9,<3.7' '{constraint}'"
        return (
            RFound(version, home, None, False, reason),
            {},
            [Missing("an rpy2 that fits R", reason, cure, "rpy2")],
        )
    try:
        from pairproof.bridge.process.session import probe

        status = probe()
    except Exception as error:  # probe promises not to raise; if it does, that is what is wrong here
        reason, cure = f"{type(error).__name__}: {error}", "install pairproof again"
        return (
            RFound(version, home, None, False, reason),
            {},
            [Missing("R that runs from Python", reason, cure, "r")],
        )
    if status.usable:
        return RFound(version, home, status.blas, True, None), status.packages or {}, []
    found = RFound(version, home, None, False, status.why_not)
    if version_of("rpy2") is None:  # the Python part has said so, with its cure
        return found, {}, []
    why = f"R {version} is installed and does not run from Python: {status.why_not}"
    return found, {}, [Missing("R that runs from Python", why, status.cure, "r")]


def _satisfies(version: str, constraint: str) -> bool:
    from packaging.requirements import Requirement

    return Requirement(constraint).specifier.contains(version, prereleases=True)


def no_r() -> Missing:
    """The complaint where there is no R at all."""
    why = "asking R itself; without it R's numbers are the recorded ones"
    return Missing(
        "R", why, installer("r-base-core", "r-base", "r") or "install R and put Rscript on PATH", "r"
    )


def complaints_about_packages(versions: Mapping[str, str | None]) -> Iterator[Missing]:
    """One for each package of :data:`R_PACKAGES` that is missing or below its minimum."""
    for package in R_PACKAGES:
        found = versions.get(package.name)
        if found is not None and release(found) >= release(package.minimum):
            continue
        what = f"R package {package.name}" + (f" >= {package.minimum} ({found} is here)" if found else "")
        why = package.purpose + ("" if package.required else "; recorded results stand in")
        yield Missing(what, why, _cure_r_package(package, found is not None), "r-package")


def _cure_r_package(package: RPackage, too_old: bool) -> str:
    """From the distribution, but for what it does not have or has too old."""
    from_cran = f"""Rscript -e 'install.packages("{package.name}")'"""
    if too_old or not package.in_distributions:
        return from_cran
    name = package.name.lower()
    return installer(f"r-cran-{name}", f"r-{name}", None) or from_cran
