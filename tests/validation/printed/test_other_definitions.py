"""Numbers that programs and journals define otherwise: an honest table is not accused, and a slip in it is told.

What is printed is worked out by numpy and scipy from scores and weights, beside the package's fits.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq, minimize
from scipy.stats import norm, t as student

import pairproof
from pairproof.data.comparisons import Comparisons
from pairproof.errors import InputError
from pairproof.validation.printed.beside import check_printed
from pairproof.validation.printed.reading import read_printed
from pairproof.validation.report.findings import headline
from pairproof.validation.report.page import page as page_of
from pairproof.validation.report.rendering import FORMATS, render
from pairproof.validation.report.verification import Verification
from tests.boards.simulated import simulate
from tests.validation.printed.test_forms_of_print import alone, off, off_alone

ITEMS = ("Ale", "Bock", "Dark Mild", "Export", "Pils")
#: Six judges, each with every pair once or twice: first, second, and who won.
rng = np.random.default_rng(11)
ABILITY = np.array([0.9, 0.4, 1.1, -0.9, 0.0])


def beside(folder: Path, text: str, data: Comparisons, name: str = "page.csv", **stated: Any) -> Verification:
    """Without the search for other readings, which no verdict here is about."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return check_printed(str(file), data, stated, r="none", explain=False)


@pytest.fixture(scope="module")
def votes() -> pd.DataFrame:
    rows = []
    for judge in range(40):
        own = rng.normal(0, 0.6, len(ITEMS))
        for a in range(len(ITEMS)):
            for b in range(a + 1, len(ITEMS)):
                p = 1 / (1 + np.exp(ABILITY[b] + own[b] - ABILITY[a] - own[a]))
                rows.append((f"J{judge:02}", ITEMS[a], ITEMS[b], "first" if rng.random() < p else "second"))
    return pd.DataFrame(rows, columns=["judge", "first", "second", "winner"])


@pytest.fixture(scope="module")
def table(votes: pd.DataFrame) -> Comparisons:
    coding = {"first": "first", "second": "second"}
    return pairproof.read(votes, layout="long", columns={"outcome": "winner"}, coding=coding)


