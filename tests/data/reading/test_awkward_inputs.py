"""Awkward tables: each is read right, or refused with the item, row or column named; and never changed.

Each case holds a table (text of a file, or a frame), the call, and what must come out: the error's class and
words of its message.  What prefmod and BradleyTerry2 do on the like is noted where it is a silent wrong
number.
"""

from __future__ import annotations

import copy
import io
import math
import sys

import numpy as np
import pandas as pd
import pytest

from pairproof.data.columns import Factor
from pairproof.data.reading import (
    from_counts,
    from_long,
    from_matrix,
    from_rankings,
    from_votes,
    from_wide,
    read,
)
from pairproof.errors import CodingError, InputError, ItemError, PairOrderError

LONG = "first,second,outcome\nA,B,first\nB,C,second\nA,C,tie\n"
COUNTS = "first,second,wins,ties,losses\nA,B,7,1,2\nB,C,3,0,4\n"
WIDE = "V1,V2,V3\n1,0,-1\n-1,1,0\n"
CODES = {"first": 1, "tie": 0, "second": -1}
WIDE_CALL = {"layout": "prefmod", "items": ["A", "B", "C"], "pair_order": "prefmod", "coding": CODES}
MATRIX = ",A,B,C\nA,0,7,3\nB,2,0,3\nC,1,4,0\n"


def edited(text, *changes):
    """The text with each (old, new) applied; an edit that does not apply is a mistake in the test."""
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def with_column(text, name, *cells):
    lines = text.splitlines()
    assert len(cells) == len(lines) - 1
    return "\n".join(f"{line},{cell}" for line, cell in zip(lines, [name, *cells])) + "\n"


