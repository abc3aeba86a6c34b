"""--where and --tracks of every command that reads a table; what is left is told on standard error."""

from __future__ import annotations

import csv
import json

import pytest

from pairproof.cli.app import run
from tests.data.test_tracks import RANKINGS
from tests.data.test_where import LANGUAGES


def written(path, columns):
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows(zip(*columns.values()))
    return str(path)


@pytest.fixture
def languages(tmp_path):
    return written(tmp_path / "l.csv", LANGUAGES)


@pytest.fixture
def wmt(tmp_path):
    return written(tmp_path / "wmt.csv", RANKINGS)


def ran(capsys, *arguments):
    code = run(arguments)
    out, err = capsys.readouterr()
    return code, out, err


def test_a_fit_of_some_rows_is_that_of_a_file_of_these_rows(capsys, languages, tmp_path):
    alone = written(tmp_path / "en.csv", {name: values[:3] for name, values in LANGUAGES.items()})
    code, out, err = ran(capsys, "fit", languages, "--where", "lang=en", "--json")
    of_rows = json.loads(out)
    assert code == 0 and err.startswith("lang=en: 23 of 33 comparisons; 1 item has no comparison there")
    of_file = json.loads(ran(capsys, "fit", alone, "--json")[1])
    same = ("items", "params", "bse", "deviance", "df_resid", "not_estimable", "cov_params")
    assert {key: of_rows[key] for key in same} == {key: of_file[key] for key in same}


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("foo", "--where foo: expected NAME=VALUE"),
        ("nope=1", "no column 'nope'; found first, second, wins, losses, lang (and of each comparison ties)"),
        ("lang<3", "column 'lang' is not numeric (it contains 'de')"),
        ("lang=fr", "no row has 'fr'; the values are de, en"),
        ("wins>100", "no row has wins>100; its values range from 1 to 6"),
        ("wins>many", "is numeric; 'many' is not a number"),
    ],
)
def test_a_condition_that_cannot_be_is_bad_input(capsys, languages, condition, said):
    code, out, err = ran(capsys, "fit", languages, "--where", condition)
    assert (code, out) == (3, "") and said in err


def test_a_reference_that_is_gone_is_bad_input(capsys, languages):
    code, _, err = ran(capsys, "fit", languages, "--where", "lang=en", "--reference", "G")
    assert code == 3 and "G has no comparison where lang=en: name a remaining item" in err


ONE = ("--where", "srclang=Czech")
COMMANDS = [
    ("fit",),
    ("fit", "--model", "bradley-terry"),
    ("fit-answers", "--layout", "rankings"),
    ("compare-two",),
    ("audit",),
    ("watch",),
    ("next-pairs",),
    ("sample-size", "--goal", "ranking", "--simulate", "20"),
    ("predict",),
]


@pytest.mark.filterwarnings("ignore::pairproof.errors.RankingWarning")
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_several_tracks_are_an_error_that_one_track_or_each_by_itself_cures(capsys, wmt, tmp_path, command):
    new = written(tmp_path / "new.csv", {"first": ["A"], "second": ["A"]})
    if command == ("predict",):
        new = written(tmp_path / "new.csv", {"first": ["A", "A"], "second": ["B", "C"]})
        command = ("predict", "--new", new)
    name, *options = command
    code, out, err = ran(capsys, name, wmt, *options)
    assert (code, out) == (3, "")
    assert "2 tracks (srclang, trglang), each a separate competition" in err
    assert "--where srclang=Czech --where trglang=English" in err and "--tracks srclang,trglang" in err
    code, out, err = ran(capsys, name, wmt, *options, *ONE, "--json")
    assert code == 0 and json.loads(out)
    assert "srclang=Czech: " in err
    if name == "predict":
        return
    code, out, _ = ran(capsys, name, wmt, *options, "--tracks", "srclang,trglang", "--json")
    assert code == 0 and list(json.loads(out)["tracks"]) == ["Czech-English", "German-English"]
    code, out, _ = ran(capsys, name, wmt, *options, "--tracks", "srclang,trglang")
    assert code == 0 and out.startswith("Track Czech-English\n") and "\nTrack German-English\n" in out
    assert ran(capsys, name, wmt, *options, "--tracks", "pooled")[0] == 0


