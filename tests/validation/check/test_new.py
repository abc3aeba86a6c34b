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
from pairproof.validation.claims.data import fit_model, read_answers, read_data
from pairproof.validation.claims.entries import tomllib
from pairproof.validation.claims.paper import ModelClaim, PrintedQuantity
from pairproof.validation.claims.printed import Printed
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
    assert "already exists" in capsys.readouterr().err
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


def test_the_schema_is_written_for_an_editor_as_the_package_ships_it(tmp_path, capsys) -> None:
    from importlib import resources

    from pairproof.cli.app import run

    shipped = resources.files("pairproof.validation.claims").joinpath("claims.schema.json").read_text("utf-8")
    file = tmp_path / "claims.schema.json"
    assert run(["claims", "schema", "--out", str(file)]) == 0
    assert file.read_text(encoding="utf-8") == shipped and "written" in capsys.readouterr().out
    assert run(["claims", "schema"]) == 0 and json.loads(capsys.readouterr().out) == json.loads(shipped)


SALAD = """A,B,C,D,age,weight
1,2,3,4,30,2
2,1,3,4,40,1
2,1,4,3,30,2
3,4,2,1,40,1
4,1,2,3,30,11
4,1,3,2,40,6
4,2,1,3,30,3
4,3,2,1,40,1
"""
ITEM_DATA = """item,acetic,gluconic,made.of
A,0.5,0,oil
B,0.5,10,oil
C,1,0,egg
D,0,10,egg
"""
ANSWERS = {
    "rankings": {
        "A": [1, 2, 1, None],
        "B": [2, 1, 1, 1],
        "C": [3, 0, 2, 2],
        "D": [0, 0, 3, 3],
        "sex": ["m", "f", "m", "f"],
    },
    "ratings": {
        "A": [1, 2, 1, None, 4, 2],
        "B": [2, 2, 5, 1, 2, 2],
        "C": [3, 4, 2, 1, 1, 5],
        "age": [20, 30, 20, 30.5, 20, 30],
    },
    "pairs": {
        "1": [1, 1, 0, 1],
        "2": [0, 1, 1, None],
        "3": [1, 0, 1, 1],
        "sex": ["m", "f", "m", "f"],
        "weight": [3, 4, 2, 2.5],
    },
}
READ = {
    "rankings": {"layout": "ranks", "items": list("ABCD"), "unranked": {0: "below", "NA": "absent"}},
    "ratings": {"layout": "ratings", "items": list("ABC"), "scale": [1, 2, 3, 4, 5, 6], "best": "high"},
    "pairs": {
        "layout": "pairs", "items": list("ABC"), "pair_order": "lexicographic", "tie_category": True, "pair_names": "ignore",
        "coding": {"first": 1, "second": 0, "missing": "NA"},
    },
}  # fmt: skip


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "salad.csv").write_text(SALAD, encoding="utf-8")
    (tmp_path / "items.csv").write_text(ITEM_DATA, encoding="utf-8")
    (tmp_path / "votes.csv").write_text(
        "first,second,wins,losses,home\nA,B,3,9,1\nA,C,4,6,0\nA,D,2,7,1\nB,C,6,3,0\nB,D,8,4,1\nC,D,5,5,0\n",
        encoding="utf-8",
    )
    (tmp_path / "systems.csv").write_text(
        "system1,rank1,system2,rank2,system3,rank3\nA,1,B,2,C,3\nB,1,A,2,C,3\nC,1,A,2,B,3\nA,1,C,2,B,3\n",
        encoding="utf-8",
    )
    return tmp_path


def written(here: Path, *arguments: str) -> Checker:
    """The claims file of the command, read."""
    out = here / "mine.claims.toml"
    assert main(["claims", "new", *arguments, "--out", str(out), "--force", "--quiet"]) == 0
    return Checker(read_claims(out))


@pytest.mark.parametrize("kind", [*ANSWERS])
@pytest.mark.parametrize("family", ["pattern", "plackett-luce", "llbt"])
def test_whole_answers_are_written_as_they_are(kind: str, family: str) -> None:
    table = pairproof.read_respondents(ANSWERS[kind], **READ[kind])
    model = ModelClaim(family, npseudo=0.5 if family == "plackett-luce" else 0.0)
    if family == "plackett-luce" and kind == "pairs" or family == "pattern" and kind == "rankings":
        return  # no such model
    text = draft(table, model, "mine").claims
    found = read_answers(parse_claims(text), "table")
    assert (
        found.kind == table.kind and found.items == table.items and found.tie_category == table.tie_category
    )
    assert found.scale == table.scale and sorted(found.sentences()) == sorted(table.sentences())
    own = table.to_comparisons() if family == "llbt" else table
    same(refitted(text), fit_model(own, model))


