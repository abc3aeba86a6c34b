"""How a fit looks: summary for a terminal, HTML for a notebook, a picture of its worths."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import matplotlib
import numpy as np
import pandas as pd
import pytest

import pairproof

matplotlib.use("Agg")

from pairproof.data.columns import Factor
from pairproof.data.comparisons import Comparisons
from pairproof.errors import InputError
from pairproof.fit.inference.wald import first_rows, parameter_frame
from pairproof.fit.shown.fit_plots import plot_worth, worth_intervals
from pairproof.fit.shown.fit_text import p_value
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.text import number
from tests.hand_made import counts, dras, modpref, one_pair
from tests.places import DATA

TABLE = dras()


def test_the_summary_of_dras_judge_model_says_what_a_referee_asks_for():
    text = fit_llbt(TABLE, by="judge").summary()
    for needed in (
        "LLBT, Davidson ties, by judge",
        "960, of them 43 ties",
        "reference D",
        "107.5000 on 35 df",
        "-389.0662",
        "lambda: odds of A to B = exp(2 (A - B))",
        "judge: 2, 3, 4 against 1",
        "reached in",
        "24 cells with comparisons: pair of items x judge",
        "A:judge[3]     -1.8676    0.2884   -6.475  9.5e-11    -2.4328    -1.3023",
        "D:judge[4]      0.0000  (reference)",
        "below 1 (smallest",
    ):
        assert needed in text, f"{needed!r} not in\n{text}"


def test_the_number_of_comparisons_is_written_out_beyond_a_million():
    data = Comparisons.build("AB", [0], [1], [1_234_567], None, [1])
    assert "1234568, no tie category" in fit_llbt(data).summary()
    assert "1234568 comparisons" in repr(fit_llbt(data)) and "1234568 comparisons" in repr(data)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"by": "judge"},
        {"by": "judge + tie:judge", "order_effect": True},
        {"ties": "half"},
        {"ties": "rao-kupper", "reference": "sum"},
        {"item_terms": ["length", "kind"], "separate": ["A"]},
        {"by": "C(age)", "cells": ["judge"]},
    ],
)
def test_no_line_of_a_summary_is_longer_than_100_columns(asked):
    fit = fit_llbt(TABLE, **asked)
    assert max(map(len, fit.summary().splitlines())) <= 100
    assert fit.title in " ".join(fit.summary().split())


def test_long_item_names_are_cut_with_an_ellipsis_and_stay_within_the_width():
    long = "Claude Opus 4 thinking 16k, 2025-05-14, temperature 0.7"
    fit = one_pair(61, 24, 35, items=(long, "x" * 90))
    text = fit.summary()
    assert max(map(len, text.splitlines())) <= 100 and "…" in text
    assert long in fit._repr_html_()


def test_a_summary_names_what_is_not_estimable_and_why():
    text = fit_llbt(counts("A B 5 0 3; A C 6 0 0; B C 4 0 0", ties=False)).summary()
    assert "A                   -  (not estimable)" in text
    assert "Not estimable: A, B" in text and "separated data" in text and "nan" not in text
    assert "no p-value: 2 of 6 expected counts are 0" in " ".join(text.split())


def test_a_tie_parameter_at_its_boundary_is_not_called_a_reference():
    text = fit_llbt(counts("A B 5 0 3; B C 4 0 2; A C 3 0 2"), ties="rao-kupper").summary()
    assert re.search(r"tie +0\.0000 +\(at its boundary\)", text)


def test_a_summary_says_when_the_likelihood_is_a_quasi_likelihood_and_when_ties_were_dropped():
    assert "quasi (half wins or weights)" in fit_llbt(TABLE, ties="half").summary()
    assert "917 (43 ties dropped from 960)" in fit_llbt(TABLE, ties="drop").summary()
    assert "log-odds: odds of A to B = exp(A - B)" in fit_bradley_terry(TABLE).summary()


def test_a_solver_that_did_not_reach_its_rule_is_shouted_about():
    from pairproof.fit.estimates.fit_record import Stopping

    fit = modpref(stopping=Stopping("gradient <= 1e-10", False, 25, 3e-4))
    assert "gradient <= 1e-10: NOT REACHED in 25 steps (at 0.0003)" in fit.summary()
    assert "NOT REACHED" in fit._repr_html_()


def test_thousands_of_parameters_are_cut_visibly():
    n_judges, items = 60, tuple("ABCDE")
    pairs = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    draws = np.random.default_rng(1).multinomial(30, [0.4, 0.25, 0.35], size=(n_judges, len(pairs)))
    judge = np.repeat(np.arange(n_judges), len(pairs))
    flat = draws.reshape(-1, 3)
    table = Comparisons.build(
        items,
        np.tile([i for i, _ in pairs], n_judges),
        np.tile([j for _, j in pairs], n_judges),
        flat[:, 0],
        flat[:, 1],
        flat[:, 2],
        columns={"judge": Factor(judge, tuple(str(k) for k in range(n_judges)))},
    )
    fit = fit_llbt(table, by="judge")
    text = fit.summary()
    assert (
        len(fit.terms) == 301
        and "... 241 of 301 parameters are not shown" in text
        and "fit.to_frame()" in text
    )
    assert (
        "E:judge[59]" not in text
        and "E:judge[59]" in fit.summary(rows=1000)
        and "not shown" not in fit.summary(rows=1000)
    )
    assert "241 of 301 parameters are not shown" in fit._repr_html_()
    assert "Worths of 5 items in 60 groups: fit.worth()" in text
    with pytest.raises(InputError, match="60 groups cannot be distinguished"):
        plot_worth(fit)


@pytest.mark.parametrize(
    "x, shown",
    [
        (0.0, "0.0000"),
        (1.23456, "1.2346"),
        (-0.00051, "-0.0005"),
        (0.000123, "1.230e-04"),
        (2.5e7, "2.500e+07"),
        (float("nan"), "-"),
    ],
)
def test_a_number_is_never_rounded_to_nothing(x, shown):
    assert number(x) == shown


@pytest.mark.parametrize(
    "p, shown",
    [
        (0.05, "0.0500"),
        (0.0044, "0.0044"),
        (1.8e-4, "1.8e-04"),
        (1e-300, "1.0e-300"),
        (1e-310, "<1e-300"),
        (0.0, "<1e-300"),
        (float("nan"), "-"),
    ],
)
def test_a_small_p_value_keeps_its_size(p, shown):
    assert p_value(p) == shown


def test_an_estimate_has_the_decimals_of_its_standard_error():
    assert number(1e-6, se=0.2) == "0.0000" == number(-1e-6, se=0.2) and number(-2e-6, 3, 1.0) == "0.000"
    assert number(1.2e-6, se=3e-7) == "1.200e-06" and number(3e9, se=0.2) == "3.000e+09"


# -- notebook ------------------------------------------------------------------------------------------------


class _Tags(HTMLParser):
    """Open tags must close; the texts between them are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_a_notebook_shows_one_table_with_every_tag_closed():
    page = _Tags()
    page.feed(fit_llbt(TABLE, by="judge")._repr_html_())
    assert page.open == []
    assert "A:judge[3]" in page.texts and "-1.8676" in page.texts and page.texts.count("reference") == 4


