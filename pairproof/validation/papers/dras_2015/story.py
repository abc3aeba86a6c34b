"""Dras (2015): the swapped columns, judge 3, the four judges as clusters (which differences of systems survive,
and why some do not), the table on which prefmod stops, and the tests beside the model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from ....bridge.packages import base
from ....bridge.process.policy import Backend
from ....data.comparisons import Comparisons
from ....fit.estimates.array_inference import normal_quantile
from ....fit.estimates.tails import p_equals, p_words
from ....fit.fit import Fit
from ....fit.many.simultaneous import log10_holm
from ....fit.shown.fit_plots import worth_figure
from ....native.competitions.ranking.sign_test import (
    SignTest,
    first_preferences_by_judge,
    friedman_by_judge,
    sign_test,
)
from ....native.competitions.ranking.tests_by_judge import mean_preferences
from ....native.competitions.ranking.two_systems import compare_two
from ....report.blocks import Table
from ...check.checker import Checker
from ...claims.quantities import counts_of, kind_of
from ...report.context import Story
from ...statements.under_clustering import Effect, effects_of, effects_table
from ...verdicts.agreement import Agreement
from ..compared_with_r import Answer, Held, Place, digits_rows, rows_beside_r
from ..told import Words

WORDS = Words(__package__)

#: The paper's ranking, best first.
RANKING = ("A", "D", "B", "C")
ALPHA = 0.05


def under_clustering(checker: Checker) -> Story:
    """The section of the report: every pair of systems and the tie parameter, clustered by judge."""
    fit = checker.fit("table-1")
    effects = effects_of(fit, ["judge"], list(combinations(RANKING, 2)), {"tie": "negative"})
    kept = [e.name for e in effects if e.survives(ALPHA)]
    lost = [e.name for e in effects if not e.survives(ALPHA)]
    ratios = [e.clustered[0].se / e.independent.se for e in effects if e.name != "tie"]
    return WORDS.section(
        "four-judges",
        effects_table(effects, "by judge", ALPHA, "Table 1 as headed; differences on the lambda scale"),
        fit=fit,
        kept=", ".join(kept),
        lost=", ".join(lost),
        shortest=min(ratios),
        longest=max(ratios),
        together=_together(effects),
        first_pair=_first_pair(checker.data("table-1")),
    )


def _together(effects: Sequence[Effect]) -> str:
    """Which differences of systems survive Holm's adjustment for all of them."""
    pairs = [e for e in effects if e.name != "tie"]
    adjusted = 10.0 ** log10_holm(np.log10([e.clustered[0].p for e in pairs]))
    shown = [(e, p, f"{e.name} (p = {p_words(float(p), digits=2)})") for e, p in zip(pairs, adjusted)]
    said = [text for _, p, text in shown if p < ALPHA]
    lost = [text for e, p, text in shown if p >= ALPHA and e.survives(ALPHA)]
    gone = f", and {', '.join(lost)} does not" if lost else ""
    return f"with Holm's adjustment for all {len(pairs)} differences, {' and '.join(said) or 'none'} remain{gone}"


def _first_pair(table: Comparisons) -> str:
    """Judges' own means of A over D, which show where the spread comes from."""
    tests = compare_two(table, "A", "D").tests
    means, differ = mean_preferences(tests.first, tests.second, tests.ties), tests.judges_differ
    return WORDS.say(
        "first-pair",
        means=", ".join(f"{m:+.3f}" for m in means),
        t=tests.judge_means,
        p=p_words(tests.judge_means.p, digits=2),
        differ=differ,
        p_differ=p_words(differ.p, digits=2),
        signs=_signs(table),
    )


def _signs(table: Comparisons) -> str:
    """Exact p of each pair of systems by the signs of the judges' means."""
    found = ((compare_two(table, a, b).tests.sign_flips.p, a, b) for a, b in combinations(RANKING, 2))
    return ", ".join(f"{p_words(p, digits=3)} for {a} - {b}" for p, a, b in found)


PAPER = "dras-2015"
BINOM, FRIEDMAN = "stats::binom.test", "stats::friedman.test"


# -- tests beside the model ----------------------------------------------------------------------------------


