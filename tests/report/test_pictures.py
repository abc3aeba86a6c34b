"""Pictures: on a telephone of 420 px no text is smaller than 9 px, and what they show is told apart by more than colour."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure as Drawing
from matplotlib.path import Path as Outline

import pairproof
from pairproof.cli import main
from pairproof.fit.shown.fit_plots import COLOURS
from pairproof.native.competitions.experiment.competition_plots import plot_learning_curves
from pairproof.native.competitions.experiment.curve_summaries import Result
from pairproof.native.competitions.ranking.pair_plots import not_rejected, plot_judgments, scores_of
from pairproof.native.competitions.ranking.two_systems import TwoSystems, compare_all_pairs
from pairproof.report.blocks import NARROW, WIDE, Cell, Figure, Page, Row, Table, panels
from pairproof.report.output import render_fragment, render_html, render_markdown, render_text
from tests.report.phone import LEAST, text_sizes


def example(name: str) -> str:
    return str(resources.files("pairproof.examples").joinpath(f"{name}.csv"))


SAMPLE = ["--chains", "2", "--warmup", "20", "--draws", "40"]
#: Command -> how many pictures its report has.
REPORTS = {
    ("fit", example("dras"), "--by", "judge"): 5,
    ("fit", example("citations"), "--model", "bradley-terry", "--ranks", "--contrasts", "all-pairs"): 3,
    ("fit", example("systems"), "--model", "bradley-terry", "--formula", "(1 | item)"): 3,
    ("compare-two", example("vilar")): 2,
    ("compare-models", example("vilar"), "--train-sizes", "40", "--trials", "2", "--abilities", *SAMPLE): 3,
    ("simulate-annotation", "--items", "30", "--replicates", "2", "--budget", "3", "--sd", ".2"): 3,
}


@pytest.mark.parametrize(
    "command", REPORTS, ids=lambda command: f"{command[0]} {command[-1]}".rpartition("/")[2]
)
def test_no_text_of_a_picture_is_smaller_than_9_px_on_a_telephone(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    assert main([*command, "--report", str(page), "--quiet"]) == 0
    sizes = text_sizes(page.read_text(encoding="utf-8"))
    assert len(sizes) == REPORTS[command] and min(sizes) >= LEAST, sizes


def test_a_picture_fills_the_page_and_one_that_keeps_its_shape_or_size_does_not_grow_without_end() -> None:
    def draw(figure: Any) -> None:
        axes = panels(figure, 3, 2.0, sharey=True)
        for ax in axes:
            ax.plot([0, 1], [0, 1], label="a name that is long")
            ax.legend()
        axes[0].set_yticks([0, 1], ["x" * 60, "y" * 30])

    one = Figure("c", "d", (3.0, 2.0), draw, panels=True)
    wide, narrow = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', render_html(Page("t", [one])))
    assert float(wide[0]) == pytest.approx(72 * WIDE) and float(narrow[0]) == pytest.approx(72 * NARROW)
    # Three panels in a row, or in two rows and with the legend below them; SVG rounds its sizes, and
    # .1 point is a seven-hundredth of an inch.
    assert float(wide[1]) == pytest.approx(144) and float(narrow[1]) == pytest.approx(
        72 * (4.0 + 0.19), abs=0.1
    )
    page = render_html(Page("t", [one]))
    assert page.count("x" * 60) == 1 and page.count("a name that is long") == 2
    assert "max-width" in render_html(Page("t", [Figure("c", "d", (3, 2), draw, True, keeps="shape")]))
    assert render_html(Page("t", [Figure("c", "d", (3, 2), draw, True, keeps="size")])).count("<svg") == 1
    # A notebook has no style that would hide one of two drawings.
    assert render_fragment(Page("t", [one])).count("<svg") == 1


def test_more_series_than_colours_differ_by_marks_and_dashes() -> None:
    n = 2 * len(COLOURS) + 3
    results = [
        Result("all", f"model {k:02}", size, 0, 2.0 + k, 40, 10) for k in range(n) for size in (40, 80)
    ]
    ax: Any = plot_learning_curves(results, Drawing().subplots())
    drawn = [
        (line.get_color(), line.get_marker(), line.get_linestyle())
        for line in ax.lines
        if len(line.get_xdata()) == 2
    ]
    assert len({d[:2] for d in drawn}) == len({(d[0], d[2]) for d in drawn}) == len(drawn) == n


def vilar() -> tuple[TwoSystems, ...]:
    return compare_all_pairs(pairproof.read(example("vilar")))


def test_figure_2_hatches_what_the_paper_says_of_table_2() -> None:
    pairs = vilar()
    # "a significant difference (with a confidence of 95%) at all comparisons but two (A vs. C, and E vs. B)"
    inside = Outline(not_rejected(700))
    assert [
        {two.merged.first, two.merged.second}
        for two in pairs
        if inside.contains_point((two.merged.wins, two.merged.losses))
    ] == [{"A", "C"}, {"B", "E"}]
    # The paper: 100 samples are too few "to show significant results in many experiments"; in some
    # cases there are "points above the bisector".
    judged = [(two, r) for two in pairs for r in two.by_judge]
    hatched = Outline(not_rejected(100))
    assert [hatched.contains_point((r.wins, r.losses)) for _, r in judged] == [
        not r.significant for _, r in judged
    ]
    assert sum(not r.significant for _, r in judged) == 29
    figure: Any = Drawing((WIDE, 4.2))
    plot_judgments(figure, pairs)
    points = [p for line in figure.axes[0].lines if line.get_linestyle() == "None" for p in line.get_xydata()]
    assert len(points) == 49 and sum(y > x for x, y in points) == sum(len(two.against) for two in pairs) == 7
    summed = [p for line in figure.axes[1].lines if line.get_linestyle() == "None" for p in line.get_xydata()]
    assert {(372, 205), (331, 211), (349, 181), (252, 170)} <= {(int(x), int(y)) for x, y in summed}


def test_figure_3_has_scores_that_fit_the_pairs_in_the_papers_order_but_for_what_it_leaves_open() -> None:
    pairs = vilar()
    found = scores_of(pairs)
    assert found is not None
    # "Final ranking: E B D A C", of which E and B, and A and C, show no significant difference.
    assert [set(found.systems[k : k + 2]) for k in (0, 3)] == [{"E", "B"}, {"A", "C"}] and found.systems[
        2
    ] == "D"
    assert abs(found.score.sum()) < 1e-12 and (found.half > 0).all()  # a mean of 0, by rounding; seen: 4e-16
    score = dict(zip(found.systems, found.score))
    apart = [abs(score[t.merged.first] - score[t.merged.second] - t.merged.R) for t in pairs]
    # Seven pairs fitted by four differences; seen: 0.094 at most.
    assert max(apart) < 0.12
    assert scores_of(pairs[:1]) is None and scores_of((pairs[0], pairs[5])) is not None


def test_a_column_of_nothing_is_shown_nowhere() -> None:
    rows = (("a", "-", "1", ""), Row((Cell("b"), "-", Cell("2"), ""), "why"))
    page = Page("t", [Table(("name", "gone", "kept", "empty"), rows)])
    for text in (render_html(page), render_text(page), render_markdown(page)):
        assert "kept" in text and "gone" not in text and "empty" not in text and "why" in text
    assert Table(("name", "kept"), ()).columns[1].title == "kept"


def test_names_of_groups_by_two_covariates_stand_one_below_the_other_on_a_telephone() -> None:
    def draw(ax: Any) -> None:
        for name in ("sexo=mujer,edad=joven", "sexo=mujer,edad=mayor"):
            ax.plot([0, 1], [0, 1], label=name)
        ax.set_xlabel("worth, with 95 % intervals on the logit scale, CR2 by judge (6\nclusters)")
        ax.legend()

    page = render_html(Page("t", [Figure("c", "d", (7.5, 2.0), draw)]))
    wide, narrow = page.split('<div class="narrow">')
    rows = re.findall(r"translate\(([\d.]+) ([\d.]+)\)\">sexo=", narrow) or re.findall(
        r'<text[^>]*x="([\d.]+)" y="([\d.]+)"[^>]*>sexo=', narrow
    )
    assert len(rows) == 2 and rows[0][0] == rows[1][0] and rows[0][1] != rows[1][1]
    assert "CR2 by judge (6 clusters)" in wide  # folded for a notebook, and not for a page
