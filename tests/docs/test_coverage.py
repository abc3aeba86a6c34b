"""The page on coverage says what its records say, and the records are what the seeds give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tools.pages import coverage
from tools.pages.simulation import (
    boundary,
    class_numbers,
    early,
    equal_systems,
    findings,
    intervals,
    judge_effects,
    random_effects,
    reduced_bias,
    sites_answers,
    structured,
    two_systems,
    whole_answers,
)
from tools.pages.simulation.answers import Design, drawn, numbers, probabilities, truth
from tools.pages.simulation.figures import file_of, mark
from tools.pages.simulation.tally import FIRST, Tally, keep, read
from tools.pages.snippets import ROOT

#: Tables of a line that a test draws again; the record has the sums of the first 20.
LINES = {line["name"]: line for part in ("one-way", "two-way", "other") for line in read(part)["lines"]}


def design(name: str) -> Design:
    return next(d for make in coverage.DESIGNS.values() for d in make() if d.name == name)


# -- the records are what the seeds give ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "20 judges, sd 0.3, even",
        "8 judges, sd 0.0, uneven",
        "20 judges, Rao-Kupper",
        "8 judges x 8 prompts, sd 0.3, even",
    ],
)
@pytest.mark.nightly
def test_the_first_tables_of_a_line_drawn_again_give_what_is_recorded(name):
    """Sums of shares of ten contrasts over 20 tables: one contrast more or less would be .1.  Ratios and degrees of
    freedom are sums of numbers up to 20, which other linear algebra may change in the 12th digit; 1e-8 is far from both.
    """
    again = intervals.simulated(design(name), FIRST)
    for method, total in again["first"].items():
        assert total == pytest.approx(LINES[name]["first"][method], abs=1e-8), method
    np.testing.assert_allclose(again["truth"], LINES[name]["truth"], rtol=1e-9, atol=1e-12)


@pytest.mark.nightly
def test_what_holds_at_once_is_near_the_record_in_a_few_tables():
    """5 tables whose intervals hold together with probability .95 or so: fewer than 3 hold with probability .001."""
    again = intervals.simulated(design("20 judges, sd 0.0, even"), 5, 5)["rates"]
    for method in ("all intervals", "all ranks", "a rank", "best"):
        assert again[method]["tables"] == 5 and again[method]["rate"] >= 0.6, method


@pytest.mark.nightly
def test_two_systems_drawn_again_give_what_is_recorded():
    (line,) = [one for one in read("two-systems")["lines"] if one["name"] == "8 judges, sd 0.4, even"]
    judges = next(d for d in two_systems.designs() if d.name == line["name"])
    again = two_systems.simulated(judges, FIRST, FIRST)["first"]
    assert again == line["first"]


def test_looks_drawn_again_give_what_is_recorded():
    (line,) = [one for one in read("early")["lines"] if one["design"].get("p") == 0.5]
    assert early.proportions(0.5, FIRST)["first"] == line["first"]


@pytest.mark.nightly
def test_equal_systems_drawn_again_give_what_is_recorded():
    """Unadjusted, Holm's and separate intervals: what is drawn for a critical value has no part in them."""
    (line,) = [one for one in read("equal-systems")["lines"] if one["name"] == "5 equal systems, sd 0.0"]
    design = next(d for d in equal_systems.designs() if d.name == line["name"])
    again = equal_systems.simulated(design, FIRST)["first"]
    for method in ("unadjusted", "Holm", "apart"):
        assert again.get(f"model, {method}", 0.0) == line["first"].get(f"model, {method}", 0.0)


@pytest.mark.parametrize(
    "name",
    [
        "comparisons with ties, 10 % gaps, 100 persons",
        "rankings, first 3 of 5, 100 persons",
        "rankings of two kinds of persons, one Plackett-Luce fitted, 150 persons",
    ],
)
def test_whole_answers_drawn_again_give_what_is_recorded(name):
    """A parameter more or less in 20 tables would be .2 or .25; the truth of a wrong model is a fit to 1e-9."""
    (line,) = [one for one in read("whole-answers")["lines"] if one["name"] == name]
    design = next(d for d in whole_answers.designs() if d.name == name)
    again = whole_answers.simulated(design, FIRST)
    # The same tables drawn again; a machine's last bits may differ; observed 0.
    assert again["first"] == pytest.approx(line["first"], abs=1e-9)
    # The same number in another way, rounding alone; observed 2e-16.
    np.testing.assert_allclose(again["truth"], line["truth"], rtol=1e-9, atol=1e-9)


@pytest.mark.nightly
def test_persons_at_sites_drawn_again_give_what_is_recorded() -> None:
    """A parameter more or less in 20 tables would be .25 or .33; bootstrap limits have the seed of their table."""
    for design in [*sites_answers.designs()][::3]:
        (recorded,) = [one for one in read("whole-sites")["lines"] if one["name"] == design.name]
        again = sites_answers.simulated(design, FIRST)
        # The same tables drawn again; a machine's last bits may differ; observed 0.
        assert again["first"] == pytest.approx(recorded["first"], abs=1e-9)


