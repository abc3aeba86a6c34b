"""What a fit of whole answers tells: tables, texts, tests, robust standard errors."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.respondents import Respondents
from pairproof.errors import (
    AliasError,
    ComparisonError,
    FormulaError,
    InputError,
    NotEstimableError,
    TooLargeError,
)
from tests.native.answers.tables import ratings, salad, votes


def test_it_is_a_fit_and_says_so() -> None:
    fit = pairproof.fit_pattern(votes(), by="sex")
    assert isinstance(fit, pairproof.Fit) and fit.answers is not None
    assert repr(fit).startswith("<Fit: Pattern model of comparisons, ties, by sex, 200 persons")
    text = fit.summary()
    assert "Deviance" in text and "200" in text and max(map(len, text.splitlines())) <= 100
    again = pickle.loads(pickle.dumps(fit))
    assert again.summary() == text and again.pairs().equals(fit.pairs())


def test_bic_counts_persons() -> None:
    fit = pairproof.fit_pattern(votes())
    # The same number in another way, rounding alone; observed 0.
    assert fit.bic == pytest.approx(-2 * fit.llf + 4 * np.log(200), rel=1e-14)
    assert fit.n_comparisons > 1000


def test_answers_are_listed_with_what_the_model_expects() -> None:
    table = pairproof.fit_plackett_luce(salad()).patterns()
    assert table["observed"].sum() == 32 and table["observed"].is_monotonic_decreasing
    assert table["answer"].str.count(">").eq(3).all()
    assert np.allclose(
        table["residual"], (table["observed"] - table["expected"]) / np.sqrt(table["expected"])
    )


def test_persons_who_say_nothing_are_counted_apart() -> None:
    answers = np.vstack([votes(50).answers[:, 0], np.full((3, 6), 9)])
    table = Respondents.build("ABCD", "comparisons", answers, tie_category=True)
    fit = pairproof.fit_pattern(table)
    assert fit.n_persons == 50 and "50 (3 more without information)" in fit.summary()


def test_too_many_possible_answers_are_not_written_out() -> None:
    fit = pairproof.fit_pattern(votes(items="ABCDEF"))
    with pytest.raises(TooLargeError, match="14,348,907 possible answers"):
        fit.predicted_patterns()
    assert len(fit.patterns()) > 100
    with pytest.raises(InputError, match="the groups are 'sex=m', 'sex=f'"):
        pairproof.fit_pattern(votes(), by="sex").predicted_patterns()


def test_models_that_are_not_nested_are_not_compared() -> None:
    table = salad()
    pattern, luce = pairproof.fit_pattern(table), pairproof.fit_plackett_luce(table)
    with pytest.raises(ComparisonError, match="not nested"):
        pattern.compare(luce)
    with pytest.raises(ComparisonError, match="log-likelihoods concern different data"):
        pattern.compare(pairproof.fit_llbt(pattern.data.as_independent()))
    with pytest.raises(ComparisonError, match="different answers"):
        pairproof.fit_pattern(votes(100)).compare(pairproof.fit_pattern(votes(101)))
    with pytest.raises(ComparisonError, match="not nested"):
        pairproof.fit_pattern(votes(), by="sex").compare(
            pairproof.fit_pattern(votes(), by="age", dependence=True)
        )
    with pytest.raises(ComparisonError, match="nothing to test"):
        luce.compare(pairproof.fit_plackett_luce(table, reference="C"))


def test_robust_errors_of_persons_are_whites_sandwich() -> None:
    table = votes(ties=0.0, gaps=0.0)
    fit = pairproof.fit_pattern(table)
    whole = fit.clustered(kind="CR0")
    # Every person is a judge of the pairwise model, which is the same model: CR0 by judge.
    judged = Respondents.build("ABCD", "comparisons", table.answers, tie_category=False)
    llbt = pairproof.fit_llbt(judged.to_comparisons(judge=True))
    by_judge = llbt.clustered("judge", kind="CR0")
    np.testing.assert_allclose(whole.bse[:3], by_judge.bse[:3], rtol=1e-11)  # observed 2e-14
    assert (fit.clustered().bse[:3] / whole.bse[:3]).to_numpy() == pytest.approx(
        np.sqrt(200 / 199), rel=1e-12
    )
    assert whole.robust is not None and whole.robust.title == "CR0 by person (200 clusters)"
    assert "Wald" in whole.summary() or "F" in str(whole.wald(["A", "B"]))


def test_robust_errors_do_not_depend_on_reference_scale_or_the_order_of_steps() -> None:
    fit = pairproof.fit_pattern(votes(), by="sex")
    for change in ("A", "sum"):
        first = fit.clustered().with_reference(change).bse
        np.testing.assert_allclose(
            first, fit.with_reference(change).clustered().bse, rtol=1e-10
        )  # observed 1e-15
    doubled = fit.on_scale("log-odds").clustered().bse
    np.testing.assert_allclose(doubled, fit.clustered().on_scale("log-odds").bse, rtol=1e-12)


def test_clusters_of_a_column_sum_their_persons() -> None:
    table = votes()
    town = np.arange(200) % 20
    whole = Respondents.build(
        "ABCD",
        "comparisons",
        table.answers,
        tie_category=True,
        columns={"town": Factor(town, tuple(map(str, range(20))))},
    )
    fit = pairproof.fit_pattern(whole)
    clustered = fit.clustered("town")
    assert clustered.robust is not None and clustered.robust.title == "CR1 by town (20 clusters)"
    assert clustered.df["A"] == 19 and "20 clusters are few" in clustered.summary()
    # Every person its own cluster, by a column that numbers them.
    numbered = Respondents.build(
        "ABCD", "comparisons", table.answers, tie_category=True, columns={"id": np.arange(200.0)}
    )
    own = pairproof.fit_pattern(numbered)
    # The same number in another way, rounding alone; observed 0.
    np.testing.assert_allclose(own.clustered("id").bse[:3], own.clustered().bse[:3], rtol=1e-12)


@pytest.mark.parametrize(("columns", "options", "match"), [
    (("nobody",), {}, "no column 'nobody'"), (("sex", "age"), {}, "one column, or by person"),
    ((), {"kind": "CR9"}, "CR0"),
])  # fmt: skip
def test_clusters_that_there_are_not_are_refused(
    columns: tuple[str, ...], options: dict[str, str], match: str
) -> None:
    with pytest.raises(InputError, match=match):
        pairproof.fit_pattern(votes()).clustered(*columns, **options)  # type: ignore[arg-type]  # what a user may write


def test_the_chi_square_is_withheld_where_persons_are_few() -> None:
    few = pairproof.fit_pattern(votes()).goodness_of_fit()
    assert np.isnan(few.p_deviance) and "too few for a chi-square" in few.caution
    enough = pairproof.fit_pattern(ratings(400)).goodness_of_fit()
    assert enough.p_deviance > 0 and enough.caution == ""


def test_json_says_what_was_answered() -> None:
    told = pairproof.fit_pattern(ratings(times=2)).to_dict()
    assert (told["model"], told["answers"], told["times"], told["n_persons"]) == (
        "pattern",
        "ratings",
        ["1", "2"],
        150.0,
    )


def test_ratings_that_order_the_items_alike_are_one_answer_and_are_shown_as_an_order() -> None:
    answers = [[1, 2, 3], [2, 3, 3], [1, 2, 2], [3, 0, 1], [2, 1, 1], [1, 1, 3]]
    table = pairproof.Respondents.build("ABC", "ratings", answers, scale=(1, 2, 3))
    frame = pairproof.fit_pattern(table).patterns().set_index("answer")
    assert frame["observed"].to_dict() == {
        "A > B = C": 2, "A > B > C": 1, "C > A; not rated: B": 1, "B = C > A": 1, "A = B > C": 1,
    }  # fmt: skip


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_items", [20, 40])
def test_degrees_of_freedom_of_many_items_are_exact_and_told_in_one_line(n_items: int) -> None:
    comparisons = n_items * (n_items - 1) // 2
    answers = np.random.default_rng(14).choice([1, 0, -1], size=(30, comparisons))
    table = Respondents.build([f"i{k}" for k in range(n_items)], "comparisons", answers, tie_category=True)
    fit = pairproof.fit_pattern(table)
    assert fit.df_resid == 3**comparisons - 1 - n_items
    assert max(map(len, fit.summary().splitlines())) <= 110
    power = {20: "4.498e+90", 40: "1.428e+372"}[n_items]
    assert f"on {power} df" in fit.summary() and f"{power} df" in str(fit.goodness_of_fit())
    assert np.isnan(fit.goodness_of_fit().p_deviance) and len(fit.patterns()) == 30
    with pytest.raises(TooLargeError, match=r"there are [14]\.\d+e\+\d+ possible answers"):
        fit.predicted_patterns()
    assert fit.to_dict()["n_possible"] == 3**comparisons


def test_a_covariate_with_one_level_is_refused_and_not_left_out_in_silence() -> None:
    one = pairproof.read_respondents(
        {"A": [1, 2, 1], "B": [2, 1, 3], "C": [3, 3, 2], "sex": ["f"] * 3}, "ranks", items=list("ABC")
    )
    with pytest.raises(
        AliasError, match="sex on the items .* all persons of the model have 'f'; leave it out"
    ):
        pairproof.fit_plackett_luce(one, by="sex")


def test_the_pattern_model_does_not_advise_what_only_plackett_and_luce_s_has() -> None:
    table = Respondents.build("ABC", "rankings", [[1, 2, 3], [1, 3, 2]])
    with pytest.raises(NotEstimableError, match="fit each alone$"):
        pairproof.fit_pattern(table)
    with pytest.raises(NotEstimableError, match="fit each alone, or add pseudo-comparisons or a prior$"):
        pairproof.fit_plackett_luce(table)


def test_a_column_with_the_name_of_a_parameter_is_named_and_must_be_renamed() -> None:
    columns = {"A": [1, 2], "B": [2, 1], "tie": ["x", "y"], "order": [1, 2], "time": [3, 4]}
    with pytest.raises(InputError, match="no covariate can have the name 'order' or 'time': .* or drop it"):
        pairproof.read_respondents(columns, "ranks", items=["A", "B"])
    table = pairproof.read_respondents({k: columns[k] for k in ("A", "B", "tie")}, "ranks", items=["A", "B"])
    with pytest.raises(FormulaError, match="'tie' names no column: .* A column of that name must be renamed"):
        pairproof.fit_pattern(table, by="tie")


def test_a_pattern_that_nobody_gave_makes_ties_infinite_although_the_solver_s_rule_is_met() -> None:
    """Two points and three items: all tied, or one tie; nobody gave all tied.  The log-likelihood is flat beyond a
    tie parameter of -12, where its standard error was 1e5, and no warning.
    """
    rows = {"A": [2, 3, 2, 3, 2], "B": [2, 2, 3, 3, 3], "C": [3, 2, 3, 2, 2]}
    table = pairproof.read_respondents(rows, "ratings", items=list("ABC"), scale="2-3", best="low")
    with pytest.raises(NotEstimableError, match="^tie: the estimate is infinite"):
        pairproof.fit_pattern(table)


@pytest.mark.parametrize(
    ("ask", "instead"),
    [
        (lambda fit: fit.effects(), "fit_bradley_terry"),
        (lambda fit: fit.predicted(), "fit_bradley_terry"),
        (lambda fit: fit.sigma, "fit_bradley_terry"),
        (lambda fit: fit.patterns(), "fit_pattern and fit_plackett_luce model whole answers"),
        (lambda fit: fit.n_persons, "fit_pattern and fit_plackett_luce model whole answers"),
        (lambda fit: fit.posterior(), "use fit_latent_classes"),
        (lambda fit: fit.shares, "use fit_latent_classes"),
    ],
)
def test_a_part_that_a_model_has_not_is_refused_with_the_models_that_have_it(ask, instead) -> None:
    fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
    with pytest.raises(InputError, match=instead):
        ask(fit)
    assert not hasattr(fit, "sigma") and not hasattr(fit, "shares") and not hasattr(fit, "respondents")


def test_there_is_one_class_of_fits_and_parts_say_what_a_model_has() -> None:
    table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [6, 5, 8], None, [4, 4, 3])
    plain = pairproof.fit_bradley_terry(table)
    probit = pairproof.fit_bradley_terry(table, link="probit")
    mixed = pairproof.fit_bradley_terry(table, random="item")
    whole = pairproof.fit_pattern(votes())
    mixture = pairproof.fit_latent_classes(votes(), 2, starts=2)
    parts = ("contests", "random_effects", "answers", "classes")
    has = [
        [part for part in parts if getattr(fit, part) is not None]
        for fit in (plain, probit, mixed, whole, mixture)
    ]
    assert has == [[], ["contests"], ["contests", "random_effects"], ["answers"], ["answers", "classes"]]
    assert {type(fit) for fit in (plain, probit, mixed, whole, mixture)} == {pairproof.Fit}
    assert mixed.of_items.random_effects is None and plain.of_items is plain
