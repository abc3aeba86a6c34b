"""Which model of ours a design is, and the map between the coefficients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.migration.recognise.decide import recognise_poisson, recognise_rows
from pairproof.migration.recognise.design_contests import Not, Variable
from pairproof.migration.recognise.design_terms import Model
from pairproof.migration.translate.recorded_answers import StaysInR
from tests.migration.recognise.made import FloatArray, counts_of, design, outcomes, signs

ITEMS = ["A", "B", "C", "D"]


def own_design(model: Model, unit: float) -> FloatArray:
    """What the model's item parameters, order effect and covariates add to the log-odds, worked out anew."""
    c = model.contests
    columns = []
    z = {(i, label): v for i, p in model.products for label, v in zip(p.labels, p.values.T)}
    for name in model.names:
        head, _, rest = name.partition(":")
        if name == "order":
            columns.append(np.ones(len(c)))
        elif name in model.comparison:
            columns.append(model.comparison[name])
        elif head in model.items:
            k = model.items.index(head)
            sign = (c.first == k).astype(float) - (c.second == k)
            by = z.get(("", rest), z.get((head, rest))) if rest else np.ones(len(c))
            assert by is not None
            columns.append(unit * sign * by)
    return np.column_stack(columns)


def test_each_coefficient_keeps_its_meaning_in_the_log_odds() -> None:
    x = signs(4, 3)
    z = np.linspace(-1, 1, len(x))
    wins, losses = counts_of(len(x), 1)
    whole = np.column_stack([np.ones(len(x)), 0.5 * x[:, :3], z, x[:, 0] * z])
    names = ["(Intercept)", "A", "B", "C", "z", "A:z"]
    numbers = {"z": Variable("z", tuple(z.tolist()))}
    r = recognise_rows(design(whole, names, numbers=numbers), wins, losses)
    assert r.model.order_effect and list(r.model.comparison) == ["z"]
    assert [(i, p.labels) for i, p in r.model.products] == [("A", ("z",))]
    assert r.model.reference == r.model.items[-1] == "reference"
    b = np.array([0.3, -1.0, 2.0, 0.4, 0.7, -0.2])
    theta = r.model.map @ b[[names.index(n) for n in r.coefficients]]
    # Sums of six terms of size 1: rounding of some 1e-15.
    assert own_design(r.model, 1.0) @ theta == pytest.approx(whole @ b, abs=1e-12)


def test_the_aliased_item_is_the_reference() -> None:
    x = signs(4, 2)
    wins, losses = counts_of(len(x), 2)
    r = recognise_rows(design(x, ITEMS, unknown=("B",)), wins, losses)
    assert r.model.reference == "B" and r.model.names == ("A", "C", "D")
    assert r.model.map == pytest.approx(np.eye(3), abs=1e-12)


def test_players_name_the_items_and_the_hidden_one() -> None:
    x = signs(4, 2)
    one = tuple(ITEMS[k] for k in x.argmax(axis=1))
    two = tuple(ITEMS[k] for k in x.argmin(axis=1))
    factors = {"right": Variable("right", two, tuple(ITEMS)), "left": Variable("left", one, tuple(ITEMS))}
    wins, losses = counts_of(len(x), 3)
    r = recognise_rows(design(x[:, 1:], ["DB", "DC", "DD"], factors=factors), wins, losses)
    assert r.model.items == ("B", "C", "D", "A") and r.model.reference == "A"
    assert r.players is not None and r.players.columns == ("left", "right")
    other = recognise_rows(design(x[:, 1:], ["x1", "x2", "x3"], factors=factors), wins, losses)
    assert other.model.items == ("x1", "x2", "x3", "A")


def test_winners_coded_one_and_zero_are_log_odds() -> None:
    x = signs(4)
    whole, groups = outcomes(x, with_ties=False)
    y = np.arange(1.0, len(whole) + 1)
    r = recognise_poisson(design((whole[:, :3] > 0).astype(float), ITEMS[:3]), y, groups)
    # lambda is half a log-odds.
    assert r.model.map == pytest.approx(np.eye(3) / 2, abs=1e-12)
    assert r.model.contests.wins.tolist() == y[: len(x)].tolist()


