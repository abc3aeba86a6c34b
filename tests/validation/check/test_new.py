"""`pairproof claims new`: what it writes is a valid claims file on the same data and the same model."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import pairproof
from pairproof.cli import main
from pairproof.errors import InputError
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import parse_claims, read_claims
from pairproof.validation.check.draft import MOST_INLINE, draft
from pairproof.validation.claims.data import fit_model, read_data
from pairproof.validation.claims.entries import tomllib
from pairproof.validation.claims.paper import ModelClaim
from tests.places import DATA

DRAS = DATA / "dras_table1.csv"
MODELS = [
    ModelClaim("llbt"),
    ModelClaim("llbt", ties="none"),
    ModelClaim("llbt", by="judge"),
    ModelClaim("llbt", ties="half", cells=("judge",)),
    ModelClaim("bradley-terry", ties="drop", reference="C"),
    ModelClaim("bradley-terry", reference="sum"),
    ModelClaim("llbt", cells=("row",)),
]
ODD = {
    "first": ['A "q"', "b", "\u0160", "b"],
    "second": ["b", "\u0160", 'A "q"', 'A "q"'],
    "wins": [3, 4, 5, 2],
    "losses": [2, 1, 4, 2.5],
    "age": [20, 30, 40, 20],
    "order": [1, 1, 0, 1],
}


def refitted(text: str, folder: str = "") -> pairproof.Fit:
    checker = Checker(parse_claims(text, folder=folder))
    return checker.fit("table-1")


def same(one: pairproof.Fit, other: pairproof.Fit) -> None:
    assert one.names == other.names and one.items == other.items and one.df_resid == other.df_resid
    assert one.scale == other.scale and one.constraint == other.constraint
    # The rows are added up in another order; observed 2e-15.
    assert np.allclose(one.params, other.params, rtol=0, atol=1e-11, equal_nan=True)
    assert np.allclose(one.bse, other.bse, rtol=0, atol=1e-11, equal_nan=True)
    assert abs(one.deviance - other.deviance) < 1e-9


@pytest.mark.parametrize("model", MODELS)
def test_the_claims_file_has_the_model_and_the_data_of_the_table(model: ModelClaim) -> None:
    table = pairproof.read(DRAS)
    same(refitted(draft(table, model, "mine").claims), fit_model(table, model))


def test_names_with_quotes_and_numbers_that_are_not_whole_survive() -> None:
    table = pairproof.read(ODD)
    for model in (
        ModelClaim("bradley-terry", ties="none", order_effect=True),
        ModelClaim("bradley-terry", ties="none", by="age"),
    ):
        same(refitted(draft(table, model, "odd").claims), fit_model(table, model))


def test_a_place_for_an_item_with_quotes_in_its_name_is_valid_toml() -> None:
    text = draft(pairproof.read(ODD), ModelClaim("bradley-terry", ties="none"), "odd").claims
    places = [tomllib.loads(row[2:]) for row in text.splitlines() if row.startswith(("# stat", "# estimate"))]
    assert 'worth.all.A "q"' in places[1]["stat"] and set(places[0]["estimate"]) == {"b", "\u0160"}


def test_a_label_that_is_missing_stays_missing_and_becomes_no_word() -> None:
    table = pairproof.read({**ODD, "room": ["r1", None, "r2", None]})
    model = ModelClaim("bradley-terry", ties="none", cells=("row",))
    text = draft(table, model, "odd").claims
    assert '"None"' not in text and '"nan"' not in text
    same(refitted(text), fit_model(table, model))


def test_a_comparison_whose_judge_is_not_known_is_kept() -> None:
    votes = {
        "first": ["A", "A", "B", "A"],
        "second": ["B", "C", "C", "B"],
        "outcome": ["first", "second", "first", "second"],
        "judge": ["1", None, "2", "2"],
    }
    table = pairproof.read(votes)
    found = parse_claims(draft(table, ModelClaim("llbt"), "mine").claims)
    assert read_data(found, "table").pooled() == table.pooled()


def test_the_scale_that_was_asked_for_is_stated() -> None:
    text = draft(pairproof.read(DRAS), ModelClaim("llbt", scale="log-odds"), "mine").claims
    assert refitted(text).scale == "log-odds"


def test_a_long_table_becomes_a_file_with_its_hash(tmp_path: Path) -> None:
    rows = {"first": [], "second": [], "wins": [], "losses": []}
    for i in range(30):
        for j in range(i + 1, 30):
            for name, value in zip(rows, (f"i{i}", f"i{j}", (i * j) % 5 + 1, (i + j) % 4 + 1)):
                rows[name].append(value)
    table = pairproof.read(rows)
    found = draft(table, ModelClaim("llbt"), "long")
    assert table.n_rows > MOST_INLINE and found.csv_name == "long.csv" and "rows =" not in found.claims
    (tmp_path / "long.csv").write_text(found.csv, encoding="utf-8")
    same(refitted(found.claims, str(tmp_path)), pairproof.fit_llbt(table))
    (tmp_path / "long.csv").write_text(found.csv.replace("i0,i1,1,2", "i0,i1,2,2"), encoding="utf-8")
    with pytest.raises(InputError, match="the data have changed"):
        refitted(found.claims, str(tmp_path))


def test_levels_in_an_order_of_ones_own_are_refused() -> None:
    table = pairproof.read(DRAS, levels={"judge": ["3", "1", "2", "4"]})
    with pytest.raises(InputError, match="its levels are in the order 3, 1, 2, 4"):
        draft(table, ModelClaim("llbt", by="judge"), "mine")


def test_every_place_can_be_filled_in() -> None:
    """With the # taken away and a number in each place, the file is read and every number comes out."""
    table = pairproof.read(DRAS)
    fit = pairproof.fit_llbt(table, by="judge")
    text = draft(table, ModelClaim("llbt", by="judge"), "mine").claims
    for kind, series in (("estimate", fit.params), ("se", fit.bse), ("z", fit.zvalues), ("p", fit.pvalues)):
        line = next(row for row in text.splitlines() if row.startswith(f"# {kind} ="))
        filled = line[2:]
        for name in tomllib.loads(filled)[kind]:
            key = f'"{name}"' if ":" in name else name
            filled = filled.replace(f'{key} = ""', f'{key} = "{series[name]:.4f}"')
        text = text.replace(line, filled)
    text = text.replace('# deviance = "... on ..."', f'deviance = "{fit.deviance:.3f} on {fit.df_resid}"')
    paper = parse_claims("\n".join(row for row in text.splitlines() if not row.startswith("compare_only")))
    rows = Checker(paper).all()
    assert len(rows) == 4 * int(fit.free.sum()) + 2 and {a.verdict for a in rows} == {"agrees"}


