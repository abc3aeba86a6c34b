"""The examples of BradleyTerry2's help pages, as they are typed there, and pairproof's code of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import chi2

import pairproof

from . import bradleyterry2_ours as own
from .bradleyterry2_ours import Names, Numbers, Ours, abilities, fitted, items, named, sigma
from .bradleyterry2_r import Example

R_CITATIONS = """citations.sf <- countsToBinomial(citations)
names(citations.sf)[1:2] <- c("journal1", "journal2")
"""
R_CITE = R_CITATIONS + "citeModel <- BTm(cbind(win1, win2), journal1, journal2, data = citations.sf)\n"
R_BASEBALL = """data(baseball)
baseballModel1 <- BTm(cbind(home.wins, away.wins), home.team, away.team, data = baseball, id = "team")
"""
R_HOME = """baseball$home.team <- data.frame(team = baseball$home.team, at.home = 1)
baseball$away.team <- data.frame(team = baseball$away.team, at.home = 0)
baseballModel2 <- update(baseballModel1, formula = ~ team + at.home)
"""
R_RESULT = "result <- rep(1, nrow(flatlizards$contests))\n"
R_TWO = (
    R_RESULT
    + "BTmodel1 <- BTm(result, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + (1 | ..), data = flatlizards, tol = 1e-4, sigma = 2)"
)
R_FOUR = "~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..]"
R_TABLE6 = """table6.model <- BTm(outcome = cbind(win1.adj, win2.adj), player1 = school1, player2 = school2,
  formula = ~ .. + WOR[student] * Paris[..] + WOR[student] * Milano[..] + WOR[student] * Barcelona[..] +
    DEG[student] * St.Gallen[..] + STUD[student] * Paris[..] + STUD[student] * St.Gallen[..] +
    ENG[student] * St.Gallen[..] + FRA[student] * London[..] + FRA[student] * Paris[..] +
    SPA[student] * Barcelona[..] + ITA[student] * London[..] + ITA[student] * Milano[..] +
    SEX[student] * Milano[..],
  refcat = "Stockholm", data = CEMS)
"""
R_TABLE8 = R_TABLE6.replace("table6", "table8").replace(
    "WOR[student] * Paris[..] + WOR[student] * Milano[..] + WOR[student] * Barcelona[..] +",
    "WOR[student] * LAT[..] +",
)
R_STANDARD = """standardBT <- BTm(outcome = result, player1 = visitor, player2 = opponent, id = "team", data = icehockey)
"""
R_LEVEL = """levelBT <- BTm(result, data.frame(team = visitor, home.ice = 0), data.frame(team = opponent, home.ice = home.ice),
  ~ team + home.ice, id = "team", data = icehockey)
"""
R_RANKINGS = """rankings <- function(abilities) {
  probwin <- abilities / outer(abilities, abilities, "+")
  diag(probwin) <- 0
  nteams <- ncol(probwin)
  RRWP <- rowSums(probwin) / (nteams - 1)
  low <- quantile(abilities, 0.45)
  high <- quantile(abilities, 0.55)
  middling <- uniroot(function(x) sum(x / (x + abilities)) - 0.5 * nteams, lower = low, upper = high)$root
  KRACH <- abilities / middling * 100
  cbind(KRACH, RRWP)
}
"""
R_SEEDS = "seedsModel <- glmmPQL(cbind(r, n - r) ~ seed + extract, random = diag(nrow(seeds)), family = binomial, data = seeds)\n"
R_TRI = """football.tri <- expandCategorical({data}, "result", idvar = "match")
football.tri$at.home <- !logical(nrow(football.tri))
"""
R_SEASONS = 'season %in% c("2008-9", "2012-13")'
#: {name}, {terms}, {subset}.
DAVIDSON = """{name} <- gnm(count ~ GenDavidson(result == 1, result == 0, result == -1, home:season, away:season,
  home.adv = ~1, {terms}, at.home1 = at.home, at.home2 = !at.home) - 1,
  eliminate = match, family = poisson, data = football.tri{subset})
