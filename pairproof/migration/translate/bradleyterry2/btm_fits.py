"""BTm, glmmPQL, step and stepAIC as fits: `fit_bradley_terry`, or R's own through the bridge.

Through the bridge goes, with the values that R used, what has no counterpart in Python.  The contests are the
rows that R used, so that `subset=` and missing values are done with; what is indexed in the formula keeps its
tables.  glmmPQL goes with its formula, data frame and random design as values.

step and stepAIC: the model that R chose, written as the fit that it is; the path is a note.  What R tried on
its way is not fitted again in Python: the script does with the chosen model what the analysis did.

A helper is given the fitted model as a Python fit, as R's own through the bridge, or not at all.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.packages.bradleyterry2.btm import ContestModel
from ....bridge.values.formulas import checked, variables
from ....bridge.values.nodes import RLang, RList, RVector
from ....fit.estimates.fit_record import why_not_estimable
from ....fit.fit import Fit
from ....validation.verdicts.agreement import Agreement
from ....validation.verdicts.digits import digits_of_agreement, floor
from .. import recorded_answers as answers
from ..python_code import Call, Result, columns_call, frame_call, stated
from ..recorded_answers import StaysInR, held, needed, stays_if
from ..rows import Beside, Rows, said_of
from ..translation import BRIDGE, TRANSLATORS, Context, Step, Translation, bridged, in_r, translates, tried
from . import recorded_btm as recorded
from .btm_numbers import TWICE, WRONG, Relation, btm_rows, name_of, relation

R_BTM, BTM = "BradleyTerry2::BTm", f"{BRIDGE}.bradleyterry2.BTm"
#: The same fit by the same R from the same values; rows of a subset may be summed in another order.
LEAST, AGAIN = 9.0, "the same call of R"
PLAYERS = ("player1", "player2")


@in_r(R_BTM)
def _in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    """R's BTm of the same values, and why."""
    code = bridged_code(call, recorded.contests_of(call))
    return Translation("bridge", code, why, judge=partial(of_r, call))


def bridged_code(call: RecordedCall, contests: recorded.Contests, also: str = "") -> Call:
    """`BTm("cbind(wins, losses)", ...)` of the bridge; also: a formula whose variables are needed too."""
    stays_if(contests.doubled, "R used each row twice, which the bridge does not reproduce")
    tables, players = _tables(call, contests, f"{recorded.formula_text(call)} {also}")
    formula, offset = recorded.formula_text(call), contests.offset
    twice = offset is not None and "offset(" in formula and "offset" in call.args
    stays_if(twice, "it has an offset both in the formula and as an argument")
    plain, link = formula.replace("`", "").strip() == f"~{contests.id}", recorded.link_of(call)
    options = stated(
        formula="" if plain or not formula else checked(formula),
        id=contests.id if contests.id != ".." else "",
        separate_ability=list(call.strings("separate")),
        refcat=answers.first(call, "refcat", ""),
        link=link if link != "logit" else "",
        offset=offset.tolist() if offset is not None and "offset(" not in formula else None,
        br=recorded.bias_reduced(call),
    )
    return Call(BTM, ("cbind(wins, losses)", *players), options | settings(call) | {"data": tables})


def of_r(call: RecordedCall, model: ContestModel, more: str = "") -> Rows:
    """R through the bridge beside R in the script; more: numbers beside those of every model."""
    numbers = f"deviance df_resid null_deviance df_null aic_glm sigma {more}"
    return Beside(call, LEAST, AGAIN).model(model, numbers)


