"""Covariates of the comparison: log-odds in favour of the item named first for one unit of a column of the table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from pairproof.data.columns import Column, Factor
from pairproof.data.comparisons import Comparisons
from pairproof.errors import AliasError, ComparisonError, FormulaError, InputError
from pairproof.native.answers.patterns.answer_likelihood import Likelihood, maximum_likelihood
from pairproof.native.answers.patterns.comparison_patterns import comparison_likelihood
from pairproof.native.answers.patterns.natural_parameters import main_effects
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.native.inference.refits import Refitter
from pairproof.native.inference.taken_apart import TakenApart, take_apart


def judged(seed: int = 1, n: int = 240, **more: Column) -> Comparisons:
    """Four systems compared n times; longer answers and answers on the left are preferred more often."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    length = rng.integers(-3, 4, n).astype(float)
    position = rng.integers(0, 3, n)
    topic = rng.integers(0, 2, n)
    u = 0.6 * (second - first) + 0.4 * length + 0.5 * (position == 1) - 0.5 * (position == 2)
    p = 1.0 / (1.0 + np.exp(-u))
    answer = np.where(rng.random(n) < 0.15, 0, np.where(rng.random(n) < p, 1, -1))
    return Comparisons.build(
        "ABCD",
        first,
        second,
        answer == 1,
        answer == 0,
        answer == -1,
        columns={
            "length": length,
            "position": Factor(position, ("top", "left", "right")),
            "topic": Factor(topic, ("law", "news")),
            "weeks": 2000.0 + rng.integers(0, 9, n),
            "judge": Factor(rng.integers(0, 12, n), tuple(f"J{k}" for k in range(12))),
            **more,
        },
    )


def changed(
    table: Comparisons, columns: Mapping[str, Column], turn: NDArray[np.bool_] | None = None
) -> Comparisons:
    """The table with other columns; the items of the rows `turn` exchanged."""
    turn = np.zeros(table.n_rows, bool) if turn is None else turn
    return Comparisons.build(
        table.items,
        np.where(turn, table.second, table.first),
        np.where(turn, table.first, table.second),
        np.where(turn, table.losses, table.wins),
        table.ties if table.tie_category else None,
        np.where(turn, table.wins, table.losses),
        columns=columns,
    )


def test_a_column_of_ones_is_the_order_effect() -> None:
    table = judged()
    ones = changed(table, {**table.columns, "one": np.ones(table.n_rows)})
    own, order = fit_llbt(ones, comparison_terms="one"), fit_llbt(table, order_effect=True)
    # Two solvers; observed 4e-16 to 2e-15.
    assert own.params["one"] == pytest.approx(order.params["order"], rel=1e-12)
    assert own.bse["one"] == pytest.approx(order.bse["order"], rel=1e-12)
    assert own.deviance == pytest.approx(order.deviance, rel=1e-13) and own.df_resid == order.df_resid
    assert fit_bradley_terry(ones, comparison_terms="one").params["one"] == pytest.approx(
        order.params["order"], rel=1e-12
    )
    with_slope = fit_llbt(table, comparison_terms="topic*length", order_effect=True)
    as_order = fit_llbt(
        table, by="order:topic", order_effect=True, comparison_terms=["length", "length:topic"]
    )
    assert with_slope.names[4:] == ("order", "topic[news]", "length", "topic[news]:length", "tie")
    assert as_order.names[4:] == ("order", "order:topic[news]", "length", "length:topic[news]", "tie")
    # The same number in another way, rounding alone; observed 0.
    assert with_slope.params["topic[news]"] == pytest.approx(as_order.params["order:topic[news]"], rel=1e-10)


