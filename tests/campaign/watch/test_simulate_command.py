"""`pairproof simulate-annotation`: words, JSON, reports, exit codes."""

from __future__ import annotations

import json

import pytest

from pairproof.cli import main

#: Of version 0.1.0: `simulate-annotation --seed 3 --replicates 2 --budget 2`, after 2; and easl with
#: --context 0.7.
OF_0_1_0 = {
    "sd": 0.20775660872459412,
    "none": [0.7203289035068225, 0.678915617884254, 0.6023412466235682],
    "easl, 0.7": 0.7956006937294002,
}

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
    assert page.count("<svg") == 6 and "http" not in page.replace("http://www.w3.org", "").replace(
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


def test_annotators_differ_unless_they_are_to_be_as_in_the_paper(capsys):
    """The default is the panel of WMT21, and says so; --as-in-paper has the annotators of version 0.1.0."""
    code, out, _ = run(capsys, *SMALL)
    assert code == 0 and "20 annotators: shift 0.14 (sd of annotator and session), scale 0.2" in out
    assert "annotators who are alike, as up to version 0.1.0: --as-in-paper" in out
    paper = json.loads(run(capsys, *SMALL, "--as-in-paper", "--json")[1])["annotators"]
    assert {
        paper[k] for k in ("shift", "scale", "noise_spread", "careless", "drift", "contrast", "step")
    } == {0}
    assert paper["context"] == "none"


def test_the_paper_s_setting_gives_the_numbers_of_version_0_1_0(capsys):
    """Of `simulate-annotation --seed 3` then, and of --context 0.7, whose number alone is still
    understood."""
    base = ("--as-in-paper", "--seed", "3", "--replicates", "2", "--budget", "2", "--json")
    found = json.loads(run(capsys, *base)[1])
    assert found["annotators"]["sd"] == pytest.approx(OF_0_1_0["sd"], abs=1e-12)
    assert [found["methods"][m]["spearman"][1]["mean"] for m in ("da", "easl", "ra")] == pytest.approx(
        OF_0_1_0["none"], abs=1e-12
    )
    context = json.loads(run(capsys, *base, "--context", "0.7")[1])
    assert context["annotators"]["context"] == "uniform:0.7"
    assert context["methods"]["easl"]["spearman"][1]["mean"] == pytest.approx(
        OF_0_1_0["easl, 0.7"], abs=1e-12
    )


def test_an_option_that_is_given_holds_beside_as_in_paper(capsys):
    found = json.loads(run(capsys, *SMALL, "--as-in-paper", "--shift", ".2", "--careless", ".1", "--json")[1])
    who = found["annotators"]
    assert (who["shift"], who["careless"], who["scale"], who["noise_spread"]) == (0.2, 0.1, 0, 0)


@pytest.mark.parametrize(("option", "value", "name"), [
    ("--shift", "0.3", "shift"), ("--scale", "0.4", "scale"), ("--noise-spread", "0.1", "noise_spread"), ("--drift", "-0.002", "drift"),
    ("--contrast", "0.2", "contrast"), ("--careless", "0.2", "careless"), ("--panel", "7", "people"),
])  # fmt: skip
def test_every_option_of_the_annotators_reaches_the_simulation(capsys, option, value, name):
    small = (*SMALL, "--methods", "easl", "--replicates", "1", "--json")
    found, without = (json.loads(run(capsys, *small, *more)[1]) for more in ((option, value), ()))
    assert found["annotators"][name] == float(value)
    assert found["methods"]["easl"]["spearman"] != without["methods"]["easl"]["spearman"]


def test_corrected_scores_stand_beside_raw_ones(capsys):
    code, out, _ = run(capsys, *SMALL, "--corrected", "--methods", "da,ra")
    assert code == 0 and "+: scores corrected for annotators and sessions" in out and "da+" in out
    found = json.loads(run(capsys, *SMALL, "--corrected", "--methods", "da,ra", "--json")[1])["methods"]
    assert list(found) == ["da", "da+", "ra"] and found["da+"]["not_fitted"] == 0
    assert [p["annotations"] for p in found["da+"]["spearman"]] == [2, 3]


FEW = ("--items", "16", "--budget", "2", "--replicates", "2", "--sd", "0.2", "--as-in-paper")
GRID = (*FEW, "--shift", "0,.5", "--context", "none,uniform:.5")


def test_several_shifts_and_contexts_are_a_grid_with_a_picture_and_verdicts(capsys, tmp_path):
    report = tmp_path / "grid.html"
    code, out, _ = run(capsys, *GRID, "--corrected", "--report", report)
    assert code == 0 and "annotators are alike except for their shift: noise 0.200" in out
    assert "Which method passes another as the shift grows?" in out and "What the paper claims" in out
    assert "RA beats DA:" in out and "EASL's gain over DA appears" in out
    assert report.read_text(encoding="utf-8").count("<svg") == 4
    found = json.loads(run(capsys, *GRID, "--corrected", "--json")[1])
    assert (found["shifts"], found["contexts"], len(found["verdicts"])) == (
        [0, 0.5],
        ["none", "uniform:0.5"],
        2,
    )
    assert [(c["context"], c["shift"]) for c in found["methods"]["da+"]] == [
        (c, s) for c in ("none", "uniform:0.5") for s in (0, 0.5)
    ]


def test_a_cell_of_the_grid_is_the_simulation_of_that_shift_and_context_alone(capsys):
    grid = json.loads(run(capsys, *GRID, "--json")[1])["methods"]["easl"]
    alone = json.loads(run(capsys, *FEW, "--shift", ".5", "--context", "uniform:.5", "--json")[1])
    assert grid[3]["spearman"] == alone["methods"]["easl"]["spearman"]


def test_long_work_says_how_long_it_takes(capsys, monkeypatch):
    from pairproof.cli import state as long_work

    monkeypatch.setattr(long_work, "LONG_WORK", 0.0)
    _, _, err = run(capsys, *GRID)
    assert "32 campaigns to simulate, about " in err
    assert run(capsys, *GRID, "--quiet")[2] == ""


@pytest.mark.parametrize(("arguments", "said"), [
    (["--shift", ".2,.1"], "expected increasing numbers >= 0"), (["--shift", "much"], "expected a number, or several joined by commas"), (["--context", "helpful"], "expected none, uniform:FACTOR"),
    (["--context", "none,1"], "expected each context once"), (["--corrected", "--budget", "1"], "--corrected needs 2 or more annotations per item"),
    (["--agreement", ".9", "--shift", ".5"], "these differences between annotators (smaller ones allow more)"), (["--careless", "2"], "not in the range"),
    (["--agreement", "0.4", "--sd", "0.1"], "both set the noise"), (["--truth", "gold.csv"], "for a file add --column"), (["--methods", "elo"], "'elo'; expected some of"),
    (["--truth", "uniform", "--column", "x"], "--column is for a file"), (["--report", "x.xml"], "has none"), (["--items", "4", "--per-hit", "3"], "expected 2 to 2"),
    (["--truth", "none.csv", "--column", "x"], "no such file"), (["--truth", "x.csv", "--column", "x", "--items", "3"], "the items of a file are its rows"),
])  # fmt: skip
def test_bad_usage_is_exit_code_3(capsys, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (3, "") and said in err