def _tables(call: RecordedCall, contests: recorded.Contests, said: str) -> tuple[dict[str, Any], list[Any]]:
    """Data frames of contests and of what is indexed, and how player1 and player2 are named in them."""
    levels, none = contests.players, np.zeros(len(contests.first), bool)
    columns = {"wins": RVector(contests.wins, none), "losses": RVector(contests.losses, none)}
    players: list[dict[str, str]] = []
    for k, (own, side) in enumerate(zip(PLAYERS, (contests.first, contests.second))):
        columns[own] = RVector((side + 1).astype(np.int32), none, levels=levels, rclass=("factor",))
        columns |= {f"{name}.{k + 1}": of_player for name, of_player in contests.sides[k].items()}
        players.append({contests.id: own} | {name: f"{name}.{k + 1}" for name in contests.sides[k]})
    others: dict[int, dict[str, RVector]] = {}
    for name, column in answers.vectors_of(call.frame("data")).items():
        if name in columns or not re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", said):
            continue  # the formula does not name it
        if len(column) == contests.total:
            columns[name] = answers.taken(column, contests.rows)
        else:
            others.setdefault(len(column), {})[name] = column
    there = {".", *columns, *(n for p in players for n in p), *(n for of in others.values() for n in of)}
    absent = next((n for n in variables(recorded.formula_text(call) or "~ 1") if n not in there), "")
    stays_if(absent, f"the values of {absent}, which is in its formula, were not recorded")
    stem = call.variable or "BTm"
    tables: dict[str, Any] = {"contests": frame_call(_frame(columns), stem)}
    for k, (n, found) in enumerate(others.items()):
        label = "players" if n == len(levels) else f"table{k + 1}"
        tables[label] = frame_call(_frame(found), f"{stem}_{label}")
    sides: list[Any] = [p if len(p) > 1 or contests.id != ".." else p[contests.id] for p in players]
    return tables, sides


def _frame(columns: dict[str, RVector]) -> RList:
    return RList(tuple(columns.values()), tuple(columns), ("data.frame",))


def settings(call: RecordedCall) -> dict[str, Any]:
    """Where iterations start and stop, and contrasts, as the call set them."""
    lost = next((name for name in ("start", "etastart", "mustart") if name in call.args), "")
    stays_if(lost, f"its {lost} is not passed on")
    given = call.values.get("control")
    own = dict(zip(given.names or (), given.values)) if isinstance(given, RList) else {}
    said = answers.options_of(SETTINGS, lambda name: call.values.get(name, own.get(name)))
    names = ("tol", "maxiter", "IWLSiter")
    control: dict[str, Any] = {name: said.pop(name) for name in names if name in said}
    if control:
        said["control"] = Call(f"{BRIDGE}.bradleyterry2.glmmPQL_control", (), control)
    contrasts = call.values.get("contrasts")
    if isinstance(contrasts, RList) and contrasts.names:
        kinds = [v.scalar() if isinstance(v, RVector) and len(v) == 1 else None for v in contrasts.values]
        stays_if(not all(isinstance(v, str) for v in kinds), "its contrasts are a matrix or a function")
        said["contrasts"] = dict(zip(contrasts.names, kinds))
    return said


#: Settings of BTm and of its control, in the order in which they are written.
SETTINGS: answers.Declared = {
    **{"epsilon": (float, None), "maxit": (int, None), "tol": (float, None), "maxiter": (int, None)},
    **{"IWLSiter": (int, None), "sigma": (float, None), "sigma.fixed": (bool, None)},
}


