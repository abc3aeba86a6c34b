"""Whole answers cut into comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import pairproof
from pairproof.data.columns import Factor
from pairproof.data.respondents import Respondents
from pairproof.errors import InputError, RankingWarning
from tests.data.respondents.tables import salad, tables


def test_salad_in_pairs_has_the_counts_of_the_rankings_layout() -> None:
    table = salad()
    columns = {f"system{k + 1}": [name] * 12 for k, name in enumerate("ABCD")}
    ranks = {f"rank{k + 1}": table.once[:, k] for k in range(4)}
    read = pairproof.read({**columns, **ranks, "weight": table.weights})
    found = table.to_comparisons()
    assert found.digest() == read.digest()
    assert found.ranked_together == read.ranked_together == 4


def test_a_pairwise_model_of_rankings_warns_and_one_of_comparisons_does_not() -> None:
    with pytest.warns(RankingWarning, match="too small, by a factor of 1.29 for 4 items"):
        fit = pairproof.fit_llbt(salad().to_comparisons())
    # Log-odds of B, C and D against A from R's glm of the pairs, printed with 12 decimals; observed 4.6e-13.
    lam = np.array([fit.params[name] for name in "ABC"] + [0.0])
    glm = [2.641785941085, 1.438723326552, 0.827094437465]
    assert 2 * (lam[1:] - lam[0]) == pytest.approx(glm, abs=1e-12)
    own = Respondents.build("ABC", "comparisons", [[1, 1, -1], [-1, 1, 1], [1, -1, 1]], tie_category=False)
    pairproof.fit_llbt(own.to_comparisons())


def test_items_below_are_beaten_by_those_with_a_rank_and_absent_ones_are_not_compared() -> None:
    table = Respondents.build("ABCD", "rankings", [[1, 0, 0, -1]])
    assert table.to_comparisons().sentences() == ["A beat B 1, lost 0", "A beat C 1, lost 0"]
    assert table.to_comparisons().ranked_together == 3


@settings(deadline=None)  # other work on the machine is no failure
@given(tables())
def test_there_are_as_many_comparisons_as_were_answered(table: Respondents) -> None:
    found = table.to_comparisons()
    assert found.n_comparisons == table.weights @ table.answered
    assert found.tie_category == table.tie_category
    single = (table.weights[table.weights > 0] == 1).all()
    assert set(found.columns) == (
        {"sex", "age"} | ({"time"} if table.n_times > 1 else set()) | ({"person"} if single else set())
    )


def test_rows_become_judges_where_each_is_one_person() -> None:
    table = Respondents.build("AB", "ratings", [[1, 2], [2, 2]], scale=[1, 2])
    judges = table.to_comparisons(judge=True).columns["judge"]
    assert isinstance(judges, Factor) and judges.levels == ("1", "2")


def test_a_row_of_several_persons_becomes_as_many_judges() -> None:
    judges = salad().to_comparisons(judge=True).columns["judge"]
    assert isinstance(judges, Factor) and len(judges.levels) == 32
    assert judges.levels[:6] == ("1.1", "1.2", "2", "3.1", "3.2", "4")
    broken = Respondents.build("AB", "rankings", [[1, 2], [2, 1]], weights=[1, 1.5], source="t")
    with pytest.raises(
        InputError, match="t, row 2: the weight is 1.5, which is not a whole number of persons"
    ):
        broken.to_comparisons(judge=True)


def test_errors_by_person_of_the_pairs_of_salad_are_those_of_the_sandwich() -> None:
    with pytest.warns(RankingWarning):
        naive = pairproof.fit_bradley_terry(salad().to_comparisons(judge=True))
    # R's glm of the pairs, and its HC0 sandwich by person without correction, printed with 12 decimals:
    # half a unit of the last; observed 5e-13.
    assert naive.bse[1:].to_numpy() == pytest.approx(
        [0.373153459970, 0.315420437641, 0.300869551184], abs=1e-12
    )
    by_person = naive.clustered("judge", kind="CR0")
    assert by_person.bse[1:].to_numpy() == pytest.approx(
        [0.521521582085, 0.424375112924, 0.399466081672], abs=1e-12
    )
    whole = pairproof.fit_plackett_luce(salad()).bse[1:].to_numpy()
    # The specification prints 12 digits; observed 4e-13.
    assert whole == pytest.approx([0.448072565904, 0.396473955089, 0.377062018080], abs=1e-12)
