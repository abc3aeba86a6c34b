"""R's numbers of a recorded glm, gnm or polr beside those of a fit, or of R where the call stays there.

A call that stays in R is the same function on the same model matrix and response.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, gammaln, xlogy

from ....bridge.capture.recorded import RecordedCall
from ....bridge.packages.asking import RModel
from ....bridge.packages.by_design import DesignFamily, DesignLink
from ....fit.estimates.specification import Scale
from ....fit.fit import Fit
from ....validation.claims.quantities import kind_of
from ....validation.r_answers.contests import TOWARDS_INFINITY
from ....validation.r_answers.translate import RParameters, likelihood_values, parameter_values
from ....validation.verdicts.agreement import Agreement
from ....validation.verdicts.digits import floor
from ...recognise.decide import Recognised
from ...recognise.design_contests import Contests
from ..python_code import Call, File
from ..rows import SAME, at, counterpart, fit_rows, row, rows_of
from ..translation import Translation, outside
from .recorded_design import Fitted, IntArray, family_of, renamed, trials

FloatArray = NDArray[np.float64]
#: R's calls as they are made, by which their floors are found.
GLM, GNM, POLR = ("stats::glm, default epsilon", "gnm::gnm, default tolerance", "MASS::polr, default reltol")
#: Errors of estimates, and what is made of them.
OF_ERRORS = ("se", "z", "p", "worth_se")
Judge = Callable[[Fit], Sequence[Agreement]]


def r_parameters(found: Recognised, coef: FloatArray, vcov: FloatArray, scale: Scale) -> RParameters:
    """R's coefficients as the fit's parameters: M b and M V M'.

    coef, vcov float[p], float[p, p]: of `found.coefficients`.
    """
    model = found.model
    names = tuple(renamed(model, n) for n in model.names)
    return RParameters(names, model.map @ coef, model.map @ vcov @ model.map.T, scale, model.reference)


def of_fit(
    call: RecordedCall,
    parameters: RParameters,
    likelihood: dict[str, float],
    name: str,
    *said: str,
    errors: bool = True,
) -> Judge:
    """The function that holds a fit's numbers against R's.

    likelihood: on the fit's definitions.  name: the R call, for its floors.  *said: what was translated.
    errors: whether R's standard errors are of the same information.
    """

    def judge(fit: Fit) -> Sequence[Agreement]:
        values = {**parameter_values(fit, parameters), **likelihood}
        if not errors:
            values = {q: v for q, v in values.items() if kind_of(q) not in OF_ERRORS}
        full = f"{name}, {TOWARDS_INFINITY}" if fit.n_infinite else name
        return fit_rows(fit, counterpart(call, values, *said, name=full))

    return judge


def with_glm(
    call: RecordedCall, fitted: Fitted, judge: Judge, likelihood: dict[str, float], nuisance: int = 0
) -> Judge:
    """The same with what a glm or gnm gives by its own definitions: AIC, its count of parameters, the null model.

    judge: of the fit's own quantities.  likelihood: R's on the fit's definitions; the constant between the
    log-likelihoods, which is of the data, is found from it.  nuisance: constants of contests, which R counts
    as parameters and a fit does not.
    """
    loglik, theirs = call.number("loglik"), likelihood.get("llf")
    constant = None if loglik is None or theirs is None else loglik - theirs
    null = _null_model(call, fitted)

    def both(fit: Fit) -> Sequence[Agreement]:
        rank = float(fit.rank + nuisance)
        ours = dict(null)
        if constant is not None and not fit.n_infinite:
            ours |= {"loglik_df": rank, "aic_glm": 2.0 * (rank - fit.llf - constant)}
        r = {q: call.number("aic" if q == "aic_glm" else q) for q in ours}
        # AIC is twice the log-likelihood and a whole number, so it has the digits of the log-likelihood.
        least = {"aic_glm": floor("llf", GLM).digits}
        return [
            *judge(fit),
            *(
                row(q, ours[q], v, call.function, least=least.get(q, SAME))
                for q, v in r.items()
                if v is not None
            ),
        ]

    return both


def with_polr(call: RecordedCall, judge: Judge, n: float, more: int) -> Judge:
    """The same with polr's deviance, -2 log-likelihood, and its degrees of freedom: answers less parameters.

    n: sum of the weights.  `more`: parameters of R's that the fit has not: the order effect of mirrored data.
    """

    def both(fit: Fit) -> Sequence[Agreement]:
        rank = float(fit.rank + more)
        ours = {"deviance": -2.0 * fit.llf, "df_residual": n - rank, "loglik_df": rank}
        least = {"deviance": floor("llf", POLR).digits}
        said = {q: v for q in ours if (v := call.number(q)) is not None}
        names = {"deviance": "deviance_polr"}
        return [
            *judge(fit),
            *(
                row(names.get(q, q), ours[q], v, call.function, least=least.get(q, SAME))
                for q, v in said.items()
            ),
        ]

    return both


def _null_model(call: RecordedCall, fitted: Fitted) -> dict[str, float]:
    """Deviance and df of glm's null model: a constant, or nothing; {} with an offset, where glm fits it, and for gnm."""
    if fitted.offset is not None or call.function == "gnm::gnm":
        return {}
    w, y = fitted.weights, fitted.y
    constant = "(Intercept)" in fitted.design.names
    mean = float((w * y).sum() / w.sum())
    if family_of(call)[0].endswith("binomial"):
        mu = mean if constant else 0.5  # 1/2 at 0 of every link here
        part = xlogy(y, y / mu) + xlogy(1.0 - y, (1.0 - y) / (1.0 - mu))
    else:
        mu = mean if constant else 1.0
        part = xlogy(y, y / mu) - (y - mu)
    return {"null_deviance": float(2.0 * (w * part).sum()), "df_null": float((w > 0).sum()) - float(constant)}


