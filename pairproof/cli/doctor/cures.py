"""Commands that install a package on this machine: conda's, apt's, Homebrew's or pip's."""

from __future__ import annotations

import os
import shutil
import sys

NOT_IN_DEBIAN = frozenset({"pyarrow"})


def python_command() -> str:
    """The path of the interpreter, relative if it lies below the current folder."""
    try:
        relative = os.path.relpath(sys.executable)
    except ValueError:  # another drive
        return sys.executable
    return sys.executable if relative.startswith(os.pardir) else relative


def _in_conda() -> bool:
    return os.path.isdir(os.path.join(sys.prefix, "conda-meta"))


def _sees_system_packages() -> bool:
    """Whether this is the distribution's Python, or an environment that uses its packages."""
    if sys.prefix == sys.base_prefix:
        return sys.base_prefix == "/usr"
    try:
        with open(os.path.join(sys.prefix, "pyvenv.cfg"), encoding="utf-8") as settings:
            return "include-system-site-packages = true" in settings.read()
    except OSError:
        return False


def installer(debian: str, conda: str, brew: str | None) -> str | None:
    """The command of this machine's package manager, None where it has none of the three."""
    if _in_conda():
        return f"conda install -c conda-forge {conda}"
    if shutil.which("apt-get"):
        return f"apt-get install {debian}"
    if brew and shutil.which("brew"):
        return f"brew install {brew}"
    return None


def python_package(name: str, spelled: str, r_version: str) -> str:
    """The command that installs a Python package; ``spelled`` is its name with its version range,
    ``r_version`` is R's version or empty.
    """
    if _in_conda():
        return f"conda install -c conda-forge {name}"
    if _sees_system_packages() and shutil.which("apt-get") and name not in NOT_IN_DEBIAN:
        return f"apt-get install python3-{name}"
    constraint = rpy2_constraint(r_version) if name == "rpy2" else None
    return f"{python_command()} -m pip install '{spelled}'" + (f" '{constraint}'" if constraint else "")


def broken_package(name: str, r_version: str) -> str:
    """The command that installs a Python package again."""
    cure = python_package(name, name, r_version)
    return cure.replace(
        "install ", "install --reinstall " if cure.startswith("apt-get") else "install --force-reinstall ", 1
    )


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
