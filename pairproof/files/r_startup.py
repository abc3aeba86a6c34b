"""Which start-up files an R that is started here reads: the site's and those of the user's home.

R itself reads `.Renviron` and `.Rprofile` of the current folder before those of the home, and both run code:
`.Renviron` can name a profile.  Whoever opens a downloaded folder and checks a file in it has not asked for that.  So
every start of R here names the home's files, as R_ENVIRON_USER and R_PROFILE_USER; R then looks for no others, and
programs that R starts inherit both.  Where the user has set these variables, they stay as they are.

A project that needs its own files (renv's library, for one) says so with `--project-r`, or PAIRPROOF_R_PROJECT=1 in
the environment; then R reads what it reads by itself, and standard error says which files.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from ..errors import InputError

#: Asks for the current folder's files; the command's option is `--project-r`.
PROJECT = "PAIRPROOF_R_PROJECT"
#: R's variable that names a file in place of the one it looks for, and that file's name.
VARIABLES = {"R_ENVIRON_USER": ".Renviron", "R_PROFILE_USER": ".Rprofile"}
_announced: set[tuple[str, ...]] = set()


def r_environment(environment: Mapping[str, str], *, profile: bool = True) -> dict[str, str]:
    """The environment of an R that starts in the current folder, with the files named that it reads.

    Without `profile` the user's own profile is not among them; a project's is, where it was asked for.
    """
    if of_project(environment):
        _announce(os.getcwd())
        return dict(environment)
    found = {**{name: of_home(file, environment) for name, file in VARIABLES.items()}, **environment}
    return found if profile else {**found, "R_PROFILE_USER": os.devnull}


def r_options(environment: Mapping[str, str], *, profile: bool = True) -> tuple[str, ...]:
    """Options of R beside :func:`r_environment`: a home's `.Renviron` may name a profile, too."""
    return () if profile or of_project(environment) else ("--no-init-file",)


def of_project(environment: Mapping[str, str]) -> bool:
    """Whether R is to read the files of the folder that it starts in."""
    said = environment.get(PROJECT, "")
    if said not in ("", "0", "1"):
        raise InputError(
            f"{PROJECT} is {said[:40]!r}; expected 1 (R reads .Renviron and .Rprofile of the current folder) or 0"
        )
    return said == "1"


def of_home(name: str, environment: Mapping[str, str]) -> str:
    """A file of the user's home; an empty one where no home is known."""
    if os.name == "nt":
        return f"~/{name}"  # R expands it to the home that it uses there, which is not Python's
    home = environment.get("HOME") or os.path.expanduser("~")
    return os.path.join(home, name) if os.path.isabs(home) else os.devnull


def own_files(folder: str | os.PathLike[str]) -> list[str]:
    """Start-up files of R that stand in a folder, by name."""
    return [name for name in VARIABLES.values() if (Path(folder) / name).is_file()]


def not_read(environment: Mapping[str, str]) -> str:
    """A hint, where the current folder has files that R would have read by itself; "" where it has none."""
    here = [] if of_project(environment) else own_files(os.getcwd())
    if not here:
        return ""
    return f"{' and '.join(here)} of this folder {'was' if len(here) == 1 else 'were'} not read; to read them, use --project-r"


def _announce(folder: str) -> None:
    """Say, once for a folder, which of its files R reads."""
    found = [str(Path(folder).resolve() / name) for name in own_files(folder)]
    said = f"R reads {' and '.join(found)}" if found else f"R finds no .Renviron and .Rprofile in {folder}"
    key = (folder, *found)
    if key not in _announced:
        _announced.add(key)
        print(f"pairproof: {said}, because of --project-r or {PROJECT}", file=sys.stderr)