# Every case: name, text of the file, arguments of read, error, parts of the message.
REFUSED_FILES = [
    # outcomes
    (
        "an outcome in other case",
        edited(LONG, ("B,C,second", "B,C,Second")),
        {},
        CodingError,
        ["row 2 (line 3), column 'outcome': the answer is 'Second'", "did you mean 'second'"],
    ),
    (
        "an outcome with blanks",
        edited(LONG, ("A,B,first", "A,B, First ")),
        {},
        CodingError,
        ["row 1 (line 2)", "' First '", "did you mean 'first'"],
    ),
    (
        "a blank outcome",
        edited(LONG, ("A,C,tie", "A,C,")),
        {},
        CodingError,
        ["row 3 (line 4), column 'outcome': the answer is blank"],
    ),
    (
        "an outcome nobody knows, twice",
        LONG + "A,B,win\nA,B,win\n",
        {},
        CodingError,
        ["row 4", "'win' (2 such rows)", "'first'", "'tie'", "'second'"],
    ),
    (
        "unknown outcomes of several kinds",
        LONG + "A,B,win\nA,B,win\nA,B,\nA,C,won\n",
        {},
        CodingError,
        [
            "row 4",
            "the answer is 'win' (4 rows have an unknown answer or none: 'win' 2, blank 1, 'won' 1); expected",
        ],
    ),
    (
        "codes without a coding",
        "first,second,outcome\nA,B,1\n",
        {},
        CodingError,
        ["the answer is '1'", "coding="],
    ),
    (
        "a coding that does not fit",
        "first,second,outcome\nA,B,1\nA,B,3\n",
        {"coding": CODES},
        CodingError,
        ["row 2 (line 3)", "the answer is '3'"],
    ),
    (
        "a coding with 'missing' in a long table",
        LONG,
        {"coding": "first=first,second=second,missing=NA"},
        CodingError,
        ["'missing'", "prefmod"],
    ),
    (
        "a winner by the model's name",
        "model_a,model_b,winner\nx,y,Model_A\n",
        {},
        CodingError,
        ["column 'winner'", "'Model_A'", "did you mean 'model_a'", "'tie (bothbad)'"],
    ),
    (
        "a tie where none could be answered",
        LONG,
        {"tie_category": False},
        InputError,
        ["row 3 (line 4), column 'outcome'", "tie_category=False", "'drop'"],
    ),
    # items
    (
        "an item against itself",
        edited(LONG, ("B,C,second", "B,B,second")),
        {},
        ItemError,
        ["row 2 (line 3)", "'B' is compared with itself"],
    ),
    (
        "a row without an item",
        edited(LONG, ("B,C,second", "B,,second")),
        {},
        ItemError,
        ["row 2 (line 3), column 'second': no item name"],
    ),
    (
        "an item of blanks",
        edited(LONG, ("B,C,second", "B,  ,second")),
        {},
        ItemError,
        ["column 'second': no item name"],
    ),
    (
        "an item called NA",
        edited(LONG, ("B,C,second", "NA,C,second")),
        {},
        ItemError,
        ["row 2 (line 3), column 'first'", "'NA'", "usually means a missing value", "items="],
    ),
    (
        "two items that differ in case",
        edited(LONG, ("A,C,tie", "a,C,tie")),
        {},
        ItemError,
        ["'A', 'a' differ only in blanks, case", "rename={'a': 'A'}"],
    ),
    ("two items that differ in blanks", edited(LONG, ("A,C,tie", "A ,C,tie")), {}, ItemError, ["'A', 'A '"]),
    (
        "two items that differ in Unicode form",
        "first,second,outcome\ncaf\u00e9,B,first\ncafe\u0301,B,first\n",
        {},
        ItemError,
        ["'cafe\\u0301', 'caf\\xe9' differ only in blanks, case or Unicode form"],
    ),
    (
        "blanks around an item",
        edited(LONG, ("B,C,second", "B, C,second"), ("A,C,tie", "A, C,tie")),
        {},
        ItemError,
        ["1 item name(s) have leading or trailing blanks: ' C'", "rename={' C': 'C'}"],
    ),
    ("an item called tie", edited(LONG, ("B,C,second", "tie,C,second")), {}, ItemError, ["'tie'", "rename"]),
    (
        "an item with a colon",
        edited(LONG, ("B,C,second", "B:2,C,second")),
        {},
        ItemError,
        ["'B:2'", "rename"],
    ),
    (
        "an item with a bracket",
        edited(LONG, ("B,C,second", "B[2],C,second")),
        {},
        ItemError,
        ["'B[2]'", "--rename"],
    ),
    (
        "one item only in the stated items",
        LONG,
        {"items": ["A", "B"]},
        ItemError,
        ["found 'C', not among the items given, 'A', 'B'"],
    ),
    (
        "a misspelt stated item",
        edited(LONG, ("B,C,second", "B,Chat,second"), ("A,C,tie", "A,Chat,tie")),
        {"items": ["A", "B", "Chatt"]},
        ItemError,
        ["found 'Chat'", "did you mean 'Chatt'"],
    ),
    ("items stated twice", LONG, {"items": ["A", "B", "C", "A"]}, ItemError, ["'A' given more than once"]),
    ("items as one string", LONG, {"items": "ABC"}, InputError, ["one string", "list"]),
    ("a rename of nobody", LONG, {"rename": {"D": "d"}}, ItemError, ["rename has 'D'", "found 'A'"]),
    (
        "renames that make an item meet itself",
        LONG,
        {"rename": {"B": "A"}},
        ItemError,
        ["row 1", "compared with itself"],
    ),
    # counts and weights
    (
        "a negative count",
        edited(COUNTS, ("7,1,2", "7,1,-2")),
        {},
        InputError,
        ["row 1 (line 2), column 'losses': losses is '-2'", ">= 0"],
    ),
    (
        "a blank count",
        edited(COUNTS, ("3,0,4", "3,,4")),
        {},
        InputError,
        ["row 2 (line 3), column 'ties': ties is blank"],
    ),
    (
        "a count that is NA",
        edited(COUNTS, ("3,0,4", "NA,0,4")),
        {},
        InputError,
        ["column 'wins': wins is 'NA'"],
    ),
    (
        "an infinite count",
        edited(COUNTS, ("3,0,4", "inf,0,4")),
        {},
        InputError,
        ["column 'wins': wins is 'inf'"],
    ),
    ("a count of 1e999", edited(COUNTS, ("3,0,4", "1e999,0,4")), {}, InputError, ["wins is '1e999'"]),
    ("a count in words", edited(COUNTS, ("3,0,4", "three,0,4")), {}, InputError, ["wins is 'three'"]),
    (
        "a decimal comma in counts",
        "first;second;wins;losses\nA;B;7,5;2\n",
        {},
        InputError,
        ["row 1 (line 2), column 'wins': wins is '7,5'", "write decimals with a point"],
    ),
    ("no comparison at all", "first,second,wins,losses\nA,B,0,0\n", {}, InputError, ["all counts are 0"]),
    (
        "ties counted where none could be answered",
        COUNTS,
        {"tie_category": False},
        InputError,
        ["row 1 (line 2), column 'ties'"],
    ),
    (
        "a blank weight",
        with_column(LONG, "weight", 1, "", 2),
        {},
        InputError,
        ["row 2 (line 3), column 'weight': weight is blank"],
    ),
    ("a negative weight", with_column(LONG, "weight", 1, 2, -1), {}, InputError, ["row 3", "weight is '-1'"]),
    # columns
    (
        "no layout fits",
        "left,right,answer\nA,B,left\n",
        {},
        InputError,
        ["'left', 'right', 'answer'", "first, second, outcome", "model_a", "system1", "wins", "columns={"],
    ),
    (
        "columns in other case",
        "First,Second,Outcome\nA,B,first\n",
        {},
        InputError,
        ["; 'First' is not exactly 'first', 'Second' is not exactly 'second', 'Outcome'"],
    ),
    (
        "columns of two layouts",
        "first,second,outcome,wins,losses\nA,B,first,1,0\n",
        {},
        InputError,
        ["layout='long'", "layout='counts'", "Remove 'wins', 'losses' first"],
    ),
    (
        "a stated layout that does not fit",
        LONG,
        {"layout": "votes"},
        InputError,
        ["layout 'votes', but found the columns 'first'"],
    ),
    ("a layout that is none", LONG, {"layout": "wide"}, InputError, ["layout='wide'", "'prefmod'"]),
    (
        "an option of another layout",
        LONG,
        {"winner": "rows"},
        InputError,
        ["winner='rows' is for layout 'matrix'", "'long'"],
    ),
    (
        "a role that is none",
        LONG,
        {"columns": {"jugde": "outcome"}},
        InputError,
        ["'jugde' is unknown", "did you mean 'judge'"],
    ),
    (
        "a role for a column that is not there",
        with_column(LONG, "rater", 1, 2, 3),
        {"columns": {"judge": "ratr"}},
        InputError,
        ["no column 'ratr'", "did you mean 'rater'"],
    ),
    (
        "a role that is taken",
        with_column(with_column(LONG, "rater", 1, 2, 3), "judge", 1, 2, 3),
        {"columns": {"judge": "rater"}},
        InputError,
        ["there is a column 'judge' as well"],
    ),
    (
        "two columns of one name",
        with_column(with_column(LONG, "age", 1, 2, 3), "age", 1, 2, 3),
        {},
        InputError,
        ["more than one column is named 'age'"],
    ),
    (
        "a column without a name",
        "," + LONG.replace("\n", "\n0,").rstrip("0,"),
        {},
        InputError,
        ["column 1 has no name", "index=False"],
    ),
    (
        "an order that is neither 0 nor 1",
        with_column(LONG, "order", 1, -1, 0),
        {},
        InputError,
        ["row 2 (line 3), column 'order': order is '-1'", "neutral ground"],
    ),
    (
        "a blank order",
        with_column(LONG, "order", 1, "", 0),
        {},
        InputError,
        ["column 'order': order is blank"],
    ),
    (
        "a covariate with decimal commas",
        edited(
            LONG.replace(",", ";"),
            ("outcome", "outcome;x"),
            ("first\nB", "first;1,5\nB"),
            ("B;C;second", "B;C;second;2"),
            ("A;C;tie", "A;C;tie;"),
        ),
        {},
        InputError,
        ["row 1 (line 2), column 'x': '1,5' has a comma", "levels={'x': [...]}"],
    ),
    (
        "a judge with blanks around the name",
        with_column(LONG, "judge", "ann", "ann ", "bob"),
        {},
        InputError,
        ["row 2 (line 3), column 'judge': 'ann '", "leading or trailing blanks"],
    ),
    (
        "levels that miss one",
        with_column(LONG, "sex", "f", "m", "x"),
        {"levels": {"sex": ["m", "f"]}},
        InputError,
        ["column 'sex' contains 'x'", "'m', 'f'"],
    ),
    (
        "levels of a column that is not there",
        with_column(LONG, "sex", "f", "m", "f"),
        {"levels": {"sexe": ["m", "f"]}},
        InputError,
        ["'sexe'", "did you mean 'sex'"],
    ),
    # files
    ("an empty file", "", {}, InputError, ["the file is empty"]),
    ("a file of blank lines", "\n  \n\n", {}, InputError, ["the file is empty"]),
    ("a header and nothing else", "first,second,outcome\n", {}, InputError, ["no rows below the header"]),
    (
        "a line that is too short",
        LONG + "A,B\n",
        {},
        InputError,
        ["line 5: 2 field(s), but the header has 3"],
    ),
    (
        "a line that is too long",
        LONG + "A,B,first,9\n",
        {},
        InputError,
        ["line 5: 4 field(s), but the header has 3"],
    ),
    (
        "a short line after a quoted line end",
        'first,second,outcome\n"A\nx",B,first\nA,B\n',
        {},
        InputError,
        ["line 4: 2 field(s)"],
    ),
    (
        "a quote that is not closed",
        'first,second,outcome\nA,B,"first\nA,B,first\n',
        {},
        InputError,
        ["quote"],
    ),
    (
        "a header that splits two ways",
        "first;a,second\n1,2\n",
        {},
        InputError,
        ["both at commas and at semicolons"],
    ),
    # rankings
    (
        "a rank in words",
        "system1,rank1,system2,rank2\nA,first,B,2\n",
        {},
        InputError,
        ["row 1 (line 2), column 'rank1': the rank is 'first'"],
    ),
    (
        "a rank of -2",
        "system1,rank1,system2,rank2\nA,-2,B,2\n",
        {},
        InputError,
        ["the rank is '-2'", "-1 or blank"],
    ),
    (
        "a system twice in one ranking",
        "system1,rank1,system2,rank2,system3,rank3\nA,1,B,2,C,3\nA,1,B,2,A,3\n",
        {},
        ItemError,
        ["row 2 (line 3), column 'system3': 'A' stands in system1 as well"],
    ),
    (
        "nobody ranked",
        "system1,rank1,system2,rank2\nA,-1,B,-1\nA,1,B,\n",
        {},
        InputError,
        ["no row ranks two or more systems"],
    ),
    (
        "a rank without a system",
        "system1,rank1,system2,rank2\nA,1,,2\n",
        {},
        ItemError,
        ["column 'system2': no system, but rank2 is '2'"],
    ),
    (
        "a gap in the columns",
        "system1,rank1,system2,rank2,system4,rank4\nA,1,B,2,C,3\n",
        {},
        InputError,
        ["system3, rank3"],
    ),
    (
        "a system column without its rank",
        "system1,rank1,system2,rank2,system3\nA,1,B,2,C\n",
        {},
        InputError,
        ["rank3"],
    ),
    # wide
    (
        "a wide table without an order",
        WIDE,
        {**WIDE_CALL, "pair_order": None},
        InputError,
        ["pair_order='prefmod'", "One row per person, one column per pair: A:B A:C B:C."],
    ),
    (
        "a wide table without a coding",
        WIDE,
        {**WIDE_CALL, "coding": None},
        InputError,
        ["coding={'first': '1', 'tie': '0', 'second': '-1'}"],
    ),
    (
        "a wide table without items",
        WIDE,
        {**WIDE_CALL, "items": None},
        InputError,
        ["items=['A', 'B', 'C']", "The table does not name the items"],
    ),
    (
        "too few pair columns",
        "V1,V2\n1,0\n",
        WIDE_CALL,
        PairOrderError,
        ["2 columns, but 3 items (A, B, C) have 3 pairs"],
    ),
    (
        "too few stated pair columns",
        WIDE,
        {**WIDE_CALL, "pairs": ["V1", "V2"]},
        PairOrderError,
        ["2 pair columns", "3 pairs"],
    ),
    (
        "a stated pair column that is not there",
        WIDE,
        {**WIDE_CALL, "pairs": ["V1", "V2", "W3"]},
        InputError,
        ["'W3'"],
    ),
    # prefmod's llbtPC.fit(nitems = 3) on such a table silently takes the other three columns as covariates
    (
        "columns of more items than stated",
        "a,b,c,d,e,f\n1,0,1,1,0,-1\n",
        WIDE_CALL,
        PairOrderError,
        [
            "6 columns contain only the given codes",
            "the pairs of 4 items, but 3 items were given",
            "pairs=[...]",
        ],
    ),
    (
        "columns of more items than stated, before covariates",
        "a,b,c,d,e,f,sex,age\n1,0,1,1,0,-1,f,1\n",
        WIDE_CALL,
        PairOrderError,
        [
            "6 columns contain only the given codes",
            "the pairs of 4 items, but 3 items were given",
            "after 'c'",
        ],
    ),
    (
        "an order that is none",
        WIDE,
        {**WIDE_CALL, "pair_order": "lexi"},
        PairOrderError,
        ["'lexi'", "prefmod"],
    ),
    ("a pair stated twice", WIDE, {**WIDE_CALL, "pair_order": "AB,AC,BA"}, PairOrderError, ["'BA' twice"]),
    (
        "a pair that can be read in two ways",
        "V1\n1\n",
        {"layout": "prefmod", "items": ["A", "AA", "AAA"], "pair_order": "AAAA", "coding": CODES},
        PairOrderError,
        ["more than one way"],
    ),
    (
        "a response outside the coding",
        edited(WIDE, ("-1,1,0", "-1,2,0")),
        WIDE_CALL,
        CodingError,
        ["row 2 (line 3), column 'V2': the answer is '2'", "'0' (tie)"],
    ),
    (
        "0/1/2 answers under a -1/0/1 coding",
        "V1,V2,V3\n0,1,2\n2,2,1\n",
        WIDE_CALL,
        CodingError,
        ["the answer is '2'"],
    ),
    (
        "a blank response without a code for missing",
        edited(WIDE, ("-1,1,0", "-1,,0")),
        WIDE_CALL,
        CodingError,
        ["column 'V2': the answer is blank", "missing=NA"],
    ),
    ("responses in words", "V1,V2,V3\nyes,no,yes\n", WIDE_CALL, CodingError, ["'yes'"]),
    (
        "all responses missing",
        "V1,V2,V3\nNA,NA,NA\n",
        {**WIDE_CALL, "coding": {**CODES, "missing": "NA"}},
        InputError,
        ["every response is missing"],
    ),
    (
        "a coding with one code for two answers",
        WIDE,
        {**WIDE_CALL, "coding": "first=1,tie=0,second=0"},
        CodingError,
        ["the code 0 to 'tie' and to 'second'"],
    ),
    (
        "a coding without second",
        WIDE,
        {**WIDE_CALL, "coding": {"first": 1}},
        CodingError,
        ["no code for second"],
    ),
    (
        "a coding with an unknown answer",
        WIDE,
        {**WIDE_CALL, "coding": {**CODES, "ties": 0}},
        CodingError,
        ["'ties'", "did you mean 'tie'"],
    ),
    (
        "a coding that is no coding",
        WIDE,
        {**WIDE_CALL, "coding": "1,0,-1"},
        CodingError,
        ["'1' is not ANSWER=CODE"],
    ),
    # matrices
    (
        "a matrix without a winner",
        MATRIX,
        {"layout": "matrix"},
        InputError,
        ["winner='rows'", "winner='columns'"],
    ),
    (
        "a matrix that is not square",
        MATRIX.replace("C,1,4,0\n", ""),
        {"layout": "matrix", "winner": "rows"},
        InputError,
        ["2 rows and 3 columns"],
    ),
    (
        "a matrix with other labels in rows",
        edited(MATRIX, ("C,1,4,0", "D,1,4,0")),
        {"layout": "matrix", "winner": "rows"},
        ItemError,
        ["'D' only in the rows", "'C' only in the columns"],
    ),
    (
        "a matrix with a label twice",
        edited(MATRIX, ("C,1,4,0", "B,1,4,0")),
        {"layout": "matrix", "winner": "rows"},
        ItemError,
        ["more than one row is labelled 'B'"],
    ),
    (
        "a matrix without row labels",
        "A,B\n0,7\n2,0\n",
        {"layout": "matrix", "winner": "rows"},
        InputError,
        ["2 rows and 1 columns besides the row labels"],
    ),
    (
        "a diagonal that is not zero",
        edited(MATRIX, ("B,2,0,3", "B,2,5,3")),
        {"layout": "matrix", "winner": "rows"},
        InputError,
        ["row 2 (line 3), column 'B': 'B' against itself is '5'"],
    ),
    (
        "a blank cell off the diagonal",
        edited(MATRIX, ("B,2,0,3", "B,2,0,")),
        {"layout": "matrix", "winner": "rows"},
        InputError,
        ["column 'C': the cell of row 'B' is blank", "write 0"],
    ),
    (
        "a negative cell",
        edited(MATRIX, ("B,2,0,3", "B,-2,0,3")),
        {"layout": "matrix", "winner": "rows"},
        InputError,
        ["column 'A': the cell of row 'B' is '-2'"],
    ),
]


