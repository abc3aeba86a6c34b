"""Error rates by cluster: against the delta method, a weighted regression in closed form, and Poisson fits."""

from __future__ import annotations

import numpy as np
import pytest

from pairproof.data.reading.beside.sentence_errors import read_errors, shared_sentences
from pairproof.errors import InputError
from pairproof.native.competitions.ranking.error_rates import rate_difference
from pairproof.native.competitions.ranking.system_rates import clustered_difference, clustered_rate, rates_of


def rows(n: int = 120, seed: int = 3) -> dict[str, list]:
    rng = np.random.default_rng(seed)
    hard, words = rng.beta(8, 16, 12), 2 + rng.poisson(20, n)
    out: dict[str, list] = {name: [] for name in ("system", "sentence", "errors", "length", "doc", "editor")}
    for system, share in (("A", 1.0), ("B", 0.9)):
        for k in range(n):
            values = (system, str(k), int(rng.binomial(words[k], share * hard[k % 12])), int(words[k]))
            for name, value in zip(out, (*values, f"d{k % 12}", f"e{(k + (system == 'B')) % 7}")):
                out[name].append(value)
    return out


@pytest.fixture(scope="module")
def two():
    return read_errors(rows(), clusters=["doc", "editor", "sentence"]).systems


def test_a_sentence_a_cluster_is_the_delta_method(two):
    a, b = two.values()
    shared = shared_sentences(a, b)
    found = rate_difference(a.errors, b.errors, a.lengths)
    # One number in two ways, which differ by rounding; seen: 1e-16 off.
    np.testing.assert_allclose(clustered_rate(a, ["sentence"], "CR1").se, found.first.se_delta, rtol=1e-12)
    # One number in two ways, which differ by rounding; seen: 0 off.
    np.testing.assert_allclose(
        clustered_difference(a, b, shared, ["sentence"], "CR1").se, found.se_delta, rtol=1e-12
    )


def test_cr2_of_a_rate_is_that_of_a_poisson_model_whose_log_is_the_rate():
    """One parameter: T_g is the share of words, and Satterthwaite's degrees of freedom have a closed form."""
    of = read_errors(rows(), clusters=["doc"]).systems["A"]
    doc = np.unique(of.clusters["doc"], return_inverse=True)[1]
    d, words = np.bincount(doc, of.errors), np.bincount(doc, of.lengths)
    rate = of.errors.sum() / of.lengths.sum()
    share = words / words.sum()
    found = clustered_rate(of, ["doc"])
    # One number in two ways, which differ by rounding; seen: 0 off.
    assert found.se == pytest.approx(
        np.sqrt(((d - rate * words) ** 2 / (1 - share)).sum()) / words.sum(), rel=1e-12
    )
    q = share**2 / (1 - share)
    # One number in two ways, which differ by rounding; seen: 2e-16 off.
    assert found.df == pytest.approx(1 / (q.sum() ** 2 - (q**2).sum() + (share**2).sum()), rel=1e-12)


def test_a_difference_has_no_error_where_a_sentence_is_in_two_clusters(two):
    a, b = two.values()
    shared = shared_sentences(a, b)
    alone = clustered_difference(a, b, shared, ["editor"])
    assert alone.why_not.startswith(
        "120 sentences are in different clusters of the two systems (0: e0 and e1)"
    )
    both = clustered_difference(a, b, shared, ["editor", "sentence"])
    assert both.why_not == "" and both.n_clusters == (7, 120)
    one_way = clustered_difference(a, b, shared, ["sentence"])
    assert both.se >= one_way.se and both.df < one_way.df


def test_documents_that_differ_widen_rates_more_than_differences():
    found = rates_of(read_errors(rows(), clusters=["doc"]), cluster=["doc"])
    (pair,) = found.pairs
    assert found.clustered["A"].se > 1.5 * found.systems["A"].se_delta
    assert pair.clustered.se < found.clustered["A"].se / 1.5
    p = found.p(pair)
    assert p == pair.clustered.p(pair.difference.difference) and pair.p_holm == p
    low, high = found.interval_of(pair)
    assert found.significant(pair) is bool(low > 0 or high < 0)


def test_systems_alike_in_every_cluster_have_no_t():
    table = {"system": list("AABB"), "sentence": list("1212"), "errors": [1, 2, 1, 2], "length": [9, 8, 9, 8],
             "doc": list("xyxy")}  # fmt: skip
    (pair,) = rates_of(read_errors(table, clusters=["doc"]), cluster=["doc"]).pairs
    assert pair.clustered.why_not == "all clusters agree exactly, so that the standard error is 0"
    one = rates_of(read_errors({**table, "doc": list("xxxx")}, clusters=["doc"]), cluster=["doc"])
    assert one.clustered["A"].why_not == "all is of one cluster by doc"


@pytest.mark.parametrize(
    ("estimator", "said"),
    [("jackknife", "the jackknife is by sentence"), ("vilar", "equation 9 takes every word")],
)
def test_other_standard_errors_have_no_form_by_cluster(estimator, said):
    with pytest.raises(InputError, match=said):
        rates_of(read_errors(rows(), clusters=["doc"]), estimator=estimator, cluster=["doc"])
