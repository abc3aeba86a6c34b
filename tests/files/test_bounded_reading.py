"""Small inputs that ask for much: each is read fast or refused with a short message; what is nasty is refused
by name.
"""

from __future__ import annotations

import gzip
import io
import json
import time
import warnings
from importlib import import_module
from itertools import combinations

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from pairproof.data.columns import natural_order
from pairproof.data.comparisons import Comparisons
from pairproof.data.reading import read
from pairproof.data.reading.beside.sentence_errors import read_errors
from pairproof.errors import DataWarning, InputError, PairproofError
from pairproof.files import inputs as packed
from pairproof.text import listed, quoted

READER = import_module("pairproof.data.reading.rankings")

#: Characters of the longest message of an input here; observed at most 700, most of it the layouts that are
#: known.
LONGEST_MESSAGE = 1500
#: Seconds of the processor; observed at most 2.5 where the code before took 45 or more, or did not end.
PROMPT = 15.0
#: Keys that a mistake of nobody has, in number.
MANY = 20_000


def refused(source, **options):
    start = time.process_time()
    with pytest.raises(PairproofError) as caught:
        read(source, **options)
    assert time.process_time() - start < PROMPT
    message = str(caught.value)
    assert len(message) < LONGEST_MESSAGE, message[:300]
    return message


@pytest.fixture
def saved(tmp_path):
    def save(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return save


# -- bounds --------------------------------------------------------------------------------------------------


def test_a_header_that_numbers_its_systems_to_ten_million_is_refused_in_a_line(saved):
    message = refused(saved("system1,rank1,system2,rank2,system10000000\nA,1,B,2,C\n"))
    assert "column system3, rank3, system4" in message and "19,999,989 more are missing" in message
    assert "there is a system10000000" in message


def test_tens_of_thousands_of_columns_are_refused_with_a_handful_named(saved):
    names = [f"c{k}" for k in range(MANY)]
    message = refused(saved(",".join(names) + "\n" + ",".join("1" * MANY) + "\n"))
    assert "'c0', 'c1'" in message and f"and {MANY - 12:,} more" in message
    message = refused(saved(json.dumps(dict.fromkeys(names, 1)) + "\n"))
    assert "'c0', 'c1'" in message and f"and {MANY - 12:,} more" in message


def test_a_matrix_with_thousands_of_labels_and_one_row_is_refused_promptly(saved):
    names = [f"i{k}" for k in range(MANY)]
    message = refused(
        saved("," + ",".join(names) + "\nA," + ",".join("1" * MANY) + "\n"), layout="matrix", winner="rows"
    )
    assert f"1 rows and {MANY} columns" in message


def test_a_hundred_thousand_stated_items_are_looked_up_and_not_searched():
    names = [f"i{k}" for k in range(100_000)]
    table = {"first": names[:-1], "second": names[1:], "wins": [1] * 99_999, "losses": [1] * 99_999}
    start = time.process_time()
    assert read(table, items=names).items == tuple(names)
    assert time.process_time() - start < PROMPT
    assert "i1' given more than once" in refused(table, items=["i1"] * 100_000)
    assert "found 'i99999'" in refused(table, items=names[:-1])
    assert "j0" in refused(table, rename={f"j{k}": "x" for k in range(50_000)})


def test_a_hundred_thousand_items_of_a_wide_table_are_counted_before_their_pairs_are_listed():
    names = [f"i{k}" for k in range(100_000)]
    wide = {"V1": [1], "V2": [1], "V3": [2]}
    message = refused(wide, layout="prefmod", items=names, pair_order="prefmod", coding="first=1,second=2")
    assert "have 4999950000 pairs" in message
    asked = refused(wide, layout="prefmod", items=names, coding="first=1,second=2")
    assert "needs items=, pair_order= and coding=" in asked and len(asked) < 200


def test_a_long_cell_is_cut_in_the_message(saved):
    long = "x" * 1_000_000
    assert "(1,000,000 characters)" in refused(saved(f"first,second,outcome\nA,B,{long}\n"))
    assert "(1,000,000 characters)" in refused(saved(f"first,second,{long}\nA,B,1\n"))
    assert "(1,000,000 characters)" in refused(saved(f"first,second,outcome\n{long},{long},first\n"))


def ranking(n):
    return {
        f"{kind}{k}": [f"s{k}" if kind == "system" else k]
        for k in range(1, n + 1)
        for kind in ("system", "rank")
    }


def test_rankings_that_stand_for_billions_of_pairs_are_refused_with_the_number():
    n = 100_000
    rows = {"ranking": [1] * n, "system": [f"s{k}" for k in range(n)], "rank": list(range(n))}
    assert "of up to 100,000 systems, give 4,999,950,000 pairs; at most 10,000,000" in refused(rows)
    assert "of up to 5,000 systems, give 12,497,500 pairs" in refused(ranking(5000))


def test_a_ranking_of_hundreds_of_systems_gives_every_pair_in_the_order_of_its_columns():
    n = 400
    table = read(ranking(n))
    place = {f"s{k + 1}": k for k in range(n)}
    pairs = [(place[table.items[a]], place[table.items[b]]) for a, b in zip(table.first, table.second)]
    assert pairs == list(combinations(range(n), 2))
    assert table.wins.all() and not table.losses.any()


def test_blank_places_of_many_rankings_cost_nothing(monkeypatch):
    # 200 places of which two are used in each of 300 rows: 19,900 pairs of columns, 300 comparisons.
    columns = {name: [None] * 300 for k in range(1, 201) for name in (f"system{k}", f"rank{k}")}
    for name, value in (("system3", "A"), ("rank3", 1), ("system150", "B"), ("rank150", 2)):
        columns[name] = [value] * 300
    monkeypatch.setattr(READER, "MOST_PAIRS", 300)
    assert read(columns).pooled() == {("A", "B"): (300, 0, 0)}


def test_covariates_are_counted_when_rankings_are_refused(monkeypatch):
    monkeypatch.setattr(READER, "MOST_CELLS", 5)
    table = {**ranking(3), "age": [30], "town": ["x"]}
    assert "give 3 pairs, each with 2 other columns" in refused(table)


# -- numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "1e200",
        "1e308",
        "inf",
        "nan",
        "-1",
        "5e-324",
        "1e-101",
        "9007199254740993",
        "1e999",
        "9" * 5000,
        "0x10",
    ],
)
def test_a_count_no_double_can_count_with_is_refused_in_every_layout(saved, text):
    where = "column 'wins'"
    assert where in refused(saved(f"first,second,wins,losses\nA,B,{text},1\n"))
    assert where in refused(saved(f'{{"first":"A","second":"B","wins":"{text}","losses":1}}\n'))
    assert "column 'weight'" in refused(saved(f"first,second,outcome,weight\nA,B,first,{text}\n"))
    assert "column 'B'" in refused(saved(f",A,B\nA,0,{text}\nB,2,0\n"), layout="matrix", winner="rows")