def test_each_track_has_the_document_that_it_has_alone(capsys, wmt, tmp_path):
    together = json.loads(ran(capsys, "fit", wmt, "--tracks", "srclang,trglang", "--json")[1])["tracks"]
    alone = json.loads(ran(capsys, "fit", wmt, *ONE, "--json")[1])
    assert together["Czech-English"]["params"] == alone["params"]
    assert together["Czech-English"]["cov_params"] == alone["cov_params"]
    page, document = tmp_path / "out.html", tmp_path / "out.json"
    code, out, _ = ran(
        capsys, "fit", wmt, "--tracks", "srclang,trglang", "--report", str(page), "--report", str(document)
    )
    assert code == 0 and "Track German-English" in page.read_text(encoding="utf-8")
    assert list(json.loads(document.read_text())["tracks"]) == ["Czech-English", "German-English"]


def test_one_file_is_not_written_for_several_tracks(capsys, wmt, tmp_path):
    script = str(tmp_path / "fit.R")
    code, out, err = ran(capsys, "fit", wmt, "--tracks", "srclang,trglang", "--to-r", script)
    assert (code, out) == (3, "") and "select one track with --where" in err


def test_claims_are_of_one_track(capsys, wmt):
    code, _, err = ran(capsys, "claims", "new", wmt)
    assert code == 3 and "2 tracks" in err and "--tracks" not in err
    code, out, _ = ran(capsys, "claims", "new", wmt, *ONE)
    assert code == 0 and "[data" in out


def test_compare_models_never_mixes_tracks_and_chooses_rows(capsys, wmt):
    options = ("--train-sizes", "4", "--trials", "1", "--models", "uniform", "--json")
    for flag in ("--track", "--tracks"):
        code, out, _ = ran(capsys, "compare-models", wmt, flag, "srclang", *options)
        assert code == 0 and {row["track"] for row in json.loads(out)["perplexity"]} == {"Czech", "German"}
    code, out, _ = ran(capsys, "compare-models", wmt, *ONE, *options)
    assert code == 0 and {row["track"] for row in json.loads(out)["perplexity"]} == {"Czech-English"}


def test_error_rates_and_trees_choose_rows(capsys, tmp_path):
    errors = written(
        tmp_path / "ter.csv", {"errors": [1, 2, "x"], "length": [9, 8, 7], "lang": ["en", "en", "de"]}
    )
    code, out, err = ran(capsys, "error-rates", errors, "--where", "lang=en", "--json")
    assert code == 0 and err == "lang=en: 2 of 3 rows\n" and json.loads(out)
    code, _, err = ran(capsys, "error-rates", errors, "--where", "lang=de")
    assert code == 3 and "row 3 (line 4), column 'errors'" in err
    persons = {"id": range(40), "AB": [1, 2] * 20, "x": [5] * 20 + [6] * 20, "y": [1, 2, 3, 1] * 10}
    table = written(tmp_path / "p.csv", persons)
    how = ("--layout", "pairs", "--items", "A,B", "--pair-order", "AB", "--coding", "first=1,second=2")
    code, out, err = ran(capsys, "tree", table, *how, "--person", "id", "--where", "x=5", "--json")
    assert code == 0 and err.startswith("x=5: 20 of 40 persons")


def test_a_column_that_is_not_there_is_told_beside_those_of_the_file(capsys, tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text('{"model_a": "x", "model_b": "y", "winner": "tie (bothbad)", "lang": "en"}\n' * 2)
    said = "no column 'langs'; found model_a, model_b, winner, lang (and of each comparison both_bad, first, second, wins,"
    assert said in ran(capsys, "fit", str(path), "--where", "langs=en")[2]