def binomial_likelihood(call: RecordedCall, fitted: Fitted, contests: Contests, n: int) -> dict[str, float]:
    """Deviance, df, llf and AIC of a binomial glm.

    Its logLik has log choose(trials, wins) beyond that of comparisons, times the weight of each row.
    """
    values = _deviance(call)
    loglik = call.number("loglik")
    m = trials(call, fitted)
    if loglik is not None and _whole(contests) and (m > 0).all() and bool((m % 1 == 0).all()):
        wins = np.round(m * fitted.y)
        coefficient = gammaln(m + 1) - gammaln(wins + 1) - gammaln(m - wins + 1)
        constant = float(np.sum(fitted.weights / m * coefficient))
        values.update(likelihood_values(loglik - constant, n))
    return values


def poisson_likelihood(
    call: RecordedCall, contests: Contests, counts: FloatArray, n: int
) -> dict[str, float]:
    """The same of a Poisson model with a constant for each contest.

    Its log-likelihood is that of the comparisons plus sum(N log N - N) - sum log y!, N the total of a
    contest.  R counts the outcomes of contests that were never held as degrees of freedom; a fit does not.
    """
    values = _deviance(call)
    total = contests.totals
    outcomes = contests.rows.shape[1]
    if "df_resid" in values:
        values["df_resid"] -= float((total == 0).sum() * (outcomes - 1))
    loglik = call.number("loglik")
    if loglik is not None and _whole(contests):
        constant = float(np.sum(xlogy(total, total) - total) - np.sum(gammaln(counts + 1)))
        values.update(likelihood_values(loglik - constant, n))
    return values


def _deviance(call: RecordedCall) -> dict[str, float]:
    found = {"deviance": call.number("deviance"), "df_resid": call.number("df_residual")}
    return {q: v for q, v in found.items() if v is not None}


def _whole(contests: Contests) -> bool:
    ties = np.zeros(1) if contests.ties is None else contests.ties
    return all(bool((c % 1 == 0).all()) for c in (contests.wins, contests.losses, ties))


def dispersion(fitted: Fitted, family: str, df: float) -> float:
    """R's dispersion of a quasi family: Pearson's chi-square by its degrees of freedom.

    df: residual.
    """
    b = np.nan_to_num(fitted.coef)
    eta = fitted.design.x @ b + (0.0 if fitted.offset is None else fitted.offset)
    if family == "quasibinomial":
        mu = expit(eta)
        variance = mu * (1.0 - mu)
    else:
        mu = np.exp(eta)
        variance = mu
    used = fitted.weights > 0
    pearson = fitted.weights * (fitted.y - mu) ** 2 / variance
    return float(pearson[used].sum() / df) if df > 0 else float("nan")


#: The same function on the same numbers, so that no more than the order of sums differs. polr's covariance is
#: that of a Hessian by steps of 1e-3, which vcov() takes at the end of another search unless Hess = TRUE was
#: said: 7.2 digits seen.
LEAST, LEAST_VCOV = 10.0, 5.5
WHY = "the same R function on the same numbers"
FAMILIES: tuple[str, ...] = get_args(DesignFamily)
LINKS: tuple[str, ...] = get_args(DesignLink)
#: Numbers of a model matrix that are written into a CSV file at most.
MOST_NUMBERS = 2_000_000


def glm_in_r(call: RecordedCall, fitted: Fitted, reason: str, stem: str) -> Translation:
    """`pairproof.bridge.by_design.glm_design(...)`, or left out where that cannot be."""
    family, link = family_of(call)
    wrong = _cannot(fitted, family, link)
    if wrong:
        return outside(f"{reason}; and it cannot be sent to R by its values: {wrong}")
    columns = _design(fitted)
    columns["(y)"] = fitted.y.tolist()
    options: dict[str, Any] = {}
    if (fitted.weights != 1).any():
        columns["(weights)"] = fitted.weights.tolist()
        options["weights"] = "(weights)"
    if fitted.offset is not None:
        columns["(offset)"] = fitted.offset.tolist()
        options["offset"] = "(offset)"
    if "(Intercept)" in fitted.design.names:
        options["intercept"] = True
    code = Call(
        "pairproof.bridge.by_design.glm_design", (_frame(columns, stem), "(y)", family, link), options
    )
    # With weights beside counts R's binomial coefficients are of the counts, which a share and a weight do
    # not tell.
    same_llf = bool((trials(call, fitted) == fitted.weights).all())
    return Translation(
        "bridge", code, reason, speaks="r", judge=of_model(call, fitted.design.names, same_llf)
    )


