"""Checks R and its packages: finds R with Rscript, then starts it in the bridge's worker as for a call."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...bridge.process.cures import RPY2, no_r_cure, python_package, r_package, release, rpy2_constraint
from ...files.r_startup import r_environment, r_options
from .python_side import version_of
from .report import Missing, RFound


@dataclass(frozen=True)
class RPackage:
    """An R package that pairproof uses: one line of r_requirements.txt (a test compares the two)."""

    name: str
    minimum: str
    required: bool
    purpose: str
    in_distributions: bool = True
    on_request: bool = False


def _further(name: str, minimum: str, purpose: str, in_distributions: bool = True) -> RPackage:
    """An optional package that only ``make r-packages`` brings."""
    return RPackage(name, minimum, False, purpose, in_distributions, on_request=True)


R_PACKAGES = (
    RPackage("MASS", "7.3-58", True, "polr: Rao-Kupper ties as an ordinal logit"),
    RPackage("gnm", "1.1-3", True, "LLBT and Davidson models with nuisance parameters eliminated"),
    RPackage("BradleyTerry2", "1.1-2", True, "all of its functions, and the methods of its models"),
    RPackage("psychotools", "0.7-2", True, "paircomp, btmodel, itempar"),
    RPackage(
        "prefmod",
        "0.8-36",
        False,
        "all of its functions: LLBT, pattern models, latent classes",
        in_distributions=False,
    ),
    _further("rjags", "4-13", "JAGS: the item-response models of translation competitions"),
    _further("MCMCpack", "1.6-3", "MCMCpaircompare: the same without ties"),
    _further("sandwich", "3.0-2", "vcovCL: standard errors by cluster, one way and two ways"),
    _further(
        "clubSandwich", "0.5.8", "vcovCR, coef_test, Wald_test: CR2, Satterthwaite's degrees of freedom, HTZ"
    ),
    _further(
        "mvtnorm",
        "1.1-3",
        "pmvnorm, qmvnorm, pmvt, qmvt: the distribution of the largest of several statistics",
    ),
    _further("multcomp", "1.4-22", "glht: single-step p-values and intervals of many comparisons"),
    _further("multcompView", "0.1-8", "multcompLetters: letter displays"),
    _further("csranks", "1.2.1", "csranks: confidence sets for ranks", in_distributions=False),
    _further("boot", "1.3-28", "boot.ci: percentile and BCa limits"),
    _further(
        "lme4",
        "1.1-31",
        "glmer: two systems with a random effect of the judge; lmer: scores by item, annotator and system",
    ),
    _further("nlme", "3.1-162", "lme: scores by annotators who are not equally precise"),
    _further("PlackettLuce", "0.4.5", "PlackettLuce: rankings with ties", in_distributions=False),
    _further("survival", "3.5-3", "coxph: strict and top-k rankings as strata"),
    _further("brglm2", "0.9", "brglmFit: mean, median and Jeffreys bias reduction of contests"),
    _further("psychotree", "0.16-0", "bttree: trees of subgroups with different rankings"),
    _further("strucchange", "1.5-3", "sctest: the tests of a tree's nodes"),
    _further(
        "eba",
        "1.10-1",
        "eba, thurstone, strans: elimination by aspects, Thurstone's case V",
        in_distributions=False,
    ),
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
        answer = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
            env=r_environment(os.environ, profile=False),
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
    """Whether pairproof's worker can run this R, the R packages it finds, and what to do if it cannot."""
    rinterface = version_of("rpy2-rinterface")
    constraint = rpy2_constraint(version)
    if rinterface and constraint and not _satisfies(rinterface, constraint):
        reason = f"rpy2-rinterface {rinterface} does not load on R {version}, which needs {constraint}"
        cure = python_package("rpy2", RPY2, version)
        return (
            RFound(version, home, None, False, reason),
            {},
            [Missing("an rpy2 that fits R", reason, cure, "rpy2")],
        )
    try:
        from pairproof.bridge.process.session import probe

        status = probe()
    except Exception as error:  # probe should never raise; if it does, its error is the finding
        reason, cure = f"{type(error).__name__}: {error}", "install pairproof again"
        return (
            RFound(version, home, None, False, reason),
            {},
            [Missing("R that runs from Python", reason, cure, "r")],
        )
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