@pytest.fixture(scope="module")
def design(votes: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """A row for each vote, without the column of Pils, and whether the first won."""
    x = np.zeros((len(votes), len(ITEMS)))
    x[np.arange(len(votes)), votes["first"].map(ITEMS.index)] = 1
    x[np.arange(len(votes)), votes["second"].map(ITEMS.index)] = -1
    return x[:, :-1], (votes["winner"] == "first").to_numpy(float)


@pytest.fixture(scope="module")
def rows(votes: pd.DataFrame, design: tuple[np.ndarray, np.ndarray]) -> pd.DataFrame:
    x, y = design
    b = np.zeros(x.shape[1])
    for _ in range(30):
        mu = 1 / (1 + np.exp(-x @ b))
        bread = np.linalg.inv(x.T @ (x * (mu * (1 - mu))[:, None]))
        b = b + bread @ x.T @ (y - mu)
    scores = x * (y - mu)[:, None]
    by_judge = pd.DataFrame(scores).groupby(votes["judge"].to_numpy()).sum().to_numpy()
    pairs = votes.groupby(["first", "second"])["winner"].agg(n="size", w=lambda w: (w == "first").sum())
    of_pair = np.array(
        [
            1 / (1 + np.exp(-dict(zip(ITEMS, [*b, 0]))[i] + dict(zip(ITEMS, [*b, 0]))[j]))
            for i, j in pairs.index
        ]
    )
    pearson = ((pairs["w"] - pairs["n"] * of_pair) ** 2 / (pairs["n"] * of_pair * (1 - of_pair))).sum()

    def error(meat: np.ndarray) -> np.ndarray:
        return np.sqrt(np.diag(bread @ meat @ bread))

    found = pd.DataFrame({"b": b, "se": np.sqrt(np.diag(bread))}, list(ITEMS[:-1]))
    return found.assign(
        hc0=error(scores.T @ scores),
        cluster=error(by_judge.T @ by_judge),
        quasi=found["se"] * np.sqrt(pearson / (len(pairs) - 4)),
    )


def profile(design: tuple[np.ndarray, np.ndarray], rows: pd.DataFrame, k: int, side: float) -> float:
    """A profile-likelihood limit of the k-th estimate."""
    x, y = design
    others = [j for j in range(x.shape[1]) if j != k]

    def drop(value: float) -> float:
        def minus(rest: np.ndarray) -> float:
            u = x[:, others] @ rest + x[:, k] * value
            return float(np.sum(np.logaddexp(0, u) - y * u))

        best = minimize(minus, rows["b"].to_numpy()[others], method="BFGS", options={"gtol": 1e-8}).fun
        at = rows["b"].to_numpy()
        full = float(np.sum(np.logaddexp(0, x @ at) - y * (x @ at)))
        return 2 * (best - full) - norm.ppf(0.975) ** 2

    b, se = rows["b"].iloc[k], rows["se"].iloc[k]
    return float(brentq(drop, b + side * se, b + side * 3 * se, xtol=1e-8))


def with_error(rows: pd.DataFrame, kind: str, df: float = np.inf, heading: str = "se") -> str:
    se, z = rows[kind], rows["b"] / rows[kind]
    p = 2 * (student.sf(abs(z), df) if np.isfinite(df) else norm.sf(abs(z)))
    lines = (f"{n},{b:.4f},{s:.4f},{v:.3f},{q:.4f}" for n, b, s, v, q in zip(rows.index, rows["b"], se, z, p))
    return f"item,estimate,{heading},z,p\n" + "\n".join(lines) + "\n"


#: Errors of another kind: their column, df of t, what is stated, and the code by which they are known.
ERRORS = {
    "single comparisons": ("hc0", np.inf, {}, "single-comparisons"),
    "quasi": ("quasi", 6.0, {}, "quasi-dispersion"),
    "clusters with normal p": ("cluster", np.inf, {"cluster": ("judge",), "cluster_kind": "CR0"}, "normal-p"),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_errors_by_another_definition_agree_by_its_name_and_a_slip_beside_them_is_found(
    kind, rows, table, tmp_path
):
    column, df, stated, code = ERRORS[kind]
    text = with_error(rows, column, df)
    found = beside(tmp_path, text, table, **stated)
    assert not off(found) and code in {a.code for a in found}
    assert not off_alone(alone(tmp_path, with_error(rows, column)))
    se = f"{rows[column].iloc[1]:.4f}"
    wrong = text.replace(se, f"{rows[column].iloc[1] + 0.05:.4f}")
    assert "se.Bock" in off(beside(tmp_path, wrong, table, **stated))
    # The number with a slip is called by its own name, and the others are not accused because of it.
    assert {name.rpartition(".")[2] for name in off(beside(tmp_path, wrong, table, **stated))} == {"Bock"}


def test_a_column_that_z_follows_from_holds_standard_errors_whatever_its_heading(rows, table, tmp_path):
    text = with_error(rows, "hc0", heading="s.d. of b")
    assert {q.quantity.kind for q in read_printed(text, "x.csv").numbers} == {"estimate", "se", "z", "p"}
    assert not off(beside(tmp_path, text, table))


def test_errors_called_robust_that_no_definition_gives_are_not_decided(rows, table, tmp_path):
    other = rows.assign(other=rows["cluster"] * 1.13)
    found = beside(tmp_path, with_error(other, "other", heading="Robust SE"), table)
    assert not off(found) and "other-errors" in {a.code for a in found}
    assert off(beside(tmp_path, with_error(other, "other"), table))


def test_robust_errors_beside_the_model_s_are_a_column_of_their_own(rows):
    both = "item,estimate,SE,Robust SE\n" + "".join(
        f"{n},{r.b:.3f},{r.se:.3f},{r.hc0:.3f}\n" for n, r in rows.iterrows()
    )
    found = read_printed(both, "x.csv")
    assert "column Robust SE" in found.others and {q.quantity.kind for q in found.numbers} == {
        "estimate",
        "se",
    }


# -- p-values and odds ---------------------------------------------------------------------------------------


def with_p(rows: pd.DataFrame, heading: str, p: Callable[[pd.Series], pd.Series]) -> str:
    z = rows["b"] / rows["se"]
    lines = (
        f"{n},{b:.3f},{s:.3f},{v:.2f},{q:.4f}"
        for n, b, s, v, q in zip(rows.index, rows["b"], rows["se"], z, p(z))
    )
    return f"item,estimate,se,z,{heading}\n" + "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    "heading", ["p (Holm)", "p (Bonferroni)", "p-value (BH)", "p (adj.)", "p [FDR]", "adjusted p"]
)
def test_adjusted_p_values_are_not_held_against_z(heading, rows, table, tmp_path):
    text = with_p(rows, heading, lambda z: np.minimum(1, 8 * norm.sf(abs(z))))
    found = beside(tmp_path, text, table)
    assert not off(found) and not off_alone(alone(tmp_path, text)) and "not read" in " ".join(headline(found))
    plain = text.replace(heading, "p")
    assert off(beside(tmp_path, plain, table)) and off_alone(alone(tmp_path, plain))


def test_one_sided_p_values_of_one_direction_may_be_above_a_half(rows, table, tmp_path):
    text = with_p(rows, "p (one-sided)", lambda z: pd.Series(norm.sf(z), z.index))
    assert (rows["b"] < 0).any()
    assert not off(beside(tmp_path, text, table)) and not off_alone(alone(tmp_path, text))
    mixed = with_p(
        rows,
        "p (one-sided)",
        lambda z: pd.Series(np.where(z.index == "Ale", norm.cdf(z), norm.sf(z)), z.index),
    )
    assert off(beside(tmp_path, mixed, table)) and off_alone(alone(tmp_path, mixed))


def test_not_significant_is_a_statement_on_p(rows, table, tmp_path):
    z = rows["b"] / rows["se"]
    words = ["n.s." if 2 * norm.sf(abs(x)) > 0.05 else "<.05" for x in z]
    text = "item,estimate,se,p\n" + "".join(
        f"{n},{r.b:.3f},{r.se:.3f},{w}\n" for (n, r), w in zip(rows.iterrows(), words)
    )
    assert "n.s." in text and not off(beside(tmp_path, text, table)) and not off_alone(alone(tmp_path, text))
    wrong = text.replace("<.05", "ns", 1)
    assert off(beside(tmp_path, wrong, table)) == ["p.Ale"] == off_alone(alone(tmp_path, wrong))


def test_not_significant_beside_bounds_alone_is_at_the_largest_of_them(tmp_path):
    text = "item,estimate,se,p\nA,0.900,0.250,<.001\nB,0.700,0.300,ns\nC,0.1,0.3,ns\n"  # p of B is 0.02
    assert not off_alone(alone(tmp_path, text))
    assert off_alone(alone(tmp_path, text.replace("<.001", "<.05").replace("0.900", "0.600"))) == ["p.B"]


def test_gnm_prints_a_p_below_a_hundred_epsilons_as_nothing(tmp_path):
    form = "item,estimate,se,z,p\nA,0.85966,0.11225,7.658,{}\nB,0.5,0.2,2.5,0.0124\n"
    assert not off_alone(alone(tmp_path, form.format("< 2e-16")))
    assert off_alone(
        alone(tmp_path, form.format("< 2e-16").replace("7.658", "7.258").replace("0.85966", "0.8147"))
    )


def test_an_odds_ratio_of_one_alone_is_the_reference(rows, table, tmp_path):
    text = "item,OR,p\n" + "".join(
        f"{n},{np.exp(r.b):.2f},{2 * norm.sf(abs(r.b / r.se)):.3f}\n" for n, r in rows.iterrows()
    )
    text += "Pils,1.00,\n"
    found = beside(tmp_path, text, table)
    assert not off(found) and found.context.subtitle.endswith("reference Pils, scale log-odds")
    assert off(beside(tmp_path, text.replace(f"Ale,{np.exp(rows['b'].iloc[0]):.2f}", "Ale,7.77"), table)) == [
        "exp.Ale"
    ]


# -- limits --------------------------------------------------------------------------------------------------


def with_limits(rows: pd.DataFrame, low: list[float], high: list[float], places: int = 3) -> str:
    lines = zip(rows.index, rows["b"], rows["se"], low, high)
    body = "\n".join(f"{n},{b:.3f},{s:.3f},{x:.{places}f},{y:.{places}f}" for n, b, s, x, y in lines)
    return f"item,estimate,se,2.5 %,97.5 %\n{body}\n"


def test_profile_limits_agree_by_their_name_and_a_slip_in_one_is_found(design, rows, table, tmp_path):
    low, high = ([profile(design, rows, k, side) for k in range(4)] for side in (-1.0, 1.0))
    text = with_limits(rows, low, high)
    found = beside(tmp_path, text, table)
    assert not off(found) and "profile-limits" in {a.code for a in found}
    assert not off_alone(alone(tmp_path, text))
    high[2] += 0.3
    assert off(beside(tmp_path, with_limits(rows, low, high), table)) == ["high.Dark Mild"]


def test_limits_of_a_bootstrap_are_not_decided_and_one_odd_row_among_wald_s_is_found(rows, table, tmp_path):
    half, noise = norm.ppf(0.975) * rows["se"], np.random.default_rng(5)
    low, high = rows["b"] - half, rows["b"] + half
    # The quantiles of two hundred rounds are a fifth of a standard error off.
    moved = [ends + noise.normal(0, 0.2, 4) * rows["se"] for ends in (low, high)]
    found = beside(tmp_path, with_limits(rows, *map(list, moved)), table)
    assert not off(found) and sum(a.code == "not-wald" for a in found) >= 6
    assert not off(beside(tmp_path, with_limits(rows, list(low), list(high)), table))
    odd = low.copy()
    odd.iloc[1] += 0.06
    assert off(beside(tmp_path, with_limits(rows, list(odd), list(high)), table)) == ["low.Bock"]
    assert off_alone(alone(tmp_path, with_limits(rows, list(odd), list(high)))) == ["low.Bock"]
    moved[0].iloc[3] -= 2 * rows["se"].iloc[3]  # farther than any bootstrap's
    assert off(beside(tmp_path, with_limits(rows, *map(list, moved)), table)) == ["low.Export"]


def test_a_slip_among_limits_of_another_level_is_found(rows, table, tmp_path):
    half = norm.ppf(0.95) * rows["se"]
    low, high = rows["b"] - half, rows["b"] + half
    assert not off(beside(tmp_path, with_limits(rows, list(low), list(high)), table))
    high.iloc[0] += 0.09
    wrong = with_limits(rows, list(low), list(high))
    assert off(beside(tmp_path, wrong, table)) == ["high.Ale"] == off_alone(alone(tmp_path, wrong))


def test_a_level_that_is_stated_makes_no_board_of_estimates(rows, table, tmp_path):
    text = "item,estimate,se\n" + "".join(f"{n},{r.b:.3f},{r.se:.3f}\n" for n, r in rows.iterrows())
    assert not off(beside(tmp_path, text, table, level="0.9"))


# -- counts, contrasts, degrees of freedom -------------------------------------------------------------------


def test_losses_and_games_are_counted_in_the_data(votes, rows, table, tmp_path):
    winner = np.where(votes["winner"] == "first", votes["first"], votes["second"])
    loser = np.where(votes["winner"] == "first", votes["second"], votes["first"])
    won, lost = (pd.Series(x).value_counts() for x in (winner, loser))
    lines = [f"{n},{won[n] + lost[n]},{won[n]},{lost[n]},{b:.3f}" for n, b in zip(ITEMS, [*rows["b"], 0.0])]
    text = "item,Games,Wins,Losses,Estimate\n" + "\n".join(lines) + "\n"
    assert not off(beside(tmp_path, text, table))
    for column, kind in ((1, "votes"), (3, "losses")):
        cells = lines[1].split(",")
        cells[column] = str(int(cells[column]) + 20)
        assert off(beside(tmp_path, text.replace(lines[1], ",".join(cells)), table)) == [f"{kind}.Bock"]


def test_wins_with_ties_as_half_wins_are_another_definition(tmp_path):
    frame = pd.DataFrame(
        [("A", "B", 9, 4, 7), ("A", "C", 12, 3, 5), ("B", "C", 10, 2, 8)],
        columns=["first", "second", "wins", "ties", "losses"],
    )
    data = pairproof.read(frame)
    fit = pairproof.fit_bradley_terry(data, ties="half", reference="C").params
    text = "item,wins,estimate\n" + "".join(
        f"{n},{w},{fit[n]:.3f}\n" for n, w in zip("ABC", (24.5, 20.0, 15.5))
    )
    found = beside(tmp_path, text, data)
    assert not off(found) and "ties-in-counts" in {a.code for a in found}
    assert off(beside(tmp_path, text.replace("24.5", "25.5"), data))


@pytest.mark.parametrize("sign", ["vs", "vs.", "-", "minus", "\u2013"])
def test_a_row_of_two_items_is_their_contrast(sign, table, tmp_path):
    fit = pairproof.fit_bradley_terry(table)
    pairs = [("Ale", "Export"), ("Dark Mild", "Bock"), ("Export", "Pils")]
    found = [(a, b, fit.contrast(a, b)) for a, b in pairs]
    lines = [
        f"| {a} {sign} {b} | {c.estimate:.3f} | {c.se:.3f} | {c.z:.2f} | {c.p:.3f} |" for a, b, c in found
    ]
    text = "| Pair | Estimate | SE | z | p |\n|---|---|---|---|---|\n" + "\n".join(lines) + "\n"
    checked = beside(tmp_path, text, table, "pairs.md")
    assert not off(checked) and {a.quantity.kind for a in checked if a.printed} >= {"contrast", "contrast_p"}
    wrong = text.replace(f"{found[1][2].estimate:.3f}", f"{-found[1][2].estimate:.3f}")
    assert "contrast.all.Dark Mild.Bock" in off(beside(tmp_path, wrong, table, "pairs.md"))


R_OUTPUT = """            Estimate Std. Error z value Pr(>|z|)
A  0.56875  0.22852  2.489  0.0128
B  0.30003  0.23342  1.285  0.1987

    Null deviance: 35.450  on {}  degrees of freedom
Residual deviance: 12.650  on 1  degrees of freedom
"""


def test_degrees_of_freedom_in_output_of_r_fit_its_coefficients(tmp_path):
    assert not off_alone(alone(tmp_path, R_OUTPUT.format(3), "r.txt"))
    assert off_alone(alone(tmp_path, R_OUTPUT.format(9), "r.txt")) == ["df_resid"]


def test_the_null_model_of_an_order_effect_has_the_intercept_in_r(tmp_path):
    cells = {"AB": (20, 14), "AC": (25, 8), "BC": (19, 15), "CB": (16, 18), "CA": (11, 24)}
    data = pairproof.read(
        pd.DataFrame(
            [(*pair, *n) for pair, n in cells.items()], columns=["first", "second", "wins", "losses"]
        )
    )
    fit = pairproof.fit_bradley_terry(data, reference="A", order_effect=True, cells=["row"])
    w, n = np.array([c[0] for c in cells.values()]), np.array([sum(c) for c in cells.values()])
    p = w.sum() / n.sum()
    null = 2 * np.sum(w * np.log(w / n / p) + (n - w) * np.log((1 - w / n) / (1 - p)))
    row = "{:12s} {:9.5f} {:9.5f} {:8.3f} {:8.5f}\n".format
    frame = fit.to_frame().loc[["order", "B", "C"]]
    text = "Call:\nglm(formula = cbind(w, l) ~ X, family = binomial)\n\n            Estimate Std. Error z value Pr(>|z|)\n"
    text += "".join(
        row(n, r.estimate, r.se, r.z, r.p) for n, r in frame.rename(index={"order": "order"}).iterrows()
    )
    text += f"\n    Null deviance: {null:.3f}  on 4  degrees of freedom\n"
    text += f"Residual deviance: {fit.deviance:.3f}  on 2  degrees of freedom\n"
    found = beside(tmp_path, text, data, "glm.txt")
    assert not off(found) and "null-with-order" in {a.code for a in found}
    assert "null_deviance" in off(
        beside(tmp_path, text.replace(f"{null:.3f}", f"{null + 2:.3f}"), data, "glm.txt")
    )


# -- boards --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arena() -> pd.DataFrame:
    return simulate(5, n_votes=4_000, n_models=6, n_judges=200, pareto=2.0)


def board(names: list[str], ratings: np.ndarray, places: int = 1) -> str:
    return "model,rating\n" + "".join(f"{n},{r:.{places}f}\n" for n, r in zip(names, ratings))


def test_the_ties_of_a_board_are_found_as_those_of_a_table(arena, tmp_path):
    data = pairproof.read(arena)
    rows = pairproof.fit_bradley_terry(data, ties="drop", reference="sum").on_scale("elo").to_frame()
    text = board(list(rows.index), rows["rating"].to_numpy())
    found = beside(tmp_path, text, data)
    assert not off(found) and "ties drop was found" in " ".join(found.context.first_lines)


def test_a_board_hardly_anything_of_which_comes_out_could_not_be_checked(arena, tmp_path):
    data = pairproof.read(arena)
    names = list(data.items)
    odd = 1000 + 40 * np.random.default_rng(1).normal(size=len(names)) * np.arange(1, len(names) + 1)
    found = beside(tmp_path, board(names, odd), data)
    assert found.exit_code == 2 and "online Elo" in " ".join(a.explanation for a in found)
    assert "could not be checked" in " ".join(headline(found))


def test_an_anchored_board_needs_no_more_digits_than_it_prints(arena, tmp_path):
    data = pairproof.read(arena)
    rows = pairproof.fit_bradley_terry(data, ties="half", reference="sum").on_scale("elo").to_frame()
    ratings = rows["rating"].to_numpy() + 131.4637
    found = beside(tmp_path, board(list(rows.index), ratings), data)
    assert {a.verdict for a in found if a.printed} == {"agrees"}


# -- cells and rows ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cell", ["0.569\\* (0.229)", "0.569 (0.229)"])
def test_an_escaped_star_is_a_star(cell):
    text = f"| Beer | Estimate (SE) |\n|---|---|\n| A | {cell} |\n| B | 0.300 (0.233) |\n"
    assert [q.printed.text for q in read_printed(text, "x.md").numbers][:2] == ["0.569", "0.229"]


def test_limits_in_a_cell_may_be_joined_by_an_en_dash():
    text = 'Beer,OR (95% CI)\nA,"1.77 (1.13\u20132.76)"\nB,"1.35 (0.85 \u2013 2.13)"\n'
    assert len(read_printed(text, "x.csv").numbers) == 6


def test_one_strange_cell_refuses_no_page_and_is_not_passed_over(tmp_path, table, rows):
    text = "item,estimate,se\n" + "".join(f"{n},{r.b:.3f},{r.se:.3f}\n" for n, r in rows.iterrows())
    strange = text.replace("Bock,", "Bock,-")
    strange = strange if "--" in strange else text.replace("Bock,", "Bock,--")
    for found in (beside(tmp_path, strange, table), alone(tmp_path, strange)):
        (row,) = (a for a in found if a.code == "not-a-number")
        assert (
            found.exit_code == 2
            and str(row.quantity) == "estimate.Bock"
            and "is not one number" in row.explanation
        )
    # A comma in one number of many, where the others have points.
    comma = text.splitlines()[1]
    of_comma = beside(tmp_path, text.replace(comma, re.sub(r",(-?\d)\.(\d+)", r',"\1,\2"', comma, 1)), table)
    assert (of_comma.exit_code, [a.code for a in of_comma if a.verdict == "not-run"]) == (2, ["not-a-number"])
    assert any("write them all as points" in line for line in of_comma.context.first_lines)
    for suffix in FORMATS:
        assert "not one number" in render(tuple(of_comma), of_comma.context, suffix)
    with pytest.raises(InputError, match="is not one number"):
        read_printed("item,estimate\nA,12 points\nB,13 points\n", "x.csv")


def test_a_name_may_say_that_it_is_the_reference_and_a_last_row_how_many_there_were(rows, table, tmp_path):
    text = "item,estimate,se\n" + "".join(f"{n},{r.b:.3f},{r.se:.3f}\n" for n, r in rows.iterrows())
    found = beside(tmp_path, f"{text}Pils (ref.),0,\nn,400,\n", table)
    assert not off(found) and found.exit_code == 0


def test_a_title_may_stand_above_a_table_of_tabs_and_decimal_commas():
    text = (
        "Table 2. Estimates, all beers\n\n\tEstimate\tSE\tz\nA\t0,569\t0,229\t2,49\nB\t-0,277\t0,238\t-1,16\n"
    )
    assert [q.printed.text for q in read_printed(text, "x.txt").numbers][:3] == ["0.569", "0.229", "2.49"]


def test_limits_of_statsmodels_are_read(rows, table, tmp_path):
    half = norm.ppf(0.975) * rows["se"]
    lines = (
        f"{n:14s} {r.b:9.4f} {r.se:9.3f} {r.b / r.se:9.3f} {2 * norm.sf(abs(r.b / r.se)):9.3f} {r.b - h:9.3f} {r.b + h:9.3f}"
        for (n, r), h in zip(rows.iterrows(), half)
    )
    text = (
        "                  coef    std err          z      P>|z|      [0.025      0.975]\n" + "-" * 78 + "\n"
    )
    text += "\n".join(lines) + "\n" + "=" * 78 + "\n"
    found = beside(tmp_path, text, table, "summary.txt")
    assert not off(found) and "low.Ale" in {str(a.quantity) for a in found}


# -- models, words -------------------------------------------------------------------------------------------


def test_a_probit_page_is_found_by_its_link(table, tmp_path):
    fit = pairproof.fit_bradley_terry(table, reference="Pils", link="probit")
    frame = fit.to_frame().drop(index="Pils")
    text = "item,estimate\n" + "".join(f"{n},{r.estimate:.4f}\n" for n, r in frame.iterrows())
    found = beside(tmp_path, text, table)
    assert not off(found) and "link probit was found" in " ".join(found.context.first_lines)


def test_a_pattern_model_beside_single_comparisons_is_refused_with_words(table, tmp_path):
    text = "Results of pattern model for paired comparison\n\n       estimate      se\nAle     0.97604 0.08868\nBock    0.56138 0.08054\n"
    with pytest.raises(InputError, match="model is of persons' whole answers"):
        beside(tmp_path, text, table, "pattern.txt")


def test_nothing_is_said_to_bring_as_many_out_where_nothing_comes_out(table, tmp_path):
    found = beside(tmp_path, "item,estimate,se\nAle,41.1,3.3\nBock,17.3,4.4\nExport,-9.7,5.5\n", table)
    assert "as many are reproduced" not in " ".join(found.context.first_lines)


def test_the_headline_has_no_name_of_the_only_table(rows, table, tmp_path):
    text = "item,estimate,se,what\n" + "".join(f"{n},{r.b:.3f},{r.se:.3f},7\n" for n, r in rows.iterrows())
    wrong = text.replace(f"Ale,{rows['b'].iloc[0]:.3f}", "Ale,0.111")
    assert "table-1" not in " ".join(headline(beside(tmp_path, wrong, table)))


def test_the_counts_of_a_report_have_the_numbers_that_do_not_fit(tmp_path):
    found = alone(tmp_path, "item,estimate,se,z\nA,0.500,0.250,2.90\nB,0.700,0.350,2.00\n")
    blocks = page_of(tuple(found), found.context).blocks
    assert any("differs" in str(block) for block in blocks if type(block).__name__ == "Counts")
    assert "arithmetic." not in str([b for b in blocks if type(b).__name__ == "Table"])


def test_a_distance_from_a_p_of_zero_is_finite(rows, table, tmp_path):
    text = with_p(rows, "p", lambda z: pd.Series(2 * norm.sf(abs(z)), z.index))
    k = int(np.argmin(abs(rows["b"] / rows["se"])))
    row = next(line for line in text.splitlines() if line.startswith(f"{rows.index[k]},"))
    found = beside(tmp_path, text.replace(row, ",".join([*row.split(",")[:-1], "0.0000"])), table)
    assert "inf in z" not in " ".join(headline(found)) and off(found)


def test_a_definition_is_taken_for_a_whole_column_of_errors(arena, tmp_path):
    data = pairproof.read(arena)
    rows = pairproof.fit_bradley_terry(data, ties="half", reference="sum").on_scale("elo").to_frame()
    text = "model,rating,se\n" + "".join(f"{n},{r.rating:.1f},{r.se:.1f}\n" for n, r in rows.iterrows())
    found = beside(tmp_path, text, data)
    assert not off(found) and "agrees-truncated" not in {a.verdict for a in found}


def test_a_half_way_of_odds_is_said_to_be_of_logarithms(tmp_path):
    lines = [
        "A,1.766,1.128,2.764",
        "B,1.350,0.584,2.133",
        "C,1.911,1.194,3.058",
        "D,0.758,0.476,1.208",
        "E,1.629,1.035,2.565",
    ]
    found = alone(tmp_path, "item,OR,Lower 95%,Upper 95%\n" + "\n".join(lines) + "\n")
    (row,) = (a for a in found if not a.passes)
    assert row.quantity.name == "interval.B" and "in logarithms" in row.explanation