def test_clusters_of_whole_answers_cover_where_the_model_does_not() -> None:
    """Ten sites: the model's own intervals fall short, CR2 is within its Monte Carlo error of .95."""
    rates = {one["name"]: one["rates"] for one in read("whole-sites")["lines"]}
    for design in sites_answers.designs():
        own = rates[design.name]
        if design.spread:
            assert own["model"]["rate"] < 0.9 < own["CR2"]["rate"]
        else:
            assert own["profile"]["rate"] > 0.93


def test_classes_drawn_again_give_what_is_recorded_of_each_table():
    """Two tables of the line, whose record has the sums of the first 20: each method can only add to them."""
    design = next(whole_answers.class_designs())
    (line,) = [one for one in read("whole-answers")["lines"] if one["name"] == design.name]
    again = whole_answers.simulated_classes(design, 2)
    assert again["left_out"] == 0
    for method, total in again["first"].items():
        assert 1.0 <= total <= line["first"][method] <= total + FIRST - 2, method


@pytest.mark.nightly
def test_p_values_of_numbers_of_classes_drawn_again_are_those_recorded():
    for design in class_numbers.designs():
        (line,) = [one for one in read("class-numbers")["lines"] if one["name"] == design.name]
        # The same tables drawn again; a machine's last bits may differ; observed 0.
        assert class_numbers.p_value(design, 0) == pytest.approx(line["p"][0], abs=1e-9)
    name, design = class_numbers.again()
    (line,) = [one for one in read("class-numbers")["lines"] if one["name"] == name]
    first = class_numbers.p_value(design, class_numbers.AGAIN_FROM)
    # The same tables drawn again; a machine's last bits may differ; observed 0.
    assert first == pytest.approx(line["p"][0], abs=1e-9)


def test_the_test_of_classes_holds_its_level_and_finds_two():
    """Rates of a recorded line are within 2.6 of their errors of the level in 99 of 100 cases."""
    for line in read("class-numbers")["lines"]:
        for method, level in (("p <= .05", 0.05), ("p <= .10", 0.10)):
            rate, error = line["rates"][method]["rate"], np.sqrt(
                level * (1 - level) / line["rates"][method]["tables"]
            )
            if len(line["design"]["shares"]) == 1:
                assert abs(rate - level) < 2.6 * error, (line["name"], method)
            else:
                assert rate > level + 2.6 * error


def test_tables_drawn_to_settle_the_level_for_rankings_settle_it():
    """The 400 tables after the first 200, alone: within 2 of the errors of the level."""
    (line,) = [one for one in read("class-numbers")["lines"] if one["name"] == class_numbers.again()[0]]
    for method, level in (("p <= .05", 0.05), ("p <= .10", 0.10)):
        found = line["rates"][method]
        assert found["tables"] == class_numbers.AGAIN_TABLES
        assert abs(found["rate"] - level) < 2.0 * np.sqrt(level * (1 - level) / found["tables"]), method


def test_intervals_of_whole_answers_cover_and_the_models_own_do_not_where_it_is_wrong():
    for line in read("whole-answers")["lines"]:
        rates = line["rates"]
        assert abs(rates["CR1"]["rate"] - 0.95) < max(3 * rates["CR1"]["error"], 0.012), line["name"]
        wrong = len(line["design"]["shares"]) > line["design"]["fitted_classes"]
        off = 0.95 - rates["model"]["rate"]
        assert (off > 4 * rates["model"]["error"]) if wrong else (abs(off) < 0.02), line["name"]


@pytest.mark.parametrize(
    ("part", "simulation", "line"),
    [("structured", structured, 0), ("reduced-bias", reduced_bias, 1), ("judge-effects", judge_effects, 0)],
)
def test_contests_drawn_again_can_only_have_what_the_first_tables_of_the_record_have(part, simulation, line):
    """Two tables of a line, whose record has the sums of the first 20; shares are in [0, 1]."""
    design = list(simulation.designs())[line]
    (known,) = [one for one in read(part)["lines"] if one["name"] == design.name]
    again = simulation.simulated(design, 2)
    shares = [m for m in again["first"] if "error" not in m and "finite" not in m and "mean sigma" not in m]
    assert len(shares) > 4 and again["left_out"] == 0
    for method in set(shares) - {"ML, squared", "mean, squared", "median, squared"}:
        assert (
            again["first"][method]
            <= known["first"][method] + 1e-9
            <= again["first"][method] + FIRST - 2 + 1e-6
        )


@pytest.mark.nightly
def test_random_effects_drawn_again_give_the_estimates_and_p_values_recorded():
    for line, design in zip(read("random-effects")["lines"][:2], random_effects.designs()):
        # Searches end within 1e-10 standard errors; another machine's algebra may differ. Observed 1e-8,
        # the rounding of the record.
        found = random_effects.of_table(design, 0)[1]
        np.testing.assert_allclose(found, line["estimates"][0], rtol=1e-6)
    (line,) = [one for one in read("boundary")["lines"] if one["name"].startswith("20 players")]
    design = next(boundary.designs())
    assert [boundary.p_value(design, k) for k in range(4)] == pytest.approx(line["p"][:4], abs=1e-6)


