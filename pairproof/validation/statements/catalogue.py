"""Every test of a statement: importing this module registers them all.

Tests that one paper alone needs stand in that paper's folder.
"""

from __future__ import annotations

from ..papers.hopkins_may_2013 import statements as _hopkins_may_2013  # noqa: F401
from ..papers.sakaguchi_2018 import (  # noqa: F401
    annotation_statements as _annotation,
    statements as _sakaguchi_2018,
)
from ..papers.vilar_2007 import statements as _vilar_2007  # noqa: F401
from . import general as _general, of_tables as _of_tables  # noqa: F401
from .registry import TESTS, run_test

__all__ = ["TESTS", "run_test"]
