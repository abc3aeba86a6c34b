"""The picture of a tree: what stands in it, for 2, 4 and 9 leaves, long names, and leaves without worths."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import pairproof
from pairproof.data.columns import Factor
from pairproof.errors import InputError, TooLargeError
from pairproof.files import outputs, outputs as made_by
from pairproof.native.answers.trees.tree_models import PreferenceTree
from pairproof.native.answers.trees.tree_picture import size_of
from tests.native.answers.trees.persons_made import answers_of, respondents, two_groups

LONG = [f"A long name of an item, which ends in {k}" for k in range(12)]


@lru_cache(maxsize=1)
def small() -> PreferenceTree:
    answers, columns = two_groups(11, 90)
    return pairproof.fit_tree(respondents(answers, "ABCD", columns))


def nine_leaves() -> PreferenceTree:
    """Three regions by three bands of age, each with a ranking of its own."""
    rng = np.random.default_rng(4)
    region, band = np.repeat(np.arange(3), 60), np.tile(np.repeat(np.arange(3), 20), 3)
    abilities = rng.normal(scale=1.5, size=(9, 12))[3 * region + band]
    columns = {
        "region $ of the person, in words": np.array(["N", "S", "W" * 60])[region],
        "age": 20 * band + 5,
    }
    return pairproof.fit_tree(respondents(answers_of(rng, abilities), LONG, columns), minimum=10)


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for ax in figure.axes for text in ax.texts]


def test_splits_edges_and_leaves_stand_in_the_picture_with_their_numbers() -> None:
    tree = small()
    figure = tree.plot(Figure())
    found = texts(figure)
    assert "1  z\np < 0.001" in found and any(text.startswith("≤ ") for text in found)
    assert [ax.get_title() for ax in figure.axes[1:]] == [
        f"node {leaf.number}\nn = {leaf.n_persons:g}" for leaf in tree.leaves
    ]
    left = figure.axes[1]
    points = left.containers[0].lines[0].get_xdata()
    order = [label.get_text() for label in left.get_yticklabels()][::-1]
    own = tree.leaves[0].fit.worth().set_index("item")["worth"]
    heights = left.containers[0].lines[0].get_ydata()
    drawn = {order[len(order) - 1 - int(y)]: x for x, y in zip(points, heights)}
    assert drawn == {item: own[item] for item in "ABCD"}


def test_nine_leaves_with_long_names_do_not_overlap() -> None:
    tree = nine_leaves()
    assert len(tree.leaves) == 9
    figure = tree.plot(Figure(figsize=size_of(tree)))
    names = [label.get_text() for label in figure.axes[1].get_yticklabels()]
    assert len(set(names)) == 12 and max(map(len, names)) <= 32 and all("…" in name for name in names)
    panels = [ax.get_position() for ax in figure.axes[1:]]
    assert all(a.x1 < b.x0 for a, b in zip(panels, panels[1:]))
    assert all(0 <= p.x0 and p.x1 <= 1 and p.y0 > 0 and p.y1 < 1 for p in panels)
    assert any(r"\$" in text for text in texts(figure))


def test_a_leaf_says_which_items_have_no_worth() -> None:
    rng = np.random.default_rng(1)
    answers = answers_of(rng, np.zeros((60, 3)))
    answers[:25, 0] = answers[:25, 1] = 1
    tree = pairproof.fit_tree(respondents(answers, "ABC", {"g": ["a"] * 25 + ["b"] * 35}), reference="B")
    figure = tree.plot(Figure())
    left = figure.axes[1]
    assert [(text.get_text(), text.get_position()[1]) for text in left.texts] == [("above all", 2)]
    assert sorted(left.containers[0].lines[0].get_ydata()) == [0.0, 1.0]
    answers[:25, 2] = 1
    alone = pairproof.fit_tree(respondents(answers, "ABC", {"g": ["a"] * 25 + ["b"] * 35}), reference="B")
    assert "not estimable: A, C" in texts(alone.plot(Figure()))


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_picture_is_written_again_but_never_over_what_somebody_changed(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"tree.{suffix}"
    small().plot(path)
    first = path.read_bytes()
    assert made_by.is_ours(path)
    small().plot(str(path), level=0.5)
    assert path.read_bytes() != first and made_by.is_ours(path)
    if suffix == "png":
        from matplotlib.image import imread

        assert imread(path).shape[2] == 4
    path.write_bytes(first[:2000] + b"x" + first[2000:])
    with pytest.raises(InputError, match="is not as pairproof wrote it"):
        small().plot(path)
    small().plot(path, force=True)
    outputs.check(path)


def test_what_cannot_be_drawn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a picture ends in .png, .svg, .pdf"):
        small().plot(tmp_path / "tree.gif")
    with pytest.raises(
        InputError, match="where is a int; expected the name of a file, or a matplotlib Figure"
    ):
        small().plot(3)


def test_too_many_items_are_refused() -> None:
    items = [f"i{k}" for k in range(201)]
    table = pairproof.Comparisons.build(items, range(200), range(1, 201), [1] * 200, None, [1] * 200)
    judge = Factor(np.zeros(200, int), ("ann",))
    own = pairproof.Comparisons.build(
        items,
        table.first,
        table.second,
        table.wins,
        None,
        table.losses,
        columns={"judge": judge, "age": np.full(200, 3.0)},
    )
    with pytest.raises(
        TooLargeError, match="1 leaves of 201 items are no picture; at most 40 leaves and 200 items"
    ):
        pairproof.fit_tree(own).plot(Figure())
