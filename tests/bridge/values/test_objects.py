"""R objects that hold comparisons, out of files that R wrote, as pairproof's tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pairproof
from pairproof.bridge import RList, RVector, package_object, read_object
from pairproof.bridge.process.session import session
from pairproof.bridge.r_objects import comparisons_of
from pairproof.errors import DataWarning, InputError

BTM = """
cited <- BradleyTerry2::countsToBinomial(BradleyTerry2::citations)
saveRDS(BradleyTerry2::BTm(cbind(win1, win2), player1, player2, data = cited), file.path(folder, "cited.rds"))
home <- BradleyTerry2::baseball
home$home.team <- data.frame(team = home$home.team, at.home = 1); home$away.team <- data.frame(team = home$away.team, at.home = 0)
saveRDS(BradleyTerry2::BTm(cbind(home.wins, away.wins), home.team, away.team, ~ team + at.home, id = "team", data = home), file.path(folder, "home.rds"))
lizards <- BradleyTerry2::BTm(1, winner, loser, ~ throat.PC1[..] + SVL[..] + (1 | ..), data = BradleyTerry2::flatlizards)
d <- data.frame(x = 1)
save(lizards, d, file = file.path(folder, "lizards.rda"))
flute <- function(rows) eval(bquote(BradleyTerry2::BTm(cbind(win1.adj, win2.adj), field1, field2, ~ field, id = "field", subset = .(rows), data = BradleyTerry2::sound.fields)))
saveRDS(flute(quote(instrument == "flute")), file.path(folder, "flute.rds"))
saveRDS(flute(quote(1:10)), file.path(folder, "twice.rds"))
TRUE
"""
RANKINGS = """
r <- PlackettLuce::as.rankings(matrix(c(1, 2, 0, 2, 1, 1, 1, 2, 0), 3, byrow = TRUE, dimnames = list(NULL, c("A", "B", "C"))))
saveRDS(r, file.path(folder, "r.rds")); saveRDS(stats::aggregate(r), file.path(folder, "aggregated.rds"))
d <- data.frame(x = c(5, 7)); d$g <- PlackettLuce::group(r, c(1, 1, 2)); saveRDS(d, file.path(folder, "grouped.rds"))
TRUE
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> Path:
    """Fitted BTm models as R saves them."""
    folder = tmp_path_factory.mktemp("models")
    session().call(code=BTM, args={"folder": str(folder)}, needs=("BradleyTerry2",))
    return folder


@pytest.mark.r("BradleyTerry2")
def test_a_fitted_btm_gives_its_contests_and_they_its_estimates(models):
    table = read_object(models / "cited.rds")
    assert isinstance(table, pairproof.Comparisons) and table.items[1] == "Comm Statist"
    assert table.pooled()["Biometrika", "Comm Statist"] == (730.0, 0.0, 33.0)
    # The vignette's first estimate; R's glm has it to 14 digits. Observed 4e-15.
    assert pairproof.fit_bradley_terry(table).params["JASA"] == pytest.approx(-0.4795697697519924, rel=1e-10)


@pytest.mark.r("BradleyTerry2")
def test_columns_of_both_sides_and_covariates_of_players_come_along(models):
    home = read_object(models / "home.rds")
    assert set(home.columns) == {"at.home_first", "at.home_second"}
    assert (home.columns["at.home_first"] - home.columns["at.home_second"] == 1).all()
    lizards = read_object(models / "lizards.rda", "lizards")
    assert set(lizards.item_data) == {"throat.PC1", "SVL"} and len(lizards.items) == 77
    value = dict(zip(lizards.items, lizards.item_data["throat.PC1"]))
    assert np.isnan(value["lizard096"]) or np.isnan(value["lizard099"])
    assert lizards.n_comparisons == 100


@pytest.mark.r("BradleyTerry2")
def test_a_subset_keeps_its_rows_and_one_that_r_took_twice_is_refused(models):
    assert read_object(models / "flute.rds").n_rows == 28
    with pytest.raises(InputError, match="takes each row twice"):
        read_object(models / "twice.rds")


@pytest.mark.r("BradleyTerry2")
def test_other_objects_are_named(models):
    with pytest.raises(InputError, match="holds d, lizards; name the object"):
        read_object(models / "lizards.rda")
    with pytest.raises(InputError, match="and no 'x'"):
        read_object(models / "lizards.rda", "x")
    with pytest.raises(InputError, match="a data frame without a column of answers"):
        read_object(models / "lizards.rda", "d")
    with pytest.raises(InputError, match="is a BTm, which takes no degrees"):
        read_object(models / "cited.rds", degrees="ignore")


