"""A claims file is read to the last key, or refused with the line."""

from __future__ import annotations

import hashlib
import re
from dataclasses import fields
from importlib import resources
from pathlib import Path

import pytest

from pairproof.errors import InputError
from pairproof.validation.check.claims_file import parse_claims, read_claims, read_paper, shipped_papers
from pairproof.validation.check.shipped import shipped
from pairproof.validation.claims.data import read_data, table_of
from pairproof.validation.claims.entries import LineMap, entries, tomllib
from pairproof.validation.claims.paper import Claim, DataSpec, ModelClaim, Paper, Reading
from tests.validation.fakes import FIRTH, claims_text
from tools import claims_schema as schema


def line_of(text: str, part: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if part in line)


#: (what stands in the claim, what the error must say, a part of the line it must name)
MALFORMED = [
    ("deviance = 15.737", "unquoted 15.737 loses", "deviance = 15.737"),
    ("estimate = { Boston = 0.190 }", 'such as "0.190"', "estimate"),
    ('[claim.estimate]\nBoston = "1.1"\nBaltimore = 1.290\n', 'such as "1.290"', "Baltimore = 1.290"),
    ('deviance = "15.737 to 15"', "is not one number", "deviance"),
    ('se = { Boston = "0.3339 on 2" }', "degrees of freedom, which only", "se ="),
    ('estimtae = { Boston = "1.1077" }', "did you mean 'estimate'", "estimtae"),
    ('stat = { "wrth.all.Boston" = "0.2" }', "did you mean 'worth'", "wrth"),
    ('engines = ["R-BradleyTerry2"]\ndeviance = "1"', "expected native, R, or R:PACKAGE", "engines"),
    ('sided = 3\ndeviance = "1"', "expected 1 or 2", "sided"),
    ('statement = "All is well."', "needs a test, or its verdict in accept", "statement"),
    ('statement = "All is well."\ntest = "al-is-well"', "no test 'al-is-well'", "test ="),
    ('test = "rare-ties"\ndeviance = "1"', "write the statement it tests", "test ="),
    ('deviance = "1"\naic_definition = "R"', "expected one of llf, glm", "aic_definition"),
    ('p = { Boston = "0.02 *" }\nlegend = { "**" = "0.01" }', "does not say what '*' means", "p ="),
    ('deviance = "1 on 2"\ndf_resid = "2"', "prints df_resid twice", "[[claim]]"),
    ("", "it is empty", "[[claim]]"),
    ('accept = "pair-order"\ndeviance = "1"', "expected an array of strings", "accept"),
]


@pytest.mark.parametrize(("claim", "message", "at"), MALFORMED)
def test_a_malformed_claim_is_refused_with_its_line(claim: str, message: str, at: str) -> None:
    text = claims_text(
        f'[[claim]]\nid = "c"\ndata = "baseball"\nmodel = {{ family = "bradley-terry" }}\n{claim}\n'
    )
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        parse_claims(text, source="paper.claims.toml")
    assert f"paper.claims.toml, line {line_of(text, at)}:" in str(caught.value)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ('{ family = "thurstone" }', "expected one of llbt, bradley-terry"),
        ('{ ties = "none" }', "model has no family; expected one of llbt"),
        ('{ family = "llbt", ties = "split" }', "expected one of davidson"),
        ('{ family = "llbt", refrence = "A" }', "did you mean 'reference'"),
        ('{ family = "llbt", order_effect = "yes" }', "expected true or false"),
        ('{ family = "llbt", scale = "points" }', "lambda, log-odds, elo"),
    ],
)
def test_a_malformed_model_is_refused_with_its_line(model: str, message: str) -> None:
    text = claims_text(f'[[claim]]\nid = "c"\ndata = "baseball"\ndeviance = "1"\nmodel = {model}\n')
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        parse_claims(text)
    assert f"line {line_of(text, 'model =')}:" in str(caught.value)


