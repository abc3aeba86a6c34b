"""AIC and logLik of half counts as R's binomial glm has them, from a run of BradleyTerry2 on its springall data.

`printed_by_r/bradleyterry2_springall.txt` is what R 4.2.2 with BradleyTerry2 1.1-2 printed.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import parse_claims
from pairproof.validation.verdicts.agreement import Agreement, exit_code

PRINTED = Path(__file__).with_name("printed_by_r") / "bradleyterry2_springall.txt"
SUMMARIES = PRINTED.read_text(encoding="utf-8").split("\nCall:\n")[1:]
#: springall: row, col, win, loss, tie; wins are those of the column.
CONTESTS = """1 2 2 16 7;1 3 0 21 1;1 4 5 10 10;1 5 2 15 7;1 6 0 22 2;1 7 12 3 9;1 8 13 9 5;1 9 10 12 3;2 3 6 11 5;
2 4 17 2 7;2 5 9 6 8;2 6 8 12 6;2 7 24 2 0;2 8 16 3 5;2 9 15 2 7;3 4 22 2 4;3 5 14 4 5;3 6 11 4 7;3 7 24 1 3;
3 8 22 0 3;3 9 17 2 6;4 5 3 14 9;4 6 2 18 4;4 7 12 6 5;4 8 10 6 6;4 9 8 9 11;5 6 5 11 9;5 7 20 0 2;5 8 15 2 5;
5 9 13 5 9;6 7 27 1 0;6 8 19 1 5;6 9 18 2 2;7 8 2 13 8;7 9 2 21 5;8 9 6 8 8"""
ROWS = [tuple(part.split()) for part in CONTESTS.replace("\n", "").split(";")]
FLAVOUR, GEL = [0.6, 4.8, 9.0] * 3, [0.0] * 3 + [2.4] * 3 + [4.8] * 3
TERMS = {
    "flav": FLAVOUR,
    "gel": GEL,
    "flav.2": [a * a for a in FLAVOUR],
    "gel.2": [b * b for b in GEL],
    "flav.gel": [a * b for a, b in zip(FLAVOUR, GEL)],
}
BY_TERMS = 'item_terms = ["flav", "gel", "flav.2", "gel.2", "flav.gel"]'


def counts() -> str:
    rows = ", ".join(f'["{col}", "{row}", {win}, {tie}, {loss}]' for row, col, win, loss, tie in ROWS)
    return f'columns = ["first", "second", "wins", "ties", "losses"]\nrows = [{rows}]\n'


def single() -> str:
    """A row a contest."""
    rows = [
        f'["{col}", "{row}", {won}, {tied}, {lost}]'
        for row, col, win, loss, tie in ROWS
        for won, tied, lost in [(1, 0, 0)] * int(win) + [(0, 1, 0)] * int(tie) + [(0, 0, 1)] * int(loss)
    ]
    return f'columns = ["first", "second", "wins", "ties", "losses"]\nrows = [{", ".join(rows)}]\n'


def likelihood(summary: str) -> dict[str, str]:
    """deviance, null_deviance and AIC as a summary prints them."""
    found = dict(re.findall(r"(Null|Residual) deviance: +(\S+  on \S+)", summary))
    aic = re.search(r"AIC: (\S+)", summary)
    assert aic is not None
    residual, null = (found[kind].replace("  ", " ") for kind in ("Residual", "Null"))
    return {"deviance": residual, "null_deviance": null, "aic": aic[1]}


def checked(data: str, model: str, printed: dict[str, str]) -> list[Agreement]:
    items = {
        name: "{ " + ", ".join(f'"{i + 1}" = {round(v, 6)}' for i, v in enumerate(values)) + " }"
        for name, values in TERMS.items()
    }
    item_data = ", ".join(f'"{name}" = {values}' for name, values in items.items())
    text = f"""[paper]
id = "springall"
title = "Springall"
[data.d]
kind = "counts"
{data}item_data = {{ {item_data} }}
[[claim]]
id = "c"
data = "d"
model = {{ family = "bradley-terry", ties = "half", {model} }}
""" + "\n".join(
        f'{key} = "{value}"' for key, value in printed.items()
    )
    return Checker(parse_claims(text)).all()


@pytest.mark.parametrize(
    ("data", "model", "summary", "aic"),
    [
        (counts(), BY_TERMS, 0, "141.71"),
        (counts(), 'reference = "1"', 1, "147.52"),
        # The same contests seen from the other player: R rounds the other halves.
        (counts(), 'reference = "1"', 2, "145.38"),
        (single(), 'reference = "1", cells = "row"', 3, "968.44"),
    ],
)
def test_the_aic_that_btm_prints_of_half_counts_is_recognised(
    data: str, model: str, summary: int, aic: str
) -> None:
    printed = likelihood(SUMMARIES[summary])
    assert printed["aic"] == aic
    rows = {a.quantity: a for a in checked(data, model, printed)}
    assert {a.verdict for a in rows.values() if a.quantity != "aic"} == {"agrees"}
    found = rows[next(q for q in rows if q == "aic")]
    assert (found.verdict, found.code) == ("agrees-other-definition", "aic-of-half-counts")
    assert "rounds half counts to even numbers" in found.explanation
    assert exit_code([*rows.values()]) == 0


def test_another_digit_of_it_is_no_definition() -> None:
    for aic in ("141.72", "141.17", "147.71"):
        rows = checked(counts(), BY_TERMS, {**likelihood(SUMMARIES[0]), "aic": aic})
        assert [a.verdict for a in rows if a.quantity == "aic"] == ["differs"] and exit_code(rows) == 1


def test_log_likelihood_of_half_counts_is_that_of_r_too() -> None:
    assert "'log Lik.' -65.76033 (df=8)" in PRINTED.read_text(encoding="utf-8")
    rows = checked(counts(), 'reference = "1"', {"llf": "-65.76033", "aic": "147.52"})
    assert {a.verdict for a in rows} == {"agrees-other-definition"}


def test_coefficients_of_the_vignette_s_model_come_out() -> None:
    lines = re.findall(r"^(\S+)\[\.\.\] +(\S+) +(\S+) +(\S+) ", SUMMARIES[0], re.M)
    assert [name for name, *_ in lines] == [*TERMS]
    rows = checked(
        counts(),
        BY_TERMS,
        {
            f'stat."{kind}.{name}"': value
            for name, *three in lines
            for kind, value in zip(("estimate", "se", "z"), three)
        },
    )
    assert len(rows) == 15 and {a.verdict for a in rows} == {"agrees"}
