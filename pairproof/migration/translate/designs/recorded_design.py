"""What a recorded glm, gnm, polr or BTm was fitted to as arrays, and a recognised model as a Python call.

The arrays: model matrix, response, the columns of its data.  The call: `fit_bradley_terry` or `fit_llbt`.

R's numbers of a recorded glm, gnm or polr beside those of a fit, or of R where the call stays there.

A call that stays in R is the same function on the same model matrix and response.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import eq
from types import MappingProxyType
from typing import Any, get_args

import numpy as np
from scipy.special import gammaln, xlogy

from ....bridge.capture.recorded import RecordedCall
from ....bridge.packages.asking import RModel
from ....bridge.packages.by_design import DesignFamily, DesignLink
from ....bridge.values.nodes import RLang, RList, RValue, RVector
from ....fit.estimates.specification import Scale
from ....fit.fit import Fit
from ....validation.r_answers.contests import TOWARDS_INFINITY
from ....validation.r_answers.translate import RParameters, likelihood_values
from ....validation.verdicts.digits import floor
from ...recognise.decide import Design, Recognised
from ...recognise.design_contests import Contests, Variable
from ...recognise.design_terms import Model, Term
from .. import recorded_answers as answers
from ..python_code import Call, File, columns_call, quoted_name, stated, table_call, whole_numbers
from ..recorded_answers import Arrays, Floats, Ints, held, needed, stays_if
from ..rows import IN_RECORD, Beside, Named, Rows, at, coefficients, covariance, of_fit
from ..translation import Context, Translation, bridged, in_r, outside

#: Columns of a model frame that are no covariates.
NOT_DATA = ("(weights)", "(offset)", "(eliminate)", "(etastart)", "(mustart)")
#: Numbers of a model matrix that are examined: least squares on more take minutes.
MOST_NUMBERS = 5_000_000


#: What the column of the response is called in a file for R.
Y = "(y)"


@dataclass(frozen=True, eq=False)
class Fitted:
    """What R used to fit, and what came of it: coef float[p], nan for NA, vcov float[p, p], 0 there.

    groups int[n] or None: levels of the factor that gnm eliminated.
    """

    call: RecordedCall
    design: Design
    coef: Floats
    vcov: Floats
    y: Floats
    weights: Floats
    offset: Floats | None
    family: str
    link: str
    groups: Ints | None

    @property
    def n(self) -> int:
        """Rows."""
        return len(self.design.x)

    def frame(self, **more: list[Any]) -> tuple[Call, dict[str, Any]]:
        """Its numbers and more columns as a file that R reads, and the options that name weights and offset."""
        columns = {n: whole_numbers(z) for n, z in zip(self.design.names, self.design.x.T)}
        columns |= {Y: whole_numbers(self.y)} | more
        weighted, shifted = (self.weights != 1).any(), self.offset is not None
        given = stated(weights=weighted and "(weights)", offset=shifted and "(offset)")
        numbers = {"weights": self.weights, "offset": self.offset}
        columns |= {given[n]: v.tolist() for n, v in numbers.items() if v is not None and n in given}
        return columns_call(columns, self.call.variable), given

    def of(self, names: Sequence[str]) -> tuple[Floats, Floats]:
        """Some of the coefficients, and their covariance."""
        at = [self.design.names.index(n) for n in names]
        return self.coef[at], self.vcov[np.ix_(at, at)]


def design_of(call: RecordedCall, without: tuple[str, ...] = ()) -> tuple[Design, Floats, Floats]:
    """The design without some columns, and the coefficients and covariance in the order of the others."""
    x = needed(call.matrix("x"), lost := "its model matrix was not recorded")
    stays_if(x.values.size and not x.margin(1), lost)
    kept = [k for k, n in enumerate(x.margin(1)) if n not in without]
    matrix, names = x.floats()[:, kept], tuple(x.margin(1)[k] for k in kept)
    many = f"its model matrix has {matrix.size:,} numbers; at most {MOST_NUMBERS:,} are examined"
    stays_if(matrix.size > MOST_NUMBERS, many)
    stays_if(not np.isfinite(matrix).all(), "its model matrix has values that are not finite")
    coef, vcov = coefficients_of(call, names)
    factors, numeric = _variables(call, len(matrix))
    items, covariates = _said_items(call, len(matrix))
    return Design(matrix, names, ~np.isnan(coef), factors, numeric, items, covariates), coef, vcov


def fitted_of(call: RecordedCall, without: tuple[str, ...] = ()) -> Fitted:
    """What a glm, gnm, BTm or polr was fitted to, without some columns of its design; a factor as its codes."""
    design, coef, vcov = design_of(call, without)
    response = held(call.result.get("y"), RVector, "its response was not recorded")
    stays_if(response.values.dtype.kind not in "fib", "its response was not recorded")
    y, n = response.floats().ravel(), len(design.x)
    weights, offset = call.vector("prior_weights"), call.vector("offset")
    for frame, own in frames(call, n) if weights is None else ():
        weights = frame.vector("(weights)") if own and "(weights)" in frame else weights
    w = weights.floats().ravel() if weights is not None and len(weights) else np.ones(n)
    o = offset.floats().ravel() if offset is not None and len(offset) else np.zeros(n)
    apart = {len(y), len(w), len(o)} != {n} or np.isnan(y).any() or np.isnan(w).any()
    stays_if(apart, f"its response has {len(y)} values, its model matrix {n} rows")
    family, link = (*call.strings("family"), "", "")[:2]
    levels, groups = call.vector("eliminated"), None
    if levels is not None and len(levels):
        groups = np.unique(levels.values, return_inverse=True)[1].ravel()
    return Fitted(call, design, coef, vcov, y, w, o if o.any() else None, family, link, groups)


def coefficients_of(call: RecordedCall, names: tuple[str, ...]) -> tuple[Floats, Floats]:
    """R's coefficients by the names of the columns, nan for NA, and their covariance, 0 for those."""
    found = coefficients(call, names)
    own = names if set(names) <= set(found) else tuple(found)
    stays_if(len(own) != len(names), "its coefficients are not those of its model matrix")
    coef, vcov = np.array([found[n] for n in own]), covariance(call, own)
    unknown = np.isnan(coef)
    vcov[unknown], vcov[:, unknown] = 0.0, 0.0
    return coef, vcov