@pytest.mark.parametrize(
    ("block", "message", "at"),
    [
        (
            (
                '[data.x]\nkind = "counts"\ncolumns = ["first", "second", "wins", "losses"]\nrows = [\n '
                ' ["A", "B", 1, 2],\n  ["A", "C", 1],\n]'
            ),
            "row 2 has 3 values for 4 columns",
            '["A", "C", 1]',
        ),
        (
            '[data.x]\nkind = "wins"\nrows = [["A"]]\ncolumns = ["a"]',
            "expected one of counts",
            'kind = "wins"',
        ),
        ('[data.x]\nkind = "counts"', "exactly one of rows, file, from", "[data.x]"),
        ('[data.x]\nkind = "file"\nfile = "x.csv"', "needs a sha256", 'file = "x.csv"'),
        ('[data.x]\nfrom = "baseballs"', "no such data set is defined above", 'from = "baseballs"'),
        (
            '[data.x]\nfrom = "baseball"\nprinted_pairs = [["A", "B"]]\nread_as_pairs = [["A", "C"]]',
            "must name the pairs",
            "read_as_pairs",
        ),
        (
            '[data.x]\nkind = "matrix"\ncolumns = ["A", "B"]\nrows = [[0, 1], [2, 0]]',
            "whether its 'rows' or 'columns' win",
            "[data.x]",
        ),
    ],
)
def test_malformed_data_are_refused_with_their_line(block: str, message: str, at: str) -> None:
    text = claims_text(FIRTH, block)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        parse_claims(text)
    assert f"line {line_of(text, at)}:" in str(caught.value)


def test_two_claims_of_one_id_are_refused() -> None:
    with pytest.raises(InputError, match="two claims have the id 'baseball'"):
        parse_claims(claims_text(FIRTH + FIRTH))


def test_text_that_is_not_toml_is_refused_with_the_parsers_line() -> None:
    with pytest.raises(InputError, match="not TOML: .*line 1"):
        parse_claims("paper = [ }")


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="nowhere.claims.toml"):
        read_claims("nowhere.claims.toml")
    with pytest.raises(InputError, match="there are .*dras-2015"):
        read_paper("dras-2016")


def test_data_in_a_file_are_held_to_their_hash(tmp_path: Path) -> None:
    table = "first,second,wins,ties,losses\n1e3,007,6,1,3\n"
    (tmp_path / "votes.csv").write_text(table)
    digest = hashlib.sha256(table.encode()).hexdigest()
    block = f'[data.votes]\nkind = "file"\nfile = "votes.csv"\nsha256 = "{digest}"'
    file = tmp_path / "x.claims.toml"
    file.write_text(claims_text(FIRTH, block))
    read = read_data(read_claims(file), "votes")
    assert read.items == ("007", "1e3") and read.n_comparisons == 10  # text stays text
    (tmp_path / "votes.csv").write_text(table.replace("6", "7"))
    with pytest.raises(InputError, match="the data have changed"):
        read_data(read_claims(file), "votes")


def test_every_layout_of_inline_data_gives_the_same_table() -> None:
    block = """
[data.counts]
kind = "counts"
columns = ["first", "second", "wins", "losses"]
rows = [["A", "B", 2, 1]]
[data.long]
kind = "long"
columns = ["first", "second", "outcome"]
rows = [["A", "B", "first"], ["B", "A", "second"], ["A", "B", "second"]]
[data.matrix]
kind = "matrix"
winner = "rows"
columns = ["", "A", "B"]
rows = [["A", 0, 2], ["B", 1, 0]]
[data.rankings]
kind = "rankings"
columns = ["system1", "rank1", "system2", "rank2"]
rows = [["A", 1, "B", 2], ["A", 1, "B", 2], ["B", 1, "A", 2]]
"""
    paper = parse_claims(claims_text(FIRTH, block))
    for name in ("counts", "long", "matrix", "rankings"):
        assert read_data(paper, name).pooled() == {("A", "B"): (2.0, 0.0, 1.0)}, name


def test_wrong_cells_are_refused_with_the_data_sets_line() -> None:
    text = claims_text(
        FIRTH,
        (
            '[data.x]\nkind = "counts"\ncolumns = ["first", "second", "wins", "losses"]\nrows = [["A", "B",'
            " -1, 2]]"
        ),
    )
    with pytest.raises(InputError, match=rf"line {line_of(text, '[data.x]')}, data.x: .*-1"):
        read_data(parse_claims(text), "x")


