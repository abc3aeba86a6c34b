"""The data sets that travel with the package are what they say, and the command beside each runs."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pandas as pd
import pytest

import pairproof
from pairproof.cli.app import run
from pairproof.errors import InputError
from pairproof.examples.shipped_examples import example, examples
from tools import made_examples

#: Texts: one is for R, the other for the checker of printed tables, and both are tried there.
TEXTS = ("printed", "script")


@pytest.mark.parametrize("name", [n for n in examples() if n not in TEXTS])
def test_the_command_of_an_example_runs_on_the_example(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for each in examples().values():
        Path(each.file).write_text(each.text, encoding="utf-8")
    asked = shlex.split(examples()[name].run)
    assert asked[0] == "pairproof" and examples()[name].file in asked
    assert run(asked[1:]) == 0


def test_the_command_lists_every_example_and_writes_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["example", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in listed] == list(examples())
    assert run(["example", "salad"]) == 0
    assert capsys.readouterr().out == examples()["salad"].text


def test_an_example_is_the_table_of_its_file() -> None:
    dras = pairproof.read(example("dras"))
    assert (dras.n_comparisons, dras.items) == (960, ("A", "B", "C", "D"))
    assert pairproof.read(example("baseball")).n_comparisons == 13 * 21


@pytest.mark.parametrize(
    "name, said", [("dra", "did you mean 'dras'"), ("", "the examples are"), ("script", "text and not a")]
)
def test_a_name_that_is_no_table_is_refused_with_what_there_is(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        example(name)


@pytest.mark.parametrize("name", ["votes", "rankings"])
def test_simulated_examples_come_from_their_seed(name: str) -> None:
    made = getattr(made_examples, name)()
    pd.testing.assert_frame_equal(made, example(name), check_dtype=False)
