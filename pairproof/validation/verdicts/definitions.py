"""Numbers that programs define differently for the same fit: deviance, df, log-likelihood, AIC, standard
errors.

With y the counts of a cell, n their sum, llf the log-likelihood of the comparisons and k the rank of the
model:

    deviance = 2 (sum y log(y / n) - llf),   df = cells x (outcomes - 1) - k      whatever the cells are

and cells are the pairs, the rows of the table, each judge's rows, or single comparisons, where
the sum is 0 and the deviance -2 llf.  R's own log-likelihoods have constants on top of llf:

    glm(binomial), BTm     + sum log choose(n, wins)                    AIC = -2 logLik + 2 k
    glm(poisson), gnm      + sum(n log n - n) - sum log y!              AIC = -2 logLik + 2 (k + cells)

A page that prints R's AIC, or a deviance of ungrouped data, is right by a definition that has a name.  It is
found only if one program's output gives all numbers of the table that the claim prints, and only if those
that are not reproduced as printed have more digits than chance needs to hit one of the definitions
(`fewest_digits`).  Likewise

    BradleyTerry2's glmmPQL     sigma = 0 by the two-sided p of z = sigma / se, though 0 is the boundary of
                                its range, where z is not normal (Self and Liang 1987, JASA 82, 605-610)

and of Plackett and Luce's model R's PlackettLuce (Turner, van Etten, Firth and Kosmidis 2020, Computational
Statistics 35, 1027-1057) has

    deviance, df                -2 log L, and the choices of every stage of every ranking less the parameters; here
                                a deviance is against free probabilities of all rankings
    standard errors             with pseudo-rankings: of the information of the rankings alone, at the shrunken
                                estimates; here of what was maximised
    npseudo = 0.5               by default, said or not: half a win and half a loss more for every item
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import comb
from types import MappingProxyType

import numpy as np

from ...bridge.programs.counted_cells import count, rows_as_they_stand, treated
from ...data.respondents.respondents import Respondents
from ...errors import PairproofError
from ...fit.estimates.array_inference import normal_quantile
from ...fit.estimates.covariance import DenseCovariance
from ...fit.estimates.tails import two_sided_p
from ...fit.fit import Fit
from ...native.answers.plackett_luce import data_covariance
from ...numerics.arrays import FloatArray
from ..claims.data import fit_model
from ..claims.paper import Claim, ModelClaim, PrintedQuantity
from ..claims.quantities import Quantity, counts_of, kind_of, quantity
from .verdict import IMMATERIAL, OF_STOPPING, PrintVerdict, apart, immaterial, judge_print, judge_table

#: Quantities of the table of a fit; the others are the same on all cells.
OF_THE_TABLE = "deviance df_resid null_deviance df_null gof_p aic aic_glm llf llf_poisson bic".split()
#: Chance that some definition prints as a number that is none of them: with d digits and m definitions about
#: m / 10^d.
BY_CHANCE = 1e-3
#: Those of them that an author may take by our definition beside others that are R's.
_OF_LIKELIHOOD = ("aic", "aic_glm", "llf", "llf_poisson", "bic")


@dataclass(frozen=True)
class Definition:
    """A definition of deviance, df, log-likelihood and AIC that some program prints, with its numbers.

    setting: the fields of a search's setting by which it has these numbers, as far as it can.
    """

    name: str
    sentence: str
    values: Mapping[str, float]
    setting: Mapping[str, str] = field(default_factory=dict)


def definitions(fit: Fit) -> list[Definition]:
    """Every other definition of the table's numbers than this package's on this fit, the nearest first."""
    own = count(fit).counts
    outcomes = own.shape[1] - 1
    k, k_null = len(own) * outcomes - fit.df_resid, len(own) * outcomes - fit.df_null
    null_llf = _saturated(own) - fit.null_deviance / 2
    found: list[Definition] = []
    for cells, words in _cells(fit, own):
        table = _table(cells, outcomes, fit.llf, null_llf, k, k_null)
        at = "" if cells is own else "cells"
        if at:
            name = "deviance-is-log-likelihood" if words == _SINGLE else at
            found.append(Definition(name, words, table, _SETTINGS.get(words, {})))
        for constants, extra, program in _log_likelihoods(fit, cells, outcomes):
            llf = fit.llf + constants
            aic = -2.0 * llf + 2.0 * (fit.rank + extra)
            name = "+".join(filter(None, (at, "aic-constant")))
            said = (words if at else "", f"logLik and AIC are those of R's {program}")
            sentence = " and ".join(filter(None, said))
            values = {**table, "llf": llf, "aic": aic, "aic_glm": aic}
            setting = {**_SETTINGS.get(words, {}), "aic": "other"}
            found.append(Definition(name, sentence, values, setting))
    return found + list(_of_half_counts(fit, null_llf, k, k_null))


def _of_half_counts(fit: Fit, null_llf: float, k: int, k_null: int) -> Iterator[Definition]:
    """R's AIC of a binomial glm whose counts are not whole numbers (BTm with ties as half wins).

    Its `binomial()$aic` is -2 sum log dbinom(round(wins), round(n), mu): halves go to the even number, so that it
    matters whose wins are counted.
    """
    from ..r_answers.stopped_short import probabilities

    if fit.outcome_model != "binary" or not fit.quasi_likelihood or fit.spec.link != "logit":
        return
    if fit.random_effects is not None or not np.isfinite(fit.beta).all():
        return
    cells, rows = count(fit), rows_as_they_stand(fit)
    if cells.whole and rows.whole:
        return
    for table, words in ((rows, "per row"), (cells, "added up by pair")):
        mu = probabilities(fit, table, fit.beta)[:, 0]
        sides = ((table.wins, mu, ""), (table.losses, 1.0 - mu, ", for the item named second"))
        for wins, p, side in sides:
            llf = _rounded_binomial(wins, table.wins + table.losses, p)
            aic = -2.0 * llf + 2.0 * fit.rank
            values = _table(table.counts, 1, fit.llf, null_llf, k, k_null)
            program = "R's binomial glm (BTm), which rounds half counts to even numbers"
            sentence = f"logLik and AIC are those of {program}: {words}{side}"
            values = {**values, "llf": llf, "aic": aic, "aic_glm": aic}
            yield Definition("aic-of-half-counts", sentence, values)


def _rounded_binomial(wins: FloatArray, n: FloatArray, p: FloatArray) -> float:
    """Sum of log dbinom(round(wins), round(n), p)."""
    from scipy.special import gammaln, xlog1py, xlogy

    k, m = np.round(np.where(n > 0, n * (wins / np.maximum(n, 1e-300)), 0.0)), np.round(n)
    choose = gammaln(m + 1.0) - gammaln(k + 1.0) - gammaln(m - k + 1.0)
    return float(np.sum(choose + xlogy(k, p) + xlog1py(m - k, -p)))


_SINGLE = "every comparison is a separate cell (the deviance is minus twice the log-likelihood)"
_PAIRS = "the rows of each pair are added up"
_ROWS = "every row of the table is a separate cell"
_JUDGES = "every judge's rows are a separate cell"
_SETTINGS: Mapping[str, Mapping[str, str]] = {
    _PAIRS: {"cells": "model"},
    _ROWS: {"cells": "row"},
    _JUDGES: {"cells": "judge"},
    _SINGLE: {"deviance": "llf"},
}


def _cells(fit: Fit, own: FloatArray) -> list[tuple[FloatArray, str]]:
    """Counts of the cells that a table may have been given in, float[n_cells, 2 or 3], with a sentence."""
    found: list[tuple[FloatArray, str]] = [(own, "")]

    def add(counts: FloatArray, sentence: str) -> None:
        if all(len(counts) != len(c) for c, _ in found):
            found.append((counts, sentence))

    def finer(*names: str) -> FloatArray:
        return count(replace(fit, spec=replace(fit.spec, cells=names))).counts

    add(finer(), _PAIRS)
    add(finer("row"), _ROWS)
    if "judge" in fit.data.columns and not any(name == "judge" for t in fit.terms for name, _ in t.by):
        add(finer("judge"), _JUDGES)
    add(_both_orders(fit, own.shape[1]), "the two orders of a pair are separate cells")
    total = own.sum(axis=0)
    if not (total != np.floor(total)).any() and total.sum() <= MOST_SINGLE:
        single = np.repeat(np.eye(len(total)), total.astype(int), axis=0)
        add(single, _SINGLE)
    return found


#: Comparisons beyond which a deviance of single ones is not looked at: nobody's software keeps a row for
#: each.
MOST_SINGLE = 2_000_000


def _both_orders(fit: Fit, outcomes: int) -> FloatArray:
    """Pairs in each order apart, whatever covariates the model has."""
    table = treated(fit)
    used = table.wins + table.ties + table.losses > 0
    keys = [table.first, table.second]
    for name in {n for t in fit.terms for n, _ in (*t.of, *t.by)}:
        column = table.columns[name]
        keys.append(np.unique(column.codes if hasattr(column, "codes") else column, return_inverse=True)[1])
    _, cell = np.unique(np.stack(keys, axis=1)[used], axis=0, return_inverse=True)
    counts = [table.wins, table.ties, table.losses] if outcomes == 3 else [table.wins, table.losses]
    y = np.stack(counts, axis=1)[used]
    return np.stack([np.bincount(np.ravel(cell), y[:, c]) for c in range(outcomes)], axis=1)


def _saturated(y: FloatArray) -> float:
    """Sum of y log(y / n), the log-likelihood of the shares themselves."""
    from scipy.special import xlogy

    n = y.sum(axis=1)
    return float(np.sum(xlogy(y, y)) - np.sum(xlogy(n, n)))


def _table(
    y: FloatArray, outcomes: int, llf: float, null_llf: float, k: int, k_null: int
) -> dict[str, float]:
    from scipy.special import gammaincc

    saturated, contrasts = _saturated(y), len(y) * outcomes
    deviance, df = 2.0 * (saturated - llf), contrasts - k
    return {
        "deviance": deviance,
        "df_resid": float(df),
        "null_deviance": 2.0 * (saturated - null_llf),
        "df_null": float(contrasts - k_null),
        "gof_p": float(gammaincc(df / 2.0, max(deviance, 0.0) / 2.0)) if df > 0 else math.nan,
    }


def _log_likelihoods(fit: Fit, y: FloatArray, outcomes: int) -> list[tuple[float, int, str]]:
    """Constant beyond llf, nuisance parameters, program."""
    from scipy.special import gammaln, xlogy

    if fit.quasi_likelihood or fit.ties == "rao-kupper":
        return []
    n = y.sum(axis=1)
    found = []
    if outcomes == 1:
        found.append((float(np.sum(gammaln(n + 1.0)) - np.sum(gammaln(y + 1.0))), 0, "binomial glm (BTm)"))
    poisson = float(np.sum(xlogy(n, n) - n) - np.sum(gammaln(y + 1.0)))
    return [*found, (poisson, len(y), "Poisson glm and gnm, which count a nuisance constant for each cell")]


def by_definition(
    claim: Claim, fit: Fit, values: Mapping[str, float], wrong: Sequence[str]
) -> dict[str, PrintVerdict]:
    """Numbers of the table (deviance, df, AIC) that another program's definition reproduces: one that
    reproduces all of the table.  If they have too few digits to rule out chance, they only say so.
    """
    table = [q for q in claim.numbers if kind_of(q.quantity) in OF_THE_TABLE]
    off = [q for q in table if q.quantity in wrong]
    if not off:
        return {}
    known = definitions(fit)

    def fits(d: Definition, q: PrintedQuantity) -> bool:
        # An author may take R's deviance and -2 llf + 2k: AIC and llf that our definition reproduces need no
        # other.
        free = kind_of(q.quantity) in _OF_LIKELIHOOD and q.quantity not in wrong
        return free or comes_out(claim, q, d.values.get(q.quantity, values[q.quantity]))

    found = next((d for d in known if all(fits(d, q) for q in table)), None)
    if found is None:
        return {}
    if n_digits(off) >= fewest_digits(len(known)):
        said, theirs = f"reproduced if {found.sentence}", found.values
        ours: dict[str, str] = {
            q.quantity: f", which gives {theirs.get(q.quantity, math.nan):.8g}; {values[q.quantity]:.8g} by pairproof's"
            " definition; the fit is the same"
            for q in off
        }
        return by_other(found.name, off, said, ours, found.setting)
    few = f"it would be reproduced if {found.sentence}, but so few digits are no evidence"
    return {
        q.quantity: PrintVerdict("differs", f"computed {float(values[q.quantity])!r}; {few}", "other-value")
        for q in off
    }


def comes_out(claim: Claim, q: PrintedQuantity, value: float) -> bool:
    """Whether the number is printed so."""
    return judge_print(q, value, float(claim.alpha)).comes_out


def by_other(
    code: str,
    numbers: Iterable[PrintedQuantity],
    said: str,
    ours: Mapping[str, str] = MappingProxyType({}),
    setting: Mapping[str, str] | None = None,
) -> dict[str, PrintVerdict]:
    """The verdict that another definition reproduces these numbers; `ours`: what is said about each beside
    it."""
    said_of = ((q.quantity, f"{code}: {said}{ours.get(q.quantity, '')}") for q in numbers)
    return {q: PrintVerdict("agrees-other-definition", s, code, setting=setting or {}) for q, s in said_of}


def fewest_digits(n_definitions: int) -> int:
    """Significant digits with which `n_definitions` hit by chance less often than `BY_CHANCE`."""
    return math.ceil(math.log10(max(n_definitions, 1) / BY_CHANCE))


def significant_digits(text: str) -> int:
    """Of a printed number: "0.0190" has 3, "44.05 on 36" 4, "< .001" none."""
    if re.search(r"[<>]", text):
        return 0
    found = re.search(r"\d*\.?\d+", text)
    return len(found[0].replace(".", "").lstrip("0")) if found else 0


def n_digits(numbers: Iterable[PrintedQuantity]) -> int:
    """Significant digits of all of them."""
    return sum(significant_digits(q.printed.text) for q in numbers)


def by_model_errors(
    claim: Claim,
    value: Callable[[Quantity], float],
    error: Callable[[Quantity], float],
    values: Mapping[str, float],
    judged: Mapping[str, PrintVerdict],
) -> dict[str, PrintVerdict]:
    """Limits and ranks of a board, if most are those of the model's own standard errors and fewer are those of the
    spread of single votes.

    value, error: of a number and its standard error, by the model.
    """
    numbers = claim.numbers
    theirs: dict[str, float] = {q.quantity: value(q.quantity) for q in numbers}
    errors: dict[str, float] = {q.quantity: error(q.quantity) for q in numbers}
    by_model = judge_table(numbers, theirs, float(claim.alpha))
    by_model |= immaterial(numbers, theirs, errors, by_model, OF_STOPPING, "early-stop", True)
    out = [q for q in numbers if by_model[q.quantity].comes_out]
    if len(out) * 2 <= len(numbers) or len(out) <= sum(j.comes_out for j in judged.values()):
        return {}
    said = (
        "reproduced if standard errors are those of the model, which takes all votes as independent, as in glm and"
        " BradleyTerry2"
    )
    found: dict[str, PrintVerdict] = {}
    for q in numbers:
        name, j = q.quantity, by_model[q.quantity]
        both = f"which gives {theirs[name]:.8g}; {values[name]:.8g} by the spread of single votes (sandwich)"
        if judged[name].verdict == "agrees" or judged[name].comes_out and not j.comes_out:
            continue
        if j.comes_out:
            found |= by_other("model-errors", [q], said, {name: f", {both}"})
        elif j.verdict == "immaterial":
            found[name] = j
        else:
            found[name] = replace(j, note=f"with the standard errors of the model, {both}")
    return found


#: Kinds of numbers of a parameter that depend on its standard error.
OF_ERROR = ("se", "z", "p", "low", "high")
#: Verdicts of numbers that are not reproduced as printed.
WRONG = ("differs", "differs-conclusion", "not-estimable")


def by_program(
    claim: Claim, fit: Fit, values: Mapping[str, float], judged: Mapping[str, PrintVerdict]
) -> dict[str, PrintVerdict]:
    """Numbers that are what a program of R's prints for the same estimates."""
    wrong = [q for q in claim.numbers if judged[q.quantity].verdict in WRONG]
    differ = [q.quantity for q in wrong if judged[q.quantity].verdict != "not-estimable"]
    found = {
        **_by_null_with_order(claim, fit, values, wrong),
        **_by_poisson_null(claim, fit, wrong),
        **_by_observations(claim, fit, wrong),
    }
    rest = replace(claim, numbers=tuple(q for q in claim.numbers if q.quantity not in found))
    found |= by_definition(rest, fit, values, [name for name in differ if name not in found])
    if fit.random_effects is not None:
        for q in wrong:
            if kind_of(q.quantity) == "sigma_p":
                found |= _by_wald(claim, fit, q, values[q.quantity])
    return {**found, **_by_scale_of_ties(claim, fit, values, wrong), **_by_ties_as_half(claim, fit, wrong)}


