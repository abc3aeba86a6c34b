"""Every test of a statement and every computation: importing this module registers them all.

Those that one paper alone needs stand in that paper's folder.
"""

from __future__ import annotations

from ..papers.folders import register_all
from . import clustered as _clustered, general as _general, of_tables as _of_tables  # noqa: F401
from .computations import COMPUTATIONS
from .registry import TESTS, run_test

__all__ = ["COMPUTATIONS", "TESTS", "run_test"]

register_all()
