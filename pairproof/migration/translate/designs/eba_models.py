"""eba's models without common aspects, in Python: worths of Bradley and Terry, with an order effect; Thurstone's case V; strans.

eba's worths have no fixed sum: the likelihood depends on their ratios only, and its nlm leaves the sum where it ends.
Worths here sum to 1, and R's estimates are these times the sum of that run.  nlm stops early and says so nowhere (worths
off by 3e-5 at 10 items and 1e-3 at 60); the rows of a fit say where that is the reason of a difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ....bridge.capture.recorded import RecordedCall
from ....bridge.values.nodes import RList
from ....fit.fit import Fit
from ....validation.claims.quantities import aic_glm
from ....validation.r_answers.translate import RParameters
from ....validation.verdicts.agreement import Agreement
from ..as_r import eba_worths
from ..python_code import Call
from ..recorded_answers import all_known, matrix_of, needed, stays_if
from ..rows import Beside, in_column, of_fit
from ..translation import Context, Translation, made, translates, why_not_finite
from .recorded_design import contest_call

#: Digits of estimates that eba's print() shows, and half a one for what is rounded (observed: 3 to 7).
SHOWN = 4.5
WHY = "eba's search stops early, and its standard errors are by finite differences"
EBA, GLM = "eba::eba", "stats::glm, default epsilon"
TRANSITIVITY = "pairproof.native.comparisons.transitivity.stochastic_transitivity"


def _contests(call: RecordedCall, *tables: Any) -> tuple[list[str], list[Any], list[Any]]:
    """Items, positions of first and second, wins of both; pairs of a second table are the other way round."""
    lost = "its table of wins was not recorded"
    wins = [needed(t, lost).floats() for t in tables]
    square = all(w.ndim == 2 and w.shape == (len(wins[0]),) * 2 for w in wins)
    stays_if(not square or any(np.isnan(w[~np.eye(len(w), dtype=bool)]).any() for w in wins), lost)
    margins = needed(tables[0], lost).dimnames or ()
    items = next((list(m) for m in reversed(margins[:2]) if m), [str(k + 1) for k in range(len(wins[0]))])
    i, j = np.triu_indices(len(items), 1)
    sides = [(i, j), (j, i)][: len(wins)]
    counted = [(w[a, b], w[b, a]) for w, (a, b) in zip(wins, sides)]
    first, second = (np.concatenate(own) for own in zip(*sides))
    won, lost_ = (np.concatenate(own) for own in zip(*counted))
    return items, [first, second], [won, lost_]


def _table(call: RecordedCall) -> Any:
    """Its argument M: a matrix, or a data frame of numbers."""
    given = call.values.get("M")
    return matrix_of(given) if isinstance(given, RList) else call.argument("M")


def _fit_call(call: RecordedCall, *tables: Any, **options: Any) -> Call:
    items, sides, counted = _contests(call, *tables)
    named = dict(zip(("first", "second"), sides))
    given = {"reference": items[0], **options}
    code = contest_call("fit_bradley_terry", named, (*counted, None), items, {}, call.variable, {}, given)
    infinite = why_not_finite(code)
    stays_if(infinite, f"R's numbers are from the point where its search stopped: {infinite}")
    return code


def _check(call: RecordedCall) -> None:
    all_known(call, "A", "s", "constrained")
    stays_if(call.values.get("A") is not None, "it is a model of elimination by aspects, which eba fits")


@translates(EBA, "eba::OptiPt")
def eba(call: RecordedCall, context: Context) -> Translation:
    """`fit_bradley_terry(read(wins))`."""
    _check(call)
    code = _fit_call(call, _table(call))
    least = min(
        (a.digits or 0.0 for a in _rows(call, made(code)) if a.quantity.kind == "estimate"), default=0.0
    )
    stays_if(
        least < SHOWN,
        f"eba's search ended at {least:.1f} digits of the maximum: what is printed of it is R's own",
    )
    return Translation("native", code, judge=partial(_rows, call))


@translates("eba::eba.order")
def eba_order(call: RecordedCall, context: Context) -> Translation:
    """`fit_bradley_terry(read(wins), order_effect=True)`: an array of two tables, or two."""
    _check(call)
    one, other = call.argument("M1"), call.argument("M2")
    if other is None:
        whole = needed(one, "its tables of wins were not recorded")
        stays_if(whole.values.ndim != 3 or whole.values.shape[2] != 2, "its tables of wins were not recorded")
        one, other = (_part(whole, k) for k in (0, 1))
    code = _fit_call(call, one, other, order_effect=True)
    return Translation("native", code, judge=partial(_rows, call))


def _part(whole: Any, k: int) -> Any:
    margins = (whole.dimnames or (None,) * 3)[:2]
    return type(whole)(whole.values[:, :, k], whole.na[:, :, k], dimnames=margins)


def _parameters(call: RecordedCall, items: Sequence[str]) -> RParameters:
    """R's worths, and order effect, as log-odds against the first item: the second of two is eba's order, -order here."""
    p, n = needed(call.vector("coef"), "its estimates were not recorded").floats().ravel(), len(items)
    slope = np.diag([*(1 / p[:n]), *(-1 / p[n:])])  # of the logs
    slope[:n] -= slope[0]
    v = call.matrix("vcov")
    spread = np.full((len(p),) * 2, np.nan) if v is None else slope @ v.floats() @ slope.T
    b = np.concatenate([np.log(p[:n] / p[0]), -np.log(p[n:])])
    names = (*items[1:], *(["order"] if len(p) > n else []))
    return RParameters(names, b[1:], spread[1:, 1:], "log-odds", items[0])


def _numbers(call: RecordedCall, fit: Fit) -> dict[str, float]:
    """Its test against the saturated model, and its log-likelihood less the constants of binomial counts."""
    deviance, df, *_ = needed(call.vector("goodness"), "its test was not recorded").floats()
    found, loglik = {"deviance": float(deviance), "df_resid": float(df)}, call.number("loglik")
    constants = fit.rank - aic_glm(fit) / 2 - fit.llf
    return found if loglik is None else {**found, "llf": loglik - constants}


def _rows(call: RecordedCall, fit: Fit) -> Sequence[Agreement]:
    ordered = "order" in fit.params
    rows = of_fit(
        call, fit, _parameters(call, fit.items), _numbers(call, fit), WHY, name=EBA, errors=not ordered
    )
    return [*rows, *(_errors(call, fit) if ordered else [])]


def _errors(call: RecordedCall, fit: Fit) -> Sequence[Agreement]:
    """Standard errors of worths as eba has them beside an order effect: as if it were known."""
    p, v = call.vector("coef"), call.matrix("vcov")
    if p is None or v is None:
        return []
    total = p.floats()[: len(fit.items)].sum()
    theirs, names = np.sqrt(np.diag(v.floats()))[: len(fit.items)] / total, list(fit.items)
    ours = eba_worths(fit)["se"].iloc[: len(names)]
    return Beside(call, 2.0, WHY).listed("se_of_worths", ours, theirs, [""] * len(names), names=names)


@translates("eba::thurstone")
def thurstone(call: RecordedCall, context: Context) -> Translation:
    """`fit_bradley_terry(read(wins), link="probit")`: R has estimates and no standard errors."""
    code = _fit_call(call, _table(call), link="probit")

    def judge(fit: Fit) -> Sequence[Agreement]:
        p = needed(call.vector("coef"), "its estimates were not recorded").floats().ravel()[1:]
        known = RParameters(tuple(fit.items[1:]), p, np.full((len(p),) * 2, np.nan), "log-odds", fit.items[0])
        return of_fit(call, fit, known, _numbers(call, fit), name=GLM, errors=False)

    return Translation("native", code, judge=judge)


@translates("eba::strans")
def strans(call: RecordedCall, context: Context) -> Translation:
    """`stochastic_transitivity(read(wins))`."""
    items, sides, counted = _contests(call, _table(call))
    code = contest_call(
        "fit_bradley_terry",
        dict(zip(("first", "second"), sides)),
        (*counted, None),
        items,
        {},
        call.variable,
        {},
        {},
    )
    found = needed(call.frame("value"), "its result was not recorded")
    test, total = found.vector("wst.fit").floats(), sum(counted)
    other = bool(test[1]) and len(np.unique(total)) > 1
    stays_if(other, "pairs were compared unequally often, and R takes the counts of other pairs for its test")

    def judge(table: pd.DataFrame) -> Sequence[Agreement]:
        r, kinds = Beside(call), list(table.index)
        theirs = [float(found.vector(kind).floats()[0]) for kind in kinds]
        rows = r.listed(
            "violations", table["violations"], theirs, in_column(table, "violations"), names=kinds
        )
        names = ["deviance", "df", "p"]
        places = [f"{n} / weak" for n in names]
        return [*rows, *r.listed("weak", table.loc["weak", names], test, places, names=names)]

    return Translation("native", Call(TRANSITIVITY, code.arguments), judge=judge)