def frames(call: RecordedCall, n: int) -> list[tuple[RList, bool]]:
    """The model frame, and the rows of the `data` argument that R used; True for the model frame."""
    data = call.values.get("data")
    used = _rows_used(call, data, n) if isinstance(data, RList) else None
    found = [(call.frame("frame"), True), (used, False)]
    return [(f, own) for f, own in found if f and f.names and all(_length(v) == n for v in f.values)]


def _rows_used(call: RecordedCall, data: RList, n: int) -> RList | None:
    """The data without rows that a subset or missing values took out, by R's row names; None without them."""
    total = max((_length(v) for v in data.values), default=0)
    if total == n and call.result.get("na_action") is None and "subset" not in call.args:
        return data
    x, columns = call.matrix("x"), answers.vectors_of(data)
    labels = x.margin(0) if x is not None else ()
    at = positions(labels, data.attributes.get("row.names"), total) if len(labels) == n else None
    if at is None or len(columns) != len(data.values) or any(len(v) != total for v in columns.values()):
        return None
    return RList(tuple(answers.taken(v, at) for v in columns.values()), data.names, data.rclass)


def positions(used: Sequence[str], names: RValue, total: int) -> Ints | None:
    """Rows used among all, by R's names of all, else 1, 2, ...; None where one of them is not there."""
    texts = [str(v) for v in names.values] if isinstance(names, RVector) and not names.na.any() else []
    place = {n: k for k, n in enumerate(texts if len(texts) == total else map(str, range(1, total + 1)))}
    return np.array([place[n] for n in used], dtype=np.int64) if set(used) <= set(place) else None


