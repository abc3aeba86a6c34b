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
from ..python_code import Call, columns_call, whole_numbers
from ..rows import IN_RECORD, Beside, at, coefficients, counterpart, fit_rows
from ..translation import Translation, outside
from .recorded_design import Fitted, IntArray, family_of, renamed, trials

FloatArray = NDArray[np.float64]
#: R's calls as they are made, by which their floors are found.
GLM, GNM, POLR = ("stats::glm, default epsilon", "gnm::gnm, default tolerance", "MASS::polr, default reltol")
#: Errors of estimates, and what is made of them.
OF_ERRORS = ("se", "z", "p", "worth_se")
Judge = Callable[[Fit], Sequence[Agreement]]


def r_parameters(found: Recognised, fitted: Fitted, phi: float, scale: Scale) -> RParameters:
    """R's coefficients as the fit's parameters, M b and M V M'; `phi` is R's dispersion."""
    model = found.model
    coef, vcov = fitted.of(found.coefficients)
    names = tuple(renamed(model, n) for n in model.names)
    return RParameters(
        names, model.map @ coef, model.map @ (vcov / phi) @ model.map.T, scale, model.reference
    )


def of_fit(
    call: RecordedCall,
    parameters: RParameters,
    likelihood: dict[str, float],
    name: str,
    *said: str,
    errors: bool = True,
) -> Judge:
    """Holds a fit's numbers against R's; errors: whether R's are of the same information."""

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
    """The same with glm's AIC, count of parameters and null model; nuisance: constants of contests."""
    loglik, theirs = call.number("loglik"), likelihood.get("llf")
    constant = None if loglik is None or theirs is None else loglik - theirs
    null = _null_model(call, fitted)
    # AIC is twice the log-likelihood and a whole number, so it has the digits of the log-likelihood.
    of_llf = Beside(call, floor("llf", GLM).digits)

    def both(fit: Fit) -> Sequence[Agreement]:
        rows = [*judge(fit), *Beside(call).numbers(None, **null)]
        if constant is None or fit.n_infinite:
            return rows
        rank = float(fit.rank + nuisance)
        rows += Beside(call).numbers(None, loglik_df=rank)
        return rows + of_llf.numbers(None, aic_glm=2.0 * (rank - fit.llf - constant))

    return both


