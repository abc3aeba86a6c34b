"""The comparisons, one a file: every module of this folder that has `JOBS` is found by itself."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ..harness.job import Job


def found() -> tuple[Job, ...]:
    """The jobs of all files, by file name."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    return tuple(job for module in modules for job in module.JOBS)


JOBS = found()