def test_it_is_the_comparison_term_of_the_pattern_models() -> None:
    """One answer a person: persons of one pattern of covariates, the item's terms and the comparison's own."""
    table = judged()
    fit = fit_llbt(table, comparison_terms=("length", "length:topic"))
    pairs = [(j, k) for k in range(4) for j in range(k)]  # prefmod's order
    answers = np.full((table.n_rows, 6), 9, np.int64)
    of_pair = {pair: k for k, pair in enumerate(pairs)}
    back = table.first > table.second
    pair = np.array([of_pair[min(i, j), max(i, j)] for i, j in zip(table.first, table.second)])
    outcome = np.where(table.wins > 0, 1, np.where(table.losses > 0, -1, 0))
    answers[np.arange(table.n_rows), pair] = np.where(back, -outcome, outcome)
    topic = table.columns["topic"]
    assert isinstance(topic, Factor)
    side = np.where(back, -1.0, 1.0)
    of_rows = np.stack([side * table.columns["length"], side * table.columns["length"] * topic.codes], axis=1)
    own = np.repeat(of_rows[:, None, :], 6, axis=1)
    items = [main_effects("ABCD", table.n_rows)]
    plain, pooled, called = comparison_likelihood(answers, items, np.arange(table.n_rows), undecided="one")
    # The coefficient of y is half a log-odds.
    of_y = np.concatenate([own / 2.0, np.zeros_like(own)], axis=1)
    maps = [np.hstack([m, of_row]) for m, of_row in zip(plain.maps, of_y)]
    likelihood = Likelihood(plain.space, plain.group, maps)
    other = maximum_likelihood(likelihood, pooled.weights, (*called, "length", "length:topic"))
    # Other code; observed 3e-16 to 2e-15.
    names = ["A", "B", "C", "length", "length:topic[news]", "tie"]
    order = ["A", "B", "C", "length", "length:topic", "U"]
    phi = dict(zip(other.names, other.phi))
    np.testing.assert_allclose([phi[name] for name in order], fit.params[names], rtol=1e-11)
    assert other.llf == pytest.approx(fit.llf, rel=1e-13)


def test_without_an_order_effect_a_factor_has_a_parameter_for_each_level_as_in_r() -> None:
    table = judged()
    alone = fit_llbt(table, comparison_terms="position")
    beside = fit_llbt(table, comparison_terms="position", order_effect=True)
    assert alone.names[4:-1] == ("position[top]", "position[left]", "position[right]")
    assert beside.names[4:-1] == ("order", "position[left]", "position[right]")
    # One model in two codings; observed 2e-15.
    assert alone.llf == pytest.approx(beside.llf, rel=1e-13) and alone.df_resid == beside.df_resid
    assert alone.params["position[left]"] == pytest.approx(
        beside.params["order"] + beside.params["position[left]"], abs=1e-12
    )
    slopes = fit_llbt(table, comparison_terms="length:topic")
    assert slopes.names[4:-1] == ("length:topic[law]", "length:topic[news]")
    more = fit_llbt(table, comparison_terms=["length", "length:topic"])
    assert more.names[4:-1] == ("length", "length:topic[news]")
    # The same number in another way, rounding alone; observed 6e-17.
    assert slopes.params["length:topic[news]"] == pytest.approx(
        more.params["length"] + more.params["length:topic[news]"], abs=1e-12
    )


@given(st.integers(0, 10_000), st.sampled_from(["length", "length*weeks", "length + C(position)"]))
@settings(max_examples=15, deadline=None)
def test_exchanging_the_items_of_rows_turns_the_sign_of_their_numbers(seed: int, terms: str) -> None:
    table = judged(seed)
    rng = np.random.default_rng(seed)
    turn = rng.random(table.n_rows) < 0.5
    columns = dict(table.columns)
    length, position = columns["length"], columns["position"]
    assert not isinstance(length, Factor) and isinstance(position, Factor)
    columns["length"] = np.where(turn, -length, length)
    if "weeks" in terms:  # length*weeks has weeks itself, in favour of whoever is named first
        terms = "length + length:weeks"
    if (
        "position" in terms
    ):  # a factor says what kind of row it is: a difference of indicators turns as numbers do
        terms = "length + left"
        left = np.where(position.codes == 1, 1.0, np.where(position.codes == 2, -1.0, 0.0))
        table = changed(table, {**table.columns, "left": left})
        columns["left"] = np.where(turn, -left, left)
    fit = fit_llbt(table, comparison_terms=terms)
    rows = rng.permutation(table.n_rows)
    other = fit_llbt(changed(table, columns, turn).select(rows), comparison_terms=terms)
    # The cells are the same, summed in another order; weeks (2000) cost 3 digits. Observed 5e-12.
    np.testing.assert_allclose(other.params, fit.params, rtol=1e-8, atol=1e-8)
    assert (other.df_resid, other.cell_table().n_cells) == (fit.df_resid, fit.cell_table().n_cells)
    assert other.deviance == pytest.approx(fit.deviance, rel=1e-11)


