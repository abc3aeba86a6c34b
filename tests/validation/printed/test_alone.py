"""A printed page without its data: what does not fit is told, and no honest page is accused."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from pairproof.errors import InputError
from pairproof.validation.printed.alone import check_alone, screen
from pairproof.validation.report.findings import headline
from pairproof.validation.report.verification import Verification
from tests.validation.printed.pages import TEXTS

SUMMARY = (TEXTS / "btm_summary.txt").read_text(encoding="utf-8")


def alone(tmp_path: Path, text: str, **asked: Any) -> Verification:
    file = tmp_path / "table.csv"
    file.write_text(text, encoding="utf-8")
    return check_alone(str(file), **asked)


def off(found: Verification) -> list[str]:
    return [str(a.quantity.name) for a in found if not a.passes]


@pytest.mark.parametrize(
    "name", sorted(p.name for p in TEXTS.iterdir() if p.suffix != ".R" and not p.name.startswith("data_"))
)
def test_no_output_of_a_program_and_no_papers_table_is_accused(name: str) -> None:
    found = check_alone(str(TEXTS / name))
    assert off(found) == [] and found.exit_code == 0


def wald(z: float) -> str:
    return f"{math.erfc(abs(z) / math.sqrt(2)):.4f}"


TABLE = f"item,estimate,se,z,p\nA,0.50,0.10,5.00,<.001\nB,0.200,0.100,2.00,{wald(2.0)}\nC,0,,,\n"


@pytest.mark.parametrize(
    "right, wrong, told",
    [("2.00,", "2.90,", ["z.B", "p.B"]), (wald(2.0), "0.0055", ["p.B"]), ("5.00,", "4.00,", ["z.A"])],
)
def test_a_changed_digit_of_z_or_p_is_told(right: str, wrong: str, told: list[str], tmp_path: Path) -> None:
    assert off(alone(tmp_path, TABLE)) == []
    found = alone(tmp_path, TABLE.replace(right, wrong))
    assert set(off(found)) <= set(told) and told[0] in off(found) and found.exit_code == 1
    assert told[0] in screen(found)


def test_where_z_and_p_agree_the_estimate_or_its_standard_error_is_said_to_be_wrong(tmp_path: Path) -> None:
    for right, wrong, would_fit in (
        ("0.200,0.100", "0.200,0.120", "se.B 0.100"),
        ("0.200,", "0.300,", "estimate.B 0.200"),
    ):
        found = alone(tmp_path, TABLE.replace(right, wrong))
        (row,) = (a for a in found if a.quantity.name == "z.B")
        assert row.explanation.startswith("z.B and p.B agree: estimate.B or se.B may be wrong (")
        assert would_fit in row.explanation and "estimate.B / se.B: " in row.explanation
    # A p that is a bound fits both, and says nothing against either.
    (row,) = (a for a in alone(tmp_path, TABLE.replace("5.00,", "4.00,")) if a.quantity.name == "z.A")
    assert row.explanation.startswith("estimate.A / se.A: ")


def test_a_table_with_decimal_commas_is_read_as_the_same_with_points(tmp_path: Path) -> None:
    commas = TABLE.replace(",", ";").replace(".", ",")
    found = alone(tmp_path, commas)
    assert "separated values, decimal commas read as points" in " ".join(found.context.first_lines)
    as_points = alone(tmp_path, TABLE)
    assert [(a.quantity, a.verdict, a.explanation) for a in found] == [
        (a.quantity, a.verdict, a.explanation) for a in as_points
    ]
    for number in ("'0,50'", "'<,001'"):
        with pytest.raises(InputError, match=f"{number} is not one number.*write them all as points"):
            alone(
                tmp_path,
                commas.replace("2,00", "2.00").replace("<,001", number.strip("'").replace("0,50", "0,01")),
            )
    # 1,234 is a thousand where other numbers of the table have points.
    assert not off(alone(tmp_path, 'item;rating;se\nA;"1,234.5";0.5\nB;"1,100.5";0.5\n'))


def test_one_sided_p_values_are_those_that_were_asked_for(tmp_path: Path) -> None:
    halved = TABLE.replace(wald(2.0), f"{float(wald(2.0)) / 2:.4f}").replace("<.001", "<.0005")
    assert off(alone(tmp_path, halved)) == ["p.B"]
    assert off(alone(tmp_path, halved, one_sided=True)) == []


LIMITS = "item,estimate,se,low,high\nA,0.500,0.100,{:.3f},{:.3f}\nB,0.200,0.100,{:.3f},{:.3f}\nC,0,,,\n"


@pytest.mark.parametrize("z", [1.959964, 1.644854, 2.575829])
def test_limits_of_95_90_and_99_percent_fit(z: float, tmp_path: Path) -> None:
    text = LIMITS.format(0.5 - z * 0.1, 0.5 + z * 0.1, 0.2 - z * 0.1, 0.2 + z * 0.1)
    found = alone(tmp_path, text)
    assert off(found) == [] and sum(a.verdict == "agrees" for a in found) == 4


def test_one_limit_that_is_off_is_told_and_limits_of_another_kind_are_not_judged(tmp_path: Path) -> None:
    assert off(alone(tmp_path, LIMITS.format(0.304, 0.696, 0.004, 0.496))) == ["high.B"]
    profile = alone(tmp_path, LIMITS.format(0.31, 0.72, 0.01, 0.42))
    assert off(profile) == []
    assert {a.quantity.name for a in profile if a.quantity.kind == "arithmetic"} >= {"low.A", "high.B"}
    assert all(a.verdict == "not-checkable" for a in profile)


def test_worths_follow_from_the_estimates_and_sum_to_one_on_either_scale(tmp_path: Path) -> None:
    assert off(alone(tmp_path, "item,estimate,worth\nA,0.500,0.4812\nB,0.200,0.2641\nC,0.167,0.2547\n")) != []
    values = [math.exp(x) for x in (0.5, 0.2, 0.0)]
    for power in (1, 2):
        shares = [v**power / sum(w**power for w in values) for v in values]
        text = "item,estimate,worth\n" + "".join(
            f"{i},{e},{s:.4f}\n" for i, e, s in zip("ABC", ("0.500", "0.200", "0"), shares)
        )
        assert off(alone(tmp_path, text)) == []
        assert off(alone(tmp_path, text.replace(f"{shares[0]:.4f}", "0.4119"))) == [
            "worth.all.A",
            "worth.all.sum",
        ]


def test_totals_of_wins_need_the_games_and_the_reference(tmp_path: Path) -> None:
    plain = alone(tmp_path, SUMMARY)
    assert "totals of wins: not checked" in screen(plain)
    assert not any(a.quantity.name == "win_totals" for a in alone(tmp_path, SUMMARY, games=13.0))
    stated = {"reference": "Baltimore"}
    found = alone(tmp_path, SUMMARY, games=13.0, stated=stated)
    assert off(found) == [] and any(a.quantity.name == "win_totals" for a in found)
    other = alone(
        tmp_path, SUMMARY.replace("1.1077", "0.8077"), games=13.0, stated={"reference": "Baltimore"}
    )
    assert "win_totals" in off(other)


def fit_table(*rows: str) -> str:
    return "item,estimate,se\nA,0.5,0.1\nB,0.2,0.1\nC,0,\n" + "".join(f"{row}\n" for row in rows)


@pytest.mark.parametrize(
    "rows, told",
    [
        (("log-likelihood,-50.00,", "AIC,104.00,"), []),
        (("log-likelihood,-50.00,", "AIC,106.00,"), []),  # a parameter that is not printed
        (("log-likelihood,-50.00,", "AIC,105.00,"), ["aic"]),
        (("log-likelihood,-50.00,", "AIC,102.00,"), ["aic"]),
        (("deviance,100.0,", "AIC,104.0,"), []),
        (("deviance,100.0,", "AIC,203.2,"), []),
        (("deviance,100.0,", "AIC,103.2,"), ["aic"]),
    ],
)
def test_aic_is_2k_less_2_log_l_and_not_below_deviance_plus_2k(
    rows: tuple[str, ...], told: list[str], tmp_path: Path
) -> None:
    assert off(alone(tmp_path, fit_table(*rows))) == told


def test_df_of_fewer_parameters_than_are_printed_are_told(tmp_path: Path) -> None:
    assert off(alone(tmp_path, SUMMARY.replace("on 15", "on 17"))) == ["df_resid"]
    # R prints every coefficient; a table may leave some out.
    assert off(alone(tmp_path, SUMMARY.replace("on 15", "on 12"))) == ["df_resid"]


def test_counts_of_a_board_add_up(tmp_path: Path) -> None:
    text = "model,rating,votes,wins,losses,ties\nA,1100,30,20,8,2\nB,1000,30,10,{},4\n"
    assert off(alone(tmp_path, text.format(16))) == []
    assert off(alone(tmp_path, text.format(18))) == ["votes.B"]


def test_a_report_without_data_begins_with_the_checks_that_were_made(tmp_path: Path) -> None:
    first = next(headline(alone(tmp_path, TABLE)))
    assert first == "4 of 4 checks of the printed numbers against each other pass."


def test_what_only_data_can_say_is_said(tmp_path: Path) -> None:
    found = alone(tmp_path, "item,estimate\nA,0.5\nB,0.2\nC,0.1\n")
    assert "No number here follows from another printed number." in screen(found)
    assert "estimate: the data are needed to check them" in screen(found)
    assert {a.verdict for a in found} == {"not-checkable"} and found.exit_code == 0


@pytest.mark.parametrize(
    ("right", "wrong", "told", "words"),
    [
        ("0.200,0.100", "0.200,-0.100", "se.B", "impossible: a standard error is not negative"),
        ("0.200,0.100", "0.200,0.000", "z.B", "estimate.B / se.B: at least 399"),
        (wald(2.0), "1.018", "p.B", "impossible: a p-value is between 0 and 1"),
        (wald(2.0), "-0.046", "p.B", "impossible: a p-value is between 0 and 1"),
    ],
)
def test_a_value_that_no_number_of_its_kind_has_is_impossible(right, wrong, told, words, tmp_path):
    found = alone(tmp_path, TABLE.replace(right, wrong))
    (row,) = (a for a in found if a.quantity.name == told)
    assert row.verdict == "differs" and words in row.explanation and found.exit_code == 1
    assert told in screen(found)


def test_a_truncated_number_is_named_and_is_a_misprint_among_numbers_that_must_have_been_rounded(tmp_path):
    cut = "item,estimate,se,z\nA,0.4469,0.1009,4.42\nB,0.2000,0.1000,2.00\nC,0,,\n"  # 4.4291: rounded, 4.43
    found = alone(tmp_path, cut)
    assert off(found) == []
    assert "2 of 2 checks of the printed numbers" in screen(found)
    assert ", 1 of them only if digits were truncated, not rounded: z.A" in " ".join(screen(found).split())
    among = alone(tmp_path, cut.replace("C,0,,", "C,0.4470,0.1003,4.46\nD,0,,"))  # 4.4566: truncated, 4.45
    (row,) = (a for a in among if not a.passes)
    assert (row.quantity.name, row.code) == ("z.A", "cut-not-rounded")
    assert row.explanation.endswith("while z.C must have been rounded")


def test_columns_of_numbers_that_are_not_read_are_said_beside_the_first_line_with_how_to_name_them(tmp_path):
    found = alone(tmp_path, TABLE.replace("item,estimate,se", "item,valor,su desv"))
    said = (
        "2 columns of numbers were not read: valor, su desv; no column is known as estimate or se: name them, as with"
        " --heading estimate=valor --heading 'se=su desv'"
    )
    assert f"each other pass; {said}" in " ".join(screen(found).split())
    assert next(headline(found)) == f"2 of 2 checks of the printed numbers against each other pass; {said}."
    named_now = alone(tmp_path, TABLE.replace("item,estimate", "item,valor"), columns={"estimate": "valor"})
    assert "not read" not in screen(named_now)


def test_a_nan_counts_as_not_checked(tmp_path: Path) -> None:
    assert "z: 1 checked, 1 not" in screen(alone(tmp_path, TABLE.replace("2.00,", "NaN,")))
