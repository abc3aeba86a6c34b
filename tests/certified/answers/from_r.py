"""Data of R packages, read in place and never copied: only their SHA-256 stands in the repository.

prefmod's data sets come with a GPL package, some of them under the terms of survey archives (GESIS ZA3440,
ICPSR 35536). The hash says that a later version of the package still has the table from which the values were
made.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

READ = (
    "suppressMessages(suppressWarnings(library({package}))); x <- as.matrix({table});"
    ' write.table(x, row.names = FALSE, col.names = FALSE, na = "NA")'
)


class NotHere(Exception):
    """R or the package is not on this machine, or has another table."""


def table(package: str, expression: str) -> list[list[int | None]]:
    """Rows of whole numbers; None for NA.

    Raises
    ------
    NotHere
        R does not run, or the package is not installed.
    """
    if shutil.which("Rscript") is None:
        raise NotHere(f"R is not on this machine; the table is {package}'s {expression}")
    code = READ.format(package=package, table=expression)
    run = subprocess.run(["Rscript", "--vanilla", "-e", code], capture_output=True, text=True, check=False)
    if run.returncode:
        raise NotHere(f"R has no {package}'s {expression}: {' '.join(run.stderr.split())[:200]}")
    return [[None if v == "NA" else int(float(v)) for v in line.split()] for line in run.stdout.splitlines()]


def sha256(rows: Sequence[Any]) -> str:
    """Of the rows as they enter the models."""
    return hashlib.sha256(repr(rows).encode()).hexdigest()