def _by_null_with_order(
    claim: Claim, fit: Fit, values: Mapping[str, float], wrong: Sequence[PrintedQuantity]
) -> dict[str, PrintVerdict]:
    """The null deviance of R's glm, whose null model has the intercept, if this is the order effect of every row."""
    off = [q for q in wrong if q.quantity in ("null_deviance", "df_null")]
    order = fit.data.columns.get("order", np.ones(1))
    if not off or not fit.spec.order_effect or hasattr(order, "codes") or (np.asarray(order) != 1).any():
        return {}
    own, table = count(fit).counts, treated(fit)
    null_llf = _saturated(np.array([[table.wins.sum(), table.losses.sum()]]))
    for cells, _ in _cells(fit, own) if own.shape[1] == 2 else ():
        null = _table(cells, 1, fit.llf, null_llf, 0, 1)
        if all(comes_out(claim, q, null[q.quantity]) for q in off):
            said = "reproduced if the null model has the intercept, which is the order effect, as in R's glm"
            ours: dict[str, str] = {q.quantity: f"; {values[q.quantity]:.8g} without it" for q in off}
            return by_other("null-with-order", off, said, ours)
    return {}


def _by_poisson_null(claim: Claim, fit: Fit, wrong: Sequence[PrintedQuantity]) -> dict[str, PrintVerdict]:
    """The null deviance of a log-linear model of the counts: one constant for all of them, or none."""
    off = [q for q in wrong if q.quantity in ("null_deviance", "df_null")]
    if not off or fit.outcome_model == "binary" and fit.quasi_likelihood:
        return {}
    for y in (cells.ravel() for cells, _ in _cells(fit, count(fit).counts)):
        for mean, df in ((y.mean(), len(y) - 1), (1.0, len(y))):
            logs = y * np.log(np.where(y > 0, y, 1.0) / mean)
            null = {"null_deviance": 2.0 * float(np.sum(logs - (y - mean))), "df_null": float(df)}
            if all(comes_out(claim, q, null[q.quantity]) for q in off):
                said = "reproduced if the null model is that of a log-linear (Poisson) model of the counts"
                return by_other("poisson-null", off, said)
    return {}


