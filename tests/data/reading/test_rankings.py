"""Pairs made from rankings are remembered as such, and a fit that takes them as independent says what that
costs.
"""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pairproof
from pairproof.cli import main
from pairproof.data.comparisons import Comparisons
from pairproof.data.judgments import one_row_each, split_tracks
from pairproof.errors import DataWarning, InputError, PairproofWarning, RankingWarning
from pairproof.native.competitions.experiment.preference_models import fit_preference_model

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
        table.select([0, 1]).only_compared("other"),
        *split_tracks(table, ["track"]).values(),
    ]
    assert [t.ranked_together for t in made] == [4] * len(made)
    assert table.as_independent().ranked_together == 0 and table.as_independent().digest() == table.digest()


@pytest.mark.parametrize("fit", [pairproof.fit_llbt, pairproof.fit_bradley_terry])
def test_a_fit_of_rankings_warns_with_the_factor_and_names_the_models_for_them(fit: Any) -> None:
    with pytest.warns(
        RankingWarning, match=r"rankings of up to 4 items.*factor of 1\.29.*fit_plackett_luce.*fit_pattern"
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
    assert (
        "pairproof fit-answers FILE --layout rankings" in json.loads(capsys.readouterr().out)["warnings"][0]
    )


@pytest.mark.r("prefmod")
def test_salad_as_pairs_is_not_the_model_for_rankings() -> None:
    salad = pairproof.bridge.package_data("prefmod", "salad")
    table = pairproof.read(wide([tuple(row) for row in salad.to_numpy().tolist()]))
    with pytest.warns(RankingWarning):
        fit = pairproof.fit_llbt(table)
    # pattR.fit gives -.277, the independent pairs this.
    assert fit.params["A"] == pytest.approx(-0.4135, abs=5e-5)  # four decimals are known
    assert isinstance(table, Comparisons)


def test_a_table_read_as_rankings_stands_for_the_comparisons_that_it_is_cut_into() -> None:
    for data in (wide(), rows_of_systems(), {**wide([(1, 2, -1, -1), (1, 1, 2, -1)]), "judge": ["x", "y"]}):
        table = pairproof.read_respondents(data, layout="rankings", unranked="absent")
        assert table.to_comparisons().digest() == pairproof.read(data).digest()


def test_the_advice_of_the_warning_works_as_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "r.csv"
    columns = wide()
    rows = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values()))]
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    with pytest.warns(RankingWarning) as caught:
        pairproof.fit_llbt(pairproof.read(file))
    said = str(caught[0].message)
    for call in (
        "pairproof.read_respondents(FILE, layout='rankings')", "pairproof.fit_plackett_luce(table)",
        "pairproof.fit_pattern(table)", "table.to_comparisons(judge=True)", "fit.clustered('judge')",
        "pairproof fit-answers FILE --layout rankings",
    ):  # fmt: skip
        assert call in said
    names: dict[str, Any] = {"pairproof": pairproof, "FILE": file}
    names["table"] = eval("pairproof.read_respondents(FILE, layout='rankings')", names)
    assert eval("pairproof.fit_plackett_luce(table)", names).n_persons == 5
    assert eval("pairproof.fit_pattern(table)", names).n_persons == 5
    with pytest.warns(RankingWarning):
        names["fit"] = eval("pairproof.fit_llbt(table.to_comparisons(judge=True))", names)
    assert eval("fit.clustered('judge')", names).robust.n_clusters == (5,)
    assert main(["fit-answers", str(file), "--layout", "rankings", "--model", "plackett-luce"]) == 0
    assert "Plackett-Luce model of rankings" in capsys.readouterr().out


def test_where_judges_are_named_the_warning_clusters_by_them() -> None:
    with pytest.warns(RankingWarning, match=r"fit\.clustered\('judge'\), or --cluster judge"):
        fit = pairproof.fit_llbt(pairproof.read({**wide(), "judge": list("vwxyz")}))
    assert fit.clustered("judge").robust is not None


@pytest.mark.parametrize(("data", "said"), [
    (wide([(1, 2, -1, 3), (1, 2, 3, -1)]), r"row 1, column 'rank3': 'C' is named but has no rank \(2 such places\); specify"),
    ({"A": [1], "B": [2]}, "layout='rankings' needs system1, rank1"),
])  # fmt: skip
def test_rankings_that_do_not_say_what_they_mean_are_refused(data: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        pairproof.read_respondents(data, layout="rankings")


def test_a_row_that_names_nobody_is_a_person_who_ranked_nothing() -> None:
    columns = wide()
    for name in columns:
        columns[name][2] = None
    table = pairproof.read_respondents({**columns, "sex": list("mmfmf")}, layout="rankings")
    assert table.n_persons == 5 and pairproof.fit_pattern(table).n_persons == 4


def test_one_table_of_rankings_and_covariates_keeps_each_with_its_ranking() -> None:
    table = pairproof.read_respondents(
        {
            "ranking": [7, 7, 3, 3],
            "system": list("ABBA"),
            "rank": [1, 2, 1, 2],
            "sex": list("ffmm"),
            "weight": [2, 2, 1, 1],
        },
        layout="rankings",
    )
    assert table.weights.tolist() == [2, 1] and table.sentences() == ["2  A > B", "1  B > A"]
    sex = table.columns["sex"]
    assert [sex.levels[k] for k in sex.codes] == ["f", "m"]


WMT = "judgeId,srcIndex,system1Id,system2Id,system3Id,system1rank,system2rank,system3rank\n"


def test_a_few_ranks_outside_those_of_the_systems_are_told_and_ranks_left_out_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wmt.csv"
    rows = [f"j{k % 3},{k},A,B,C,{k % 3 + 1},{(k + 1) % 3 + 1},{(k + 2) % 3 + 1}\n" for k in range(12)]
    file.write_text(WMT + "".join(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("error", DataWarning)
        assert pairproof.read(file).read_as == ()
    odd = [*rows, "j1,50,A,B,C,7,1,2\n", "j1,51,A,B,C,1,0,2\n"]
    file.write_text(WMT + "".join(odd))
    with pytest.warns(DataWarning) as told:
        pairproof.read(file)
    high, zero = (str(each.message) for each in told)
    assert (
        "row 13 (line 14), column 'system1rank' (as 'rank1'): rank 7 among 3 systems is read as the last"
        in high
    )
    assert (
        "row 14 (line 15), column 'system2rank' (as 'rank2'): rank 0 among 3 systems is read as better"
        in zero
    )
    # Of another scale, of which 10 is no slip, and of ranks from 0, nothing is said: only their order counts.
    for other in ("j1,1,A,B,C,10,20,30\n" * 4, "j1,1,A,B,C,0,1,2\n" * 4):
        file.write_text(
            WMT + "".join(line.replace(",1,A", f",{k},A") for k, line in enumerate(other.splitlines(True)))
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error", DataWarning)
            pairproof.read(file)
    file.write_text(WMT + "".join([*rows, "j1,50,A,B,C,-1,1,2\n", "j1,51,A,B,C,1,-1,-1\n"]))
    assert main(["fit", str(file)]) == 0
    left = "3 ranks of 42 are -1 or blank, which means not ranked; 1 ranking has fewer than two ranked"
    assert left in capsys.readouterr().err