def further(checker: Checker, backend: Backend) -> list[Agreement]:
    """Sign tests of two data sets, ties dropped and split, and Friedman's test of Table 1, against R's."""
    found: list[Agreement] = []
    for name in ("modpref", "collins"):
        for test in _sign_tests(checker, name):
            place = (f"sign-test-{name}", f"ties-{'dropped' if test.rule == 'drop' else 'split'}")
            ask = partial(base.binom_test, test.wins, test.wins + test.losses, backend=backend)
            found += _rows(*place, {"test_p": test.p}, BINOM, str(test), backend, ask)
    own = friedman_by_judge(checker.data("table-1"))
    scores = first_preferences_by_judge(checker.data("table-1"))
    ask = partial(base.friedman_test, scores, backend=backend)
    numbers = {"test_statistic": own.statistic, "test_df": own.df, "test_p": own.p}
    return found + _rows("friedman", "Table-1", numbers, FRIEDMAN, str(own), backend, ask)


def _sign_tests(checker: Checker, data: str) -> tuple[SignTest, SignTest]:
    ((wins, ties, losses),) = checker.data(data).pooled().values()
    return sign_test(wins, losses, ties), sign_test(wins, losses, ties, rule="split")


def _rows(
    claim: str,
    test: str,
    native: dict[str, float],
    r_call: str,
    said: str,
    backend: Backend,
    ask: Callable[[], base.RTest],
) -> list[Agreement]:
    """A row for each number of a test, R's beside it."""
    place = Place(PAPER, claim, "section 3, page 311")
    numbers = {f"{kind}.{test}": value for kind, value in native.items()}

    def rows(answer: Answer[base.RTest]) -> list[Agreement]:
        r = answer.value
        of_r = {"test_p": r.p_value, "test_statistic": r.statistic, "test_df": r.df}
        held = [Held(name, value, of_r[kind_of(name)], r_call) for name, value in numbers.items()]
        return digits_rows(place, held, answer.result, said)

    return rows_beside_r(place, numbers, r_call, said, backend, ask, rows)


# -- the story -----------------------------------------------------------------------------------------------