def with_polr(call: RecordedCall, judge: Judge, n: float, more: int) -> Judge:
    """The same with polr's deviance, -2 log L, and df: n answers less parameters, `more` of them R's alone."""

    def both(fit: Fit) -> Sequence[Agreement]:
        rank = float(fit.rank + more)
        return [
            *judge(fit),
            *Beside(call, floor("llf", POLR).digits).numbers(None, deviance_polr=-2.0 * fit.llf),
            *Beside(call).numbers(None, df_residual=n - rank, loglik_df=rank),
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
    values = deviance_of(call)
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
    values = deviance_of(call)
    total = contests.totals
    outcomes = contests.rows.shape[1]
    if "df_resid" in values:
        values["df_resid"] -= float((total == 0).sum() * (outcomes - 1))
    loglik = call.number("loglik")
    if loglik is not None and _whole(contests):
        constant = float(np.sum(xlogy(total, total) - total) - np.sum(gammaln(counts + 1)))
        values.update(likelihood_values(loglik - constant, n))
    return values


def deviance_of(call: RecordedCall) -> dict[str, float]:
    """R's deviance and residual degrees of freedom, as far as they were recorded."""
    found = {"deviance": call.number("deviance"), "df_resid": call.number("df_residual")}
    return {q: v for q, v in found.items() if v is not None}


def _whole(contests: Contests) -> bool:
    ties = np.zeros(1) if contests.ties is None else contests.ties
    return all(bool((c % 1 == 0).all()) for c in (contests.wins, contests.losses, ties))


def dispersion(fitted: Fitted, family: str, df: float) -> float:
    """R's dispersion of a quasi family: Pearson's chi-square by its residual degrees of freedom."""
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
BY_VALUES = "pairproof.bridge.by_design"
FAMILIES: tuple[str, ...] = get_args(DesignFamily)
LINKS: tuple[str, ...] = get_args(DesignLink)
#: Numbers of a model matrix that are written into a CSV file at most.
MOST_NUMBERS = 2_000_000


def in_r(call: RecordedCall, fitted: Fitted, groups: IntArray | None, reason: str) -> Translation:
    """`glm_design(...)` of the bridge, or `gnm_eliminated(...)` with groups; left out where that cannot be."""
    family, link = family_of(call)
    wrong = _cannot(fitted, family, link)
    if wrong:
        return outside(f"{reason}; and it cannot be sent to R by its values: {wrong}")
    columns = {n: whole_numbers(fitted.design.x[:, k]) for k, n in enumerate(fitted.design.names)}
    columns["(y)"] = fitted.y.tolist()
    options: dict[str, Any] = {}
    if groups is not None:
        columns["(eliminate)"] = [int(k) + 1 for k in groups]
        if (family, link) != ("poisson", "log"):
            options.update(family=family, link=link)
    if (fitted.weights != 1).any():
        columns["(weights)"] = fitted.weights.tolist()
        options["weights"] = "(weights)"
    if fitted.offset is not None:
        columns["(offset)"] = fitted.offset.tolist()
        options["offset"] = "(offset)"
    arguments = (columns_call(columns, call.variable), "(y)")
    if groups is not None:
        code = Call(f"{BY_VALUES}.gnm_eliminated", (*arguments, "(eliminate)"), options)
        return Translation("bridge", code, reason, judge=of_model(call, fitted.design.names))
    if "(Intercept)" in fitted.design.names:
        options["intercept"] = True
    code = Call(f"{BY_VALUES}.glm_design", (*arguments, family, link), options)
    # With weights beside counts R's binomial coefficients are of the counts, which a share and a weight do
    # not tell.
    same_llf = bool((trials(call, fitted) == fitted.weights).all())
    judge = of_model(call, fitted.design.names, same_llf)
    return Translation("bridge", code, reason, judge=judge)


def polr_in_r(
    call: RecordedCall, columns: dict[str, list[Any]], levels: Sequence[str], method: str, reason: str
) -> Translation:
    """`pairproof.bridge.by_design.polr_design(...)`; `columns` has "(y)", and "(weights)" if there are any."""
    options: dict[str, Any] = {"weights": "(weights)"} if "(weights)" in columns else {}
    options["levels"] = list(levels)
    if method != "logistic":
        options["method"] = method
    code = Call(f"{BY_VALUES}.polr_design", (columns_call(columns, call.variable), "(y)"), options)
    names = tuple(n for n in columns if n not in ("(y)", "(weights)"))
    return Translation("bridge", code, reason, judge=of_model(call, names))


def of_model(
    call: RecordedCall, names: Sequence[str], same_llf: bool = True
) -> Callable[[RModel], Sequence[Agreement]]:
    """The function that holds R's answer through the bridge against R's in the script."""

    def judge(model: RModel) -> Sequence[Agreement]:
        r, theirs = Beside(call, LEAST, WHY), coefficients(call, names)
        ours = {n: v for n, v in model.params().items() if n in theirs}
        rows = r.named("coef", ours, theirs, at("coef", model.names))
        rows += Beside(call, LEAST_VCOV, WHY).errors(model)
        numbers = {"deviance": model.deviance, "df_resid": model.df_residual}
        for quantity, python in (numbers | ({"llf": model.loglik} if same_llf else {})).items():
            place = IN_RECORD.get(quantity, quantity)
            if (said := call.number(place)) is not None:
                size = abs(said) + len(model.fitted) if quantity != "df_resid" else 0.0
                rows.append(r.row(quantity, python, said, size, place))
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
