"""Each reproducible defect gives prefmod's number, and differs from the number without it."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from pairproof.bridge import Backend
from pairproof.native.prefmod_defects.defect_catalogue import defects
from tests.native.prefmod_defects.defect_rows import cases, certified, compat_rows
from tests.native.prefmod_defects.llbt_cases import Case
from tools.pages.snippets import records

#: Without a case of its own: N3 is in that of N2.
TOGETHER = {"N3-four-decimals"}


def test_every_reproducible_defect_has_a_case() -> None:
    assert {d.name for d in defects(reproducible=True)} - TOGETHER == {c.defect for c in cases()}


@pytest.mark.nightly
@pytest.mark.r("prefmod", "gnm")
def test_every_reproduced_number_is_prefmods() -> None:
    # Observed: patt*.fit 3.0e-6 at most, where nlm stops; gnm 1.7e-8, a deviance 7e-10; EM 4.4e-7; z of
    # llbt.fit 3e-4.
    rows = compat_rows(backend="live")
    assert len(rows) == 112
    assert [f"{r.defect} {r.quantity}: {r.prefmod} {r.reproduced}" for r in rows if not r.agrees] == []


def test_every_reproduced_number_is_prefmods_recorded_one() -> None:
    rows = compat_rows(backend=Backend("recorded", records=records()))
    assert len(rows) == 112 and all(r.agrees for r in rows)


@pytest.mark.parametrize("case", cases(), ids=lambda c: f"{c.defect} {c.call[:30]}")
def test_a_defect_changes_a_number(case: Case) -> None:
    if case.defect == "A2-persons-without-covariate":
        return  # leaving them out is what a user of pairproof does by hand
    found = zip(case.reproduced(), case.right())
    # The least of all: N1, 1.2e-7.
    assert any(math.isnan(a) != math.isnan(b) or abs(a - b) > 1e-7 for a, b in found)


def test_the_right_numbers_are_those_of_fifty_digits() -> None:
    # Observed: 4.6e-15 at most (a deviance), else 4.3e-16.
    held = 0
    for case in cases():
        right = dict(zip(case.quantities, case.right()))
        for quantity, text in certified().get((case.defect, case.call), {}).items():
            assert len(text.lstrip("-").replace(".", "").lstrip("0")) >= 40 or float(text).is_integer()
            gap = abs(Decimal(right[quantity]) - Decimal(text))
            assert gap <= Decimal("1e-13") * max(abs(Decimal(text)), 1), (case.defect, quantity)
            held += 1
    assert held == 43


def test_the_fifty_digits_are_made_again() -> None:
    pytest.importorskip("mpmath", reason="makes the 50 digits")
    from mpmath import mp

    from tests.native.prefmod_defects.certify import DIGITS, of_case

    (case,) = cases("B21")
    made = {q: mp.nstr(v, DIGITS) for q, v in of_case(case).items()}
    assert made == certified()[case.defect, case.call]
