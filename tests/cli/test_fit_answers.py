"""`pairproof fit-answers`: every layout, its words, its JSON, its report and its refusals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest

import pairproof
from pairproof.cli import main
from pairproof.cli.commands.fit_answers import COMPARED, MODELS
from pairproof.cli.naming import flag
from pairproof.cli.options.respondents import ARGUMENTS, LAYOUTS
from pairproof.data.respondents.read_answers import READERS, AnswerLayout
from tests.data.respondents.tables import SALAD, SALAD_PERSONS
from tests.places import SCHEMAS

SCHEMA = json.loads((SCHEMAS / "fit.schema.json").read_text(encoding="utf-8"))
RANKS = ("--layout", "ranks", "--items", "A,B,C,D")


def csv(*rows: object) -> str:
    return "\n".join(rows if isinstance(rows[0], str) else (",".join(map(str, r)) for r in rows)) + "\n"  # type: ignore[arg-type]  # all rows are of one kind


@pytest.fixture()
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Salad in several layouts, each row with its number of persons."""
    rows = [(*r, w, "fm"[k % 2]) for k, (r, w) in enumerate(zip(SALAD.tolist(), SALAD_PERSONS.tolist()))]
    (tmp_path / "salad.csv").write_text(
        "A,B,C,D,weight,sex\n" + "".join(",".join(map(str, r)) + "\n" for r in rows), encoding="utf-8"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = main(["fit-answers", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def fitted(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    code, out, err = run(capsys, *arguments, "--json")
    assert code == 0, err
    document: dict[str, Any] = json.loads(out)
    jsonschema.validate(document, SCHEMA)
    return document


# -- the options are those of the functions ------------------------------------------------------------------


def test_the_options_name_every_layout_and_every_argument_of_every_reader() -> None:
    import inspect

    assert LAYOUTS == get_args(AnswerLayout) == tuple(READERS)
    of_readers = {n for reader in READERS.values() for n in inspect.signature(reader).parameters} - {"source"}
    assert of_readers == set(ARGUMENTS)


def test_the_options_name_every_argument_of_every_model() -> None:
    import inspect

    from pairproof.cli.commands.fit_answers import command

    options = {p.name for p in command.params}
    for function in MODELS.values():
        assert set(inspect.signature(getattr(pairproof, function)).parameters) - {"table"} <= options
    assert {name.replace("-", "_") for name in COMPARED} <= options


# -- fits ----------------------------------------------------------------------------------------------------


def test_both_models_of_salad_have_the_estimates_of_their_functions(here, capsys):
    table = pairproof.read_respondents("salad.csv", "ranks", items=list("ABCD"))
    for model, function in MODELS.items():
        document = fitted(capsys, "salad.csv", *RANKS, "--model", model)
        fit = getattr(pairproof, function)(table)
        assert document["params"] == fit.params.to_dict() and document["llf"] == fit.llf
        assert (document["answers"], document["n_persons"], document["n_possible"]) == ("rankings", 32, 24)
        assert document["goodness_of_fit"]["df"] == 20


def test_a_model_is_compared_with_one_that_differs_in_an_option(here, capsys):
    document = fitted(capsys, "salad.csv", *RANKS, "--by", "sex", "--compare", "by=")
    table = pairproof.read_respondents("salad.csv", "ranks", items=list("ABCD"))
    test = pairproof.fit_pattern(table, by="sex").compare(pairproof.fit_pattern(table))
    found = document["comparison"]
    assert (found["statistic"], found["df"], found["p"]) == (test.statistic, 3, test.p) and not found[
        "why_not"
    ]


def test_models_that_are_not_nested_are_compared_by_aic_alone(here, capsys):
    code, out, _ = run(capsys, "salad.csv", *RANKS, "--compare", "model=plackett-luce")
    assert code == 0 and "No likelihood-ratio test: the models are not nested" in out
    assert "AIC 160.8915" in out and "AIC 158.8306" in out
    document = fitted(capsys, "salad.csv", *RANKS, "--compare", "model=plackett-luce")
    assert document["comparison"]["p"] is None and "not nested" in document["comparison"]["why_not"]


def test_answers_are_shown_as_many_as_were_asked_for_the_most_frequent_first(here, capsys):
    document = fitted(capsys, "salad.csv", *RANKS, "--by", "sex", "--patterns", "3", "--predicted", "2")
    observed = [row["observed"] for row in document["patterns"]]
    assert observed == [11, 6, 3] and len(document["predicted"]) == 4
    code, out, _ = run(capsys, "salad.csv", *RANKS, "--patterns", "2", "--predicted", "1")
    assert code == 0 and "10 more answers of 15 persons are not shown" in out
    assert out.count("B > C > D > A") == 2 and "0.2293" in out


def test_errors_by_person_and_by_column_are_those_of_clustered(here, capsys):
    table = pairproof.read_respondents("salad.csv", "ranks", items=list("ABCD"))
    fit = pairproof.fit_pattern(table)
    by_person = fitted(capsys, "salad.csv", *RANKS, "--cluster", "person", "--cluster-kind", "CR0")
    assert by_person["bse"]["A"] == fit.clustered(kind="CR0").bse["A"]
    assert by_person["covariance"] == {"kind": "CR0", "clusters": [], "n_clusters": [32]}
    by_sex = fitted(capsys, "salad.csv", *RANKS, "--cluster", "sex")
    assert by_sex["bse"]["A"] == fit.clustered("sex").bse["A"] and by_sex["covariance"]["clusters"] == ["sex"]


LAYOUT_CASES = {
    "long-ranks": (
        csv(("id", "beer", "place"), (1, "A", 1), (1, "B", 2), (2, "B", 1), (2, "C", 2), (3, "C", 1), (3, "A", 2)),
        ("--person", "id", "--item", "beer", "--rank", "place", "--unranked", "absent"),
    ),
    "orders": (
        csv(("first", "second", "third"), ("A", "C", "B"), ("B", "C", "A"), ("C", "A", "B")),
        ("--places", "first,second,third"),
    ),
    "ranking-text": (csv(("r",), ("A > B = C",), ("C > A > B",), ("B > C > A",)), ("--column", "r")),
    "rankings": (
        csv(("system1", "rank1", "system2", "rank2"), ("A", 1, "B", 2), ("B", 1, "C", 2), ("C", 1, "A", 2)),
        ("--col", "judge=nobody"),
    ),
    "ratings": (
        csv(("A", "B", "C"), (1, 2, 3), (3, 1, 2), (2, 3, 1), (1, 1, 2)),
        ("--items", "A,B,C", "--scale", "1,2,3", "--best", "low"),
    ),
    "paircomp": (csv(("x",), ('"{a > b, a < c, b > c}"',), ('"{a < b, a > c, b = c}"',)), ("--column", "x")),
    "pairs": (
        csv(("V1", "V2", "V3"), (1, -1, 1), (-1, 1, 1), (0, 1, -1), (1, "NA", 1)),
        ("--items", "A,B,C", "--pair-order", "prefmod", "--coding", "first=1,tie=0,second=-1,missing=NA"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("layout", sorted(LAYOUT_CASES))
def test_every_layout_is_read_from_a_file(here, capsys, layout):
    text, options = LAYOUT_CASES[layout]
    if layout == "rankings":
        options = ()
    (here / "t.csv").write_text(text, encoding="utf-8")
    document = fitted(capsys, "t.csv", "--layout", layout, *options)
    assert document["n_persons"] == len(text.splitlines()) - 1 or layout == "long-ranks"
    assert document["items"] in (["A", "B", "C"], ["a", "b", "c"])


def test_codes_without_a_rank_and_times_are_read_as_they_are_said(here, capsys):
    (here / "t.csv").write_text("A,B,C\n1,2,0\n2,1,NA\n2,1,3\n1,0,2\n", encoding="utf-8")
    ranks = ("t.csv", "--layout", "ranks", "--items", "A,B,C", "--unranked", "0=below,NA=absent")
    assert fitted(capsys, *ranks)["n_persons"] == 4
    (here / "u.csv").write_text("a.1,b.1,a.2,b.2\n1,2,2,1\n2,1,2,2\n2,2,1,2\n", encoding="utf-8")
    ratings = ("u.csv", "--layout", "ratings", "--items", "a,b", "--scale", "1-2", "--best", "low")
    for times in (".1,.2", "2"):
        more = ("--answers", "a.1,b.1,a.2,b.2") if times == "2" else ()
        assert fitted(capsys, *ratings, "--times", times, *more)["times"] == ["1", "2"]


def test_a_defect_of_prefmod_is_reproduced_where_it_is_asked_for_and_is_named(here, capsys):
    # One comparison shows two of three answers, so that pattPC.fit takes ties for losses.
    (here / "t.csv").write_text(
        "V1,V2,V3\n" + "1,1,1\n-1,0,1\n1,-1,-1\n-1,1,0\n1,0,1\n-1,-1,-1\n", encoding="utf-8"
    )
    options = (
        "--layout",
        "pairs",
        "--items",
        "A,B,C",
        "--pair-order",
        "prefmod",
        "--coding",
        "first=1,tie=0,second=-1",
    )
    plain = fitted(capsys, "t.csv", *options)
    as_prefmod = fitted(capsys, "t.csv", *options, "--compat", "prefmod:B1-ties-as-losses")
    assert "tie" in plain["params"] and "tie" not in as_prefmod["params"]
    assert "as-prefmod" in as_prefmod["warning_kinds"]
    code, out, err = run(capsys, "t.csv", *options, "--compat", "prefmod:B99")
    assert (code, out) == (3, "") and "B99" in err


# -- the report ----------------------------------------------------------------------------------------------


def test_the_report_has_the_frequent_and_the_worst_fitted_answers_and_the_picture(here, capsys):
    code, _, _ = run(capsys, "salad.csv", *RANKS, "--report", "out.html", "--report", "out.md")
    page, text = (Path(name).read_text(encoding="utf-8") for name in ("out.html", "out.md"))
    assert code == 0 and page.count("<svg") >= 2
    assert "32 persons, 12 different of 24 possible rankings of 4 items" in text
    worst = text[text.index("Worst fit") :].replace("\\", "")
    assert worst.index("A > B > C > D") < worst.index("D > C > A > B") < worst.index("B > C > D > A")


def test_a_report_of_many_possible_answers_says_that_they_are_not_listed(here, capsys):
    rows = [[(k + j) % 10 + 1 for j in range(10)] for k in range(10)] + [list(range(10, 0, -1))]
    names = [f"i{k}" for k in range(10)]
    (here / "ten.csv").write_text(csv(names, *rows), encoding="utf-8")
    code, _, err = run(
        capsys, "ten.csv", "--layout", "ranks", "--items", ",".join(names), "--report", "out.md"
    )
    assert code == 0, err
    assert "there are 3,628,800 possible answers; at most 400,000" in Path("out.md").read_text(
        encoding="utf-8"
    )


def test_a_notebook_says_persons_and_not_comparisons(here):
    table = pairproof.read_respondents("salad.csv", "ranks", items=list("ABCD"))
    html = pairproof.fit_pattern(table)._repr_html_()
    assert "32 persons, 12 different of 24 possible rankings of 4 items" in html and "comparisons" not in html


# -- refusals ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("options", "said"), [
    (("--layout", "pairs", "--items", "A,B"), "--layout pairs needs --pair-order and --coding, which are not guessed"),
    ((*RANKS, "--places", "a,b"), "--places does not apply to --layout ranks, which has --items, --answers"),
    ((*RANKS, "--pseudo", "0.5"), "--pseudo does not apply to --model pattern"),
    ((*RANKS, "--model", "plackett-luce", "--dependence"), "--dependence does not apply to --model plackett-luce"),
    ((*RANKS, "--compare", "dep=yes"), "expected one of by, ties"),
    ((*RANKS, "--compare", "dependence=maybe"), "expected yes or no"),
    ((*RANKS, "--compare", "model=llbt"), "expected pattern or plackett-luce"),
    ((*RANKS, "--cluster-kind", "CR0"), "add --cluster person"),
    ((*RANKS, "--r", "live"), "add --verify"),
    ((*RANKS, "--report", "out.xml"), "a JUnit report (.xml) lists verdicts"),
    ((*RANKS, "--tie-orders", "two"), "expected numbers of items such as 2,3"),
    (("--layout", "ratings", "--items", "A,B,C,D", "--scale", "1,x", "--best", "low"), "expected a range such as 1-5"),
    ((*RANKS, "--unranked", "0="), "expected NAME=VALUE"),
])  # fmt: skip
def test_bad_usage_is_exit_code_3_and_two_lines(here, capsys, options, said):
    code, out, err = run(capsys, "salad.csv", *options)
    assert (code, out) == (3, "") and said in err and len(err.strip().splitlines()) <= 2, err


def test_without_a_layout_the_whole_command_is_proposed(here, capsys):
    code, out, err = run(capsys, "salad.csv")
    assert (code, out) == (
        3,
        "",
    ) and "    pairproof fit-answers salad.csv --layout ranks --items A,B,C,D\n" in err


@pytest.mark.parametrize(("options", "said"), [
    ((*RANKS, "--dependence"), "dependence has no meaning for rankings"),
    ((*RANKS, "--by", "age"), "no column 'age' in salad.csv"),
    ((*RANKS, "--cluster", "judge"), "salad.csv: no column 'judge'"),
    (("--layout", "ratings", "--items", "A,B,C,D", "--scale", "1-3", "--best", "low"), "salad.csv, row 8 (line 9), column 'A': the rating is '4'"),
    ((*RANKS, "--to-r", "salad.csv"), "salad.csv: is read by this command"),
    ((*RANKS, "--unranked", "last"), "expected 'absent' or 'below'"),
])  # fmt: skip
def test_what_the_data_do_not_allow_is_exit_code_3_and_one_line(here, capsys, options, said):
    before = (here / "salad.csv").read_bytes()
    code, out, err = run(capsys, "salad.csv", *options)
    assert (code, out) == (3, "") and said in err and len(err.strip().splitlines()) == 1, err
    assert (here / "salad.csv").read_bytes() == before


def test_every_option_that_a_message_names_is_there() -> None:
    from pairproof.cli.commands.fit_answers import command

    assert {flag(name) for name in ARGUMENTS} <= {o for p in command.params for o in p.opts}


def test_ties_of_the_model_and_signs_of_ties_in_the_table_are_two_options(here, capsys):
    pairs = (
        "p.csv",
        "--layout",
        "pairs",
        "--items",
        "A,B,C",
        "--pair-order",
        "prefmod",
        "--coding",
        "first=1,tie=0,second=-1",
    )
    (here / "p.csv").write_text("u,v,w\n1,0,1\n-1,1,1\n1,-1,-1\n0,1,-1\n-1,-1,0\n", encoding="utf-8")
    assert fitted(capsys, *pairs)["ties"] == "davidson"
    assert fitted(capsys, *pairs, "--ties", "none")["ties"] == "none"
    (here / "o.csv").write_text("p,q\nA,B=C\nC,A=B\nB,A\nB=A,C\n", encoding="utf-8")
    orders = ("o.csv", "--layout", "orders", "--places", "p,q", "--tied-by", "=", "--unranked", "below")
    assert fitted(capsys, *orders, "--model", "plackett-luce")["n_persons"] == 4


def test_a_tie_where_ties_could_not_be_answered_is_refused(here, capsys):
    (here / "t.csv").write_text("A,B,C\n1,1,2\n2,1,3\n", encoding="utf-8")
    code, out, err = run(capsys, "t.csv", "--layout", "ranks", "--items", "A,B,C", "--tie-category", "no")
    assert (code, out) == (3, "") and "--tie-category no declares that ties were not possible" in err