def _by_observations(claim: Claim, fit: Fit, wrong: Sequence[PrintedQuantity]) -> dict[str, PrintVerdict]:
    """The number of observations that programs count, and the df and Pearson's chi-square that go with it."""
    of_n = next((q for q in claim.numbers if q.quantity == "n_comparisons"), None)
    off = {str(q.quantity): q for q in wrong}
    if of_n is None or fit.random_effects is not None or not np.isfinite(fit.beta).all():
        return {}
    from ..r_answers.stopped_short import probabilities

    rows, n = rows_as_they_stand(fit), fit.n_comparisons
    y = rows.counts
    known = {
        "single comparisons": n,
        "rows of the table": float((y.sum(axis=1) > 0).sum()),
        "pairs": float(len(count(fit))),
        "two rows for each comparison": 2.0 * n,
    }
    words = next((words for words, k in known.items() if comes_out(claim, of_n, k)), "")
    if not words:
        return {}
    theirs = {"n_comparisons": known[words], "df_resid": known[words] - fit.rank}
    for k in (0.0, *(c for c, *_ in _log_likelihoods(fit, y, y.shape[1] - 1))) if "bic" in off else ():
        bic = -2.0 * (fit.llf + k) + fit.rank * math.log(known[words])
        theirs |= {"bic": bic} if comes_out(claim, off["bic"], bic) else {}
    if "pearson" in off and y.shape[1] == 2:
        p, total = probabilities(fit, rows, fit.beta), y.sum(axis=1, keepdims=True)
        single = y * (1.0 - p) ** 2 + (total - y) * p**2
        squares = (
            single if words == "single comparisons" else (y - total * p) ** 2 / np.maximum(total, 1e-300)
        )
        theirs["pearson"] = float(np.sum(squares[:, 0] / (p[:, 0] * p[:, 1])))
    found = [q for name, q in off.items() if comes_out(claim, q, theirs.get(name, math.nan))]
    return by_other("observations", found, f"reproduced if observations are {words}")