def gnm_in_r(call: RecordedCall, fitted: Fitted, groups: IntArray, reason: str, stem: str) -> Translation:
    """`pairproof.bridge.by_design.gnm_eliminated(...)`, or left out where that cannot be."""
    family, link = family_of(call)
    wrong = _cannot(fitted, family, link)
    if wrong:
        return outside(f"{reason}; and it cannot be sent to R by its values: {wrong}")
    columns = _design(fitted)
    columns["(y)"] = fitted.y.tolist()
    columns["(eliminate)"] = [int(k) + 1 for k in groups]
    arguments: list[Any] = [_frame(columns, stem), "(y)", "(eliminate)"]
    options: dict[str, Any] = {}
    if (family, link) != ("poisson", "log"):
        options.update(family=family, link=link)
    if (fitted.weights != 1).any():
        columns["(weights)"] = fitted.weights.tolist()
        options["weights"] = "(weights)"
    if fitted.offset is not None:
        columns["(offset)"] = fitted.offset.tolist()
        options["offset"] = "(offset)"
    arguments[0] = _frame(columns, stem)
    code = Call("pairproof.bridge.by_design.gnm_eliminated", tuple(arguments), options)
    return Translation("bridge", code, reason, speaks="r", judge=of_model(call, fitted.design.names))


def polr_in_r(
    call: RecordedCall,
    columns: dict[str, list[Any]],
    levels: Sequence[str],
    method: str,
    reason: str,
    stem: str,
    weighted: bool,
) -> Translation:
    """`pairproof.bridge.by_design.polr_design(...)`; `columns` has "(y)", and "(weights)" if `weighted`."""
    options: dict[str, Any] = {"weights": "(weights)"} if weighted else {}
    options["levels"] = list(levels)
    if method != "logistic":
        options["method"] = method
    code = Call("pairproof.bridge.by_design.polr_design", (_frame(columns, stem), "(y)"), options)
    names = tuple(n for n in columns if n not in ("(y)", "(weights)"))
    return Translation("bridge", code, reason, speaks="r", judge=of_model(call, names))


def of_model(
    call: RecordedCall, names: Sequence[str], same_llf: bool = True
) -> Callable[[RModel], Sequence[Agreement]]:
    """The function that holds R's answer through the bridge against R's in the script."""

    def judge(model: RModel) -> Sequence[Agreement]:
        found = call.vector("coef")
        theirs = dict(zip(found.names or names, found.floats().tolist())) if found is not None else {}
        rows = rows_of(
            "coef",
            {n: v for n, v in model.params().items() if n in theirs},
            theirs,
            call.function,
            least=LEAST,
            why=WHY,
            places=at("coef", model.names),
        )
        spread = call.vector("vcov")
        if spread is not None and spread.values.ndim == 2 and spread.dimnames and spread.dimnames[0]:
            errors = dict(
                zip(spread.dimnames[0], np.sqrt(np.maximum(np.diag(spread.floats()), 0.0)).tolist())
            )
            wanted = {n: errors[n] for n, v in theirs.items() if n in errors and not np.isnan(v)}
            ours = {n: v for n, v in model.bse().items() if n in wanted}
            rows += rows_of(
                "se", ours, wanted, call.function, least=LEAST_VCOV, why=WHY, places=at("se", model.names)
            )
        for quantity, r, python in (  # `r` is the name in the record, and in the value
            ("deviance", "deviance", model.deviance),
            ("df_resid", "df_residual", model.df_residual),
            ("llf", "loglik", model.loglik),
        ):
            said = call.number(r)
            if said is not None and (same_llf or quantity != "llf"):
                size = abs(said) + len(model.fitted) if quantity != "df_resid" else 0.0
                rows.append(
                    row(quantity, python, said, call.function, least=LEAST, why=WHY, scale=size, place=r)
                )
        return rows

    return judge


def _cannot(fitted: Fitted, family: str, link: str) -> str:
    if family not in FAMILIES or link not in LINKS:
        return f"family {family or 'unknown'} with link {link or 'unknown'}"
    if fitted.design.x.size > MOST_NUMBERS:
        return f"a model matrix of {fitted.design.x.size:,} numbers; at most {MOST_NUMBERS:,}"
    if not fitted.design.x.shape[1]:
        return "it has no coefficient"
    return ""


def _design(fitted: Fitted) -> dict[str, list[Any]]:
    return {n: _numbers(fitted.design.x[:, k]) for k, n in enumerate(fitted.design.names)}


def _numbers(column: Any) -> list[Any]:
    whole = bool((column == np.round(column)).all()) and float(np.abs(column).max(initial=0.0)) < 2**31
    return [int(v) if whole else float(v) for v in column]


def _frame(columns: dict[str, list[Any]], stem: str) -> Call:
    return Call("pairproof.bridge.read_frame", (File(columns, stem),))
