"""eba's functions: in Python what has a model there, the rest by R through the bridge.

Without common aspects its models are in Python: worths of Bradley and Terry, with an order effect; Thurstone's case V;
strans.  eba's worths have no fixed sum: the likelihood depends on their ratios only, and its nlm leaves the sum where it
ends.  Worths here sum to 1, and R's estimates are these times the sum of that run.  nlm stops early and says so nowhere
(worths off by 3e-5 at 10 items and 1e-3 at 60); the rows of a fit say where that is the reason of a difference.

Through the bridge go elimination by aspects, Kendall's u, and what Python refuses: the table of wins by its values, so
that the same call gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ....bridge.capture.recorded import RecordedCall
from ....bridge.packages.eba import AgreementU, AspectModel, ThurstoneModel, Transitivity
from ....bridge.values.nodes import RList, RVector
from ....fit.fit import Fit
from ....validation.claims.quantities import aic_glm
from ....validation.r_answers.translate import RParameters
from ..as_r import eba_worths
from ..python_code import Call, stated, whole_numbers
from ..recorded_answers import all_known, matrix_of, needed, options_of, stays_if
from ..rows import Beside, Places, Rows, in_column, of_fit
from ..translation import Context, Judge, Translation, bridged, in_r, made, stays_unless_finite, translates
from .recorded_design import contest_call

#: Digits of estimates that eba's print() shows, and half a one for what is rounded (observed: 3 to 7).
SHOWN = 4.5
WHY = "eba's search stops early, and its standard errors are by finite differences"
EBA, THURSTONE, STRANS = "eba::eba", "eba::thurstone", "eba::strans"
GLM = "stats::glm, default epsilon"
TRANSITIVITY = "pairproof.native.comparisons.transitivity.stochastic_transitivity"
LOST = "its table of wins was not recorded"


def _table(call: RecordedCall) -> RVector:
    """Its argument M: a matrix, or a data frame of numbers."""
    given = call.values.get("M")
    return needed(matrix_of(given) if isinstance(given, RList) else call.argument("M"), LOST)


def _items(table: RVector) -> list[str]:
    """Names of the items, else 1, 2, ..."""
    return list(table.margin(1) or table.margin(0) or [str(k + 1) for k in range(len(table.values))])


def _contests(call: RecordedCall, *tables: RVector, **options: Any) -> Call:
    """A fit of the wins of both, a row a pair; pairs of a second table are the other way round."""
    wins = [t.floats() for t in tables]
    square = all(w.ndim == 2 and w.shape == (len(wins[0]),) * 2 for w in wins)
    stays_if(not square or any(np.isnan(w[~np.eye(len(w), dtype=bool)]).any() for w in wins), LOST)
    i, j = np.triu_indices(len(wins[0]), 1)
    sides = [(i, j), (j, i)][: len(wins)]
    both = [(w[a, b], w[b, a]) for w, (a, b) in zip(wins, sides)]
    first, second = (np.concatenate(own) for own in zip(*sides))
    won, lost = (np.concatenate(own) for own in zip(*both))
    named, counted, items = {"first": first, "second": second}, (won, lost, None), _items(tables[0])
    given = {"reference": items[0], **options}
    return contest_call("fit_bradley_terry", named, counted, items, call.variable, given)


def _fit_call(call: RecordedCall, *tables: RVector, **options: Any) -> Call:
    code = _contests(call, *tables, **options)
    stays_unless_finite(code, "R's numbers are from the point where its search stopped")
    return code


def _check(call: RecordedCall) -> None:
    all_known(call, "A", "s", "constrained")
    stays_if(call.values.get("A") is not None, "it is a model of elimination by aspects, which eba fits")


@translates(EBA, "eba::OptiPt")
def eba(call: RecordedCall, context: Context) -> Translation:
    """`fit_bradley_terry(read(wins))`."""
    _check(call)
    code = _fit_call(call, _table(call))
    digits = [a.digits or 0.0 for a in _rows(call, made(code)) if a.quantity.kind == "estimate"]
    least = min(digits, default=0.0)
    early = f"eba's search ended at {least:.1f} digits of the maximum: what is printed of it is R's own"
    stays_if(least < SHOWN, early)
    return Translation("native", code, judge=partial(_rows, call))


@translates("eba::eba.order")
def eba_order(call: RecordedCall, context: Context) -> Translation:
    """`fit_bradley_terry(read(wins), order_effect=True)`: an array of two tables, or two."""
    _check(call)
    lost = "its tables of wins were not recorded"
    other = call.argument("M2")
    one = needed(call.argument("M1"), lost if other is None else LOST)
    if other is None:
        stays_if(one.values.ndim != 3 or one.values.shape[2] != 2, lost)
        one, other = (_part(one, k) for k in (0, 1))
    return Translation("native", _fit_call(call, one, other, order_effect=True), judge=partial(_rows, call))


def _part(whole: RVector, k: int) -> RVector:
    return RVector(whole.values[:, :, k], whole.na[:, :, k], dimnames=(whole.dimnames or (None,) * 3)[:2])


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


def _rows(call: RecordedCall, fit: Fit) -> Rows:
    ordered, p = "order" in fit.params, _parameters(call, fit.items)
    rows = of_fit(call, fit, p, _numbers(call, fit), WHY, name=EBA, errors=not ordered)
    return [*rows, *(_errors(call, fit) if ordered else [])]


def _errors(call: RecordedCall, fit: Fit) -> Rows:
    """Standard errors of worths as eba has them beside an order effect: as if it were known."""
    p, v = call.vector("coef"), call.matrix("vcov")
    if p is None or v is None:
        return []
    total = p.floats()[: len(fit.items)].sum()
    theirs, names = np.sqrt(np.diag(v.floats()))[: len(fit.items)] / total, list(fit.items)
    ours = eba_worths(fit)["se"].iloc[: len(names)]
    return Beside(call, 2.0, WHY).listed("se_of_worths", ours, theirs, [""] * len(names), names=names)


@translates(THURSTONE)
def thurstone(call: RecordedCall, context: Context) -> Translation:
    """`fit_bradley_terry(read(wins), link="probit")`: R has estimates and no standard errors."""
    code = _fit_call(call, _table(call), link="probit")

    def judge(fit: Fit) -> Rows:
        p = needed(call.vector("coef"), "its estimates were not recorded").floats().ravel()[1:]
        known = RParameters(tuple(fit.items[1:]), p, np.full((len(p),) * 2, np.nan), "log-odds", fit.items[0])
        return of_fit(call, fit, known, _numbers(call, fit), name=GLM, errors=False)

    return Translation("native", code, judge=judge)


@translates(STRANS)
def strans(call: RecordedCall, context: Context) -> Translation:
    """`stochastic_transitivity(read(wins))`."""
    table = _table(call)
    code, wins = _contests(call, table), table.floats()
    found = needed(call.frame("value"), "its result was not recorded")
    test, total = found.vector("wst.fit").floats(), (wins + wins.T)[np.triu_indices(len(wins), 1)]
    other = bool(test[1]) and len(np.unique(total)) > 1
    stays_if(other, "pairs were compared unequally often, and R takes the counts of other pairs for its test")

    def judge(shown: pd.DataFrame) -> Rows:
        r, kinds, column = Beside(call), list(shown.index), "violations"
        theirs = [float(found.vector(kind).floats()[0]) for kind in kinds]
        names = ["deviance", "df", "p"]
        places = [f"{n} / weak" for n in names]
        rows = r.listed(column, shown[column], theirs, in_column(shown, column), names=kinds)
        return rows + r.listed("weak", shown.loc["weak", names], test, places, names=names)

    return Translation("native", Call(TRANSITIVITY, code.arguments), judge=judge)


# -- in R ----------------------------------------------------------------------------------------------------


def _by_eba(call: RecordedCall, name: str, why: str, judge: Judge, **options: Any) -> Translation:
    """A function of the bridge of wins of rows over columns, and the items."""
    wins = _table(call)
    stays_if(wins.values.ndim != 2 or wins.values.shape[0] != wins.values.shape[1], LOST)
    found = np.nan_to_num(np.where(wins.na, 0.0, wins.floats()))
    return bridged(why, f"eba.{name}", [[*map(whole_numbers, found)], _items(wins)], options, judge)


@in_r(EBA, "eba::OptiPt")
def _eba_in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    """`bridge.eba.eba(wins, items, A=, s=)`."""
    all_known(call, "A", "s", "constrained")
    aspects, start = call.values.get("A"), call.argument("s")
    vectors = aspects.values if isinstance(aspects, RList) else ()
    own = [[int(k) for k in v.floats().ravel()] if isinstance(v, RVector) else [] for v in vectors]
    common = own != [[k + 1] for k in range(len(own))]
    options = stated(A=common and own, s=None if start is None else start.floats().ravel().tolist())
    options |= options_of({"constrained": (bool, True)}, call.values.get)

    def judge(model: AspectModel) -> Rows:
        r, found = Beside(call, function=EBA), call.vector("coef")
        theirs = {} if found is None else dict(zip(model.names, found.floats().ravel().tolist()))
        rows = r.array("estimate", model, theirs) if theirs else []
        return [*rows, *r.fields(model, "llf"), *_goodness(r, model)]

    return _by_eba(call, "eba", why, judge, **options)


def _goodness(r: Beside, model: AspectModel | ThurstoneModel) -> Rows:
    """The test against the saturated model: its deviance, degrees of freedom, and p."""
    found, fields = r.call.vector("goodness"), ("deviance", "df_residual", "p_value")
    theirs = () if found is None else found.floats().ravel().tolist()
    return [r.row(n, getattr(model, n), t, place=n) for n, t in zip(fields, theirs)]


@in_r(THURSTONE)
def _thurstone_in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    """`bridge.eba.thurstone(wins, items)`."""
    r = Beside(call, function=THURSTONE)
    judge: Judge = lambda model: [*r.coefficients(model), *_goodness(r, model)]
    return _by_eba(call, "thurstone", why, judge)


def _list_of(call: RecordedCall, name: str, names: Places, why: str, **options: Any) -> Translation:
    """A function of wins whose answer is a list of numbers; names: R's, and those of the bridge's answer."""
    found, r = needed(call.frame("value"), LOST), Beside(call)

    def judge(value: AgreementU | Transitivity) -> Rows:
        numbers = ((n, own, float(found.vector(n).floats()[0])) for n, own in names.items())
        return [r.row(n, float(getattr(value, own)), theirs, place=own) for n, own, theirs in numbers]

    return _by_eba(call, name, why, judge, **options)


@in_r(STRANS)
def _strans_in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    """`bridge.eba.strans(wins, items)`."""
    names = {n: n.replace(".", "_") for n in ("weak", "moderate", "strong", "n.tests")}
    return _list_of(call, "strans", names, why)


@translates("eba::kendall.u")
def kendall_u(call: RecordedCall, context: Context) -> Translation:
    """`bridge.eba.kendall_u(wins, items)`."""
    names = {"u": "u", "min.u": "min_u", "chi": "chi2", "df": "df", "p.value": "p_value"}
    options = options_of({"correct": (bool, True)}, call.values.get)
    return _list_of(call, "kendall_u", names, "Kendall's u is eba's", **options)
