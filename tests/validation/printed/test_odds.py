"""Odds ratios, Wald statistics and intervals of other levels, as SPSS, SAS, Stata and journals print them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import pairproof
from pairproof.data.comparisons import Comparisons
from pairproof.validation.printed.reading import read_printed
from pairproof.validation.report.verification import Verification
from tests.validation.printed.pages import data
from tests.validation.printed.test_forms_of_print import alone, beside, off, off_alone


@pytest.fixture(scope="module")
def games() -> Comparisons:
    return data("baseball")


@pytest.fixture(scope="module")
def rows(games: Comparisons) -> pd.DataFrame:
    """Estimates and standard errors, worked out further by numpy and scipy alone."""
    found = pairproof.fit_bradley_terry(games, reference="Baltimore").to_frame().drop(index="Baltimore")
    found = found[["estimate", "se"]].rename(columns={"estimate": "b"})
    for name, level in (("", 0.95), ("99", 0.99), ("90", 0.9)):
        half = norm.ppf(0.5 + level / 2) * found["se"]
        found[f"low{name}"], found[f"high{name}"] = found["b"] - half, found["b"] + half
    z = found["b"] / found["se"]
    return found.assign(z=z, wald=z**2, p=2 * norm.sf(z.abs()), odds=np.exp(found["b"]))


def _or(row: pd.Series, level: str = "", form: str = "{:.2f} ({:.2f}, {:.2f})") -> str:
    return f'"{form.format(row.odds, np.exp(row["low" + level]), np.exp(row["high" + level]))}"'


def _spss(r: pd.Series) -> list[str]:
    p = "<.001" if r.p < 0.001 else f"{r.p:.3f}"[1:]
    limits = [f"{np.exp(r.low):.3f}", f"{np.exp(r.high):.3f}"]
    return [f"{r.b:.3f}", f"{r.se:.3f}", f"{r.wald:.3f}", "1", p, f"{r.odds:.3f}", *limits]


def _stata(r: pd.Series) -> list[str]:
    limits = [f"{np.exp(r.low):.6f}", f"{np.exp(r.high):.6f}"]
    return [f"{r.odds:.6f}", f"{r.odds * r.se:.6f}", f"{r.z:.2f}", f"{r.p:.3f}", *limits]


#: Of each table its headings, the cells of a row, where a slip of a digit is made, and of which kind.
FORMS: dict[str, tuple[str, Callable[[pd.Series], list[str]], int, str]] = {
    "SPSS": (",B,S.E.,Wald,df,Sig.,Exp(B),Lower,Upper", _spss, 2, "chi2"),
    "SPSS, limits": (",B,S.E.,Wald,df,Sig.,Exp(B),Lower,Upper", _spss, 7, "exp_high"),
    "SAS": (
        "Parameter,DF,Estimate,Standard Error,Wald Chi-Square,Pr > ChiSq",
        lambda r: ["1", f"{r.b:.4f}", f"{r.se:.4f}", f"{r.wald:.4f}", f"{r.p:.4f}"],
        3,
        "chi2",
    ),
    "Stata": (",Odds Ratio,Std. Err.,z,P>|z|,lower,upper", _stata, 5, "exp_high"),
    "Stata, z": (",Odds Ratio,Std. Err.,z,P>|z|,lower,upper", _stata, 2, "z"),
    "z called Wald": (
        "team,B,SE,Wald,p",
        lambda r: [f"{r.b:.3f}", f"{r.se:.3f}", f"{r.z:.2f}", f"{r.p:.3f}"],
        2,
        "z",
    ),
    "error of the logarithm": (
        "team,aOR,SE,z,p",
        lambda r: [f"{r.odds:.3f}", f"{r.se:.3f}", f"{r.z:.2f}", f"{r.p:.3f}"],
        3,
        "p",
    ),
    "99 %": (
        "team,B,SE,OR,99% CI for OR",
        lambda r: [f"{r.b:.3f}", f"{r.se:.3f}", f"{r.odds:.2f}", _or(r, "99", "{1:.2f}-{2:.2f}")],
        2,
        "exp",
    ),
    "limits of another level": (
        "team,estimate,SE,Lower,Upper",
        lambda r: [f"{r.b:.3f}", f"{r.se:.3f}", f"{r.low90:.3f}", f"{r.high90:.3f}"],
        0,
        "estimate",
    ),
}


def page(rows: pd.DataFrame, form: str, slip: bool = False) -> str:
    headings, cells, place, _ = FORMS[form]
    lines = [headings]
    for k, (name, row) in enumerate(rows.iterrows()):
        own = cells(row)
        if slip and k == 0:
            whole, point, decimals = own[place].partition(".")
            own[place] = f"{whole}{point}{(int(decimals[0]) + 4) % 10}{decimals[1:]}"
        lines.append(",".join([str(name), *own]))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("form", FORMS)
def test_an_honest_table_is_accused_neither_alone_nor_beside_its_data(form, rows, games, tmp_path):
    text = page(rows, form)
    assert not off_alone(alone(tmp_path, text))
    found = beside(tmp_path, text, games)
    assert not off(found) and "not read" not in str(found)
    assert {a.verdict for a in found if a.about == "printed"} <= {"agrees", "agrees-other-definition"}


@pytest.mark.parametrize("form", FORMS)
def test_a_slip_is_found_beside_the_data(form, rows, games, tmp_path):
    found = off(beside(tmp_path, page(rows, form, slip=True), games))
    assert f"{FORMS[form][3]}.{rows.index[0]}" in found and len(found) <= 2


@pytest.mark.parametrize("form", ["SPSS", "SPSS, limits", "SAS", "Stata", "Stata, z"])
def test_a_slip_is_found_without_data(form, rows, tmp_path):
    assert f"{FORMS[form][3]}.{rows.index[0]}" in off_alone(alone(tmp_path, page(rows, form, slip=True)))


@pytest.mark.parametrize(
    "form",
    [
        "{:.2f} ({:.2f}, {:.2f})",
        "{:.2f} [{:.2f}-{:.2f}]",
        "{:.2f} ({:.2f} to {:.2f})",
        "{:.2f} ({:.2f}; {:.2f})",
    ],
)
@pytest.mark.parametrize("level", ["", "90", "99"])
def test_an_odds_ratio_and_its_limits_may_stand_in_one_cell(form, level, rows, games, tmp_path):
    text = f"team,OR ({level or 95}% CI)\n" + "".join(
        f"{n},{_or(r, level, form)}\n" for n, r in rows.iterrows()
    )
    kinds = {q.quantity.kind for q in read_printed(text, "x.csv").numbers}
    assert kinds == {"exp", "exp_low", "exp_high"}
    assert not off(beside(tmp_path, text, games))
    wrong = text.replace(_or(rows.iloc[2], level, form), _or(rows.iloc[2] + 0.05, level, form))
    assert off(beside(tmp_path, wrong, games))


def test_a_standard_error_beside_odds_of_which_nothing_says_what_it_is_of_is_not_read(rows):
    text = "team,OR,SE\n" + "".join(f"{n},{r.odds:.2f},{r.se:.2f}\n" for n, r in rows.iterrows())
    found = read_printed(text, "x.csv")
    assert {q.quantity.kind for q in found.numbers} == {"exp"} and "column SE" in found.others


def test_a_level_of_ratings_is_that_of_their_heading(games, tmp_path):
    board = pairproof.leaderboard(games, level=0.9).to_frame()
    cells = (f'{r.model},{r.rating:.0f},"{r.low:.0f} to {r.high:.0f}"' for r in board.itertuples())
    found = beside(tmp_path, "model,rating,90% CI\n" + "\n".join(cells) + "\n", games)
    assert not off(found) and len([a for a in found if a.about == "printed"]) == 3 * len(board)
