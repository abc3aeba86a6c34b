"""error-rates: its JSON to the letter, its words, its reports, and what it refuses."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.cli import main
from pairproof.data.reading.beside.sentence_errors import read_errors, shared_sentences
from pairproof.native.competitions.ranking.error_rates import error_rate, rate_difference

#: seed-methods, section 3: system A is the specification's vector.
LENGTHS = [10, 4, 12, 9, 20]
ERRORS = {"A": [3, 0, 5, 2, 8], "B": [4, 1, 5, 3, 10]}
ROWS = [
    f"{name},s{k},{d},{l}"
    for name, errors in ERRORS.items()
    for k, (d, l) in enumerate(zip(errors, LENGTHS), 1)
]


def written(path, rows=ROWS, header="system,sentence,errors,length"):
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture()
def ter(tmp_path):
    return written(tmp_path / "ter.csv")


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """Three systems on 300 sentences of shared difficulty; C is a copy of A."""
    rng = np.random.default_rng(5)
    lengths, hard = rng.integers(5, 40, 300), rng.beta(2, 4, 300)
    errors = {"A": rng.binomial(lengths, hard), "B": rng.binomial(lengths, 0.93 * hard)}
    errors["C"] = errors["A"]
    rows = [
        f"{name},{k},{d},{l}"
        for k, l in enumerate(lengths)
        for name, d in ((n, e[k]) for n, e in errors.items())
    ]
    return written(tmp_path_factory.mktemp("rates") / "many.csv", rows), errors, lengths


def run(capsys, *arguments):
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


def document(capsys, *arguments, code=0):
    found, out, err = run(capsys, "error-rates", *arguments, "--json")
    assert found == code, err
    return json.loads(out)


# -- numbers -------------------------------------------------------------------------------------------------


def test_the_json_has_the_specifications_vector_and_the_paired_difference(capsys, ter):
    found = document(capsys, ter)
    assert list(found) == ["level", "se", "se_of_differences", "systems", "pairs", "notes"] and (
        found["level"],
        found["se"],
    ) == (0.95, "delta")
    a, b = found["systems"]
    assert list(a) == [
        "system",
        "sentences",
        "words",
        "errors",
        "rate",
        "se_delta",
        "se_jackknife",
        "se_vilar",
        "vilar_to_delta",
        "low",
        "high",
    ]
    assert (round(a["rate"], 7), round(a["se_vilar"], 10), round(a["se_delta"], 10)) == (
        0.3272727,
        0.0584074405,
        0.0495785117,
    )
    assert (a["system"], a["sentences"], a["words"], a["errors"], b["system"], b["errors"]) == (
        "A",
        5,
        55,
        18,
        "B",
        23,
    )
    assert [a["low"], a["high"]] == list(error_rate(ERRORS["A"], LENGTHS).interval())
    (pair,) = found["pairs"]
    own = rate_difference(ERRORS["A"], ERRORS["B"], LENGTHS)
    assert list(pair) == [
        "first",
        "second",
        "sentences",
        "rate_first",
        "rate_second",
        "difference",
        "se_delta",
        "se_jackknife",
        "se_unpaired",
        "low",
        "high",
        "z",
        "p",
        "log10_p",
        "p_holm",
        "significant",
        "z_vilar",
        "only_first",
        "only_second",
        "not_compared",
    ]
    assert [pair[k] for k in ("difference", "se_delta", "se_jackknife", "se_unpaired", "z", "p")] == [
        own.difference,
        own.se_delta,
        own.se_jackknife,
        own.se_unpaired,
        own.z(),
        own.p(),
    ]
    assert (
        pair["significant"],
        pair["sentences"],
        pair["only_first"],
        pair["not_compared"],
        pair["z_vilar"],
    ) == (True, 5, [], None, list(own.z_vilar))


def test_a_pair_is_seen_from_the_side_asked_for_and_only_these_two_are_shown(capsys, many):
    found = document(capsys, many[0], "--pair", "B,A")
    assert [s["system"] for s in found["systems"]] == ["B", "A"] and len(found["pairs"]) == 1
    turned = document(capsys, many[0])["pairs"][0]
    assert found["pairs"][0]["difference"] == -turned["difference"] and found["pairs"][0][
        "se_delta"
    ] == pytest.approx(turned["se_delta"], rel=1e-12)


def test_the_standard_error_asked_for_makes_intervals_and_tests(capsys, many):
    by = {
        se: document(capsys, many[0], "--se", se, "--level", "0.9") for se in ("delta", "jackknife", "vilar")
    }
    q = 1.6448536269514722
    for se, found in by.items():
        assert all(
            s["high"] - s["rate"] == pytest.approx(q * s[f"se_{se}"], rel=1e-9) for s in found["systems"]
        )
        of_pair = "delta" if se == "vilar" else se
        assert found["se_of_differences"] == of_pair and found["pairs"][0]["z"] == pytest.approx(
            found["pairs"][0]["difference"] / found["pairs"][0][f"se_{of_pair}"], rel=1e-12
        )
        assert any("equation 9 has no form for a difference" in note for note in found["notes"]) == (
            se == "vilar"
        )
    out = run(capsys, "error-rates", many[0], "--se", "vilar", "--level", "0.9")[1]
    assert "low and high: 90 % normal intervals by equation 9; significant: two-sided at 10 %" in out


def test_columns_under_other_names_in_any_order_of_rows_give_the_same(capsys, ter, tmp_path):
    other = written(
        tmp_path / "other.tsv",
        ["\t".join(row.split(",")[::-1]) for row in sorted(ROWS, key=lambda row: row.split(",")[::-1])],
        "ref words\tedits\tsegment\tengine",
    )
    found = document(
        capsys,
        other,
        "--system",
        "engine",
        "--sentence",
        "segment",
        "--errors",
        "edits",
        "--lengths",
        "ref words",
        "--pair",
        "A,B",
    )
    assert found["systems"][0]["se_jackknife"] == pytest.approx(
        document(capsys, ter)["systems"][0]["se_jackknife"], rel=1e-12
    )
    assert found["pairs"][0]["difference"] == pytest.approx(-5 / 55)


def test_standard_input_is_read(capsys, ter, monkeypatch):
    class Standard:
        buffer = io.BytesIO(ter.read_bytes())

    monkeypatch.setattr("sys.stdin", Standard)
    assert document(capsys, "-") == document(capsys, ter)


# -- words ---------------------------------------------------------------------------------------------------


def test_where_equation_9_and_the_delta_method_part_it_is_said_and_where_not_not(capsys, ter):
    code, out, _ = run(capsys, "error-rates", ter)
    assert (
        code == 0
        and "A: equation 9 takes every word to go wrong by itself; here it is 1.18 times the delta method's (0.058407 against 0.049579)"
        in out
    )
    assert "B: equation 9 takes" not in out  # 0.97 times
    assert "5 sentences are few" in out and "lowest rate first: A B" in out


def test_the_papers_test_is_quoted_where_it_says_otherwise(capsys, ter):
    assert (
        "A and B: paired, the difference is significant; by the paper's test (equation 9; the other's rate"
        " taken as known, sentences not paired): z -1.556, not significant, with A's; z -2.380, significant,"
        " with B's" in run(capsys, "error-rates", ter)[1]
    )


def test_a_system_and_its_copy_do_not_differ_and_have_no_z(capsys, many):
    pairs = {(p["first"], p["second"]): p for p in document(capsys, many[0])["pairs"]}
    same = pairs["A", "C"]
    assert [
        same[k] for k in ("difference", "se_delta", "se_jackknife", "z", "p", "p_holm", "significant")
    ] == [0, 0, 0, None, None, None, None]
    out = run(capsys, "error-rates", many[0])[1]
    assert (
        "A and C: no z, since they have the same rate in every sentence and the standard error is 0" in out
        and "lowest rate first: B A = C" in out
    )
    assert "2 pairs are tested; significant after Holm's correction for that: " in out
    assert pairs["A", "B"]["p_holm"] == pytest.approx(min(1, 2 * pairs["A", "B"]["p"]))


def test_one_system_needs_no_names_and_several_without_sentences_are_not_compared(capsys, tmp_path):
    plain = written(
        tmp_path / "plain.csv", [",".join(row.split(",")[2:]) for row in ROWS[:5]], "errors,length"
    )
    found = document(capsys, plain)
    assert (
        found["systems"][0]["system"] is None
        and found["pairs"] == []
        and found["notes"][0] == "no column 'system': all 5 rows are taken as one system"
    )
    assert found["systems"][0]["se_delta"] == pytest.approx(0.0495785117, abs=5e-11)
    rows = [row.split(",") for row in ROWS]
    nameless = written(
        tmp_path / "nameless.csv", [f"{r[0]},{r[2]},{r[3]}" for r in rows], "System,errors,length"
    )
    found = document(capsys, nameless, "--system", "System")
    assert (
        len(found["systems"]) == 2
        and found["pairs"] == []
        and "no column 'sentence': systems are not compared" in found["notes"][0]
    )
    assert (
        "did you mean 'System'?: all 10 rows are taken as one system"
        in document(capsys, nameless)["notes"][0]
    )


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [*ROWS[:9], "B,s5,10.5,20"],
            "B: 1 of 5 errors are not whole numbers; the column must hold counts of edits, not rates",
        ),
        (
            [*ROWS[:9], "B,s5,10,22"],
            "A and B: 1 of 5 sentences have another length for the one than for the other",
        ),
        (["A,1,1,50", "A,2,0,50", "A,3,0,50"], "A: the interval reaches below 0"),
        (["A,1,1,10", "A,2,2,20", "A,3,3,30"], "A: every sentence has the same rate"),
        (
            ["A,1,3,10", "A,2,3,20", "B,1,2,10", "B,2,1,20"],
            "A and B: no z, since they differ by the same 0.1 errors a word in every sentence",
        ),
    ],
)
def test_what_is_odd_about_a_table_is_said(capsys, tmp_path, rows, said):
    code, out, _ = run(capsys, "error-rates", written(tmp_path / "odd.csv", rows))
    assert code == 0 and said in out


# -- sentences that only one has -----------------------------------------------------------------------------


@pytest.fixture()
def incomplete(tmp_path):
    return written(tmp_path / "incomplete.csv", [row for row in ROWS if not row.startswith(("A,s2", "B,s5"))])


def test_a_pair_of_different_sentences_is_refused_with_their_names_and_the_rates_are_still_there(
    capsys, incomplete, tmp_path
):
    report = tmp_path / "out.md"
    code, out, _ = run(capsys, "error-rates", incomplete, "--report", report)
    assert (
        code == 2
        and "NOT COMPARED: A and B: not the same sentences: 1 of A is not there for B (s5); 1 of B is not there for A (s2); complete the table, or compare the 3 they share with --common"
        in out
    )
    assert (
        "not compared" in report.read_text("utf-8")
        and "lowest rate first, each on its own sentences: A B" in out
    )
    found = document(capsys, incomplete, code=2)
    (pair,) = found["pairs"]
    assert (pair["only_first"], pair["only_second"], pair["difference"], pair["significant"]) == (
        ["s5"],
        ["s2"],
        None,
        None,
    )
    assert pair["not_compared"].startswith("not the same sentences") and [
        s["sentences"] for s in found["systems"]
    ] == [4, 4]


def test_common_compares_what_both_have_and_counts_what_is_left_out(capsys, incomplete):
    found = document(capsys, incomplete, "--common")
    (pair,) = found["pairs"]
    keep = [0, 2, 3]
    own = rate_difference(*([np.array(x)[keep] for x in (*ERRORS.values(), LENGTHS)]))
    assert (pair["difference"], pair["se_delta"], pair["sentences"]) == pytest.approx(
        (own.difference, own.se_delta, 3)
    )
    assert pair["rate_first"] == own.first.rate != found["systems"][0]["rate"]
    assert "A and B are compared on the 3 sentences both have; left out: 1 of A, 1 of B" in found[
        "notes"
    ] and "3 sentences are few" in " ".join(found["notes"])


def test_systems_that_share_one_sentence_cannot_be_compared_at_all(capsys, tmp_path):
    path = written(tmp_path / "apart.csv", ["A,1,1,9", "A,2,2,9", *(f"B,{k},1,9" for k in range(2, 12))])
    assert (
        "they share 1 sentence; a standard error needs at least 2"
        in document(capsys, path, "--common", code=2)["pairs"][0]["not_compared"]
    )
    why = document(capsys, path, code=2)["pairs"][0]["not_compared"]
    assert (
        "9 of B are not there for A (3, 4, 5, 6, 7 and 4 more); complete the table" in why
        and "--common" not in why
    )


# -- reports -------------------------------------------------------------------------------------------------


def test_reports_hold_both_tables_and_names_stay_text(capsys, tmp_path):
    path = written(tmp_path / "odd.csv", [row.replace("A,", "<b>A|</b>,") for row in ROWS])
    files = [tmp_path / f"rates.{suffix}" for suffix in ("html", "md", "json")]
    code, out, err = run(capsys, "error-rates", path, "--json", *(x for f in files for x in ("--report", f)))
    assert code == 0 and err.count("report: ") == 3
    page, markdown = (f.read_text("utf-8") for f in files[:2])
    assert (
        page.startswith("<!DOCTYPE html>")
        and page.count("<table>") == 2
        and "&lt;b&gt;A|" in page
        and "<b>A" not in page
        and "<script" not in page
    )
    assert ">Differences on the same sentences" in page and "0.058407" in page
    assert (
        markdown.startswith("# Error rates\n")
        and "\\<b\\>A\\|" in markdown
        and "## Differences on the same sentences" in markdown
    )
    assert json.loads(files[2].read_text("utf-8")) == json.loads(out)


def test_help_shows_an_example(capsys):
    code, out, _ = run(capsys, "error-rates", "--help")
    assert code == 0 and "pairproof error-rates ter.csv --pair A,B" in out and "equation 9" in out.lower()


# -- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("A,s9,-1,5", "row 11 (line 12), column 'errors': found '-1'; expected a finite number >= 0"),
        ("A,s9,x,5", "found 'x'"),
        ("A,s9,inf,5", "found 'inf'"),
        ("A,s9,NA,5", "found 'NA'"),
        ("A,s9,,5", "found blank"),
        ('A,s9,"1,5",5', "write decimals with a point"),
        (
            "A,s9,1,0",
            "found '0'; expected a finite number > 0; a sentence without reference words has no rate",
        ),
        ("A,s9,1,-2", "column 'length': found '-2'"),
        ("A,s3,1,5", "sentence 's3' of system 'A' is already in row 3"),
        ("A,,1,5", "column 'sentence': blank"),
        (",s9,1,5", "column 'system': blank"),
        ("C,s1,1,5", "system 'C' has 1 sentence; a standard error needs at least 2"),
        ("A,s9,1", "3 field(s), but the header has 4"),
    ],
)
def test_a_row_that_cannot_be_used_is_named_and_nothing_is_dropped(capsys, tmp_path, row, said):
    code, out, err = run(capsys, "error-rates", written(tmp_path / "bad.csv", [*ROWS, row]))
    assert code == 3 and out == "" and said in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--errors", "edits"],
            "no column 'edits' for the errors of a sentence; found 'system', 'sentence', 'errors', 'length'",
        ),
        (["--lengths", "lenght"], "did you mean 'length'?"),
        (["--system", "engine"], "no column 'engine' for the system"),
        (
            ["--errors", "length"],
            "column 'length' cannot be the errors of a sentence and its length in words",
        ),
        (["--pair", "A"], "names 1 systems"),
        (["--pair", "A,Z"], "no system 'Z'; the systems are A, B"),
        (["--pair", "A,A"], "against itself"),
        (["--level", "1"], "0<x<1"),
        (["--se", "bootstrap"], "'bootstrap' is not one of"),
        (["--report", "x.xml"], "error rates have none"),
        (["--report", "x.pdf"], "expected one of"),
    ],
)
def test_bad_usage_ends_with_3_and_says_what_is_wrong(capsys, ter, arguments, said):
    code, out, err = run(capsys, "error-rates", ter, *arguments)
    assert code == 3 and out == "" and said in err


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("", [], "the file is empty"),
        ("system,errors,length\n", [], "no rows below the header"),
        ("errors,length\n1,3\n", [], "there is 1 sentence"),
        ("errors,length\n.1,.2\n.1,.3\n", [], "more than 1 word"),
        (
            "sentence,errors,length\na,1,3\na,2,4\n",
            [],
            "if they are different systems, name the system column with --system",
        ),
        (
            "system,errors,length\nA,1,3\nA,1,4\nB,1,3\nB,2,4\n",
            ["--pair", "A,B"],
            "no column 'sentence', so nothing says which errors of A and B belong together",
        ),
        ("errors,length\n1,3\n1,4\n", ["--pair", "A,B"], "it has no column 'system'; name it with --system"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(capsys, tmp_path, text, arguments, said):
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    code, out, err = run(capsys, "error-rates", path, *arguments)
    assert code == 3 and out == "" and said in err


def test_a_file_that_is_not_there_is_said(capsys, tmp_path):
    assert run(capsys, "error-rates", tmp_path / "absent.csv")[0] == 3


# -- the reader ----------------------------------------------------------------------------------------------


def test_a_data_frame_is_read_and_left_as_it_was():
    frame = pd.DataFrame(
        {
            "system": pd.Categorical(["B", "A", "B", "A"], categories=["A", "B", "unused"]),
            "sentence": [1, 1, 2, 2],
            "errors": [1, 2, 3, 4.0],
            "length": [5, 6, 7, 8],
        }
    )
    before = frame.copy(deep=True)
    table = read_errors(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert (
        list(table.systems) == ["B", "A"]
        and table.systems["A"].errors.tolist() == [2, 4]
        and table.systems["A"].sentences == ("1", "2")
    )


def test_sentences_are_matched_by_name_in_the_firsts_order():
    table = read_errors(
        {"system": list("AAABBB"), "sentence": list("xyzzwx"), "errors": range(6), "length": [9] * 6}
    )
    shared = shared_sentences(table.systems["A"], table.systems["B"])
    assert (shared.first.tolist(), shared.second.tolist(), shared.only_first, shared.only_second) == (
        [0, 2],
        [2, 0],
        ("y",),
        ("w",),
    )
    with pytest.raises(pairproof.InputError, match="have no names"):
        shared_sentences(*[read_errors({"errors": [1, 2], "length": [3, 4]}).systems[""]] * 2)


def test_the_functions_are_there_by_name():
    assert pairproof.error_rate is error_rate and pairproof.rate_difference is rate_difference


# -- by cluster ----------------------------------------------------------------------------------------------

CLUSTERED = [
    "system,sentence,errors,length,doc,editor",
    *(
        f"{s},{k},{(3 * k + (s == 'A') * (k % 3)) % 7},{9 + k % 4},d{k // 3},e{(k + (s == 'B')) % 4}"
        for s in "AB"
        for k in range(24)
    ),
]


@pytest.fixture
def documents(tmp_path):
    path = tmp_path / "documents.csv"
    path.write_text("\n".join(CLUSTERED) + "\n", encoding="utf-8")
    return path


def test_standard_errors_by_document_stand_beside_those_by_sentence(capsys, documents):
    plain = document(capsys, documents)
    found = document(capsys, documents, "--cluster", "doc")
    assert "covariance" not in plain and found["covariance"] == {"kind": "CR2", "clusters": ["doc"]}
    for one, other in zip(plain["systems"] + plain["pairs"], found["systems"] + found["pairs"]):
        assert one["se_delta"] == other["se_delta"] and other["n_clusters"] == [8]
        assert set(other) - set(one) == {"se_cluster", "se_two_way", "df", "n_clusters", "no_se_cluster"}
    (pair,) = found["pairs"]
    assert pair["z"] == pytest.approx(pair["difference"] / pair["se_cluster"]) and 4 < pair["df"] < 7
    _, out, _ = run(capsys, "error-rates", documents, "--cluster", "doc", "--cluster-kind", "CR1")
    assert (
        "95 % t intervals, CR1 by doc (8 clusters)" in out and "8 clusters by doc: with fewer than 20" in out
    )


def test_a_pair_that_clusters_cannot_test_is_named_and_the_exit_code_is_2(capsys, documents):
    code, out, _ = run(capsys, "error-rates", documents, "--cluster", "editor")
    assert code == 2 and "24 sentences are in different clusters of the two systems (0: e0 and e1)" in out
    code, out, _ = run(capsys, "error-rates", documents, "--cluster", "editor,sentence")
    assert code == 0 and "CR2 by editor (4 clusters) and sentence (24 clusters)" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cluster", "dok"], "no column 'dok' to cluster by; found"),
        (["--cluster", "doc,doc"], "expected one column, or two different ones"),
        (["--cluster-kind", "CR1"], "--cluster-kind has no effect without --cluster"),
        (["--cluster", "doc", "--cluster-kind", "CR3"], "'CR3' is not one of"),
        (
            ["--cluster", "doc", "--se", "jackknife"],
            "the jackknife is by sentence, and has no form by cluster",
        ),
    ],
)
def test_clusters_that_cannot_be_are_refused(capsys, documents, arguments, said):
    code, out, err = run(capsys, "error-rates", documents, *arguments)
    assert code == 3 and out == "" and said in err and len(err.strip().splitlines()) <= 2
