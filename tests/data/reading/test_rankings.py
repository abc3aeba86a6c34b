"""Pairs made from rankings are remembered as such, and a fit that takes them as independent says what that
costs.
"""

from __future__ import annotations

import json
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import pairproof
from pairproof.cli import main
from pairproof.data.comparisons import Comparisons
from pairproof.data.judgments import one_row_each, only_compared, split_tracks
from pairproof.errors import PairproofWarning, RankingWarning
from pairproof.native.experiment.models import fit_preference_model

#: Rows are rankings; ranks of A, B, C, D.
RANKS = [(1, 2, 3, 4), (2, 1, 3, 4), (4, 1, 2, 3), (3, 4, 1, 2), (1, 3, 2, 4)]


def wide(rows: list[tuple[Any, ...]] = RANKS) -> dict[str, list[Any]]:
    k = len(rows[0])
    return {
        **{f"system{i + 1}": ["ABCD"[i]] * len(rows) for i in range(k)},
        **{f"rank{i + 1}": [r[i] for r in rows] for i in range(k)},
    }


def rows_of_systems() -> dict[str, list[Any]]:
    return {
        "ranking": [r for r in range(len(RANKS)) for _ in "ABCD"],
        "system": list("ABCD") * len(RANKS),
        "rank": [x for r in RANKS for x in r],
    }


@pytest.mark.parametrize("data", [wide(), rows_of_systems()])
def test_a_table_of_rankings_remembers_the_longest_of_them(data: dict[str, list[Any]]) -> None:
    table = pairproof.read(data)
    assert table.ranked_together == 4 and "pairs of rankings of up to 4" in repr(table)


def test_the_memory_counts_what_is_ranked_and_not_what_is_listed() -> None:
    assert pairproof.read(wide([(1, 2, -1, -1), (1, 3, 2, -1)])).ranked_together == 3
    assert pairproof.read(wide([(1, 2, -1, -1), (-1, -1, 2, 1)])).ranked_together == 2


def test_the_memory_survives_every_table_made_from_the_table() -> None:
    table = pairproof.read({**wide(), "track": ["x", "x", "y", "y", "y"]})
    made = [
        table.select(np.arange(table.n_rows) < 7),
        table.without_ties(),
        table.ties_as_half_wins(),
        table.with_items("DCBA"),
        pickle.loads(pickle.dumps(table)),
        one_row_each(pairproof.read({**wide(), "weight": [2, 1, 1, 1, 1]})),
        only_compared(table.select([0, 1]), "other"),
        *split_tracks(table, ["track"]).values(),
    ]
    assert [t.ranked_together for t in made] == [4] * len(made)
    assert table.as_independent().ranked_together == 0 and table.as_independent().digest() == table.digest()


@pytest.mark.parametrize("fit", [pairproof.fit_llbt, pairproof.fit_bradley_terry])
def test_a_fit_of_rankings_warns_with_the_factor_and_names_the_models_for_them(fit: Any) -> None:
    with pytest.warns(
        RankingWarning, match=r"rankings of up to 4 items.*factor of 1\.29.*pattR\.fit and PlackettLuce"
    ) as caught:
        fitted = fit(pairproof.read(wide()))
    assert len(caught) == 1 and caught[0].filename == __file__  # it points at the caller
    (said,) = map(str, fitted.warnings)
    assert [w.kind for w in fitted.warnings] == ["rankings-as-pairs"]
    assert said == str(caught[0].message) and said in fitted.to_dict()["warnings"]
    assert said in " ".join(fitted.summary().split()) and "1.29" in fitted._repr_html_()


def test_no_warning_where_the_pairs_are_independent_or_are_to_be_taken_so() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", PairproofWarning)
        two = pairproof.fit_llbt(pairproof.read(wide([(1, 2), (2, 1), (1, 2)])))
        told = pairproof.fit_llbt(pairproof.read(wide()).as_independent())
    assert two.warnings == told.warnings == ()
    with pytest.warns(RankingWarning):
        assert pairproof.fit_llbt(pairproof.read(wide())).params.equals(told.params)


def test_tests_on_pairs_of_rankings_carry_a_caution() -> None:
    table = pairproof.read({**wide(RANKS * 8), "judge": ["x", "y", "x", "y", "x"] * 8})
    with pytest.warns(RankingWarning):
        larger, smaller = pairproof.fit_llbt(table, by="judge"), pairproof.fit_llbt(table)
    assert "pairs of a ranking are not independent" in larger.compare(smaller).caution
    assert "pairs of a ranking are not independent" in smaller.goodness_of_fit().caution
    plain = table.as_independent()
    assert (
        "ranking"
        not in pairproof.fit_llbt(plain, by="judge").compare(pairproof.fit_llbt(plain)).caution
        + pairproof.fit_llbt(plain).goodness_of_fit().caution
    )


def test_the_models_whose_papers_use_these_pairs_do_not_warn_with_every_fit() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", PairproofWarning)
        fitted = fit_preference_model(pairproof.read(wide(RANKS * 4)), "bradley-terry")
    assert fitted is not None


def test_the_command_line_says_it_in_the_summary_and_in_the_json(
    tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rankings.csv"
    data = wide()
    path.write_text(
        "\n".join([",".join(data), *(",".join(map(str, row)) for row in zip(*data.values()))]) + "\n"
    )
    assert main(["fit", str(path)]) == 0
    assert "fitted as independent" in " ".join(capsys.readouterr().out.split())
    assert main(["fit", str(path), "--json"]) == 0
    assert "pattR.fit" in json.loads(capsys.readouterr().out)["warnings"][0]


@pytest.mark.r("prefmod")
def test_salad_as_pairs_is_not_the_model_for_rankings() -> None:
    salad = pairproof.bridge.package_data("prefmod", "salad")
    table = pairproof.read(wide([tuple(row) for row in salad.to_numpy().tolist()]))
    with pytest.warns(RankingWarning):
        fit = pairproof.fit_llbt(table)
    # pattR.fit gives -.277, the independent pairs this.
    assert fit.params["A"] == pytest.approx(-0.4135, abs=5e-5)  # four decimals are known
    assert isinstance(table, Comparisons)
