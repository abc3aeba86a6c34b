"""The page of scalar annotation: its pictures are those of the campaign it runs, its rates those of the simulation."""

from __future__ import annotations

from html import unescape

import numpy as np
import pytest

from pairproof.campaign.watch.annotators import FAILED_CHECKS, FEWEST_REPEATS, UNSTEADY
from pairproof.native.annotation.scores.annotator_model import (
    FEWEST_ANNOTATORS,
    FEWEST_FOR_PRECISION,
    FEWEST_FOR_SCALE,
    PRIOR_SPREAD,
)
from pairproof.native.annotation.scores.annotator_quality import REST
from pairproof.native.annotation.scores.stopping_rules import FEWEST_SOURCES
from tools.pages import scalar_annotation
from tools.pages.pages import read
from tools.pages.simulation import scalar
from tools.pages.simulation.tally import FIRST, read as recorded
from tools.pages.snippets import ROOT, fences, is_file

PAGE = str(scalar_annotation.PAGE)


@pytest.mark.nightly
def test_each_figure_shows_the_campaign_of_the_page():
    figures = scalar_annotation.figures()
    assert sorted(path.stem for path in figures) == sorted(scalar_annotation.NAMES.values())
    for path, figure in figures.items():
        drawn = unescape((ROOT / path).read_text(encoding="utf-8"))
        assert figure.description in drawn, f"{path}: python -m tools.pages.scalar_annotation draws it anew"


@pytest.mark.parametrize("path", ["annotation-page", "annotation-page-phone", "annotation-page-arabic",
                                  *scalar_annotation.NAMES.values()])  # fmt: skip
def test_every_picture_is_on_the_page(path):
    assert f"(figures/{path}." in read(PAGE)


def lines() -> dict:
    return {one["name"]: one for one in recorded("scalar", scalar.RECORDS)["lines"]}


def test_the_first_campaigns_of_systems_come_out_again():
    name = "the same annotators for all outputs of a source, liking .05"
    again, kept = scalar.systems(name, FIRST)["first"], lines()[name]["first"]
    # An interval that ends within rounding of 0 could fall the other way on another machine; none did.
    assert again == pytest.approx(kept, abs=1e-6)


@pytest.mark.parametrize("method", ["easl", "random"])
def test_a_run_of_items_comes_out_again(method):
    name = f"items, {method}"
    assert scalar._run(method, scalar.drawn(name, 0)) == pytest.approx(lines()[name]["alone"], abs=1e-9)


def test_the_expected_score_after_clipping_is_that_of_many_draws():
    mean = np.array([-0.1, 0.05, 0.5, 0.9])
    draws = np.clip(mean + np.random.default_rng(1).normal(0, 0.2, (200_000, 4)), 0, 1).mean(axis=0)
    # Four standard errors of 200,000 draws with sd .2; observed 4e-4.
    np.testing.assert_allclose(scalar.clipped_mean(mean, 0.2), draws, atol=4 * 0.2 / 200_000**0.5)


def test_limits_on_the_page_are_those_of_the_program():
    page = read(PAGE)
    assert (FAILED_CHECKS, FEWEST_REPEATS, UNSTEADY, REST) == (2, 10, 2.0, 0.3)
    assert (FEWEST_ANNOTATORS, FEWEST_FOR_PRECISION, FEWEST_FOR_SCALE, PRIOR_SPREAD) == (3, 10, 30, 0.6)
    assert FEWEST_SOURCES == 30
    for words in ("two or more attention checks", "below .3", "3 annotators who share items", "10 scores each",
                  "30 scores each", "needs at least 30", "N(mean, .6²)"):  # fmt: skip
        assert words in page


def test_the_programs_for_the_reader_are_files_of_the_page():
    programs = [f for f in fences(read(PAGE)) if f.language == "python" and is_file(f)]
    assert [program.info for program in programs] == ["people.py", "wmt.py"]
    for program in programs:
        compile(program.body, program.info, "exec")
