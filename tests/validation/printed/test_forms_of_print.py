"""Tables as they are printed: an honest one is not accused, whatever its form, and a slip in it is told."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.data.comparisons import Comparisons
from pairproof.validation.printed.alone import check_alone
from pairproof.validation.printed.beside import check_printed, claims_of, read_pages
from pairproof.validation.printed.reading import read_printed
from pairproof.validation.report.findings import headline
from pairproof.validation.report.verification import Verification

PAIRS = {"AB": (24, 16), "AC": (32, 12), "AD": (30, 9), "BC": (28, 19), "BD": (25, 15), "CD": (21, 20)}


@pytest.fixture(scope="module")
def table() -> Comparisons:
    rows = [(first, second, *n) for (first, second), n in PAIRS.items()]
    return pairproof.read(pd.DataFrame(rows, columns=["first", "second", "wins", "losses"]))


def beside(
    tmp_path: Path, text: str, data: Comparisons, name: str = "page.csv", **stated: Any
) -> Verification:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return check_printed(str(file), data, stated, r="none")


def alone(tmp_path: Path, text: str, name: str = "page.csv", **asked: Any) -> Verification:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    return check_alone(str(file), **asked)


def off(found: Verification) -> list[str]:
    return [str(a.quantity) for a in found if not a.passes]


def off_alone(found: Verification) -> list[str]:
    return [str(a.quantity.name) for a in found if not a.passes]


def rounded(rows: pd.DataFrame, header: str, places: int = 3) -> str:
    """A CSV of the rows, an index and numbers, with these decimals."""
    return (
        header
        + "\n"
        + "".join(
            ",".join([str(name), *(f"{x:.{places}f}" for x in values)]) + "\n"
            for name, values in zip(rows.index, rows.to_numpy())
        )
    )


# -- what is not a number of any model, and rows without cells -----------------------------------------------


def test_a_column_that_no_board_has_is_said_not_to_be_checked(table, tmp_path):
    found = beside(tmp_path, "model,z\nA,1.0\nB,0.5\nC,0.1\n", table, scale="elo")
    assert [str(a.quantity) for a in found if a.code == "not-looked-at"] == ["column of z"]
    assert found.exit_code == 0


def test_a_row_of_blank_cells_is_no_row(table, tmp_path):
    found = beside(tmp_path, "item,estimate,se\nA,1.0,0.1\n , , \nB,0.5,0.2\n", table)
    assert {a.quantity.name for a in found if a.about == "printed"} >= {"A", "B"}


def test_a_claim_of_a_long_csv_may_have_one_item(table, tmp_path):
    text = "claim,quantity,item,printed\na,estimate,A,9\na,estimate,B,0\nb,estimate,B,9\n"
    found = beside(tmp_path, text, table, reference="D")
    assert {(a.claim, str(a.quantity)) for a in found if a.about == "printed"} >= {("b", "estimate.B")}


# -- boards --------------------------------------------------------------------------------------------------


def board_of(table: Comparisons, at: float = 1000.0) -> pd.DataFrame:
    """Ratings with the standard errors of the model, as R's glm and `fit.on_scale` have them."""
    fit = pairproof.fit_bradley_terry(table, reference="sum")
    return fit.on_scale("elo", at=at).to_frame()[["rating", "low", "high"]]


def test_limits_of_a_board_by_the_models_own_errors_are_another_definition(table, tmp_path):
    rows = board_of(table)
    text = rounded(rows, "model,rating,low,high", 1)
    found = beside(tmp_path, text, table)
    codes = {a.code for a in found if a.quantity.kind in ("low", "high")}
    assert off(found) == [] and codes == {"", "model-errors"}  # some print alike by both
    # A slip in one of them is told against the same errors.
    wrong = rows.assign(high=rows["high"].where(rows.index != "B", rows["high"] + 9.0))
    slip = beside(tmp_path, rounded(wrong, "model,rating,low,high", 1), table)
    assert off(slip) == ["high.B"] and "errors of the model" in next(
        a.explanation for a in slip if not a.passes
    )