def test_rows_of_one_value_for_the_same_item_are_one_cell() -> None:
    table = Comparisons.build(
        "ABC",
        [0, 1, 0, 1, 2, 0],
        [1, 0, 1, 2, 0, 2],
        [5, 2, 3, 4, 3, 6],
        None,
        [3, 4, 4, 3, 5, 2],
        columns={"length": np.array([2.0, -2.0, 0.0, 1.0, -1.0, 0.5])},
    )
    fit = fit_llbt(table, comparison_terms="length")
    cells = fit.cell_table()
    assert sorted(cells.label) == ["", "length=0.5", "length=1", "length=1", "length=2"]
    two = [k for k, label in enumerate(cells.label) if label == "length=2"]
    assert cells.observed[two[0]].tolist() == [9.0, 0.0, 5.0]  # 5:3 as (A, B) and 2:4 as (B, A)
    assert fit.df_resid == 5 - 3


def test_the_pooled_table_has_the_estimates_of_the_single_rows() -> None:
    table = judged()
    pooled, single = (
        fit_llbt(table, comparison_terms="length", by="topic", cells=cells) for cells in (None, "row")
    )
    # Observed 0.
    np.testing.assert_allclose(pooled.params, single.params, rtol=1e-12, atol=1e-14)
    assert (
        pooled.llf == single.llf and single.cell_table().n_cells == table.n_rows > pooled.cell_table().n_cells
    )


def test_predictions_take_the_values_of_the_item_named_first() -> None:
    fit = fit_llbt(judged(), comparison_terms=["length", "length:topic"], by="A:topic", order_effect=True)
    plain = fit.probabilities("topic=law", items=["A", "B"])
    longer = fit.probabilities("topic=law", items=["A", "B"], comparison={"length": 2.0})
    odds = [np.log(f["p_first"][0] / f["p_second"][0]) for f in (plain, longer)]
    # The same number in another way, rounding alone; observed 6e-16.
    assert odds[1] - odds[0] == pytest.approx(2.0 * fit.params["length"], rel=1e-12)
    assert odds[0] == pytest.approx(2.0 * (fit.params["A"] - fit.params["B"]), rel=1e-12)
    limits = fit.probabilities("topic=law", items=["A", "B"], comparison={"length": 2.0}, level=0.95)
    assert limits["p_first_low"][0] < limits["p_first"][0] == longer["p_first"][0] < limits["p_first_high"][0]
    with pytest.raises(InputError, match=r"expected a value for each of \['length', 'topic'\]"):
        fit.probabilities("topic=law", comparison={"width": 2.0})
    with pytest.raises(InputError, match="the model has a slope for it"):
        fit.probabilities("topic=law", comparison={"length": "long"})


