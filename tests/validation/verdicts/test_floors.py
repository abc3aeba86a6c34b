"""Every floor has a reason and an observed value beside it."""

from __future__ import annotations

import pytest

from pairproof.errors import InputError
from pairproof.validation.claims.quantities import KINDS
from pairproof.validation.verdicts.agreement import Agreement
from pairproof.validation.verdicts.digits import Floor, floor, read_floors, shipped
from tests.validation.verdicts.observed import observed, update_observed

#: A floor that lies further below what was observed says so in its reason.
MOST_SLACK = 2.0


@pytest.mark.parametrize("f", shipped(), ids=lambda f: f"{f.quantity} {f.r_call}")
def test_a_floor_lies_at_or_below_what_was_observed(f: Floor) -> None:
    assert f.digits <= f.observed


@pytest.mark.parametrize("f", shipped(), ids=lambda f: f"{f.quantity} {f.r_call}")
def test_a_floor_far_below_what_was_observed_says_why(f: Floor) -> None:
    slack = f.observed - f.digits
    assert (
        slack <= MOST_SLACK or "slack" in f.why
    ), f"{slack:.1f} digits of slack: raise the floor, or say in why what the slack is for"


def test_every_named_r_call_has_floors_for_the_same_kinds_as_any_other_or_fewer() -> None:
    any_call = {f.quantity for f in shipped() if f.r_call == "*"}
    assert {"estimate", "se", "deviance", "df_resid", "llf", "worth"} <= any_call <= set(KINDS)
    assert {f.quantity for f in shipped() if not f.r_call.startswith(("*", "certified"))} <= any_call


def test_the_floors_hold_what_the_dras_models_are_to_agree_in() -> None:
    """Estimates 9, deviance 11, standard errors 9 digits with R; 13 digits with certified values."""
    digits = {(f.quantity, f.r_call): f.digits for f in shipped()}
    assert digits["estimate", "*"] >= 9 and digits["deviance", "*"] >= 11 and digits["se", "*"] >= 9
    assert digits["estimate", "certified"] >= 13 and digits["se", "certified"] >= 13


FLOORS = (
    Floor("se", "*", 9, 9.5, "because of this and that"),
    Floor("se", "prefmod::llbtPC.fit", 4.5, 4.9, "because of that and this"),
    Floor("se", "glm", 7, 7.6, "because of it all"),
)


@pytest.mark.parametrize(
    ("call", "digits"),
    [
        ("gnm::gnm", 9),
        ("prefmod::llbtPC.fit", 4.5),
        ("prefmod::llbtPC.fit(obj.names = ...)", 4.5),
        ("stats::glm, refitted", 7),
        ("BradleyTerry2::BTm", 9),
        ("pkg::myglm", 9),
        ("pkg::glm.nb", 9),
    ],
)
def test_the_floor_of_the_longest_name_in_the_call_wins(call: str, digits: float) -> None:
    assert floor("se.A", call, FLOORS).digits == digits


def test_a_quantity_without_a_floor_is_an_error_and_no_pass() -> None:
    with pytest.raises(InputError, match="no floor for 'worth'"):
        floor("worth.all.A", "gnm::gnm", FLOORS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[floor]]\nquantity = "se"\n', "keys"),
        (
            '[[floor]]\nquantity = "sd"\nr_call = "*"\ndigits = 9\nobserved = 9\nwhy = "a reason in words"\n',
            "quantity 'sd'",
        ),
        (
            (
                '[[floor]]\nquantity = "se"\nr_call = "*"\ndigits = 19\nobserved = 9\nwhy = "a reason in'
                ' words"\n'
            ),
            "0..16",
        ),
        ('[[floor]]\nquantity = "se"\nr_call = "*"\ndigits = 9\nobserved = 9\nwhy = "so"\n', "not a reason"),
        (
            '[[floor]]\nquantity = "se"\nr_call = "*"\ndigits = 9\nobserved = 9\nwhy = "a reason in words"\n'
            * 2,
            "already",
        ),
    ],
)
def test_a_floor_without_its_parts_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_floors(text)


def row(quantity: str, call: str, digits: float) -> Agreement:
    return Agreement("p", "c", quantity, None, 1.0, 1.0, call, "live", None, digits, "agrees", floor=9.0)


def test_a_run_shows_the_minimum_of_each_floor() -> None:
    seen = observed(
        [row("se.A", "gnm::gnm", 12.3), row("se.B", "gnm::gnm", 10.7), row("se.A", "stats::glm", 8.0)], FLOORS
    )
    assert {(o.floor.r_call, o.digits, o.quantity) for o in seen} == {
        ("*", 10.7, "se.B"),
        ("glm", 8.0, "se.A"),
    }


def test_the_updated_file_is_read_again_with_the_observed_values() -> None:
    text = update_observed([row("se.A", "gnm::gnm", 12.37)], FLOORS)
    again = {f.r_call: f for f in read_floors(text)}
    assert again["*"].observed == 12.3 and again["*"].digits == 9  # rounded down: never a digit too many
    assert again["prefmod::llbtPC.fit"].observed == 4.9
    assert "not used in this run" in text
