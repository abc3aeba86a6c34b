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
from functools import lru_cache
from typing import Any

READ = """
suppressMessages(suppressWarnings(library({package})))
for (x in list({tables})) {{
  cat("table\\n")
  write.table(as.matrix(x), row.names = FALSE, col.names = FALSE, na = "NA")
}}
"""


class NotHere(Exception):
    """R or the package is not on this machine, or has another table."""


@lru_cache(maxsize=None)
def tables(package: str, expressions: tuple[str, ...]) -> dict[str, list[list[int | None]]]:
    """Rows of whole numbers of each table, by its expression; None for NA.  R is started once for all.

    Raises
    ------
    NotHere
        R does not run, or the package is not installed.
    """
    printed = run(package, READ.format(package=package, tables=", ".join(expressions)))
    parts = printed.split("table\n")[1:]
    return {
        expression: [
            [None if v == "NA" else int(float(v)) for v in line.split()] for line in part.splitlines()
        ]
        for expression, part in zip(expressions, parts)
    }


def run(package: str, code: str) -> str:
    """What R prints when it runs this code, which reads tables of a package.

    Raises
    ------
    NotHere
        R does not run, or the package is not installed.
    """
    if shutil.which("Rscript") is None:
        raise NotHere(f"R is not on this machine; the tables are {package}'s")
    done = subprocess.run(["Rscript", "--vanilla", "-e", code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotHere(f"R has no tables of {package}: {' '.join(done.stderr.split())[:200]}")
    return done.stdout


def sha256(rows: Sequence[Any]) -> str:
    """Of the rows as they enter the models."""
    return hashlib.sha256(repr(rows).encode()).hexdigest()