def test_rows_of_ties_have_the_tie_parameters() -> None:
    x = signs(3, 2)
    whole, groups = outcomes(x, with_ties=True)
    n = len(x)
    tie = np.repeat([0.0, 0.0, 1.0], n)
    age = np.tile(np.arange(n, dtype=float), 3)
    columns = np.column_stack([whole[:, :2], tie, tie * age])
    y = np.arange(1.0, 3 * n + 1)
    numbers = {"age": Variable("age", tuple(age.tolist()))}
    r = recognise_poisson(design(columns, ["A", "B", "g1", "g1:age"], numbers=numbers), y, groups)
    assert r.model.ties == "davidson" and [(i, p.labels) for i, p in r.model.products] == [("tie", ("age",))]
    assert r.model.names == ("A", "B", "tie", "tie:age")
    assert r.model.map == pytest.approx(np.eye(4), abs=1e-12)
    without = recognise_poisson(design(columns[:, :2], ["A", "B"]), y, groups)
    assert without.model.ties == "none"


def test_an_order_effect_coded_one_and_zero_takes_half_of_itself_from_the_ties() -> None:
    x = signs(3, 2)
    whole, groups = outcomes(x, with_ties=True)
    n = len(x)
    pos, tie = np.repeat([1.0, 0.0, 0.0], n), np.repeat([0.0, 0.0, 1.0], n)
    r = recognise_poisson(
        design(np.column_stack([whole[:, :2], tie, pos]), ["A", "B", "g1", "pos"]), np.ones(3 * n), groups
    )
    to = dict(zip(r.model.names, r.model.map))
    assert to["order"] == pytest.approx([0, 0, 0, 1], abs=1e-12)
    assert to["tie"] == pytest.approx([0, 0, 1, -0.5], abs=1e-12)


def test_nuisance_constants_of_a_glm_are_found_among_its_columns() -> None:
    x = signs(3, 2)
    whole, groups = outcomes(x, with_ties=False)
    labels = tuple(f"pair{g}" for g in groups)
    indicators = (groups[:, None] == np.arange(len(x))).astype(float)
    names = [*(f"mu{k}" for k in range(len(x))), "A", "B"]
    factors = {"mu": Variable("mu", labels, tuple(sorted(set(labels))))}
    y = np.arange(1.0, len(whole) + 1)
    r = recognise_poisson(
        design(np.column_stack([indicators, whole[:, :2]]), names, factors=factors), y, None
    )
    assert r.coefficients == ("A", "B")
    few = design(np.column_stack([indicators[:, :2], whole[:, :2]]), ["m1", "m2", "A", "B"], factors=factors)
    with pytest.raises(Not, match="constant"):
        recognise_poisson(few, y, None)


