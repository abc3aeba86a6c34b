"""`easl degrade`: the file it writes is a whole items file that a campaign can be made from."""

from __future__ import annotations

import csv

import pytest

from pairproof.campaign.hits.degrade import degrade, words_replaced
from pairproof.errors import InputError

TEXTS = [
    "the cat sat on the mat", "a man of few words came in late", "rain falls", "they have sold the old house",
    "=SUM(A1) is a formula of the table", "we met nobody there", "prices rose again this year in the north",
    "go", "he reads the paper every morning", "what a day it was",
]  # fmt: skip


def items(folder, extra=(), header=("id", "sent", "source", "system")):
    path = folder / "items.csv"
    rows = [[f"i{k}", text, f"s{k // 2}", f"y{k % 2}"] for k, text in enumerate(TEXTS)]
    with path.open("w", encoding="utf-8", newline="") as out:
        wide = [[*row, *[""] * (len(header) - len(row))] for row in rows]
        csv.writer(out).writerows([header, *wide, *extra])
    return path


def read(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_item_gets_a_degraded_one_with_its_source_and_system(tmp_path):
    found = degrade(items(tmp_path), tmp_path / "out.csv", seed=3)
    rows = read(tmp_path / "out.csv")
    assert (found.items, found.degraded, len(rows)) == (10, 10, 20)
    assert [row["id"] for row in rows] == [f"i{k}" for k in range(20)]
    by_id = {row["id"]: row for row in rows}
    for row in rows[10:]:
        original = by_id[row["of"]]
        assert (row["role"], original["role"], original["of"]) == ("degraded", "item", "")
        assert (row["source"], row["system"]) == (original["source"], original["system"])
        before, after = original["sent"].lstrip("'").split(), row["sent"].lstrip("'").split()
        assert len(before) == len(after)
        changed = sum(a != b for a, b in zip(before, after))
        assert 1 <= changed <= words_replaced(len(before))
    assert sorted(row["of"] for row in rows[10:]) == sorted(row["id"] for row in rows[:10])


def test_the_words_come_from_an_item_of_another_source(tmp_path):
    degrade(items(tmp_path), tmp_path / "out.csv", seed=5)
    rows = read(tmp_path / "out.csv")
    own = {row["source"]: set() for row in rows}
    for row in rows[:10]:
        own[row["source"]] |= set(row["sent"].lstrip("'").split())
    original = {row["id"]: row for row in rows[:10]}
    for row in rows[10:]:
        kept, got = original[row["of"]]["sent"].lstrip("'").split(), row["sent"].lstrip("'").split()
        new = [b for a, b in zip(kept, got) if a != b]
        others = set().union(*(words for source, words in own.items() if source != row["source"]))
        assert set(new) <= others


def test_the_same_seed_writes_the_same_file_and_a_number_draws_some(tmp_path):
    path = items(tmp_path)
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        degrade(path, tmp_path / f"{name}.csv", seed=seed, number=4)
    a, b, c = ((tmp_path / f"{name}.csv").read_bytes() for name in "abc")
    assert a == b != c and len(read(tmp_path / "a.csv")) == 14


def test_rows_of_other_roles_stay_as_they_are(tmp_path):
    path = items(
        tmp_path,
        [["i10", "known to be good", "s9", "y0", "gold", "0.9"]],
        ("id", "sent", "source", "system", "role", "gold"),
    )
    degrade(path, tmp_path / "out.csv", number=2, seed=1)
    rows = read(tmp_path / "out.csv")
    assert (rows[10]["role"], rows[10]["gold"], rows[0]["role"]) == ("gold", "0.9", "item")
    assert [row["gold"] for row in rows[11:]] == ["", ""] and all(row["of"] != "i10" for row in rows)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"text": "target"}, "no column 'target'; found 'sent', 'source', 'system': --text names"),
        ({"number": 11}, "--number 11: the file has 10 items"),
        ({"out": "out.txt"}, "ends in '.txt'; expected .csv"),
        ({"out": "items.csv"}, "is read by this command"),
        ({"seed": -1}, "seed=-1; expected an integer of 0 or more"),
    ],
)
def test_what_cannot_be_degraded_is_said(tmp_path, options, said):
    path = items(tmp_path)
    before = path.read_bytes()
    options = dict(options)
    with pytest.raises(InputError) as error:
        degrade(path, tmp_path / options.pop("out", "out.csv"), **options)
    assert said in str(error.value)
    assert path.read_bytes() == before and not (tmp_path / "out.csv").exists()


def test_a_file_that_has_degraded_items_is_refused(tmp_path):
    degrade(items(tmp_path), tmp_path / "out.csv", number=2, seed=1)
    with pytest.raises(
        InputError, match="row 11 .line 12., column 'role': the file already has degraded items"
    ):
        degrade(tmp_path / "out.csv", tmp_path / "again.csv")


def test_a_text_that_no_other_words_fit_is_named(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("id,sent\n1,the same\n2,the same\n", encoding="utf-8")
    with pytest.raises(InputError, match="row 1 .line 2., column 'sent': 'the same': no other item"):
        degrade(path, tmp_path / "out.csv")