@pytest.mark.parametrize(
    "name, text, arguments, error, said", REFUSED_FILES, ids=[case[0] for case in REFUSED_FILES]
)
def test_the_file_is_refused_and_the_place_is_named(tmp_path, name, text, arguments, error, said):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(error) as caught:
        read(path, **arguments).to_frame()  # a covariate is refused when it is first used
    for part in said:
        assert part in str(caught.value)
    assert path.read_bytes() == text.encode()


# Frames: name, columns, arguments, error, parts of the message.
REFUSED_FRAMES = [
    (
        "an item that is NaN",
        {"first": ["A", None], "second": ["B", "C"], "outcome": ["first", "tie"]},
        {},
        ItemError,
        ["row 2, column 'first': no item name"],
    ),
    (
        "an outcome that is NaN",
        {"first": ["A", "A"], "second": ["B", "C"], "outcome": ["first", np.nan]},
        {},
        CodingError,
        ["row 2, column 'outcome': the answer is blank"],
    ),
    (
        "a NaN count",
        {"first": ["A"], "second": ["B"], "wins": [np.nan], "losses": [1]},
        {},
        InputError,
        ["column 'wins': wins is blank"],
    ),
    (
        "an infinite weight",
        {"first": ["A"], "second": ["B"], "outcome": ["first"], "weight": [math.inf]},
        {},
        InputError,
        ["row 1, column 'weight': weight is inf"],
    ),
    (
        "an infinite covariate",
        {"first": ["A"], "second": ["B"], "outcome": ["first"], "age": [math.inf]},
        {},
        InputError,
        ["column 'age' is inf"],
    ),
    (
        "columns of different lengths",
        {"first": ["A", "B"], "second": ["B"], "outcome": ["first"]},
        {},
        InputError,
        ["different lengths", "'first': 2"],
    ),
    (
        "a column that is one word",
        {"first": "A", "second": ["B"], "outcome": ["first"]},
        {},
        InputError,
        ["column 'first' is 'A'"],
    ),
    ("no rows", {"first": [], "second": [], "outcome": []}, {}, InputError, ["no rows"]),
    (
        "cells that are lists",
        {"first": [["A"], ["B"]], "second": ["B", "A"], "outcome": ["first", "tie"]},
        {},
        InputError,
        ["column 'first' contains lists, not text or numbers"],
    ),
    (
        "cells that are bytes",
        {"first": [b"A"], "second": [b"B"], "outcome": ["first"]},
        {},
        InputError,
        ["column 'first' contains the bytes b'A'"],
    ),
    (
        "an encoding for a frame",
        {"first": ["A"], "second": ["B"], "outcome": ["first"]},
        {"encoding": "utf-8"},
        InputError,
        ["encoding='utf-8' is for files"],
    ),
    (
        "a covariate called wins in a long table",
        {"first": ["A"], "second": ["B"], "outcome": ["first"], "wins": [1.0]},
        {},
        InputError,
        ["'wins' cannot be a covariate"],
    ),
]