def test_a_count_times_its_weight_is_bounded_too():
    assert "below 2^53" in refused(
        {"first": ["A"], "second": ["B"], "wins": [1e10], "losses": [1], "weight": [1e10]}
    )
    assert "at least" in refused(
        {"first": ["A"], "second": ["B"], "wins": [1e-60], "losses": [1], "weight": [1e-60]}
    )
    with pytest.raises(InputError, match="below 2"):
        Comparisons.build(["A", "B"], [0], [1], [1e200], None, [1.0])


def test_integers_of_any_length_are_labels_in_the_order_of_the_numbers(saved):
    long = "9" * 5000
    assert natural_order([long, "1" + "0" * 5000, "7"]) == ("7", long, "1" + "0" * 5000)
    assert read(saved(f"first,second,wins,losses\n7,{long},1,2\n")).items == ("7", long)
    assert refused({"first": [10**5000], "second": ["B"], "wins": [1], "losses": [1]})
    frame = pd.DataFrame(
        {"first": pd.Series([10**5000], dtype=object), "second": ["B"], "wins": [1], "losses": [1]}
    )
    assert "too long for a label" in refused(frame)


def test_ranks_and_codes_that_a_double_would_join_are_not_joined():
    table = {"system1": ["A"], "rank1": [2**53 + 1], "system2": ["B"], "rank2": [2**53]}
    assert "column 'rank1'" in refused(table)
    a, b = str(2**53), str(2**53 + 1)
    found = read(
        {"first": ["A", "A"], "second": ["B", "B"], "outcome": [a, b]}, coding={"first": a, "second": b}
    )
    assert found.pooled() == {("A", "B"): (1, 0, 1)}


# -- gzip, JSON Lines, and what is neither -------------------------------------------------------------------

