"""A test that a migration writes compares each number at its own place, however many numbers are equal."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import pairproof
from pairproof.migration.delivery import asked
from pairproof.migration.translate.rows import Beside, at, in_column, of_items
from pairproof.validation.again import Again, numbers_in
from tests.migration.captures import row
from tests.migration.made import a_call

#: Three nested models: both tests have 1 degree of freedom, and residual ones stand in no table of ours.
NESTED = """
library(BradleyTerry2)
teams <- c("Ash", "Elm", "Fir", "Oak", "Yew")
pairs <- expand.grid(home = teams, away = teams, stringsAsFactors = FALSE)
pairs <- pairs[pairs$home != pairs$away, ]
won <- c(5, 6, 7, 8, 4, 6, 7, 5, 6, 4, 2, 3, 6, 7, 5, 3, 4, 6, 2, 5)
lost <- c(4, 3, 2, 1, 4, 3, 2, 3, 3, 5, 6, 5, 4, 2, 5, 6, 3, 2, 7, 4)
rest <- c(1, 3, 2, 5, 4, 1, 2, 6, 3, 5, 1, 4, 2, 3, 6, 5, 1, 2, 4, 3)
side <- function(team, at, rest) data.frame(team = factor(team, teams), at.home = at, rest = rest)
games <- list(home = side(pairs$home, 1, rest), away = side(pairs$away, 0, rev(rest)), won = won, lost = lost)
m1 <- BTm(cbind(won, lost), home, away, ~ team, id = "team", data = games)
m2 <- BTm(cbind(won, lost), home, away, ~ team + at.home, id = "team", data = games)
m3 <- BTm(cbind(won, lost), home, away, ~ team + at.home + rest, id = "team", data = games)
anova(m1, m2, m3, test = "Chisq")
BTabilities(m1)
"""


def test_equal_numbers_are_each_compared_where_they_stand():
    frame = pd.DataFrame(
        {"df": [float("nan"), 1.0, 1.0], "p": [float("nan"), 0.5, 0.5]}, index=["a", "b", "c"]
    )
    rows = [
        row("anova.3.Df", 1.0, 1.0, "anova", place=in_column(frame, "df")[2]),
        row("anova.2.p", 0.5, 0.5, "anova", place=in_column(frame, "p")[1]),
        row("anova.2.Resid. Df", 1.0, 1.0, "anova"),
        row("anova.3.p", 0.25, 0.25, "anova", place=in_column(frame, "p")[2]),
    ]
    found = asked(frame, rows)
    assert [None if test is None else test["place"] for test in found] == ["df / c", "p / b", None, None]


def test_labels_that_occur_again_have_places_of_their_own():
    frame = pd.DataFrame({"item": ["A", "B", "A"], "worth": [0.1, 0.2, 0.7]}, index=["x", "x", "y"])
    assert in_column(frame, "worth") == ["worth / x", "worth / x (2)", "worth / y"]
    assert numbers_in(frame) == {"worth / x": 0.1, "worth / x (2)": 0.2, "worth / y": 0.7}
    assert of_items(frame.iloc[:2], "worth")[1] == {"A": "worth / x", "B": "worth / x (2)"}
    assert at("coef", ["a", "b", "a"]) == {"a": "coef / 0", "b": "coef / 1"}
    beside, numbers = Beside(a_call(), function="f"), {"a": 2.0, "b": 2.0}
    rows = beside.named("coef", numbers, numbers, at("coef", ["a", "b"]))
    assert [a.place for a in rows] == ["coef / 0", "coef / 1"]
    assert "place" not in rows[0].to_dict()


@pytest.mark.r("BradleyTerry2")
def test_a_table_of_nested_models_is_locked_cell_by_cell(tmp_path):
    script = tmp_path / "nested.R"
    script.write_text(NESTED)
    pairproof.migrate(script)
    run = json.loads((tmp_path / "nested.recorded.json").read_text())
    (table,) = [call for call in run["calls"] if call["function"] == "BradleyTerry2::anova.BTm"]
    places = {n["quantity"]: n["test"]["place"] for n in table["numbers"] if "test" in n}
    second, third = "Bradley-Terry, order effect", "Bradley-Terry, item + at.home + rest"
    names = {"Df": "df", "Deviance": "statistic", "Pr(>Chi)": "p"}
    assert places == {
        f"anova.{k}.{r}": f"{ours} / {label}"
        for r, ours in names.items()
        for k, label in ((2, second), (3, third))
    }
    # Every number that the test compares: changed at its own cell alone, it is noticed under its own name.
    calls = Again(tmp_path / "nested.py")
    values, _ = calls.ran
    (held,) = [
        h
        for found in calls.calls.values()
        for h in found
        if h.entry is not None and h.r.keys() == places.keys()
    ]
    held.compare(held.found(values))
    for quantity, place in places.items():
        column, _, label = place.partition(" / ")
        changed = held.found(values).copy()
        changed.loc[label, column] = changed.loc[label, column] * 1.001
        with pytest.raises(AssertionError) as told:
            held.compare(changed)
        assert str(told.value).count("in the run") == 1
        assert f"{quantity} ({place})" in str(told.value)
