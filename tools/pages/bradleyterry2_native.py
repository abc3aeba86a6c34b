"""pairproof's side of the examples of BradleyTerry2's help pages: code, and the numbers it gives.

The data sets are BradleyTerry2's and stay there: this module fetches them from R, runs the code, and keeps the numbers
in `tools/pages/bradleyterry2_native.json`, from which the page is made on machines without R.  A test with R runs all of it
again.

    python -m tools.pages.bradleyterry2_native
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import pairproof
from pairproof.bridge import Backend, package_data, package_object
from pairproof.bridge.r_data import to_pandas
from pairproof.errors import PairproofError

KEPT = Path(__file__).with_name("bradleyterry2_native.json")
Numbers = dict[str, float]
Names = dict[str, Any]


@dataclass(frozen=True)
class Ours:
    """pairproof's code of an example.

    Attributes
    ----------
    code : str
        Shown on the page; `data` is R's data set.
    take : callable
        R's names of numbers, from the names that `code` left.
    data : str
        Name of the data set; "" for none.
    unseen : str
        Code before it that the page does not show again.
    package : str
    """

    code: str
    take: Callable[[Names], Numbers]
    data: str = ""
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


def items(fit: Any, before: str = "", but: Sequence[str] = ()) -> dict[str, str]:
    """R's names of the items' parameters, the reference left out."""
    free = [n for n, r in zip(fit.names, fit.is_reference) if not r and n in fit.items]
    return {f"{before}{n}": n for n in free if n not in but}


def glm_aic(fit: Any) -> float:
    """AIC as glm has it: with log binomial coefficients of the rows, counts rounded."""
    from scipy.special import gammaln

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


def abilities(fit: Any, of: Sequence[str] | None = None) -> Numbers:
    """x_i'b of every item, or its free ability, with its standard error (BTabilities)."""
    functions = np.asarray(fit.ability_functions({}))
    beta, known = np.asarray(fit.params, float), [fit.names.index(name) for name in fit.cov_params().index]
    cov = np.zeros((len(beta), len(beta)))
    cov[np.ix_(known, known)] = fit.cov_params()
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
TABLE6 = """fit = fit_bradley_terry(table, reference="Stockholm", cells="row", formula=\"\"\"item + WOR:Paris + WOR:Milano + WOR:Barcelona
    + DEG:St.Gallen + STUD:Paris + STUD:St.Gallen + ENG:St.Gallen + FRA:London + FRA:Paris + SPA:Barcelona
    + ITA:London + ITA:Milano + SEX:Milano\"\"\")
"""
HOCKEY = """games = data.assign(wins=data["result"], losses=1 - data["result"], home_first=0.0, home_second=data["home.ice"].astype(float))
table = pairproof.read(games[["visitor", "opponent", "wins", "losses", "home_first", "home_second"]], layout="counts",
                       columns={"first": "visitor", "second": "opponent"})
"""
SPRINGALL = """contests = data["contests"][["col", "row", "win.adj", "loss.adj"]]
table = pairproof.read(contests, layout="counts", columns={"first": "col", "second": "row", "wins": "win.adj", "losses": "loss.adj"},
                       item_data=data["predictors"].assign(item=range(1, 10)).set_index("item").reset_index())
"""
FLUTES = """rows = data["comparisons"].query("instrument == 'flute'")[["field1", "field2", "win1.adj", "win2.adj"]]
design = data["design"].assign(item=sorted(set(rows["field1"]) | set(rows["field2"])))
table = pairproof.read(rows, layout="counts", columns={"first": "field1", "second": "field2", "wins": "win1.adj", "losses": "win2.adj"},
                       item_data=design.set_index("item").astype(float).mul(2).sub(1).reset_index())
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


def of_r(fit: Any, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """R's names of a covariate model: `..lizard099`, `SVL[..]`."""
    free = [n for n, r in zip(fit.names, fit.is_reference) if not r]
    return {(f"..{n}" if n in fit.items else f"{n}[..]"): n for n in free if not np.isnan(fit.params[n])}