def _by_ties_as_half(claim: Claim, fit: Fit, wrong: Sequence[PrintedQuantity]) -> dict[str, PrintVerdict]:
    """Counts, if all of their kind are those of votes whose ties are half wins and half losses, or are left out."""
    found: dict[str, PrintVerdict] = {}
    for kind, part, said in (
        ("wins", 0.5, "reproduced if ties are half wins"),
        ("losses", 0.5, "reproduced if ties are half losses"),
        ("votes", -1.0, "reproduced if ties are left out"),
    ):
        own = [q for q in claim.numbers if q.quantity.kind == kind]
        off = [q for q in own if q in wrong]
        if len(off) < 2:
            continue
        counts, ties = counts_of(fit.data, kind), counts_of(fit.data, "ties")
        if all(comes_out(claim, q, counts[q.quantity.name] + part * ties[q.quantity.name]) for q in own):
            found |= by_other("ties-in-counts", off, said)
    return found


def _by_scale_of_ties(
    claim: Claim, fit: Fit, values: Mapping[str, float], wrong: Sequence[PrintedQuantity]
) -> dict[str, PrintVerdict]:
    """The parameter of ties as nu or theta, of which ours is the logarithm, or as a logarithm of ours."""
    own = [
        q for q in claim.numbers if q.quantity.kind in ("estimate", *OF_ERROR) and q.quantity.name == "tie"
    ]
    estimate = next((q for q in own if q.quantity.kind == "estimate" and q in wrong), None)
    if estimate is None or n_digits([estimate]) < FEWEST_DIGITS or "tie" not in fit.params.index:
        return {}
    tie, se = float(fit.params["tie"]), float(fit.bse["tie"])
    ends, at = fit.conf_int().loc["tie"], normal_quantile(0.975)
    nu = "theta" if fit.spec.ties == "rao-kupper" else "nu"
    exp: tuple[str, Callable[[float], float], float] = (
        f"{nu} = exp(tie)",
        math.exp,
        math.exp(min(tie, 700.0)),
    )
    ways = [exp]
    if fit.spec.ties == "rao-kupper" and tie > 0:
        ways.append(("log(tie)", lambda x: math.log(x) if x > 0 else math.nan, 1.0 / tie))
    for words, of, slope in ways:
        x, error = of(tie), se * abs(slope)
        given: dict[str, list[float]] = {
            "estimate": [x],
            "se": [error],
            "z": [x / error],
            "p": [wald_p(x, error)],
        }
        for kind, sign in (("low", -1.0), ("high", 1.0)):
            given[kind] = [of(float(ends[kind])), x + sign * at * error]
        out = [
            q
            for q in own
            if q in wrong
            and any(
                comes_out(claim, q, v) or apart(q, v, error)[1] <= IMMATERIAL for v in given[q.quantity.kind]
            )
        ]
        if estimate in out:
            said = f"reproduced if the parameter of ties is {words}, its standard error by the delta method"
            ours: dict[str, str] = {
                q.quantity: f", which gives {given[q.quantity.kind][0]:.8g}; {values[q.quantity]:.8g} as tie"
                for q in out
            }
            return by_other("scale-of-ties", out, said, ours)
    return {}


