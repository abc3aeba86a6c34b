"""The command that installs what R lacks on this machine: one cure, the same wherever it is printed.

How to install a Python package into the running environment depends on the files that its tools leave in it:

============================  =====================================================================
conda                         ``conda-meta`` in the prefix
pipx                          ``pipx_metadata.json`` in the prefix
uv tool install               ``uv-receipt.toml`` in the prefix
uvx                           a ``pyvenv.cfg`` that names uv, in a folder of uv's cache
uv venv                       a ``pyvenv.cfg`` that names uv, and no pip
the distribution's Python     no environment, and ``EXTERNALLY-MANAGED`` beside the standard library;
                              or an environment that uses the distribution's packages
anything else                 pip of the interpreter that runs
============================  =====================================================================

What ``make`` brings is advised in a checkout alone: a wheel has no Makefile.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from ...files.r_startup import r_environment

Kind = Literal["conda", "pipx", "uv-tool", "uvx", "uv-venv", "distribution", "pip"]
NOT_IN_DEBIAN = frozenset({"pyarrow"})
#: R packages that Debian 12 and conda-forge have: of r_requirements.txt, and what scripts of this field load.
#: Any other comes from CRAN: a package's name alone does not say that a distribution has it.
IN_DISTRIBUTIONS = frozenset(
    """
    MASS gnm BradleyTerry2 psychotools rjags MCMCpack sandwich clubSandwich mvtnorm multcomp
    multcompView boot lme4 nlme survival brglm2 psychotree strucchange brglm qvcalc ordinal VGAM
    glmmTMB emmeans coin car party partykit psych Matrix knitr rmarkdown ggplot2 dplyr tidyr
    tidyverse readr readxl haven foreign data.table reshape2 stringr xtable
    """.split()
)
#: The range of rpy2 that pairproof declares.
RPY2 = "rpy2>=3.5.9,<3.7"


@dataclass(frozen=True)
class Machine:
    """What of a machine decides the command that installs a package."""

    kind: Kind
    python: str
    apt: bool
    brew: bool
    makefile: bool

    @staticmethod
    def here() -> Machine:
        """This machine, and the environment that runs."""
        root = Path(__file__).resolve().parents[3]
        return Machine(
            _kind(Path(sys.prefix), Path(sys.base_prefix)),
            python_command(),
            _has("apt-get"),
            _has("brew"),
            (root / "Makefile").is_file() and (root / "scripts" / "setup.sh").is_file(),
        )


def _has(manager: str) -> bool:
    """Whether a package manager is on PATH or where the system keeps it: who lacks R on PATH may lack that, too."""
    return (shutil.which(manager) or shutil.which(manager, path=os.defpath)) is not None


def _kind(prefix: Path, base_prefix: Path) -> Kind:
    settings = _settings(prefix)
    if (prefix / "conda-meta").is_dir():
        return "conda"
    if (prefix / "pipx_metadata.json").is_file():
        return "pipx"
    if (prefix / "uv-receipt.toml").is_file():
        return "uv-tool"
    if "uv" in settings and any(part.startswith(("archive-v", "environments-v")) for part in prefix.parts):
        return "uvx"
    if settings.get("include-system-site-packages") == "true":
        return "distribution"
    if prefix == base_prefix and _externally_managed():
        return "distribution"
    if "uv" in settings and importlib.util.find_spec("pip") is None:
        return "uv-venv"
    return "pip"


def _settings(prefix: Path) -> dict[str, str]:
    """The keys and values of ``pyvenv.cfg``; empty where there is none."""
    try:
        lines = (prefix / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    pairs = (line.partition("=") for line in lines if "=" in line)
    return {key.strip().lower(): value.strip().lower() for key, _, value in pairs}


def _externally_managed() -> bool:
    """Whether the distribution keeps pip out of its Python (PEP 668), or is an older one whose Python is /usr's."""
    marker = Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED"
    return marker.is_file() or sys.base_prefix == "/usr"


def python_command() -> str:
    """The path of the interpreter, relative if it lies below the current folder."""
    try:
        relative = os.path.relpath(sys.executable)
    except ValueError:  # another drive
        return sys.executable
    return sys.executable if relative.startswith(os.pardir) else relative


