"""The checker is checked: every way of going wrong quietly that other tools let pass is caught here."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from pairproof.validation.check.claims_file import parse_claims
from pairproof.validation.verdicts.agreement import Agreement, exit_code
from tests.validation.fakes import FIRTH, check_paper, claims_text, faultless, spoilt

Values = dict[str, float]


def rows(change: "object" = None) -> list[Agreement]:
    paper = parse_claims(claims_text(FIRTH))
    return check_paper(paper, counterparts=faultless if change is None else spoilt(change))  # type: ignore[arg-type]


def test_an_honest_r_passes() -> None:
    assert exit_code(rows(), require_r=True) == 0


def halved_among_many(v: Values) -> Mapping[str, float]:
    # Two hundred large numbers that are all right hide this one from any average.
    return {**v, "estimate.Cleveland": v["estimate.Cleveland"] / 2}


MUTANTS = {
    "an effect halved": halved_among_many,
    "a sign lost": lambda v: {**v, "estimate.Boston": -v["estimate.Boston"]},
    "a standard error doubled": lambda v: {**v, "se.Boston": 2 * v["se.Boston"]},
    "a p of 5e-8 for a tiny one": lambda v: {**v, "p.Milwaukee": 5e-8},
    "a deviance of the same model by row": lambda v: {**v, "deviance": 44.053},
    "one degree of freedom more": lambda v: {**v, "df_resid": v["df_resid"] + 1},
    "lambda for log-odds": lambda v: {**v, **{k: x / 2 for k, x in v.items() if k.startswith("estimate.")}},
    "two items exchanged": lambda v: {
        **v,
        "worth.all.Boston": v["worth.all.Toronto"],
        "worth.all.Toronto": v["worth.all.Boston"],
    },
    "an error in the seventh digit": lambda v: {**v, "se.Toronto": v["se.Toronto"] * (1 + 1e-7)},
    "a value that is infinite": lambda v: {**v, "estimate.Boston": float("inf")},
    "zeros everywhere": lambda v: dict.fromkeys(v, 0.0),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_of_r_is_caught(name: str) -> None:
    assert exit_code(rows(MUTANTS[name])) == 1


def test_a_value_that_r_has_not_is_no_difference_and_no_agreement() -> None:
    found = rows(lambda v: {**v, "z.Boston": float("nan")})
    (row,) = [a for a in found if a.code == "r-has-no-value"]
    assert exit_code(found, require_r=True) == 0
    assert row.quantity == "z.Boston" and row.r is None and row.digits is None
    assert "not given by R" in row.explanation


def test_r_without_any_value_does_not_pass_as_required_r() -> None:
    assert exit_code(rows(lambda v: {}), require_r=True) == 2


@pytest.mark.parametrize("lost", ["estimate.Boston", "se.Toronto", "worth.all.Detroit", "p.Cleveland"])
def test_a_lost_column_is_caught_printed_or_not(lost: str) -> None:
    found = rows(lambda v: {k: x for k, x in v.items() if k != lost})
    assert exit_code(found) == 1
    (missing,) = [a for a in found if not a.passes]
    assert (
        missing.quantity == lost and missing.verdict == "differs" and missing.explanation.startswith("lost: ")
    )


#: Printed numbers of Firth (2005) spoilt as pages are: each must fail.
MISPRINTS = [
    ('"1.1077"', '"1.1707"'),
    ('"0.3339"', '"0.3393"'),
    ('"2.061"', '"1.061"'),
    ('"2.34e-05"', '"2.34e-06"'),
    ('"4.09e-06"', '"5e-8"'),
    ('"15.737 on 15"', '"44.053 on 36"'),
    ('"15.737 on 15"', '"15.737 on 16"'),
    ('"87.324"', '"140.52"'),
    ('"49.699 on 21"', '"78.015 on 42"'),
    ('"0.000908"', '"0.00908"'),
    ('"1.2945"', '"1.2940"'),
    ('"1.2476"', '"12.476"'),
]


@pytest.mark.parametrize(("right", "wrong"), MISPRINTS)
def test_a_misprint_is_caught(right: str, wrong: str) -> None:
    text = claims_text(FIRTH)
    assert right in text
    agreements = check_paper(parse_claims(text.replace(right, wrong, 1)))
    assert exit_code(agreements) == 1
    assert {a.verdict for a in agreements if not a.passes} <= {"differs", "differs-conclusion"}


def test_the_right_print_of_each_passes() -> None:
    assert exit_code(check_paper(parse_claims(claims_text(FIRTH)))) == 0