def cems_names(fit: Any) -> dict[str, str]:
    """R's names of the parameters of the models of CEMS."""
    found = {}
    for name, reference in zip(fit.names, fit.is_reference):
        if reference:
            continue
        if name in fit.items:
            found[f"..{name}"] = name
            continue
        one, other = name.split(":")
        level, school = (one, other) if "[" in one else (other, one)
        column, value = level.removesuffix("]").split("[")
        found[f"{column}[student]{value}:{school}[..]"] = found[
            f"{school}[..]:{column}[student]{value}"
        ] = name
    return found


def _cems(n: Names) -> Numbers:
    return named(n["fit"], cems_names(n["fit"]), 4 / 7) | fitted(n["fit"], aic=False)


def _lizards(n: Names) -> Numbers:
    return named(n["fit"], of_r(n["fit"]))


def _mixed(n: Names) -> Numbers:
    return _lizards(n) | sigma(n["fit"])


def _seeds(n: Names) -> Numbers:
    fit = n["fit"]
    found = named(
        fit,
        {
            "(Intercept)": "ground",
            **{k.replace("seed:extract", "seed:extract"): k for k in fit.names if k != "ground"},
        },
    )
    found["(Intercept)"] = -found["(Intercept)"]
    return found | sigma(fit)


def _seeds_predicted(n: Names) -> Numbers:
    fit = n["fit"]
    values = np.asarray(fit.ability_functions({})) @ np.asarray(fit.params)
    at = dict(zip(fit.items, values))
    return _seeds(n) | {f"predictor, plate {k}": float(at[f"plate {k}"] - at["ground"]) for k in range(1, 22)}


def football(fits: Sequence[tuple[str, Any]]) -> Numbers:
    """Parameters of generalised Davidson models by R's names, deviance and df."""
    found: Numbers = {}
    for label, fit in fits:
        for r, ours in (
            ("home.adv", "order"),
            ("tie.max", "tie"),
            ("tie.mode", "tie-shift"),
            ("tie.scale", "tie-scale"),
        ):
            if ours in fit.names:
                # plogis(tie.max) is the largest probability of a tie: Davidson's log nu is tie.max + log 2.
                found[f"{label}, {r}"] = float(fit.params[ours]) - (np.log(2) if r == "tie.max" else 0.0)
        found |= {f"{label}, deviance": fit.deviance, f"{label}, df": float(fit.df_resid)}
    return found


def _football(n: Names) -> Numbers:
    found = football((("Davidson", n["davidson"]), ("shifted and scaled", n["general"])))
    of = {k.partition(", ")[2]: v for k, v in found.items() if k.startswith("shifted")}
    found |= {f"exp({name})": float(np.exp(of[name])) for name in ("home.adv", "tie.scale")}
    return found | {f"plogis({name})": float(1 / (1 + np.exp(-of[name]))) for name in ("tie.max", "tie.mode")}


def _hockey(fit: Any, krach: bool) -> Numbers:
    """Round-robin winning probabilities, and ratings of 100 for a probability of 1/2."""
    from scipy.optimize import brentq

    worth = np.exp(np.asarray(fit.params[list(fit.items)], float))
    p = worth[:, None] / (worth[:, None] + worth[None, :])
    np.fill_diagonal(p, 0)
    middling = brentq(
        lambda x: np.sum(x / (x + worth)) - 0.5 * len(worth), *np.quantile(worth, [0.45, 0.55]), xtol=1e-14
    )
    found = {
        f"round-robin winning probability of {i}": float(v)
        for i, v in zip(fit.items, p.sum(axis=1) / (len(worth) - 1))
    }
    return found | (
        {f"KRACH of {i}": float(w / middling * 100) for i, w in zip(fit.items, worth)} if krach else {}
    )


