"""Plackett and Luce's model as a user fits it: values at 40 digits, options, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.respondents import Respondents
from pairproof.errors import InputError, ItemError, NotEstimableError
from tests.native.answers.patterns.data import SALAD, SALAD_PERSONS
from tests.native.answers.tables import fruit, ratings, salad, votes


def close(found: object, true: list[float], digits: float = 13.0) -> None:
    """Relative digits, absolute for values below 1; observed 14 and more unless a test says otherwise."""
    off = np.abs(np.asarray(found, float) - true) / np.maximum(np.abs(true), 1.0)
    assert off.max() < 10.0**-digits, (found, true)


def test_salads_numbers_are_those_of_40_digits() -> None:
    fit = pairproof.fit_plackett_luce(salad())
    close(fit.params, [0.0, 2.729913979503638, 1.561538511219132, 1.026835903040223])
    close(fit.bse[1:], [0.4480725659043662, 0.3964739550891482, 0.3770620180802706])
    close([fit.llf, fit.aic], [-76.41528920366403, 158.830578407328], 12)
    close([fit.deviance], [20.18773015917438], 12)
    assert (fit.df_resid, fit.rank, fit.n_persons) == (20, 3, 32.0)
    worth = fit.worth()
    close(worth["worth"], [0.0418586347055239, 0.6417585099873678, 0.1995044639910649, 0.1168783913160434])
    # As printed: 12 digits.
    close(worth["se"], [0.0156492036311, 0.0754961639739, 0.0506467975311, 0.0332578220705], 12.3)
    centred = fit.with_reference("sum")
    # mpmath at 40 digits; the specification prints the third with a 6 for a 5 in the tenth digit.
    close(
        centred.bse, [0.265286664377963928, 0.252124868575453131, 0.206213659597046528, 0.205329716837072424]
    )


def test_quasi_standard_errors_of_salad_are_qvcalcs() -> None:
    quasi = pairproof.fit_plackett_luce(salad()).quasi_variances()
    # qvcalc stops its search at 6 digits; observed 7.
    close(quasi["quasi_se"], [0.3203818280, 0.2974705272, 0.2224756194, 0.2239765235], 6)


def test_pseudo_comparisons_and_priors_are_what_was_asked_for_and_said() -> None:
    pseudo = pairproof.fit_plackett_luce(salad(), pseudo=0.5)
    close(pseudo.params[1:], [2.671159590596338, 1.525858436984493, 1.001875633829602])
    close([pseudo.llf], [-76.42416852055724])
    assert "0.5 pseudo-comparisons" in pseudo.title
    prior = pairproof.fit_plackett_luce(salad(), prior=1.0)
    close(prior.params, [0.0, 2.487969502970766, 1.41819998932507, 0.9248105867253503])
    # mpmath at 40 digits.
    close(prior.bse[1:], [0.41061045306743489, 0.36661590890349492, 0.35010042838533890])
    assert "N(0, 1^2)" in prior.title
    stated = pairproof.fit_plackett_luce(salad(), prior=([0.0] * 4, np.eye(4).tolist()))
    close(stated.params, prior.params.tolist())
    for fit in (pseudo, prior):
        assert np.isnan(fit.goodness_of_fit().p_deviance)
        with pytest.raises(pairproof.PairproofError, match="does not maximise the likelihood"):
            fit.compare(pairproof.fit_plackett_luce(salad()))


def test_standard_errors_of_the_rankings_are_plackettluces_and_said() -> None:
    as_r = pairproof.fit_plackett_luce(salad(), pseudo=0.5, errors="rankings")
    # R's PlackettLuce 0.4.3 at npseudo = 0.5, epsilon = 1e-13, printed with ten digits; observed 9.7 digits.
    close(as_r.bse[1:], [0.4432911097, 0.3923939029, 0.3732637617], 9.0)
    assert "as in R's PlackettLuce; pseudo-rankings are left out" in as_r.summary()
    own = pairproof.fit_plackett_luce(salad(), pseudo=0.5)
    assert (as_r.params == own.params).all() and (as_r.bse[1:] > own.bse[1:]).all()
    with pytest.raises(pairproof.PairproofError, match="leaves pseudo-rankings out; with a prior"):
        pairproof.fit_plackett_luce(salad(), prior=1.0, errors="rankings")
    with pytest.raises(pairproof.PairproofError, match="expected one of 'maximised', 'rankings'"):
        pairproof.fit_plackett_luce(salad(), **{"errors": "data"})


def test_below_and_absent_are_two_meanings() -> None:
    top = np.where(SALAD <= 2, SALAD, 0)
    below = pairproof.fit_plackett_luce(Respondents.build("ABCD", "rankings", top, weights=SALAD_PERSONS))
    close(below.params[1:], [2.470426331865564, 1.242542041147997, 0.5116318226187894])
    close([below.llf], [-59.60623368449232])
    absent = np.where(SALAD <= 2, SALAD, -1)
    other = pairproof.fit_plackett_luce(Respondents.build("ABCD", "rankings", absent, weights=SALAD_PERSONS))
    assert abs(other.params["B"] - below.params["B"]) > 0.1


def test_fruit_with_ties_of_two_and_three_is_the_40_digit_value() -> None:
    fit = pairproof.fit_plackett_luce(fruit())
    assert fit.names == ("apple", "banana", "orange", "pear", "tie2", "tie3")
    close(
        fit.params[1:],
        [
            0.2942874275531105,
            -0.733511305167417,
            -0.1190960477772294,
            -1.861946710107442,
            -0.7369734578380988,
        ],
    )
    close([fit.llf], [-14.56973928913296])
    pair = fit.probabilities(items=["apple", "banana"]).iloc[0]
    b, d = fit.params["banana"], np.exp(fit.params["tie2"])
    # Davidson's model of two items, nu the prevalence of ties of two.
    share = np.array([1.0, d * np.exp(b / 2.0), np.exp(b)])
    close(pair[["p_first", "p_tie", "p_second"]].tolist(), (share / share.sum()).tolist())


def test_possible_rankings_add_up_to_one_and_their_choices_to_the_worths() -> None:
    fit = pairproof.fit_plackett_luce(salad())
    table = fit.predicted_patterns(most=24)
    close([table["probability"].sum()], [1.0])
    first = table["probability"].groupby(table["answer"].str[0]).sum()
    close(first.tolist(), fit.worth()["worth"].tolist())


def test_a_covariate_makes_separate_fits_of_its_groups() -> None:
    draws = np.random.default_rng(5)
    ranks = np.argsort(draws.gumbel(size=(80, 3)), axis=1) + 1
    sex = Factor(np.arange(80) % 2, ("m", "f"))
    whole = Respondents.build("ABC", "rankings", ranks, columns={"sex": sex})
    fit = pairproof.fit_plackett_luce(whole, by="sex")
    own = [pairproof.fit_plackett_luce(whole.select(np.arange(80) % 2 == k)) for k in (0, 1)]
    close([fit.llf], [own[0].llf + own[1].llf], 12)
    for group, alone in zip(("sex=m", "sex=f"), own):
        close(fit.worth().query("group == @group")["worth"], alone.worth()["worth"].tolist(), 12)
    ratio = fit.compare(pairproof.fit_plackett_luce(whole))
    assert ratio.df == 2 and ratio.statistic > 0


def test_item_covariates_that_tell_all_items_apart_are_the_free_model() -> None:
    table = salad()
    coded = Respondents.build(
        "ABCD",
        "rankings",
        table.answers[:, 0],
        weights=table.weights,
        item_data={
            "b": np.array([0.0, 1, 0, 0]),
            "c": np.array([0.0, 0, 1, 0]),
            "d": np.array([0.0, 0, 0, 1]),
        },
    )
    free, bound = pairproof.fit_plackett_luce(table), pairproof.fit_plackett_luce(
        coded, item_terms=["b", "c", "d"]
    )
    close(bound.params, free.params[1:].tolist())
    close(bound.worth()["worth"], free.worth()["worth"].tolist())
    smaller = pairproof.fit_plackett_luce(coded, item_terms=["b"])
    assert bound.compare(smaller).df == 2


def test_gaps_between_rankings_are_named() -> None:
    table = Respondents.build(
        "ABCD", "rankings", [[1, 2, -1, -1], [2, 1, -1, -1], [-1, -1, 1, 2], [-1, -1, 2, 1]]
    )
    with pytest.raises(NotEstimableError, match=r"\{A, B\} \{C, D\}"):
        pairproof.fit_plackett_luce(table)


@pytest.mark.parametrize(("options", "error", "match"), [
    ({"reference": "Z"}, ItemError, "reference 'Z' is not an item"),
    ({"pseudo": -1.0}, InputError, "pseudo is -1.0"),
    ({"prior": 0.0}, InputError, "positive definite"),
    ({"prior": 1.0, "pseudo": 0.5}, InputError, "without by, item_terms and pseudo"),
    ({"by": "tie:sex"}, InputError, "do not vary with covariates"),
    ({"by": "sex"}, InputError, "no column 'sex'"),
    ({"item_terms": ["x"]}, InputError, "no item covariate 'x'"),
    ({"prior": ([0.0], [[1.0]])}, InputError, "expected 4 and"),
])  # fmt: skip
def test_what_cannot_be_fitted_is_refused(
    options: dict[str, object], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        pairproof.fit_plackett_luce(salad(), **options)  # type: ignore[arg-type]  # what a user may write


def test_tables_of_another_kind_are_refused_with_what_to_do() -> None:
    with pytest.raises(InputError, match="fit_pattern takes them"):
        pairproof.fit_plackett_luce(votes())
    with pytest.raises(InputError, match="answers at 2 times"):
        pairproof.fit_plackett_luce(ratings(times=2))
    with pytest.raises(InputError, match="read_respondents"):
        pairproof.fit_plackett_luce(votes().to_comparisons())  # type: ignore[arg-type]  # what a user may pass


def test_ratings_are_rankings_with_ties() -> None:
    table = ratings(40)
    as_ranks = Respondents.build("ABC", "rankings", table.ranks[:, 0])
    close(pairproof.fit_plackett_luce(table).params, pairproof.fit_plackett_luce(as_ranks).params.tolist())


def test_an_item_without_a_rating_was_not_there_to_be_chosen() -> None:
    """One item without a rating is not the last, as one without a rank among ranked ones would be."""
    answers = np.array([[1, 2, 3], [2, 0, 1], [3, 1, 2], [0, 2, 1], [2, 3, 1], [1, 3, 0], [2, 2, 1]])
    table = Respondents.build("ABC", "ratings", answers, scale=(1.0, 2.0, 3.0))
    assert table.ranks[[1, 3, 5], 0].tolist() == [[2, 0, 1], [0, 2, 1], [1, 2, 0]]
    there = Respondents.build("ABC", "rankings", np.where(answers == 0, -1, answers))
    rated, ranked = pairproof.fit_plackett_luce(table), pairproof.fit_plackett_luce(there)
    close(rated.params, ranked.params.tolist())
    assert (rated.llf, rated.df_resid) == (ranked.llf, ranked.df_resid)


def test_no_goodness_of_fit_is_claimed_where_a_tie_decides_how_many_items_are_ranked() -> None:
    """Persons draw one or two steps with ties from the model itself; X^2 of "k items ranked" rejects it at 1e-12."""
    draws = np.random.default_rng(3)
    log_worth, answers = np.array([0.5, 0.2, 0.0, -0.4]), np.zeros((300, 4), np.int64)
    for row in answers:
        for step in range(1, draws.integers(2, 4)):
            left = np.flatnonzero(row == 0)
            groups = [(i,) for i in left] + [(i, j) for i in left for j in left if i < j]
            p = np.array([np.exp(log_worth[list(g)].mean()) * 0.5 ** (len(g) - 1) for g in groups])
            row[list(groups[draws.choice(len(groups), p=p / p.sum())])] = step
    fit = pairproof.fit_plackett_luce(Respondents.build("ABCD", "rankings", answers))
    # The answers that are possible, as far as they were seen, do not add up to the persons.
    assert fit.patterns().expected.sum() < 0.75 * 300
    test = fit.goodness_of_fit()
    assert np.isnan([test.pearson, test.p_pearson, test.p_deviance]).all() and test.deviance == fit.deviance
    assert test.caution.startswith("no p-value: partial rankings with ties")
    assert "a tie changes how many items are ranked" in " ".join(fit.summary().split())
    assert fit.to_dict()["goodness_of_fit"]["pearson"] is None
    strict = pairproof.fit_plackett_luce(salad(), tie_orders=())
    assert np.isfinite(strict.goodness_of_fit().pearson)
