"""A scale that the claim leaves free: one factor and one constant; eba's numbers as an honest page.

`printed_by_r/eba_celebrities.txt` is what R 4.2.2 with eba 1.10-1 printed of Rumelhart and Greeno's celebrities.
"""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from pairproof.errors import InputError
from pairproof.validation.check.checker import Checker
from pairproof.validation.check.claims_file import parse_claims
from pairproof.validation.verdicts.agreement import Agreement, exit_code

PRINTED = (Path(__file__).with_name("printed_by_r") / "eba_celebrities.txt").read_text(encoding="utf-8")
ITEMS = "LBJ HW CDG JU CY AJF BB ET SL".split()
COUNTS = [re.search(rf"^  {i} +([\d ]+)$", PRINTED, re.M)[1].split() for i in ITEMS]  # type: ignore[index]
#: Number, estimate, standard error: parameters of eba, whose sum is what its optimiser left.
WORTHS = re.findall(r"^(\d) (0\.\d+) +(0\.\d+) ", PRINTED, re.M)
LOGS = re.findall(r"-\d\.\d{4}\b", PRINTED.split("Goodness")[1])
OF_MAXIMUM = re.findall(r"\b[01]\.\d{4}\b", PRINTED.split("Goodness")[1].split(LOGS[-1])[1])


def checked(printed: str, model: str = 'family = "bradley-terry", scale = "any"') -> list[Agreement]:
    columns = ", ".join(f'"{i}"' for i in ["item", *ITEMS])
    rows = ", ".join(f'["{i}", {", ".join(row)}]' for i, row in zip(ITEMS, COUNTS))
    text = f"""[paper]
id = "eba"
title = "eba"
[data.d]
kind = "matrix"
winner = "rows"
columns = [{columns}]
rows = [{rows}]
[[claim]]
id = "c"
data = "d"
model = {{ {model} }}
{printed}
"""
    return Checker(parse_claims(text)).all()


def of(kind: str, values: list[str]) -> str:
    return "stat = { " + ", ".join(f'"{kind}.{i}" = "{v}"' for i, v in zip(ITEMS, values)) + " }\n"


def test_the_file_has_what_is_read_from_it() -> None:
    assert len(WORTHS) == len(LOGS) == len(OF_MAXIMUM) == 9 and COUNTS[0][1] == "159"


def test_no_number_that_eba_prints_is_accused() -> None:
    """eba's optimiser stops with the sixth digits of its worths not yet right; so small a difference is immaterial."""
    worths, errors = ([row[k] for row in WORTHS] for k in (1, 2))
    stat = of("worth.all", worths)[:-2].rstrip(" }") + ", " + of("worth_se.all", errors)[9:]
    rows = checked(stat + 'deviance = "78.22 on 28"\naic = "302.08"\naic_definition = "glm"')
    assert "G2(28) = 78.22" in PRINTED and "AIC:  302.08" in PRINTED
    assert len(rows) == 21 and exit_code(rows) == 0
    assert {a.verdict for a in rows} <= {"agrees", "immaterial"}
    off = [a for a in rows if a.verdict == "immaterial"]
    assert len(off) <= 3 and all(a.quantity.kind == "worth" for a in off)  # seen: 2
    # Their sum is no 1, so that the scale of the family itself does not bring them out.
    plain = checked(stat, 'family = "bradley-terry"')
    assert exit_code(plain) == 1


@pytest.mark.parametrize(
    "printed",
    [
        of("estimate", LOGS),
        of("worth.all", OF_MAXIMUM),
        of("estimate", [f"{-1.7 + 0.5 * float(x):.3f}" for x in LOGS]),
        of("estimate", [f"{1000 + 173.7178 * float(x):.0f}" for x in LOGS]),
    ],
)
def test_log_worths_and_worths_of_any_level_come_out(printed: str) -> None:
    rows = checked(printed)
    code = "free-factor" if "worth" in printed else "free-scale"
    assert {a.verdict for a in rows} == {"agrees"} and {a.code for a in rows} == {code}
    assert all("on a free scale: computed times" in a.explanation for a in rows)


def test_standard_errors_have_the_factor_of_the_estimates() -> None:
    plain = checked(of("estimate", LOGS), 'family = "bradley-terry"')
    native = {a.quantity.name: a.native for a in plain}
    model = 'family = "bradley-terry", reference = "LBJ"'
    errors = {a.quantity.name: a.native for a in checked(of("se", ["9"] * 9), model) if a.native is not None}
    assert native["AJF"] == 0.0 and len(errors) == 8
    for factor, verdicts in (
        (0.5, {"agrees"}),
        (0.52, {"agrees", "differs", "immaterial", "differs-conclusion"}),
    ):
        estimate = ", ".join(f'{i} = "{0.5 * float(native[i] or 0.0):.4f}"' for i in ITEMS)
        se = ", ".join(f'{i} = "{factor * e:.5f}"' for i, e in errors.items())
        rows = checked(f"estimate = {{ {estimate} }}\nse = {{ {se} }}", f'{model}, scale = "any"')
        assert ({a.verdict for a in rows} == {"agrees"}) == (factor == 0.5)
        assert {a.verdict for a in rows} <= verdicts


def test_a_misprint_is_the_only_number_that_does_not_come_out() -> None:
    generator = random.Random(3)
    for _ in range(40):
        k = generator.randrange(9)
        place = generator.choice([1, 3, 4])  # the digits but the last two, which the rounding of others hides
        wrong = str((int(LOGS[k][place]) + generator.randint(1, 9)) % 10)
        text = LOGS[k][:place] + wrong + LOGS[k][place + 1 :]
        rows = checked(of("estimate", [*LOGS[:k], text, *LOGS[k + 1 :]]))
        assert [a.quantity.name for a in rows if a.verdict != "agrees"] == [ITEMS[k]], (k, text)


def test_two_misprints_are_found_among_nine() -> None:
    values = [*LOGS]
    values[3], values[5] = "-2.4301", "-2.7933"
    rows = checked(of("estimate", values))
    assert [a.quantity.name for a in rows if a.verdict != "agrees"] == ["JU", "AJF"]


def test_numbers_of_another_order_do_not_come_out() -> None:
    rows = checked(of("estimate", LOGS[::-1]))
    assert exit_code(rows) == 1
    assert exit_code(checked(of("estimate", [LOGS[0].lstrip("-"), *(x.lstrip("-") for x in LOGS[1:])]))) == 1


@pytest.mark.parametrize(("kind", "fewest"), [("estimate", 4), ("worth.all", 3)])
def test_two_numbers_must_remain_beside_the_free_ones(kind: str, fewest: int) -> None:
    values = LOGS if kind == "estimate" else OF_MAXIMUM
    few = checked(of(kind, values[: fewest - 1]))
    assert {(a.verdict, a.code) for a in few} == {("not-checkable", "too-few-numbers")} and exit_code(
        few
    ) == 0
    assert {a.verdict for a in checked(of(kind, values[:fewest]))} == {"agrees"}


def test_numbers_that_no_scale_moves_are_judged_as_they_are() -> None:
    rows = checked(of("estimate", LOGS) + 'deviance = "79.22 on 28"')
    assert {str(a.quantity): a.verdict for a in rows if a.quantity.kind in ("deviance", "df_resid")} == {
        "deviance": "differs",
        "df_resid": "agrees",
    }


def test_the_anchor_of_elo_is_not_for_a_free_scale() -> None:
    with pytest.raises(InputError, match='line 12.*anchor is for scale = "elo"'):
        checked(of("estimate", LOGS), 'family = "bradley-terry", scale = "any", anchor = "BB"')
