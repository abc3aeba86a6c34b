"""pairproof's side of BradleyTerry2's examples that are about a fit: predictions, tests of terms, residuals by player,
and a plot's numbers; see `bradleyterry2_native`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import chi2

import pairproof

from .bradleyterry2_native import (
    CEMS,
    CHAMELEONS,
    FOUR,
    HOCKEY,
    LIZARDS,
    SPRINGALL,
    TABLE6,
    Names,
    Numbers,
    Ours,
    abilities,
    fitted,
    football,
    named,
    of_r,
    sigma,
)

PROBIT = f'fit = fit_bradley_terry(table, formula="{FOUR} + (1 | item)", link="probit", method="pql")\n'
GROUPED = "grouped = pairproof.item_residuals(fit)\n"


def terms(frame: Any, label: str = "{}") -> Numbers:
    """Statistic, df and p by term, as R's drop1, add1 and anova have them; the first row is the model itself."""
    found: Numbers = {}
    for ours, row in list(frame.iterrows())[1:]:
        name = label.format(ours)
        found |= {
            f"Statistic, {name}": float(row["statistic"]),
            f"Df, {name}": float(row["df"]),
            f"P(>|Chi|), {name}": float(row["p"]),
        }
    return found


def _mixed(fit: Any) -> Numbers:
    return named(fit, of_r(fit)) | sigma(fit)


def _predicted(n: Names) -> Numbers:
    pairs = ("048 - 006", "060 - 011")
    return {
        f"{of}, {pair}": float(eta)
        for of in ("newdata", "of the fit")
        for pair, eta in zip(pairs, n["new"]["eta"])
    }


def _new_lizard(n: Names) -> Numbers:
    pairs, found = ("048 - 006", "059 - 011"), {}
    for k, pair in enumerate(pairs):
        found[f"level 0, {pair}"] = float(n["level_0"][k])
        found[f"standard error of level 0, {pair}"] = float(n["se_0"][k])
        found[f"level 1, {pair}"] = float(n["new"]["eta"][k])
        found[f"standard error of level 1, {pair}"] = float(n["new"]["se"][k])
    return found


def _cems(n: Names) -> Numbers:
    found: Numbers = {}
    for row in n["found"].itertuples():
        name = f"{row.first} - Stockholm, WOR {n['contests']['WOR'][row.Index]}"
        found[name], found[f"standard error of {name}"] = float(row.eta), float(row.se)
    of_items = abilities_of_free(n["fit"])
    return found | of_items


def abilities_of_free(fit: Any) -> Numbers:
    """The items' own parameters: abilities where all covariates are at their reference levels."""
    found: Numbers = {}
    for item, value, se in zip(fit.items, fit.params[list(fit.items)], fit.bse[list(fit.items)]):
        found[f"ability of {item}"] = float(value)
        found[f"standard error of the ability of {item}"] = float(0.0 if value == 0 else se)
    return found


def regressed(x: Any, n: Names) -> tuple[float, float]:
    """Weighted least squares of grouped residuals on a covariate of the items."""
    g = n["grouped"].assign(x=x).dropna()
    root = np.sqrt(g["weight"].to_numpy())
    design = np.stack([np.ones(len(g)), g["x"]], axis=1) * root[:, None]
    found = np.linalg.lstsq(design, g["residual"].to_numpy() * root, rcond=None)[0]
    return float(found[0]), float(found[1])


def _springall(n: Names) -> Numbers:
    found = named(n["fit"], of_r(n["fit"])) | fitted(n["fit"], aic=False)
    for row in n["grouped"].itertuples():
        found[f"grouped residual of {row.item}"], found[f"weight of {row.item}"] = float(row.residual), float(
            row.weight
        )
    for x in ("flav", "gel"):
        of = regressed(n["table"].item_data[x], n)
        found[f"regression on {x}, intercept"], found[f"regression on {x}, slope"] = of
    return found


