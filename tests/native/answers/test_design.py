"""The table of possible answers: prefmod's columns and counts, and the pattern model as a Poisson model of it."""

from __future__ import annotations

import numpy as np
import pytest

import pairproof
from pairproof.data.respondents import Respondents
from pairproof.errors import InputError, TooLargeError
from pairproof.native.answers.possible_answers import answer_design
from tests.native.answers.tables import ratings, salad, votes


def test_a_poisson_model_of_the_table_is_the_pattern_model() -> None:
    table = votes(items="ABC", gaps=0.0)
    fit = pairproof.fit_pattern(table, dependence=True, by="sex")
    design = answer_design(table, ["sex"], dependence=True)
    assert len(design) == 2 * 27 and design["y"].sum() == 200
    x = design[["A", "B"]].to_numpy(float)
    x = np.hstack([x, x * (design["sex"] == "f").to_numpy()[:, None]])
    ties = design.filter(like="tie:").sum(axis=1).to_numpy()[:, None]
    groups = np.stack([design["sex"] == "m", design["sex"] == "f"], axis=1)
    whole = np.hstack([groups, x, ties, design.filter(like="*").to_numpy()]).astype(float)
    order = ["A", "B", "A:sex[f]", "B:sex[f]", "tie", *design.filter(like="*").columns]
    eta = whole[:, 2:] @ fit.params[order].to_numpy()
    for g in (0, 1):
        eta = eta + groups[:, g] * (
            np.log(design["y"].to_numpy()[groups[:, g]].sum()) - np.log(np.exp(eta[groups[:, g]]).sum())
        )
    # The likelihood equations of the Poisson model hold at the pattern model's estimate; observed 6e-13.
    assert np.abs(whole.T @ (design["y"] - np.exp(eta))).max() < 1e-9


def test_every_answer_is_counted_once_whatever_its_kind() -> None:
    for table in (salad(), ratings(), Respondents.build("ABC", "rankings", ratings().ranks[:, 0])):
        design = answer_design(table)
        seen = pairproof.fit_pattern(table).patterns().set_index("answer")["observed"]
        counted = design[design["y"] > 0].set_index("answer")["y"]
        assert counted.to_dict() == seen.to_dict()


def test_what_was_left_out_is_refused_or_told() -> None:
    with pytest.raises(InputError, match="such row"):
        answer_design(votes())
    design = answer_design(votes(), incomplete="leave out")
    assert 0 < design.attrs["left_out"] < 200 and design["y"].sum() == 200 - design.attrs["left_out"]
    with pytest.raises(TooLargeError, match="14,348,907 possible answers"):
        answer_design(votes(items="ABCDEF", gaps=0.0))
    with pytest.raises(InputError, match="no covariate"):
        answer_design(salad(), ["sex"])
    with pytest.raises(InputError, match="answers at 2 times"):
        answer_design(ratings(times=2))


@pytest.mark.r("prefmod")
def test_the_columns_are_those_of_patt_design() -> None:
    from pairproof.bridge.packages.prefmod import patt_design
    from pairproof.bridge.values.convert import to_frame

    table = salad()
    ranks = np.repeat(table.answers[:, 0], table.weights.astype(int), axis=0)
    theirs = patt_design(
        {f"r{k}": ranks[:, k].astype(float) for k in range(4)}, 4, objnames=list("ABCD"), resptype="ranking",
        backend="live",
    )  # fmt: skip
    frame = theirs.value if hasattr(theirs, "value") else theirs
    r = frame if hasattr(frame, "columns") else to_frame(frame)
    mine = answer_design(table)

    def rows(f: object) -> list[tuple[float, ...]]:
        return sorted(map(tuple, f[["y", "A", "B", "C", "D"]].to_numpy(float).tolist()))  # type: ignore[index]  # a frame

    assert rows(mine) == rows(r)
