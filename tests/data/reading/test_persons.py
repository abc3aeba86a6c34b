"""A row of a wide table is a person, whose comparisons go together: nothing forgets that."""

from __future__ import annotations

import csv
import json
from typing import Any

import numpy as np
import pytest

import pairproof
from pairproof.cli import main
from pairproof.data.columns import Factor
from pairproof.errors import InputError, PairOrderError

HOW: dict[str, Any] = {"items": ["A", "B", "C"], "pair_order": "prefmod", "coding": "first=1,second=2"}


def wide(n: int = 60) -> dict[str, list[Any]]:
    """Persons who mostly prefer by the alphabet, or else by its reverse: their comparisons depend on each other."""
    rng = np.random.default_rng(25)
    turned = rng.random(n) < 0.3
    answers = np.where(rng.random((n, 3)) < 0.15, ~turned[:, None], turned[:, None]) + 1
    return {"AB": answers[:, 0].tolist(), "AC": answers[:, 1].tolist(), "BC": answers[:, 2].tolist()}


def test_a_row_is_a_person_and_the_fit_says_what_that_does_to_errors():
    table = pairproof.read(wide(), layout="prefmod", **HOW)
    person = table.columns["person"]
    assert isinstance(person, Factor) and person.levels == tuple(map(str, range(1, 61)))
    assert person.codes.tolist() == [k for k in range(60) for _ in range(3)]
    fit = pairproof.fit_llbt(table)
    said = " ".join(fit.summary().split())
    assert "by person (60 clusters, CR2)" in said and "--cluster person" in said
    one_each = pairproof.read({**wide(), "judge": [f"j{k}" for k in range(60)]}, layout="prefmod", **HOW)
    same = pairproof.fit_llbt(one_each).clustered("judge").bse
    # The clusters are the same in another order, in which scores are added up: observed 2e-16.
    np.testing.assert_allclose(fit.clustered("person").bse, same, rtol=1e-14)
    assert (same["A"] / fit.bse["A"]) > 1.1


@pytest.mark.parametrize("place", [0, 1, 3])
def test_the_users_own_column_of_persons_may_stand_anywhere(place):
    columns = list(wide().items())
    columns.insert(place, ("id", list(range(101, 161))))
    table = pairproof.read(dict(columns), layout="prefmod", columns={"person": "id"}, **HOW)
    person = table.columns["person"]
    assert isinstance(person, Factor) and person.levels[0] == "101" and table.own_names == {"person": "id"}
    by_id = pairproof.fit_llbt(table).clustered("id")
    assert by_id.robust is not None and by_id.robust.title == "CR2 by person (60 clusters)"
    answers = pairproof.read_respondents(dict(columns), "pairs", person="id", **HOW)
    assert answers.n_persons == 60 and set(answers.columns) == {"person"}
    # As above, with 50 times that for other machines' sums: observed 0.
    np.testing.assert_allclose(
        pairproof.fit_llbt(answers.to_comparisons()).clustered("id").bse, by_id.bse, rtol=1e-14
    )


def test_an_id_that_stands_first_and_was_not_named_is_told_from_a_pair():
    rows = {"id": list(range(101, 161)), **wide()}
    for read in (
        lambda: pairproof.read(rows, layout="prefmod", **HOW),
        lambda: pairproof.read_respondents(rows, "pairs", **HOW),
    ):
        with pytest.raises(
            PairOrderError, match=r"the first column, 'id', .* columns=\{'person': 'id'\} \(--col person=id"
        ):
            read()


def test_a_row_with_a_weight_is_not_one_person():
    table = pairproof.read({**wide(), "weight": [1] * 59 + [2]}, layout="prefmod", **HOW)
    assert "person" not in table.columns
    assert "person" in pairproof.read({**wide(), "weight": [1] * 60}, layout="prefmod", **HOW).columns


def test_whole_answers_cut_into_comparisons_keep_the_person_of_each():
    ranks = {"A": [1, 2, 1], "B": [2, 1, 3], "C": [3, 3, 2], "who": ["x", "y", "z"]}
    plain = pairproof.read_respondents(ranks, "ranks", items=["A", "B", "C"]).to_comparisons()
    assert isinstance(plain.columns["person"], Factor) and plain.columns["person"].levels == ("1", "2", "3")
    named = pairproof.read_respondents(ranks, "ranks", items=["A", "B", "C"], person="who")
    assert named.to_comparisons().columns["person"].levels == ("x", "y", "z")
    assert "person" not in named.merged().columns
    long = {"id": [7, 7, 9, 9], "beer": ["A", "B", "B", "A"], "place": [1, 2, 1, 2]}
    of_ids = pairproof.read_respondents(long, "long-ranks", person="id", item="beer", rank="place")
    assert of_ids.to_comparisons().columns["person"].levels == ("7", "9")
    assert of_ids.merged().n_rows == 2
    several = pairproof.Respondents.build("AB", "rankings", [[1, 2], [2, 1]], weights=[3, 1])
    assert "person" not in several.to_comparisons().columns


def test_a_tree_does_not_divide_persons_by_who_they_are():
    answers = {**wide(), "id": list(range(60)), "x": [1, 2, 3] * 20}
    table = pairproof.read_respondents(answers, "pairs", person="id", **HOW)
    assert pairproof.fit_tree(table).to_dict() == pairproof.fit_tree(table, ["x"]).to_dict()


def test_a_person_without_a_name_is_refused_where_errors_go_by_person():
    rows = {**wide(), "person": [""] + [f"p{k}" for k in range(59)]}
    fit = pairproof.fit_llbt(pairproof.read(rows, layout="prefmod", **HOW))
    with pytest.raises(InputError, match="3 of 180 rows have no person"):
        fit.clustered("person")


def test_the_command_clusters_by_person(capsys, tmp_path):
    rows = {"id": list(range(101, 161)), **wide()}
    with (tmp_path / "w.csv").open("w", newline="") as file:
        csv.writer(file).writerows([list(rows), *zip(*rows.values())])
    how = [
        "--layout",
        "prefmod",
        "--items",
        "A,B,C",
        "--pair-order",
        "prefmod",
        "--coding",
        "first=1,second=2",
    ]
    asked = ["fit", str(tmp_path / "w.csv"), *how, "--col", "person=id", "--cluster", "person", "--json"]
    assert main(asked) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["covariance"] == {"kind": "CR2", "clusters": ["person"], "n_clusters": [60]}


@pytest.mark.r("prefmod")
def test_management_schools_by_english_are_told_apart_only_where_answers_are_taken_as_independent():
    """Issue 25: SG:ENG[2] has p = .027, clustered by person .127."""
    cemspc = pairproof.bridge.package_data("prefmod", "cemspc")
    schools = ["LO", "PA", "MI", "SG", "BA", "ST"]
    coding = {"first": 0, "tie": 1, "second": 2, "missing": "NA"}
    table = pairproof.read(
        cemspc, layout="prefmod", items=schools, pair_order="prefmod", coding=coding, levels={"ENG": [1, 2]}
    )
    fit = pairproof.fit_llbt(table, by="ENG")
    assert round(fit.pvalues["SG:ENG[2]"], 3) == 0.027  # observed .026734
    assert round(fit.clustered("person").pvalues["SG:ENG[2]"], 3) == 0.127  # observed .126933
    assert "by person (303 clusters, CR2)" in " ".join(fit.summary().split())
