"""What was measured on what: processor, versions, and which BLAS each side has."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = (
    *("pairproof", "numpy", "scipy", "pandas", "statsmodels", "choix", "evalica", "arena-rank", "pyarrow"),
    *("narwhals", "duckdb", "polars"),
)


def machine() -> dict[str, str]:
    """Processor, memory, system."""
    cpu = re.search(r"^model name\s*:\s*(.+)$", _text("/proc/cpuinfo"), re.MULTILINE)
    memory = re.search(r"^MemTotal:\s*(\d+)", _text("/proc/meminfo"), re.MULTILINE)
    system = re.search(r'^PRETTY_NAME="?([^"\n]+)', _text("/etc/os-release"), re.MULTILINE)
    flags = re.search(r"^flags\s*:(.+)$", _text("/proc/cpuinfo"), re.MULTILINE)
    vectors = [f for f in ("avx2", "avx512f") if flags and f in flags[1].split()]
    return {
        "processor": (cpu[1] if cpu else platform.processor() or platform.machine())
        + (f" ({', '.join(vectors)})" if vectors else ""),
        "cores": str(os.cpu_count()),
        "memory": f"{int(memory[1]) / 2**20:.0f} GB" if memory else "unknown",
        "system": system[1] if system else platform.platform(),
    }


def load_average() -> str:
    """Over 1, 5 and 15 minutes."""
    return ", ".join(f"{x:.1f}" for x in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"


def python_side() -> dict[str, str]:
    """Versions of this process, and the BLAS that numpy and scipy brought into it; "" is not installed."""
    import numpy  # noqa: F401  (so that its BLAS is loaded)
    import scipy.linalg  # noqa: F401

    found = {"Python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = ""
    found["BLAS of numpy and scipy"] = loaded_blas()
    return found


def loaded_blas() -> str:
    """Linear algebra libraries mapped into this process, in words."""
    return in_words(linear_algebra_of(os.getpid()))


def linear_algebra_of(pid: int) -> list[str]:
    """Files of BLAS libraries mapped into a process (Linux; else none are seen)."""
    paths = {line.split()[-1] for line in _text(f"/proc/{pid}/maps").splitlines() if "/" in line}
    return sorted(p for p in paths if re.match(r"lib.*(blas|mkl_rt|blis|atlas).*\.so", os.path.basename(p)))


def in_words(paths: list[str]) -> str:
    # Debian's OpenBLAS comes as libblas.so.3, which loads the library itself: one BLAS, named once.
    names = {blas_name(p) for p in paths}
    real = {n for n in names if n != "OpenBLAS"} or names
    return ", ".join(sorted(real)) or "unknown"


def blas_name(path: str) -> str:
    """`reference BLAS 3.11.0` for Debian's /usr/lib/.../blas/libblas.so.3.11.0; else the library's own file
    name.
    """
    path = os.path.realpath(path)
    name = os.path.basename(path)
    reference = re.fullmatch(r"lib(?:R)?blas\.so\.?([\d.]*)", name)
    if reference and os.path.basename(os.path.dirname(path)) in ("blas", "lib"):
        return f"reference BLAS {reference[1]}".strip()
    if "openblas" in name:
        version = re.search(r"r(\d+(?:\.\d+)+)", name)
        return f"OpenBLAS {version[1]}" if version else f"OpenBLAS ({name})"
    if "openblas" in path:
        return "OpenBLAS"
    return name


def r_side(fields: list[str]) -> dict[str, str]:
    """From serve.R's `about`: R's version, BLAS and LAPACK files, then packages."""
    r_version, blas, lapack, *packages = fields
    found = {"R": r_version.removeprefix("R "), "BLAS of R": blas_name(blas) if blas else "unknown"}
    found.update((name, v) for name, _, v in (p.partition(" ") for p in packages))
    return found


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