def trials(fitted: Fitted) -> Floats:
    """float[n]: contests that R's binomial coefficients are of: the counts, whatever the weights."""
    frame = fitted.call.frame("frame")
    response = frame.values[0] if frame else None
    if isinstance(response, RVector) and response.values.shape == (fitted.n, 2):
        return np.asarray(response.floats().sum(axis=1))
    return fitted.weights


def _length(value: Any) -> int:
    return len(value.values) if isinstance(value, RVector) else -1


def _variables(call: RecordedCall, n: int) -> tuple[dict[str, Variable], dict[str, Variable]]:
    """Factors and text, and numbers, of the model frame and then of the data."""
    found: dict[str, Variable] = {}
    for frame, own in frames(call, n):
        skip = {*NOT_DATA, (frame.names or ("",))[0]} if own else set()
        new = {n: variable_of(n, v) for n, v in answers.vectors_of(frame).items() if n not in {*skip, *found}}
        found |= {n: v for n, v in new.items() if v is not None}
    factors = {n: v for n, v in found.items() if v.levels}
    return factors, {n: v for n, v in found.items() if n not in factors}


def variable_of(name: str, column: RVector) -> Variable | None:
    """A column of a data frame as a covariate; None for what is none."""
    if column.levels is not None:
        return Variable(name, tuple(answers.plain_values(column)), column.levels)
    if column.values.dtype.kind == "O":
        texts = tuple(None if v is None else str(v) for v in answers.plain_values(column))
        return Variable(name, texts, tuple(sorted({t for t in texts if t is not None})))
    return Variable(name, tuple(column.floats().tolist())) if column.values.dtype.kind in "fib" else None


def _said_items(call: RecordedCall, n: int) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Item columns and item covariates that a design of prefmod's says (`objnames`, `objcovs`)."""
    data = call.values.get("data")
    if not isinstance(data, RList) or "llbtdes" not in data.rclass or data.names is None:
        return {}, {}
    labels = said_columns(data, "objnames", n)
    return (labels, said_covariates(data)) if labels else ({}, {})


def said_columns(data: RList, attribute: str, n: int) -> dict[str, Floats] | None:
    """The columns that an attribute names; None if one of them is not there, or has not n rows."""
    names = said_by(data, attribute)
    there = all(name in data and _length(data[name]) == n for name in names)
    return {name: data.vector(name).floats() for name in names} if there else None


def said_by(data: RList, attribute: str) -> tuple[str, ...]:
    """Names that a design of prefmod's says in an attribute."""
    found = data.attributes.get(attribute)
    return tuple(str(v) for v in found.values.tolist()) if isinstance(found, RVector) else ()


def said_covariates(data: RList) -> dict[str, Floats]:
    """Item covariates that a design of prefmod's says (`objcovs`)."""
    covs = data.attributes.get("objcovs")
    if not isinstance(covs, RVector) or covs.values.ndim != 2:
        return {}
    return {str(c): covs.floats()[:, k] for k, c in enumerate(covs.margin(1))}


def text_of(call: RecordedCall) -> str:
    """R's formula, for a look at its functions; "" if it was not recorded."""
    found = (call.result.get("formula"), call.values.get("formula"))
    return next((f.text for f in found if isinstance(f, RLang)), "")


#: Columns that `pairproof.read` gives a meaning of its own.
RESERVED = frozenset(
    "first second wins losses ties outcome judge weight source order model_a model_b winner item".split()
)


