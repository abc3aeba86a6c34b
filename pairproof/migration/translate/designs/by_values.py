"""glmer, brglm, and eba's models, through the bridge by their values: none of the script's text goes to R.

Response, design matrix, weights and groups go.  Neither glmer nor brglm is fitted by Python as R does:
glmer's model has random effects on a design of the script's own, brglm's estimates are those of a penalised
likelihood.  The same call by its values gives R's numbers again, to rounding.

Of eba: elimination by aspects, Thurstone's case V and tests of transitivity.  Its nlm stops early and reports
it nowhere (worths off by 3e-5 at ten items), so that the same call gives the same numbers, and a better one
others.  Without common aspects its model is Bradley and Terry's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.packages.eba import AgreementU, AspectModel, ThurstoneModel, Transitivity
from ....bridge.packages.lme4 import CONSTANT, MixedDesign
from ....bridge.values.nodes import RList, RVector
from ..python_code import stated, whole_numbers
from ..recorded_answers import StaysInR, all_known, matrix_of, needed, plain_values, stays_if, vectors_of
from ..rows import Beside, Rows
from ..translation import Context, Judge, Translation, Translator, bridged, in_r, outside, translates
from .recorded_design import Fitted, Y, fitted_of

EBA, THURSTONE, STRANS = "eba::eba", "eba::thurstone", "eba::strans"


def _by_eba(call: RecordedCall, name: str, why: str, judge: Judge, **options: Any) -> Translation:
    """A function of the bridge of wins of rows over columns, and the items."""
    given = call.values.get("M")
    table = matrix_of(given) if isinstance(given, RList) else call.argument("M")
    wins = needed(table, "its table of wins was not recorded")
    square = wins.values.ndim == 2 and wins.values.shape[0] == wins.values.shape[1]
    stays_if(not square, "its table of wins was not recorded")
    found = np.nan_to_num(np.where(wins.na, 0.0, wins.floats()))
    items = list(wins.margin(1) or wins.margin(0) or [str(k + 1) for k in range(len(found))])
    rows = [whole_numbers(row_of) for row_of in found]
    return bridged(why, f"eba.{name}", [rows, items], options, judge)


@in_r(EBA, "eba::OptiPt")
def eba(call: RecordedCall, context: Context, why: str) -> Translation:
    """`bridge.eba.eba(wins, items, A=, s=)`."""
    all_known(call, "A", "s", "constrained")
    aspects, start = call.values.get("A"), call.argument("s")
    vectors = aspects.values if isinstance(aspects, RList) else ()
    own = [[int(k) for k in v.floats().ravel()] if isinstance(v, RVector) else [] for v in vectors]
    options: dict[str, Any] = {"A": own} if own != [[k + 1] for k in range(len(own))] else {}
    options |= {} if start is None else {"s": start.floats().ravel().tolist()}
    options |= {} if call.one("constrained", True) else {"constrained": False}

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
def thurstone(call: RecordedCall, context: Context, why: str) -> Translation:
    """`bridge.eba.thurstone(wins, items)`."""
    r = Beside(call, function=THURSTONE)
    judge: Judge = lambda model: [*r.coefficients(model), *_goodness(r, model)]
    return _by_eba(call, "thurstone", why, judge)


def _list_of(
    call: RecordedCall, name: str, names: Mapping[str, str], why: str, **options: Any
) -> Translation:
    """A function of wins whose answer is a list of numbers; names: R's, and those of the bridge's answer."""
    found, r = needed(call.frame("value"), "its table of wins was not recorded"), Beside(call)

    def judge(value: AgreementU | Transitivity) -> Rows:
        numbers = ((n, own, float(found.vector(n).floats()[0])) for n, own in names.items())
        return [r.row(n, float(getattr(value, own)), theirs, place=own) for n, own, theirs in numbers]

    return _by_eba(call, name, why, judge, **options)


@in_r(STRANS)
def strans(call: RecordedCall, context: Context, why: str) -> Translation:
    """`bridge.eba.strans(wins, items)`."""
    names = {n: n.replace(".", "_") for n in ("weak", "moderate", "strong", "n.tests")}
    return _list_of(call, "strans", names, why)


@translates("eba::kendall.u")
def kendall_u(call: RecordedCall, context: Context) -> Translation:
    """`bridge.eba.kendall_u(wins, items)`."""
    names = {"u": "u", "min.u": "min_u", "chi": "chi2", "df": "df", "p.value": "p_value"}
    options = {} if call.one("correct", True) else {"correct": False}
    return _list_of(call, "kendall_u", names, "Kendall's u is eba's", **options)


#: Why functions have no place in the script, in which their calls are named only.
OF_DESIGN = (
    "it makes the table of a Poisson model; fits to it are translated with a table of the answers themselves"
)
OF_ANSWERS = "it makes a table of answers, which is in the files of the calls that use it"
LEFT_OUT = {
    "neither pairproof nor its bridge has this function": "eba::circular",
    "the tables of the fits contain the rows that it makes": "BradleyTerry2::countsToBinomial",
    OF_DESIGN: "prefmod::llbt.design prefmod::patt.design",
    OF_ANSWERS: "prefmod::expand.mat prefmod::simPC prefmod::simR",
}


def _named_only(why: str) -> Translator:
    """The translator of calls that are left out."""
    return lambda call, context: outside(why)


for _why, _functions in LEFT_OUT.items():
    translates(*_functions.split())(_named_only(_why))


#: Digits of glmer by its values against glmer by its formula: observed 16.0 with one random term and with 3.
#: Columns in another order end its search elsewhere; two searches share 4.6 digits of an estimate and more.
SEARCH = 4.0
WHY_SEARCH = "glmer's search stops at its own tolerance, and its standard errors are by finite differences"
#: brglm refits by pseudo-data to 1e-8. Observed 16.0.
REFITS = 9.0
WHY_REFITS = "brglm refits until its scores change by less than 1e-8"


def _fitted(call: RecordedCall, families: Sequence[str], lost: str) -> Fitted:
    """What R fitted; the call stays there where it was not recorded, or is of another family."""
    try:
        fitted = fitted_of(call)
    except StaysInR:
        raise StaysInR(lost) from None
    stays_if(fitted.family not in families, lost)
    return fitted


# -- glmer ---------------------------------------------------------------------------------------------------


@translates("lme4::glmer")
def glmer(call: RecordedCall, context: Context) -> Translation:
    """`bridge.lme4.glmer_design(frame, "(y)", [groups], effects=, ...)`."""
    lost = "its design was not recorded, or its family is not one for counts"
    fitted, terms = _fitted(call, ("binomial", "poisson"), lost), random_terms(call)
    names, link = fitted.design.names, (fitted.family, fitted.link)
    stays_if(not terms, "its random effects are not of columns of its data")
    foreign = next((e for _, own in terms for e in own if e not in (CONSTANT, *names)), None)
    stays_if(foreign, f"its random effects vary with {foreign}, which is not a column of its fixed effects")
    no_groups = "the groups of its random effects were not recorded"
    groups = {name: needed(_labels(call, name), no_groups) for name, _ in terms}
    all_known(call, "nAGQ")
    points, (frame, given) = int(call.real("nAGQ", 1.0)), fitted.frame(**groups)
    options = stated(effects=any(own != [CONSTANT] for _, own in terms) and [own for _, own in terms]) | given
    options |= {} if link == ("binomial", "logit") else {"family": link[0], "link": link[1]}
    options |= {} if points == 1 else {"nAGQ": points}
    why = "it has random effects on a design made in the script, which lme4 fits"
    arguments, judge = [frame, Y, [name for name, _ in terms]], partial(_mixed_rows, call)
    return bridged(why, "lme4.glmer_design", arguments, options, judge)


def random_terms(call: RecordedCall) -> list[tuple[str, list[str]]]:
    """(group, effects) of each random term, as lme4 lists their standard deviations."""
    found: dict[str, list[str]] = {}
    for group, effect, _ in _deviations(call):
        found.setdefault(group, []).append(effect)
    return [(_bare(name, call), own) for name, own in found.items()]


def _deviations(call: RecordedCall) -> list[tuple[str, str, float]]:
    """R's group, effect and standard deviation of each random effect."""
    table = call.frame("varcorr")
    if table is None or not {"grp", "var1", "var2"} <= set(table.names or ()):
        return []
    rows = zip(*(table.vector(n).values.tolist() for n in ("grp", "var1", "var2", "sdcor")))
    return [(str(g), str(e), float(sd)) for g, e, other, sd in rows if other is None and e is not None]