OURS: dict[str, Ours] = {
    "countsToBinomial": Ours(CITATIONS + "table.to_frame()", lambda n: {
        f"{n['table'].items[a]} - {n['table'].items[b]} win{k}": float(v)
        for a, b, w, l in zip(n["table"].first, n["table"].second, n["table"].wins, n["table"].losses) for k, v in ((1, w), (2, l))}, "citations"),
    "citations": Ours(CITATIONS + 'fit = fit_bradley_terry(table)\nfit.summary()',
        lambda n: named(n["fit"], items(n["fit"], "..")) | fitted(n["fit"]) | abilities(n["fit"]), "citations"),
    "citations-refcat": Ours('fit.with_reference("JASA")', lambda n: abilities(n["fit"].with_reference("JASA")), "citations", CITATIONS + "fit = fit_bradley_terry(table)\n"),
    "baseball": Ours(BASEBALL + 'fit = fit_bradley_terry(table, cells="row")', lambda n: named(n["fit"], items(n["fit"], "team")) | fitted(n["fit"]), "baseball"),
    "baseball-home": Ours('home = fit_bradley_terry(table, order_effect=True, cells="row")',
        lambda n: named(n["home"], items(n["home"], "team") | {"at.home": "order"}) | fitted(n["home"]) | abilities(n["home"]), "baseball", BASEBALL),
    "baseball-anova": Ours("home.compare(fit)", lambda n: {
        "deviance of model 1": n["fit"].deviance, "df of model 1": n["fit"].df_resid, "deviance of model 2": n["home"].deviance,
        "df of model 2": n["home"].df_resid, "difference": n["home"].compare(n["fit"]).statistic, "df of the difference": n["home"].compare(n["fit"]).df},
        "baseball", BASEBALL + 'fit = fit_bradley_terry(table, cells="row")\nhome = fit_bradley_terry(table, order_effect=True, cells="row")\n'),
    "baseball-qvcalc": Ours("home.quasi_variances()", lambda n: {
        f"{kind} of {row['item']}": float(row[column]) for _, row in n["home"].quasi_variances().iterrows()
        for kind, column in (("quasi standard error", "quasi_se"), ("quasi-variance", "quasi_variance"))},
        "baseball", BASEBALL + 'home = fit_bradley_terry(table, order_effect=True, cells="row")\n'),
    "CEMS-table3": Ours(CEMS + 'fit = fit_bradley_terry(table, reference="Stockholm", cells="row")\nfit.params / 1.75',
        lambda n: named(n["fit"], items(n["fit"], ".."), 4 / 7) | fitted(n["fit"], aic=False), "CEMS"),
    "CEMS-table6": Ours(TABLE6 + "fit.params / 1.75", _cems, "CEMS", CEMS),
    "CEMS-table8": Ours(TABLE6.replace("WOR:Paris + WOR:Milano + WOR:Barcelona", "WOR:LAT") + "fit.params / 1.75", _cems, "CEMS", CEMS),
    "flatlizards-br": Ours(LIZARDS + 'fit = fit_bradley_terry(table, reduce_bias="mean", cells="row")', lambda n: _lizards(n) | reduced(n["fit"]), "flatlizards"),
    "flatlizards-ml": Ours(LIZARDS + f'fit = fit_bradley_terry(table, formula="{FOUR}", cells="row")', lambda n: _lizards(n) | fitted(n["fit"]), "flatlizards"),
    "flatlizards-pql-0": Ours(f'fit = fit_bradley_terry(table, formula="{FOUR}")', _lizards, "flatlizards", LIZARDS),
    "flatlizards-pql": Ours(f'fit = fit_bradley_terry(table, formula="{FOUR} + (1 | item)", method="pql")', _mixed, "flatlizards", LIZARDS),
    "flatlizards-probit": Ours(f'fit = fit_bradley_terry(table, formula="{FOUR} + (1 | item)", link="probit", method="pql")', lambda n: _mixed(n) | abilities(n["fit"]), "flatlizards", LIZARDS),
    "glmmPQL-control": Ours(f'fit = fit_bradley_terry(table, formula="{FOUR} + (1 | item)", method="pql")', _mixed, "flatlizards", LIZARDS),
    "seeds": Ours(SEEDS + 'fit = fit_bradley_terry(table, formula="seed + extract + (1 | item)", method="pql")', _seeds_predicted, "seeds"),
    "seeds-interaction": Ours('fit = fit_bradley_terry(table, formula="seed * extract + (1 | item)", method="pql")', _seeds, "seeds", SEEDS),
    "icehockey": Ours(HOCKEY + 'fit = fit_bradley_terry(table, reference="Alaska Anchorage", cells="row")', lambda n: named(n["fit"], items(n["fit"], "team")) | fitted(n["fit"], aic=False) | _hockey(n["fit"], True), "icehockey"),
    "icehockey-home": Ours('home = fit_bradley_terry(table, formula="item + home", reference="Alaska Anchorage", cells="row")',
        lambda n: named(n["home"], items(n["home"], "team") | {"home.ice": "home"}) | fitted(n["home"], aic=False) | _hockey(n["home"], False), "icehockey", HOCKEY),
    "sound-fields": Ours(FLUTES + 'fit = fit_bradley_terry(table, cells="row")', lambda n: named(n["fit"], items(n["fit"], "field")) | fitted(n["fit"], aic=False), "sound.fields"),
    "sound-fields-factorial": Ours('fit = fit_bradley_terry(table, formula="a * b * c", cells="row")',
        lambda n: named(n["fit"], {":".join(f"{x}[field]1" for x in k.split(":")): k for k in n["fit"].names}) | fitted(n["fit"], aic=False), "sound.fields", FLUTES),
    "GenDavidson-two-seasons": Ours("""two = data.astype({"season": str, "home": str, "away": str}).query("season in ('2008-9', '2012-13')")
rows = pd.DataFrame({"first": two["home"] + " " + two["season"], "second": two["away"] + " " + two["season"],
                     "outcome": two["result"]})
table = pairproof.read(rows, layout="long", coding={"first": 1, "tie": 0, "second": -1})
# No team of one season met one of the other: each season has a team of its own that is 0.
table = pairproof.read(rows, layout="long", coding={"first": 1, "tie": 0, "second": -1},
                       item_data={"item": table.items, "team": [i if not i.startswith("Ars") else "0" for i in table.items]})
davidson = fit_bradley_terry(table, ties="davidson", formula="team", order_effect=True, cells="row")
general = fit_bradley_terry(table, ties="davidson", formula="team", order_effect=True, tie_shift=True, tie_scale=True, cells="row")""", _football, "football"),
}  # fmt: skip