def python_package(
    name: str, spelled: str, r_version: str, *, again: bool = False, machine: Machine | None = None
) -> str:
    """The command that installs a Python package."""
    at = machine or Machine.here()
    constraint = rpy2_constraint(r_version) if name == "rpy2" else None
    wanted = f"'{spelled}'" + (f" '{constraint}'" if constraint else "")
    force = "--force-reinstall " if again else ""
    if at.kind == "conda":
        return f"conda install {force}-c conda-forge {name}"
    if at.kind == "pipx":
        return f"pipx inject {'--force ' if again else ''}pairproof {wanted}"
    if at.kind in ("uv-tool", "uvx"):
        requirements = " ".join(f"--with {w}" for w in wanted.split())
        return (
            f"uv tool install --force pairproof {requirements}"
            if at.kind == "uv-tool"
            else f"uvx {requirements} pairproof"
        )
    if at.kind == "uv-venv":
        return f"uv pip install {'--reinstall ' if again else ''}--python {at.python} {wanted}"
    if at.kind == "distribution" and at.apt and name not in NOT_IN_DEBIAN:
        return f"apt-get install {'--reinstall ' if again else ''}python3-{name}"
    return f"{at.python} -m pip install {force}{wanted}"


def broken_package(name: str, r_version: str) -> str:
    """The command that installs a Python package again."""
    return python_package(name, name, r_version, again=True)


def no_r_cure(machine: Machine | None = None) -> str:
    """The command that installs R."""
    at = machine or Machine.here()
    return installer("r-base-dev", "r-base", "r", at) or "install R and put Rscript on PATH"


def installer(debian: str, conda: str, brew: str | None, machine: Machine | None = None) -> str | None:
    """The command of this machine's package manager, None where it has none of the three."""
    at = machine or Machine.here()
    if at.kind == "conda":
        return f"conda install -c conda-forge {conda}"
    if at.apt:
        return f"apt-get install {debian}"
    return f"brew install {brew}" if brew and at.brew else None


def r_package(package: str, too_old: bool = False, machine: Machine | None = None) -> str:
    """The command that installs an R package: from the distribution if that has a recent enough one."""
    at = machine or Machine.here()
    from_cran = f"""Rscript -e 'install.packages("{package}")'"""
    # It imports CVXR, which asks for R 4.3 and Rust; the set-up of a checkout puts a stand-in in its place.
    if package == "PlackettLuce":
        return "make r-packages" if at.makefile else f"{from_cran} (R 4.3 or later)"
    if too_old or package not in IN_DISTRIBUTIONS:
        return from_cran
    name = package.lower()
    return installer(f"r-cran-{name}", f"r-{name}", None, at) or from_cran


def start_cure(kind: str, text: str, environment: Mapping[str, str] | None = None) -> str:
    """The command that helps after a failed start of R, from the error's kind and message."""
    if kind == "folder":
        return "set TMPDIR to an existing, writable folder on a disk with free space"
    given = environment or os.environ
    version = r_version_of(given.get("PATH", ""))
    if kind == "no-r":
        astray = version and given.get("R_HOME")
        return f"unset R_HOME: R {version} on PATH finds its own home" if astray else no_r_cure()
    if kind == "no-rpy2":
        return python_package("rpy2", RPY2, version)
    if "Rcomplex" in text:
        return (
            "two installations of rpy2 are mixed (the system's and pip's): use a virtual environment without"
            " --system-site-packages"
        )
    if "undefined symbol" in text or "R_getVar" in text or "R_ParentEnv" in text:
        # This rpy2 needs another R, though its metadata do not say so.
        return python_package("rpy2", RPY2, version or "4.4")
    if kind == "slow":
        return "try again when the machine is less busy; `pairproof doctor` starts R alone"
    return python_package("rpy2", RPY2, version, again=True) + ", with this R first on PATH and R_HOME unset"


@lru_cache(maxsize=4)
def r_version_of(path: str) -> str:
    """Version of the `R` on a PATH, "4.2.2"; "" if it does not say.  `R --version` reads no profile."""
    program = shutil.which("R", path=path)
    if program is None:
        return ""
    try:
        said = subprocess.run(
            [program, "--version"],
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
            env=r_environment(os.environ),
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ""
    # It comes after a warning where R_HOME is of another R.
    found = re.search(r"^R version (\S+)", said, re.MULTILINE)
    return found[1] if found else ""


def rpy2_constraint(r_version: str) -> str | None:
    """The requirement that pip needs besides ``rpy2`` for this version of R, or None.

    rpy2's C layer follows R's C API: rpy2-rinterface 3.6.6 and later do not load on R before 4.5, and R 4.6
    needs 3.6.7; its metadata declares neither.
    """
    numbers = release(r_version)
    if numbers and numbers < (4, 5):
        return "rpy2-rinterface<3.6.6"
    return "rpy2-rinterface>=3.6.7" if numbers >= (4, 6) else None


def release(version: str) -> tuple[int, ...]:
    """The numbers in an R version, "1.1-2" -> (1, 1, 2); empty if there are none."""
    return tuple(int(part) for part in version.replace("-", ".").split(".") if part.isdigit())