def wald_p(sigma: float, se: float) -> float:
    """The two-sided p of z = sigma / se, which summary of a BTm prints."""
    return float(two_sided_p(np.array([sigma / se]))[0])


def _by_wald(claim: Claim, fit: Fit, q: PrintedQuantity, ours: float) -> dict[str, PrintVerdict]:
    """The p of sigma = 0, if z = sigma / se gives it."""
    component = fit.component(q.quantity.name)
    # One other reading only: two digits are hit by chance once in a hundred pages.
    if n_digits([q]) < FEWEST_DIGITS or not comes_out(claim, q, wald_p(component.sigma, component.se)):
        return {}
    by_ours = "no p" if math.isnan(ours) else f"{ours:.6g}"
    said = (
        f"reproduced if sigma = 0 is tested by z = {component.sigma / component.se:.4g}, as BradleyTerry2's summary"
        f" does; 0 is the boundary of sigma's range, where z is not normal (ours: {by_ours}; Laplace's approximation has"
        " a test on the boundary)"
    )
    return by_other("wald-sigma", [q], said, {})


# -- R's PlackettLuce ----------------------------------------------------------------------------------------

#: PlackettLuce's default, with which every item has won and lost.
DEFAULT = 0.5
#: Numbers of a page that determine its prior although one of them is not reproduced.
FEWEST = 4
#: Kinds of numbers that depend on standard errors.
OF_ERRORS = (*OF_ERROR, "worth_se", "contrast_se", "contrast_z", "contrast_p")
#: Kinds of numbers that no prior moves.
OF_DATA = ("df_resid", "df_null", "n_comparisons", "n_items", "wins")
_SAID = {
    "stages": "which takes -2 log L as the deviance and the choices at all stages minus the parameters as df",
    "data-information": "which leaves pseudo-rankings out of the information used for standard errors",
    "default-prior": "which has npseudo = 0.5 by default: an extra half win and half loss for every"
    " item, which shrinks all estimates",
}
#: Digits that numbers must have together: by one other reading two are hit by chance once in a hundred pages.
FEWEST_DIGITS = 2


