"""The defects of prefmod as data: each has a name, says what it does, and can be chosen or says why not."""

from __future__ import annotations

import pytest

from pairproof.errors import InputError
from pairproof.native.prefmod_defects.defect_catalogue import choose, defect, defects


def test_every_defect_of_the_specification_has_a_name() -> None:
    ids = [d.id for d in defects()]
    assert [f"B{k}" for k in range(1, 26)] == list(dict.fromkeys(i for i in ids if i[0] == "B"))
    assert [i for i in ids if i[0] == "A"] == [f"A{k}" for k in range(1, 19)]
    assert len({d.name for d in defects()}) == len(defects()) == 48


@pytest.mark.parametrize("found", defects(), ids=lambda d: d.name)
def test_a_defect_says_what_prefmod_does_what_is_right_and_what_to_do(found: object) -> None:
    from pairproof.native.prefmod_defects.defect_catalogue import Defect

    assert isinstance(found, Defect)
    assert (
        found.does.endswith(".") and found.right.endswith(".") and found.how.rstrip(")").endswith((".", ")"))
    )
    text = str(found)
    assert ("\nnot reproduced: " in text) == (found.acts_on == "no number")
    assert found.functions and found.option == f"prefmod:{found.name}"


def test_an_identifier_is_enough_where_one_defect_has_it() -> None:
    assert defect("B21") is defect("prefmod:B21-worths-of-groups-of-items")
    with pytest.raises(InputError, match="B7 is the identifier of B7-sum-contrasts-.* and B7-one-column"):
        defect("B7")
    with pytest.raises(InputError, match="did you mean 'B1-ties-as-losses'"):
        defect("B1-ties-as-loses")


def test_what_has_no_number_is_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match="B14-exact-fit-stops is not reproducible: R stops"):
        choose("prefmod:B14", "llbt.fit")
    with pytest.raises(
        InputError, match="B18-observed-range is a defect of pattL.fit, pattLrep.fit, not of pattPC"
    ):
        choose("prefmod:B18", "pattPC.fit")
    for wrong in ([1], 5, None):
        with pytest.raises(InputError, match="names such as 'prefmod:B1-ties-as-losses'"):
            choose(wrong, "pattPC.fit")  # type: ignore[arg-type]  # the point of the test


def test_prefmod_alone_means_what_a_call_shows_and_nothing_that_it_cannot_show() -> None:
    chosen = choose("prefmod", "pattPC.fit")
    assert chosen.has("B1-ties-as-losses") and chosen.has("B12-gap-in-the-levels")
    assert not chosen.has("B24-columns-in-another-order")  # no data show which order the columns had
    assert not chosen.has("B13-any-column-missing")  # a defect of llbtPC.fit
    assert not choose("", "pattPC.fit").has("B1-ties-as-losses")
