"""Vilar et al. (2007): R, its standard errors and the sign test of every pair of Table 2, and of every judge,
against R's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain

import numpy as np

from ....bridge.process.policy import Backend
from ....fit.estimates.tails import p_words
from ....fit.many.simultaneous import log10_holm
from ....native.competitions.ranking.two_systems import BinaryResult, TwoSystems, compare_all_pairs
from ....report.blocks import Cell, Column, Table
from ...check.checker import Checker
from ...report.context import Story
from ...report.notation import digits as digits_text
from ...statements.under_clustering import p_text, statistic, survives_cell
from ...verdicts.agreement import Agreement
from ..asked_of_base_r import BaseR, binaries
from ..compared_with_r import Held, Place, held_beside_r
from ..told import Words
from .statements import PairByJudges, pairs_by_judges

PAPER, WORDS = "vilar-2007", Words(__package__)
#: The paper's "confidence of 95%".
ALPHA = 0.05
#: What each number is compared with; equation 6 is the algebra of 4, which R takes from the single votes.
MEAN, T_TEST, EQUATION_4, BINOM = "base::mean", "stats::t.test", "base R, equation 4", "stats::binom.test"
CALLS = f"{MEAN}, {T_TEST}, {BINOM}"
SUMS = Place(PAPER, "table-2-sums", "Table 2, column \u03a3")
JUDGES = Place(PAPER, "single-judges", "Table 2, single judges")


def further(checker: Checker, backend: Backend) -> list[Agreement]:
    """Four numbers of each pair, judges summed and one by one; R is asked twice, once for each."""
    pairs = compare_all_pairs(checker.data("table-2"))
    sums = {_name(t.merged): t.merged for t in pairs}
    by_judge = {_name(r): r for t in pairs for r in t.by_judge}
    found = _rows(SUMS, sums, "pairs-of-systems", backend)
    return found + _rows(JUDGES, by_judge, "pairs-of-systems-by-judge", backend)


def _name(result: BinaryResult) -> str:
    return f"{result.first}-{result.second}" + (f".{result.judge}" if result.judge is not None else "")


def _rows(
    place: Place, results: Mapping[str, BinaryResult], together: str, backend: Backend
) -> list[Agreement]:
    counts = [[getattr(r, kind) for r in results.values()] for kind in ("wins", "ties", "losses")]

    said = f"R, its standard errors and the sign test of {len(results)} comparisons"
    ask = partial(binaries, *counts, backend=backend)
    return held_beside_r(place, together, CALLS, said, backend, ask, partial(_numbers, results))


def _numbers(results: Mapping[str, BinaryResult], of_r: BaseR) -> Iterator[Held]:
    for k, (name, own) in enumerate(results.items()):
        # No pair of Table 2 has one sentence only.
        assert own.se_mean is not None and own.se_vilar is not None
        yield Held(f"estimate.R.{name}", own.R, float(of_r["R"][k]), MEAN)
        yield Held(f"se.R.{name}", own.se_mean, float(of_r["se_mean"][k]), T_TEST)
        yield Held(f"se.equation-6.{name}", own.se_vilar, float(of_r["se_vilar"][k]), EQUATION_4)
        yield Held(f"test_p.sign.{name}", own.p_sign, float(of_r["p_sign"][k]), BINOM)


# -- the story -----------------------------------------------------------------------------------------------


def story(checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
    """Table 2 with standard errors and tests, and what R said about each number."""
    pairs = compare_all_pairs(checker.data("table-2"))
    rows = {(a.claim, str(a.quantity)): a for a in agreements if a.paper == PAPER and a.about == "native-r"}
    heads = [(head, "digits") for head in ("R", "se, equation 6", "se of a mean", "p, sign test")]
    table = Table(
        ("pair", *chain(*heads)),
        tuple(_line(t, rows) for t in pairs),
        "Sentences of all judges summed; next to each number, the digits it has in common with R's",
    )
    n = sum(a.claim in (SUMS.claim, JUDGES.claim) and a.r is not None for a in rows.values())
    why = dict.fromkeys(a.explanation for a in rows.values() if a.claim == SUMS.claim)
    asked = WORDS.say("asked", n=n) if n else f"R has no numbers here: {'; '.join(why)}."
    factor = max((t.merged.se_vilar or 0.0) / (t.merged.se_mean or 1.0) for t in pairs)
    return (
        WORDS.section("table-2", table, asked=asked, factor=factor),
        _judges(pairs_by_judges(checker.data("table-2"))),
    )


def _judges(pairs: Sequence[PairByJudges]) -> Story:
    """Every pair with a judge as the unit, and what becomes of the paper's conclusions."""
    calls = [(p, bool(p.merged.significant)) for p in pairs]
    kept = [p.name for p, said in calls if p.significant(ALPHA) == said]
    beyond = [p for p, said in calls if said]
    adjusted = 10.0 ** log10_holm(np.log10([p.tests.judge_means.p for p in beyond]))
    table = Table(
        (
            *("pair", "R", "R / se, equation 6", "t, judges' means", "p", "p, sign flips"),
            *("log-odds, CR2: t", "p", "judges differ: p"),
            *(Column(head, "left") for head in ("in the paper", "under clustering")),
        ),
        tuple(_judges_line(p, said) for p, said in calls),
        "Sentences of all judges summed, and with judges as units",
    )
    most = max(pairs, key=lambda p: abs(p.merged.z or 0.0))
    return WORDS.section(
        "judges",
        table,
        most=most,
        n_judges=most.tests.judge_means.df + 1,
        differ=p_words(max(p.tests.judges_differ.p for p in pairs), digits=2),
        p=p_words(most.tests.judge_means.p, digits=2),
        count="all" if len(kept) == len(pairs) else f"{len(kept)} of",
        n_pairs=len(pairs),
        told=", ".join(p.name for p, said in calls if said and p.significant(ALPHA)),
        open=" and ".join(p.name for p, said in calls if not said and not p.significant(ALPHA)),
        n_beyond=len(beyond),
        adjusted=p_words(float(adjusted.max()), digits=2),
    )


def _judges_line(pair: PairByJudges, said: bool) -> tuple[str | Cell, ...]:
    means = pair.tests.judge_means
    return (
        pair.name,
        f"{pair.merged.R:+.4f}",
        f"{pair.merged.z or 0.0:.2f}",
        f"{means.statistic:.2f} on {means.df:.0f} df",
        p_words(means.p, digits=2),
        p_words(pair.tests.sign_flips.p, digits=2),
        statistic(pair.cluster),
        p_text(pair.cluster),
        p_words(pair.tests.judges_differ.p, digits=2),
        "differ" if said else "no difference",
        survives_cell(pair.significant(ALPHA) == said),
    )


def _line(two: TwoSystems, rows: Mapping[tuple[str, str], Agreement]) -> tuple[str, ...]:
    own, cells = two.merged, [f"{two.merged.first} and {two.merged.second}"]
    shown: tuple[tuple[str, float | None, Callable[[float], str]], ...] = (
        ("estimate.R", own.R, lambda x: f"{x:+.4f}"),
        ("se.equation-6", own.se_vilar, lambda x: f"{x:.6f}"),
        ("se.R", own.se_mean, lambda x: f"{x:.6f}"),
        ("test_p.sign", own.p_sign, lambda x: f"{x:.3g}"),
    )
    for kind, value, text in shown:
        row = rows.get((SUMS.claim, f"{kind}.{_name(own)}"))
        cells += ["-" if value is None else text(value), digits_text(row.digits if row is not None else None)]
    return tuple(cells)
