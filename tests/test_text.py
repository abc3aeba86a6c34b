"""Names from files are shown on a terminal and never obeyed; JSON, CSV and HTML keep them as they are."""

from __future__ import annotations

import csv
import json
import re
import warnings
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import pairproof
from pairproof.cli import main
from pairproof.text import label, safe

#: ESC and BEL (a terminal's title), C1's CSI, backspace, DEL, right-to-left override and isolate, a line end.
EVIL = "A\x1b]0;pwned\x07\x9b31m\x08\x7f\u202e\u2066x"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@given(st.text())
def test_nothing_a_terminal_obeys_is_left_and_all_else_is_as_it_was(text):
    assert not OBEYED.search(safe(text)) and not OBEYED.search(label(text))
    assert "\n" not in label(text) and "\t" not in label(text)
    assert safe(text).count("\n") == text.count("\n")
    if not re.search(
        "[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\U000e0000-\U000e007f]",
        text,
    ):
        assert safe(text) == label(text) == text


def test_scripts_that_are_written_from_right_to_left_and_joiners_stay():
    for name in ("مرحبا", "עברית", "क्‍ष", "👩‍🔬", "نمی‌دانم"):
        assert label(name) == name


@pytest.fixture()
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tables whose items, judges, columns and file names hold what a terminal would obey."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, rows: list[list[str]]) -> None:
        with Path(name).open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(rows)

    pairs = [(EVIL, "B", "5", "3"), ("B", "C\nD", "4", "2"), (EVIL, "C\nD", "6", "1")]
    write(
        "t.csv",
        [
            ["first", "second", "wins", "losses", "judge"],
            *([*p, j] for p in pairs for j in ("j" + EVIL, "k")),
        ],
    )
    write(f"{EVIL}.csv", [["first", "second", "wins", "losses"], [EVIL, EVIL, "1", "2"]])
    write("column.csv", [["first", "second", "wins", EVIL], ["A", "B", "1", "2"]])
    write(
        "e.csv",
        [
            ["system", "sentence", "errors", "length"],
            *([s, str(k), str(k + len(s) % 3), "9"] for s in (EVIL, "B\nC") for k in range(4)),
        ],
    )
    write("items.csv", [["id", "sent", "system"], *([f"{EVIL}{k}", EVIL, EVIL] for k in range(6))])
    return tmp_path


COMMANDS = [
    ("fit", "t.csv"),
    ("fit", "t.csv", "--by", "judge"),
    ("fit", f"{EVIL}.csv"),
    ("fit", "column.csv"),
    ("fit", f"none{EVIL}.csv"),
    ("fit", "t.csv", "--reference", EVIL + "?"),
    ("fit", "t.csv", "--by", EVIL),
    ("fit-answers", "t.csv", "--layout", "ranks", "--items", f"{EVIL},B"),
    ("fit-answers", f"{EVIL}.csv", "--layout", EVIL),
    (
        "fit-answers",
        "e.csv",
        "--layout",
        "long-ranks",
        "--person",
        "sentence",
        "--item",
        "system",
        "--rank",
        "errors",
    ),
    ("compare-two", "t.csv"),
    ("compare-two", "t.csv", "--pair", f"{EVIL},X"),
    ("error-rates", "e.csv"),
    ("compare-two", "t.csv", "--cluster", EVIL),
    ("tree", "t.csv"),
    ("tree", "t.csv", "--covariates", EVIL),
    ("tree", "t.csv", "--plot", f"{EVIL}.gif"),
    ("watch", "t.csv"),
    ("next-pairs", "t.csv"),
    ("sample-size", "t.csv", "--goal", "ranking"),
    ("sample-size", "--goal", "contrast", "--abilities", EVIL),
    ("rank-by-comparing", f"{EVIL},B,C"),
    ("check", f"{EVIL}.claims.toml"),
    ("easl", "init", f"{EVIL}.db", "items.csv"),
    ("easl", "status", f"{EVIL}.db"),
    ("easl", "status", f"{EVIL}.db", "--systems", EVIL),
    ("fit", "t.csv", "--debug", "--reference", EVIL + "?"),
    ("claims", "new", "t.csv"),
    (EVIL,),
    (
        "compare-models",
        "t.csv",
        "--train-sizes",
        "2",
        "--trials",
        "1",
        "--test-size",
        "3",
        "--split",
        "comparisons",
        "--models",
        "uniform",
        "--workers",
        "1",
    ),
]


@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda c: " ".join(c)[:40].encode("unicode_escape").decode()
)
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_no_command_sends_a_terminal_what_it_would_obey(files, capsys, command, form):
    if "status" in command:
        main(["easl", "init", f"{EVIL}.db", "items.csv"])
        capsys.readouterr()
    main([*command, *form])
    out, err = capsys.readouterr()
    assert not OBEYED.search(out), ascii(out)
    assert not OBEYED.search(err), ascii(err)


def test_the_json_keeps_the_name_and_a_name_makes_no_line_of_its_own(files, capsys):
    assert main(["fit", "t.csv", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert EVIL in document["items"] and "C\nD" in document["items"]
    assert main(["fit", "t.csv"]) == 0
    assert r"C\nD" in capsys.readouterr().out


def test_what_python_prints_of_a_table_and_a_fit_is_safe_too(files):
    table = pairproof.read("t.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = pairproof.fit_llbt(table, by="judge")
    for text in (repr(table), str(table), fit.summary(), repr(fit)):
        assert not OBEYED.search(text), ascii(text)
    assert EVIL in table.items


def test_the_command_has_one_way_to_a_terminal():
    """Only the one that makes text safe, beside the version's own number."""
    folder = Path(pairproof.__file__).parent / "cli"
    found = {
        path.name: len(
            re.findall(r"click\.s?echo\(|\bprint\(|std(?:out|err)\.write\(", path.read_text(encoding="utf-8"))
        )
        for path in folder.glob("*.py")
    }
    found.pop("doctor.py")  # run as a module it prints for scripts/setup.sh, whose lines have no terminal
    assert {name: n for name, n in found.items() if n} == {"app.py": 1, "state.py": 1}


def test_claims_as_tests_show_names_and_do_not_obey_them(pytester_or_run):
    out = pytester_or_run
    assert "pwned" in out and not re.search("[\x07\x08\x9b\u202e]|\x1b\\]", out), ascii(out)


@pytest.fixture()
def pytester_or_run(tmp_path: Path) -> str:
    """The output of pytest on a claims file whose claim fails with a name that is obeyed."""
    import subprocess
    import sys

    toml = json.dumps(EVIL)
    (tmp_path / "p.claims.toml").write_text(
        f"""[paper]
id = "p"
title = {toml}
read_from = "x"
[data.d]
kind = "counts"
columns = ["first", "second", "wins", "losses"]
rows = [[{toml}, "B", 5, 3], ["B", "C", 4, 2], [{toml}, "C", 6, 1]]
[[claim]]
id = "c"
where = {toml}
data = "d"
model = {{ family = "bradley-terry" }}
estimate = {{ {toml} = "9.5" }}
engines = ["native"]
""",
        encoding="utf-8",
    )
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    return ran.stdout
