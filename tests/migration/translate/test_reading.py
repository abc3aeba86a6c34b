"""Arguments of R are read as they are declared; what cannot be translated goes to R, or is left out, and says why."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from pairproof.bridge.capture.recorded import RecordedCall
from pairproof.errors import InputError
from pairproof.migration.translate import translation
from pairproof.migration.translate.python_code import Call
from pairproof.migration.translate.recorded_answers import Declared, StaysInR, options_of
from pairproof.migration.translate.rows import Beside
from pairproof.migration.translate.translation import Context, Translation, in_r, translates
from tests.migration.made import a_call, a_run
from tests.migration.translate.prefmod.made import numbers, texts, truths

MADE = "made::fit"
DECLARED: Declared = {
    "epsilon": (float, 1e-7),
    "max.it": (int, 500),
    "ia": (bool, False),
    "method": (str, "BFGS"),
}


def test_options_are_what_was_given_and_is_not_the_default_in_the_order_of_their_declaration():
    given = {"method": texts("IS"), "ia": truths(True), "max.it": numbers([20.0]), "epsilon": numbers([1e-7])}
    found = options_of(DECLARED, given.get)
    assert list(found.items()) == [("max_it", 20), ("ia", True), ("method", "IS")]


@pytest.mark.parametrize("value", [numbers([None]), numbers([1.0, 2.0]), texts("a"), None])
def test_what_is_no_number_is_no_option(value):
    assert options_of({"epsilon": (float, None), "ia": (bool, None)}, lambda name: value) == {}


@pytest.fixture
def registered() -> Iterator[Callable[..., Translation]]:
    """Translates a call of a function whose translator raises this, and whose way to R may, too."""

    def translated(raised: Exception, way: Exception | None = None) -> Translation:
        @translates(MADE)
        def of(call: RecordedCall, context: Context) -> Translation:
            raise raised

        @in_r(MADE)
        def to_r(call: RecordedCall, context: Context, why: str) -> Translation:
            if way is not None:
                raise way
            return Translation("bridge", Call("pairproof.bridge.made"), why)

        call = a_call(function=MADE)
        return of(call, Context(a_run([call])))

    yield translated
    translation.TRANSLATORS.pop(MADE)
    translation.IN_R.pop(MADE)


@pytest.mark.parametrize(
    ("raised", "why"),
    [
        (StaysInR("its link is foreign"), "its link is foreign"),
        (InputError("two items have one name"), "two items have one name"),
        (KeyError("o3"), "its translation failed (KeyError: 'o3'), a defect of pairproof"),
    ],
)
def test_what_is_not_translated_goes_to_r_with_the_reason(registered, raised, why):
    found = registered(raised)
    assert (found.route, found.reason) == ("bridge", why)


@pytest.mark.parametrize(
    ("way", "why"),
    [
        (StaysInR("a"), "a"),
        (StaysInR("its data were lost"), "a; through the bridge: its data were lost"),
        (KeyError("x"), "a; through the bridge: KeyError: 'x', a defect of pairproof"),
    ],
)
def test_what_cannot_go_to_r_either_is_left_out_with_both_reasons(registered, way, why):
    found = registered(StaysInR("a"), way)
    assert (found.route, found.reason) == ("outside", why)


def test_numbers_of_an_array_stand_where_they_are_and_a_number_too_many_is_a_difference():
    beside = Beside(a_call())
    rows = beside.listed("mass", np.array([0.25, 0.75]), [0.25, 0.5], "masses")
    assert [(str(a.quantity), a.verdict, a.place) for a in rows] == [
        ("mass.1", "agrees", "masses / 0"),
        ("mass.2", "differs", "masses / 1"),
    ]
    (row,) = beside.listed("mass", [0.25], [0.25, 0.75], "masses")
    assert row.verdict == "differs" and row.r == 2.0