def may_have_prior(model: ModelClaim | None) -> bool:
    """Whether a page with this model may have been made with the default prior."""
    if model is None or model.family != "plackett-luce":
        return False
    return not (model.npseudo or model.prior or model.by)


def model_of_page(
    claim: Claim, table: Respondents, fit: Fit | None, values: Mapping[str, float]
) -> ModelClaim:
    """The claim's model, or with R's default prior if that brings out every number, or all but one, of a page that
    does not say it.  fit: without the prior; None where there is none."""
    assert claim.model is not None
    if not may_have_prior(claim.model):
        return claim.model
    n = len(claim.numbers)
    own = -1 if fit is None else _n_out(claim, fit, values)
    if own == n:
        return claim.model
    with_prior = replace(claim.model, npseudo=DEFAULT)
    try:
        prior = fit_model(table, with_prior)
        shrunken: dict[str, float] = {q.quantity: quantity(prior, q.quantity) for q in claim.numbers}
    except PairproofError:
        return claim.model
    out = _n_out(claim, prior, shrunken)
    # A misprint with the prior is distinguished from one without it only if fewer are reproduced without it.
    found = out == n or out == n - 1 > own and n >= FEWEST
    return with_prior if found and n_digits(claim.numbers) >= fewest_digits(1) else claim.model