@pytest.mark.parametrize("part", coverage.PARTS)
def test_every_record_is_of_a_line_and_the_page_names_the_lines_without_one(part):
    names = {name for name, _ in coverage.jobs(part)}
    assert coverage.recorded(part) <= names
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    for name in names - coverage.recorded(part):
        assert f"{part}: {name}" in page.partition("Not simulated yet: ")[2].partition("\n")[0]


@pytest.mark.parametrize("part", ["one-way", "two-way"])
def test_a_figure_shows_the_record_that_is_there(part):
    assert mark(part) in (ROOT / file_of(part)).read_text(encoding="utf-8")


# -- how tables are drawn ------------------------------------------------------------------------------------


def test_the_truth_is_the_mean_over_many_judges():
    """Fitting the answers of 40,000 judges: the standard error of a difference is near .004 (observed distance .005)."""
    of = Design("many judges", 40_000, judge_sd=0.6, answers=5)
    fit = intervals.fitted(drawn(of, 0), of.model)
    ability = fit.ability_functions({}) @ fit.beta
    np.testing.assert_allclose(ability[0] - ability[1:], truth(of)[0, 1:], atol=0.015)


def test_without_preferences_the_truth_is_the_ability_itself():
    for model, scale in (("davidson", 0.5), ("bradley-terry", 1.0), ("rao-kupper", 1.0)):
        of = Design("equal judges", 8, model=model)
        b = np.array(of.abilities) * scale
        np.testing.assert_allclose(truth(of), b[:, None] - b[None, :], atol=1e-9)


def test_the_truth_does_not_depend_on_the_points_of_the_rule():
    of = Design("points", 8, judge_sd=0.6, uneven_pairs=True)
    np.testing.assert_allclose(truth(of), truth(of, 200), atol=1e-12)


def test_uneven_judges_have_answers_in_proportion_to_one_over_k():
    of = numbers(Design("uneven", 60, uneven=True))
    assert of[0] == 256 and of[1] == 128 and abs(of.sum() - 1200) < 20


def test_answers_have_probabilities_that_sum_to_one():
    for model in ("davidson", "bradley-terry", "rao-kupper"):
        p = probabilities(np.linspace(-3, 3, 7), model)
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        np.testing.assert_allclose(p, p[::-1, ::-1], atol=1e-15)


def test_the_limits_of_a_proportion_are_crossed_where_the_interval_says_so():
    below, above = early.proportion_excludes(0.5, 60)
    for t in (1, 10, 37, 60):
        out = [early.looking_early.proportion(s, t) for s in range(t + 1)]
        assert [s for s in range(t + 1) if out[s][1] < 0.5] == list(range(int(below[t - 1]) + 1))
        assert [s for s in range(t + 1) if out[s][0] > 0.5] == list(range(int(above[t - 1]), t + 1))


# -- counting ------------------------------------------------------------------------------------------------


def test_a_rate_has_the_monte_carlo_error_of_its_tables():
    tally = Tally()
    for k, value in enumerate([1.0, 0.0, 1.0, 1.0]):
        tally.add(k, {"x": value})
    (rate,) = tally.rates().values()
    assert rate["rate"] == 0.75 and rate["tables"] == 4
    assert rate["error"] == pytest.approx(np.std([1, 0, 1, 1], ddof=1) / 2)


def test_a_line_simulated_again_replaces_the_old_one(tmp_path):
    line = {"name": "a", "rates": {}}
    keep("part", [line, {"name": "b"}], tmp_path)
    keep("part", [{"name": "a", "rates": {"x": 1}}], tmp_path)
    found = read("part", tmp_path)["lines"]
    assert [one["name"] for one in found] == ["a", "b"] and found[0]["rates"] == {"x": 1}


def test_a_rate_is_outside_a_limit_only_beyond_its_error():
    found = [("near", 0.925, 0.004), ("far", 0.90, 0.004), ("high", 0.99, 0.002)]
    assert findings.outside(found, 0.93, 0.97) == ["far: 0.900 (4)", "high: 0.990 (2)"]


def test_lines_together_count_by_their_tables_and_not_by_the_luck_of_their_errors() -> None:
    def line(rate: float, error: float, tables: int) -> dict[str, Any]:
        rates = {"held": {"rate": rate, "error": error, "tables": tables}}
        return {"name": "", "design": {"judges": 20, "prompts": 0}, "rates": rates}

    # 80 tables without a miss and 400 of which 20 miss: 460 of 480, error .0091.
    found = [line(1.0, 0.0, 80), line(0.95, 0.011, 400)]
    assert findings.pooled(found, "held", True) == "0.958 (9)"
    assert findings.pooled(found, "held", False) == "(not simulated)"