@dataclass(frozen=True, eq=False)
class Model:
    """A BTm of this run; fit: in Python, None where it stays in R."""

    step: Step
    call: RecordedCall
    contests: recorded.Contests
    fit: Fit | None

    @property
    def result(self) -> Result:
        """Its value in the script."""
        return Result(self.call.id)

    @property
    def python(self) -> Fit:
        """The Python fit, where it is known to be one."""
        assert self.fit is not None
        return self.fit

    @property
    def by_pql(self) -> bool:
        """Whether R fitted random effects."""
        return "BTglmmPQL" in self.call.strings("class")

    @property
    def stem(self) -> str:
        """What its files are called after."""
        return self.call.variable or "BTm"

    @property
    def in_words(self) -> Fit | None:
        """The Python fit, if its terms are R's: not the columns of R's model matrix."""
        return None if recorded.MATRIX in self.step.translation.notes else self.fit

    def in_r(self, also: str = "") -> Result | Call:
        """R's model: its value in the script, or a call that makes it with a further formula's variables."""
        if isinstance(self.step.value, ContestModel) and not also:
            return self.result
        return bridged_code(self.call, self.contests, also)

    def least(self, kind: str) -> float:
        """Digits that R's own stop of this model leaves of such a number."""
        fit = self.fit
        return 9.0 if fit is None else floor(kind, name_of(self.call, fit)).digits

    def judged(self, rows: Iterable[Agreement]) -> Rows:
        """Rows in which a number that the fit cannot have is said to be none, and what R doubled is explained."""
        found, fit = list(rows), self.fit
        if fit is None:
            return found
        if fit.not_estimable:
            why = why_not_estimable(fit)
            found = said_of(found, lambda a: a.native is None, "not-estimable", why, "not-estimable")
        if any(a.explanation == TWICE for a in self.step.rows):
            found = said_of(found, _doubled, "explained", TWICE, WRONG)
            found = said_of(found, lambda a: True, "not-checkable", TWICE, WRONG)
        return found


def _doubled(a: Agreement) -> bool:
    """Whether contests counted twice give R's number: twice ours, or by the root of 1/2."""
    if a.native is None or a.r is None:
        return False
    return any(digits_of_agreement(by * a.native, a.r) >= (a.floor or 0.0) for by in (2.0, 0.5**0.5))


def model_of(call: RecordedCall, context: Context, argument: str) -> Model:
    """The BTm that is given as an argument, itself or in what BTabilities made of it."""
    step = context.fit(call, argument)
    other = step.call.function != R_BTM and "BTm" not in step.call.strings("class")  # update, step
    stays_if(other, f"it is of a fit by {step.call.name}; only fits by BTm are translated")
    fit = step.value if isinstance(step.value, Fit) else None
    return Model(step, step.call, recorded.contests_of(step.call), fit)


@translates(R_BTM)
def btm(call: RecordedCall, context: Context) -> Translation:
    """A BTm, translated from its result: players, counts, model matrix, formula."""
    contests = recorded.contests_of(call)
    candidate, found = native(call, contests, added_later(call, context))
    notes = candidate.notes + ((recorded.HALF,) if "ties" in candidate.code.keywords else ())
    return Translation("native", candidate.code, judge=partial(btm_rows, call, contests, found), notes=notes)


def added_later(call: RecordedCall, context: Context) -> list[str]:
    """Terms that calls of add1 add to this model, whose covariates its table is to hold."""
    found: list[str] = []
    for other in context.captured.calls:
        scope = other.values.get("scope")
        added = other.function == "BradleyTerry2::add1.BTm" and other.fits.get("object") == call.id
        if added and isinstance(scope, RLang):
            with contextlib.suppress(StaysInR):  # it is said where the terms are added
                found += recorded.terms_of(scope.text)
    return found


def native(
    call: RecordedCall, contests: recorded.Contests, scopes: Sequence[str] = ()
) -> tuple[recorded.Candidate, Relation]:
    """The first candidate that Python fits and whose design is R's."""
    uncounted = "its counts are neither whole numbers nor halves, and it has no weights"
    stays_if(not contests.halves and "weights" not in call.args, uncounted)
    why, known = "its formula has no equivalent in fit_bradley_terry", ~np.isnan(contests.coef)
    for candidate in recorded.candidates(call, contests, scopes):
        fit, refused = tried(candidate.code)
        if refused:
            why = f"fit_bradley_terry refuses it: {refused}"
            continue
        found = relation(fit, contests, known)
        if found is not None and (found.direct or candidate.any_contrasts):
            return candidate, found
    raise StaysInR(why)