def story(checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
    """The sections of the report."""
    return (
        _swapped_columns(checker, agreements),
        _judge_3(checker),
        under_clustering(checker),
        _saturated(checker, agreements),
        _beside(checker),
    )


def _answered_by(agreements: Sequence[Agreement], claim: str, quantity: str) -> str:
    """R functions that gave this number, in words: "stats::glm, refitted and gnm::gnm(eliminate)"."""
    asked = (a for a in agreements if (a.claim, a.quantity) == (claim, quantity) and a.r is not None)
    calls = list(dict.fromkeys(a.r_call for a in asked if a.r_call))
    return ", ".join(calls[:-1]) + (" and " if len(calls) > 1 else "") + calls[-1] if calls else ""


def _swapped_columns(checker: Checker, agreements: Sequence[Agreement]) -> Story:
    right, wrong = checker.fit("table-1"), checker.fit("table-1-prefmod-order")
    right0, wrong0 = checker.fit("table-1-without-ties"), checker.fit("table-1-prefmod-order-without-ties")
    judges = checker.fit("subjects")
    by_r = _answered_by(agreements, "table-1-prefmod-order", "deviance")
    return WORDS.section(
        "swapped-columns",
        _side_by_side((right, wrong), (right0, wrong0), (judges, checker.fit("subjects-prefmod-order"))),
        figures=(
            worth_figure(right, "Table 1 as headed"),
            worth_figure(wrong, "Table 1 in prefmod's order of columns"),
            worth_figure(judges, "Table 1 as headed, by judge"),
        ),
        right=right,
        right0=right0,
        wrong=wrong,
        wrong0=wrong0,
        witnesses=f" This is confirmed by pairproof's own fit and, in R, by {by_r}." if by_r else "",
    )


def _side_by_side(with_ties: Sequence[Fit], without: Sequence[Fit], judges: Sequence[Fit]) -> Table:
    """Fits to the table as headed and to that in prefmod's order: with ties, without, and by judge."""

    def both(name: str, printed: str, value: Callable[[Fit], str], fits: Sequence[Fit]) -> tuple[str, ...]:
        return name, printed, *map(value, fits)

    def estimate(name: str) -> Callable[[Fit], str]:
        return lambda fit: f"{fit.params[name]:.4f} ({fit.bse[name]:.4f})"

    def z(name: str) -> Callable[[Fit], str]:
        return lambda fit: f"{fit.zvalues[name]:.2f}"

    def wins(fit: Fit) -> str:
        counts = sorted(counts_of(fit.data, "wins").items(), key=lambda pair: -pair[1])
        return ", ".join(f"{item} {n:g}" for item, n in counts)

    ratios = (f"{other.deviance / one.deviance:.2f}" for one, other in zip(with_ties, without))
    rows = [
        both("deviance with ties, 8 df", "30.646", lambda f: f"{f.deviance:.3f}", with_ties),
        both("deviance without, 9 df", "221.22", lambda f: f"{f.deviance:.2f}", without),
        ("ratio of the deviances", "seven-fold", *ratios),
    ]
    rows += [both(f"{name}: estimate (se)", "", estimate(name), with_ties) for name in ("A", "B", "C", "tie")]
    rows.append(both("first preferences", "A-D-B-C", wins, with_ties))
    rows.append(both("deviance with judges", "", lambda f: f"{f.deviance:.3f} on {f.df_resid}", judges))
    for item, printed in (("A", "significant"), ("B", "significant"), ("C", "not")):
        rows.append(both(f"z of {item}:judge[3]", printed, z(f"{item}:judge[3]"), judges))
    heads = ("", "printed", "AB AC AD BC BD CD, as headed", "read as AB AC BC AD BD CD")
    return Table(heads, tuple(rows), "Table 1 read in two orders; reference D")


def _judge_3(checker: Checker) -> Story:
    fit = checker.fit("subjects")
    names = [f"{item}:judge[3]" for item in fit.items]
    by_constraint = {f"against {item}": fit.with_reference(item) for item in reversed(fit.items)}
    by_constraint["sum to zero"] = fit.with_reference("sum")
    rows = [tuple([name, *(_z(f, name) for f in by_constraint.values())]) for name in names]
    effects = [(str(n), float(p)) for f in by_constraint.values() for n, p in f.pvalues.dropna().items()]
    others = [p for n, p in effects if "judge[2]" in n or "judge[4]" in n]
    few = f"{sum(p < 0.05 for p in others)} effects of judges 2 and 4 are"
    rest = "no effect of judges 2 and 4 is" if min(others) >= 0.05 else few
    shown = Table(("z of", *by_constraint), tuple(rows), "Effects of judge 3, Table 1 as headed")
    return WORDS.section("judge-3", shown, rest=rest, least=min(others))


def _z(fit: Fit, name: str) -> str:
    z = float(fit.zvalues[name])
    return "reference" if math.isnan(z) else f"{z:.2f}{'*' if abs(z) > normal_quantile(0.975) else ''}"


def _saturated(checker: Checker, agreements: Sequence[Agreement]) -> Story:
    fit = checker.fit("modpref")
    stopped = [c for c in checker.counterparts("modpref") if c.expected and c.r_error]
    own, others = (
        [f"{c.r_call} with \u201c{c.r_error}\u201d" for c in stopped if (c.package == "prefmod") == prefmod]
        for prefmod in (True, False)
    )
    said = f"prefmod's own fitting functions stop on this table: {'; '.join(own)}."
    said += f" So does {'; '.join(others)}." if others else ""
    answers: dict[str, dict[str, float]] = {}
    for a in agreements:
        if a.claim == "modpref" and a.r is not None and a.r_call:
            answers.setdefault(a.r_call, {})[str(a.quantity)] = a.r
    own_cells = [f"{fit.params[n]:.10f} ({fit.bse[n]:.10f})" for n in ("o1", "tie")]
    rows = [("pairproof", *own_cells, f"{fit.deviance:.1g}")]
    for call, values in answers.items():
        cells = [
            f"{values[f'estimate.{n}']:.10f} ({values[f'se.{n}']:.10f})" if f"se.{n}" in values else ""
            for n in ("o1", "tie")
        ]
        rows.append((call, *cells, f"{values['deviance']:.1g}" if "deviance" in values else ""))
    shown = Table(("", "o1 (se)", "g1 (se)", "deviance"), tuple(rows), "61 for, 24 undecided, 35 against")
    stops = f"{said} The table shows functions that fit it." if own else WORDS.say("not-asked")
    return WORDS.section("modpref", shown, fit=fit, stopped=stops)


def _beside(checker: Checker) -> Story:
    rows = []
    for name, data in (("ModPref", "modpref"), ("Collins et al.", "collins")):
        drop, split = _sign_tests(checker, data)
        fit = checker.fit(data)
        one_left = " (one remaining tie dropped)" if split.dropped else ""
        rows.append((name, f"{drop.p:.4g}", f"{split.p:.4g}{one_left}", f"{fit.pvalues['o1']:.4g}"))
    test = friedman_by_judge(checker.data("table-1"))
    heads = ("p-values, two-sided", "sign test, ties dropped", "ties split", "model, o1")
    return WORDS.section("beside", Table(heads, tuple(rows)), test=test, p=p_equals(test.p, digits=3))
