"""Components of a graph against those of scipy, for graphs of every density."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from pairproof.data import graph


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 40), st.floats(0.0, 3.0))
def test_components_of_small_graphs_are_those_that_scipy_finds(seed, n, degree):
    rng = np.random.default_rng(seed)
    tail, head = rng.integers(0, n, (2, int(degree * n)))
    found = [graph.components(tail, head, n), graph.strong_components(tail, head, n)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph, "_FEW_NODES", 0)
        expected = [graph.components(tail, head, n), graph.strong_components(tail, head, n)]
    assert np.array_equal(found, expected)
    along = np.zeros((n, n), bool)
    along[tail, head] = True
    assert graph.all_reached(along) == (not expected[1].any())


def test_a_long_chain_is_one_component_and_its_nodes_are_strong_components_of_their_own():
    tail = np.arange(255)
    assert not graph.components(tail, tail + 1, 256).any()
    assert np.array_equal(graph.strong_components(tail, tail + 1, 256), np.arange(256))
    assert not graph.strong_components(np.append(tail, 255), np.append(tail + 1, 0), 256).any()