def test_whole_numbers_that_a_program_wrote_as_doubles_have_no_decimals(table, tmp_path):
    rows = board_of(table).round(0)
    assert off(beside(tmp_path, rows.to_csv(index_label="model"), table)) == []


def test_ratings_with_another_mean_are_no_difference_and_it_is_said(table, tmp_path):
    rows = board_of(table, 1500.0)[["rating"]]
    found = beside(tmp_path, rounded(rows, "model,rating", 1), table)
    assert off(found) == [] and "those with mean 1500" in " ".join(found.context.first_lines)
    rows.loc["B"] += 30.0
    assert "estimate.B" in off(beside(tmp_path, rounded(rows, "model,rating", 1), table))


def test_ratings_with_a_fixed_one_that_has_no_interval_are_those_of_an_anchor(table, tmp_path):
    fit = pairproof.fit_bradley_terry(table, reference="sum")
    rows = fit.on_scale("elo", anchor="B", at=1114.0).to_frame()[["rating", "low", "high"]]
    text = rounded(rows, "model,rating,low,high", 1)
    for printed in (text, text.replace("1114.0,1114.0,1114.0", "1114.0,,"), text.replace("nan", "")):
        found = beside(tmp_path, printed, table)
        assert off(found) == [] and "taken as the anchor" in " ".join(found.context.first_lines)


# -- Student's t ---------------------------------------------------------------------------------------------

OF_T = "model,estimate,se,t,df,p,low,high\nB,0.362,0.171,2.12,9,{},-0.025,0.749\nC,-1.225,0.179,-6.84,9,<.001,-1.630,-0.820\nA,0,,,,,,\n"


def test_p_and_limits_of_t_follow_from_its_printed_df(tmp_path):
    found = alone(tmp_path, OF_T.format(".063"))  # normal: .034
    assert (
        off_alone(found) == [] and sum(a.about == "arithmetic" and a.verdict == "agrees" for a in found) == 8
    )
    assert off_alone(alone(tmp_path, OF_T.format(".034"))) == ["p.B"]


def test_p_of_t_without_df_is_not_judged_and_counts_of_wins_losses_ties_are_no_t(tmp_path):
    found = alone(tmp_path, "model,estimate,se,t value,Pr(>|t|)\nB,0.362,0.171,2.12,.063\nA,0,,,\n")
    assert off_alone(found) == [] and {a.quantity.name for a in found if a.passes} >= {"z.B"}
    found = alone(tmp_path, "model,rating,W,L,T\nB,1010,5,4,1\nA,990,4,5,1\n")
    assert not any(a.quantity.kind in ("z", "t") for a in found) and off_alone(found) == []


def test_what_r_prints_of_a_quasi_likelihood_has_the_residual_df(tmp_path):
    text = (
        "glm(formula = y ~ B + C, family = quasibinomial)\n\n"
        "  Estimate Std. Error t value Pr(>|t|)    \nB   0.3617     0.1742   2.076   {}    \n"
        "C  -1.2252     0.1827  -6.705 5.33e-05 ***\n\n"
        "    Null deviance: 124.761  on 12  degrees of freedom\nResidual deviance:  10.436  on 10  degrees of freedom\n"
    )
    found = alone(tmp_path, text.format("0.0646"), "page.txt")
    assert off_alone(found) == [] and not any(str(a.quantity).startswith("df.") for a in found)
    assert off_alone(alone(tmp_path, text.format("0.0379"), "page.txt")) == ["p.B"]


# -- other scales --------------------------------------------------------------------------------------------

WITH_TIES = {"AB": (24, 9, 16), "AC": (32, 4, 12), "BC": (28, 11, 19)}


@pytest.fixture(scope="module")
def tied() -> Comparisons:
    rows = [(first, second, *n) for (first, second), n in WITH_TIES.items()]
    return pairproof.read(pd.DataFrame(rows, columns=["first", "second", "wins", "ties", "losses"]))