def test_models_with_fewer_comparison_terms_lie_inside_those_with_more() -> None:
    table = judged()
    plain, length = fit_llbt(table), fit_llbt(table, comparison_terms="length")
    both = fit_llbt(table, comparison_terms=["length", "position"])
    order = fit_llbt(table, order_effect=True)
    assert (plain.compare(length).df, length.compare(both).df) == (1, 3)
    assert order.compare(both).df == 3  # the three positions add up to the order effect
    with pytest.raises(ComparisonError, match="length of .* is not in"):
        length.compare(fit_llbt(table, comparison_terms="position"))
    with pytest.raises(ComparisonError, match="order of .* is not in"):
        order.compare(fit_llbt(table, comparison_terms=["length", "weeks"]))


def test_rows_without_an_advantage_of_order_keep_their_comparison_terms() -> None:
    table = judged()
    ground = (np.arange(table.n_rows) % 3 > 0).astype(float)
    neutral = changed(table, {**table.columns, "order": ground, "home": ground})
    own = fit_llbt(neutral, comparison_terms=["length", "home"])
    order = fit_llbt(neutral, comparison_terms="length", order_effect=True)
    # The same number in another way, rounding alone; observed 9e-15.
    assert own.params["home"] == pytest.approx(order.params["order"], rel=1e-10)
    assert own.params["length"] == pytest.approx(order.params["length"], rel=1e-10)


def test_a_length_that_always_wins_is_infinite_by_name() -> None:
    table = judged()
    length = np.where(table.wins > 0, 1.0, np.where(table.losses > 0, -1.0, 0.0))
    fit = fit_llbt(changed(table, {"length": length}), comparison_terms="length")
    assert "length" in fit.not_estimable and fit.n_infinite >= 1
    assert any(w.kind == "separated" and "length" in w.terms for w in fit.warnings)


def test_a_refit_to_other_counts_is_the_fit_to_those_counts() -> None:
    table = judged()
    half = table.select(np.arange(table.n_rows) % 2 == 0)
    apart, small = (
        take_apart(fit_llbt(t, comparison_terms=["length", "position"], by="B:topic")) for t in (table, half)
    )
    known = {key: k for k, key in enumerate(keys(apart))}
    counts = np.zeros_like(apart.problem.cells.counts)
    for key, row in zip(keys(small), small.problem.cells.counts):
        counts[known[key]] += row
    again = Refitter(apart).refit(counts)
    assert again is not None
    np.testing.assert_allclose(again.beta, small.fit.beta, atol=1e-11)  # observed 3e-15


def keys(apart: TakenApart) -> list[tuple[object, ...]]:
    """What names a cell of any table of the model: pair, group and values of the comparison."""
    cells, directed = apart.problem.cells, apart.model.directed
    assert directed is not None and cells.value is not None
    return [
        (int(i), int(j), int(p), tuple(directed.values[v]))
        for i, j, p, v in zip(cells.i, cells.j, cells.pattern, cells.value)
    ]


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        (dict(comparison_terms="width"), FormulaError, "no column 'width'"),
        (dict(comparison_terms=["length", ""]), FormulaError, "'' is not a term"),
        (dict(comparison_terms="item(A):length"), FormulaError, "A is named as an item"),
        (
            dict(comparison_terms=["length", "double"]),
            AliasError,
            "double cannot be distinguished from length",
        ),
        (dict(comparison_terms="nothing"), AliasError, "nothing is 0 in every row"),
        (dict(comparison_terms="gap"), InputError, "row 3: no value in column 'gap'"),
        (dict(comparison_terms="A"), FormulaError, "two parameters would be named 'A'"),
        (dict(by="order:topic"), FormulaError, "one of comparison_terms"),
    ],
)
def test_a_term_that_cannot_be_is_refused_with_what_to_do(
    options: dict[str, object], error: type[Exception], said: str
) -> None:
    table = judged()
    length = table.columns["length"]
    assert not isinstance(length, Factor)
    gap = np.where(np.arange(table.n_rows) == 2, np.nan, length)
    more = {"double": 2 * length, "nothing": 0 * length, "gap": gap, "A": length}
    with pytest.raises(error, match=said):
        fit_llbt(changed(table, {**table.columns, **more}), **options)  # type: ignore[arg-type]  # options by name
