"""Model files of both public EASL codes: written as these codes write them, and read as what they are."""

from __future__ import annotations

import csv

import pytest
from hypothesis import given, strategies as st

from pairproof.campaign import export, status, take_in, take_over
from pairproof.campaign.exports import as_tool, unescaped
from pairproof.cli import main
from pairproof.errors import InputError
from tests.campaign.formats.other_tools import nasty, open_sheet, twin
from tests.campaign.helpers import campaign, run_batches, scores

TEXT = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), max_size=12)


@given(TEXT)
def test_what_a_public_code_does_to_a_text_can_be_undone(text):
    assert unescaped(as_tool(text, "cjmay")) == text


def test_a_span_that_is_no_character_stays_as_it_stands():
    broken = "<span class='emoji-bytes' data-emoji-bytes='[240, 159, 152, 999]'></span>"
    assert unescaped(broken) == broken and unescaped("&amp;lt;") == "&lt;"


def table(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_later_codes_file_has_the_scores_and_how_often_nobody_could_judge(tmp_path):
    path = campaign(tmp_path, per_hit=5)
    sheet, _ = open_sheet(path)
    judged = twin(path, sheet)
    export(judged, tmp_path / "m_1.csv", "model", layout="cjmay")
    rows = table(tmp_path / "m_1.csv")
    assert list(rows[0]) == ["id", "sent", "alpha", "beta", "mode", "var", "na_count", "scores"]
    known = {r["id"]: r for r in status(judged).to_dict()["scores"]}
    for row in rows:
        given = [float(s) for s in row["scores"].split()]
        # What the code itself computes: sums of the scores.
        assert float(row["alpha"]) == pytest.approx(1 + sum(given), abs=1e-12)
        assert len(given) == known[row["id"]]["n"] and int(row["na_count"]) == 1 - len(given)
    assert sum(int(r["na_count"]) for r in rows) == 1
    # And back: with the results the same history, without them the same scores.
    found = take_over(tmp_path / "new.db", tmp_path / "m_1.csv", [tmp_path / "own.csv"])
    assert found.model_is == "after" and found.about.columns == ("sent",)
    assert [(r["id"], r["alpha"], r["n"]) for r in scores(tmp_path / "new.db")] == [
        (r["id"], r["alpha"], r["n"]) for r in scores(judged)
    ]


def test_mu_and_sigma_beside_alpha_and_beta_are_mode_and_variance_not_trueskills(tmp_path):
    path = campaign(tmp_path)
    run_batches(path, 2)
    export(path, tmp_path / "m.csv", "model", layout="keisks-mu-sigma")
    first = table(tmp_path / "m.csv")[0]
    assert list(first)[2:] == ["alpha", "beta", "mu", "sigma"]
    mine = scores(path)[0]
    assert (float(first["mu"]), float(first["sigma"])) == (mine["score"], mine["var"])
    found = take_over(tmp_path / "new.db", tmp_path / "m.csv")
    assert (found.about.method, found.about.columns, found.recomputed) == ("easl", ("sent",), False)
    assert [r["alpha"] for r in scores(tmp_path / "new.db")] == [r["alpha"] for r in scores(path)]
    with pytest.raises(InputError, match="mode and variance of beta distributions, not TrueSkill's"):
        take_over(tmp_path / "t.db", tmp_path / "m.csv", method="trueskill")
    # As the README of that code shows a fresh project.
    fresh = tmp_path / "political_0.csv"
    fresh.write_text("id,sent,alpha,beta,mu,sigma\n" + "".join(f"{k},s,1,1,0.5,0.0833\n" for k in range(5)))
    assert not take_over(tmp_path / "f.db", fresh).recomputed


def test_escapes_are_told_of_or_undone(tmp_path):
    texts = ["a < b & c", "😀 d", 'e "f"', "plain"]
    path = nasty(tmp_path, texts)
    export(path, tmp_path / "m.csv", "model", layout="cjmay")
    cells = [row["sent"] for row in table(tmp_path / "m.csv")]
    assert cells[0] == "a &lt; b &amp; c" and cells[1].startswith(
        "<span class='emoji-bytes' data-emoji-bytes='[240,"
    )
    assert (
        take_over(tmp_path / "kept.db", tmp_path / "m.csv", per_hit=2).escaped == 6
    )  # three texts and their ids
    found = take_over(tmp_path / "clean.db", tmp_path / "m.csv", per_hit=2, unescape=True)
    assert found.escaped == 0
    export(tmp_path / "clean.db", tmp_path / "c.csv", "model")
    assert [row["sent"] for row in table(tmp_path / "c.csv")] == texts
    # Two ids that are one text without their escapes are no ids.
    (tmp_path / "two.csv").write_text("id,sent,alpha,beta\n&lt;,a,1,1\n<,b,1,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="two items have the id '<'"):
        take_over(tmp_path / "x.db", tmp_path / "two.csv", per_hit=2, unescape=True)


def test_what_no_model_file_can_hold_is_refused(tmp_path):
    with pytest.raises(InputError, match="support only easl's beta distributions"):
        export(campaign(tmp_path, method="ra"), tmp_path / "m.csv", "model", layout="keisks")
    with pytest.raises(InputError, match="cannot be used for 'scores'"):
        export(tmp_path / "C.db", tmp_path / "m.csv", "scores", layout="keisks")
    items = tmp_path / "i.csv"
    items.write_text("id,sent,scores\n1,a,x\n2,b,y\n", encoding="utf-8")
    from pairproof.campaign import create

    create(tmp_path / "S.db", items, per_hit=2)
    with pytest.raises(InputError, match="item column 'scores'"):
        export(tmp_path / "S.db", tmp_path / "m.csv", "model", layout="cjmay")


def run(capsys, *arguments):
    code = main(["easl", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_command_imports_by_content_and_refuses_options_that_mean_nothing(tmp_path, capsys):
    path, log = campaign(tmp_path), tmp_path / "l.jsonl"
    run_batches(path, 1)
    assert run(capsys, "export", path, log, "--what", "log")[0] == 0
    code, out, _ = run(capsys, "import", tmp_path / "D.db", log)
    assert code == 0 and "10 items, method easl, 2 judgments" in out
    for option, value in (("--gamma", "2"), ("--method", "easl"), ("--per-hit", "2"), ("--pair", "a-b")):
        code, _, err = run(capsys, "import", tmp_path / "E.db", log, option, value)
        assert code == 3 and option in err, (option, err)
    code, _, err = run(capsys, "import", tmp_path / "E.db", log, tmp_path / "r0.csv")
    assert code == 3 and "RESULTS are for model files, but FILE is a log file" in err
    code, _, err = run(capsys, "export", path, tmp_path / "m.csv", "--tool", "keisks")
    assert code == 3 and "use it with --what model" in err
    assert not (tmp_path / "E.db").exists() and not (tmp_path / "m.csv").exists()
    assert take_in(tmp_path / "D.db", tmp_path / "r0.csv").known == 2
