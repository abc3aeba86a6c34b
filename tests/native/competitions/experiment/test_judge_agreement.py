"""Agreement between judges: against all pairs counted one by one, the rates that Hopkins and May print, and
what is refused.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof import read
from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.errors import InputError
from pairproof.native.competitions.experiment.judge_agreement import judge_agreement

ROW = st.tuples(
    st.integers(0, 2),
    st.integers(1, 2),
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(0, 1),
    st.integers(0, 1),
)


def build(rows):
    """Rows (first, step to second, outcome, judge, source, track)."""
    first = np.array([r[0] for r in rows])
    second = (first + [r[1] for r in rows]) % 3
    outcome, judge, source, track = (np.array([r[k] for r in rows]) for k in (2, 3, 4, 5))
    columns = {
        name: Factor(codes, tuple(f"{name}{k}" for k in range(3)))
        for name, codes in (("judge", judge), ("source", source), ("track", track))
    }
    return Comparisons.build("abc", first, second, outcome == 1, outcome == 0, outcome == 2, columns=columns)


def by_hand(rows):
    pairs = agreeing = 0
    for one, two in itertools.combinations(rows, 2):
        (a, b), (c, d) = ((r[0], (r[0] + r[1]) % 3) for r in (one, two))
        if one[3] == two[3] or one[4:] != two[4:] or {a, b} != {c, d}:
            continue
        pairs += 1
        agreeing += two[2] == (one[2] if a == c else (0, 2, 1)[one[2]])
    return pairs, agreeing


@settings(max_examples=80, deadline=None)
@given(st.lists(ROW, min_size=1, max_size=25))
def test_pairs_of_judgments_are_counted_as_one_by_one(rows):
    found = judge_agreement(build(rows), tracks=["track"])
    assert (found.pairs, found.agreeing) == by_hand(rows)


def test_kappa_is_the_share_beyond_chance():
    rows = [
        (0, 1, 1, 0, 0, 0),
        (0, 1, 1, 1, 0, 0),
        (0, 1, 2, 2, 0, 0),
        (0, 1, 0, 0, 1, 0),
        (0, 1, 0, 1, 1, 0),
    ]
    found = judge_agreement(build(rows))
    assert (found.pairs, found.agreeing, found.judges) == (4, 2, 3)
    assert found.kappa == pytest.approx((0.5 - 1 / 3) / (2 / 3), rel=1e-15)
    # Two of five judgments are ties, so each preference has 0.3: 0.16 + 0.09 + 0.09.
    assert judge_agreement(build(rows), chance="marginal").kappa == pytest.approx(
        (0.5 - 0.34) / 0.66, rel=1e-15
    )


def test_without_a_pair_of_judges_there_is_no_share():
    found = judge_agreement(build([(0, 1, 1, 0, 0, 0)]))
    assert found.pairs == found.judges == 0 and np.isnan(found.share) and np.isnan(found.kappa)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (dict(judge="who"), "needs the column 'who', which is not there; found judge, source, track"),
        (dict(chance="none"), "thirds"),
    ],
)
def test_what_cannot_be_counted_is_refused(options, said):
    with pytest.raises((InputError, ValueError), match=said):
        judge_agreement(build([(0, 1, 1, 0, 0, 0)]), **options)


@pytest.mark.parametrize(
    ("edition", "pairs", "share"),
    [("wmt10.RNK_results.csv", 11180, 65.8), ("wmt10-crowd.RNK_results.csv", 243932, 46.6)],
)
def test_the_agreement_rates_that_hopkins_and_may_print_come_out(shared, edition, pairs, share):
    found = judge_agreement(read(shared / "data" / "wmt" / edition), tracks=["srclang", "trglang"])
    assert found.pairs == pairs and round(100 * found.share, 1) == share