WHY = "glmmPQL by itself is not a model of comparisons: its random effects can have any design"
#: Entries of a random design at most.
MOST = 1_000_000


@translates("BradleyTerry2::glmmPQL")
def glmm_pql(call: RecordedCall, context: Context) -> Translation:
    """R's alone."""
    raise StaysInR(WHY)


@in_r("BradleyTerry2::glmmPQL")
def _glmm_pql_in_r(call: RecordedCall, context: Context, why: str) -> Translation:
    """`pairproof.bridge.bradleyterry2.glmmPQL("y ~ x", random, data=...)`."""
    no_frame = "its data were not recorded as a data frame"
    data, random = held(call.values.get("data"), RList, no_frame), call.argument("random")
    further = {"subset", "weights", "offset", "start", "etastart", "mustart"} & set(call.args)
    stays_if("data.frame" not in data.rclass, no_frame)
    stays_if(further, "its subset, weights, offset or starting values are not passed on")
    stays_if(random is None and "random" in call.args, "its random design was not recorded")
    stem, family = call.variable or "glmmPQL", call.strings("family") or ("binomial", "logit")
    design = [] if random is None else [_design(random, stem)]
    usual = {"binomial": "logit", "poisson": "log"}.get(family[0])
    options = stated(
        family=family[0] if family[0] != "binomial" else "",
        link=family[-1] if family[-1] != usual else "",
        data=frame_call(data, stem),
    )
    arguments, judge = [checked(recorded.formula_text(call)), *design], partial(of_r, call, more="sigma_se")
    return bridged(why, "bradleyterry2.glmmPQL", arguments, options | settings(call), judge)


def _design(random: RVector, stem: str) -> Call:
    """A column an effect, in a file of its own."""
    numbers = random.floats()
    large = numbers.ndim != 2 or numbers.size > MOST or np.isnan(numbers).any()
    stays_if(large, f"its random design is not a matrix of at most {MOST:,} numbers")
    columns = {f"effect{k + 1}": column.tolist() for k, column in enumerate(numbers.T)}
    return columns_call(columns, f"{stem}_random")


#: Classes of a chosen model, the most special first, and whose translator takes it.
KINDS = {"BTm": "BradleyTerry2::BTm", "gnm": "gnm::gnm", "polr": "MASS::polr", "glm": "stats::glm"}
#: Steps of a path that a note names.
MOST_TRIED = 12
WHOLE = "R's step treats the predictor of a BTm as one term (Y ~ X - 1), so it can only keep all of it or none; use drop1 and add1 to choose between terms."


@translates("stats::step", "MASS::stepAIC")
def step(call: RecordedCall, context: Context) -> Translation:
    """The chosen model as its own fitting function's call."""
    kind = next((name for name in KINDS if name in call.strings("class")), "")
    translator = needed(TRANSLATORS.get(KINDS.get(kind, "")), "the model that it chose has no equivalent")
    found = translator(replace(call, function=KINDS[kind], helper=False), context)
    notes = (path_of(call),) + ((WHOLE,) if kind == "BTm" else ())
    return found if found.code is None else replace(found, notes=(*notes, *found.notes))


def path_of(call: RecordedCall) -> str:
    """The path of the choice, in R's words: what was added or left out, and the AIC after it."""
    table = answers.vectors_of(call.frame("anova"))
    if not {"Step", "AIC"} <= set(table):
        return "The model that R's step chose; its path was not recorded."
    words = [" ".join(str(v).split()) if v else "start" for v in answers.plain_values(table["Step"])]
    said = [f"{w} (AIC {a:.2f})" for w, a in zip(words, table["AIC"].floats()) if not np.isnan(a)]
    more = f", and {len(said) - MOST_TRIED} more" if len(said) > MOST_TRIED else ""
    return f"The model that R's step chose. Its path: {', '.join(said[:MOST_TRIED])}{more}."