def _bare(name: str, call: RecordedCall) -> str:
    """lme4 calls a second term of the same group "judge.1"."""
    stem, _, number = name.rpartition(".")
    return stem if stem and number.isdigit() and _labels(call, name) is None else name


def _labels(call: RecordedCall, group: str) -> list[Any] | None:
    """The group of each row; of "a:b" both labels."""
    frame = call.frame("frame")
    if frame is None:
        return None
    columns = vectors_of(frame)
    parts = [group] if group in columns else group.split(":")
    if not set(parts) <= set(columns) or any(columns[p].na.any() for p in parts):
        return None
    return [":".join(map(str, own)) for own in zip(*(plain_values(columns[p]) for p in parts))]


def _mixed_rows(call: RecordedCall, model: MixedDesign) -> Rows:
    r = Beside(call, SEARCH, WHY_SEARCH)
    theirs = {f"{_bare(group, call)}: {effect}": value for group, effect, value in _deviations(call)}
    deviations = r.array("sd", model, theirs, "sd", "effects")
    return [*r.model(model), *deviations, *Beside(call, 7.0, WHY_SEARCH).fields(model, "llf")]


# -- brglm ---------------------------------------------------------------------------------------------------


@translates("brglm::brglm")
def brglm(call: RecordedCall, context: Context) -> Translation:
    """`bridge.brglm.brglm_design(frame, ".y", ...)`."""
    lost = "its design was not recorded, or its response is not successes and failures"
    fitted = _fitted(call, ("binomial",), lost)
    frame, given = fitted.frame()
    options = given | stated(link=fitted.link != "logit" and fitted.link)
    why = (
        'it has bias-reduced estimates on a design made in the script; fit_bradley_terry(reduce_bias="mean") has them for'
        " contests"
    )
    judge: Judge = lambda model: Beside(call, REFITS, WHY_REFITS).model(model, "deviance df_residual loglik")
    return bridged(why, "brglm.brglm_design", [frame, Y], options, judge)
