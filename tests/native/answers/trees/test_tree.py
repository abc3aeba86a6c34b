"""Trees: psychotree's tree of Topmodel2007, every statistic and coefficient; ties; what changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from pairproof.data.respondents.codes import MISSING
from pairproof.errors import InputError, TooLargeError
from pairproof.native.answers.trees.instability import Covariate, instability_tests, largest_statistic, places
from pairproof.native.answers.trees.partitioning import GrownNode, fit_node, grow_tree
from tests.native.answers.trees.data import preferences, topmodel


def close(a: object, b: object, limit: float) -> bool:
    return bool(np.abs(np.asarray(a) - np.asarray(b)).max() <= limit)


def leaves(tree: GrownNode) -> list[GrownNode]:
    return [node for node in tree.nodes() if node.split is None]


def llf_of(tree: GrownNode) -> float:
    return sum(leaf.model.llf for leaf in leaves(tree))


def parameters_of(tree: GrownNode) -> int:
    return sum(len(leaf.model.theta) for leaf in leaves(tree))


# -- psychotree's example ------------------------------------------------------------------------------------

STATISTICS = {
    1: {"gender": 17.0879800029835, "age": 31.8461845390385, "q1": 12.6319505276705, "q2": 19.8392218499933, "q3": 6.75855922630514},
    2: {"gender": 15.5707616940668, "age": 12.3225070764832, "q1": 5.44067095609386, "q2": 17.5966152064255, "q3": 3.09523932897276},
    4: {"gender": 19.1767466540307, "age": 12.777143409355, "q1": 1.41712110520158, "q3": 5.70396444852012},
}  # fmt: skip
ADJUSTED = {
    1: {
        "gender": 0.0214924495861615,
        "q1": 0.128276380188702,
        "q2": 0.00667999553330845,
        "q3": 0.74515148810793,
    },
    2: {
        "gender": 0.0402491708748324,
        "q1": 0.896344221211242,
        "q2": 0.0173624194536816,
        "q3": 0.996913643170172,
    },
    4: {"gender": 0.00710787512058186, "q1": 0.999963796849826, "q3": 0.805725676580874},
}
LEAVES = {
    3: (
        35,
        -0.105976033826442,
        0.712061475293715,
        -0.503874216500338,
        -0.716090048092139,
        -1.337810332262067,
    ),
    5: (71, -0.349888867670628, 0.407628108059092, 0.255574910842577, -0.538691337596343, -0.438663273614529),
    6: (
        56,
        -0.222945362725121,
        -0.502293416501731,
        -0.312545929368371,
        -1.444072091284359,
        -0.947531675927505,
    ),
    7: (
        30,
        -1.534395081080925,
        -0.523676464487944,
        -0.476836801417993,
        -0.453414759894964,
        -0.217761913898703,
    ),
}


@pytest.mark.r("psychotree")
@pytest.mark.parametrize("minimum", [None, 5])
def test_topmodel_has_psychotrees_tree_statistics_and_coefficients(minimum: int | None) -> None:
    data, covariates = topmodel()
    tree = grow_tree(data, covariates, minimum=minimum)
    nodes = {node.number: node for node in tree.nodes()}
    assert [str(nodes[k].split) for k in (1, 2, 4)] == ["age <= 52", "q2 in {yes}", "gender in {male}"]
    assert abs(tree.model.llf - -1912.05483227078) < 1e-10 and abs(llf_of(tree) - -1828.633035286) < 1e-9
    assert parameters_of(tree) + len(leaves(tree)) - 1 == 23  # and one for each split
    root = [-0.430288063787197, 0.040319420442532, -0.151947314444022, -0.786348073006883, -0.679156775618918]
    # psychotools' glm stops at 1e-8 of the deviance: observed 8e-13 here, 5e-14 in the leaves.
    assert close(tree.model.theta, root, 1e-11)
    for number, expected in STATISTICS.items():
        tests = {test.covariate: test for test in nodes[number].tests}
        # R stops its glm at 1e-8: observed 2e-10 (age of node 2), 4e-14 elsewhere.
        assert close([tests[name].statistic for name in expected], list(expected.values()), 1e-9)
        chosen = ADJUSTED[number]
        assert set(tests) == set(expected)
        assert close([tests[name].p_adjusted for name in chosen], list(chosen.values()), 1e-12)
    assert {leaf.number: len(leaf.persons) for leaf in leaves(tree)} == {k: v[0] for k, v in LEAVES.items()}
    for leaf in leaves(tree):
        assert close(leaf.model.theta, LEAVES[leaf.number][1:], 1e-11)


@pytest.mark.r("psychotree")
def test_the_order_of_rows_and_the_reference_change_nothing() -> None:
    data, covariates = topmodel()
    other, _ = topmodel("Mandy")
    order = np.random.default_rng(5).permutation(192)
    scores, turned = fit_node(data, np.arange(192)).scores, fit_node(other, np.arange(192)).scores
    assert scores is not None and turned is not None
    shuffled = [Covariate(c.name, c.kind, c.values[order], c.levels) for c in covariates]
    tests, again = instability_tests(scores[order], shuffled, 5), instability_tests(turned, covariates, 5)
    for a, b in zip(tests, again):
        assert abs(a.statistic - b.statistic) < 1e-10 and abs(a.p - b.p) < 1e-12
    # R takes rows of the same age apart and finds 32.3565530796521 or this, by their order.
    assert abs({test.covariate: test for test in tests}["age"].statistic - 31.8461845390385) < 1e-10


@pytest.mark.r("psychotree")
def test_the_p_value_of_age_is_that_of_permutations() -> None:
    data, covariates = topmodel()
    young = np.flatnonzero(covariates[1].values <= 52)
    scores = fit_node(data, young).scores
    assert scores is not None
    age = Covariate("age", "numeric", covariates[1].values[young])
    own = instability_tests(scores, [age], 5)[0]
    order, at = places(age.values, 5)
    half = np.linalg.solve(np.linalg.cholesky(scores.T @ scores), scores.T).T
    assert abs(largest_statistic(half[order], at) - own.statistic) < 1e-10
    rng, runs = np.random.default_rng(3), 4000
    beyond = np.mean([largest_statistic(rng.permutation(half), at) >= own.statistic for _ in range(runs)])
    # Asymptotic .2208 against the share of 4,000 permutations, standard error .0066 (of 50,000: .2166);
    # Hansen's approximation, for a covariate without equal values, has .36.
    assert abs(beyond - own.p) < 0.025


# -- ties, missing answers, separation -----------------------------------------------------------------------


def sample(seed: int, n: int, ties: bool) -> NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    y = rng.choice([1, 0, -1] if ties else [1, -1], size=(n, 3))
    y[rng.random(y.shape) < 0.1] = MISSING
    return np.asarray(y)


@pytest.mark.parametrize("ties", [False, True])
def test_scores_are_derivatives_of_each_persons_log_likelihood(ties: bool) -> None:
    answers = sample(1, 60, ties)
    data = preferences(answers, [0, 0, 1], [1, 2, 2], "ABC")
    found = fit_node(data, np.arange(60))
    assert found.scores is not None and np.abs(found.scores.sum(axis=0)).max() < 1e-10

    def llf(theta: NDArray[np.float64]) -> NDArray[np.float64]:
        eta = data.design.predictor(theta[:2])
        utility = np.column_stack([eta / 2, np.full(3, theta[2] if ties else -np.inf), -eta / 2])
        logs = utility - np.log(np.exp(utility).sum(axis=1, keepdims=True))
        y = answers
        picked = logs[np.arange(3)[None], np.select([y == 1, y == 0, y == -1], [0, 1, 2], 0)]
        return np.asarray(np.where(y == MISSING, 0.0, picked).sum(axis=1))

    assert abs(llf(found.theta).sum() - found.llf) < 1e-10
    for k, step in enumerate(np.eye(len(found.theta)) * 1e-5):
        slope = (llf(found.theta + step) - llf(found.theta - step)) / 2e-5
        assert close(slope, found.scores[:, k], 1e-9)  # differences: observed 3e-11


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6))
def test_a_monotone_change_of_a_covariate_and_of_the_order_of_persons_give_the_same_tree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 80
    x = rng.integers(0, 12, size=n).astype(float)
    p = np.where(x < 6, 0.75, 0.3)
    y = np.where(rng.random((n, 3)) < p[:, None], 1, -1)
    order = rng.permutation(n)
    first = grow_tree(preferences(y, [0, 0, 1], [1, 2, 2], "ABC"), [Covariate("x", "numeric", x)])
    other = grow_tree(
        preferences(y[order], [0, 0, 1], [1, 2, 2], "ABC"), [Covariate("x", "numeric", np.exp(x[order]))]
    )
    assert abs(llf_of(first) - llf_of(other)) < 1e-9 and parameters_of(first) == parameters_of(other)
    assert [len(leaf.persons) for leaf in leaves(first)] == [len(leaf.persons) for leaf in leaves(other)]
    if first.split is not None and other.split is not None:
        assert abs(np.log(other.split.threshold) - first.split.threshold) < 1e-12


def test_a_node_in_which_an_item_always_wins_is_a_leaf_with_its_limit() -> None:
    y = np.vstack([np.tile([1, 1, 1], (12, 1)), np.tile([1, 1, -1], (8, 1)), np.tile([-1, -1, 1], (20, 1))])
    group = Covariate("group", "ordered", np.repeat([0.0, 1.0], 20), ("first", "second"))
    tree = grow_tree(preferences(y, [0, 0, 1], [1, 2, 2], "ABC"), [group])
    left, right = leaves(tree)
    assert left.model.theta[0] == np.inf and abs(left.model.theta[1] - np.log(1.5)) < 1e-12
    assert abs(left.model.llf - (12 * np.log(0.6) + 8 * np.log(0.4))) < 1e-10 and left.tests == ()
    assert right.model.theta[0] == -np.inf and right.model.llf == 0.0


def test_depth_and_size_are_kept_within_what_is_asked() -> None:
    rng = np.random.default_rng(2)
    x = rng.random(200)
    y = np.where(rng.random((200, 1)) < np.clip(x, 0.05, 0.95)[:, None], 1, -1)
    data = preferences(y, [0], [1], "AB")
    deep = grow_tree(data, [Covariate("x", "numeric", x)], alpha=0.5, minimum=10)
    assert max(len(leaf.persons) for leaf in leaves(deep)) < 200
    assert min(len(leaf.persons) for leaf in leaves(deep)) >= 10
    assert len(leaves(grow_tree(data, [Covariate("x", "numeric", x)], alpha=0.5, most_depth=1))) == 2
    assert grow_tree(data, [Covariate("x", "numeric", x)], most_depth=0).split is None


def test_a_factor_of_too_many_levels_is_named() -> None:
    many = np.repeat(np.arange(14.0), 10)
    y = np.where(many[:, None] % 2 == 0, 1, -1) * np.ones((1, 1), int)
    y[::9] *= -1
    with pytest.raises(
        TooLargeError, match="town: 14 levels in a node give 8,191 splits; the limit is 12 levels"
    ):
        grow_tree(
            preferences(y, [0], [1], "AB"),
            [Covariate("town", "factor", many, tuple(f"t{k}" for k in range(14)))],
        )
