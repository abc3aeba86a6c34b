"""`pairproof fit-answers --classes`: latent classes on the command line."""

from __future__ import annotations

import inspect
import math
import random
from pathlib import Path

import pytest

import pairproof
from pairproof.cli.commands.fit_answers import CLASSES, command
from tests.cli.test_fit_answers import fitted, run

PAIRS = (
    *(
        "two.csv",
        "--layout",
        "pairs",
        "--items",
        "A,B,C,D",
        "--pair-order",
        "prefmod",
        "--pair-names",
        "ignore",
    ),
    *("--coding", "first=1,second=-1"),
)


@pytest.fixture()
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Comparisons by 300 persons of two tastes."""
    draw = random.Random(3)
    rows = ["AB,AC,BC,AD,BD,CD"]
    for _ in range(300):
        taste = [0.0, -0.6, 0.3, 0.7] if draw.random() < 0.35 else [0.6, 0.5, 0.0, -0.8]
        odds = (math.exp(2 * (taste[a] - taste[b])) for b in range(1, 4) for a in range(b))
        rows.append(",".join("1" if draw.random() < o / (1 + o) else "-1" for o in odds))
    (tmp_path / "two.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_options_name_every_argument_of_latent_classes() -> None:
    arguments = set(inspect.signature(getattr(pairproof, CLASSES)).parameters) - {"table", "seed"}
    assert arguments <= {p.name for p in command.params}


def test_classes_are_those_of_the_function_and_so_are_their_numbers_and_the_test(here, capsys):
    table = pairproof.read_respondents(
        "two.csv",
        "pairs",
        items=list("ABCD"),
        pair_order="prefmod",
        pair_names="ignore",
        coding="first=1,second=-1",
    )
    options = (
        "--classes",
        "2",
        "--starts",
        "5",
        "--seed",
        "4",
        "--class-numbers",
        "2",
        "--test-classes",
        "3",
    )
    document = fitted(capsys, *PAIRS, *options)
    fit = pairproof.fit_latent_classes(table, 2, starts=5, seed=4)
    assert document["params"] == fit.params.to_dict() and document["classes"]["shares"] == fit.shares.tolist()
    assert document["classes"]["seed"] == 4 and document["classes"]["starts"] == 5
    assert [row["classes"] for row in document["class_numbers"]] == [1, 2]
    assert document["class_numbers"][1]["llf"] == fit.llf
    assert document["class_test"]["p"] == fit.test_classes(3, seed=4).p


def test_the_report_has_the_shares_and_the_terminal_has_them_once(here, capsys):
    code, out, err = run(
        capsys, *PAIRS, "--classes", "2", "--starts", "3", "--class-numbers", "2", "--report", "c.md"
    )
    text = Path("c.md").read_text(encoding="utf-8")
    assert code == 0, err
    assert out.count("97.5 %   persons") == 1 and "Numbers of classes" in out
    assert "Shares of the classes" in text and "Latent classes" in text


def test_some_parameters_alone_differ_between_classes_where_that_is_asked(here, capsys):
    document = fitted(capsys, *PAIRS, "--classes", "2", "--starts", "3", "--random", "A + B")
    assert document["classes"]["random"] and "C:class[1]" not in document["params"]


@pytest.mark.parametrize(("options", "said"), [
    (("--starts", "3"), "add --classes 1 or more"), (("--test-classes", "9"), "add --classes 1 or more"),
    (("--classes", "2", "--alpha", "item"), "--alpha does not apply to latent classes of --model pattern"),
    (("--classes", "2", "--dependence", "--model", "plackett-luce"), "--dependence does not apply to latent classes of"),
    (("--classes", "0"), "0 is not in the range"),
])  # fmt: skip
def test_bad_usage_is_exit_code_3_and_two_lines(here, capsys, options, said):
    code, out, err = run(capsys, *PAIRS, *options)
    assert (code, out) == (3, "") and said in err and len(err.strip().splitlines()) <= 2, err
