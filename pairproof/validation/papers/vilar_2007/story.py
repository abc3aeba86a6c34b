"""Vilar et al. (2007): R, its standard errors and the sign test of every pair of Table 2, and of every judge,
against R's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ....bridge.oracles import competitions
from ....native.ranking.two_systems import BinaryResult, TwoSystems, compare_all_pairs
from ....report.blocks import Table
from ...report import Story, WorthSeries
from ...report.numbers import digits as digits_text
from ..compared_with_r import Answer, Held, Place, digits_rows, rows_beside_r

if TYPE_CHECKING:
    from ....bridge.oracles.competitions import RBinaries
    from ....bridge.process.policy import Backend
    from ...check import Checker
    from ...verdicts.agreement import Agreement

PAPER = "vilar-2007"
#: What each number is held against; equation 6 is the algebra of 4, which R takes from the single votes.
MEAN, T_TEST, EQUATION_4, BINOM = "base::mean", "stats::t.test", "base R, equation 4", "stats::binom.test"
CALLS = f"{MEAN}, {T_TEST}, {BINOM}"
SUMS = Place(PAPER, "table-2-sums", "Table 2, column \u03a3")
JUDGES = Place(PAPER, "single-judges", "Table 2, single judges")


def further(checker: Checker, backend: Backend) -> list[Agreement]:
    """Four numbers of each pair, judges summed and one by one; R is asked twice, once for each."""
    pairs = compare_all_pairs(checker.data("table-2"))
    return _rows(SUMS, {_name(t.merged): t.merged for t in pairs}, "pairs-of-systems", backend) + _rows(
        JUDGES, {_name(r): r for t in pairs for r in t.by_judge}, "pairs-of-systems-by-judge", backend
    )


def _name(result: BinaryResult) -> str:
    return f"{result.first}-{result.second}" + (f".{result.judge}" if result.judge is not None else "")


def _rows(
    place: Place, results: Mapping[str, BinaryResult], together: str, backend: Backend
) -> list[Agreement]:
    counts = [[getattr(r, kind) for r in results.values()] for kind in ("wins", "ties", "losses")]

    def rows(answer: Answer[RBinaries]) -> list[Agreement]:
        return digits_rows(place, _numbers(results, answer.value), answer.result)

    said = f"R, its standard errors and the sign test of {len(results)} comparisons"
    ask = partial(competitions.binaries, *counts, backend=backend)
    return rows_beside_r(place, {together: None}, CALLS, said, backend, ask, rows)


def _numbers(results: Mapping[str, BinaryResult], of_r: RBinaries) -> Iterator[Held]:
    for k, (name, own) in enumerate(results.items()):
        assert (
            own.se_mean is not None and own.se_vilar is not None
        )  # no pair of Table 2 has one sentence only
        yield Held(f"estimate.R.{name}", own.R, float(of_r.R[k]), MEAN)
        yield Held(f"se.R.{name}", own.se_mean, float(of_r.se_mean[k]), T_TEST)
        yield Held(f"se.equation-6.{name}", own.se_vilar, float(of_r.se_vilar[k]), EQUATION_4)
        yield Held(f"test_p.sign.{name}", own.p_sign, float(of_r.p_sign[k]), BINOM)


# -- the story -----------------------------------------------------------------------------------------------


def story(checker: Checker, agreements: Sequence[Agreement]) -> tuple[Story, ...]:
    """Table 2 with standard errors and tests, and what R said of each number."""
    pairs = compare_all_pairs(checker.data("table-2"))
    rows = {(a.claim, str(a.quantity)): a for a in agreements if a.paper == PAPER and a.about == "native-r"}
    table = Table(
        (
            "pair",
            *(
                cell
                for head in ("R", "se, equation 6", "se of a mean", "p, sign test")
                for cell in (head, "digits")
            ),
        ),
        tuple(_line(t, rows) for t in pairs),
        "Sentences of all judges summed; beside each number the digits it shares with R's",
    )
    of_r = [a for a in rows.values() if a.claim in (SUMS.claim, JUDGES.claim) and a.r is not None]
    said = (
        f"R was asked for {len(of_r)} numbers, those of the seven pairs below and of each of the judges: the"
        " mean of the single votes, its standard error by t.test, equation 4 written out vote by vote, and"
        " binom.test."
        if of_r
        else "R has no numbers here: "
        + "; ".join(dict.fromkeys(a.explanation for a in rows.values() if a.claim == SUMS.claim))
        + "."
    )
    factor = max((t.merged.se_vilar or 0.0) / (t.merged.se_mean or 1.0) for t in pairs)
    return (
        Story(
            "Table 2 in R",
            (
                said,
                (
                    "The paper calls its equation 4 the standard error of R; R's t.test has another one,"
                    " smaller by sqrt((m - 1) / m). With all judges' sentences together the factor is"
                    f" {factor:.4f} at most, and nothing in the paper depends on it."
                ),
            ),
            table,
        ),
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


def worths(checker: Checker) -> tuple[WorthSeries, ...]:
    """None: the paper fits no model."""
    return ()
