"""Reports what is installed, in which versions, what is missing, and the command that installs it.

Nothing here raises, because it must work where things are missing or broken.  The versions of Python packages
are read from their metadata and compared with the ranges that pairproof declares; each package is imported in
a separate process, and R runs in another.  An error on the way becomes an entry of ``missing`` with its
message.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence

from ...bridge.process.cures import rpy2_constraint
from .python_side import examine_python, version_of
from .r_side import R_PACKAGES, ask_rscript, complaints_about_packages, examine_r, no_r
from .report import Missing, Report, RFound, page, render, to_dict

__all__ = [
    "R_PACKAGES",
    "Missing",
    "RFound",
    "Report",
    "examine",
    "page",
    "render",
    "rpy2_constraint",
    "to_dict",
]


def examine(extras: Sequence[str] = ("r", "arrow"), on_request: bool = True) -> Report:
    """Examine this machine.

    Parameters
    ----------
    extras : sequence of str
        Optional parts of pairproof (``r``, ``arrow``, ``test``) whose absence counts as missing.
    on_request : bool
        Whether R packages that only ``make r-packages`` brings count as missing too.

    Returns
    -------
    Report
        Never raises.
    """
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
