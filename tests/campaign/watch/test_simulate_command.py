"""`pairproof simulate-annotation`: words, JSON, reports, exit codes."""

from __future__ import annotations

import json

import pytest

from pairproof.cli import main

SMALL = ("--items", "30", "--budget", "3", "--replicates", "3", "--sd", "0.2")


def run(capsys, *arguments):
    code = main(["simulate-annotation", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_it_answers_how_many_annotations_are_needed(capsys):
    code, out, _ = run(capsys, *SMALL, "--target", "0.7")
    assert code == 0 and "How many annotations do I need for a mean rho of 0.7?" in out
    for method in ("da", "random", "easl", "ra"):
        assert f"  {method}: " in out


def test_the_document_has_curves_histograms_and_maps(capsys, tmp_path):
    report = tmp_path / "out.html"
    code, out, _ = run(capsys, *SMALL, "--json", "--report", report, "--methods", "easl,trueskill")
    document = json.loads(out)
    assert code == 0 and list(document["methods"]) == ["easl", "trueskill"]
    easl = document["methods"]["easl"]
    assert [p["annotations"] for p in easl["spearman"]] == [1, 2, 3] and all(
        p["low"] <= p["mean"] <= p["high"] for p in easl["pearson"]
    )
    assert sum(easl["final"]["histogram"]) == sum(document["truth"]["histogram"]) == 30
    assert list(document["match_quality"]) == ["0"] and document["methods"]["trueskill"]["coverage"] is None
    page = report.read_text(encoding="utf-8")
    assert page.count("<svg") == 3 and "http" not in page.replace("http://www.w3.org", "").replace(
        "http-equiv", ""
    )


def test_the_seed_decides(capsys):
    first, same, other = (run(capsys, *SMALL, "--json", "--seed", s)[1] for s in (1, 1, 2))
    assert first == same != other


def test_truths_from_a_file(capsys, tmp_path):
    gold = tmp_path / "gold.csv"
    gold.write_text("id,label\n" + "".join(f"{k},{k / 24}\n" for k in range(25)), encoding="utf-8")
    code, out, _ = run(
        capsys,
        "--truth",
        gold,
        "--column",
        "label",
        "--agreement",
        "0.6",
        "--budget",
        "2",
        "--replicates",
        "2",
    )
    assert code == 0 and "25 items" in out and "agree with Spearman's rho 0.60" in out


@pytest.mark.parametrize(("arguments", "said"), [
    (["--agreement", "0.4", "--sd", "0.1"], "both set the noise"), (["--truth", "gold.csv"], "for a file add --column"), (["--methods", "elo"], "'elo'; expected some of"),
    (["--truth", "uniform", "--column", "x"], "--column is for a file"), (["--report", "x.xml"], "has none"), (["--items", "4", "--per-hit", "3"], "expected 2 to 2"),
    (["--truth", "none.csv", "--column", "x"], "no such file"), (["--truth", "x.csv", "--column", "x", "--items", "3"], "the items of a file are its rows"),
])  # fmt: skip
def test_bad_usage_is_exit_code_3(capsys, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (3, "") and said in err
