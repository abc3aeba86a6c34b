"""The interpreter of steps: it runs what the vocabulary writes, and refuses everything else before it happens."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pairproof.bridge.values.nodes import RVector
from pairproof.migration.steps.interpreter import MODULES, Interpreter
from pairproof.migration.steps.trees import NotTranslated
from tests.migration.captures import Script, bradley_terry, staged

SERIES = pd.Series({"A": 0.5, "B": -0.25, "C": 0.0})


def scope(folder: Path = Path("/nowhere")) -> dict[str, Any]:
    table = pd.DataFrame({"item": ["A", "B"], "worth": [0.7, 0.3]})
    return {**MODULES, "s": SERIES, "d": table, "n": 3, "HERE": folder, "show": lambda value: None}


def value(text: str) -> Any:
    return Interpreter(scope()).value(ast.parse(text, mode="eval").body)


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("np.exp(0.0) + n * 2 - 1", 6.0),
        ("[f'{k}: {v:.2f}' for k, v in s.items() if v != 0]", ["A: 0.50", "B: -0.25"]),
        ("{k: d['worth'].iloc[k] for k in range(2)}", {0: 0.7, 1: 0.3}),
        ("list(s.sort_values(ascending=not True).index)", ["A", "C", "B"]),
        ("s.map(lambda v: v * n).sum()", 0.75),
        ("1 if n < 2 else 'no' in ['no'] and n > 2", True),
        ("'%.3f of %d' % (stats.chi2.sf(3.0, 1), n)", "0.083 of 3"),
        ("dict(zip(['a', *['b']], (1, 2)))", {"a": 1, "b": 2}),
    ],
)  # fmt: skip
def test_an_expression_has_the_value_that_python_gives_it(text: str, wanted: Any) -> None:
    assert value(text) == wanted


def test_statements_assign_loop_choose_and_fill(capsys: pytest.CaptureFixture[str]) -> None:
    names = scope()
    written = (
        "out = {}\nfor k, v in s.items():\n    if v > 0:\n        out[k] = v\n    else:\n        print(k)\n"
    )
    Interpreter(names).run(ast.parse(written).body)
    assert names["out"] == {"A": 0.5} and capsys.readouterr().out == "B\nC\n"


def test_a_loop_goes_on_to_its_next_turn_and_stops_where_its_statements_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    written = (
        "for a in range(2):\n    for b in range(9):\n        if b == 1:\n            continue\n"
        "        if b > 2:\n            break\n        print(a, b)\n"
    )
    Interpreter(scope()).run(ast.parse(written).body)
    assert capsys.readouterr().out == "0 0\n0 2\n1 0\n1 2\n"


@pytest.mark.parametrize(
    "text",
    [
        "().__class__", "s.__init__", "s._mgr", "d.query('@pd')", "d.eval('1')", "np.load('x')", "np.linalg", "pd.io",
        "pd.read_pickle('x')", "pairproof.read('x.csv')", "re.compile('a')", "stats.norm.__class__", "'{0}'.format(s)",
        "getattr(s, 'index')", "open('x')", "eval('1')", "exec('1')", "compile('1', '', 'eval')", "__import__('os')",
        "os.system('ls')", "__builtins__", "globals()", "vars(s)", "type(s)", "d.to_csv", "map(d.to_csv, ['a'])",
        "(lambda: 1)()", "[s.index][0].item()", "(yield)", "(x := 1)", "{**{}}", "d.to_pickle('x')", "s.apply(print)",
        "f'{s!r}'", "1 < 2 < 3", "{1, 2}", "(v for v in s)", "[a for a in s for b in s]", "missing if n else 1",
    ],
)  # fmt: skip
def test_what_no_step_needs_is_refused(text: str) -> None:
    with pytest.raises(NotTranslated):
        value(text)


@pytest.mark.parametrize(
    "text",
    [
        "import os", "from os import system", "del s", "with s: pass", "def f(): pass", "class A: pass", "while n: pass",
        "s.index = 1", "np = 1", "HERE = 1", "print = 1", "_a = 1", "a = b = 1", "n += 1", "assert n", "raise n",
        "try:\n    n\nfinally:\n    n", "for k in s:\n    pass\nelse:\n    pass", "a: int = 1", "global s", "return_ = getattr",
    ],
)  # fmt: skip
def test_a_statement_of_another_kind_is_refused(text: str) -> None:
    with pytest.raises(NotTranslated):
        Interpreter(scope()).run(ast.parse(text).body)


@pytest.mark.parametrize(
    "text", ["9**99999", "'a' * 10**9", "[1] * 10**9", "'%1000000d' % n", "f'{n:1000000}'"]
)
def test_nothing_huge_is_made_of_something_small(text: str) -> None:
    with pytest.raises(NotTranslated):
        value(text)


def test_a_file_is_written_beside_the_script_only(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for name in ("../x.csv", "/x.csv", "a/../../x.csv", "sub/x.csv"):
        with pytest.raises(NotTranslated):
            Interpreter(scope(here)).run(ast.parse(f"d.to_csv(HERE / {name!r})").body)
    for text in ("d.to_csv('x.csv')", "d.to_csv(path_or_buf=HERE / 'x.csv')", "d.to_csv()"):
        with pytest.raises(NotTranslated):
            Interpreter(scope(here)).run(ast.parse(text).body)
    Interpreter(scope(here)).run(ast.parse("d.to_csv(HERE / 'x.csv', index=False)").body)
    assert [p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.csv")] == ["here/x.csv"]


CODE = (
    "__import__('os').system('touch owned')",
    '"); open("owned", "w") #',
    "{__import__('os')}",
    "{n!r:{n}}",
    "%(n)s {0} \\",
)


@pytest.mark.parametrize("text", CODE)
def test_python_code_in_a_string_of_r_stays_data(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = Script()
    made.call(3, bradley_terry([9, 5, 4]), variable="m")
    vector = RVector(np.array([text, "B"], object), np.zeros(2, bool))
    made.line(4, "words = levels(tea)", value=vector)
    made.line(5, f"cat({text!r}, words, deviance(m))")
    made.line(
        6,
        f"paste({text!r}, words)",
        value=RVector(np.array([f"{text} {text}", f"{text} B"], object), np.zeros(2, bool)),
    )
    made.line(7, f"setNames(coef(m), words)[{text!r}]")
    done = made.migration(staged(tmp_path)).done
    assert [d.state for d in done] == ["data", "translated", "translated", "translated"], [
        d.why for d in done
    ]
    constants = {
        n.value for d in done for n in ast.walk(ast.parse("\n".join(d.lines))) if isinstance(n, ast.Constant)
    }
    assert any(isinstance(c, str) and text in c for c in constants)
    names = {n.id for d in done for n in ast.walk(ast.parse("\n".join(d.lines))) if isinstance(n, ast.Name)}
    assert not names & {"__import__", "open"} and not (tmp_path / "owned").exists()
