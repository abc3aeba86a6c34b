"""pairproof's side of the examples of BradleyTerry2's help pages and of its neighbours: how its code is run, and what is
read of a fit under R's names.

The data sets are BradleyTerry2's and stay there: they are fetched from R when the pages' numbers are made.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import gammaln

import pairproof
from pairproof.bridge import Backend, package_data, package_object
from pairproof.bridge.r_data import to_pandas
from pairproof.errors import PairproofError
from pairproof.fit.fit import Fit

Numbers = dict[str, float]
Names = dict[str, Any]


@dataclass(frozen=True)
class Ours:
    """pairproof's code of an example, and R's names of numbers, taken from the names that the code left."""

    #: Shown on the page; `data` is R's data set.
    code: str
    take: Callable[[Names], Numbers] = lambda n: {}
    #: Name of the data set; "" for none.
    data: str = ""
    #: Code before it that the page does not show again.
    unseen: str = ""
    package: str = "BradleyTerry2"


#: Comparisons as a data frame with a column for each pair: 1 where the first was preferred, -1 the second; of
#: psychotree with the covariates of persons.
_WIDE = """suppressMessages(library(psychotools))
data(list = name, package = package, envir = environment())
d <- get(name)
"""
WIDE = {
    "psychotools": _WIDE + "as.data.frame(as.matrix(d$preference))",
    "psychotree": _WIDE
    + "data.frame(as.matrix(d$preference), d[setdiff(names(d), 'preference')], check.names = FALSE)",
}


# -- running it ----------------------------------------------------------------------------------------------


def data_of(ours: Ours) -> Any:
    """The data set, from live R."""
    if not ours.data:
        return None
    if ours.package in WIDE:
        args = {"name": ours.data, "package": ours.package}
        result = Backend("live").call(code=WIDE[ours.package], args=args, needs=("psychotools", ours.package))
        return to_pandas(result.value, ours.data)
    return package_data(ours.package, ours.data, backend="live")


def run(ours: Ours) -> Names:
    """The names that the code leaves, among those that code on the pages may use."""
    names = {
        "data": data_of(ours),
        "np": np,
        "pd": pd,
        "package_data": partial(package_data, backend="live"),
        "package_object": partial(package_object, backend="live"),
        "pairproof": pairproof,
        "fit_bradley_terry": pairproof.fit_bradley_terry,
    }
    exec(ours.unseen + ours.code, names)
    return names


def answer(ours: Ours) -> dict[str, Any]:
    """Numbers and the fit's warnings, or the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            names = run(ours)
            numbers = {q: float(v) for q, v in ours.take(names).items()}
        except PairproofError as error:
            return {"error": f"{type(error).__name__}: {error}"}
    fit = names.get("fit")
    # JSON has no infinity and no NaN.
    found: dict[str, Any] = {"numbers": {q: v if np.isfinite(v) else str(v) for q, v in numbers.items()}}
    return {**found, "said": [w.text for w in fit.warnings] if isinstance(fit, Fit) else []}


# -- what is read of a fit ---------------------------------------------------------------------------------


def named(fit: Any, names: Mapping[str, str], scale: float = 1.0) -> Numbers:
    """Estimates and standard errors; `names` is R's name -> ours."""
    without_end = {term for warning in fit.warnings if warning.kind == "separated" for term in warning.terms}
    found = {
        r: np.inf if ours in without_end else float(fit.params[ours]) * scale for r, ours in names.items()
    }
    return found | {f"standard error of {r}": float(fit.bse[ours]) * scale for r, ours in names.items()}


def tests(fit: Any, names: Mapping[str, str]) -> Numbers:
    """z and p."""
    found = {f"z of {r}": float(fit.zvalues[ours]) for r, ours in names.items()}
    return found | {f"p of {r}": float(fit.pvalues[ours]) for r, ours in names.items()}


