"""The examples of BradleyTerry2's help pages that `pairproof migrate` does not translate, or whose numbers are made of a
fit by code of the page, as they are typed there, and pairproof's code of each.

The others are made by migrate (:mod:`tools.pages.migrated`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq

from . import bradleyterry2_ours as own
from .bradleyterry2_ours import Names, Numbers, Ours, named, sigma
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
R_FOUR = "~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..]"
R_TABLE6 = """table6.model <- BTm(outcome = cbind(win1.adj, win2.adj), player1 = school1, player2 = school2,
  formula = ~ .. + WOR[student] * Paris[..] + WOR[student] * Milano[..] + WOR[student] * Barcelona[..] +
    DEG[student] * St.Gallen[..] + STUD[student] * Paris[..] + STUD[student] * St.Gallen[..] +
    ENG[student] * St.Gallen[..] + FRA[student] * London[..] + FRA[student] * Paris[..] +
    SPA[student] * Barcelona[..] + ITA[student] * London[..] + ITA[student] * Milano[..] +
    SEX[student] * Milano[..],
  refcat = "Stockholm", data = CEMS)
"""
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


# -- what is read of our fits under R's names ----------------------------------------------------------------


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


def _new_lizard(n: Names) -> Numbers:
    pairs, found = ("048 - 006", "059 - 011"), {}
    for k, pair in enumerate(pairs):
        found[f"level 0, {pair}"] = float(n["level_0"][k])
        found[f"standard error of level 0, {pair}"] = float(n["se_0"][k])
        found[f"level 1, {pair}"] = float(n["new"]["eta"][k])
        found[f"standard error of level 1, {pair}"] = float(n["new"]["se"][k])
    return found


def _springall(n: Names) -> Numbers:
    return own.regressions(n, "flav", "gel")


def _bins(n: Names) -> Numbers:
    found: Numbers = {}
    for before, bins in (("", n["ignoring_home"]), ("at home, ", n["at_home"])):
        found |= {f"{before}won, bin {k + 1}": float(v) for k, v in enumerate(bins["won"])}
        found |= {f"{before}middle of bin {k + 1}": float(v) for k, v in enumerate(bins["middle"])}
    return found


PROBIT = own.PQL.replace('method="pql"', 'link="probit", method="pql"') + "\n"


CASES: tuple[Example, ...] = (
    Example("seeds", "glmmPQL, seeds, predict.BTglmmPQL", R_SEEDS + 'summary(seedsModel)\npred <- predict(seedsModel, level = 0)\npredTerms <- predict(seedsModel, type = "terms")\nall.equal(pred, rowSums(predTerms) + attr(predTerms, "constant"))',
          'c(estimates(seedsModel), sigma(seedsModel), named(predict(seedsModel, level = 0), 1:21, "predictor, plate "), "all.equal" = isTRUE(all.equal(pred, rowSums(predTerms) + attr(predTerms, "constant"))))',
          ours=Ours(own.SEEDS + 'fit = fit_bradley_terry(table, formula="seed + extract + (1 | item)", method="pql")', _seeds_predicted, "seeds")),
    Example("seeds-interaction", "glmmPQL", 'summary(glmmPQL(cbind(r, n - r) ~ seed * extract, random = diag(nrow(seeds)), family = "binomial", data = seeds))',
          'm <- glmmPQL(cbind(r, n - r) ~ seed * extract, random = diag(nrow(seeds)), family = "binomial", data = seeds); c(estimates(m), sigma(m))',
          ours=Ours('fit = fit_bradley_terry(table, formula="seed * extract + (1 | item)", method="pql")', _seeds, "seeds", own.SEEDS)),
    Example("icehockey", "icehockey", R_STANDARD + "abilities <- exp(BTabilities(standardBT)[, 1])\n" + R_RANKINGS + "ranks <- rankings(abilities)\nhead(signif(ranks, 4)[order(ranks[, 1], decreasing = TRUE), ])",
          'rm("abilities"); o <- order(ranks[, 1], decreasing = TRUE); c(named(ranks[o, 2], rownames(ranks)[o], "round-robin winning probability of "), named(ranks[o, 1], rownames(ranks)[o], "KRACH of "))',
          ours=Ours(own.HOCKEY + 'fit = fit_bradley_terry(table, reference="Alaska Anchorage", cells="row")', lambda n: _hockey(n["fit"], True), "icehockey")),
    Example("icehockey-home", "icehockey", R_LEVEL + "abilities <- exp(BTabilities(levelBT)[, 1])\nranks2 <- rankings(abilities)",
          'rm("abilities"); o <- order(ranks2[, 1], decreasing = TRUE); c(named(ranks2[o, 2], rownames(ranks2)[o], "round-robin winning probability of "))', unseen=R_RANKINGS,
          ours=Ours('home = fit_bradley_terry(table, formula="item + home", reference="Alaska Anchorage", cells="row")',
                   lambda n: _hockey(n["home"], False), "icehockey", own.HOCKEY)),
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
          ours=Ours(own.LIZARDS + PROBIT + """new_lizard = {"throat.PC1": -5, "throat.PC3": 1.5, "SVL": 1, "head.length": 0.1}
new = pairproof.predict(fit, {"first": ["lizard048", "lizard059"], "second": ["lizard006", "lizard011"]}, item_data={"lizard059": new_lizard})
# level 0: the covariates alone
columns = ["throat.PC1", "throat.PC3", "head.length", "SVL"]
x = pd.concat([data["predictors"][columns], pd.DataFrame(new_lizard, index=["lizard059"])])
x = x.loc[["lizard048", "lizard059"], columns].to_numpy() - x.loc[["lizard006", "lizard011"], columns].to_numpy()
level_0, se_0 = x @ fit.params[columns], np.sqrt(np.diag(x @ fit.cov_params().loc[columns, columns] @ x.T))
""", _new_lizard, "flatlizards")),
    Example("residuals-springall", "residuals.BTm, springall", """springall.model <- BTm(cbind(win.adj, loss.adj), col, row,
  ~ flav[..] + gel[..] + flav.2[..] + gel.2[..] + flav.gel[..] + (1 | ..), data = springall)
summary(springall.model)
res <- residuals(springall.model, type = "grouped")
lm(res ~ flav, weights = attr(res, "weights"), data = springall$predictors)
lm(res ~ gel, weights = attr(res, "weights"), data = springall$predictors)""",
          """weight <- attr(res, "weights")
f <- lm(res ~ flav, weights = weight, data = springall$predictors)
g <- lm(res ~ gel, weights = weight, data = springall$predictors)
c("regression on flav, intercept" = coef(f)[[1]], "regression on flav, slope" = coef(f)[[2]], "regression on gel, intercept" = coef(g)[[1]], "regression on gel, slope" = coef(g)[[2]])""",
          ours=Ours(own.SPRINGALL + 'fit = fit_bradley_terry(table, formula="flav + gel + flav.2 + gel.2 + flav.gel", cells="row")     # sigma is 0\n'
                   + own.GROUPED, _springall, "springall")),
)  # fmt: skip