@pytest.mark.parametrize(
    "name, columns, arguments, error, said", REFUSED_FRAMES, ids=[case[0] for case in REFUSED_FRAMES]
)
def test_the_frame_is_refused_and_not_changed(name, columns, arguments, error, said):
    before = copy.deepcopy(columns)
    with pytest.raises(error) as caught:
        read(columns, **arguments).to_frame()
    for part in said:
        assert part in str(caught.value)
    assert str(columns) == str(before)


def test_what_is_no_table_is_refused():
    with pytest.raises(InputError, match="cannot read a table from int"):
        read(3)
    with pytest.raises(InputError, match="an array has no column names"):
        read(np.eye(2))
    with pytest.raises(InputError, match="nowhere.csv: no such file"):
        read("nowhere.csv")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(InputError, match="is a directory"):
        read(tmp_path)


def test_columns_of_several_levels_are_refused():
    frame = pd.DataFrame(
        [["A", "B", "first"]], columns=pd.MultiIndex.from_product([["x"], ["first", "second", "outcome"]])
    )
    with pytest.raises(InputError, match="several levels"):
        read(frame)


# -- read right ----------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    def save(text, name="table.csv", encoding="utf-8", mark=b""):
        path = tmp_path / name
        path.write_bytes(mark + text.encode(encoding))
        return path

    return save