@pytest.mark.parametrize(
    ("ties", "name", "of", "slope"),
    [
        ("davidson", "ν", math.exp, math.exp),
        ("davidson", "nu", math.exp, math.exp),
        ("davidson", "tie", math.exp, math.exp),
        ("rao-kupper", "θ", math.exp, math.exp),
        ("rao-kupper", "log θ", math.log, lambda x: 1 / x),
        ("rao-kupper", "threshold", float, lambda x: 1.0),
    ],
)
def test_the_parameter_of_ties_may_be_printed_on_its_own_scale(ties, name, of, slope, tied, tmp_path):
    fit = pairproof.fit_bradley_terry(tied, ties=ties)
    rows = pd.DataFrame({"estimate": fit.params, "se": fit.bse}).drop(index="A")
    tie, se = rows.loc["tie"]
    rows.loc["tie"] = [of(tie), slope(tie) * se]
    text = rounded(rows.rename(index={"tie": name}), "item,estimate,se") + "A,0,\n"
    found = beside(tmp_path, text, tied, ties=ties)
    assert off(found) == []
    assert {a.code for a in found if a.quantity == "estimate.tie"} == {"" if of is float else "scale-of-ties"}
    wrong = rounded(rows.rename(index={"tie": name}) + [0.1, 0.0], "item,estimate,se") + "A,0,\n"
    with np.errstate(invalid="ignore"):  # no theta is below 1
        assert "estimate.tie" in off(beside(tmp_path, wrong, tied, ties=ties, family="bradley-terry"))


@pytest.mark.parametrize(
    "text",
    [
        "item,worth (%)\nA,50.0\nB,30.0\nC,20.0\n",
        "item,worth\nA,50.0\nB,30.1\nC,20.0\n",
        "item,worth\nA,1.000\nB,0.600\nC,0.400\n",
        "item,worth\nA,2.500\nB,1.500\nC,1\n",
        "item,estimate,worth\nA,0,45.0\nB,-0.405,30.0\nC,-0.588,25.0\n",
    ],
)
def test_worths_in_per_cent_or_relative_to_one_of_them_are_not_accused(text, tmp_path):
    assert off_alone(alone(tmp_path, text)) == []


def test_worths_in_per_cent_that_do_not_sum_to_100_are_told(tmp_path):
    found = alone(tmp_path, "item,worth (%)\nA,50.0\nB,35.0\nC,20.0\n")
    assert off_alone(found) == ["worth.all.sum"]


def test_worths_in_per_cent_are_those_of_the_data(table, tmp_path):
    worth = pairproof.fit_bradley_terry(table).worth().set_index("item")[["worth"]] * 100
    found = beside(tmp_path, rounded(worth, "item,worth (%)", 1), table)
    assert off(found) == [] and "free scale" not in " ".join(a.explanation for a in found)


@pytest.fixture(scope="module")
def natural(table) -> pd.DataFrame:
    fit = pairproof.fit_bradley_terry(table, reference="sum")
    rows = pd.DataFrame({"estimate": fit.params, "se": fit.bse, "z": fit.zvalues, "p": fit.pvalues})
    return rows.loc[list(table.items)]


def test_one_sided_p_under_a_heading_that_says_so_are_taken_as_such(natural, table, tmp_path):
    one_sided = natural.assign(p=natural["p"] / 2)
    for heading in ("p (one-sided)", "one-sided p"):
        text = rounded(one_sided, f"item,estimate,se,z,{heading}", 4)
        assert off(beside(tmp_path, text, table)) == [] and off_alone(alone(tmp_path, text)) == []
    plain = rounded(one_sided, "item,estimate,se,z,p", 4)
    assert len(off_alone(alone(tmp_path, plain))) > 0
    assert off(check_printed(str(tmp_path / "page.csv"), table, r="none", sided=1)) == []
    assert (
        "sided = 1"
        in claims_of(read_pages(str(tmp_path / "page.csv"), table, sided=1), table, "x", "").claims
    )


