"""Competitions of their own are never pooled without a word."""

from __future__ import annotations

import pytest

import pairproof
from pairproof.errors import InputError
from pairproof.native.competitions.experiment.preference_models import fit_preference_model
from pairproof.native.competitions.ranking.ranking_rules import all_rankings
from pairproof.native.competitions.ranking.two_systems import compare_all_pairs
from pairproof.native.planning.looking_early import watch_table, watch_two

#: WMT's columns: two language pairs, which share a system.
RANKINGS = {
    "srclang": ["Czech"] * 4 + ["German"] * 4,
    "trglang": ["English"] * 8,
    "srcIndex": list(range(8)),
    "judgeId": ["j1", "j2"] * 4,
    **{"system1Id": ["A"] * 8, "system1rank": [1, 2, 1, 1, 1, 2, 2, 1]},
    **{"system2Id": ["B"] * 4 + ["D"] * 4, "system2rank": [2, 1, 2, 1, 2, 1, 1, 2]},
    **{"system3Id": ["C"] * 4 + ["E"] * 4, "system3rank": [3, 3, 1, 3, 3, 3, 3, 1]},
}
SAID = (
    r"2 tracks \(srclang, trglang\), each a separate competition, with these numbers of comparisons: Czech-English 12,"
    r" German-English 12\. Choose one, --where srclang=Czech --where trglang=English; or analyse each separately, --tracks"
    r" srclang,trglang; or pool all, --tracks pooled\. In Python table\.where\('srclang=Czech', 'trglang=English'\)"
)


def table() -> pairproof.Comparisons:
    return pairproof.read(RANKINGS)


@pytest.mark.parametrize(
    "analysis",
    [
        pairproof.fit_llbt,
        pairproof.fit_bradley_terry,
        lambda t: pairproof.fit_bradley_terry(t, formula="item"),
        lambda t: pairproof.compare_two(t, "A", "B"),
        compare_all_pairs,
        watch_table,
        lambda t: watch_two(t, "A", "B"),
        all_rankings,
        lambda t: fit_preference_model(t, "pairs"),
        lambda t: pairproof.fit_irt_gaussian(t, draws=10),
        lambda t: pairproof.fit_irt_categorical(t, draws=10),
        lambda t: pairproof.fit_tree(t, ["source"]),
    ],
)
@pytest.mark.filterwarnings("ignore::pairproof.errors.RankingWarning")
def test_tracks_are_listed_and_not_pooled(analysis):
    with pytest.raises(InputError, match=SAID):
        analysis(table().as_independent())


@pytest.mark.parametrize("fitter", [pairproof.fit_pattern, pairproof.fit_plackett_luce])
def test_tracks_of_whole_answers_are_not_pooled(fitter):
    answers = pairproof.read_respondents(RANKINGS, "rankings")
    with pytest.raises(InputError, match="these numbers of persons: Czech-English 4, German-English 4"):
        fitter(answers)
    parts = pairproof.split_tracks(answers)
    assert {track: part.items for track, part in parts.items()} == {
        "Czech-English": ("A", "B", "C"),
        "German-English": ("A", "D", "E"),
    }
    assert answers.where("srclang=German").items == ("A", "D", "E")


@pytest.mark.filterwarnings("ignore::pairproof.errors.RankingWarning")
def test_each_track_by_itself_has_the_numbers_of_a_table_of_its_own():
    first = {name: values[:4] for name, values in RANKINGS.items()}
    alone = pairproof.fit_llbt(pairproof.read(first))
    parts = pairproof.split_tracks(table())
    assert list(parts) == ["Czech-English", "German-English"]
    assert pairproof.fit_llbt(parts["Czech-English"]).params.to_dict() == alone.params.to_dict()
    by_own_names = pairproof.split_tracks(table(), ["srclang", "trglang"])
    assert {k: v.items for k, v in by_own_names.items()} == {k: v.items for k, v in parts.items()}


@pytest.mark.filterwarnings("ignore::pairproof.errors.RankingWarning")
def test_tracks_are_taken_as_one_where_that_is_said_or_the_model_tells_them_apart():
    assert pairproof.fit_llbt(table().as_one_track()).items == ("A", "B", "C", "D", "E")
    votes = {
        "first": ["A"] * 4,
        "second": ["B"] * 4,
        "outcome": ["first", "second"] * 2,
        "track": [1, 1, 2, 2],
    }
    with pytest.raises(InputError, match=r"2 tracks \(track\).*1 2, 2 2\. Choose one, --where track=1"):
        pairproof.fit_llbt(pairproof.read(votes))
    assert pairproof.fit_llbt(pairproof.read(votes), by="C(track)").n_comparisons == 4
    assert list(pairproof.split_tracks(pairproof.read(votes))) == ["1", "2"]


def test_tracks_whose_names_join_to_one_stay_apart():
    rows = {"first": ["A", "A"], "second": ["B", "B"], "wins": [1, 2], "losses": [2, 1]}
    rows |= {"srclang": ["a-b", "a"], "trglang": ["c", "b-c"]}
    assert list(pairproof.split_tracks(pairproof.read(rows))) == ["a | b-c", "a-b | c"]


def test_one_track_or_none_is_no_matter():
    first = {name: values[:4] for name, values in RANKINGS.items()}
    assert pairproof.compare_two(pairproof.read(first).as_independent(), "A", "B").merged.first == "A"