def test_the_command_writes_and_check_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "mine.claims.toml"
    assert (
        main(
            [
                "claims",
                "new",
                str(DRAS),
                "--out",
                str(out),
                "--model",
                "bradley-terry",
                "--title",
                'A "title"',
            ]
        )
        == 0
    )
    assert f"{out}: 4 parameters to fill in; then pairproof check {out}" in capsys.readouterr().out
    assert read_claims(out).title == 'A "title"' and read_claims(out).id == "mine"
    assert main(["check", str(out), "--r", "none"]) == 0
    assert main(["claims", "new", str(DRAS), "--out", str(out)]) == 3
    assert "exists already" in capsys.readouterr().err
    assert main(["claims", "new", str(DRAS), "--out", str(out), "--force", "--quiet", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"files": [str(out)], "parameters": 4, "claims": None}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["claims"], "claims new TABLE"),
        (["claims", "nwe", "x.csv"], "No such command 'nwe'"),
        (["claims", "new", "nowhere.csv"], "nowhere.csv"),
        (["claims", "new", str(DRAS), "--out", "mine.toml"], "must end in .claims.toml"),
        (["claims", "new", str(DRAS), "--id", "a b"], "expected letters, digits, hyphens"),
        (["claims", "new", str(DRAS), "--reference", "Q"], "Q"),
        (["claims", "new", str(DRAS), "--by", "nobody"], "nobody"),
    ],
)
def test_bad_usage_ends_with_3_and_says_what_to_do(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 3
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[paper]\nid = 3\n", 2, "id = 3; expected a string in quotes"),
        ('[paper]\nid = "x"\n', 1, "[paper] has no title"),
        ('[paper]\nid = "x"\ntitle = "t"\n[claims]\n', 4, "did you mean 'claim'"),
        (
            '[paper]\nid = "x"\ntitle = "t"\n[[claim]]\nid = "c"\ncompute = "magic"\nstat = { a = "1" }\n',
            6,
            "no computation 'magic'",
        ),
        (
            '[paper]\nid = "x"\ntitle = "t"\n[[claim]]\nid = "c"\ncompute = "bias-reduced"\n',
            6,
            "print some, in stat",
        ),
        (
            '[paper]\nid = "x"\ntitle = "t"\n[data.d]\nkind = "counts"\nin_place = 1\n',
            6,
            "in_place = 1; expected true or false",
        ),
        (
            (
                '[paper]\nid = "x"\ntitle = "t"\n[data.d]\nkind = "counts"\nin_place = true\ncolumns ='
                ' ["a"]\nrows = [[1]]\n'
            ),
            6,
            "name the file",
        ),
        ("[paper\n", 1, "not TOML"),
    ],
)
def test_a_malformed_file_is_refused_with_exit_code_3_and_its_line(
    text: str, line: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.claims.toml"
    file.write_text(text, encoding="utf-8")
    assert main(["check", str(file)]) == 3
    said = capsys.readouterr().err
    assert message in said and f"line {line}" in said and "Traceback" not in said