@pytest.mark.parametrize("heading", ["log10 strength", "strength"])
def test_logarithms_to_base_10_are_on_a_free_scale(heading, natural, table, tmp_path):
    rows = natural[["estimate", "se"]].mul(math.log10(math.e)).assign(z=natural["z"])
    text = rounded(rows, f"item,{heading},se,z")
    found = beside(tmp_path, text, table)
    assert off(found) == [] and sum(a.verdict == "agrees" for a in found if a.about == "printed") == 12
    assert off_alone(alone(tmp_path, text)) == []
    rows.loc["B", "estimate"] += 0.04
    assert "estimate.B" in off(beside(tmp_path, rounded(rows, f"item,{heading},se,z"), table))


# -- limits --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("A,1.44,1.03,2.01", ""),
        ("A,1.44,2.01,1.03", "the lower limit 2.01 is above the upper 1.03"),
        ("A,2.44,1.03,2.01", "2.44 is not between its limits"),
        ("A,1.44,1.30,2.01", "1.44 is not half-way between its limits in logarithms, as the 3 others are"),
        ("A,1.44,1.07,2.01", ""),  # a profile interval
    ],
)
def test_limits_enclose_their_number_and_are_symmetric_if_all_others_are(row, told, tmp_path):
    rest = "B,1.34,0.97,1.84\nC,1.21,0.88,1.67\nD,0.29,0.21,0.40\nE,1,,\n"
    for heading, of in (("odds ratio", float), ("estimate", lambda x: round(math.log(x), 2))):
        lines = [line.split(",") for line in f"{row}\n{rest}".split("\n")[:-1]]
        body = "".join(
            ",".join([n, *(str(of(float(x))) if x else "" for x in xs)]) + "\n" for n, *xs in lines
        )
        found = alone(tmp_path, f"item,{heading},low,high\n{body}")
        assert off_alone(found) == ["interval.A"] * bool(told)
        if told and heading == "odds ratio":
            assert told in next(a.explanation for a in found if not a.passes)


# -- what stands in the first sentence -----------------------------------------------------------------------


def test_columns_that_are_not_read_and_items_without_a_row_stand_in_the_first_sentence(
    natural, table, tmp_path
):
    rows = natural[["estimate"]].map(math.exp).assign(low=1.0, high=2.0)
    found = beside(tmp_path, rounded(rows, "item,odds ratio,VIF,rank"), table, reference="sum")
    assert next(headline(found)).endswith(
        "4 printed numbers are reproduced; 2 columns of numbers were not read: VIF, rank."
    )
    assert "Nothing needs attention" not in str(found)
    found = beside(tmp_path, rounded(natural.drop(index="C"), "item,estimate,se,z,p"), table, reference="sum")
    assert next(headline(found)) == (
        "All 12 printed numbers are reproduced; the page does not list C, but its comparisons are in the fit."
    )


def test_a_page_of_no_model_that_was_tried_needs_attention(table, tmp_path):
    found = beside(tmp_path, "item,estimate,se\nA,0.911,0.310\nB,-0.552,0.288\nC,1.020,0.275\nD,0,\n", table)
    assert found.exit_code == 2 and "Nothing needs attention" not in str(found)
    assert next(headline(found)).startswith("This page could not be checked: 6 of its 7 numbers are not")


# -- how numbers are written ---------------------------------------------------------------------------------


def read(text: str, source: str = "page.csv") -> dict[str, str]:
    """The numbers of a page: the set of values that each stands for."""
    found = read_printed(text, source)
    return {
        str(q.quantity): f"{float(q.printed.low or 0):g} to {float(q.printed.high or 0):g}"
        for q in found.numbers
    }