PLAIN = "first,second,outcome\nZo\u00eb,Bj\u00f6rk,first\nBj\u00f6rk,Zo\u00eb,tie\n"


@pytest.mark.parametrize(
    "encoding, mark, said",
    [
        ("utf-8", b"", None),
        ("utf-8", b"\xef\xbb\xbf", None),
        ("utf-16-le", b"\xff\xfe", None),
        ("utf-16-be", b"\xfe\xff", None),
        ("utf-32-le", b"\xff\xfe\0\0", None),
        ("latin-1", b"", "latin-1"),
        ("cp1252", b"", "cp1252"),
        ("utf-16", b"", "utf-16"),
    ],
)
def test_encodings_are_read(saved, encoding, mark, said):
    table = read(saved(PLAIN, encoding=encoding, mark=mark), encoding=said)
    assert table.pooled() == {("Bj\u00f6rk", "Zo\u00eb"): (0, 1, 1)}


def test_bytes_that_are_not_utf8_are_named_with_their_place(saved):
    with pytest.raises(InputError) as caught:
        read(saved(PLAIN, encoding="latin-1"))
    assert "line 2: byte 0xeb (number 24 of the file) is not utf-8" in str(caught.value)
    assert "encoding='latin-1'" in str(caught.value)


def test_utf16_without_its_mark_is_recognised_as_such(saved):
    with pytest.raises(InputError, match="utf-16"):
        read(saved("first,second,outcome\nA,B,first\n", encoding="utf-16-le"))


def test_an_unknown_encoding_is_named(saved):
    with pytest.raises(InputError, match="encoding 'latin-9000' is unknown"):
        read(saved(LONG), encoding="latin-9000")


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_delimiters_line_ends_and_blank_lines_change_nothing(saved, delimiter, ends):
    text = LONG.replace("\n", "\n\n", 2).replace(",", delimiter).replace("\n", ends)
    assert read(saved(text)).digest() == read(saved(LONG, "plain.csv")).digest()


def test_line_numbers_count_blank_lines_and_quoted_line_ends(saved):
    text = 'first,second,outcome,note\n\n"A",B,first,"two\nlines"\n\nA,B,win,x\n'
    with pytest.raises(CodingError, match=r"row 2 \(line 6\), column 'outcome'"):
        read(saved(text))


