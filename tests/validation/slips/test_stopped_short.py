"""Who is wrong where native and R differ: shown by the score, never by trust; and where nothing differs but
rounding.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from pairproof.bridge.programs.counted_cells import count
from pairproof.data.comparisons import Comparisons
from pairproof.fit.fit import Fit
from pairproof.native.comparisons.contests.bradley_terry import fit_bradley_terry
from pairproof.native.comparisons.counts.llbt import fit_llbt
from pairproof.validation.r_answers.stopped_short import rounding, score_check
from pairproof.validation.report.rendering import ReportContext, render_junit, render_text
from pairproof.validation.report.verification import Verification
from pairproof.validation.verdicts.against_r import compare_fit
from pairproof.validation.verdicts.agreement import Agreement, RCounterpart, exit_code
from pairproof.validation.verify import agree
from tests.certified.load import load
from tests.native.comparisons.counts.certified_cases import FITS, native
from tests.validation.fakes import values_of
from tests.validation.slips import stress

GNM = "gnm::gnm(eliminate)"
live = pytest.mark.r("prefmod", "gnm", "BradleyTerry2", "psychotools", "MASS")


def dras() -> Fit:
    return native(load("dras-table1--llbt-davidson"))


def answer(fit: Fit, truth: Fit, moved: float, converged: bool | None = None, **other: float) -> RCounterpart:
    """An R that stopped `moved` standard errors from the maximum of `truth`, asked about `fit`."""
    steps = moved * (-1.0) ** np.arange(len(truth.names))
    at = replace(
        truth, beta=np.where(truth.is_reference, 0.0, truth.beta + steps * truth.bse.fillna(0).to_numpy())
    )
    below = float(0.5 * steps @ steps)
    values = {
        **values_of(at),
        "deviance": truth.deviance + 2 * below,
        "llf": truth.llf - below,
        "aic": truth.aic + 2 * below,
        **other,
    }
    bare = RCounterpart(GNM, "live", values, converged=converged)
    cells = count(fit)
    return replace(bare, score=score_check(fit, cells, bare), rounding=rounding(fit, cells, bare, False))


def verdicts(rows: list[Agreement]) -> dict[str, str]:
    return {a.quantity: a.verdict for a in rows}


# -- R stopped short -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("converged", "said"),
    [
        (False, "R did not converge: "),
        (True, "R stopped before the maximum: "),
        (None, "R stopped before the maximum: "),
    ],
)
def test_a_number_of_an_r_that_had_not_arrived_checks_nothing_and_is_shown_with_its_digits(
    converged: bool | None, said: str
) -> None:
    fit = dras()
    row = next(a for a in compare_fit(fit, [answer(fit, fit, 1e-6, converged)]) if a.quantity == "estimate.A")
    assert row.verdict == "not-checkable" and row.explanation.startswith(said) and not row.r_arrived
    assert (
        row.digits is not None
        and 5.5 < row.digits < 7.5
        and f"share {row.digits:.1f} digits" in row.explanation
    )


def test_an_r_that_did_not_converge_and_gave_the_same_numbers_agrees() -> None:
    fit = dras()
    assert set(verdicts(compare_fit(fit, [answer(fit, fit, 1e-13, False)])).values()) == {"agrees"}


@pytest.mark.parametrize("converged", [False, True, None])
@pytest.mark.parametrize(
    ("quantity", "spoil"),
    [
        ("estimate.B", lambda f: replace(f, beta=f.beta + 1e-6 * f.bse["B"] * (np.array(f.names) == "B"))),
        ("df_resid", lambda f: replace(f, df_resid=f.df_resid + 1)),
        ("llf", lambda f: replace(f, llf=f.llf * (1 + 1e-7))),
        ("deviance", lambda f: replace(f, deviance=f.deviance * (1 - 1e-6))),
        ("deviance", lambda f: replace(f, deviance=f.deviance * 1.01)),
    ],
)
def test_an_r_that_had_not_arrived_does_not_hide_a_native_number_that_is_wrong(
    converged: bool | None, quantity: str, spoil
) -> None:
    truth = dras()
    wrong = spoil(truth)
    rows = compare_fit(wrong, [answer(wrong, truth, 1e-5, converged)])
    assert verdicts(rows)[quantity] == "differs" and exit_code(rows) == 1


def test_an_estimate_a_millionth_of_its_error_off_is_found_by_the_score_though_ten_digits_agree() -> None:
    rows = [(0, 1, 3_000_000, 1_000_000), (0, 2, 2_000_000, 1_500_000), (1, 2, 1_200_000, 1_400_000)]
    first, second, won, lost = zip(*rows)
    truth = fit_bradley_terry(Comparisons.build(["x", "y", "z"], first, second, won, None, lost))
    spoilt = replace(truth, beta=truth.beta + 1e-6 * truth.bse["y"] * np.array([0.0, 1.0, 0.0]))
    row = next(a for a in compare_fit(spoilt, [answer(spoilt, truth, 0.0)]) if a.quantity == "estimate.y")
    assert (
        row.digits is not None
        and row.digits > 8.5
        and row.verdict == "differs"
        and "native is not at the maximum" in row.explanation
    )


@pytest.mark.parametrize("case", FITS, ids=lambda c: c["id"])
def test_native_stands_where_the_score_is_zero_on_every_certified_fit(case: dict) -> None:
    fit = native(case)
    values = {f"estimate.{n}": float(b) for n, b in zip(fit.names, fit.beta)}
    seen = score_check(fit, count(fit), RCounterpart("R", "live", values))
    if seen is None:
        assert fit.null_space.shape[1]  # a tie parameter at minus infinity: nothing can be shown
        return
    # The limit of `AT_MAXIMUM`; observed at most 9.8e-14 (uneven-counts) and 1.9e-14.
    assert seen.native_step < 1e-8 and seen.native_se < 1e-8 and seen.below == 0.0


def test_what_r_did_not_check_is_counted_as_compared_by_no_report() -> None:
    fit = dras()
    checked = Verification(tuple(compare_fit(fit, [answer(fit, fit, 1e-6, False)])))
    short = [a for a in checked if not a.r_arrived]
    assert short and checked.compared == len(checked) - len(short) and checked.exit_code == 0
    assert f"did not converge: its numbers cannot check {len(short)} of native's" in str(checked)
    assert next(line for line in str(checked).splitlines() if line.startswith("estimate.A")).endswith("~")
    assert f"{len(short)} not checkable" in render_text(list(checked), ReportContext())
    xml = render_junit(list(checked), ReportContext())
    assert f'skipped="{len(short)}"' in xml and xml.count("<skipped") == len(short) and 'failures="0"' in xml


def test_a_fit_that_only_an_unfinished_r_was_asked_about_is_not_shown_to_agree() -> None:
    fit = dras()
    rows = tuple(a for a in compare_fit(fit, [answer(fit, fit, 1e-5, False)]) if not a.r_arrived)
    checked = Verification(rows, require_r=True)
    assert rows and not checked.agrees and checked.compared == 0 and checked.exit_code == 2


# -- rounding ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("zero", [0.0, 1e-15, -5.3e-15, 8e-29])
def test_a_deviance_of_zero_and_what_rounding_leaves_of_it_are_the_same_number(zero: float) -> None:
    fit = stress.Case("equal", ("A", "B", "C"), stress.equal(3, 5, 3)).fit()
    rows = compare_fit(replace(fit, deviance=0.0), [answer(fit, fit, 0.0, deviance=zero)])
    assert verdicts(rows)["deviance"] == "agrees"
    assert agree(replace(fit, deviance=0.0), {"deviance": zero})[0].verdict == "agrees"


@pytest.mark.parametrize("deviance", [1e-11, -1e-12, 1e-6])
def test_a_deviance_that_is_more_than_rounding_differs_from_zero(deviance: float) -> None:
    fit = stress.Case(
        "equal", ("A", "B", "C"), stress.equal(3, 5, 3)
    ).fit()  # 39 comparisons: 4 eps of them is 3.5e-14
    assert verdicts(compare_fit(fit, [answer(fit, fit, 0.0, deviance=deviance)]))["deviance"] == "differs"


def test_a_p_value_is_held_to_the_digits_of_its_z() -> None:
    fit = fit_llbt(Comparisons.build(["x", "y"], [0], [1], [3000], None, [100]))
    z = float(fit.zvalues["x"])
    p = math.erfc(abs(z) * (1 + 1e-11) / math.sqrt(2))
    right = answer(fit, fit, 0.0, **{"p.x": p})
    assert 30 < z < 37 and verdicts(compare_fit(fit, [right]))["p.x"] == "agrees"
    wrong = answer(fit, fit, 0.0, **{"p.x": float(fit.pvalues["x"]) * 1.01})
    assert verdicts(compare_fit(fit, [wrong]))["p.x"] == "differs"


def test_a_p_value_that_no_double_holds_is_told_as_a_bound_and_never_as_zero() -> None:
    fit = fit_llbt(Comparisons.build(["x", "y"], [0], [1], [900_000], None, [1_000]))
    assert float(fit.pvalues["x"]) == 0.0
    text = str(Verification(tuple(compare_fit(fit, [answer(fit, fit, 0.0)]))))
    row = next(line for line in text.splitlines() if line.startswith("p.x"))
    assert "< 1e-300" in row


# -- live R --------------------------------------------------------------------------------------------------

#: Tables on which right fits were called wrong: all equal, fitted exactly, near separation, separated judges;
#: ties and judges.
CHOSEN = (10, 12, 18, 29, 52, 68, 72)


@pytest.mark.nightly
@live
@pytest.mark.parametrize("k", CHOSEN)
def test_no_right_fit_is_called_wrong_and_no_wrong_one_right(k: int) -> None:
    case = next(c for c in stress.cases(k + 1) if c.name.startswith(f"{k:03d}"))
    seen = stress.run(case)
    # Fewest digits of native against 50-digit values on these tables: 12.9 (a deviance of 0.8 of 3e7
    # comparisons).
    assert seen.digits is None or seen.digits > 12
    assert not seen.stopped and seen.wrong == [] and seen.missed == []
