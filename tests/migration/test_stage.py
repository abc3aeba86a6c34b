"""Tables of a migration are files of safe names, one for equal tables, and hold what they were given."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from pairproof.errors import InputError
from pairproof.migration.delivery import Stage
from pairproof.migration.translate.python_code import File, Unique, plain


def test_equal_tables_are_one_file_and_different_ones_of_one_name_are_two(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    first = stage.place(File({"a": [1, 2]}, "m"))
    assert stage.place(File({"a": [1, 2]}, "other")) == first
    assert stage.place(File({"a": [1.0, 2.0]}, "M")) != first  # doubles are not integers
    assert sorted(p.name for p in (tmp_path / "data").iterdir()) == ["M_2.csv", "m.csv"]
    assert first.read_text() == "a\n1\n2\n"


@given(st.lists(st.text(max_size=80), min_size=1, max_size=8))
def test_a_file_name_is_plain_whatever_the_word(words: list[str]) -> None:
    names = Unique()
    given_names = [names.name(plain(w)) for w in words]
    assert len({n.casefold() for n in given_names}) == len(words)
    for name in given_names:
        assert name.isascii() and name.replace("_", "").replace("-", "").isalnum() and len(name) < 80


@pytest.mark.parametrize(
    "word", ["../../etc/passwd", "/", "..", "nul", "a\nb", "\u202egnp", "'; import os", ""]
)
def test_a_hostile_stem_stays_in_the_folder_of_the_data(tmp_path: Path, word: str) -> None:
    path = Stage(tmp_path).place(File({"a": ["x"]}, word))
    assert path.parent == tmp_path / "data" and path.is_file()
    assert path.stem.casefold() != "nul"


def test_text_of_items_comes_back_from_the_file(tmp_path: Path) -> None:
    items = ['a"b', "c, d", "e\nf", "\u202etea", "os.system('x')", '"""', "=1+1"]
    path = Stage(tmp_path).place(File({"item": items}, "m"))
    with path.open(encoding="utf-8", newline="") as file:
        assert [row[0] for row in csv.reader(file)] == ["item", *items]


def test_text_that_no_utf8_file_holds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="UTF-8"):
        Stage(tmp_path).place(File({"item": ["\udce9t\udce9"]}, "m"))
    assert not (tmp_path / "data").exists() or not list((tmp_path / "data").iterdir())