def fit_call(
    found: Recognised, function: str, stem: str, offset: Floats | None = None, link: str = "logit"
) -> Call:
    """`pairproof.fit_llbt(pairproof.read(...), ...)`."""
    model, players = found.model, found.players
    named, contests = _names(model), model.contests
    own = players is not None and len(contests) > 0 and not {*players.columns} & RESERVED
    heads = players.columns if players is not None and own else ("first", "second")
    more = {} if model.order is None or (model.order == 1).all() else {"order": whole_numbers(model.order)}
    more |= {named[name]: column_of(v) for name, v in model.variables.items()}
    more |= {named[name]: whole_numbers(v) for name, v in model.comparison.items()}
    reading = levels_of(model.variables, named) | of_items(model.items, model.item_terms, named, stem)
    usual = model.items[-1] if function == "fit_llbt" else model.items[0]
    keywords = stated(
        ties=model.ties in ("none", "rao-kupper") and model.ties,
        reference=model.reference if model.reference != usual else "",
        item_terms=[named[n] for n in model.item_terms],
        by=by_of(model.products, model.item_terms, named),
        order_effect=model.order_effect,
        tie_shift="tie-shift" in model.names,
        tie_scale="tie-scale" in model.names,
        comparison_terms=[quoted_name(named[n]) for n in model.comparison],
        link=link != "logit" and link,
    )
    sides = dict(zip(heads, (contests.first, contests.second)))
    counted = contests.wins, contests.losses, contests.ties
    return contest_call(function, sides, counted, model.items, stem, keywords, more, reading, offset)


def contest_call(
    function: str,
    sides: Mapping[str, Ints],
    counted: tuple[Floats, Floats, Floats | None],
    items: Sequence[str],
    stem: str,
    options: Mapping[str, Any],
    more: Mapping[str, list[Any]] = MappingProxyType({}),
    reading: Mapping[str, Any] = MappingProxyType({}),
    offset: Floats | None = None,
) -> Call:
    """A fit of contests, a row each: items of both sides under their columns' names, wins, losses, ties, and more.

    What counts half for each side is a tie, which counts half a win.
    """
    (wins, losses, ties), parts = counted, counted[0] % 1.0
    half = ties is None and parts.any() and (parts == losses % 1.0).all() and not (2.0 * parts % 1.0).any()
    if half:
        wins, losses, ties = np.floor(wins), np.floor(losses), 2.0 * parts
    numbers = {"wins": wins, "ties": ties, "losses": losses}
    columns: dict[str, list[Any]] = {head: [items[k] for k in side] for head, side in sides.items()}
    met = {*(item for column in columns.values() for item in column)}
    columns |= {n: whole_numbers(v, np.inf) for n, v in numbers.items() if v is not None} | dict(more)
    columns |= {} if offset is None else {"offset": whole_numbers(offset)}
    # The order that `pairproof.read` takes by itself: by number if all are whole ones, else by code point.
    usual = sorted(met, key=int) if all(re.fullmatch(r"[0-9]+", name) for name in met) else sorted(met)
    heads = [*sides] != ["first", "second"] and dict(zip(("first", "second"), sides))
    given = stated(columns=heads, items=list(items) != usual and list(items))
    read = table_call(columns, stem, layout="counts", **given, **reading)
    cells = stated(
        ties=half and "half",
        offset=offset is not None and "offset",
        cells="method" not in options and "row",  # penalised quasi-likelihood has no deviance
    )
    return Call(f"pairproof.{function}", (read,), {**options, **cells})


def parameter_names(model: Model) -> tuple[str, ...]:
    """The fit's names of our parameters, whose columns may have other names in the table."""
    named = _names(model)
    at = {n: named[n] for n in (*model.comparison, *model.item_terms)}
    for v in model.variables.values():
        at.update({label: named[v.name] + label[len(v.name) :] for label, _ in v.columns()})

    def own(name: str) -> str:
        """A covariate may have a colon in its own name: a product of three that is one column."""
        head, _, rest = name.partition(":")
        return at.get(name) or (f"{at.get(head, head)}:{own(rest)}" if rest else name)

    return tuple(map(own, model.names))


def _names(model: Model) -> dict[str, str]:
    """Names of covariates as columns of the table: R's, but for those that mean something else there."""
    return safe_names([*model.variables, *model.comparison, *model.item_terms], model.items)


def safe_names(names: Sequence[str], items: Sequence[str]) -> dict[str, str]:
    """Names of covariates as columns of a table of these items."""
    reserved, named = {*RESERVED, *items, "tie", "offset", "weights"}, dict[str, str]()
    for name in names:
        named[name] = answers.free(re.sub(r"[`:\[\]*+]", "_", name) or "x", {*reserved, *named.values()})
    return named


