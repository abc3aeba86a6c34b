"""Papers recomputed, once for all tests that look at the same run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

import pytest

from pairproof.validation import Verification, run
from pairproof.validation.verdicts.agreement import Agreement

#: For tests that share runs: with `pytest --dist loadgroup` one process has them all and makes each once.
shares_runs = pytest.mark.xdist_group("papers")


@lru_cache(maxsize=None)
def recomputed(paper: str, r: str) -> Verification:
    """A paper that ships, with R "live", "recorded", "both" or "none"."""
    return run(paper, r=r)


def said(rows: Iterable[Agreement], expected: Mapping[str, tuple[str, str, str]]) -> None:
    """Every statement has its verdict, the name under which it is accepted, and these words."""
    found = {a.claim: a for a in rows if a.about == "statement"}
    assert set(found) == set(expected)
    for claim, (verdict, accepted, words) in expected.items():
        a = found[claim]
        assert (a.verdict, a.accepted) == (verdict, bool(accepted)), claim
        assert words in a.explanation and a.explanation.startswith(
            f"{accepted}: " if accepted else ""
        ), a.explanation


#: Keys of a certified document that the package's copy has; the others (cells, covariances) prove the
#: document.
KEPT = (
    *(
        "id",
        "model",
        "items",
        "item_data",
        "params",
        "bse",
        "pvalues",
        "deviance",
        "df_resid",
        "llf",
        "aic",
        "bic",
    ),
    *("n_comparisons", "worth", "worth_se", "data"),
)
