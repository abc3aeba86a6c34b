"""Data sets of R packages under the GPL, and answers of single persons: read where R has them, kept in no file.

R's answers about such data are replayed from records that name the data by their digest; to ask for them a test
needs the data themselves, and is skipped, and counted, where R or the package is not there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

from pairproof.bridge.process.session import session

T = TypeVar("T")


def in_place(package: str, read: Callable[[], T]) -> T:
    """What `read` reads from live R's package."""
    why = session().missing((package,))
    if why is not None:
        pytest.skip(f"data of {package}, which are not kept here: {' '.join(why.split())}")
    return read()