def by_of(products: Sequence[Term], item_terms: Collection[str], named: Mapping[str, str]) -> str:
    """`by=` of covariates of all items, of single ones, of item covariates, of ties."""
    heads = ((named[head] if head in item_terms else head, p) for head, p in products)
    texts = ([*([head] if head else []), *(named[v.name] for v in p.variables)] for head, p in heads)
    return " + ".join(":".join(map(quoted_name, words)) for words in texts)


def column_of(variable: Variable, rows: Ints | slice = slice(None)) -> list[Any]:
    """A covariate as a column, or some rows of it."""
    values = np.array(variable.values, dtype=object if variable.levels else float)[rows]
    return values.tolist() if variable.levels else whole_numbers(values)


def levels_of(variables: Mapping[str, Variable], named: Mapping[str, str]) -> dict[str, Any]:
    """`levels=` of a reader, if any covariate is a factor."""
    return stated(levels={named[n]: list(v.levels) for n, v in variables.items() if v.levels})


def of_items(items: Sequence[str], terms: Arrays, named: Mapping[str, str], stem: str) -> dict[str, Any]:
    """`item_data=` of a reader, if the model has item covariates."""
    values = {named[n]: whole_numbers(v) for n, v in terms.items()}
    columns: dict[str, list[Any]] = {"item": list(items), **values}
    return {"item_data": File(columns, f"{stem}_items" if stem else "items")} if terms else {}


#: R's calls as they are made, by which their floors are found.
GLM, GNM, POLR = ("stats::glm, default epsilon", "gnm::gnm, default tolerance", "MASS::polr, default reltol")


def r_parameters(found: Recognised, fitted: Fitted, phi: float, scale: Scale) -> RParameters:
    """R's coefficients as the fit's parameters, M b and M V M'; `phi`: the dispersion."""
    model = found.model
    coef, vcov = fitted.of(found.coefficients)
    spread = model.map @ (vcov / phi) @ model.map.T
    estimate = model.map @ np.nan_to_num(coef)
    return RParameters(parameter_names(model), estimate, spread, scale, model.reference)


def glm_rows(
    fitted: Fitted, p: RParameters, likelihood: Named, name: str, said: str, errors: bool, more: int, fit: Fit
) -> Rows:
    """R's numbers beside a fit's, with glm's AIC, count of parameters and null model; more: constants of contests."""
    call, theirs = fitted.call, likelihood.get("llf")
    rows = of_fit(call, fit, p, likelihood, said, name=towards(name, fit), errors=errors)
    rows += Beside(call).numbers(**_null_model(fitted))
    loglik = call.number("loglik")
    if loglik is None or theirs is None or fit.n_infinite:
        return rows
    rank = float(fit.rank + more)
    # AIC is twice the log-likelihood and a whole number, so it has the digits of the log-likelihood.
    aic = Beside(call, floor("llf", GLM).digits).numbers(aic_glm=2.0 * (rank - fit.llf - (loglik - theirs)))
    return rows + Beside(call).numbers(loglik_df=rank) + aic


def towards(name: str, fit: Fit) -> str:
    """The R call by which floors are found."""
    return f"{name}, {TOWARDS_INFINITY}" if fit.n_infinite else name


def _null_model(fitted: Fitted) -> dict[str, float]:
    """Deviance and df of glm's null model: a constant, or nothing; {} with an offset, where glm fits it, and for gnm."""
    if fitted.offset is not None or fitted.call.function == "gnm::gnm":
        return {}
    w, y, constant = fitted.weights, fitted.y, "(Intercept)" in fitted.design.names
    binomial = fitted.family.endswith("binomial")
    # Without a constant, 0 of every link here: 1/2, and 1.
    mu = float((w * y).sum() / w.sum()) if constant else 0.5 if binomial else 1.0
    rest = xlogy(1.0 - y, (1.0 - y) / (1.0 - mu)) if binomial else mu - y
    part = xlogy(y, y / mu) + rest
    return {"null_deviance": float(2.0 * (w * part).sum()), "df_null": float((w > 0).sum()) - float(constant)}


