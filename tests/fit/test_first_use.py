"""What a first fit loads: a table of a thousand answers is fitted faster than the modules it does not need are read."""

from __future__ import annotations

import subprocess
import sys

import pytest

FIRST = """
import sys
import pairproof
rows = {"first": ["A", "B", "C"] * 4, "second": ["B", "C", "A"] * 4, "wins": [3, 4, 2] * 4, "losses": [2] * 12}
fit = pairproof.fit_bradley_terry(pairproof.read(rows))
text = str(fit.summary()), fit.bse.tolist()
"""
NOT_NEEDED = ("scipy.linalg", "scipy.special", "scipy.sparse", "scipy.stats", "pairproof.fit.robust")


def said(program: str) -> str:
    found = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


def test_a_plain_fit_and_its_summary_load_neither_sparse_matrices_nor_clusters_nor_all_of_linear_algebra():
    assert said(f"{FIRST}print(*(name for name in {NOT_NEEDED} if name in sys.modules))") == ""


def test_scipy_can_be_imported_after_its_parts_and_has_the_same_functions():
    assert (
        said(
            FIRST
            + """
from pairproof.numerics.compiled import lapack, special
import scipy.linalg, scipy.special
same = [scipy.linalg.lapack.dposv is lapack().dposv, *(
    getattr(scipy.special, name) is special(name) for name in ("ndtr", "log_ndtr", "gammaincc")
)]
print(*same, scipy.linalg._flapack.__name__, scipy.linalg.cholesky([[4.0]])[0, 0])
"""
        )
        == "True True True True scipy.linalg._flapack 2.0"
    )


WITHOUT = """
from types import SimpleNamespace
from pairproof.numerics import compiled
compiled.PathFinder = SimpleNamespace(find_spec=lambda *a: None)
"""


@pytest.mark.parametrize(
    "before", ["import scipy.linalg, scipy.special", WITHOUT], ids=["imported", "not there"]
)
def test_the_numbers_are_the_same_where_its_parts_are_not_taken_by_themselves(before):
    assert said(f"{before}{FIRST}print(text)") == said(f"{FIRST}print(text)")