def test_a_tsv_may_hold_commas_and_quotes(saved):
    table = read(saved('first\tsecond\toutcome\nSmith, J.\tB\tfirst\nB\t5" disk\ttie\n', "table.tsv"))
    assert table.items == ('5" disk', "B", "Smith, J.")


def test_fields_longer_than_the_csv_modules_limit_are_read_and_missed_lines_named(saved):
    long = "x" * 200_000
    text = f'first,second,outcome,talk\nA,B,first,"{long}"\nA,B,win,""\n'
    with pytest.raises(CodingError, match=r"row 2 \(line 3\)"):
        read(saved(text))


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LONG.encode())))
    table = read("-")
    assert table.source == "standard input"
    assert table.n_comparisons == 3


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    path = tmp_path / "votes.parquet"
    path.write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"needs pyarrow .*pip install 'pairproof\[arrow\]'"):
        read(path)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_parquet_and_arrow_are_read_where_pyarrow_is_there(tmp_path, suffix):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    frame = pd.DataFrame({"first": ["A", "B"], "second": ["B", "C"], "outcome": ["first", "tie"]})
    path = tmp_path / f"votes{suffix}"
    if suffix == ".parquet":
        frame.to_parquet(path)
    else:
        arrow = pa.Table.from_pandas(frame)
        with pa.ipc.new_file(path, arrow.schema) as writer:
            writer.write_table(arrow)
    assert read(path).digest() == read(frame).digest()


def test_items_called_na_are_items_if_stated_or_renamed(saved):
    text = edited(LONG, ("B,C,second", "NA,C,second"))
    assert read(saved(text), items=["A", "B", "C", "NA"]).pooled()["C", "NA"] == (1, 0, 0)
    assert "Namibia" in read(saved(text), rename={"NA": "Namibia"}).items


def test_items_that_differ_in_case_are_two_if_stated_and_one_if_renamed(saved):
    text = edited(LONG, ("A,C,tie", "a,C,tie"))
    assert read(saved(text), items=["A", "B", "C", "a"]).pooled()["C", "a"] == (0, 1, 0)
    assert read(saved(text), rename={"a": "A"}).digest() == read(saved(LONG)).digest()


def test_reserved_names_have_a_way_out(saved):
    table = read(
        saved("first,second,outcome\ntie,order,first\nx:y,tie,second\n"),
        rename={"tie": "necktie", "order": "o", "x:y": "xy"},
    )
    assert table.items == ("necktie", "o", "xy")


def test_stated_items_that_were_never_compared_stay_and_are_unconnected(saved):
    table = read(saved(LONG), items=["A", "B", "C", "D"])
    assert table.connected_sets() == (("A", "B", "C"), ("D",))


def test_integer_items_are_ordered_as_numbers_in_files_and_frames(saved):
    text = "first,second,outcome\n10,9,first\n9,2,second\n"
    frame = pd.DataFrame({"first": [10, 9], "second": [9.0, 2.0], "outcome": ["first", "second"]})
    assert read(saved(text)).items == read(frame).items == ("2", "9", "10")
    assert read(saved(text)).digest() == read(frame).digest()


def test_unused_categories_of_a_frame_are_no_items():
    kinds = pd.CategoricalDtype(["Z", "B", "A"], ordered=True)
    frame = pd.DataFrame(
        {
            "first": pd.Series(["A"], dtype=kinds),
            "second": pd.Series(["B"], dtype=kinds),
            "outcome": ["first"],
        }
    )
    assert read(frame).items == ("A", "B")


def test_weights_multiply_and_a_weight_of_zero_counts_nothing(saved):
    table = read(saved(with_column(LONG, "weight", "2.5", "0", ".5")))
    assert table.pooled() == {("A", "B"): (2.5, 0, 0), ("A", "C"): (0, 0.5, 0)}
    assert "weight" not in table.columns


def test_a_covariate_with_blanks_has_missing_values_and_no_row_is_lost(saved):
    table = read(saved(with_column(with_column(LONG, "age", "30", "", "NA"), "sex", "f", "", "NA")))
    assert table.n_rows == 3
    assert np.array_equal(table.columns["age"], [30.0, np.nan, np.nan], equal_nan=True)
    assert table.columns["sex"].codes.tolist() == [0, -1, -1]
    assert table.columns["sex"].levels == ("f",)


def test_numbers_too_large_for_a_double_stay_apart(saved):
    table = read(saved(with_column(LONG, "id", "9007199254740993", "9007199254740992", "9007199254740993")))
    assert table.columns["id"].levels == ("9007199254740992", "9007199254740993")
    frame = pd.DataFrame(
        {
            "first": ["A", "A"],
            "second": ["B", "B"],
            "outcome": ["first", "first"],
            "id": [2**60, 2**60 + 1],
        }
    )
    assert len(read(frame).columns["id"].levels) == 2


def test_numbers_as_text_in_a_frame_are_numbers():
    frame = pd.DataFrame(
        {
            "first": ["A", "A"],
            "second": ["B", "B"],
            "wins": ["7", " 1 "],
            "losses": ["2", "1e1"],
            "age": ["30", "41.5"],
        }
    )
    table = read(frame)
    assert table.pooled() == {("A", "B"): (8, 0, 12)}
    assert table.columns["age"].tolist() == [30.0, 41.5]


def test_a_judge_is_a_factor_even_if_a_number(saved):
    table = read(saved(with_column(LONG, "judge", 10, 9, 9)))
    assert isinstance(table.columns["judge"], Factor)
    assert table.columns["judge"].levels == ("9", "10")


