"""R's data frames as CSV files: the same columns come back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from pairproof.bridge import data_frame, read_frame
from pairproof.bridge.values.convert import columns_of, csv_text, factor_of, to_node
from pairproof.bridge.values.nodes import RList, from_node
from pairproof.errors import InputError
from pairproof.migration.translate.python_code import File, frame_call

WORDS = st.text(
    st.characters(blacklist_categories=("Cs",), blacklist_characters="\0\r"), min_size=1, max_size=8
)


def frame(columns: dict[str, object]) -> RList:
    value = from_node(to_node(data_frame(columns)))
    assert isinstance(value, RList)
    return value


def through_a_file(value: RList, folder) -> object:
    call = frame_call(value, "t")
    file = call.arguments[0]
    assert isinstance(file, File)
    path = folder / "t.csv"
    path.write_text(csv_text(file.columns), encoding="utf-8", newline="")
    return from_node(to_node(read_frame(path, **dict(call.keywords))))


def test_factors_integers_doubles_logicals_and_text_come_back(tmp_path):
    value = frame(
        {
            "team": factor_of(["b", "a", "b"], ["b", "z", "a"]),
            "n": [1, 2, 3],
            "x": [1.0, 0.1 + 0.2, -1e-300],
            "home": [True, False, True],
            "id": ["01", "2", "3"],
            "word": ["x, y", 'q"', "é\n"],
        }
    )
    back = through_a_file(value, tmp_path)
    assert isinstance(back, RList) and back.names == value.names
    for name in value.names or ():
        one, two = value.vector(name), back.vector(name)
        assert one.levels == two.levels and one.values.dtype == two.values.dtype
        assert one.values.tolist() == two.values.tolist() and one.na.tolist() == two.na.tolist()


def test_missing_values_come_back_as_missing(tmp_path):
    back = through_a_file(frame({"n": [1, None], "w": ["a", None], "x": [0.5, None]}), tmp_path)
    assert isinstance(back, RList)
    assert [back.vector(k).na.tolist()[1] or np.isnan(back.vector(k).values[1]) for k in ("n", "w", "x")] == [
        True
    ] * 3


def test_an_empty_text_cannot_be_told_from_a_missing_one_and_is_refused():
    with pytest.raises(InputError, match="column w: '' cannot be written"):
        columns_of(frame({"w": ["a", ""]}))


@given(st.lists(WORDS, min_size=1, max_size=6, unique=True), st.data())
def test_any_levels_come_back_in_their_order(tmp_path_factory, levels, data):
    values = data.draw(st.lists(st.sampled_from(levels), min_size=1, max_size=8))
    back = through_a_file(frame({"f": factor_of(values, levels)}), tmp_path_factory.mktemp("frames"))
    assert isinstance(back, RList)
    vector = back.vector("f")
    assert vector.levels == tuple(levels) and [levels[i - 1] for i in vector.values] == values


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=8))
def test_doubles_keep_every_bit(tmp_path_factory, values):
    back = through_a_file(frame({"x": [float(v) for v in values]}), tmp_path_factory.mktemp("frames"))
    assert isinstance(back, RList)
    assert back.vector("x").values.dtype == float and back.vector("x").values.tolist() == values


def test_a_value_that_is_no_level_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("f\na\nb\n", encoding="utf-8")
    with pytest.raises(InputError, match="t.csv, column f: 'b' is not a level of it"):
        read_frame(tmp_path / "t.csv", factors={"f": ["a"]})
    with pytest.raises(InputError, match="t.csv has no column 'g'; found f"):
        read_frame(tmp_path / "t.csv", text=["g"])