LONG = "first,second,outcome,judge,n\nA,B,first,1,1.50\nB,C,second,2,7\nA,C,tie,1,\n"
JSON_LINES = "".join(
    json.dumps(dict(zip(LONG.split("\n")[0].split(","), row.split(","))))
    .replace('"1.50"', "1.50")
    .replace('"7"', "7")
    .replace('"n": ""', '"n": null')
    + "\n"
    for row in LONG.splitlines()[1:]
)


def same(a, b):
    assert a.digest() == b.digest() and a.items == b.items
    assert a.columns.keys() == b.columns.keys()
    pd.testing.assert_frame_equal(a.to_frame(), b.to_frame())


def test_a_table_reads_the_same_from_csv_gzip_and_json_lines(saved):
    plain = read(saved(LONG))
    for content, name in (
        (gzip.compress(LONG.encode()), "t.csv.gz"),
        (gzip.compress(LONG.replace(",", "\t").encode()), "t.tsv.gz"),
        (JSON_LINES, "t.jsonl"),
        (gzip.compress(JSON_LINES.encode()), "t.jsonl.gz"),
        (JSON_LINES, "no-json-by-its-name.csv"),
        ("[" + ",\n".join(JSON_LINES.splitlines()) + "]", "t.json"),
        (gzip.compress(LONG[:30].encode()) + gzip.compress(LONG[30:].encode()), "two.csv.gz"),
    ):
        same(read(saved(content, name)), plain)


def test_standard_input_is_told_apart_by_its_content(monkeypatch):
    plain = read(io_frame())
    for content in (
        LONG.encode(),
        gzip.compress(LONG.encode()),
        JSON_LINES.encode(),
        gzip.compress(JSON_LINES.encode()),
    ):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert read("-").digest() == plain.digest()


def io_frame():
    return pd.read_csv(io.StringIO(LONG), dtype=str, keep_default_na=False)


def test_what_unpacks_to_far_more_than_its_size_is_refused(saved, monkeypatch):
    monkeypatch.setattr(packed, "MOST_UNPACKED", 100_000)
    assert "unpack to more than 100,000" in refused(
        saved(gzip.compress(b"A,B,first\n" * 200_000), "t.csv.gz")
    )