def test_names_from_the_data_cannot_become_markup():
    fit = one_pair(
        61, 24, 35, items=("<script>alert(1)</script>", "B & 'b'"), warnings=("<b>bold</b>",), engine="<i>"
    )
    html = fit._repr_html_()
    assert "<script>" not in html and "<b>bold" not in html and "<i>;" not in html
    page = _Tags()
    page.feed(html)
    assert "<script>alert(1)</script>" in page.texts


def test_the_short_form_names_model_size_and_engine():
    assert repr(fit_llbt(TABLE)).startswith("<Fit: LLBT, Davidson ties, 960 comparisons, by pairproof")


# -- pictures ------------------------------------------------------------------------------------------------


def test_worths_of_groups_with_long_names_have_headings_that_differ():
    levels = {"sexo": ("mujer", "varón"), "modelo": ("openai/gpt-4o-2024-05-13", "openai/gpt-4o-2024-08-06")}
    codes = {"sexo": np.array([0, 0, 1, 1]), "modelo": np.array([0, 1, 0, 1])}
    columns = {name: Factor(codes[name], levels[name]) for name in levels}
    table = Comparisons.build(["A", "B"], [0] * 4, [1] * 4, [5, 6, 7, 8], None, [4, 3, 2, 3], columns=columns)
    lines = fit_llbt(table, by="sexo + modelo").summary().splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("Worths"))
    heads = list(zip(lines[at].split()[1:], lines[at + 1].split()))
    assert heads[0] == ("sexo=mujer", "modelo=o…4-05-13") and len(set(heads)) == 4


def test_a_covariate_of_one_level_is_said_to_have_no_effect():
    table = Comparisons.build(
        ["A", "B"], [0], [1], [5], None, [4], columns={"sexo": Factor(np.array([0]), ("mujer",))}
    )
    said = "Caution: sexo has one level here (mujer), so the model has no effect of it."
    assert said in fit_llbt(table, by="sexo").summary() and "one level" not in fit_llbt(table).summary()
    assert "one level" not in fit_llbt(TABLE, by="judge").summary()


def test_worth_intervals_are_those_of_the_logit_and_stay_between_0_and_1():
    fit = fit_llbt(TABLE)
    frame = worth_intervals(fit).set_index("item")
    assert (frame["low"] > 0).all() and (frame["high"] < 1).all() and (frame["low"] < frame["worth"]).all()
    row = frame.loc["B"]
    odds = row[["low", "worth", "high"]] / (1.0 - row[["low", "worth", "high"]])
    # 1.959963984540054: normal quantile at 0.975; seen: 2e-15 off.
    half = 1.959963984540054 * row["se"] / (row["worth"] * (1.0 - row["worth"]))
    assert np.log(odds["high"] / odds["worth"]) == pytest.approx(half, rel=1e-12)
    assert odds["high"] / odds["worth"] == pytest.approx(odds["worth"] / odds["low"], rel=1e-12)


