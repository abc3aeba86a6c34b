"""Where R is, and the environment that a script runs in."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ...errors import InputError, RUnavailable
from ..process.process import StartFailed, find_r_home
from ..process.session import cure_for
from .running import FOLDER

#: The R side: a site profile that decorates the fitting functions and writes the records.
PROFILE = Path(__file__).parent / "r" / "capture.R"
#: Tells it the site profile that the user's environment names, in place of R's own.
SITE = "PAIRPROOF_PROFILE"
_CATEGORIES = ("LC_COLLATE", "LC_CTYPE", "LC_TIME", "LC_NUMERIC", "LC_MONETARY")


def r_home() -> str:
    """R's home.

    Raises
    ------
    RUnavailable
        R is not installed; with the cure.
    InputError
        This system has no process groups.
    """
    if os.name != "posix":
        raise InputError(
            "an R script can be recorded on Linux and macOS only, because its processes are ended as a group;"
            " on Windows use the Windows Subsystem for Linux"
        )
    try:
        return find_r_home(os.environ)
    except StartFailed as error:
        raise RUnavailable(f"{error}\n  cure: {cure_for(error.kind, error.text)}") from None


def plain_environment(temporary: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """The user's environment with one thread, English messages, text in UTF-8 and a temporary folder of its own.

    Sorting stays the user's: the order of factor levels, and so the baselines of the fits, depend on it.
    """
    child = dict(environment)
    given = child.pop("LC_ALL", "")
    if given:
        child.update(dict.fromkeys(_CATEGORIES, given))
    encoding = child.get("LC_CTYPE") or child.get("LANG") or ""
    if "utf" not in encoding.lower():
        child["LC_CTYPE"] = "C.UTF-8"
    child.update(LANGUAGE="en", TMPDIR=str(temporary))
    child.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"))
    return child


def recording(environment: Mapping[str, str], records: Path) -> dict[str, str]:
    """An environment in which R records its calls into a folder."""
    child = {**environment, "R_PROFILE": str(PROFILE), FOLDER: str(records)}
    if environment.get("R_PROFILE"):
        child[SITE] = environment["R_PROFILE"]
    return child
