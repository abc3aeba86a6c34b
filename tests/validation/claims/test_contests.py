"""Claims of models by formula, with links, random effects and reduced bias; nothing of a claim is run as code."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

from pairproof.errors import InputError
from pairproof.validation import run
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import parse_claims
from pairproof.validation.claims.entries import tomllib
from pairproof.validation.pytest import snapshots
from pairproof.validation.verdicts.agreement import exit_code
from tests.places import DATA
from tools.claims_schema import schema

#: Without the suffix of claims files, by which pytest would collect it.
TEXT = (DATA / "contests_claims.toml").read_text(encoding="utf-8")


def test_printed_numbers_of_the_vignette_and_of_small_tables_come_out(tmp_path):
    file = tmp_path / "contests.claims.toml"
    file.write_text(TEXT, encoding="utf-8")
    found = run(str(file), r="none")
    assert {a.verdict for a in found} == {"agrees"} and len(found) == 75
    assert {a.quantity for a in found} >= {"sigma.item", "sigma_se.item", "sigma_p.item", "sigma.item:judge"}


def test_a_wrong_number_differs():
    text = TEXT.replace('"sigma.item" = ".7067121"', '"sigma.item" = ".8067121"')
    rows = Checker(parse_claims(text, source="x.claims.toml")).all()
    assert [a.quantity for a in rows if a.verdict != "agrees"] == ["sigma.item"]


def test_the_example_fits_the_published_schema():
    jsonschema.Draft7Validator(schema()).validate(tomllib.loads(TEXT))


@pytest.mark.parametrize(
    "formula",
    [
        "__import__('os').system('touch pwned')",
        'x + I(system("touch pwned"))',
        "eval(x)",
        "x.__class__",
        "x); system(touch, pwned",
        "open(pwned)",
        "`x`; touch pwned",
        "(" * 500,
        "x^9999999999",
        "poly(x, 200000000)",
    ],
)
def test_nothing_in_a_formula_is_run(formula, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    escaped = formula.replace("\\", "\\\\").replace('"', '\\"')
    text = TEXT.replace('formula = "x + (1 | item)"', f'formula = "{escaped}"')
    rows = Checker(parse_claims(text, source="x.claims.toml")).all()
    bad = [a for a in rows if a.code == "bad-claim"]
    assert bad and all("x.claims.toml, data 'players': formula=" in a.explanation for a in bad)
    assert exit_code(rows) == 3 and {a.claim for a in bad} < {a.claim for a in rows}, "the others are checked"
    assert not list(Path(tmp_path).iterdir())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('reduce_bias = "mean"', 'reduce_bias = "firth"', "expected one of mean, median, jeffreys"),
        ('method = "pql"', 'method = "reml"', "expected one of laplace, quadrature, pql"),
        ('random = ["item"]', 'random = ["judge"]', "expected item or item:judge"),
        (
            'family = "bradley-terry", reference',
            'family = "llbt", reference',
            'is for family = "bradley-terry"',
        ),
        ('formula = "x"', 'formla = "x"', "did you mean 'formula'"),
    ],
)
def test_a_misspelt_model_is_refused_with_its_line(old, new, message):
    assert old in TEXT
    with pytest.raises(InputError, match=r"x\.claims\.toml, line \d+") as caught:
        parse_claims(TEXT.replace(old, new, 1), source="x.claims.toml")
    assert message in str(caught.value)


def test_snapshots_keep_the_numbers_of_random_effects(tmp_path):
    checker = Checker(parse_claims(TEXT, source="x.claims.toml"))
    for claim in ("players-pql", "players-laplace", "judges", "bias-reduced"):
        fit = checker.fit(claim)
        numbers = snapshots.numbers_of(fit)
        snapshots.write(tmp_path / "s.json", "test", fit, numbers)
        kept = snapshots.read(tmp_path / "s.json")
        assert kept is not None and snapshots.changes(kept.numbers, numbers, fit) == []
        if claim != "bias-reduced":
            (name,) = [n for n in numbers if n.startswith("sigma.")]
            value = kept.numbers[name]
            assert value is not None
            (change,) = snapshots.changes({**kept.numbers, name: value * 1.001}, numbers, fit)
            assert name in str(change)
        (tmp_path / "s.json").unlink()