"""
GNM = ("BradleyTerry2", "gnm")


def _davidson(name: str, *terms: str, subset: str = "") -> str:
    said = ", ".join(f"tie.{t} = ~1" for t in terms)
    return DAVIDSON.format(name=name, terms=said, subset=f",\n  subset = {subset}" if subset else "")


# -- what is read of our fits under R's names ----------------------------------------------------------------


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
        level = f"{column}[student]{value}"
        found |= {f"{level}:{school}[..]": name, f"{school}[..]:{level}": name}
    return found


def _cems(n: Names) -> Numbers:
    return named(n["fit"], cems_names(n["fit"]), 4 / 7) | fitted(n["fit"], aic=False)


def _seeds(n: Names) -> Numbers:
    fit = n["fit"]
    found = named(fit, {"(Intercept)": "ground", **{k: k for k in fit.names if k != "ground"}})
    found["(Intercept)"] = -found["(Intercept)"]
    return found | sigma(fit)


def _seeds_predicted(n: Names) -> Numbers:
    fit = n["fit"]
    values = np.asarray(fit.ability_functions({})) @ np.asarray(fit.params)
    at = dict(zip(fit.items, values))
    return _seeds(n) | {f"predictor, plate {k}": float(at[f"plate {k}"] - at["ground"]) for k in range(1, 22)}


DAVIDSON_TERMS = ("home.adv", "tie.max", "tie.mode", "tie.scale")


def football(fits: Sequence[tuple[str, Any]]) -> Numbers:
    """Parameters of generalised Davidson models by R's names, deviance and df."""
    found: Numbers = {}
    for label, fit in fits:
        for r, ours in zip(DAVIDSON_TERMS, ("order", "tie", "tie-shift", "tie-scale")):
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
    worth = np.exp(np.asarray(fit.params[list(fit.items)], float))
    p = worth[:, None] / (worth[:, None] + worth[None, :])
    np.fill_diagonal(p, 0)
    middling = brentq(
        lambda x: np.sum(x / (x + worth)) - 0.5 * len(worth), *np.quantile(worth, [0.45, 0.55]), xtol=1e-14
    )
    shares = zip(fit.items, p.sum(axis=1) / (len(worth) - 1))
    found = {f"round-robin winning probability of {i}": float(v) for i, v in shares}
    return found | (
        {f"KRACH of {i}": float(w / middling * 100) for i, w in zip(fit.items, worth)} if krach else {}
    )


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


def _cems_predicted(n: Names) -> Numbers:
    found: Numbers = {}
    for row in n["found"].itertuples():
        name = f"{row.first} - Stockholm, WOR {n['contests']['WOR'][row.Index]}"
        found[name], found[f"standard error of {name}"] = float(row.eta), float(row.se)
    fit = n["fit"]
    # The items' own parameters: abilities where all covariates are at their reference levels.
    for item, value, se in zip(fit.items, fit.params[list(fit.items)], fit.bse[list(fit.items)]):
        found[f"ability of {item}"] = float(value)
        found[f"standard error of the ability of {item}"] = float(0.0 if value == 0 else se)
    return found


def _springall(n: Names) -> Numbers:
    found = named(n["fit"], own.of_r(n["fit"])) | fitted(n["fit"], aic=False)
    for row in n["grouped"].itertuples():
        found[f"grouped residual of {row.item}"] = float(row.residual)
        found[f"weight of {row.item}"] = float(row.weight)
    return found | own.regressions(n, "flav", "gel")


def _bins(n: Names) -> Numbers:
    found: Numbers = {}
    for before, bins in (("", n["ignoring_home"]), ("at home, ", n["at_home"])):
        found |= {f"{before}won, bin {k + 1}": float(v) for k, v in enumerate(bins["won"])}
        found |= {f"{before}middle of bin {k + 1}": float(v) for k, v in enumerate(bins["middle"])}
    return found


def _five(n: Names) -> Numbers:
    fits = (("Davidson", n["davidson"]), ("scaled", n["scaled"]), ("shifted and scaled", n["general"]))
    found = football(fits)
    for (_, less), (name, more) in zip(fits, fits[1:]):
        test = more.compare(less)
        found[f"likelihood ratio, {name}"] = test.statistic
        found[f"df of the likelihood ratio, {name}"] = float(test.df)
        found[f"p of the likelihood ratio, {name}"] = float(chi2.sf(test.statistic, test.df))
    return found


def _chameleons(n: Names) -> Numbers:
    names = {"prev.wins.2": "prev.wins.2", "ch.res[ID]": "ch.res", "prop.main[ID]": "prop.main"}
    first = [f"C0{k}" for k in range(1, 7)]
    return named(n["fit"], names) | fitted(n["fixed"]) | abilities(n["fixed"], first)


PROBIT = own.PQL.replace('method="pql"', 'link="probit", method="pql"') + "\n"


def _pql(covariates: str) -> str:
    return own.PQL.replace(own.FOUR, covariates) + "\n"


_TWO, _THREE = "throat.PC1 + throat.PC3", "throat.PC1 + throat.PC3 + head.length"
_CHAMELEONS = _pql("prev.wins.2 + ch.res + prop.main")