def test_repeated_rankings_and_subject_covariates_survive() -> None:
    table = pairproof.read_respondents(
        {"A.1": [1, 2, 1], "B.1": [2, 1, 2], "A.2": [1, 2, 2], "B.2": [2, 1, 1], "sex": ["m", "f", "m"]},
        layout="ranks",
        items=list("AB"),
        times=[".1", ".2"],
    )
    model = ModelClaim("pattern")
    same(refitted(draft(table, model, "mine").claims), fit_model(table, model))
    ratings = pairproof.read_respondents(ANSWERS["ratings"], **READ["ratings"])
    model = ModelClaim("pattern", by="age")
    text = draft(ratings, model, "mine").claims
    assert "30.5" in text
    same(refitted(text), fit_model(ratings, model))


def test_long_rankings_become_a_file_with_its_layout(tmp_path: Path) -> None:
    table = pairproof.read_respondents(
        {name: [((k * m + 17) ** 3) % 9973 for k in range(700)] for m, name in enumerate("ABCDEFGH", 3)},
        layout="ranks",
        items=list("ABCDEFGH"),
        zero_based=True,
    )
    found = draft(table, ModelClaim("plackett-luce"), "long")
    (tmp_path / "long.csv").write_text(found.csv, encoding="utf-8")
    assert 'kind = "file"' in found.claims and 'layout = "ranks"' in found.claims
    same(refitted(found.claims, str(tmp_path)), pairproof.fit_plackett_luce(table))


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ("salad.csv --model plackett-luce --layout ranks --items A,B,C,D", "ABCD"),
        ("salad.csv --model pattern --layout ranks --items A,B,C,D --by age", None),
        (
            "salad.csv --model plackett-luce --layout ranks --items A,B,C,D --item-data items.csv"
            " --item-terms gluconic --separate D",
            ["gluconic", "D"],
        ),
        ("votes.csv --item-data items.csv --item-terms made.of", ["made.of[oil]"]),
        (
            "votes.csv --model bradley-terry --item-data items.csv --item-terms acetic,gluconic",
            ["acetic", "gluconic"],
        ),
        ("votes.csv --model bradley-terry --item-data items.csv --formula gluconic+home --separate A", None),
        (
            "votes.csv --model bradley-terry --item-data items.csv --formula gluconic+acetic",
            ["gluconic", "acetic"],
        ),
        ("votes.csv --model bradley-terry --item-data items.csv --formula gluconic+(1|item)", ["gluconic"]),
        ("votes.csv --comparison-terms home --ties none", ["A", "B", "C", "D", "home"]),
        ("votes.csv --model bradley-terry --offset home", "ABCD"),
        ("votes.csv --model bradley-terry --weights home", None),
        ("votes.csv --model bradley-terry --link probit --reduce-bias mean", None),
        ("votes.csv --model bradley-terry --order-effect --reference C", ["A", "B", "C", "D", "order"]),
    ],
)
def test_every_option_of_the_model_has_an_effect_in_the_file(
    here: Path, arguments: str, names: list[str] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    words = arguments.split()
    out = here / "mine.claims.toml"
    code = main(["claims", "new", *words, "--out", str(out), "--quiet"])
    if names is None and code:
        assert code == 3 and capsys.readouterr().err  # refused, with the reason
        return
    checker = Checker(read_claims(out))
    fit, stated = checker.fit("table-1"), checker.paper.claims[0].model
    assert stated is not None and (names is None or [*fit.names] == [*names])
    for option in (word for word in words if word.startswith("--")):
        key = {"model": "family"}.get(option[2:], option[2:].replace("-", "_"))
        where = checker.paper.data["table"] if key in ("item_data", "layout", "items") else stated
        assert getattr(where, key) not in ("", (), {}, False, None), option


def test_item_data_stand_in_the_file_whether_the_model_uses_them_or_not(here: Path) -> None:
    checker = written(here, "votes.csv", "--item-data", "items.csv")
    assert checker.paper.data["table"].item_data == {
        "acetic": {"A": 0.5, "B": 0.5, "C": 1, "D": 0},
        "gluconic": {"A": 0, "B": 10, "C": 0, "D": 10},
        "made.of": {"A": "oil", "B": "oil", "C": "egg", "D": "egg"},
    }


def test_rankings_of_systems_are_recognised_and_written_whole(here: Path) -> None:
    for model, family in (([], ""), (["--model", "llbt"], "llbt")):
        checker = written(here, "systems.csv", *model)
        claim = checker.paper.claims[0]
        assert checker.paper.data["table"].layout == "ranks" and claim.model is not None
        assert claim.model.family == family and checker.answers("table").n_persons == 4
    checker = written(here, "systems.csv", "--model", "plackett-luce", "--layout", "rankings")
    same(checker.fit("table-1"), pairproof.fit_plackett_luce(checker.answers("table")))


def test_a_file_without_a_model_is_not_checkable_until_one_is_said(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(here, "salad.csv", "--layout", "ranks", "--items", "A,B,C,D")
    assert main(["check", "mine.claims.toml", "--r", "none"]) == 0
    said = capsys.readouterr().out
    assert "not-checkable" in said and 'family = "plackett-luce"' in said


def test_a_ranking_that_has_no_estimates_without_a_prior_can_be_begun(here: Path) -> None:
    (here / "few.csv").write_text("A,B,C\n1,2,3\n1,3,2\n", encoding="utf-8")
    checker = written(here, "few.csv", "--model", "plackett-luce", "--layout", "ranks", "--items", "A,B,C")
    assert "estimate = { B = " in (here / "mine.claims.toml").read_text(encoding="utf-8")
    assert checker.paper.claims[0].model == ModelClaim("plackett-luce", reference="A")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("salad.csv --model plackett-luce", "use --layout"),
        ("salad.csv --model pattern --layout counts", "use --layout"),
        ("salad.csv --layout ranks --items A,B,C,D --winner rows", "--winner does not apply to --layout ranks"),
        ("votes.csv --unranked below", "--unranked is for whole answers"),
        ("votes.csv --npseudo 0.5", "--npseudo"),
        ("votes.csv --formula home", '--formula: formula is for family = "bradley-terry"'),
        ("salad.csv --model plackett-luce --layout ranks --items A,B,C,D --cells age", "--cells"),
        ("salad.csv --model plackett-luce --layout ranks --items A,B,C,D --order-effect", "--order-effect"),
        ("salad.csv --model plackett-luce --layout ranks --items A,B,C,D --levels age=40,30", "--levels age=... has no effect"),
        ("salad.csv --model pattern --layout ranks --items A,B,C,D --by age --levels age=40,30", "its levels are in the order"),
        ("votes.csv --levels home=1,0", "has no effect"),
        ("votes.csv --separate A", "separate"),
        ("systems.csv --coding first=1,second=2", "but this table is 'rankings'"),
        ("votes.csv --item-terms acetic", "acetic"),
    ],
)  # fmt: skip
def test_an_option_without_an_effect_is_refused(
    here: Path, arguments: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["claims", "new", *arguments.split()]) == 3
    said = capsys.readouterr().err
    assert message in said and "Traceback" not in said