@pytest.mark.parametrize(
    ("cell", "low", "high"),
    [
        ("\u20131.225", "-1.2255", "-1.2245"),
        ("\u20111.225", "-1.2255", "-1.2245"),
        ("8.1\u00d710\u207b\u00b9\u00b2", "8.05e-12", "8.15e-12"),
        ("7.9 x 10^-12", "7.85e-12", "7.95e-12"),
        ("$8.1 \\times 10^{-12}$", "8.05e-12", "8.15e-12"),
        ("0 (---)", "-0.5", "0.5"),
    ],
)
def test_numbers_are_read_as_journals_write_them(cell, low, high):
    assert read(f"item,estimate\nA,{cell.strip('$')}\nB,0.5\n")["estimate.A"] == f"{low} to {high}"
    if "^-" in cell:
        return  # LaTeX has braces
    page = (
        f"\\begin{{tabular}}{{lr}}\nitem & estimate \\\\\nA & {cell} \\\\\nB & 0.5 \\\\\n\\end{{tabular}}\n"
    )
    assert read(page, "page.tex")["estimate.A"] == f"{low} to {high}"


def test_an_en_dash_between_numbers_is_no_minus():
    found = read("item,estimate,95% CI\nA,0.3,0.1\u20130.5\nB,-0.2,\u20130.4 \u2013 \u20130.1\n")
    assert found["high.A"] == "0.45 to 0.55" and found["high.B"] == "-0.15 to -0.05"


def test_p_may_be_said_in_its_cell():
    found = read("item,estimate,p\nA,0.3,p = .076\nB,0.1,P<.001\n")
    assert found["p.A"] == "0.0755 to 0.0765" and found["p.B"] == "0 to 0.001"


@pytest.mark.parametrize(
    ("heading", "cell", "kinds"),
    [
        ("rating", '"1,032 \u00b1 39"', {"estimate", "low", "high"}),
        ("rating (SE)", "1032 \u00b1 39", {"estimate", "se"}),
        ("estimate", "0.72 \u00b1 0.17", {"estimate", "se"}),
        ("estimate (95% CI)", "0.72 +/- 0.17", {"estimate", "low", "high"}),
    ],
)
def test_what_stands_after_plus_minus_is_what_the_heading_says(heading, cell, kinds):
    found = read_printed(f"item,{heading}\nA,{cell}\nB,0\n", "page.csv")
    assert {q.quantity.kind for q in found.numbers if q.quantity.name == "A"} == kinds
    assert any("plus-minus" in said for said in found.sentences) == ("(" not in heading)


def test_limits_may_be_distances_from_the_number():
    found = read('Model,Arena Elo,95% CI\nA,"1,068",+38/-39\nB,793,+44/-44\n')
    assert found["low.A"] == "1028 to 1030" and found["high.A"] == "1105 to 1107"


def test_a_short_row_of_a_count_below_a_table_is_no_item():
    found = read_printed("item,estimate,se\nA,0.3,0.1\nB,0.1,0.1\nN,760\n", "page.csv")
    assert found.items == ("A", "B") and "line 4: N 760" in found.others


# -- marks of significance -----------------------------------------------------------------------------------

MARKED = "item,estimate,se,z,p\nA,0.362,0.171,2.12,.034{}\nB,0.291,0.164,1.77,.076{}\nC,-1.225,0.179,-6.84,<.001{}\nD,0,,,\n"
LEGEND = '\n"Note: * p < .05, ** p < .01, *** p < .001"\n'


@pytest.mark.parametrize(
    ("marks", "legend", "told"),
    [
        (("*", "", "***"), "", []),
        (("*", "", "***"), LEGEND, []),
        (("**", "*", "***"), "", []),  # economists'
        (("**", "*", "***"), LEGEND, ["p.A", "p.B"]),
        (("***", "*", "***"), "", ["p.A"]),
        (("", "", "***"), LEGEND, ["p.A"]),
        (("", "", "***"), "", []),
        (("", " *", ""), "", []),  # of something else, perhaps
    ],
)
def test_marks_that_contradict_the_p_beside_them_are_told(marks, legend, told, tmp_path):
    found = alone(tmp_path, MARKED.format(*marks) + legend)
    assert off_alone(found) == told
    assert {a.code for a in found if not a.passes} == {"significance-mark"} & {
        "significance-mark" for _ in told
    }