def binomial_likelihood(fitted: Fitted, contests: Contests, n: int) -> dict[str, float]:
    """Deviance, df, llf and AIC of a binomial glm.

    Its logLik has log choose(trials, wins) beyond that of comparisons, times the weight of each row.
    """
    values, loglik, m = deviance_of(fitted.call), fitted.call.number("loglik"), trials(fitted)
    whole = all((n % 1 == 0).all() for n in (contests.wins, contests.losses, m))
    if loglik is not None and whole and (m > 0).all():
        wins = np.round(m * fitted.y)
        coefficient = gammaln(m + 1) - gammaln(wins + 1) - gammaln(m - wins + 1)
        constant = float(np.sum(fitted.weights / m * coefficient))
        values.update(likelihood_values(loglik - constant, n))
    return values


def equal_rows_summed(fitted: Fitted) -> tuple[Fitted, float]:
    """A Poisson design with each outcome of an eliminated group once, and sum Y log m, Y of m rows.

    llbt.design(num.scovs=) has rows for each person: those of a group that are alike have one mean, and the
    likelihood is that of their sum, sum Y log(m mean) - m mean, less this constant.
    """
    design, groups = fitted.design, fitted.groups
    if groups is None or np.bincount(groups).max() <= 3:
        return fitted, 0.0
    keys = np.column_stack([groups, design.x, *design.items.values()])
    _, kept, of, times = np.unique(keys, axis=0, return_index=True, return_inverse=True, return_counts=True)
    of, counts = of.ravel(), np.bincount(groups[kept])
    if counts.max() > 3 or (np.bincount(groups)[groups[kept]] != times * counts[groups[kept]]).any():
        return fitted, 0.0

    def alike(variables: Mapping[str, Variable]) -> dict[str, Variable]:
        first = {n: tuple(v.values[k] for k in kept) for n, v in variables.items()}
        same = {n for n, v in variables.items() if all(map(eq, v.values, (first[n][k] for k in of)))}
        return {n: replace(v, values=first[n]) for n, v in variables.items() if n in same}

    items = {n: z[kept] for n, z in design.items.items()}
    variables = alike(design.factors), alike(design.numbers)
    rows = replace(design, x=design.x[kept], factors=variables[0], numbers=variables[1], items=items)
    y = np.bincount(of, fitted.y).astype(float)
    of_rows = replace(fitted, design=rows, y=y, weights=np.ones(len(y)), groups=groups[kept])
    return of_rows, float(y @ np.log(times))


def poisson_likelihood(
    call: RecordedCall, contests: Contests, y: Floats, n: int, shared: float = 0.0
) -> dict[str, float]:
    """The same of a Poisson model with a constant for each contest; shared: of R's rows y that were summed.

    Its log-likelihood is that of the comparisons plus sum(N log N - N) - sum log y!, N the total of a
    contest.  R counts the outcomes of contests that were never held as degrees of freedom; a fit does not.
    """
    values, total = deviance_of(call), contests.totals
    if "df_resid" in values:
        values["df_resid"] -= float((total == 0).sum() * (contests.rows.shape[1] - 1))
    if shared and {"df_resid", "deviance"} <= {*values}:
        parts = [c for c in (contests.wins, contests.losses, contests.ties) if c is not None]
        values["df_resid"] -= float(len(y) - contests.rows.size)
        values["deviance"] -= 2.0 * float(np.sum(xlogy(y, y)) - np.sum(xlogy(parts, parts)) + shared)
    return values | likelihood_of_counts(call, total, y, n, shared)


def likelihood_of_counts(
    call: RecordedCall, total: Floats, y: Floats, n: int, shared: float = 0.0
) -> dict[str, float]:
    """llf and AIC given the totals that a Poisson model has a constant for; {} where counts are not whole."""
    loglik = call.number("loglik")
    if loglik is None or (y % 1 != 0).any():
        return {}
    constant = float(np.sum(xlogy(total, total) - total) - np.sum(gammaln(y + 1))) - shared
    return dict(likelihood_values(loglik - constant, n))