REFUSED = [
    ("cut.csv.gz", gzip.compress(LONG.encode() * 50)[:-12], "is cut off"),
    ("damaged.csv.gz", gzip.compress(LONG.encode())[:12] + b"\xff" * 40, "the gzip file is"),
    ("twice.csv.gz", gzip.compress(gzip.compress(LONG.encode())), "gzipped twice"),
    ("t.xlsx", b"PK\x03\x04" + b"x" * 40, "Excel"),
    ("t.csv.bz2", b"BZh91AY&SY", "bzip2"),
    ("t.csv", b"PAR1....", "Parquet"),
    ("t.rds", gzip.compress(b"X\n\0\0\0\3"), "R's own format"),
    ("campaign.db", b"SQLite format 3\0", "SQLite"),
    ("deep.json", b"[" * 100_000 + b"]" * 100_000, "nested too deep"),
    ("deep.jsonl", b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deep"),
    ("pretty.json", b'{\n "first": "A"\n}\n', "line 1: not JSON"),
    ("csv.jsonl", LONG.encode(), "line 1: not JSON"),
    (
        "names.jsonl",
        b'{"first":"A","second":"B","wins":1,"losses":1}\n{"first":"A","second":"B","wins":1,"loses":1}\n',
        "line 2: lacks 'losses' and also has 'loses'",
    ),
    ("twice.jsonl", b'{"first":"A","first":"B"}\n', "'first' appears twice"),
    ("list.jsonl", b'["A","B"]\n', "record 1: found a text"),
    ("number.jsonl", b'{"first":"A"}\n7\n', "line 2: found a text or number"),
    ("empty.json", b"[]", "without a record"),
    ("blank.jsonl", b"{}\n", "an empty object"),
    ("unclosed.csv", b'first,second,outcome\nA,"B,first\nA,B,first\n', "quote opened there is not closed"),
]


@pytest.mark.parametrize("name, content, said", REFUSED, ids=[name for name, _, _ in REFUSED])
def test_what_is_no_table_is_named(saved, name, content, said):
    assert said in refused(saved(content, name))


def test_conversations_beside_the_votes_are_left_alone_and_refused_by_name_where_they_are_used(saved):
    lines = '{"model_a":"x","model_b":"y","winner":"model_a","conversation":[{"role":"user"}]}\n'
    table = read(saved(lines, "t.jsonl"))
    assert table.pooled() == {("x", "y"): (1, 0, 0)}
    with pytest.raises(InputError, match="column 'conversation' contains lists, not text or numbers"):
        table.columns["conversation"]


# -- nasty structures ----------------------------------------------------------------------------------------

nasty_text = st.one_of(
    st.text(max_size=6),
    st.sampled_from(
        [
            "",
            " ",
            "NA",
            "nan",
            "inf",
            "1e308",
            "9" * 4400,
            "A",
            "B",
            "first",
            "tie",
            "-1",
            "0",
            "1",
            "\ufeff",
            "a:b",
            "tie",
            "[",
            "\u2028",
            "\x85",
            "1_000",
            "0x1",
            "\ud800",
        ]
    ),
)
nasty_cell = st.one_of(
    nasty_text,
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.just(10**5000),
    st.just([1]),
    st.just({"a": 1}),
    st.binary(max_size=3),
    st.just(complex(1, 2)),
    st.just(pd.NaT),
    st.just(pd.NA),
)
names = st.sampled_from(
    [
        "first",
        "second",
        "outcome",
        "wins",
        "ties",
        "losses",
        "model_a",
        "model_b",
        "winner",
        "judge",
        "weight",
        "order",
        "source",
        "system1",
        "rank1",
        "system2",
        "rank2",
        "system",
        "rank",
        "ranking",
        "errors",
        "length",
        "sentence",
        "x",
        "",
        7,
        None,
    ]
)


@st.composite
def frames(draw):
    n = draw(st.integers(0, 4))
    kind = draw(
        st.sampled_from(
            [
                ("first", "second", "outcome"),
                ("first", "second", "wins", "losses"),
                ("model_a", "model_b", "winner"),
                ("system", "rank", "ranking"),
                ("system1", "rank1", "system2", "rank2"),
                ("system", "sentence", "errors", "length"),
                (),
            ]
        )
    )
    found = [*kind, *draw(st.lists(names, max_size=3, unique=True))]
    return {name: draw(st.lists(nasty_cell, min_size=n, max_size=n)) for name in found}


def only_our_errors(call, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(*args, **options)
        except PairproofError as error:
            assert len(str(error)) < LONGEST_MESSAGE


@settings(max_examples=250, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(frames())
def test_whatever_a_frame_holds_the_readers_end_with_a_table_or_an_error_of_the_input(frame):
    only_our_errors(read, frame)
    only_our_errors(read_errors, frame)
    only_our_errors(
        read,
        frame,
        layout="prefmod",
        items=["A", "B"],
        pair_order="prefmod",
        coding="first=1,second=0,missing=NA",
    )
    only_our_errors(
        read,
        pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in frame.items()}),
        layout="matrix",
        winner="rows",
    )


fragments = st.sampled_from(
    [
        "first,second,outcome\n",
        "first,second,wins,losses\n",
        "A,B,first\n",
        "A,B,1,2\n",
        '"',
        ",",
        ";",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "\0",
        "é",
        "{",
        "}",
        "[",
        "]",
        ":",
        '{"first":"A","second":"B","outcome":"first"}\n',
        '{"first":',
        "1e400",
        "null",
        "\\u0000",
        "\ufeff",
        "system1,rank1,system2,rank2\n",
    ]
)


@settings(max_examples=250, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(
    st.lists(fragments, max_size=9),
    st.sampled_from(["t.csv", "t.tsv", "t.jsonl", "t.csv.gz", "t.json"]),
    st.booleans(),
    st.binary(max_size=4),
)
def test_whatever_a_file_holds_the_readers_end_with_a_table_or_an_error_of_the_input(
    tmp_path_factory, parts, name, zipped, tail
):
    content = "".join(parts).encode("utf-8", "surrogatepass") + tail
    path = tmp_path_factory.getbasetemp() / name
    path.write_bytes(gzip.compress(content) if zipped else content)
    only_our_errors(read, path)
    only_our_errors(read, path, layout="matrix", winner="columns")


# -- what messages show --------------------------------------------------------------------------------------


def test_messages_cut_what_is_long_and_say_how_long():
    assert listed(["a", "b"]) == "'a', 'b'" and listed(map(str, range(14)), 2) == "'0', '1' and 12 more"
    assert (
        quoted("x" * 100).endswith("... (100 characters)")
        and quoted(10**6000) == "an integer of about 6,001 digits"
    )
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert quoted(deep) == "a list of 1" and quoted({"a": [1, 2]}) == "{'a': [1, 2]}"
    while deep:
        deep = deep.pop()  # Python would take such a list apart by recursion
