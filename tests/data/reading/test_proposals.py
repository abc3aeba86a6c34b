"""A table that does not say how it is read is refused once, with the whole command that reads it."""

from __future__ import annotations

import ast
import re
import shlex
from itertools import permutations, product
from pathlib import Path

import pandas as pd
import pytest

import pairproof
from pairproof.cli.app import run
from pairproof.data.reading.forms import LayoutError
from pairproof.errors import CodingError, ItemError

PREFMOD, LEXICOGRAPHIC = "12 13 23 14 24 34".split(), "12 13 14 23 24 34".split()


def _wide(names: list[str], codes: list[str]) -> str:
    rows = [[codes[(r * (k + 3) + r // 2) % len(codes)] for k in range(len(names))] for r in range(12)]
    return "\n".join(map(",".join, [names, *rows])) + "\n"


def _chosen(names: list[str]) -> str:
    items = [("Brot", "Käse", "tie"), ("Wurst", "Brot", "tie"), ("Käse", "Wurst", "tie")]
    rows = [[items[k][(r * (k + 3) + r // 2) % 3] for k in range(3)] for r in range(12)]
    return "\n".join(map(",".join, [names, *rows])) + "\n"


def _with_ids(text: str) -> str:
    first, *rows = text.splitlines()
    return "\n".join([f"id,{first}", *(f"{100 + k},{row}" for k, row in enumerate(rows))]) + "\n"


def _votes(header: str, answers: tuple[str, ...]) -> str:
    pairs = [*permutations(("x", "y", "z"), 2)] * 2
    named = {"A": 0, "B": 1}
    cells = (answers[k % len(answers)] for k in range(len(pairs)))
    rows = ((a, b, (a, b)[named[c]] if c in named else c) for (a, b), c in zip(pairs, cells))
    return "\n".join([header, *map(",".join, rows)]) + "\n"


def _judged(header: str, answers: tuple[str, ...], beside: tuple[str, ...] = ("u1", "u2", "u3")) -> str:
    pairs = [*permutations(("x", "y", "z"), 2)] * 4
    rows = [
        (*pair, answers[k * 5 % 7 % len(answers)], beside[k % 3], beside[k % 2])
        for k, pair in enumerate(pairs)
    ]
    return "\n".join([header, *map(",".join, rows)]) + "\n"


RANKS = [*permutations("1234")][::2]
RATINGS = [*product("12345", "135", "245")]
#: File -> its text, and the options of each command that the message proposes.
CASES: dict[str, tuple[str, list[str]]] = {
    "numbers": (
        _wide(PREFMOD, ["1", "-1", "0"]),
        ["--layout prefmod --items 1,2,3,4 --pair-order prefmod --coding first=1,tie=0,second=-1"],
    ),
    "prefmod": (
        _wide([f"V{a}V{b}" for a, b in PREFMOD], ["1", "-1"]),
        ["--layout prefmod --items V1,V2,V3,V4 --pair-order prefmod --coding first=1,second=-1"],
    ),
    "letters": (
        _with_ids(_wide(["AB", "AC", "AD", "BC", "BD", "CD"], ["1", "0", "2"])),
        [
            "--layout prefmod --items A,B,C,D --col person=id --pair-order lexicographic --coding first=1,tie=0,second=2",
            "--layout prefmod --items A,B,C,D --col person=id --pair-order lexicographic --coding first=0,tie=1,second=2",
        ],
    ),
    "colons": (
        _wide(["tea:milk", "tea:water", "milk:water"], ["1", "2", "NA"]),
        ["--layout prefmod --items tea,milk,water --pair-order prefmod --coding first=1,second=2,missing=NA"],
    ),
    "words": (
        _wide(["Brot_gegen_Käse", "Brot_gegen_Milch", "Käse_gegen_Milch"], ["1", "0", "-1"]),
        ["--layout prefmod --items 'Brot,Käse,Milch' --pair-order prefmod --coding first=1,tie=0,second=-1"],
    ),
    "names in the cells": (
        _chosen(["Brot:Käse", "Brot:Wurst", "Käse:Wurst"]),
        ["--layout prefmod --items 'Brot,Käse,Wurst' --pair-order prefmod --coding first=first,second=second,tie=tie"],
    ),
    "names in the cells alone": (
        _with_ids(_chosen(["Question 1", "Question 2", "Question 3"])),
        [
            "--layout prefmod --items 'Brot,Käse,Wurst' --col person=id --pair-order prefmod"
            " --coding first=first,second=second,tie=tie"
        ],
    ),
    "unnamed": (
        _wide([f"V{k}" for k in range(1, 7)], ["1", "-1"]),
        [
            "--layout prefmod --items A,B,C,D --pair-order prefmod --coding first=1,second=-1",
            "--layout prefmod --items A,B,C,D --pair-order lexicographic --coding first=1,second=-1",
        ],
    ),
    "ranks": (
        "\n".join(["tea,milk,water,juice", *map(",".join, RANKS)]) + "\n",
        ["--layout ranks --items tea,milk,water,juice"],
    ),
    "ranks with ties": (
        "tea,milk,water\n" + "1,1,3\n2,1,1\n1,2,2\n3,1,2\n2,3,1\n" * 3,
        [
            "--layout ranks --items tea,milk,water",
            *(f"--layout ratings --items tea,milk,water --scale 1-3 --best {best}" for best in ("high", "low")),
        ],
    ),
    "ratings": (
        "\n".join(["tea,milk,water", *map(",".join, RATINGS)]) + "\n",
        [f"--layout ratings --items tea,milk,water --scale 1-5 --best {best}" for best in ("high", "low")],
    ),
    "orders": (
        "\n".join(["best,middle,worst", *map(",".join, permutations(("x", "y", "z")))]) + "\n",
        ["--layout orders --places best,middle,worst"],
    ),
    "text": (
        "\n".join(["answer", *map(" > ".join, permutations(("x", "y", "z")))]) + "\n",
        ["--layout ranking-text --column answer"],
    ),
    "sides": (
        _votes("option_left,option_right,choice", ("left", "right", "tie")),
        [
            "--layout long --col first=option_left --col second=option_right --col outcome=choice"
            " --coding first=left,tie=tie,second=right"
        ],
    ),
    "by name": (
        _votes("one,two,better", ("A", "B", "B")),
        ["--layout votes --col model_a=one --col model_b=two --col winner=better"],
    ),
    "by name, and a word for neither": (
        _votes("Erste,Zweite,Gewinner", ("A", "B", "remis")),
        [
            "--layout votes --col model_a=Erste --col model_b=Zweite --col winner=Gewinner"
            " --coding first=model_a,tie=remis,second=model_b"
        ],
    ),
    "by name, beside numbered judges": (
        "Richter,left item,right item,winner\n1,Ash,Birch,Ash\n1,Ash,Birch,Birch\n2,Birch,Cedar,draw\n"
        "2,Ash,Cedar,Cedar\n3,Cedar,Birch,Birch\n3,Cedar,Ash,Ash\n",
        [
            "--layout votes --col 'model_a=left item' --col 'model_b=right item' --col judge=Richter"
            " --coding first=model_a,tie=draw,second=model_b"
        ],
    ),
    "verdicts of a language model": (
        _judged("response_a.model,response_b.model,verdict,judge,date", ("A", "B", "C")),
        [
            "--layout votes --col model_a=response_a.model --col model_b=response_b.model --col winner=verdict"
            " --coding first=A,tie=C,second=B"
        ],
    ),
    "ranks with ties and blanks beside persons": (
        "Person,tea,milk,water\n1,1,2,3\n2,2,1,3\n3,1,3,2\n4,3,1,2\n5,1,2,2\n6,,1,2\n",
        [
            *(f"--layout ranks --items tea,milk,water --unranked {blank}" for blank in ("absent", "below")),
            *(f"--layout ratings --items tea,milk,water --scale 1-3 --best {best}" for best in ("high", "low")),
        ],
    ),
    "verdicts": (
        _judged("left_model,right_model,verdict,rater,date", ("left", "right", "tie", "both bad")),
        [
            "--layout votes --col model_a=left_model --col model_b=right_model --col winner=verdict --col judge=rater"
            " --coding 'first=left,tie=tie,second=right,both_bad=both bad'"
        ],
    ),
    "letters of sides": (
        _judged("model_a,model_b,vote,user_id,timestamp", ("A", "B", "T")),
        ["--layout votes --col winner=vote --col judge=user_id --coding first=A,tie=T,second=B"],
    ),
    "names of the columns": (
        _judged("answer_left,answer_right,choice,rater,date", ("answer_left", "answer_right")),
        [
            "--layout long --col first=answer_left --col second=answer_right --col outcome=choice --col judge=rater"
            " --coding first=answer_left,second=answer_right"
        ],
    ),
    "beside lengths": (
        _judged("one,two,preferred,length_a,length_b", ("1", "2"), ("120", "35", "41")),
        ["--layout long --col first=one --col second=two --col outcome=preferred --coding first=1,second=2"],
    ),
    "games": (
        _judged("white,black,score,user,date", ("1", "0.5", "0")),
        [
            f"--layout long --col first=white --col second=black --col outcome=score --col judge=user"
            f" --coding first={a},tie=0.5,second={b}" for a, b in ("10", "01")
        ],
    ),
    "codes": (
        _votes("first,second,outcome", ("0", "1")),
        ["--layout long --coding first=1,second=0", "--layout long --coding first=0,second=1"],
    ),
    "counts": (
        "optionA,optionB,nA,nB\nx,y,5,3\ny,z,2,7\nx,z,4,4\n",
        ["--layout counts --col first=optionA --col second=optionB --col wins=nA --col losses=nB"],
    ),
    "beaten": (
        "champion,opponent\nx,y\ny,z\nz,x\ny,x\n",
        [f"--layout winners --col winner={a} --col loser={b}" for a, b in permutations(("champion", "opponent"))],
    ),
    "matrix": (
        ",x,y,z\nx,0,5,3\ny,2,0,7\nz,1,4,0\n",
        ["--layout matrix --winner rows", "--layout matrix --winner columns"],
    ),
    "records": (
        ",x,y,z\nx,,5-1-3,3-2-1\ny,,,7-1-2\nz,,,\n",
        [
            f"--layout matrix --winner {winner} --record {order}"
            for winner in ("rows", "columns")
            for order in ("wins-ties-losses", "wins-losses-ties")
        ],
    ),
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.csv").write_text(CASES[request.param][0])
    return str(request.param)


@pytest.mark.parametrize("file", CASES, indirect=True)
def test_the_message_proposes_commands_that_work_when_they_are_pasted(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["fit", "table.csv"]) == 3
    commands = re.findall(r"^    pairproof (fit|fit-answers) table.csv (.*)$", capsys.readouterr().err, re.M)
    assert [shlex.split(options) for _, options in commands] == [shlex.split(own) for own in CASES[file][1]]
    for name, options in commands:
        assert run([name, "table.csv", *shlex.split(options)]) == 0, capsys.readouterr().err


@pytest.mark.parametrize("file", CASES, indirect=True)
def test_python_proposes_calls_that_work_when_they_are_pasted(file: str) -> None:
    with pytest.raises(LayoutError) as refused:
        pairproof.read("table.csv")
    lines = [line.strip() for line in str(refused.value).splitlines() if line.startswith("    ")]
    assert len(lines) == len(CASES[file][1])
    for line in lines:
        call = ast.parse(line, mode="eval").body
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        given = {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
        assert getattr(pairproof, call.func.attr)("table.csv", **given).n_rows > 0


@pytest.mark.parametrize("file", ["letters"], indirect=True)
def test_what_was_typed_stays_and_only_the_rest_is_proposed(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        run(["fit", "table.csv", "--ties", "davidson", "--coding", "first=1,tie=0,second=2", "--layout=long"])
        == 3
    )
    assert run(["fit", "table.csv", "--ties", "davidson", "--coding", "first=1,tie=0,second=2"]) == 3
    (command,) = re.findall(r"^    pairproof (.*)$", capsys.readouterr().err, re.M)
    assert command == (
        "fit table.csv --ties davidson --coding first=1,tie=0,second=2 --layout prefmod --items A,B,C,D"
        " --col person=id --pair-order lexicographic"
    )
    assert run(shlex.split(command)) == 0


@pytest.mark.parametrize("file", ["letters"], indirect=True)
def test_fit_answers_and_tree_propose_the_same_table_as_one_of_persons(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("fit-answers", "fit-answers --layout pairs", "tree"):
        first, *more = command.split()
        assert run([first, "table.csv", *more]) == 3
        proposed = re.findall(rf"^    pairproof {first} table.csv (.*)$", capsys.readouterr().err, re.M)
        assert len(proposed) == 2 and all("--person id" in options for options in proposed)
    assert run(["fit-answers", "table.csv", *shlex.split(proposed[0])]) == 0


@pytest.mark.parametrize("file", ["verdicts"], indirect=True)
def test_the_command_that_was_asked_for_is_proposed_and_keeps_the_columns_that_were_stated(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for typed in ("leaderboard table.csv", "leaderboard table.csv --col winner=verdict --col judge=rater"):
        assert run(typed.split()) == 3
        (command,) = re.findall("^    pairproof (.*)$", capsys.readouterr().err, re.M)
        said = shlex.split(command)
        assert said[:2] == ["leaderboard", "table.csv"]
        assert {"model_a=left_model", "model_b=right_model", "winner=verdict", "judge=rater"} <= {*said}
        assert run(said) == 0, capsys.readouterr().err
        assert "3 models, 24 votes" in capsys.readouterr().out


def test_a_side_is_no_winner_while_a_column_of_few_values_or_of_its_items_is_not_understood(
    where: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = {
        "codes": _judged("left,right,verdict,rater,date", ("lq", "mq", "rq")).replace(
            "left,right", "one,two"
        ),
        "covariate": _judged("champion,opponent,surface,rater,date", ("clay", "grass")),
        "names and other words": _votes("one,two,best", ("A", "B", "lq", "mq")),
    }
    for text in texts.values():
        where.write_text(text)
        assert run(["fit", "table.csv"]) == 3
        said = capsys.readouterr().err
        assert "    pairproof" not in said and "nothing is guessed" in said
        one, two, answer = text.split("\n")[0].split(",")[:3]
        assert (
            f"--col first={one} --col second={two} --col outcome={answer}, and what each value means" in said
        )


def test_the_loser_is_the_other_column_once_the_winner_is_stated(
    where: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where.write_text(CASES["beaten"][0])
    assert run(["fit", "table.csv", "--col", "winner=opponent"]) == 3
    assert re.findall("^    pairproof (.*)$", capsys.readouterr().err, re.M) == [
        "fit table.csv --layout winners --col winner=opponent --col loser=champion"
    ]


def test_a_vote_with_an_odd_code_or_without_one_is_named_and_left_out_by_the_command(
    where: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = CASES["verdicts"][0].replace("x,y,left,u1,u1", "x,y,???,u1,u1", 1).replace("x,z,tie", "x,z,", 1)
    where.write_text(lines)
    assert run(["fit", "table.csv"]) == 3
    said = capsys.readouterr().err
    assert "one cell is none of these: '???' (table.csv, row 1 (line 2), column 'verdict')" in said
    assert "no answer in table.csv, row" in said
    (command,) = re.findall("^    pairproof (.*)$", said, re.M)
    assert run(shlex.split(command)) == 0
    assert "rows left out: 1 no answer, 1 unknown answer" in capsys.readouterr().err


@pytest.fixture
def where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "table.csv"


def test_a_stray_code_among_columns_of_pairs_is_named_and_the_command_is_proposed_all_the_same(
    where: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = CASES["words"][0].splitlines()
    lines[4] = "2" + lines[4][lines[4].index(",") :]
    where.write_text("\n".join(lines) + "\n")
    assert run(["fit", "table.csv"]) == 3
    said = capsys.readouterr().err
    assert f"table.csv {CASES['words'][1][0]}" in said
    cell = "'2' (table.csv, row 4 (line 5), column 'Brot_gegen_Käse')"
    assert f"But one cell is none of these: {cell}: correct it." in said


def test_a_cell_that_names_the_item_says_what_the_word_for_its_side_says(where: Path) -> None:
    where.write_text(CASES["names in the cells"][0])
    how = {
        "items": ["Brot", "Käse", "Wurst"],
        "pair_order": [("Käse", "Brot"), ("Wurst", "Brot"), ("Käse", "Wurst")],
    }
    how |= {"layout": "prefmod", "coding": "first=first,second=second,tie=tie"}
    named = pairproof.read("table.csv", **how)
    frame = pd.read_csv(where)
    for column, (first, second) in zip(frame, how["pair_order"]):
        frame[column] = frame[column].replace({first: "first", second: "second"})
    worded = pairproof.read(frame, **how)
    assert named.wins.tolist() == worded.wins.tolist() and named.losses.tolist() == worded.losses.tolist()
    frame.iloc[2, 0] = "Wurst"
    with pytest.raises(CodingError, match="row 3, column 'Brot:Käse': the answer is 'Wurst'"):
        pairproof.read(frame, **how)


def test_items_that_the_table_numbers_are_to_be_replaced_by_their_names(
    where: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, items in (
        ("numbers", "1,2,3,4"),
        ("prefmod", "V1,V2,V3,V4"),
        ("unnamed", "A,B,C,D"),
        ("letters", ""),
    ):
        where.write_text(CASES[name][0])
        assert run(["fit", "table.csv"]) == 3
        said = capsys.readouterr().err
        assert (f"replace {items} with their names" in said) == bool(items) and "...." not in said


def test_one_row_that_compares_an_item_with_itself_hides_no_proposal(where: Path) -> None:
    rows = ["a,a,3,4", "a,b,5,6", "a,c,1,2", "b,c,3,3", "b,d,4,1", "c,d,2,2", "a,d,1,5"]
    where.write_text("system1,system2,win1,win2\n" + "\n".join(rows) + "\n")
    with pytest.raises(LayoutError) as refused:
        pairproof.read("table.csv")
    way = refused.value.arguments(refused.value.ways[0])
    assert way["columns"] == {"first": "system1", "second": "system2", "wins": "win1", "losses": "win2"}
    with pytest.raises(ItemError, match=r"row 1 \(line 2\).*'a' is compared with itself"):
        pairproof.read("table.csv", **way)


def test_items_and_layout_that_were_stated_are_kept_in_the_proposal_beside_numbered_persons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    header, *rows = _wide([f"{a}:{b}" for a, b in ("tm", "tw", "mw")], ["1", "-1", "0"]).splitlines()
    text = "\n".join([f"ID,{header},Sex", *(f"{100 + k},{row},f" for k, row in enumerate(rows))])
    (tmp_path / "table.csv").write_text(text + "\n")
    for typed in (
        "fit table.csv --layout prefmod --items t,m,w",
        "fit-answers table.csv --layout pairs --items t,m,w",
    ):
        assert run(typed.split()) == 3
        (command,) = re.findall("^    pairproof (.*)$", capsys.readouterr().err, re.M)
        assert command.startswith(typed) and command.endswith(
            "--pair-order prefmod --coding first=1,tie=0,second=-1"
        )
        assert run(shlex.split(command)) == 0, capsys.readouterr().err


def test_scores_of_systems_on_segments_of_documents_are_imported_by_the_command_that_is_proposed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        f"r{r},S{s},doc{k // 2},{k},{10 * r + 7 * s + k}" for r in (1, 2) for s in (1, 2) for k in range(4)
    ]
    lines = ["Annotator,System,Document,Segment ID,Score", *rows]
    (tmp_path / "da.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "again.csv").write_text("\n".join([*lines, rows[0]]) + "\n")
    assert run(["fit", "again.csv"]) == 3
    assert "rows repeat what the same Annotator had scored before, 1 of them" in capsys.readouterr().err
    assert run(["fit", "da.csv"]) == 3
    (command,) = re.findall("^    pairproof (.*)$", capsys.readouterr().err, re.M)
    assert "item=Segment ID" in shlex.split(command) and "system=System" in command
    assert run(shlex.split(command)) == 0, capsys.readouterr().err


def test_three_spellings_of_one_name_become_one_item_by_the_renames_that_the_message_proposes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "xs.csv").write_text("first,second,wins,losses\nX,y,3,2\nx,y,4,4\nx ,y,1,2\n")
    assert run(["fit", "xs.csv"]) == 3
    (renames,) = re.findall("pass (--rename .*), if not", capsys.readouterr().err)
    assert run(["fit", "xs.csv", *shlex.split(renames)]) == 0, capsys.readouterr().err