def test_numbers_of_a_page_are_written_in_its_order_with_what_it_states() -> None:
    table = pairproof.read(DRAS)
    page = [
        ("se.C", "0.10"),
        ("se.A", "0.20"),
        ("estimate.C", "-1.20"),
        ("aic", "12.0"),
        ("worth.all.A", ".310"),
    ]
    numbers = [PrintedQuantity(name, Printed.parse(value), 0) for name, value in page]
    text = draft(
        table, ModelClaim("llbt"), "mine", "T", numbers, {"where": "Table 2", "alpha": "0.01"}
    ).claims
    claim = parse_claims(text).claims[0]
    assert {(str(q.quantity), q.printed.text) for q in claim.numbers} == set(page)
    assert text.index("se = {") < text.index("estimate = {") and text.index("C =") < text.index(
        "A =", text.index("se = {")
    )
    assert claim.where == "Table 2" and claim.alpha == "0.01" and "compare_only" not in text
    assert draft(table, ModelClaim("llbt"), "mine", numbers=numbers).n_numbers == 5


def test_a_deviance_printed_with_its_degrees_of_freedom_is_written_once() -> None:
    table, page = pairproof.read(DRAS), Printed.parse("12.50 on 3")
    assert page.on is not None
    numbers = [PrintedQuantity("deviance", page, 0), PrintedQuantity("df_resid", page.on, 0)]
    text = draft(table, ModelClaim("llbt"), "mine", numbers=numbers).claims
    found = parse_claims(text).claims[0].numbers
    assert [(str(q.quantity), q.printed.text) for q in found] == [
        ("deviance", "12.50 on 3"),
        ("df_resid", "3"),
    ]