def test_stated_levels_make_a_column_of_numbers_categorical(saved):
    text = with_column(LONG, "age", 2, 1, 2)
    assert read(saved(text)).columns["age"].tolist() == [2.0, 1.0, 2.0]
    factor = read(saved(text), levels={"age": [2, 1, 3]}).columns["age"]
    assert factor.levels == ("2", "1", "3")
    assert factor.codes.tolist() == [0, 1, 0]


@pytest.mark.parametrize("dtype", ["Int64", "string", "category", "boolean"])
def test_pandas_own_types_with_missing_values_are_read(dtype):
    values = {"Int64": [1, None, 2], "boolean": [True, None, False]}.get(dtype, ["1", None, "2"])
    frame = pd.read_csv(io.StringIO(LONG)).assign(x=pd.Series(values, dtype=dtype))
    column = read(frame).columns["x"]
    missing = column.codes < 0 if isinstance(column, Factor) else np.isnan(column)
    assert missing.tolist() == [False, True, False]
    assert isinstance(column, Factor) == (dtype == "boolean")


# prefmod counts unanimous answers as ties, and 0/1/2 answers without a 2 as a binary table whose ties are
# losses (its llbt.design, llbtPC.fit); here the meaning comes from the coding alone.
def test_unanimous_answers_are_wins_if_the_coding_says_so(saved):
    path = saved("V1,V2,V3\n1,1,1\n1,1,1\n")
    assert read(path, **WIDE_CALL).pooled() == {
        ("A", "B"): (2, 0, 0),
        ("A", "C"): (2, 0, 0),
        ("B", "C"): (2, 0, 0),
    }
    as_ties = {**WIDE_CALL, "coding": {"first": 0, "tie": 1, "second": 2}}
    assert read(path, **as_ties).pooled()["B", "C"] == (0, 2, 0)


def test_ties_stay_ties_where_nobody_chose_the_second():
    frame = pd.DataFrame({"V1": [0, 1], "V2": [1, 0], "V3": [0, 0]})
    table = from_wide(
        frame, items="A B C".split(), pair_order="prefmod", coding={"first": 0, "tie": 1, "second": 2}
    )
    assert table.pooled() == {("A", "B"): (1, 1, 0), ("A", "C"): (1, 1, 0), ("B", "C"): (2, 0, 0)}
    assert table.tie_category


def test_the_tie_category_is_what_occurs_unless_it_is_stated():
    frame = pd.DataFrame({"V1": [1], "V2": [1], "V3": [-1]})
    call = {k: v for k, v in WIDE_CALL.items() if k != "layout"}
    assert not from_wide(frame, **call).tie_category
    assert from_wide(frame, **call, tie_category=True).tie_category
    assert not from_counts({"first": ["A"], "second": ["B"], "wins": [1], "losses": [1]}).tie_category
    assert from_counts(
        {"first": ["A"], "second": ["B"], "wins": [1], "ties": [0], "losses": [1]}
    ).tie_category


def test_codes_that_mean_missing_make_no_comparison(saved):
    path = saved("V1,V2,V3\n1,NA,-1\n9,1,\n")
    table = read(path, **{**WIDE_CALL, "coding": {**CODES, "missing": ["NA", 9]}})
    assert table.pooled() == {("A", "B"): (1, 0, 0), ("A", "C"): (1, 0, 0), ("B", "C"): (0, 0, 1)}
    assert table.n_rows == 3


def test_a_pair_that_nobody_compared_is_read_and_leaves_the_rest(saved):
    table = read(saved("V1,V2,V3\n1,NA,-1\n1,NA,1\n"), **{**WIDE_CALL, "coding": {**CODES, "missing": "NA"}})
    assert ("A", "C") not in table.pooled()
    assert table.is_connected()


def test_codes_are_alike_however_the_number_is_written():
    frame = pd.DataFrame({"V1": ["1", "01"], "V2": [1.0, 0.0], "V3": [-1, 1]})
    assert read(frame, **WIDE_CALL).pooled() == {
        ("A", "B"): (2, 0, 0),
        ("A", "C"): (1, 1, 0),
        ("B", "C"): (1, 0, 1),
    }


def test_a_wide_row_with_a_judge_keeps_the_judge_for_each_pair(saved):
    table = read(saved(with_column(WIDE, "judge", "ann", "bob")), **WIDE_CALL)
    assert table.columns["judge"].codes.tolist() == [0, 0, 0, 1, 1, 1]
    assert "judge" not in read(saved(WIDE), **WIDE_CALL).columns


@pytest.mark.parametrize(
    "order", ["AB,CA,BC", "A-B,C-A,B-C", ["AB", "CA", "BC"], [("A", "B"), ("C", "A"), ("B", "C")]]
)
def test_stated_pairs_say_which_item_comes_first(saved, order):
    table = read(saved(WIDE), **{**WIDE_CALL, "pair_order": order})
    assert table.pooled() == {("A", "B"): (1, 0, 1), ("A", "C"): (0, 1, 1), ("B", "C"): (0, 1, 1)}


def test_two_items_and_one_respondent_are_enough():
    assert from_wide({"V1": [1]}, items=["A", "B"], pair_order="prefmod", coding=CODES).pooled() == {
        ("A", "B"): (1, 0, 0)
    }


def test_rankings_skip_what_is_not_ranked_and_nothing_else(saved):
    text = "system1,rank1,system2,rank2,system3,rank3\nA,1,B,2,C,\nA,-1,B,-1,C,-1\nC,2.5,B,2.5,,\n"
    assert from_rankings(saved(text)).pooled() == {("A", "B"): (1, 0, 0), ("B", "C"): (0, 1, 0)}


