"""A quantity is a value: it knows its kind, group and name, and equals the text by which reports call it."""

from __future__ import annotations

import json
import pickle
import re
from copy import deepcopy

import pytest
from hypothesis import given, strategies as st

from pairproof import fit_llbt
from pairproof.data.reading import read
from pairproof.validation.claims.quantities import KINDS, Quantity, names, quantity
from pairproof.validation.verdicts.agreement import Agreement
from tests.places import TESTS

NAMES = st.text("ABc.:[]=19 \u00e9", min_size=1, max_size=8)


@given(st.sampled_from(KINDS), NAMES)
def test_parsing_the_text_of_a_quantity_gives_the_same_text_and_kind(kind: str, name: str) -> None:
    text = f"{kind}.{name}"
    q = Quantity.parse(text)
    assert str(q) == text and q == text and hash(q) == hash(text) and q.kind == kind
    assert q.place == name and q.of("se") == f"se.{name}"


@given(
    st.sampled_from(("worth", "worth_se", "contrast", "p_tie")), st.sampled_from(("all", "judge=3")), NAMES
)
def test_parts_put_together_come_apart_again(kind: str, group: str, name: str) -> None:
    q = Quantity(kind, group, name)
    again = Quantity.parse(str(q))
    assert (again.kind, again.group, again.name) == (kind, group, name) and again == q


def test_a_quantity_is_a_value_that_nobody_can_change_and_that_survives_copies_pickles_and_json() -> None:
    q = Quantity("worth_se", "judge=1", "C")
    with pytest.raises(AttributeError, match="a quantity is a value: name cannot be set"):
        q.name = "D"
    for other in (pickle.loads(pickle.dumps(q)), deepcopy(q)):
        assert other == q and (other.kind, other.group, other.name) == ("worth_se", "judge=1", "C")
    assert json.dumps({"quantity": q}) == '{"quantity": "worth_se.judge=1.C"}'


@pytest.mark.parametrize(
    "text", ["statement", "fit", "deviance", "worth.all", "arithmetic.z.A", "irt-gaussian.x.y", ""]
)
def test_rows_that_are_of_no_number_of_a_fit_keep_their_names(text: str) -> None:
    row = Agreement("p", "c", text, None, None, None, None, None, None, None, "agrees")  # type: ignore[arg-type]
    assert row.quantity == text and isinstance(row.quantity, Quantity) and row.to_dict()["quantity"] == text


def test_the_names_of_a_fit_are_quantities_with_the_fit_s_own_groups_though_these_hold_dots() -> None:
    table = read(
        {
            "first": ["A.B", "A.B", "C"] * 2,
            "second": ["C", "D", "D"] * 2,
            "wins": [3, 4, 2, 5, 3, 4],
            "losses": [2, 2, 3, 1, 4, 2],
            "age": [1.5, 1.5, 1.5, 2.5, 2.5, 2.5],
        }
    )
    fit = fit_llbt(table, by="C(age)")
    found = [q for q in names(fit) if q.kind == "worth"]
    assert {q.group for q in found} == set(fit.groups) and {q.name for q in found} == set(fit.items)
    assert all("." in q.group for q in found)
    for q in found:  # a name with dots in it is looked up whole, wherever its text was split
        assert quantity(fit, str(q)) == quantity(fit, q) > 0


def test_names_of_quantities_are_taken_apart_in_one_place_only() -> None:
    apart = re.compile(
        r"quantity\.(?:partition|split|startswith|removeprefix)\(|quantity\[\d"
        r"|\.explanation\.(?:partition|split|startswith)|in \w+\.explanation\b"
    )
    rooms = TESTS.parent / "pairproof"
    found = [
        f"{file.relative_to(rooms)}: {line.strip()}"
        for file in sorted(rooms.rglob("*.py"))
        if file.name != "quantities.py"
        for line in file.read_text(encoding="utf-8").splitlines()
        if apart.search(line)
    ]
    assert not found, "\n".join(found)