def _bins(n: Names) -> Numbers:
    found: Numbers = {}
    for before, bins in (("", n["ignoring_home"]), ("at home, ", n["at_home"])):
        found |= {f"{before}won, bin {k + 1}": float(v) for k, v in enumerate(bins["won"])}
        found |= {f"{before}middle of bin {k + 1}": float(v) for k, v in enumerate(bins["middle"])}
    return found


def _five(n: Names) -> Numbers:
    found = football(
        (("Davidson", n["davidson"]), ("scaled", n["scaled"]), ("shifted and scaled", n["general"]))
    )
    for name, more, less in (
        ("scaled", n["scaled"], n["davidson"]),
        ("shifted and scaled", n["general"], n["scaled"]),
    ):
        test = more.compare(less)
        found[f"likelihood ratio, {name}"] = test.statistic
        found[f"df of the likelihood ratio, {name}"] = float(test.df)
        found[f"p of the likelihood ratio, {name}"] = float(chi2.sf(test.statistic, test.df))
    return found


def _chameleons(n: Names) -> Numbers:
    names = {"prev.wins.2": "prev.wins.2", "ch.res[ID]": "ch.res", "prop.main[ID]": "prop.main"}
    first = [f"C0{k}" for k in range(1, 7)]
    of_items = abilities_by_items(n["fixed"], n["table"], ("ch.res", "prop.main"), first)
    return named(n["fit"], names) | fitted(n["fixed"]) | of_items


def abilities_by_items(fit: Any, table: Any, covariates: tuple[str, ...], of: list[str]) -> Numbers:
    """x_i'b of items, comparison terms at 0."""
    return {k: v for k, v in abilities(fit).items() if k.rpartition(" ")[2] in of}


_TWO, _THREE = "throat.PC1 + throat.PC3", "throat.PC1 + throat.PC3 + head.length"


def _pql(name: str, formula: str) -> str:
    return f'{name} = fit_bradley_terry(table, formula="{formula} + (1 | item)", method="pql")\n'


_CHAMELEONS = '{name} = fit_bradley_terry(table, formula="prev.wins.2 + ch.res + prop.main{more} + (1 | item)", method="pql")\n'

