"""The guide from R: every number that R prints in it is printed by pairproof's call under it."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from pairproof.bridge import Backend, using
from tools.pages.from_r import BLOCKS, CALLS, printed
from tools.pages.pages import BLOCK, read
from tools.pages.snippets import fences, records

PAGE = "docs/from-r-examples.md"
NUMBER = re.compile(r"(?<![\w.\"])-?\d+\.\d+(?:e[-+]?\d+)?(?![\w.])")
#: glm's standard errors, and what is computed with them, have six digits; all else is as near as the coarser
#: print allows.
STANDARD_ERRORS = Decimal("5e-6")
#: What R prints that has no counterpart by design: its AIC has the binomial constants; counts written
#: 36.00000.
WITHOUT = {"btm": {"140.51860"}}


def numbers(text: str) -> list[str]:
    return NUMBER.findall(text)


def matches(r: str, here: str) -> bool:
    """Whether two printed numbers may be the same one: apart by half a place of the coarser print, and R's
    own error.
    """
    a, b = Decimal(r), Decimal(here)
    place = max(Decimal(1).scaleb(x.as_tuple().exponent) for x in (a, b))
    return abs(a - b) <= place / 2 + place / 1000 + STANDARD_ERRORS * abs(a)


def lacking(r: list[str], here: list[str]) -> list[str]:
    return [x for x in r if not any(matches(x, y) for y in here)]


def sections() -> dict[str, tuple[str, str]]:
    """Call -> what R prints, and what pairproof's blocks print until the next call of R's."""
    page = read(PAGE)
    places = [(m["name"].removeprefix("from-r-"), m.start(), m.end()) for m in BLOCK.finditer(page)]
    found = {}
    for k, (name, start, end) in enumerate(places):
        stop = places[k + 1][1] if k + 1 < len(places) else len(page)
        r = [f.body for f in fences(page[start:end]) if f.language == "text"]
        after = fences(page[end:stop])
        ours = [
            f.body
            for before, f in zip(after, after[1:])
            if before.language == "python" and f.language == "text"
        ]
        found[name] = "".join(r), "".join(ours)
    return found


def test_every_call_of_r_stands_in_the_guide_with_one_of_pairproof_under_it() -> None:
    found = sections()
    assert list(found) == list(CALLS) and {f"from-r-{name}" for name in found} == set(BLOCKS)
    assert [name for name, (_, ours) in found.items() if not ours.strip()] == []


@pytest.mark.parametrize("name", CALLS)
def test_every_number_of_rs_is_one_of_pairproofs(name: str) -> None:
    r, ours = sections()[name]
    wanted = [n for n in numbers(r) if n not in WITHOUT.get(name, ()) and Decimal(n) % 1 != 0]
    # Whole numbers, degrees of freedom among them, are written without decimals here.
    whole = [n for n in numbers(r) if Decimal(n) % 1 == 0 and Decimal(n) != 0]
    assert [n for n in whole if not re.search(rf"(?<![\d.]){int(Decimal(n))}(?![\d.])", ours)] == []
    assert lacking(wanted, numbers(ours)) == []
    if name != "counts":
        assert wanted
        # The comparison sees a change in the fourth digit.
        changed = [str(Decimal(n) * Decimal("1.0007")) for n in wanted if abs(Decimal(n)) > Decimal("0.01")]
        assert lacking(changed, numbers(ours))


@pytest.mark.r("BradleyTerry2", "prefmod", "qvcalc", "brglm")
@pytest.mark.parametrize("name", ["btm", "subjects"])
def test_r_asked_again_prints_what_the_guide_shows(name: str) -> None:
    with using(Backend("live", records=records())):
        assert printed(name) == sections()[name][0]