def namespace(data: Any) -> Names:
    """The names that code on the pages may use."""
    return {
        "data": data,
        "np": np,
        "pd": pd,
        "package_data": partial(package_data, backend="live"),
        "package_object": partial(package_object, backend="live"),
        "pairproof": pairproof,
        "fit_bradley_terry": pairproof.fit_bradley_terry,
    }


def run(ours: Ours, data: Any = None) -> Names:
    """The names that the code leaves."""
    names = namespace(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(ours.unseen + ours.code, names)
    return names


def data_of(ours: Ours) -> Any:
    """The data set, from live R."""
    if not ours.data:
        return None
    if ours.package in WIDE:
        args = {"name": ours.data, "package": ours.package}
        result = Backend("live").call(code=WIDE[ours.package], args=args, needs=("psychotools", ours.package))
        return to_pandas(result.value, ours.data)
    return package_data(ours.package, ours.data, backend="live")


def computed(cases: Mapping[str, Ours] = OURS, only: Sequence[str] = ()) -> dict[str, Any]:
    """All numbers of pairproof's side, from live data."""
    found: dict[str, Any] = {}
    for name, ours in cases.items():
        if only and name not in only:
            continue
        data = data_of(ours)
        try:
            # JSON has no infinity and no NaN.
            made = {q: float(v) for q, v in ours.take(run(ours, data)).items()}
            found[name] = {q: v if np.isfinite(v) else str(v) for q, v in made.items()}
        except PairproofError as error:
            found[name] = {"error": f"{type(error).__name__}: {error}"}
    return found


def everything() -> dict[str, Any]:
    """All examples and sections, by name."""
    from .bradleyterry2_native_more import MORE
    from .bradleyterry2_native_vignette import OURS_VIGNETTE
    from .bradleyterry2_vignette import VIGNETTE
    from .psychotools_native import OURS_PSYCHOTOOLS

    sections = {VIGNETTE[section].name: ours for section, ours in OURS_VIGNETTE.items()}
    return computed({**OURS, **MORE, **sections, **OURS_PSYCHOTOOLS})


def kept() -> dict[str, Numbers]:
    """The numbers that are kept; none of an example without an answer."""
    found = json.loads(KEPT.read_text(encoding="utf-8"))
    return {name: {} if "error" in of else {q: float(v) for q, v in of.items()} for name, of in found.items()}


if __name__ == "__main__":
    KEPT.write_text(json.dumps(everything(), indent=1) + "\n", encoding="utf-8")
