"""What a first fit loads: a table of a thousand answers is fitted faster than the modules it does not need are read."""

from __future__ import annotations

import subprocess
import sys

FIRST = """
import sys
import pairproof
rows = {"first": ["A", "B", "C"] * 4, "second": ["B", "C", "A"] * 4, "wins": [3, 4, 2] * 4, "losses": [2] * 12}
fit = pairproof.fit_bradley_terry(pairproof.read(rows))
str(fit.summary()), fit.bse
print(*(name for name in ("scipy.sparse", "scipy.stats", "pairproof.fit.robust") if name in sys.modules))
"""


def test_a_plain_fit_and_its_summary_load_neither_sparse_matrices_nor_clusters():
    found = subprocess.run([sys.executable, "-c", FIRST], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""