def test_marks_beside_estimates_are_p_values(natural, table, tmp_path):
    def page(marks: dict[str, str]) -> str:
        rows = "".join(
            f"| {name} | {row.estimate:.3f}{marks.get(name, '')} ({row.se:.3f}) |\n"
            for name, row in natural.iterrows()
        )
        return f"| Item | Coef. (SE) |\n|---|---|\n{rows}\nNote: \\* p < .05, ** p < .01, *** p < .001.\n"

    levels = {"***": 0.001, "**": 0.01, "*": 0.05}
    right = {
        str(name): next((mark for mark, level in levels.items() if p <= level), "")
        for name, p in natural["p"].items()
    }
    found = beside(tmp_path, page(right), table, "page.md")
    assert off(found) == [] and sum(a.quantity.kind == "p" for a in found if a.about == "printed") == 4
    assert off_alone(alone(tmp_path, page(right), "page.md")) == []
    assert right["A"] == "***" and right["B"] == ""
    for wrong, item in (({**right, "B": "**"}, "B"), ({**right, "A": ""}, "A")):
        assert off(beside(tmp_path, page(wrong), table, "page.md")) == [f"p.{item}"]
        assert off_alone(alone(tmp_path, page(wrong), "page.md")) == [f"p.{item}"]


def test_marks_at_the_end_of_a_line_of_r_are_those_of_its_p(tmp_path):
    text = (
        "        Estimate Std. Error z value Pr(>|z|)    \nA         0.3617     0.1710   2.115   0.0344 {}\n"
        "B         0.2908     0.1640   1.773   0.0762 .  \nC        -1.2252     0.1794  -6.831 8.46e-12 ***\n---\n"
        "Signif. codes:  0 \u2018***\u2019 0.001 \u2018**\u2019 0.01 \u2018*\u2019 0.05 \u2018.\u2019 0.1 \u2018 \u2019 1\n"
    )
    assert off_alone(alone(tmp_path, text.format("*  "), "page.txt")) == []
    assert off_alone(alone(tmp_path, text.format("***"), "page.txt")) == ["p.A"]
    assert off_alone(alone(tmp_path, text.format("   "), "page.txt")) == ["p.A"]


def test_a_claims_file_of_a_page_with_its_own_legend_has_the_legend(natural, table, tmp_path):
    text = rounded(natural[["estimate", "se"]], "item,estimate,se").replace("A,", "A,", 1)
    head, _, rest = text.partition(",0.")
    (tmp_path / "page.csv").write_text(
        text.replace(text.split("\n")[1].split(",")[1], text.split("\n")[1].split(",")[1] + "***")
    )
    made = claims_of(read_pages(str(tmp_path / "page.csv"), table), table, "x", "").claims
    assert '"***"' in made


# -- pages of pairproof itself, and names that look like something else ---------------------------------


def test_what_fit_prints_can_be_checked_alone(table, tmp_path):
    printed = str(pairproof.fit_bradley_terry(table).summary())
    found = alone(tmp_path, printed, "page.txt")
    assert off_alone(found) == []
    assert {a.quantity.name for a in found if a.passes} >= {"worth.all.A", "z.B", "high.D", "worth.all.sum"}


def test_a_name_that_looks_like_latex_makes_no_latex_of_a_csv(tmp_path):
    found = alone(tmp_path, "item,estimate,se,z\nA,0.362,0.171,2.12\n\\begin{x},0.1,0.1,1.0\n<td>,0,,\n")
    assert off_alone(found) == [] and {a.quantity.name for a in found} >= {"z.A", "z.\\begin{x}"}