def items(fit: Any, before: str = "") -> dict[str, str]:
    """R's names of the items' parameters, the reference left out."""
    return {f"{before}{n}": n for n, r in zip(fit.names, fit.is_reference) if not r and n in fit.items}


def glm_aic(fit: Any) -> float:
    """AIC as glm has it: with log binomial coefficients of the rows, counts rounded."""
    wins, losses = np.round(fit.data.wins), np.round(fit.data.losses)
    coefficients = gammaln(wins + losses + 1) - gammaln(wins + 1) - gammaln(losses + 1)
    return float(fit.aic - 2 * coefficients.sum())


def fitted(fit: Any, aic: bool = True) -> Numbers:
    """Deviance, df, AIC."""
    found = {"deviance": float(fit.deviance), "df": float(fit.df_resid)}
    return found | ({"AIC": glm_aic(fit)} if aic else {})


def reduced(fit: Any) -> Numbers:
    """Deviance, and brglm's penalized deviance: less the log determinant of the information."""
    return {"deviance": fit.deviance, "penalized deviance": fit.deviance - 2 * (fit.penalised - fit.llf)}


def sigma(fit: Any) -> Numbers:
    """Of the random effects."""
    return {"sigma": fit.sigma, "standard error of sigma": fit.sigma_se}


def covariance(fit: Any, names: Sequence[str]) -> Any:
    """Of these parameters, a reference among them: 0."""
    cov, known = np.zeros((len(names), len(names))), [names.index(name) for name in fit.cov_params().index]
    cov[np.ix_(known, known)] = fit.cov_params()
    return cov


def abilities(fit: Any, of: Sequence[str] | None = None) -> Numbers:
    """x_i'b of every item, or its free ability, with its standard error (BTabilities)."""
    functions = np.asarray(fit.ability_functions({}))
    beta, cov = np.asarray(fit.params, float), covariance(fit, fit.names)
    found: Numbers = {}
    for item, row in zip(fit.items, functions):
        if of is not None and item not in of:
            continue
        used = np.flatnonzero(row)
        value = float(row[used] @ beta[used])
        found[f"ability of {item}"] = value
        se = float(np.sqrt(row @ cov @ row)) if np.isfinite(value) else float("nan")
        found[f"standard error of the ability of {item}"] = se
    return found


def of_r(fit: Any) -> dict[str, str]:
    """R's names of a covariate model: `..lizard099`, `SVL[..]`."""
    free = [n for n, r in zip(fit.names, fit.is_reference) if not r]
    return {(f"..{n}" if n in fit.items else f"{n}[..]"): n for n in free if not np.isnan(fit.params[n])}


def lizards(n: Names) -> Numbers:
    """Estimates of a covariate model."""
    return named(n["fit"], of_r(n["fit"]))


def summary(fit: Any, names: Mapping[str, str]) -> Numbers:
    """What glm's summary has."""
    found = named(fit, names) | tests(fit, names)
    shares = (0, 25, 50, 75, 100)
    residuals = pairproof.contest_residuals(fit, "deviance")["deviance"]
    for q, value in zip(shares, np.quantile(residuals, [q / 100 for q in shares])):
        found[f"deviance residual, {q}%"] = float(value)
    return found | deviances(fit)


def deviances(fit: Any) -> Numbers:
    """Null and residual deviance and df, and AIC as glm has it."""
    return {
        "null deviance": float(fit.null_deviance),
        "null df": float(fit.df_null),
        "residual deviance": float(fit.deviance),
        "residual df": float(fit.df_resid),
        "AIC": glm_aic(fit),
    }


def counts(table: Any, between: str = ", ") -> Numbers:
    """Wins of both of each pair, as countsToBinomial has them."""
    return {
        f"{table.items[a]} - {table.items[b]}{between}win{k}": float(v)
        for a, b, w, l in zip(table.first, table.second, table.wins, table.losses)
        for k, v in ((1, w), (2, l))
    }