@pytest.mark.r("PlackettLuce")
def test_rankings_aggregated_or_grouped_are_the_same_rankings(tmp_path):
    session().call(code=RANKINGS, args={"folder": str(tmp_path)}, needs=("PlackettLuce",))
    plain, pooled, grouped = (read_object(tmp_path / f"{n}.rds") for n in ("r", "aggregated", "grouped"))
    assert plain.sentences() == pooled.sentences() == grouped.sentences()
    assert plain.sentences()[0] == "2  A > B; not presented: C" and plain.n_persons == pooled.n_persons == 3
    assert grouped.to_frame()["x"].tolist() == [5, 5, 7]
    assert [float(g) for g in grouped.to_frame()["group"]] == [1, 1, 2]


def paircomp(values, scale=(-1, 0, 1), ordered=False, labels=("a", "b", "c")):
    """An R vector of class paircomp."""
    table = np.asarray(values, float)
    text = np.array(labels, dtype=object)
    attributes = {
        "labels": RVector(text, np.zeros(len(text), bool)),
        "mscale": RVector(np.array(scale, float), np.zeros(len(scale), bool)),
        "ordered": RVector(np.array([ordered]), np.array([False])),
    }
    return RVector(table, np.isnan(table), rclass=("paircomp",), attributes=attributes)


def test_a_paircomp_needs_no_r():
    people = comparisons_of(paircomp([[1, 0, np.nan], [-1, 1, 1]]), "x")
    assert set(people.sentences()) == {"1  a > b, a = c; not answered: b:c", "1  a < b, a > c, b > c"}
    assert people.tie_category
    assert not comparisons_of(paircomp([[1, 1, -1]], scale=(-1, 1)), "x").tie_category


def test_a_data_frame_with_a_paircomp_has_its_other_columns_as_covariates():
    ages = RVector(np.array([20.0, 30.0]), np.zeros(2, bool))
    frame = RList((paircomp([[1, 1, 1], [-1, -1, 1]]), ages), ("p", "age"), ("data.frame",))
    people = comparisons_of(frame, "x")
    assert isinstance(people.to_frame(), pd.DataFrame) and sorted(people.to_frame()["age"]) == [20, 30]
    named = RList((paircomp([[1, 1, 1]]), paircomp([[1, 1, 1]])), ("p", "q"), ("data.frame",))
    with pytest.raises(InputError, match="say which one: column="):
        comparisons_of(named, "x")
    with pytest.raises(InputError, match="has no column 'r' of answers; it has p, q"):
        comparisons_of(named, "x", column="r")


def test_a_column_with_a_name_that_the_table_needs_is_renamed_with_a_warning():
    """As psychotools' SoundQuality has a column `time`."""
    times = RVector(np.array(["before", "after"], dtype=object), np.zeros(2, bool))
    frame = RList((paircomp([[1, 1, 1], [-1, -1, 1]]), times, times), ("p", "time", "time_"), ("data.frame",))
    with pytest.warns(DataWarning, match="x: renamed time -> time__: "):
        people = comparisons_of(frame, "x")
    assert people.to_frame()["time__"].tolist() == people.to_frame()["time_"].tolist()
    assert set(people.to_frame()["time__"]) == {"before", "after"}


@pytest.mark.r("psychotools")
def test_sound_quality_comes_over_with_its_time():
    with pytest.warns(DataWarning, match="time -> time_: in a table of respondents") as told:
        people = package_object("psychotools", "SoundQuality", column="preference")
    assert told[0].filename == __file__ and people.n_persons == 783 and "time_" in people.columns


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (paircomp([[2, 1, 1]], scale=(-2, 2)), "degrees beyond 1"),
        (paircomp([[1, 1, 1]], ordered=True), "both orders of presentation"),
        (paircomp([[1, 1]]), "2 comparisons of 3 items; 3 are expected"),
        (RVector(np.zeros(3), np.zeros(3, bool), rclass=("numeric_version",)), "of class numeric_version"),
        (RVector(np.ones((1, 2)), np.zeros((1, 2), bool), rclass=("rankings",)), "without the names of their items"),
        (RList((), (), ("lm",)), "of class lm"),
    ],
)  # fmt: skip
def test_what_is_no_table_of_comparisons_is_refused(value, said):
    with pytest.raises(InputError, match=said):
        comparisons_of(value, "x")
