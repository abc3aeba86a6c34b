"""Large texts, of which a reader of Arrow takes only who was compared and what came of it, against the reader of all."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

from pairproof import fit_bradley_terry
from pairproof.data.columns import Uncoded, parts_of
from pairproof.data.reading import read, sources

pytest.importorskip("pyarrow")

VOTES = "first,second,outcome,judge,length\nA,B,first,x,1\nB,C,tie,y,2.5\nC,A,second,x,\nA,C,first,z,4\n"
#: Cells that readers of text are tempted to take for something else.
ODD = [
    "",
    " ",
    "NA",
    "nan",
    " A",
    "A ",
    "a",
    "1,5",
    "1.0",
    "1e3",
    "\u2028",
    "\x0b",
    "\x1c",
    "\u00a0",
    "'",
    "#",
    "\\n",
]
SCHEMES = {
    "long": (["first", "second", "outcome"], ["first", "second", "tie"]),
    "votes": (["model_a", "model_b", "winner"], ["model_a", "model_b", "tie", "tie (bothbad)"]),
    "counts": (["first", "second", "wins", "losses"], ["0", "1", "2.5"]),
}


def answer(path, monkeypatch, from_characters, **options):
    """The table in words and numbers, or the error; and the warnings."""
    monkeypatch.setattr(sources, "_LARGE_TEXT", from_characters)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            table = read(path, **options)
            frame = table.to_frame()
            found = (table.digest(), str(table), frame.to_csv(), list(map(str, frame.dtypes)))
        except Exception as error:
            found = (type(error), str(error))
    return found, [str(one.message) for one in said]


def made(rng: random.Random) -> tuple[bytes, dict[str, object]]:
    """A file, seldom a good one, and how it is read."""
    need, answers = SCHEMES[rng.choice(list(SCHEMES))]
    columns = [
        *need,
        *rng.sample(["judge", "weight", "order", "x", "lang", "ties", "person"], rng.randint(0, 4)),
    ]
    rng.shuffle(columns)
    share = rng.choice([0.0, 0.0, 0.02, 0.1])

    def cell(column):
        if rng.random() < share:
            return rng.choice(ODD)
        if column in need[:2]:
            return rng.choice(["A", "é"] if column == need[0] else ["item 4", "007"])
        return rng.choice(answers if column in need else ["0", "1"])

    delimiter, end = rng.choice(",;\t"), rng.choice(["\n", "\r\n", "\r"])
    rows = [[cell(column) for column in columns] for _ in range(rng.randint(1, 8))]
    if rng.random() < 0.05:
        rng.choice(rows).append("one more")
    lines = list(map(delimiter.join, [columns, *rows]))
    if rng.random() < 0.1:
        lines.insert(rng.randint(0, len(lines)), rng.choice(["", " ", "\t"]))
    options: dict[str, object] = {}
    if rng.random() < 0.2:
        options["where"] = rng.choice([f"{need[2]}!=tie", "x=1", "judge!=0"])
    if rng.random() < 0.2:
        role = rng.choice(need)
        options["columns"], lines[0] = {role: "left"}, delimiter.join(
            "left" if c == role else c for c in columns
        )
    text, encoding = end.join(lines) + rng.choice([end, end, "", " "]), rng.choice(
        ["utf-8", "utf-8-sig", "cp500"]
    )
    if encoding == "cp500":
        text, options["encoding"] = text.encode("latin-1", "replace").decode("latin-1"), encoding
    return text.encode(encoding), options


@pytest.mark.parametrize("seed", range(4))
def test_a_table_and_every_error_are_those_of_the_reader_of_all_columns(seed, tmp_path, monkeypatch):
    rng, of_lines, differ = random.Random(seed), sources._of_lines, []
    taken: list[bool] = []
    monkeypatch.setattr(
        sources, "_of_lines", lambda *a: [found := of_lines(*a), taken.append(found is not None)][0]
    )
    for _ in range(150):
        raw, options = made(rng)
        path = tmp_path / "votes.csv"
        path.write_bytes(raw)
        both = [answer(path, monkeypatch, size, **options) for size in (1 << 40, 0)]
        differ += [(raw, options, *both)] * (both[0] != both[1])
    assert not differ, differ[:1]
    assert sum(taken) > 100, sum(taken)  # seen 120 to 133


def votes(tmp_path: Path, monkeypatch, text: str = VOTES) -> Path:
    monkeypatch.setattr(sources, "_LARGE_TEXT", 0)
    path = tmp_path / "votes.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_that_no_model_uses_are_not_read(tmp_path, monkeypatch):
    path, parsed, asked = votes(tmp_path, monkeypatch), sources._parsed, []
    monkeypatch.setattr(sources, "_parsed", lambda *a: [asked.append(a), parsed(*a)][1])
    table = read(path)
    fit_bradley_terry(table, ties="davidson").bse
    assert not asked and all(isinstance(column, Uncoded) for column in parts_of(table.columns).values())
    assert table.columns["judge"].levels == ("x", "y", "z") and len(table.columns["length"]) == 4
    assert len(asked) == 1  # all that is left at once


def test_without_pyarrow_all_columns_are_read(tmp_path, monkeypatch):
    path = votes(tmp_path, monkeypatch)
    quick = read(path)
    monkeypatch.setattr(sources, "coded_text", lambda *a: None)
    assert read(path).digest() == quick.digest()


@pytest.mark.parametrize(
    "text", ['"first",second,outcome\nA,B,first\n', "\nfirst,second,outcome\nA,B,first\n"]
)
def test_quotes_and_blank_lines_are_left_to_the_reader_of_all_columns(text, tmp_path, monkeypatch):
    path = votes(tmp_path, monkeypatch, text)
    monkeypatch.setattr(sources, "coded_text", lambda *a: pytest.fail("asked"))
    assert read(path).n_comparisons == 1
