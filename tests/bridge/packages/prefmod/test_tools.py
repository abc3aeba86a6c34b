"""prefmod's helpers, and that none of what it exports is left out."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.bridge import Expr
from pairproof.bridge.packages import prefmod
from pairproof.bridge.packages.prefmod import checkMIS, expand_mat, simPC, simR
from pairproof.errors import InputError

GAPS = {"V1": [1, -1, 1], "V2": [1, 1, -1], "V3": [1, np.nan, -1], "AGE": [30, np.nan, 50]}


def test_items_and_comparisons_with_gaps_are_named(policy):
    by_item = checkMIS(GAPS, 3, obj_names=["A", "B", "C"], backend=policy)
    assert by_item.names == ("A", "B", "C") and by_item.missing == (False, True, True)
    # The covariate with a gap stays here; prefmod would report it as a fourth comparison.
    by_pair = checkMIS(GAPS, 3, "comp", backend=policy)
    assert by_pair.names == ("V1", "V2", "V3") and by_pair.missing == (False, False, True)
    assert by_item.lines[0] == "number of missing comparisons:"


def test_rows_are_repeated_by_their_counts(policy):
    found = expand_mat({"a": [1, -1], "b": [1, 1]}, [2, 3], backend=policy)
    assert found.names == ("a", "b") and found.values.tolist() == [[1, 1]] * 2 + [[-1, 1]] * 3
    assert expand_mat({"a": [1, -1]}, [2, 1], backend=policy).values.shape == (3, 1)
    assert found.frame()["a"].tolist() == [1, 1, -1, -1, -1]


def test_a_simulation_has_the_worths_it_was_given(policy):
    drawn = simPC(3, 1000, [0.6, 0.3, 0.1], seed=11, backend=policy).values
    share = (drawn == 1).mean(axis=0)
    # 12 | 13 | 23: worth of the first over both. Standard error .015 and less; observed within .02.
    np.testing.assert_allclose(share, [6 / 9, 6 / 7, 3 / 4], atol=0.05)
    ranks = simR(3, 50, [0.2, 0.7, 0.1], seed=1, backend=policy).values
    assert ranks.shape == (50, 3) and (np.sort(ranks, axis=1) == [1, 2, 3]).all()
    assert (ranks[:, 1] == 1).mean() > 0.5


def test_a_seed_makes_drawn_worths_the_same_too(policy):
    first, again = (simPC(4, 10, seed=3, backend=policy).values for _ in range(2))
    assert first.tolist() == again.tolist() and first.shape == (10, 6)


@pytest.mark.r("prefmod")
def test_a_seed_makes_drawn_worths_the_same_in_r():
    first, again = (simPC(4, 10, seed=3, backend="live").values for _ in range(2))
    assert first.tolist() == again.tolist()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: checkMIS(GAPS, 4), "needs 6 columns of answers; the table has 4"),
        (lambda: checkMIS(GAPS, 3, obj_names=["A"]), "obj_names has 1 names for 3 items"),
        (lambda: expand_mat({"a": ["x", "y"]}, [1, 2]), "column 'a' is not numeric"),
        (lambda: expand_mat({}, [1, 2]), "needs a table with columns"),
        (lambda: simPC(3, 5, [1, 2]), "worth has 2 values for 3 items"),
        (lambda: simPC(3, 5, [1, 2, 0]), "each must be above 0"),
        (lambda: simR(11, 5), "at most 10, found nobj = 11"),
        (lambda: simR(1, 5), "needs 2 items and 1 person or more"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(call, said):
    with pytest.raises(InputError, match=said):
        call()


@pytest.mark.r("prefmod")
def test_every_function_that_prefmod_exports_is_here():
    from pairproof.bridge.process.session import session

    code = "n <- getNamespaceExports('prefmod'); sort(n[vapply(n, function(f) is.function(getExportedValue('prefmod', f)), NA)])"
    exported = session().call(code=code, needs=("prefmod",)).value.values.tolist()
    assert len(exported) > 15
    absent = [name for name in exported if not hasattr(prefmod, name.replace(".", "_"))]
    assert absent == []


def test_data_that_are_no_table_are_refused():
    with pytest.raises(TypeError, match="expected a pandas DataFrame, a mapping"):
        checkMIS([[1, 2, 3]], 3)
    assert isinstance(Expr("prefmod::dat4"), str)