@pytest.mark.parametrize("winner, expected", [("rows", (7, 0, 2)), ("columns", (2, 0, 7))])
def test_a_matrix_counts_for_its_rows_or_its_columns_as_stated(saved, winner, expected):
    assert from_matrix(saved(MATRIX), winner=winner).pooled()["A", "B"] == expected


def test_labels_decide_in_a_matrix_not_positions(saved):
    turned = ",A,C,B\nC,1,,4\nA,,3,7\nB,2,3,\n"
    assert (
        from_matrix(saved(turned), winner="rows").digest()
        == from_matrix(saved(MATRIX), winner="rows").digest()
    )


def test_a_frame_and_an_array_are_the_same_matrix_as_the_file(saved):
    counts = np.array([[0, 7, 3], [2, 0, 3], [1, 4, 0]])
    frame = pd.DataFrame(counts, index=list("ABC"), columns=list("ABC"))
    shuffled = frame.loc[list("CAB")]
    in_column = frame.reset_index()
    digests = {
        from_matrix(x, winner="rows", **more).digest()
        for x, more in [
            (saved(MATRIX), {}),
            (frame, {}),
            (shuffled, {}),
            (in_column, {}),
            (counts, {"items": list("ABC")}),
        ]
    }
    assert len(digests) == 1


def test_an_array_without_items_and_a_frame_without_row_labels_are_refused():
    counts = np.array([[0, 7], [2, 0]])
    with pytest.raises(ItemError, match="has no labels, and no items are given"):
        from_matrix(counts, winner="rows")
    with pytest.raises(ItemError, match="2 rows without labels"):
        from_matrix(pd.DataFrame(counts, columns=["A", "B"]), winner="rows")
    with pytest.raises(InputError, match=r"shape \(1, 2\)"):
        from_matrix(counts[:1], winner="rows", items=["A", "B"])


def test_a_matrix_of_ties_makes_the_tie_category_and_must_be_symmetric():
    wins = pd.DataFrame([[0, 7], [2, 0]], index=["A", "B"], columns=["A", "B"])
    ties = pd.DataFrame([[0, 1], [1, 0]], index=["B", "A"], columns=["B", "A"])
    table = from_matrix(wins, winner="rows", ties=ties)
    assert table.pooled() == {("A", "B"): (7, 1, 2)}
    assert table.tie_category
    assert not from_matrix(wins, winner="rows").tie_category
    with pytest.raises(InputError, match="1 ties of 'A' with 'B', but 0 of 'B' with 'A'"):
        from_matrix(
            wins, winner="rows", ties=pd.DataFrame([[0, 1], [0, 0]], index=["A", "B"], columns=["A", "B"])
        )
    with pytest.raises(InputError, match="tie_category=False"):
        from_matrix(wins, winner="rows", ties=ties, tie_category=False)


# -- item data -----------------------------------------------------------------------------------------------


def test_item_data_are_matched_by_name_not_by_row(saved):
    data = saved("name,size,kind\nC,3,open\nA,1,open\nB,2,closed\n", "items.csv")
    table = read(saved(LONG), item_data=data)
    assert table.item_data["size"].tolist() == [1.0, 2.0, 3.0]
    assert table.item_data["kind"].levels == ("closed", "open")
    assert table.item_data["kind"].codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "data, said",
    [
        ({"item": ["A", "B"], "x": [1, 2]}, "no row for 'C'"),
        ({"item": ["A", "B", "C", "D"], "x": [1, 2, 3, 4]}, "unknown 'D'"),
        ({"item": ["A", "B", "c"], "x": [1, 2, 3]}, "no row for 'C'; unknown 'c'"),
        (
            {"item": ["A", "B", "C", "B"], "x": [1, 2, 3, 4]},
            "row 2, column 'item': item 'B' has more than one row (2 such rows)",
        ),
        ({"item": ["A", "B", None], "x": [1, 2, 3]}, "row 3, column 'item': no item name"),
    ],
)
def test_item_data_that_do_not_fit_are_refused(saved, data, said):
    with pytest.raises(InputError) as caught:
        read(saved(LONG), item_data=data)
    assert said in str(caught.value)


def test_the_encoding_holds_for_item_data_too(saved):
    data = saved("name,size\nZo\u00eb,1\nBj\u00f6rk,2\n", "items.csv", encoding="latin-1")
    table = read(saved(PLAIN, encoding="latin-1"), encoding="latin-1", item_data=data)
    assert table.item_data["size"].tolist() == [2.0, 1.0]


def test_item_data_follow_a_rename(saved):
    table = read(saved(LONG), rename={"A": "Z"}, item_data={"x": [1, 2, 3], "item": ["A", "B", "C"]})
    assert table.items == ("B", "C", "Z")
    assert table.item_data["x"].tolist() == [2.0, 3.0, 1.0]


# -- nothing is changed --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reader, text, arguments",
    [
        (from_long, with_column(LONG, "age", 1, "", 3), {"rename": {"A": "Z"}}),
        (from_counts, COUNTS, {"columns": {}}),
        (
            from_votes,
            "model_a,model_b,winner,judge\nx,y,tie (bothbad),1\ny,x,model_a,2\n",
            {"levels": {"judge": [2, 1]}},
        ),
        (from_rankings, "system1,rank1,system2,rank2\nA,1,B,-1\nA,2,B,1\n", {}),
        (from_wide, WIDE, {k: v for k, v in WIDE_CALL.items() if k != "layout"}),
        (from_matrix, MATRIX, {"winner": "columns"}),
    ],
)
def test_the_input_frame_is_never_changed(reader, text, arguments):
    frame = pd.read_csv(io.StringIO(text))
    before, kept = frame.copy(deep=True), copy.deepcopy(arguments)
    reader(frame, **arguments)
    pd.testing.assert_frame_equal(frame, before)
    assert arguments == kept