def test_coarse_groups_rows_that_are_no_mirror_images_and_no_items_are_refused_with_the_reason() -> None:
    x = signs(3, 2)
    whole, groups = outcomes(x, with_ties=True)
    columns = design(whole[:, :2], ["A", "B"])
    with pytest.raises(StaysInR, match="6 rows") as coarse:
        recognise_poisson(columns, np.ones(len(whole)), groups // 2)
    assert not isinstance(coarse.value, Not)
    skewed = whole.copy()
    skewed[0] = np.roll(skewed[0], 1)
    with pytest.raises(Not):
        recognise_poisson(design(skewed, ITEMS[:3]), np.ones(len(whole)), groups)
    with pytest.raises(Not):
        recognise_poisson(
            design(np.random.default_rng(1).normal(size=(6, 2)), ["u", "v"]), np.ones(6), np.arange(6) // 2
        )


def test_three_ordered_answers_are_losses_ties_and_wins() -> None:
    x = signs(4)
    counts = np.arange(18.0).reshape(6, 3)
    r = recognise_rows(design(x[:, :3], ITEMS[:3]), counts[:, 2], counts[:, 0], counts[:, 1])
    assert r.model.contests.ties.tolist() == counts[:, 1].tolist()
    assert r.model.contests.wins.tolist() == counts[:, 2].tolist()
    assert r.model.contests.losses.tolist() == counts[:, 0].tolist()


@settings(max_examples=40)
@given(
    n=st.integers(3, 5),
    scale=st.sampled_from([0.5, 1.0, 3.0]),
    constant=st.booleans(),
    factor=st.booleans(),
    seed=st.integers(0, 10**6),
)
def test_a_binomial_design_is_the_same_model_under_any_order_of_rows_and_columns_names_and_scale(
    n: int, scale: float, constant: bool, factor: bool, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    x = signs(n, 4)
    names = [f"item{k}" for k in draw.permutation(n)]
    group = np.where(np.arange(len(x)) < len(x) // 2, "x", "y")
    columns, labels = [scale * x[:, :-1]], names[:-1]
    if factor:
        columns.append(scale * x[:, :-1] * (group == "y")[:, None])
        labels = [*labels, *(f"{n}:groupy" for n in names[:-1])]
    if constant:
        columns.append(np.ones((len(x), 1)))
        labels = [*labels, "(Intercept)"]
    whole = np.column_stack(columns)
    rows, order = draw.permutation(len(x)), draw.permutation(whole.shape[1])
    factors = {"group": Variable("group", tuple(group[rows].tolist()), ("x", "y"))}
    wins, losses = counts_of(len(x), seed)
    given_names = [labels[k] for k in order]
    r = recognise_rows(design(whole[rows][:, order], given_names, factors=factors), wins[rows], losses[rows])
    model = r.model
    assert model.order_effect == constant
    assert [p.labels for i, p in model.products if not i] == ([("group[y]",)] if factor else [])
    assert set(model.items) == {*names[:-1], "reference"}
    b = draw.normal(size=len(given_names))
    theta = model.map @ b[[given_names.index(c) for c in r.coefficients]]
    # Log-odds are sums of at most ten terms of size 3.
    assert own_design(model, 1.0) @ theta == pytest.approx(whole[rows][:, order] @ b, abs=1e-11)
    assert model.contests.wins.tolist() == wins[rows].tolist()


@settings(max_examples=40)
@given(n=st.integers(3, 5), ties=st.booleans(), coded=st.booleans(), seed=st.integers(0, 10**6))
def test_a_poisson_design_is_the_same_model_under_any_order_of_rows(
    n: int, ties: bool, coded: bool, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    x = signs(n, 2)
    whole, groups = outcomes(x, ties)
    tie = np.repeat([0.0, 0.0, 1.0], len(x))[: len(whole), None]
    # Winners as 1 and 0, ties as 1/2 each, are the same model.
    items = np.where(tie > 0, np.abs(x[groups]) / 2, (whole > 0)) if coded else whole
    columns = np.column_stack([items[:, :-1], *([tie] if ties else [])])
    names = [f"o{k}" for k in range(n - 1)] + (["g1"] if ties else [])
    y = draw.integers(1, 30, len(whole)).astype(float)
    rows = draw.permutation(len(whole))
    r = recognise_poisson(design(columns[rows], names), y[rows], groups[rows])
    b = draw.normal(size=len(names))
    theta = dict(zip(r.model.names, r.model.map @ b))
    size = 0.5 if coded else 1.0
    for k, name in enumerate(names[: n - 1]):
        assert theta[name] == pytest.approx(size * b[k], abs=1e-12)
    if ties:
        assert theta["tie"] == pytest.approx(b[-1], abs=1e-12)
    seen = {(int(i), int(j)): 0.0 for i in range(n) for j in range(n)}
    for i, j, w, lost in zip(*(getattr(r.model.contests, a) for a in ("first", "second", "wins", "losses"))):
        seen[int(i), int(j)] += w
        seen[int(j), int(i)] += lost
    for k in range(len(whole)):
        if whole[k].any():
            seen[int(whole[k].argmax()), int(whole[k].argmin())] -= y[k]
    assert all(abs(v) < 1e-9 for v in seen.values())
