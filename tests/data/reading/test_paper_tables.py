"""Tables in the form in which papers and people have them hold the same comparisons as plain counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pairproof
from pairproof import Comparisons
from pairproof.cli.app import run
from pairproof.errors import InputError, PairproofError
from tests.places import TESTS

PRINTED = TESTS / "data" / "reading" / "printed"

#: Baseball 1987 (Agresti 2002, Table 10.10): home-away home wins:away wins, as BradleyTerry2 has it.
BASEBALL = """Milwaukee-Detroit 4:3; Milwaukee-Toronto 4:2; Milwaukee-New York 4:3; Milwaukee-Boston 6:1;
Milwaukee-Cleveland 4:2; Milwaukee-Baltimore 6:0; Detroit-Milwaukee 3:3; Detroit-Toronto 4:2;
Detroit-New York 4:3; Detroit-Boston 6:0; Detroit-Cleveland 6:1; Detroit-Baltimore 4:3;
Toronto-Milwaukee 2:5; Toronto-Detroit 4:3; Toronto-New York 2:4; Toronto-Boston 4:3;
Toronto-Cleveland 4:2; Toronto-Baltimore 6:0; New York-Milwaukee 3:3; New York-Detroit 5:1;
New York-Toronto 2:5; New York-Boston 4:3; New York-Cleveland 4:2; New York-Baltimore 6:1;
Boston-Milwaukee 5:1; Boston-Detroit 2:5; Boston-Toronto 3:3; Boston-New York 4:2;
Boston-Cleveland 5:2; Boston-Baltimore 6:0; Cleveland-Milwaukee 2:5; Cleveland-Detroit 3:3;
Cleveland-Toronto 3:4; Cleveland-New York 4:3; Cleveland-Boston 4:2; Cleveland-Baltimore 2:4;
Baltimore-Milwaukee 2:5; Baltimore-Detroit 1:5; Baltimore-Toronto 1:6; Baltimore-New York 2:4;
Baltimore-Boston 1:6; Baltimore-Cleveland 3:4"""
GAMES = [
    (home, away, int(won), int(lost))
    for game in BASEBALL.replace("\n", " ").split("; ")
    for home, _, rest in [game.partition("-")]
    for away, _, score in [rest.rpartition(" ")]
    for won, _, lost in [score.partition(":")]
]
TEAMS = ["Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore"]
JOURNALS = ["Biometrika", "Comm Statist", "JASA", "JRSS-B"]
#: Firth 2005: rows are cited, and win.
CITED = [[714, 730, 498, 221], [33, 425, 68, 17], [320, 813, 1072, 142], [284, 276, 325, 188]]


def wins(a: str, b: str) -> int:
    return sum(w if (h, g) == (a, b) else l if (h, g) == (b, a) else 0 for h, g, w, l in GAMES)


def counted(names: list[str], cells: Any) -> Comparisons:
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    return pairproof.read(
        {
            "first": [a for a, _ in pairs],
            "second": [b for _, b in pairs],
            "wins": [cells(a, b) for a, b in pairs],
            "losses": [cells(b, a) for a, b in pairs],
        }
    )


def cited(a: str, b: str) -> int:
    return CITED[JOURNALS.index(a)][JOURNALS.index(b)]


TEAM_COUNTS, JOURNAL_COUNTS = counted(TEAMS, wins), counted(JOURNALS, cited)


def square(names: list[str], cells: Any, own: str, end: str, between: str = " & ") -> str:
    rows = [[a, *(own if a == b else str(cells(a, b)) for b in names)] for a in names]
    return "\n".join(between.join(row) + end for row in rows)


LATEX = (
    r"\begin{table}[t]\centering\caption{Citations of journals \citep{stigler}}% a comment & more \\"
    "\n"
    r"\begin{tabular}{@{}l*{4}{r}@{}}\toprule"
    "\n"
    r" & \multicolumn{4}{c}{\textit{Citing}}\\ \cmidrule(l){2-5}"
    "\n"
    r"Cited & Biometrika & Comm~Statist & JASA & JRSS-B \\[2pt] \midrule"
    "\n"
    + square(JOURNALS, cited, "---", r" \\")
    .replace("& 730", r"& $730$")
    .replace("Comm Statist &", r"\textbf{Comm Statist} &")
    + "\n"
    r"\bottomrule\multicolumn{5}{l}{\footnotesize Self-citations are left out.}\end{tabular}\end{table}"
)
HTML = (
    "<!DOCTYPE html><html><body><!-- <table><tr><td>no</table> --><table class='wikitable'><caption>Wins</caption><thead>"
    "<tr><th></th>" + "".join(f"<th scope=col>{name.replace(' ', '&nbsp;')}</th>" for name in TEAMS) + "<th>Total</th></tr></thead>\n"
    + "\n".join(
        f"<tr><th>{a.replace(' ', '&nbsp;')}</th>" + "".join(f"<td>{'&mdash;' if a == b else wins(a, b)}" for b in TEAMS)
        + f"<td><b>{sum(wins(a, b) for b in TEAMS)}</b></tr>"
        for a in TEAMS
    )
    + "</table></body></html>"
)  # fmt: skip
MARKDOWN = (
    "# Wins of rows\n\n| | " + " | ".join(f"**{name}**" for name in TEAMS) + " |\n|---|" + ":-:|" * 7 + "\n"
    + "\n".join(
        f"| {a} | " + " | ".join(f"{wins(a, b)}\u2013{wins(b, a)}" if k < j else "" for j, b in enumerate(TEAMS)) + " |"
        for k, a in enumerate(TEAMS)
    )
)  # fmt: skip
PDF = (
    "Table 2. Citations, rows cited\n"
    + " ".join(JOURNALS)
    + "\n"
    + square(JOURNALS, cited, "\u2013", "", " ")
)
TRIANGLE = (
    "Team," + ",".join(TEAMS[1:]) + ",W\n"
    + "\n".join(
        ",".join([a, *(f"{wins(a, b)}:{wins(b, a)}" if j > k else "" for j, b in enumerate(TEAMS) if j), str(sum(wins(a, b) for b in TEAMS))])
        for k, a in enumerate(TEAMS[:-1])
    )
    + "\n"
)  # fmt: skip
MARGINS = (
    "cited;" + ";".join([*JOURNALS, "cited in all"]) + "\n"
    + "\n".join(
        ";".join([a, *("." if a == b else str(cited(a, b)) for b in JOURNALS), str(sum(cited(a, b) for b in JOURNALS if b != a))])
        for a in JOURNALS
    )
    + "\ncites in all;" + ";".join(str(sum(cited(a, b) for a in JOURNALS if a != b)) for b in JOURNALS) + ";3727\n"
)  # fmt: skip
PLAYERS = "player1,player2,win1,win2\n" + "".join(
    f"{a},{b},{cited(a, b)},{cited(b, a)}\n" for k, a in enumerate(JOURNALS) for b in JOURNALS[k + 1 :]
)
HOME = "home\taway\thome.wins\taway.wins\n" + "".join(f"{h}\t{a}\t{w}\t{l}\n" for h, a, w, l in GAMES)
MATCHES = [(h, a, *s) for h, a, w, l in GAMES for s in [(3, 1)] * w + [(0, 2)] * l]
SCORES = "Date,Home Team,Away Team,Score\n" + "".join(
    f"{k},{h},{a},{x}-{y}\n" for k, (h, a, x, y) in enumerate(MATCHES)
)
GOALS = "home,away,home_goals,away_goals\n" + "".join(f"{h},{a},{x},{y}\n" for h, a, x, y in MATCHES)
WINNERS = "winner,loser\n" + "".join(f"{h},{a}\n" if x > y else f"{a},{h}\n" for h, a, x, y in MATCHES)
BEATEN = "Winner,Loser,count\n" + "".join(f"{h},{a},{w}\n{a},{h},{l}\n" for h, a, w, l in GAMES)
KABLE = "home         away         wins   losses\n-----------  -----------  -----  -------\n" + "".join(
    f"{h:<13}{a:<13}{w:>4}   {l:>6}\n" for h, a, w, l in GAMES
)

ROWS = {"winner": "rows"}
#: Form -> (file, text, options, the plain counts).
TABLES: dict[str, tuple[str, str, dict[str, Any], Comparisons]] = {
    "LaTeX, heading over columns, dashes": ("t.tex", LATEX, ROWS, JOURNAL_COUNTS),
    "LaTeX, columns win": ("t.tex", LATEX, {"winner": "columns"}, counted(JOURNALS, lambda a, b: cited(b, a))),
    "HTML with a total column": ("t.html", HTML, ROWS, TEAM_COUNTS),
    "Markdown, upper triangle 14-7": ("t.md", MARKDOWN, ROWS, TEAM_COUNTS),
    "text of a PDF": ("t.txt", PDF, ROWS, JOURNAL_COUNTS),
    "triangle without its ends, 14:7, wins beside": ("t.csv", TRIANGLE, ROWS, TEAM_COUNTS),
    "matrix with dots, a total column and row": ("t.csv", MARGINS, ROWS, JOURNAL_COUNTS),
    "BradleyTerry2's players": ("t.csv", PLAYERS, {}, JOURNAL_COUNTS),
    "home and away wins": ("t.tsv", HOME, {}, TEAM_COUNTS),
    "a match a row, score": ("t.csv", SCORES, {}, TEAM_COUNTS),
    "a match a row, goals": ("t.csv", GOALS, {}, TEAM_COUNTS),
    "winner and loser": ("t.csv", WINNERS, {}, TEAM_COUNTS),
    "winner, loser and count": ("t.csv", BEATEN, {}, TEAM_COUNTS),
    "simple table, left columns with blanks in names": ("t.txt", KABLE, {}, TEAM_COUNTS),
    "R's print of a data frame": ("t.txt", (PRINTED / "baseball.txt").read_text(), {}, TEAM_COUNTS),
    "R's print of countsToBinomial": ("t.txt", (PRINTED / "citations-binomial.txt").read_text(), {}, JOURNAL_COUNTS),
    "R's print of xtabs": ("t.txt", (PRINTED / "baseball-square.txt").read_text(), ROWS, TEAM_COUNTS),
    "R's print of addmargins": ("t.txt", (PRINTED / "baseball-margins.txt").read_text(), ROWS, TEAM_COUNTS),
    "R's print of citations": ("t.txt", (PRINTED / "citations.txt").read_text(), {**ROWS, "drop": "bad"}, JOURNAL_COUNTS),
}  # fmt: skip


def written(tmp_path: Path, form: str) -> Path:
    path = tmp_path / TABLES[form][0]
    path.write_text(TABLES[form][1], encoding="utf-8")
    return path


@pytest.mark.parametrize("form", TABLES)
def test_a_table_as_papers_have_it_holds_the_plain_counts(form: str, tmp_path: Path) -> None:
    _, _, options, plain = TABLES[form]
    found = pairproof.read(written(tmp_path, form), **options)
    assert found.pooled() == plain.pooled() and found.digest() == plain.digest()
    assert found.read_as, "how it was read is told"


@pytest.mark.parametrize("form", [form for form, (_, _, options, _) in TABLES.items() if "winner" in options])
def test_whose_wins_a_matrix_counts_is_asked_and_never_guessed(form: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="(?s)winner='rows'.*winner='columns'"):
        pairproof.read(written(tmp_path, form))


def test_a_command_tells_on_standard_error_how_it_read_a_table(tmp_path, capsys) -> None:
    path = str(written(tmp_path, "HTML with a total column"))
    assert run(["fit", path, "--winner", "rows", "--json"]) == 0
    said = capsys.readouterr()
    assert (
        "read as a table of HTML" in said.err
        and "'Total' is the sum of its row, so it was left out" in said.err
    )
    assert said.out.startswith("{")
    assert run(["fit", path, "--quiet"]) == 3
    assert "--winner rows" in capsys.readouterr().err
    assert run(["claims", "new", path, "--winner", "rows", "--quiet"]) == 0
    assert '"Milwaukee"' in capsys.readouterr().out


def test_who_is_at_home_stands_first() -> None:
    fits = [pairproof.fit_bradley_terry(pairproof.read(PRINTED / "baseball.txt"), order_effect=True)]
    assert f"{fits[0].params['order']:.4f}" == "0.3023"  # Turner & Firth 2012


def test_winners_first_tell_nothing_of_an_advantage(tmp_path: Path) -> None:
    found = pairproof.read(written(tmp_path, "winner and loser"))
    assert set(found.columns["order"].tolist()) == {0.0}


def test_equal_scores_are_ties() -> None:
    rows = {"home": ["A", "B", "A"], "away": ["B", "A", "C"], "score": ["1-1", "2:0", "0 \u2013 3"]}
    found = pairproof.read(rows)
    assert found.tie_category and found.pooled() == {("A", "B"): (0, 1, 1), ("A", "C"): (0, 0, 1)}
    assert not pairproof.read({**rows, "score": ["1-0", "2:0", "0-3"]}).tie_category


RECORDS = ",A,B,C\nA,,5-2-1,4-3-0\nB,,,1-1-1\nC,,,\n"


def test_three_numbers_in_a_cell_are_read_in_the_order_that_is_stated(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(RECORDS)
    with pytest.raises(
        InputError, match=r"wins-ties-losses' \(2 ties\) or record='wins-losses-ties' \(1 ties\)"
    ):
        pairproof.read(path, winner="rows")
    ties, losses = (
        pairproof.read(path, winner="rows", record=r).pooled()
        for r in ("wins-ties-losses", "wins-losses-ties")
    )
    assert ties["A", "B"] == (5, 2, 1) and losses["A", "B"] == (5, 1, 2)
    columns = pairproof.read(path, winner="columns", record="wins-ties-losses").pooled()
    assert columns["A", "B"] == (1, 2, 5)


#: File, its text, options, what the error says: what was found, and what to do.
REFUSED = [
    ("a.csv", ",A,B,Total\nA,-,5,5\nB,2,-,2\nTotal,2,6,7\n", ROWS, "'Total' is not the sum of its column: of B 6"),
    ("a.csv", ",A,B,C,Sum\nA,,5-2,4-3,9-5\nB,,,6-1,8-5\nC,,,,4-10\n", ROWS, "'Sum' is not the sum of the other cells"),
    ("a.csv", ",A,B,T\nA,-,5,5\nB,2,-,3\n", ROWS, "'T' is not the sum of its row: of B 3, where the cells give 2"),
    ("a.csv", ",A,B\nA,,5-2\nB,5-2,\n", ROWS, "row 2 (line 3), column 'A': B against A is '5-2'"),
    ("a.csv", ",A,B,C\nA,,5-2,4\nB,,,3-1\nC,,,\n", ROWS, "row 1 (line 2), column 'C': the cell of row 'A' is '4'"),
    ("a.csv", ",A,B\nA,1-1,5-2\nB,2-5,\n", ROWS, "against itself is '1-1'"),
    ("a.csv", ",A,B,C\nA,,5-2,4-1-1\nB,,,3-1\nC,,,\n", ROWS, "has two numbers; expected three"),
    ("a.csv", ",A,B\nA,7,5\nB,2,\n", ROWS, "'A' against itself is '7'"),
    ("a.csv", ",A,B\nA,,5\nB,2,\n", {**ROWS, "record": "wins-ties-losses"}, "but these have one each"),
    ("a.csv", ",A,B\nA,,-\nB,2,\n", ROWS, "write 0 for a pair that was not compared"),
    ("a.tex", r"\begin{tabular}{lrr} & A & B \\ \hline" "\nA & - & x7 \\\\\nB & 4 & - \\end{tabular}", ROWS,
     "row 1 (line 2), column 'B': the cell of row 'A' is 'x7'"),
    ("a.html", "<table><tr><th>a<th>b<tr><td>1<td>2</table>\n<table><tr><th>a<th>b<tr><td>1<td>2</table>", {},
     "2 tables found in HTML; expected one; copy the one you need to its own file (line 1; line 2)"),
    ("a.html", "<p>none", {}, "no tables found"),
    ("a.csv", "home,away,score\nA,B,3-1\nB,A,-\n", {}, "row 2 (line 3), column 'score': the score is '-'; expected two numbers"),
    ("a.csv", "home,away,home_goals,away_goals\nA,B,3,\n", {}, "column 'away_goals': the score is blank"),
    ("a.csv", "home,away,score,home_wins,away_wins\nA,B,3-1,1,0\n", {}, "layout='counts')"),
    ("a.csv", "winner,loser,n,count\nA,B,3,1\n", {}, "layout='winners', columns={'weight': 'n'}"),
    ("a.csv", "x,y\nA,B\n", {"layout": "scores"}, "layout 'scores', but found the columns 'x', 'y'; expected"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "options", "said"), REFUSED)
def test_what_can_be_read_in_two_ways_or_none_is_refused_with_the_way_out(
    name, text, options, said, tmp_path
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PairproofError) as refused:
        pairproof.read(path, **options)
    assert said in str(refused.value)


def test_the_way_out_is_one() -> None:
    both = {
        "home": ["A", "B"],
        "away": ["B", "A"],
        "score": ["3-1", "0-2"],
        "home_wins": [1, 2],
        "away_wins": [5, 0],
    }
    counts, scores = (pairproof.read(both, layout=layout).pooled() for layout in ("counts", "scores"))
    assert counts == {("A", "B"): (1, 0, 7)} and scores == {("A", "B"): (2, 0, 0)}
    beaten = {"winner": ["A"], "loser": ["B"], "n": [3], "count": [1]}
    assert pairproof.read(beaten, columns={"weight": "n"}).n_comparisons == 3


def test_cells_that_stand_for_nothing_are_told() -> None:
    """A pair without a cell was not compared; where single counts stand a blank is refused."""
    import io

    import pandas as pd

    frame = pd.read_csv(io.StringIO(",A,B,C\nA,,5-2,\nB,,,1-1\nC,,,\n"), index_col=0)
    found = pairproof.read(frame, layout="matrix", winner="rows")
    assert found.pooled() == {("A", "B"): (5, 0, 2), ("B", "C"): (1, 0, 1)}
    assert "1 pairs have no cell, so they were not compared" in found.read_as


def test_sums_of_records_are_left_out() -> None:
    import io

    import pandas as pd

    for name in ("Sum", "overall"):
        frame = pd.read_csv(
            io.StringIO(f",A,B,C,{name}\nA,,5-2,4-3,9-5\nB,,,6-1,8-6\nC,,,,4-10\n"), index_col=0
        )
        found = pairproof.read(frame, layout="matrix", winner="rows")
        assert found.items == ("A", "B", "C") and found.pooled()["B", "C"] == (6, 0, 1)
        assert f"'{name}' is the sum of its row, so it was left out" in found.read_as


def test_a_csv_stays_what_it_is(tmp_path: Path) -> None:
    """Answers that hold HTML or LaTeX do not make a file of votes a page."""
    path = tmp_path / "votes.csv"
    path.write_text(
        'model_a,model_b,winner,answer\nA,B,model_a,"<table><tr><td>1</table>"\nB,A,tie,"a & b \\\\"\n'
    )
    found = pairproof.read(path)
    assert found.n_rows == 2 and not found.read_as