def regressions(n: Names, *covariates: str) -> Numbers:
    """Weighted least squares of grouped residuals on covariates of the items, one by one."""
    found: Numbers = {}
    for name in covariates:
        g = n["grouped"].assign(x=n["table"].item_data[name]).dropna()
        root = np.sqrt(g["weight"].to_numpy())
        design = np.stack([np.ones(len(g)), g["x"]], axis=1) * root[:, None]
        of = np.linalg.lstsq(design, g["residual"].to_numpy() * root, rcond=None)[0]
        found[f"regression on {name}, intercept"], found[f"regression on {name}, slope"] = map(float, of)
    return found


# -- tables ------------------------------------------------------------------------------------------------

CITATIONS = 'table = pairproof.read(data.where(~np.eye(4, dtype=bool), 0), layout="matrix", winner="rows")\n'
BASEBALL = """table = pairproof.read(data, layout="counts", columns={"first": "home.team", "second": "away.team",
                                                       "wins": "home.wins", "losses": "away.wins"})
"""
LIZARDS = """table = pairproof.read(data["contests"].assign(wins=1, losses=0), layout="counts", columns={"first": "winner", "second": "loser"},
                       item_data=data["predictors"].rename_axis("item").reset_index())
"""
FOUR = "throat.PC1 + throat.PC3 + head.length + SVL"
CEMS = """students = data["students"].set_axis(range(1, 304))
rows = data["preferences"].dropna().join(students, on="student")
table = pairproof.read(rows, layout="counts", columns={"first": "school1", "second": "school2", "wins": "win1.adj", "losses": "win2.adj"},
                       item_data=data["schools"].assign(item=sorted(set(rows["school1"]) | set(rows["school2"]))).set_index("item").reset_index(),
                       levels={"WOR": ["no", "yes"], "DEG": ["no", "yes"], "STUD": ["other", "commerce"], "SEX": ["female", "male"],
                               **{language: ["good", "poor"] for language in ("ENG", "FRA", "SPA", "ITA")}})
"""
HOCKEY = """games = data.assign(wins=data["result"], losses=1 - data["result"], home_first=0.0, home_second=data["home.ice"].astype(float))
table = pairproof.read(games[["visitor", "opponent", "wins", "losses", "home_first", "home_second"]], layout="counts",
                       columns={"first": "visitor", "second": "opponent"})
"""
SPRINGALL = """contests = data["contests"][["col", "row", "win.adj", "loss.adj"]]
table = pairproof.read(contests, layout="counts", columns={"first": "col", "second": "row", "wins": "win.adj", "losses": "loss.adj"},
                       item_data=data["predictors"].assign(item=range(1, 10)).set_index("item").reset_index())
"""
SEEDS = """plates = [f"plate {k}" for k in range(1, 22)]                   # each plays against "ground", which has no covariates
table = pairproof.read({"first": plates, "second": ["ground"] * 21, "wins": data["r"], "losses": data["n"] - data["r"]}, layout="counts",
                       item_data={"item": [*plates, "ground"], "seed": [*data["seed"], None], "extract": [*data["extract"], None]})
"""
CHAMELEONS = """winner, loser = data["winner"].add_suffix("_first"), data["loser"].add_suffix("_second")
table = pairproof.read(pd.concat([winner, loser], axis=1).assign(wins=1, losses=0), layout="counts",
                       columns={"first": "ID_first", "second": "ID_second"},
                       item_data=data["predictors"].rename_axis("item").reset_index())
"""
GROUPED = "grouped = pairproof.item_residuals(fit)\n"
#: Fits that several examples have.
ROWS = 'fit = fit_bradley_terry(table, cells="row")'
HOME = 'home = fit_bradley_terry(table, order_effect=True, cells="row")'
PQL = f'fit = fit_bradley_terry(table, formula="{FOUR} + (1 | item)", method="pql")'
