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
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...bridge.capture.recorded import RecordedCall
from ...bridge.packages.asking import RModel
from ...bridge.packages.eba import AspectModel, ThurstoneModel, Transitivity
from ...bridge.packages.lme4 import CONSTANT, MixedDesign
from ...bridge.values.frames import plain
from ...bridge.values.nodes import RList, RVector
from ...errors import InputError
from ...validation.verdicts.agreement import Agreement
from .python_code import Call, Constant, columns_call
from .recorded_answers import recorded, unknown
from .rows import Beside, at
from .translation import Context, Translation, needed, outside, translates

EBA, THURSTONE, STRANS = "eba::eba", "eba::thurstone", "eba::strans"


def _table(call: RecordedCall) -> tuple[list[list[Any]], list[str]] | None:
    """Wins of rows over columns, and the items; None if they were not recorded."""
    wins = call.argument("M")
    if wins is None or wins.values.ndim != 2 or wins.values.shape[0] != wins.values.shape[1]:
        return None
    found = np.nan_to_num(np.where(wins.na, 0.0, wins.floats()))
    items = list(wins.margin(1) or wins.margin(0) or [str(k + 1) for k in range(len(found))])
    rows = [[int(v) if v == int(v) else v for v in row_of] for row_of in found.tolist()]
    return rows, items


def _code(name: str, table: tuple[list[list[Any]], list[str]], options: Mapping[str, Any]) -> Call:
    return Call(f"pairproof.bridge.eba.{name}", (Constant(table[0]), Constant(table[1])), dict(options))


@translates(EBA, "eba::OptiPt")
def eba(call: RecordedCall, context: Context) -> Translation:
    """`bridge.eba.eba(wins, items, A=, s=)`."""
    table = _table(call)
    lost = unknown(call, "A", "s", "constrained")
    if table is None or lost:
        return outside(f"its {lost or 'table of wins'} could not be recorded")
    options: dict[str, Any] = {}
    aspects, start = call.values.get("A"), call.argument("s")
    if isinstance(aspects, RList):
        vectors = (v.floats().ravel() if isinstance(v, RVector) else () for v in aspects.values)
        own = [[int(k) for k in v] for v in vectors]
        if own != [[k + 1] for k in range(len(own))]:
            options["A"] = own
    if start is not None:
        options["s"] = start.floats().ravel().tolist()
    if not call.one("constrained", True):
        options["constrained"] = False
    why = (
        "it is a model of elimination by aspects, which eba fits"
        if "A" in options
        else "its search stops early, and where is eba's own; fit_bradley_terry has the maximum of this model"
    )
    return Translation("bridge", _code("eba", table, options), why, judge=partial(_eba_rows, call))


def _eba_rows(call: RecordedCall, model: AspectModel) -> Sequence[Agreement]:
    r, found = Beside(call, function=EBA), call.vector("coef")
    theirs = {} if found is None else dict(zip(model.names, found.floats().ravel().tolist()))
    rows = r.named("estimate", model.params(), theirs, at("coef", model.names)) if theirs else []
    return [*rows, *r.numbers(llf=model.loglik), *_goodness(r, model)]


def _goodness(r: Beside, model: AspectModel | ThurstoneModel) -> list[Agreement]:
    """The test against the saturated model: its deviance, degrees of freedom, and p."""
    found = r.call.vector("goodness")
    theirs = () if found is None else found.floats().ravel().tolist()
    ours = {"deviance": model.deviance, "df_residual": model.df_residual, "p_value": model.p_value}
    return [r.row(n, own, t, place=n) for (n, own), t in zip(ours.items(), theirs)]


@translates(THURSTONE)
def thurstone(call: RecordedCall, context: Context) -> Translation:
    """`bridge.eba.thurstone(wins, items)`."""
    table = needed(_table(call), "its table of wins was not recorded")
    why = 'Thurstone\'s case V as eba has it; fit_bradley_terry(link="probit") is the same model by maximum likelihood'

    def judge(model: ThurstoneModel) -> Sequence[Agreement]:
        r = Beside(call, function=THURSTONE)
        return [*r.coefficients(model), *_goodness(r, model)]

    return Translation("bridge", _code("thurstone", table, {}), why, judge=judge)


@translates(STRANS)
def strans(call: RecordedCall, context: Context) -> Translation:
    """`bridge.eba.strans(wins, items)`."""
    table, found = _table(call), recorded(call, "value")
    if table is None or not isinstance(found, RList):
        return outside("its table of wins was not recorded")

    why = "tests of stochastic transitivity are eba's"
    judge = partial(_counts, Beside(call, function=STRANS), found)
    return Translation("bridge", _code("strans", table, {}), why, judge=judge)


def _counts(r: Beside, found: RList, value: Transitivity) -> Sequence[Agreement]:
    ours = {"weak": value.weak, "moderate": value.moderate, "strong": value.strong, "n.tests": value.n_tests}
    return [
        r.row(n, float(v), float(found.vector(n).floats().ravel()[0]), place=n.replace(".", "_"))
        for n, v in ours.items()
        if n in found and isinstance(found[n], RVector)
    ]


@translates("eba::eba.order", "eba::circular")
def other(call: RecordedCall, context: Context) -> Translation:
    """Named, and left out."""
    return outside(f"{call.function} has no function in pairproof, nor one in its bridge")


