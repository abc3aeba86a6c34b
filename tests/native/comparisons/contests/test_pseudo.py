"""Pseudo-comparisons: PlackettLuce's npseudo, half wins of every pair, and that the fit says so."""

from __future__ import annotations

import numpy as np
import pytest

import pairproof
from pairproof.bridge.packages.asking import ask
from pairproof.errors import ComparisonError, InputError
from tests.native.comparisons.contests.contests_tables import four_players, separated, with_ties


@pytest.mark.r("PlackettLuce")
def test_a_ghost_s_pseudo_comparisons_are_npseudo_of_plackettluce() -> None:
    table = separated()
    rows = [(i, j, w) for i, j, w in zip(table.first, table.second, table.wins)]
    rows += [(j, i, w) for i, j, w in zip(table.first, table.second, table.losses)]
    rows = [r for r in rows if r[2] > 0]
    code = f"""
    suppressMessages(library(PlackettLuce))
    a <- c({", ".join(str(r[0] + 1) for r in rows)}); b <- c({", ".join(str(r[1] + 1) for r in rows)})
    w <- c({", ".join(str(r[2]) for r in rows)})
    m <- matrix(0, length(a), 4, dimnames = list(NULL, LETTERS[1:4])); m[cbind(seq_along(a), a)] <- 1; m[cbind(seq_along(a), b)] <- 2
    f <- PlackettLuce(as.rankings(m), weights = w, npseudo = 0.5, epsilon = 1e-13, maxit = c(100000, 10))
    list(b = coef(f), l = as.numeric(logLik(f)))
    """
    answer = ask("live", "npseudo", code, {}, ("PlackettLuce",)).as_list()
    fit = pairproof.fit_with_pseudo_comparisons(table, 0.5)
    # PlackettLuce's quasi-Newton search, asked for 1e-13: observed 3e-14.
    np.testing.assert_allclose(fit.params[:4], answer.vector("b").floats(), atol=1e-11)
    assert fit.extras["llf_of_data"] == pytest.approx(answer.vector("l").floats()[0], abs=1e-11)


def test_pairs_are_the_counts_with_n_more_each_way() -> None:
    table = separated()
    fit = pairproof.fit_with_pseudo_comparisons(table, 0.5, "pairs")
    more = pairproof.Comparisons.build(
        "ABCD", table.first, table.second, table.wins + 0.5, None, table.losses + 0.5
    )
    np.testing.assert_allclose(
        fit.params, pairproof.fit_bradley_terry(more).params, atol=1e-14
    )  # the same likelihood: observed 0
    # Jeffreys' prior of one pair: log((w + 1/2) / (l + 1/2)).
    two = pairproof.Comparisons.build("AB", [0], [1], [4], None, [0])
    one = pairproof.fit_with_pseudo_comparisons(two, 0.5, "pairs", reference="B")
    reduced = pairproof.fit_bradley_terry(two, reduce_bias="mean", reference="B")
    assert one.params["A"] == pytest.approx(reduced.params["A"], abs=1e-13)  # observed 2e-15


def test_the_fit_says_what_it_is() -> None:
    fit = pairproof.fit_with_pseudo_comparisons(separated(), 1.0)
    assert fit.title.endswith("with pseudo-comparisons (1 won and lost by each item against a ghost)")
    first = fit.warnings[0]
    assert first.kind == "pseudo-comparisons" and "8 pseudo-comparisons beside 30 real ones" in str(first)
    assert "B, C, D had no finite estimate against A" in str(first)
    assert fit.quasi_likelihood and "quasi (pseudo-comparisons)" in fit.summary()
    with pytest.raises(ComparisonError, match="quasi-likelihood"):
        fit.drop1()
    with pytest.raises(ComparisonError):
        fit.compare(pairproof.fit_bradley_terry(separated()))
    assert np.isnan(fit.goodness_of_fit().p_deviance)


def test_shrinkage_grows_with_n_and_data_swamp_it() -> None:
    table = four_players()
    spread = []
    for n in (0.1, 1.0, 10.0):
        frame = pairproof.fit_with_pseudo_comparisons(table, n).extras["shrinkage"]
        spread.append(float(frame["with"].std() / frame["without"].std()))
    assert 1 > spread[0] > spread[1] > spread[2] > 0
    from dataclasses import replace

    many = replace(table, wins=1e6 * table.wins, losses=1e6 * table.losses)
    frame = pairproof.fit_with_pseudo_comparisons(many, 0.5).extras["shrinkage"]
    np.testing.assert_allclose(
        frame["with"], frame["without"], atol=1e-6
    )  # a bias of order 1e-7: observed 8e-8


def test_items_never_compared_become_comparable_and_ties_stay() -> None:
    apart = pairproof.Comparisons.build("ABCD", [0, 2], [1, 3], [3, 2], None, [1, 4])
    assert pairproof.fit_with_pseudo_comparisons(apart).contrast("A", "C").se > 0
    tied = pairproof.fit_with_pseudo_comparisons(with_ties(), order_effect=True)
    assert {"tie", "order"} <= set(tied.names)


def test_refusals_name_what_was_found() -> None:
    with pytest.raises(InputError, match="n=0"):
        pairproof.fit_with_pseudo_comparisons(separated(), 0)
    with pytest.raises(InputError, match="by beside pseudo-comparisons"):
        pairproof.fit_with_pseudo_comparisons(separated(), by="judge")
    haunted = pairproof.Comparisons.build(["A", "(ghost)"], [0], [1], [4], None, [0])
    with pytest.raises(InputError, match="rename it"):
        pairproof.fit_with_pseudo_comparisons(haunted)


def test_neither_a_bootstrap_nor_clusters_take_pseudo_comparisons_for_answers() -> None:
    judges = pairproof.data.columns.Factor(np.array([0, 1, 2]), ("u", "v", "w"))
    table = pairproof.Comparisons.build(
        "ABC", [0, 0, 1], [1, 2, 2], [5, 5, 3], None, [1, 0, 2], columns={"judge": judges}
    )
    fit = pairproof.fit_with_pseudo_comparisons(table, n=1.0)
    words = (
        r"of a fit with pseudo-comparisons \(1 won and lost by each item against a ghost\): nobody made these"
    )
    with pytest.raises(InputError, match=f"the bootstrap {words}"):
        fit.bootstrap(replicates=99, seed=1)
    with pytest.raises(InputError, match=f"the bootstrap {words}"):
        fit.bootstrap("judge", missing="own", replicates=99, seed=1)
    with pytest.raises(InputError, match=f"standard errors by cluster {words}"):
        fit.clustered("judge", missing="own")
    assert "pseudo-comparisons are not counts" in str(fit.goodness_of_fit())