def test_of_two_items_the_logit_of_the_worth_is_their_difference_with_its_interval():
    fit = one_pair(40, 3, 1)
    contrast = fit.on_scale("log-odds").contrast("A", "B")
    row = worth_intervals(fit).set_index("item").loc["A"]
    for worth, log_odds in zip(
        row[["low", "worth", "high"]], (contrast.low, contrast.estimate, contrast.high)
    ):
        assert np.log(worth / (1.0 - worth)) == pytest.approx(log_odds, rel=1e-12)  # seen: 1e-15 off


def test_a_plot_shows_every_item_of_every_group_best_on_top():
    fit = fit_llbt(TABLE, by="judge")
    ax = plot_worth(fit)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["C", "B", "D", "A"]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["judge=1", "judge=2", "judge=3", "judge=4"]
    assert len(ax.containers) == 4
    drawn = ax.containers[2].lines[0].get_xdata()
    np.testing.assert_allclose(sorted(drawn), sorted(fit.worth().query("group == 'judge=3'")["worth"]))
    assert [t.get_text() for t in plot_worth(fit, groups=["judge=3"], sort=False).get_yticklabels()] == [
        "D",
        "C",
        "B",
        "A",
    ]


def test_a_plot_draws_into_the_axes_it_is_given_and_says_what_it_does_not_draw():
    import matplotlib.pyplot as plt

    _, ax = plt.subplots()
    assert plot_worth(fit_llbt(TABLE), ax, level=0.9) is ax and "90 % intervals" in ax.get_xlabel()
    separated = fit_llbt(counts("A B 5 0 0; A C 6 0 0; B C 4 0 0", ties=False))
    for wrong, said in [
        (lambda: plot_worth(fit_llbt(TABLE), "ax"), "ax is a str; expected matplotlib Axes"),
        (
            lambda: plot_worth(fit_llbt(TABLE), groups=["judge=1"]),
            r"no group\(s\) \['judge=1'\]; the groups are all",
        ),
        (lambda: plot_worth(fit_llbt(TABLE), groups="all"), "expected a list"),
        (lambda: plot_worth(fit_llbt(TABLE), level=95), "between 0 and 1"),
        (lambda: plot_worth(separated), "no worth to draw: separated"),
    ]:
        with pytest.raises(InputError, match=said):
            wrong()


def test_the_caption_of_worths_by_two_ways_of_clustering_fits_its_picture():
    from matplotlib.figure import Figure

    fit = pairproof.fit_llbt(pairproof.read(DATA / "inference_d24.csv")).clustered("judge", "source")
    caption = pairproof.plot_worth(fit, Figure().subplots()).get_xlabel()
    assert "CR2 by judge (24 clusters) and source (30 clusters)" in " ".join(caption.split("\n"))
    assert max(map(len, caption.split("\n"))) <= 68


def test_a_very_long_name_leaves_room_for_the_intervals_of_worths():
    from matplotlib.figure import Figure

    fit = fit_llbt(Comparisons.build(["A" * 80, "B"], [0], [1], [6], [2], [4]))
    labels = [label.get_text() for label in plot_worth(fit, Figure().subplots()).get_yticklabels()]
    assert labels == ["B", "A" * 39 + "…"]


def test_the_first_rows_by_cluster_are_those_of_the_whole_table():
    rng = np.random.default_rng(1)
    first, judge = rng.integers(0, 20, 2_000), rng.integers(0, 40, 2_000)
    second, won = (first + rng.integers(1, 20, 2_000)) % 20, rng.random(2_000) < 0.6
    rows = {"first": first, "second": second, "wins": won * 1, "losses": ~won * 1, "judge": judge}
    table = pairproof.read(
        {name: [f"i{v}" for v in c] if name in ("first", "second") else c for name, c in rows.items()}
    )
    fit = pairproof.fit_bradley_terry(table).clustered("judge")
    some = first_rows(fit, 3)
    assert "standard_errors" not in vars(fit)
    # the same numbers but for the order in which rounding adds up; seen: 0 off
    pd.testing.assert_frame_equal(some, parameter_frame(fit, 0.05).iloc[:3], rtol=1e-13)


def test_headings_of_worths_hold_the_digits_of_a_number_that_tell() -> None:
    rows = pd.DataFrame(
        {
            "first": [*"AABB"],
            "second": [*"BBAA"],
            "outcome": ["first", "second"] * 2,
            "age": [41.0, 42.0, 42.5, 42.2],
        }
    )
    text = fit_llbt(pairproof.read(rows), by="age").summary()
    assert "age=41.925" in text and "…" not in text
    rows["age"] = [41.0, 42.0, 42.5, 42.1 + 1 / 3]
    assert "age=41.9833" in fit_llbt(pairproof.read(rows), by="age").summary()


def test_the_line_on_the_scale_says_of_the_order_effect_that_it_is_in_log_odds() -> None:
    text = " ".join(fit_llbt(dras(), order_effect=True).summary().split())
    assert "exp(2 (A - B)); order in log-odds" in text
