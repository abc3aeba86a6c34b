"""Where R is, and the environment that a script runs in."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from ...errors import InputError, RUnavailable
from ...files.inputs import read_file
from ...files.r_startup import VARIABLES, of_home
from ..process.cures import start_cure
from ..process.process import StartFailed, find_r_home
from .running import FOLDER

#: The R side: a site profile that decorates the fitting functions and writes the records.
PROFILE = Path(__file__).parent / "r" / "capture.R"
#: Tells it the site profile that the user's environment names, in place of R's own.
SITE = "PAIRPROOF_PROFILE"
_SETS_PROFILE = re.compile(rb"^[ \t]*R_PROFILE[ \t]*=", re.MULTILINE)
_MOST_ENVIRON = 2**20
_CATEGORIES = ("LC_COLLATE", "LC_CTYPE", "LC_TIME", "LC_NUMERIC", "LC_MONETARY")


def r_home() -> str:
    """R's home."""
    if os.name != "posix":
        raise InputError(
            "an R script can be recorded on Linux and macOS only, because its processes are ended as a group;"
            " on Windows use the Windows Subsystem for Linux"
        )
    try:
        return find_r_home(os.environ)
    except StartFailed as error:
        raise RUnavailable(f"{error}\n  cure: {start_cure(error.kind, error.text)}") from None


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


def recording(
    environment: Mapping[str, str], records: Path, folder: Path, home: str, place: Path
) -> dict[str, str]:
    """An environment in which an R that starts in a folder records its calls.

    R reads `.Renviron` before its site profile, and one that sets R_PROFILE would put another in the recorder's
    place.  Then R is given a copy of that file, at `place`, whose last lines name the recorder, and the other profile to it.
    """
    child = {**environment, "R_PROFILE": str(PROFILE), FOLDER: str(records)}
    if environment.get("R_PROFILE"):
        child[SITE] = environment["R_PROFILE"]
    site = environment.get("R_ENVIRON") or os.path.join(home, "etc", "Renviron.site")
    user = _content(_of_user(environment, folder))
    if _SETS_PROFILE.search(_content(site) + b"\n" + user):
        # R has no quote within quotes: a path with both kinds is left bare.
        quote = next((q for q in "'\"" if q not in str(PROFILE)), "")
        last = f"\n{SITE}=${{R_PROFILE-{os.devnull}}}\nR_PROFILE={quote}{PROFILE}{quote}\n"
        place.write_bytes(user + last.encode())
        child["R_ENVIRON_USER"] = str(place)
    return child


def _of_user(environment: Mapping[str, str], folder: Path) -> str:
    """The `.Renviron` that R reads when it starts in a folder; "" for none."""
    if "R_ENVIRON_USER" in environment:
        named = environment["R_ENVIRON_USER"]
        return str(folder / os.path.expanduser(named)) if named else ""
    own = folder / VARIABLES["R_ENVIRON_USER"]
    return str(own) if own.is_file() else of_home(own.name, environment)


def _content(path: str) -> bytes:
    try:
        return read_file(Path(path), "a file of R's environment", most=_MOST_ENVIRON) if path else b""
    except (InputError, OSError):  # R passes over what it cannot read
        return b""