MORE: dict[str, Ours] = {
    "drop1-flatlizards": Ours(_pql("fit", _TWO) + "pairproof.drop1(fit)", lambda n: _mixed(n["fit"]) | terms(pairproof.drop1(n["fit"]), "`{}[..]`"), "flatlizards", LIZARDS),
    "add1-flatlizards": Ours('pairproof.add1(fit, "head.length + SVL")', lambda n: terms(pairproof.add1(n["fit"], "head.length + SVL"), "{}[..]"), "flatlizards", LIZARDS + _pql("fit", _TWO)),
    "drop1-flatlizards-head": Ours(_pql("fit", _THREE) + "pairproof.drop1(fit)", lambda n: _mixed(n["fit"]) | terms(pairproof.drop1(n["fit"]), "`{}[..]`"), "flatlizards", LIZARDS),
    "anova-flatlizards": Ours(_pql("fit", _THREE) + "pairproof.anova(fit)", lambda n: _mixed(n["fit"]) | terms(pairproof.anova(n["fit"]), "{}[..]"), "flatlizards", LIZARDS),
    "chameleons": Ours(CHAMELEONS + _CHAMELEONS.format(name="fit", more="") + 'fit.sigma                       # 0\nfixed = fit_bradley_terry(table, formula="prev.wins.2 + ch.res + prop.main", cells="row")',
        _chameleons, "chameleons"),
    "chameleons-add1": Ours('pairproof.add1(fit, "jl.res + tl.res + mass.res + SVL + prop.patch")',
        lambda n: terms(pairproof.add1(n["fit"], "jl.res + tl.res + mass.res + SVL + prop.patch"), "{}[ID]"), "chameleons", CHAMELEONS + _CHAMELEONS.format(name="fit", more="")),
    "predict-lizards": Ours(PROBIT + 'new = pairproof.predict(fit, {"first": ["lizard048", "lizard060"], "second": ["lizard006", "lizard011"]})', _predicted, "flatlizards", LIZARDS),
    "predict-new-lizard": Ours("""new_lizard = {"throat.PC1": -5, "throat.PC3": 1.5, "SVL": 1, "head.length": 0.1}
new = pairproof.predict(fit, {"first": ["lizard048", "lizard059"], "second": ["lizard006", "lizard011"]}, item_data={"lizard059": new_lizard})
# level 0: the covariates alone
columns = ["throat.PC1", "throat.PC3", "head.length", "SVL"]
x = pd.concat([data["predictors"][columns], pd.DataFrame(new_lizard, index=["lizard059"])])
x = x.loc[["lizard048", "lizard059"], columns].to_numpy() - x.loc[["lizard006", "lizard011"], columns].to_numpy()
level_0, se_0 = x @ fit.params[columns], np.sqrt(np.diag(x @ fit.cov_params().loc[columns, columns] @ x.T))
""", _new_lizard, "flatlizards", LIZARDS + PROBIT),
    "predict-CEMS": Ours("""schools = ["Barcelona", "London", "Milano", "Paris", "St.Gallen"]
contests = pd.DataFrame({"first": schools * 2, "second": "Stockholm", "STUD": "other", "ENG": "good", "FRA": "good", "SPA": "good", "ITA": "good",
                         "WOR": ["yes"] * 5 + ["no"] * 5, "DEG": "no", "SEX": "female"})
found = pairproof.predict(fit, contests)
fit.params[list(fit.items)]                     # the abilities of a student with all covariates at their reference levels""", _cems, "CEMS", CEMS + TABLE6),
    "residuals-springall": Ours(SPRINGALL + 'fit = fit_bradley_terry(table, formula="flav + gel + flav.2 + gel.2 + flav.gel", cells="row")     # sigma is 0\n'
        + GROUPED, _springall, "springall"),
    "plotProportions": Ours(HOCKEY + """fit = fit_bradley_terry(table, reference="Alaska Anchorage")
level = fit_bradley_terry(table, formula="item + home", reference="Alaska Anchorage")

def bins(p, won):                                       # of 20 games; what is left over goes one each to bins at equal distances
    size, left = np.full(len(p) // 20, 20), len(p) % 20
    step = len(size) / max(left, 1)
    size[np.round(step / 2 + 0.01 + step * np.arange(left)).astype(int) - 1] += 1
    order, edges = np.sort(p), np.cumsum(size)
    of = np.repeat(np.arange(len(size)), size)[np.searchsorted(order, p)]     # equal probabilities are in one bin
    return pd.DataFrame({"won": [won[of == k].mean() for k in range(len(size))], "middle": (order[edges - size] + order[edges - 1]) / 2})

played = data[data["result"] != 0.5]                    # ties are left out of the plot
p = pairproof.predict(fit, {"first": list(played["visitor"]), "second": list(played["opponent"])})["p_first"].to_numpy()
ignoring_home = bins(p, played["result"].to_numpy() == 1)
played = played[played["home.ice"]]
games = {"first": list(played["opponent"]), "second": list(played["visitor"]), "home_first": [1.0] * len(played), "home_second": [0.0] * len(played)}
at_home = bins(pairproof.predict(level, games)["p_first"].to_numpy(), played["result"].to_numpy() == 0)""", _bins, "icehockey"),
    "GenDavidson-five-seasons": Ours("""rows = data.astype({"season": str, "home": str, "away": str})
rows = pd.DataFrame({"first": rows["home"] + " " + rows["season"], "second": rows["away"] + " " + rows["season"], "outcome": rows["result"]})
items = sorted(set(rows["first"]) | set(rows["second"]))
# No team of one season met one of another: each season has a team of its own that is 0.
table = pairproof.read(rows, layout="long", coding={"first": 1, "tie": 0, "second": -1},
                       item_data={"item": items, "team": [i if not i.startswith("Ars") else "0" for i in items]})
options = dict(ties="davidson", formula="team", order_effect=True, cells="row")
davidson, scaled, general = (fit_bradley_terry(table, **options, tie_scale=scale, tie_shift=shift)
                             for scale, shift in ((False, False), (True, False), (True, True)))
scaled.compare(davidson), general.compare(scaled)""", _five, "football"),
}  # fmt: skip