def deviance_of(call: RecordedCall) -> dict[str, float]:
    """R's deviance and residual degrees of freedom, as far as they were recorded."""
    found = {"deviance": call.number("deviance"), "df_resid": call.number("df_residual")}
    return {q: v for q, v in found.items() if v is not None}


#: The same function on the same numbers, so that no more than the order of sums differs. polr's covariance is
#: that of a Hessian by steps of 1e-3, which vcov() takes at the end of another search unless Hess = TRUE was
#: said: 7.2 digits seen.
LEAST, LEAST_VCOV = 10.0, 5.5
WHY = "the same R function on the same numbers"
FAMILIES: tuple[str, ...] = get_args(DesignFamily)
LINKS: tuple[str, ...] = get_args(DesignLink)
#: Numbers of a model matrix that are written into a CSV file at most.
MOST_WRITTEN = 2_000_000


@in_r("stats::glm", "gnm::gnm")
def fitted_in_r(call: RecordedCall, context: Context, reason: str) -> Translation:
    """`glm_design(...)` of the bridge, or `gnm_eliminated(...)` with groups; left out where that cannot be."""
    fitted = fitted_of(call)
    names, family, link, groups = fitted.design.names, fitted.family, fitted.link, fitted.groups
    wrong = _cannot(fitted)
    if wrong:
        return outside(f"{reason}; and it cannot be sent to R by value: {wrong}")
    more = {} if groups is None else {"(eliminate)": (groups + 1).tolist()}
    frame, given = fitted.frame(**more)
    usual = groups is None or (family, link) == ("poisson", "log")
    options = ({} if usual else {"family": family, "link": link}) | given
    options |= stated(intercept=groups is None and "(Intercept)" in names)
    function, *further = ("glm_design", family, link) if groups is None else ("gnm_eliminated", "(eliminate)")
    # With weights beside counts R's binomial coefficients are of the counts, which a share and a weight do
    # not tell.
    same_llf = groups is not None or bool((trials(fitted) == fitted.weights).all())
    judge = partial(of_model, call, names, same_llf, call.name == "gnm" and groups is None)
    return bridged(reason, f"by_design.{function}", [frame, Y, *further], options, judge)


#: A gnm without eliminated terms goes to glm: gnm's covariance is of the weights before its last step, which
#: it ends at 1e-6. Observed 4.3 digits of 42 standard errors.
BY_GLM = (3.5, "gnm stops at a tolerance of 1e-6, and glm, which receives its design, at 1e-8")


def of_model(call: RecordedCall, names: Sequence[str], same_llf: bool, by_glm: bool, model: RModel) -> Rows:
    """R's answer through the bridge beside R's in the script."""
    r, theirs = Beside(call, *(BY_GLM if by_glm else (LEAST, WHY))), coefficients(call, names)
    ours = {n: v for n, v in model.params().items() if n in theirs}
    rows = r.named("coef", ours, theirs, at("coef", model.names))
    rows += Beside(call, *(BY_GLM if by_glm else (LEAST_VCOV, WHY))).errors(model)
    for quantity in ("deviance", "df_resid", *(["llf"] if same_llf else [])):
        found = call.number(IN_RECORD.get(quantity, quantity))
        size = 0.0 if quantity == "df_resid" or found is None else abs(found) + len(model.fitted)
        rows += r.fields(model, quantity, size)
    return rows


def _cannot(fitted: Fitted) -> str:
    if "GenDavidson(" in text_of(fitted.call):
        return "gnm's nonlinear terms have no design matrix"
    if fitted.family not in FAMILIES or fitted.link not in LINKS:
        return f"family {fitted.family or 'unknown'} with link {fitted.link or 'unknown'}"
    if fitted.design.x.size > MOST_WRITTEN:
        return f"a model matrix of {fitted.design.x.size:,} numbers; at most {MOST_WRITTEN:,}"
    return "" if fitted.design.x.shape[1] else "it has no coefficient"