def _n_out(claim: Claim, fit: Fit, values: Mapping[str, float]) -> int:
    """How many numbers are reproduced, as printed or as PlackettLuce prints them."""
    theirs = values_of(fit, claim)
    ways = ((q, (values[q.quantity], theirs.get(q.quantity, math.nan))) for q in claim.numbers)
    return sum(any(comes_out(claim, q, value) for value in two) for q, two in ways)


def by_plackett_luce(
    claim: Claim, fit: Fit, values: Mapping[str, float], judged: Mapping[str, PrintVerdict]
) -> dict[str, PrintVerdict]:
    """Numbers that are reproduced as R's PlackettLuce prints them, but not otherwise or not without its default prior."""
    if fit.answers is None or fit.spec.family != "plackett-luce" or claim.model is None:
        return {}
    found: dict[str, PrintVerdict] = {}
    theirs = values_of(fit, claim)
    for name, kinds in (("stages", ("deviance", "df_resid")), ("data-information", OF_ERRORS)):
        of_kind = [q for q in claim.numbers if q.quantity.kind in kinds and q.quantity in theirs]
        come_out = [q for q in of_kind if comes_out(claim, q, theirs[q.quantity])]
        # One of them may be a misprint, which does not make the others wrong.
        if len(come_out) >= max(1, len(of_kind) - 1):
            wrong = [q for q in come_out if not judged[q.quantity].comes_out]
            own = "by pairproof's definition"
            both = {q: f": {theirs[q]:.8g}; {values[q]:.8g} {own}" for q in theirs.keys() & values}
            found |= _agree(name, wrong, both)
    if fit.of_answers.pseudo and not claim.model.npseudo:
        unsaid = [q for q in claim.numbers if q.quantity in found or judged[q.quantity].comes_out]
        found |= _agree("default-prior", [q for q in unsaid if q.quantity.kind not in OF_DATA], {})
    return found