CASES: tuple[Example, ...] = (
    Example("countsToBinomial", "citations, countsToBinomial", R_CITATIONS,
          'unlist(lapply(1:6, function(k) named(citations.sf[k, 3:4], paste(citations.sf[k, 1:2][[1]], "-", citations.sf[k, 2], c("win1", "win2")))))',
          again=False,
          ours=Ours(own.CITATIONS + "table.to_frame()", lambda n: own.counts(n["table"], " "), "citations")),
    Example("citations", "BTm, citations, BTabilities", R_CITE + "BTabilities(citeModel)",
          "c(estimates(citeModel), fitted(citeModel), abilities(BTabilities(citeModel)))",
          ours=Ours(own.CITATIONS + 'fit = fit_bradley_terry(table)\nfit.summary()',
                   lambda n: named(n["fit"], items(n["fit"], "..")) | fitted(n["fit"]) | abilities(n["fit"]), "citations")),
    Example("citations-refcat", "BTm", 'citeModel2 <- update(citeModel, refcat = "JASA")\nBTabilities(citeModel2)',
          "abilities(BTabilities(citeModel2))", unseen=R_CITE,
          ours=Ours('fit.with_reference("JASA")', lambda n: abilities(n["fit"].with_reference("JASA")), "citations", own.CITATIONS + "fit = fit_bradley_terry(table)\n")),
    Example("baseball", "BTm, baseball", R_BASEBALL, "c(estimates(baseballModel1), fitted(baseballModel1))",
          ours=Ours(own.BASEBALL + own.ROWS, lambda n: named(n["fit"], items(n["fit"], "team")) | fitted(n["fit"]), "baseball")),
    Example("baseball-home", "BTm, baseball, BTabilities", R_HOME + "BTabilities(baseballModel2)",
          "c(estimates(baseballModel2), fitted(baseballModel2), abilities(BTabilities(baseballModel2)))", unseen=R_BASEBALL,
          ours=Ours(own.HOME,
                   lambda n: named(n["home"], items(n["home"], "team") | {"at.home": "order"}) | fitted(n["home"]) | abilities(n["home"]), "baseball", own.BASEBALL)),
    Example("baseball-anova", "BTm, baseball", "anova(baseballModel1, baseballModel2)",
          'a <- anova(baseballModel1, baseballModel2); c("deviance of model 1" = a[1, 2], "df of model 1" = a[1, 1], "deviance of model 2" = a[2, 2], "df of model 2" = a[2, 1], "difference" = a[2, 4], "df of the difference" = a[2, 3])',
          unseen=R_BASEBALL + R_HOME,
          ours=Ours("home.compare(fit)", lambda n: {
                   "deviance of model 1": n["fit"].deviance, "df of model 1": n["fit"].df_resid, "deviance of model 2": n["home"].deviance,
                   "df of model 2": n["home"].df_resid, "difference": n["home"].compare(n["fit"]).statistic, "df of the difference": n["home"].compare(n["fit"]).df},
                   "baseball", own.BASEBALL + own.ROWS + "\n" + own.HOME + "\n")),
    Example("baseball-qvcalc", "qvcalc.BTabilities", "baseball.qv <- qvcalc(BTabilities(baseballModel2))\nprint(baseball.qv)",
          'q <- baseball.qv$qvframe; c(named(q$quasiSE, rownames(q), "quasi standard error of "), named(q$quasiVar, rownames(q), "quasi-variance of "))',
          unseen=R_BASEBALL + R_HOME,
          ours=Ours("home.quasi_variances()", lambda n: {
                   f"{kind} of {row['item']}": float(row[column]) for _, row in n["home"].quasi_variances().iterrows()
                   for kind, column in (("quasi standard error", "quasi_se"), ("quasi-variance", "quasi_variance"))},
                   "baseball", own.BASEBALL + own.HOME + "\n")),
    Example("CEMS-table3", "CEMS", 'table3.model <- BTm(outcome = cbind(win1.adj, win2.adj), player1 = school1, player2 = school2,\n  formula = ~.., refcat = "Stockholm", data = CEMS)\ntable3 <- summary(table3.model)$coef[, 1:2] / 1.75\nprint(table3)',
          "c(estimates(table3.model, 1 / 1.75), fitted(table3.model)[1:2])",
          ours=Ours(own.CEMS + 'fit = fit_bradley_terry(table, reference="Stockholm", cells="row")\nfit.params / 1.75',
                   lambda n: named(n["fit"], items(n["fit"], ".."), 4 / 7) | fitted(n["fit"], aic=False), "CEMS")),
    Example("CEMS-table6", "CEMS", R_TABLE6 + "table6 <- summary(table6.model)$coef[, 1:2] / 1.75\nprint(table6)",
          "c(estimates(table6.model, 1 / 1.75), fitted(table6.model)[1:2])",
          ours=Ours(own.TABLE6 + "fit.params / 1.75", _cems, "CEMS", own.CEMS)),
    Example("CEMS-table8", "CEMS; vignette, section 3.3", R_TABLE8 + "table8 <- summary(table8.model)$coef[, 1:2] / 1.75\nprint(table8)",
          "c(estimates(table8.model, 1 / 1.75), fitted(table8.model)[1:2])",
          ours=Ours(own.TABLE6.replace("WOR:Paris + WOR:Milano + WOR:Barcelona", "WOR:LAT") + "fit.params / 1.75", _cems, "CEMS", own.CEMS)),
    Example("GenDavidson-two-seasons", "football, GenDavidson, plotProportions",
          R_TRI.format(data="football") + _davidson("Davidson", "max", subset=R_SEASONS) + _davidson("shifScalDav", "max", "scale", "mode", subset=R_SEASONS),
          """c(named(coef(Davidson)[1:2], c("home.adv", "tie.max"), "Davidson, "), "Davidson, deviance" = deviance(Davidson), "Davidson, df" = df.residual(Davidson),
  named(coef(shifScalDav)[1:4], names(coef(shifScalDav))[1:4], "shifted and scaled, "), "shifted and scaled, deviance" = deviance(shifScalDav),
  "shifted and scaled, df" = df.residual(shifScalDav),
  "exp(home.adv)" = exp(coef(shifScalDav)[["home.adv"]]), "plogis(tie.max)" = plogis(coef(shifScalDav)[["tie.max"]]),
  "plogis(tie.mode)" = plogis(coef(shifScalDav)[["tie.mode"]]), "exp(tie.scale)" = exp(coef(shifScalDav)[["tie.scale"]]))""",
          unseen="set.seed(1)\n", needs=GNM,
          ours=Ours("""two = data.astype({"season": str, "home": str, "away": str}).query("season in ('2008-9', '2012-13')")
rows = pd.DataFrame({"first": two["home"] + " " + two["season"], "second": two["away"] + " " + two["season"],
                     "outcome": two["result"]})
table = pairproof.read(rows, layout="long", coding={"first": 1, "tie": 0, "second": -1})
# No team of one season met one of the other: each season has a team of its own that is 0.
table = pairproof.read(rows, layout="long", coding={"first": 1, "tie": 0, "second": -1},
                       item_data={"item": table.items, "team": [i if not i.startswith("Ars") else "0" for i in table.items]})
davidson = fit_bradley_terry(table, ties="davidson", formula="team", order_effect=True, cells="row")
general = fit_bradley_terry(table, ties="davidson", formula="team", order_effect=True, tie_shift=True, tie_scale=True, cells="row")""", _football, "football")),
    Example("GenDavidson-five-seasons", "GenDavidson", R_TRI.format(data="football") + _davidson("Dav", "max") + _davidson("scalDav", "max", "scale")
          + _davidson("shifScalDav", "max", "scale", "mode") + 'anova(Dav, scalDav, shifScalDav, test = "Chisq")',
          """of <- list("Davidson" = Dav, "scaled" = scalDav, "shifted and scaled" = shifScalDav)
a <- anova(Dav, scalDav, shifScalDav, test = "Chisq")
c(unlist(lapply(names(of), function(k) {
    b <- coef(of[[k]]); b <- b[!grepl(":", names(b))]
    c(named(b, names(b), paste0(k, ", ")), named(c(deviance(of[[k]]), df.residual(of[[k]])), c("deviance", "df"), paste0(k, ", ")))
  })),
  named(a[2:3, "Deviance"], c("scaled", "shifted and scaled"), "likelihood ratio, "), named(a[2:3, "Df"], c("scaled", "shifted and scaled"), "df of the likelihood ratio, "),
  named(a[2:3, ncol(a)], c("scaled", "shifted and scaled"), "p of the likelihood ratio, "))""",
          unseen="set.seed(1)\n", again=False, needs=GNM,
          ours=Ours("""rows = data.astype({"season": str, "home": str, "away": str})
rows = pd.DataFrame({"first": rows["home"] + " " + rows["season"], "second": rows["away"] + " " + rows["season"], "outcome": rows["result"]})
items = sorted(set(rows["first"]) | set(rows["second"]))
# No team of one season met one of another: each season has a team of its own that is 0.
table = pairproof.read(rows, layout="long", coding={"first": 1, "tie": 0, "second": -1},
                       item_data={"item": items, "team": [i if not i.startswith("Ars") else "0" for i in items]})
options = dict(ties="davidson", formula="team", order_effect=True, cells="row")
davidson, scaled, general = (fit_bradley_terry(table, **options, tie_scale=scale, tie_shift=shift)
                             for scale, shift in ((False, False), (True, False), (True, True)))
scaled.compare(davidson), general.compare(scaled)""", _five, "football")),
    Example("drop1-flatlizards", "add1.BTm", R_RESULT + "BTmodel1 <- BTm(result, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + (1 | ..),\n  data = flatlizards, tol = 1e-4, sigma = 2, trace = TRUE)\ndrop1(BTmodel1)",
          "d <- drop1(BTmodel1); c(estimates(BTmodel1), sigma(BTmodel1), cells(as.data.frame(d)))",
          ours=Ours(_pql(_TWO) + "pairproof.drop1(fit)", lambda n: own.mixed(n) | terms(pairproof.drop1(n["fit"]), "`{}[..]`"), "flatlizards", own.LIZARDS)),
    Example("add1-flatlizards", "add1.BTm", 'add1(BTmodel1, ~ . + head.length[..] + SVL[..], test = "Chisq")',
          'cells(as.data.frame(add1(BTmodel1, ~ . + head.length[..] + SVL[..], test = "Chisq")))',
          unseen=R_TWO,
          ours=Ours('pairproof.add1(fit, "head.length + SVL")', lambda n: terms(pairproof.add1(n["fit"], "head.length + SVL"), "{}[..]"), "flatlizards", own.LIZARDS + _pql(_TWO))),
    Example("drop1-flatlizards-head", "add1.BTm", 'BTmodel2 <- update(BTmodel1, formula = ~ . + head.length[..])\ndrop1(BTmodel2, test = "Chisq")',
          'c(estimates(BTmodel2), sigma(BTmodel2), cells(as.data.frame(drop1(BTmodel2, test = "Chisq"))))',
          unseen=R_TWO,
          ours=Ours(_pql(_THREE) + "pairproof.drop1(fit)", lambda n: own.mixed(n) | terms(pairproof.drop1(n["fit"]), "`{}[..]`"), "flatlizards", own.LIZARDS)),
    Example("anova-flatlizards", "anova.BTm", R_RESULT + "BTmodel <- BTm(result, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + (1 | ..),\n  data = flatlizards, trace = TRUE)\nanova(BTmodel)",
          "c(estimates(BTmodel), sigma(BTmodel), cells(as.data.frame(anova(BTmodel))))",
          ours=Ours(_pql(_THREE) + "pairproof.anova(fit)", lambda n: own.mixed(n) | terms(pairproof.anova(n["fit"]), "{}[..]"), "flatlizards", own.LIZARDS)),
    Example("chameleons", "chameleons", 'summary(chameleon.model <- BTm(player1 = winner, player2 = loser,\n  formula = ~ prev.wins.2 + ch.res[ID] + prop.main[ID] + (1 | ID), id = "ID", data = chameleons))\nhead(BTabilities(chameleon.model))',
          "c(estimates(chameleon.model), fitted(chameleon.model), abilities(head(BTabilities(chameleon.model))))",
          ours=Ours(own.CHAMELEONS + _CHAMELEONS + 'fit.sigma                       # 0\nfixed = fit_bradley_terry(table, formula="prev.wins.2 + ch.res + prop.main", cells="row")',
                   _chameleons, "chameleons")),
    Example("chameleons-add1", "chameleons", "add1(chameleon.model, ~ . + jl.res[ID] + tl.res[ID] + mass.res[ID] + SVL[ID] + prop.patch[ID])",
          "cells(as.data.frame(add1(chameleon.model, ~ . + jl.res[ID] + tl.res[ID] + mass.res[ID] + SVL[ID] + prop.patch[ID])))",
          unseen='chameleon.model <- BTm(player1 = winner, player2 = loser, formula = ~ prev.wins.2 + ch.res[ID] + prop.main[ID] + (1 | ID), id = "ID", data = chameleons)',
          ours=Ours('pairproof.add1(fit, "jl.res + tl.res + mass.res + SVL + prop.patch")',
                   lambda n: terms(pairproof.add1(n["fit"], "jl.res + tl.res + mass.res + SVL + prop.patch"), "{}[ID]"), "chameleons", own.CHAMELEONS + _CHAMELEONS)),
    Example("flatlizards-br", "flatlizards", R_RESULT + "BTmodel <- BTm(result, winner, loser, br = TRUE, data = flatlizards$contests)\nsummary(BTmodel)",
          'c(estimates(BTmodel), "deviance" = deviance(BTmodel), "penalized deviance" = BTmodel$penalized.deviance)',
          ours=Ours(own.LIZARDS + 'fit = fit_bradley_terry(table, reduce_bias="mean", cells="row")', lambda n: own.lizards(n) | own.reduced(n["fit"]), "flatlizards")),
    Example("flatlizards-ml", "flatlizards", R_RESULT + f"Whiting.model <- BTm(result, winner, loser, {R_FOUR}, data = flatlizards)\nsummary(Whiting.model)",
          "c(estimates(Whiting.model), fitted(Whiting.model))",
          ours=Ours(own.LIZARDS + f'fit = fit_bradley_terry(table, formula="{own.FOUR}", cells="row")', lambda n: own.lizards(n) | fitted(n["fit"]), "flatlizards")),
    Example("flatlizards-pql-0", "flatlizards", f"Whiting.model <- BTm(result, winner, loser, {R_FOUR} + (1 | ..),\n  sigma = 0, sigma.fixed = TRUE, data = flatlizards)\nsummary(Whiting.model)",
          "estimates(Whiting.model)", unseen=R_RESULT,
          ours=Ours(f'fit = fit_bradley_terry(table, formula="{own.FOUR}")', own.lizards, "flatlizards", own.LIZARDS)),
    Example("flatlizards-pql", "flatlizards", f"Whiting.model2 <- BTm(result, winner, loser, {R_FOUR} + (1 | ..), data = flatlizards, trace = TRUE)\nsummary(Whiting.model2)",
          "c(estimates(Whiting.model2), sigma(Whiting.model2))", unseen=R_RESULT,
          ours=Ours(own.PQL, own.mixed, "flatlizards", own.LIZARDS)),
    Example("flatlizards-probit", "flatlizards", f'Whiting.model3 <- BTm(result, winner, loser, {R_FOUR} + (1 | ..),\n  family = binomial(link = "probit"), data = flatlizards, trace = TRUE)\nsummary(Whiting.model3)\nBTabilities(Whiting.model3)',
          "c(estimates(Whiting.model3), sigma(Whiting.model3), abilities(BTabilities(Whiting.model3)))", unseen=R_RESULT,
          ours=Ours(PROBIT.strip(), lambda n: own.mixed(n) | abilities(n["fit"]), "flatlizards", own.LIZARDS)),
    Example("glmmPQL-control", "glmmPQL.control", R_RESULT + f"BTmodel <- BTm(result, winner, loser, {R_FOUR} + (1 | ..),\n  data = flatlizards, tol = 1e-3, trace = TRUE)\nsummary(BTmodel)",
          "c(estimates(BTmodel), sigma(BTmodel))",
          ours=Ours(own.PQL, own.mixed, "flatlizards", own.LIZARDS)),
    Example("seeds", "glmmPQL, seeds, predict.BTglmmPQL", R_SEEDS + 'summary(seedsModel)\npred <- predict(seedsModel, level = 0)\npredTerms <- predict(seedsModel, type = "terms")\nall.equal(pred, rowSums(predTerms) + attr(predTerms, "constant"))',
          'c(estimates(seedsModel), sigma(seedsModel), named(predict(seedsModel, level = 0), 1:21, "predictor, plate "), "all.equal" = isTRUE(all.equal(pred, rowSums(predTerms) + attr(predTerms, "constant"))))',
          ours=Ours(own.SEEDS + 'fit = fit_bradley_terry(table, formula="seed + extract + (1 | item)", method="pql")', _seeds_predicted, "seeds")),
    Example("seeds-interaction", "glmmPQL", 'summary(glmmPQL(cbind(r, n - r) ~ seed * extract, random = diag(nrow(seeds)), family = "binomial", data = seeds))',
          'm <- glmmPQL(cbind(r, n - r) ~ seed * extract, random = diag(nrow(seeds)), family = "binomial", data = seeds); c(estimates(m), sigma(m))',
          ours=Ours('fit = fit_bradley_terry(table, formula="seed * extract + (1 | item)", method="pql")', _seeds, "seeds", own.SEEDS)),
    Example("icehockey", "icehockey", R_STANDARD + "abilities <- exp(BTabilities(standardBT)[, 1])\n" + R_RANKINGS + "ranks <- rankings(abilities)\nhead(signif(ranks, 4)[order(ranks[, 1], decreasing = TRUE), ])",
          'rm("abilities"); o <- order(ranks[, 1], decreasing = TRUE); c(estimates(standardBT), fitted(standardBT)[1:2], named(ranks[o, 2], rownames(ranks)[o], "round-robin winning probability of "), named(ranks[o, 1], rownames(ranks)[o], "KRACH of "))',
          ours=Ours(own.HOCKEY + 'fit = fit_bradley_terry(table, reference="Alaska Anchorage", cells="row")', lambda n: named(n["fit"], items(n["fit"], "team")) | fitted(n["fit"], aic=False) | _hockey(n["fit"], True), "icehockey")),
    Example("icehockey-home", "icehockey", R_LEVEL + "abilities <- exp(BTabilities(levelBT)[, 1])\nranks2 <- rankings(abilities)",
          'rm("abilities"); o <- order(ranks2[, 1], decreasing = TRUE); c(estimates(levelBT), fitted(levelBT)[1:2], named(ranks2[o, 2], rownames(ranks2)[o], "round-robin winning probability of "))', unseen=R_RANKINGS,
          ours=Ours('home = fit_bradley_terry(table, formula="item + home", reference="Alaska Anchorage", cells="row")',
                   lambda n: named(n["home"], items(n["home"], "team") | {"home.ice": "home"}) | fitted(n["home"], aic=False) | _hockey(n["home"], False), "icehockey", own.HOCKEY)),
    Example("plotProportions", "plotProportions", R_STANDARD + R_LEVEL + 'plotProportions(win = result == 1, loss = result == 0, player1 = visitor, player2 = opponent,\n  abilities = BTabilities(standardBT)[, 1], data = icehockey, subset = result != 0.5)\nplotProportions(win = result == 1, loss = result == 0, player1 = visitor, player2 = opponent,\n  home.adv = coef(levelBT)["home.ice"], at.home1 = 0, at.home2 = home.ice,\n  abilities = BTabilities(levelBT)[, 1], data = icehockey, subset = result != 0.5)',
          'p <- plotProportions(win = result == 1, loss = result == 0, player1 = visitor, player2 = opponent, abilities = BTabilities(standardBT)[, 1], data = icehockey, subset = result != 0.5)$win; h <- plotProportions(win = result == 1, loss = result == 0, player1 = visitor, player2 = opponent, home.adv = coef(levelBT)["home.ice"], at.home1 = 0, at.home2 = home.ice, abilities = BTabilities(levelBT)[, 1], data = icehockey, subset = result != 0.5)$win; c(named(p$prop.win, 1:nrow(p), "won, bin "), named(p$bin.win, 1:nrow(p), "middle of bin "), named(h$prop.win, 1:nrow(h), "at home, won, bin "), named(h$bin.win, 1:nrow(h), "at home, middle of bin "))',
          ours=Ours(own.HOCKEY + """fit = fit_bradley_terry(table, reference="Alaska Anchorage")
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
at_home = bins(pairproof.predict(level, games)["p_first"].to_numpy(), played["result"].to_numpy() == 0)""", _bins, "icehockey")),
    Example("predict-lizards", "predict.BTm", f"""Whiting.model3 <- BTm(1, winner, loser, {R_FOUR} + (1 | ..),
  family = binomial(link = "probit"), data = flatlizards, trace = TRUE)
four <- c("lizard006", "lizard011", "lizard048", "lizard060")
newdata <- list(contests = data.frame(winner = factor(c("lizard048", "lizard060"), levels = four),
    loser = factor(c("lizard006", "lizard011"), levels = four)),
  predictors = flatlizards$predictors[c(3, 6, 27, 33), ])
predict(Whiting.model3, level = 1, newdata = newdata)
predict(Whiting.model3, level = 1)[1:2]""",
          'c(named(predict(Whiting.model3, level = 1, newdata = newdata), c("048 - 006", "060 - 011"), "newdata, "), named(predict(Whiting.model3, level = 1)[1:2], c("048 - 006", "060 - 011"), "of the fit, "))',
          ours=Ours(PROBIT + 'new = pairproof.predict(fit, {"first": ["lizard048", "lizard060"], "second": ["lizard006", "lizard011"]})', _predicted, "flatlizards", own.LIZARDS)),
    Example("predict-new-lizard", "predict.BTm", """newpred <- rbind(flatlizards$predictors[c(3, 6, 27), c("throat.PC1", "throat.PC3", "SVL", "head.length")], c(-5, 1.5, 1, 0.1))
rownames(newpred)[4] <- "lizard059"
four <- c("lizard006", "lizard011", "lizard048", "lizard059")
newdata <- list(contests = data.frame(winner = factor(c("lizard048", "lizard059"), levels = four),
    loser = factor(c("lizard006", "lizard011"), levels = four)), predictors = newpred)
predict(Whiting.model3, level = 0:1, se.fit = TRUE, newdata = newdata)""",
          """p <- predict(Whiting.model3, level = 0:1, se.fit = TRUE, newdata = newdata)
pairs <- c("048 - 006", "059 - 011")
c(named(p$population$fit, pairs, "level 0, "), named(p$population$se.fit, pairs, "standard error of level 0, "), named(p$individual$fit, pairs, "level 1, "), named(p$individual$se.fit, pairs, "standard error of level 1, "))""",
          unseen=f'Whiting.model3 <- BTm(1, winner, loser, {R_FOUR} + (1 | ..), family = binomial(link = "probit"), data = flatlizards)',
          ours=Ours("""new_lizard = {"throat.PC1": -5, "throat.PC3": 1.5, "SVL": 1, "head.length": 0.1}
new = pairproof.predict(fit, {"first": ["lizard048", "lizard059"], "second": ["lizard006", "lizard011"]}, item_data={"lizard059": new_lizard})
# level 0: the covariates alone
columns = ["throat.PC1", "throat.PC3", "head.length", "SVL"]
x = pd.concat([data["predictors"][columns], pd.DataFrame(new_lizard, index=["lizard059"])])
x = x.loc[["lizard048", "lizard059"], columns].to_numpy() - x.loc[["lizard006", "lizard011"], columns].to_numpy()
level_0, se_0 = x @ fit.params[columns], np.sqrt(np.diag(x @ fit.cov_params().loc[columns, columns] @ x.T))
""", _new_lizard, "flatlizards", own.LIZARDS + PROBIT)),
    Example("predict-CEMS", "predict.BTm", """schools <- levels(CEMS$preferences$school1)
students <- data.frame(STUD = "other", ENG = "good", FRA = "good", SPA = "good", ITA = "good", WOR = c("yes", "no"), DEG = "no", SEX = "female")
for (i in seq_len(ncol(students))) students[, i] <- factor(students[, i], levels(CEMS$students[, i]))
newdata <- list(preferences = data.frame(student = factor(rep(c(500, 502), each = 6)),
    school1 = factor(schools, levels = schools), school2 = factor("Stockholm", levels = schools)),
  students = students, schools = CEMS$schools)
predict(table6.model, newdata = newdata, se.fit = TRUE)
BTabilities(table6.model)""",
          """p <- predict(table6.model, newdata = newdata, se.fit = TRUE)
of <- paste0(schools, " - Stockholm, WOR ", rep(c("yes", "no"), each = 6))
c(named(p$fit, of), named(p$se.fit, of, "standard error of "), abilities(BTabilities(table6.model)))""",
          unseen=R_TABLE6,
          ours=Ours("""schools = ["Barcelona", "London", "Milano", "Paris", "St.Gallen"]
contests = pd.DataFrame({"first": schools * 2, "second": "Stockholm", "STUD": "other", "ENG": "good", "FRA": "good", "SPA": "good", "ITA": "good",
                         "WOR": ["yes"] * 5 + ["no"] * 5, "DEG": "no", "SEX": "female"})
found = pairproof.predict(fit, contests)
fit.params[list(fit.items)]                     # the abilities of a student with all covariates at their reference levels""", _cems_predicted, "CEMS", own.CEMS + own.TABLE6)),
    Example("residuals-springall", "residuals.BTm, springall", """springall.model <- BTm(cbind(win.adj, loss.adj), col, row,
  ~ flav[..] + gel[..] + flav.2[..] + gel.2[..] + flav.gel[..] + (1 | ..), data = springall)
summary(springall.model)
res <- residuals(springall.model, type = "grouped")
lm(res ~ flav, weights = attr(res, "weights"), data = springall$predictors)
lm(res ~ gel, weights = attr(res, "weights"), data = springall$predictors)""",
          """weight <- attr(res, "weights")
f <- lm(res ~ flav, weights = weight, data = springall$predictors)
g <- lm(res ~ gel, weights = weight, data = springall$predictors)
c(estimates(springall.model), fitted(springall.model)[1:2], named(res, 1:9, "grouped residual of "), named(weight, 1:9, "weight of "),
  "regression on flav, intercept" = coef(f)[[1]], "regression on flav, slope" = coef(f)[[2]], "regression on gel, intercept" = coef(g)[[1]], "regression on gel, slope" = coef(g)[[2]])""",
          ours=Ours(own.SPRINGALL + 'fit = fit_bradley_terry(table, formula="flav + gel + flav.2 + gel.2 + flav.gel", cells="row")     # sigma is 0\n'
                   + own.GROUPED, _springall, "springall")),
    Example("sound-fields", "sound.fields", 'flutes.model <- BTm(cbind(win1.adj, win2.adj), field1, field2, ~ field, id = "field",\n  subset = (instrument == "flute"), data = sound.fields)',
          "c(estimates(flutes.model), fitted(flutes.model)[1:2])",
          ours=Ours(own.FLUTES + own.ROWS, lambda n: named(n["fit"], items(n["fit"], "field")) | fitted(n["fit"], aic=False), "sound.fields")),
    Example("sound-fields-factorial", "sound.fields", "flutes.model.reparam <- update(flutes.model, formula = ~ a[field] * b[field] * c[field])",
          "c(estimates(flutes.model.reparam), fitted(flutes.model.reparam)[1:2])",
          unseen='flutes.model <- BTm(cbind(win1.adj, win2.adj), field1, field2, ~ field, id = "field", subset = (instrument == "flute"), data = sound.fields)',
          ours=Ours('fit = fit_bradley_terry(table, formula="a * b * c", cells="row")',
                   lambda n: named(n["fit"], {":".join(f"{x}[field]1" for x in k.split(":")): k for k in n["fit"].names}) | fitted(n["fit"], aic=False), "sound.fields", own.FLUTES)),
)  # fmt: skip