def test_only_keeps_the_rows_it_names_and_refuses_to_keep_none() -> None:
    block = (
        '[data.x]\nfrom = "baseball"\nonly = { first = "Boston" }\n[data.y]\nfrom = "baseball"\nonly = {'
        ' first = "Atlanta" }'
    )
    paper = parse_claims(claims_text(FIRTH, block))
    assert read_data(paper, "x").n_comparisons == 26
    with pytest.raises(InputError, match="no row has first = 'Atlanta'"):
        read_data(paper, "y")


LINES = '''# a comment with [brackets] and "quotes"
[paper]
id = "x"   # [[claim]]
note = """two
lines = 1
"""
[[claim]]
id = 'one'
rows = [["a", 1], # comment ]
  ["b, ]", 2],
  [{ k = 1 }, 1979-05-27 07:32:00]]
estimate = { Boston = "1", "New York" = "2",
  Toronto = "3" }
a.b = 1
[[claim]]
id = "two"
[claim.model]
family = "llbt"
[[claim.reading]]
name = "r"
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("paper", "id"), 3),
        (("claim", 0, "id"), 8),
        (("claim", 0, "rows", 1), 10),
        (("claim", 0, "rows", 2, 0, "k"), 11),
        (("claim", 0, "estimate", "New York"), 12),
        (("claim", 0, "estimate", "Toronto"), 13),
        (("claim", 0, "a", "b"), 14),
        (("claim", 1, "id"), 16),
        (("claim", 1, "model", "family"), 18),
        (("claim", 1, "reading", 0, "name"), 20),
        (("claim", 1, "not", "there"), 15),
        (("nothing",), 1),
    ],
)
def test_every_key_has_its_line(path: tuple[str | int, ...], line: int) -> None:
    assert LineMap(LINES).line(path) == line


@pytest.mark.parametrize("name", shipped_papers())
def test_a_shipped_claims_file_fits_the_published_schema(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is a test dependency")
    jsonschema.Draft7Validator.check_schema(schema.schema())
    document = tomllib.loads(shipped()[name].read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(schema.schema()).validate(document)


def test_the_shipped_schema_is_made_from_the_definition() -> None:
    """Else write it anew with `python -m tools.claims_schema`."""
    shipped = resources.files("pairproof.validation.claims").joinpath("claims.schema.json")
    assert shipped.read_text(encoding="utf-8") == schema.text()


@pytest.mark.parametrize("table", [Paper, DataSpec, ModelClaim, Reading, Claim])
def test_every_key_has_a_meaning_and_every_field_without_one_stands_in_no_file(table: type) -> None:
    assert all(e.meaning for e in entries(table).values())
    beside = {f.name for f in fields(table)} - {e.name for e in entries(table).values()}
    assert beside == {
        Paper: {"data", "claims", "bad", "source", "folder", "data_folder", "most_bytes"},
        DataSpec: {"name", "line"},
        Claim: {"numbers", "line"},
    }.get(table, set())


def test_a_missing_key_is_named_with_what_was_expected() -> None:
    for claim, message in (
        ('deviance = "1"', '[[claim]] has no id; expected a string in quotes, such as "table-4"'),
        ('id = "c"\n[[claim.reading]]\nname = "r"', "claim 'c', reading has no sentence"),
    ):
        with pytest.raises(InputError, match=re.escape(message)):
            parse_claims(claims_text(f"[[claim]]\n{claim}\n"))
    with pytest.raises(
        InputError, match=re.escape("line 15: [data.x] has no kind; expected one of counts, long")
    ):
        parse_claims(claims_text(FIRTH, "[data.x]"))


def test_a_value_deep_in_an_array_is_named_by_its_place() -> None:
    block = '[data.x]\nkind = "table"\ncolumns = ["a", "b"]\nrows = [\n[1, 2],\n[3, []],\n]'
    message = "line 20: [data.x], row 2, value 2: found []; expected a number, a string, true or false"
    with pytest.raises(InputError, match=re.escape(message)):
        parse_claims(claims_text(FIRTH, block))
    with pytest.raises(InputError, match=re.escape("engine 2: found 1; expected native, R, or R:PACKAGE")):
        parse_claims(claims_text(FIRTH.replace("[[claim]]", '[[claim]]\nengines = ["R", 1]')))


def test_a_hash_that_is_none_is_refused_before_any_file_is_looked_for() -> None:
    block = '[data.x]\nkind = "file"\nfile = "x.csv"\nsha256 = "sha256:0"'
    with pytest.raises(InputError, match="line 18: .*sha256 = 'sha256:0'; expected 64 hexadecimal digits"):
        parse_claims(claims_text(FIRTH, block))


def test_a_file_whose_rows_are_longer_than_its_header_is_refused(tmp_path: Path) -> None:
    """pandas would take the first column for row labels, and move every cell one column to the left."""
    paper = with_file(tmp_path, "first,second,wins,losses\nx,A,B,6,3\ny,A,C,4,2\n")
    with pytest.raises(
        InputError, match=r"data\.votes: file 'votes\.csv', line 2: 5 field\(s\), but the header has 4"
    ):
        table_of(paper, "votes")


def test_the_row_numbers_that_r_writes_need_no_name(tmp_path: Path) -> None:
    paper = with_file(tmp_path, '"","first","second","wins","losses"\n"1","A","B",6,3\n')
    assert read_data(paper, "votes").pooled() == {("A", "B"): (6.0, 0.0, 3.0)}


def with_file(folder: Path, table: str) -> Paper:
    (folder / "votes.csv").write_text(table)
    digest = hashlib.sha256(table.encode()).hexdigest()
    block = f'[data.votes]\nkind = "file"\nfile = "votes.csv"\nsha256 = "{digest}"'
    (folder / "x.claims.toml").write_text(claims_text(FIRTH, block))
    return read_claims(folder / "x.claims.toml")


CLUSTERED = """
[paper]
id = "mine"
title = "mine"

[data.t]
kind = "counts"
columns = ["judge", "first", "second", "wins", "losses"]
rows = [["a", "A", "B", 9, 1], ["b", "A", "B", 8, 2], ["c", "A", "B", 2, 8], ["d", "A", "B", 7, 3]]

[[claim]]
id = "c"
data = "t"
model = { family = "bradley-terry", reference = "B"%s }
se = { A = "0.68" }
"""


def test_a_claims_file_can_print_standard_errors_by_cluster(tmp_path) -> None:
    from pairproof.validation import run

    file = tmp_path / "mine.claims.toml"
    file.write_text(CLUSTERED % ', cluster = "judge"')
    (row,) = [a for a in run(str(file), r="none") if a.printed]
    assert (row.verdict, round(row.native, 6)) == ("agrees", 0.683324)  # sqrt(29 x 4 / 3) / 9.1
    file.write_text(CLUSTERED % "")
    (row,) = [a for a in run(str(file), r="none") if a.printed]
    assert row.verdict == "differs", "the standard error of the model is 0.33"


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (', cluster = ["judge", "first", "second"]', "3 columns"),
        (', cluster_kind = "CR0"', "cluster_kind = 'CR0' without cluster"),
        (', cluster = "judge", cluster_kind = "CR3"', "CR3"),
        (', cluster = "source"', "no column 'source' to cluster by"),
    ],
)
def test_clusters_that_cannot_be_are_refused(tmp_path, keys: str, said: str) -> None:
    from pairproof.errors import InputError
    from pairproof.validation import run

    file = tmp_path / "mine.claims.toml"
    file.write_text(CLUSTERED % keys)
    with pytest.raises(InputError, match=said):
        run(str(file), r="none")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('anchor = "Boston"', 'anchor is for scale = "elo"'),
        ("by_vote = true", 'by_vote is for scale = "elo"'),
        ('scale = "elo", level = "95"', 'such as "0.95"'),
        ('scale = "elo", at = "1000"', "expected a rating in points"),
        ('scale = "elo", expected = "points"', "expected one of ability, score"),
        ('scale = "elo", by_vote = true, cluster = "judge"', "by_vote and cluster contradict each other"),
    ],
)
def test_a_malformed_scale_of_a_board_is_refused_with_its_line(keys: str, message: str) -> None:
    model = f'{{ family = "bradley-terry", {keys} }}'
    text = claims_text(f'[[claim]]\nid = "c"\ndata = "baseball"\ndeviance = "1"\nmodel = {model}\n')
    with pytest.raises(InputError, match=re.escape(message)):
        parse_claims(text)