def values_of(fit: Fit, claim: Claim) -> dict[str, float]:
    """What PlackettLuce prints otherwise of this fit, by the claim's names."""
    found: dict[str, float] = {
        Quantity("deviance"): -2.0 * fit.llf,
        Quantity("df_resid"): choices(fit) - fit.rank,
    }
    if fit.of_answers.pseudo:
        of_data = replace(fit, covariance=DenseCovariance(data_covariance(fit)))
        for q in claim.numbers:
            if q.quantity.kind in OF_ERRORS:
                sides = 2.0 if claim.sided == 1 and q.quantity.kind == "p" else 1.0
                found[q.quantity] = quantity(of_data, q.quantity) / sides
    return found


def choices(fit: Fit) -> float:
    """Free choices of all stages: of m items left, the sets of 1 or of a number that can tie, less one."""
    table = fit.respondents
    orders = (1, *fit.of_answers.tie_orders)
    ranks, total = table.ranks[:, 0], 0.0
    for stage in range(1, int(ranks.max(initial=0)) + 1):
        left = (table.presented[:, 0] & ((ranks >= stage) | (ranks == 0))).sum(axis=1)
        there = (ranks == stage).any(axis=1)
        for m in np.unique(left[there]):
            free = sum(comb(int(m), d) for d in orders if d <= m) - 1
            total += free * float(table.weights[there & (left == m)].sum())
    return total


def _agree(name: str, numbers: Sequence[PrintedQuantity], ours: Mapping[str, str]) -> dict[str, PrintVerdict]:
    if n_digits(numbers) < FEWEST_DIGITS:
        return {}
    said = f"reproduced by R's PlackettLuce, {_SAID[name]}"
    return by_other(f"plackett-luce-{name}", numbers, said, ours)