GLMER, BRGLM = "lme4::glmer", "brglm::brglm"
#: Digits of glmer by its values against glmer by its formula: observed 16.0 with one random term and with 3.
#: Columns in another order end its search elsewhere; two searches share 4.6 digits of an estimate and more.
SEARCH = 4.0
WHY_SEARCH = "glmer's search ends where its own tolerance lets it, and its standard errors are by differences"
#: brglm refits by pseudo-data to 1e-8. Observed 16.0.
REFITS = 9.0
WHY_REFITS = "brglm refits until its scores change by less than 1e-8"
#: What the columns are called that are not of the design.
Y, WEIGHTS, OFFSET = ".y", ".weights", ".offset"


@dataclass(frozen=True, eq=False)
class Design:
    """A recorded model matrix with its response, as columns of a file; names: those of the model matrix."""

    columns: dict[str, list[Any]]
    names: tuple[str, ...]
    family: str
    link: str

    @property
    def given(self) -> dict[str, Any]:
        """`weights=".weights"`, `offset=".offset"` where they are there."""
        return {column[1:]: column for column in (WEIGHTS, OFFSET) if column in self.columns}

    def frame_code(self, stem: str, **more: list[Any]) -> Call:
        """`pairproof.bridge.read_frame("data/STEM.csv")` of the columns and more of them."""
        return columns_call({**self.columns, **more}, stem)


def design_of(call: RecordedCall) -> Design | None:
    """The recorded design; None if it is not all there."""
    x, y, family = call.matrix("x"), call.vector("y"), call.strings("family")
    if x is None or y is None or len(family) != 2 or not x.margin(1):
        return None
    if y.values.ndim != 1 or y.values.dtype.kind not in "fib" or len(y) != x.values.shape[0]:
        return None
    names = x.margin(1)
    columns: dict[str, list[Any]] = {n: x.floats()[:, k].tolist() for k, n in enumerate(names)}
    columns[Y] = y.floats().tolist()
    weights, offset = call.vector("prior_weights"), call.vector("offset")
    if weights is not None and len(weights) == len(y) and not (weights.floats() == 1.0).all():
        columns[WEIGHTS] = weights.floats().tolist()
    if offset is not None and len(offset) == len(y) and (offset.floats() != 0.0).any():
        columns[OFFSET] = offset.floats().tolist()
    return Design(columns, names, family[0], family[1])


# -- glmer ---------------------------------------------------------------------------------------------------


@translates(GLMER)
def glmer(call: RecordedCall, context: Context) -> Translation:
    """`bridge.lme4.glmer_design(frame, ".y", [groups], effects=, ...)`."""
    design, terms = design_of(call), random_terms(call)
    if design is None or design.family not in ("binomial", "poisson"):
        return outside("its design was not recorded, or its family is none of counts")
    if not terms:
        return outside("its random effects are none of columns of its data")
    foreign = next((e for _, own in terms for e in own if e != CONSTANT and e not in design.names), None)
    if foreign is not None:
        return outside(f"its random effects vary with {foreign}, which is no column of its fixed effects")
    groups = {name: _labels(call, name) for name, _ in terms}
    if any(v is None for v in groups.values()):
        return outside("the groups of its random effects were not recorded")
    options: dict[str, Any] = {}
    if any(own != [CONSTANT] for _, own in terms):
        options["effects"] = [own for _, own in terms]
    options |= design.given
    if (design.family, design.link) != ("binomial", "logit"):
        options |= {"family": design.family, "link": design.link}
    if unknown(call, "nAGQ"):
        return outside("its nAGQ could not be recorded")
    if (points := int(call.real("nAGQ", 1.0))) != 1:
        options["nAGQ"] = points
    frame = design.frame_code(call.variable, **{n: v for n, v in groups.items() if v is not None})
    code = Call("pairproof.bridge.lme4.glmer_design", (frame, Y, [name for name, _ in terms]), options)
    why = "it has random effects on a design of the script's own, which lme4 fits"
    return Translation("bridge", code, why, judge=partial(_mixed_rows, call))


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
    parts = [group] if group in frame else group.split(":")
    if not all(p in frame and isinstance(frame[p], RVector) for p in parts):
        return None
    try:
        labels = [[str(v) for v in plain(frame.vector(p), p)] for p in parts]
    except InputError:
        return None
    return [":".join(own) for own in zip(*labels)]


def _mixed_rows(call: RecordedCall, model: MixedDesign) -> Sequence[Agreement]:
    r = Beside(call, SEARCH, WHY_SEARCH)
    sd = dict(zip(model.effects, model.sd.tolist()))
    theirs = {f"{_bare(group, call)}: {effect}": value for group, effect, value in _deviations(call)}
    return [
        *r.model(model),
        *r.named("sd", sd, theirs, at("sd", model.effects)),
        *Beside(call, 7.0, WHY_SEARCH).numbers(llf=model.loglik),
    ]


# -- brglm ---------------------------------------------------------------------------------------------------


@translates(BRGLM)
def brglm(call: RecordedCall, context: Context) -> Translation:
    """`bridge.brglm.brglm_design(frame, ".y", ...)`."""
    design = design_of(call)
    if design is None or design.family != "binomial":
        return outside("its design was not recorded, or its response is none of successes and failures")
    options: dict[str, Any] = design.given
    if design.link != "logit":
        options["link"] = design.link
    code = Call("pairproof.bridge.brglm.brglm_design", (design.frame_code(call.variable), Y), options)
    why = (
        'it has estimates of reduced bias on a design of the script\'s own; fit_bradley_terry(reduce_bias="mean") has them for'
        " contests"
    )
    return Translation("bridge", code, why, judge=partial(_brglm_rows, call))


def _brglm_rows(call: RecordedCall, model: RModel) -> Sequence[Agreement]:
    r = Beside(call, REFITS, WHY_REFITS)
    return r.model(model, deviance=model.deviance, df_residual=model.df_residual, loglik=model.loglik)
