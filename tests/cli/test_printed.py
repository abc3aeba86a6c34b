"""`pairproof check TABLE --votes DATA` and `claims new --from TABLE`, as a reviewer types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pairproof.cli import main
from pairproof.validation.check.claims_file import read_paper
from tests.validation.printed.pages import TEXTS

HOME = TEXTS / "data_home.csv"


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    capsys.readouterr()
    code = main([str(a) for a in arguments])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    "name", ["booktabs.tex", "below.tex", "page.html", "readme.md", "pdf.txt", "paren.txt", "sas.txt"]
)
def test_a_table_of_a_paper_is_checked_in_one_step(name: str, capsys) -> None:
    code, out, err = run(capsys, "check", TEXTS / name, "--votes", HOME, "--r", "none", "--json")
    summary = json.loads(out)["summary"]
    assert code == 0 and set(summary) <= {"agrees", "agrees-other-definition", "immaterial", "not-checkable"}
    assert name in err and summary["agrees"] > 12


def test_a_wrong_number_ends_with_1_and_is_named(tmp_path: Path, capsys) -> None:
    path = tmp_path / "table.tex"
    path.write_text((TEXTS / "booktabs.tex").read_text().replace("1.108", "1.137"))
    code, out, _ = run(capsys, "check", path, "--votes", HOME, "--r", "none", "--full")
    assert code == 1 and "estimate.Boston" in out and "differs" in out


def test_options_state_the_model(capsys) -> None:
    asked = ("--model", "llbt", "--scale", "lambda", "--reference", "Boston", "--json")
    code, out, err = run(capsys, "check", TEXTS / "pdf.txt", "--votes", HOME, "--r", "none", *asked)
    assert code == 1 and "was found" not in err
    code, _, err = run(
        capsys, "check", TEXTS / "pdf.txt", "--votes", HOME, "--r", "none", "--heading", "estimate=Worth"
    )
    assert code == 3 and "0 columns have this heading" in err


def test_claims_are_begun_from_what_r_printed_and_then_checked(tmp_path: Path, capsys) -> None:
    out_file = tmp_path / "mine.claims.toml"
    code, out, err = run(
        capsys, "claims", "new", "--from", TEXTS / "btm_home.txt", HOME, "--out", out_file, "--id", "mine"
    )
    assert code == 0 and "33 numbers read" in out and "order effect yes was found" in err
    text = out_file.read_text()
    assert (
        "# names are read without 'team'" in text and "# reference Baltimore: it is without a number" in text
    )
    claim = read_paper(str(out_file)).claims[0]
    assert [str(q.quantity) for q in claim.numbers][:3] == [
        "estimate.Boston",
        "estimate.Cleveland",
        "estimate.Detroit",
    ]
    code, out, _ = run(capsys, "check", out_file, "--r", "none", "--json")
    assert code == 0 and json.loads(out)["summary"].get("differs", 0) == 0


def test_a_long_csv_makes_several_claims(tmp_path: Path, capsys) -> None:
    out_file = tmp_path / "mine.claims.toml"
    code, _, _ = run(capsys, "claims", "new", "--from", TEXTS / "long.csv", HOME, "--out", out_file)
    assert code == 0 and [c.id for c in read_paper(str(out_file)).claims] == ["table-4", "worths"]
    code, out, _ = run(capsys, "check", out_file, "--r", "none", "--json")
    assert code == 0


def test_a_csv_of_several_papers_makes_the_file_of_the_one_that_is_named(tmp_path: Path, capsys) -> None:
    rows = "paper,claim,quantity,item,printed\na,1,estimate,Boston,1.1077\na,1,se,Boston,0.3339\n"
    path, out_file = tmp_path / "long.csv", tmp_path / "b.claims.toml"
    path.write_text(
        rows + "a,1,estimate,Toronto,1.2945\nb,1,estimate,Boston,1.11\nb,1,estimate,Detroit,1.44\n"
    )
    code, _, err = run(capsys, "claims", "new", "--from", path, HOME)
    assert code == 3 and "numbers of 2 papers (a, b)" in err
    code, out, _ = run(capsys, "claims", "new", "--from", path, HOME, "--out", out_file)
    assert code == 0 and "2 numbers read" in out
    code, out, _ = run(capsys, "check", path, "--votes", HOME, "--r", "none", "--json")
    assert code == 0 and {a["claim"] for a in json.loads(out)["agreements"]} == {"a-1", "b-1", "not checked"}


def test_a_heading_without_a_printed_table_is_refused(capsys) -> None:
    code, _, err = run(capsys, "claims", "new", "--heading", "estimate=x", HOME)
    assert code == 3 and "--heading is for a printed table; add --from FILE" in err


def test_what_plackett_luce_printed_of_rankings_becomes_a_claim_that_comes_out(
    tmp_path: Path, capsys
) -> None:
    # Salad dressings (Critchlow and Fligner 1991): ranks of A, B, C, D, and how many gave them.
    ranks = {
        "1234": 2, "2134": 1, "2143": 2, "2314": 1, "3124": 2, "3142": 1, "3421": 1, "4123": 11, "4132": 6, "4213": 3,
        "4312": 1, "4321": 1,
    }  # fmt: skip
    salad, out_file = tmp_path / "salad.csv", tmp_path / "salad.claims.toml"
    salad.write_text("A,B,C,D\n" + "".join(f"{','.join(row)}\n" * n for row, n in ranks.items()))
    how = ("--layout", "ranks", "--items", "A,B,C,D", "--out", out_file)
    code, out, _ = run(capsys, "claims", "new", "--from", TEXTS / "plackettluce.txt", salad, *how)
    assert code == 0 and "16 numbers read" in out
    assert read_paper(str(out_file)).claims[0].model.family == "plackett-luce"
    code, out, _ = run(capsys, "check", out_file, "--r", "none", "--json")
    assert code == 0 and set(json.loads(out)["summary"]) == {"agrees", "agrees-other-definition"}
    code, _, err = run(capsys, "check", TEXTS / "plackettluce.txt", "--votes", HOME)
    assert code == 3 and "0 of its 4 names are items" in err


GAMES = "first,second,wins,losses\nA,B,6,4\nA,C,8,3\nB,C,7,5\n"


def test_a_row_that_is_no_item_of_the_data_is_in_the_first_line_and_needs_attention(tmp_path, capsys):
    (tmp_path / "games.csv").write_text(GAMES)
    (tmp_path / "page.csv").write_text("item,wins\nA,14\nB,11\nC,8\nBee,99\n")
    asked = (tmp_path / "page.csv", "--votes", tmp_path / "games.csv", "--r", "none")
    code, out, _ = run(capsys, "check", *asked)
    first = " ".join(out.split("R was")[0].split())  # lines end where the terminal does
    assert code == 2
    assert (
        "3 of 4 printed numbers are reproduced; one was not checked, because its row is not an item" in first
    )
    said = out[out.index("What needs attention") :]
    assert "wins.Bee" in said and "row Bee: not an item of" in said and "--rename" in said
    assert "Nothing" not in out and "All 3" not in out


def test_rows_that_are_no_comparisons_can_be_dropped_as_the_message_says(tmp_path, capsys):
    (tmp_path / "games.csv").write_text(GAMES + "A,A,1,2\n")
    (tmp_path / "page.csv").write_text("item,wins\nA,14\nB,11\nC,8\n")
    asked = (tmp_path / "page.csv", "--votes", tmp_path / "games.csv", "--r", "none")
    code, _, err = run(capsys, "check", *asked)
    assert code == 3 and "--drop bad drops such rows" in err
    code, out, err = run(capsys, "check", *asked, "--drop", "bad")
    assert code == 0 and "All 3 printed numbers are reproduced" in out and "1 compared with itself" in err


def test_style_is_read_as_leaderboard_reads_it_and_no_cluster_may_be_said(tmp_path, capsys):
    votes, board = tmp_path / "votes.csv", tmp_path / "board.csv"
    pairs = ("A,B", "A,C", "B,C", "B,A", "C,A", "C,B")
    rows = [
        f"{pair},{w},{100 + 7 * k},{90 + 5 * k * k}"
        for k, pair in enumerate(pairs * 4)
        for w in ("model_a", "model_b")[: 1 + k % 2]
    ]
    votes.write_text("model_a,model_b,winner,n_a,n_b\n" + "\n".join(rows) + "\n")
    style = ("--style", "diff(n_{a,b})", "--cluster", "none")
    code, _, err = run(capsys, "leaderboard", votes, *style, "--report", board)
    assert code == 0, err
    code, out, err = run(capsys, "check", board, "--votes", votes, *style, "--r", "none")
    assert code == 0 and "printed numbers are reproduced" in out, out + err
