"""The blocks of docs/bradleyterry2-defects.md: where BradleyTerry2 and its neighbours are wrong or silent, what each says,
what pairproof says, and why; both are run.

pairproof's answers are kept in `bradleyterry2_defects.json`, as `bradleyterry2_page` keeps its numbers:

    python -m tools.pages.bradleyterry2_defects
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

import pairproof

from . import bradleyterry2_exact, bradleyterry2_ours as own
from .bradleyterry2_cases import R_BASEBALL, R_CITE, R_HOME, R_TABLE6
from .bradleyterry2_ours import Names, Numbers, Ours, answer, items, named, sigma
from .bradleyterry2_r import Example, r_numbers
from .migrated import cell
from .tables import block, columns, keep, kept as read, markdown


@dataclass(frozen=True)
class Defect:
    """A situation: a title, what R does, why pairproof's answer is right, and both calls; R's code is empty where it
    is not asked.
    """

    title: str
    happens: str
    why: str
    example: Example

    @property
    def name(self) -> str:
        """Its name among the defects."""
        return self.example.name.removeprefix("defect-")


def _defect(
    name: str,
    title: str,
    happens: str,
    why: str,
    code: str = "",
    take: str = "",
    unseen: str = "",
    **more: Any,
) -> Defect:
    asked = Example(f"defect-{name}", "", code, take, unseen=unseen, **{"again": False, **more})
    return Defect(title, happens, why, asked)


# -- R's tables ----------------------------------------------------------------------------------------------

#: Four players, the first of whom wins everything.
R_WINNER = """p <- c("A", "B", "C", "D")
d <- data.frame(one = factor(p[c(1, 1, 1, 2, 2, 3)], p), two = factor(p[c(2, 3, 4, 3, 4, 4)], p), win = c(5, 5, 5, 3, 4, 2), loss = c(0, 0, 0, 2, 1, 3))
"""
R_BOTH = """p <- c("A", "B", "C", "D")
d <- data.frame(one = factor(p[c(1, 3)], p), two = factor(p[c(2, 4)], p), win = c(6, 3), loss = c(2, 5))
"""
R_THREE = """p <- c("A", "B", "C")
d <- data.frame(one = factor(p[c(1, 1, 2)], p), two = factor(p[c(2, 3, 3)], p), win = c(6, 8, 5), loss = c(4, 2, 5))
"""
R_FOUR_PLAYERS = """d <- data.frame(one = factor(c(1, 1, 1, 2, 2, 3), 1:4), two = factor(c(2, 3, 4, 3, 4, 4), 1:4), win = c(3, 6, 1, 8, 2, 1))
d$loss <- 10 - d$win
x <- data.frame(x = c(0, 1, 2, 4))
"""
R_FIT = "m <- BTm(cbind(win, loss), one, two, data = d{more})\n"
BR = ("BradleyTerry2", "brglm")

# -- pairproof's tables, and what is read of its fits --------------------------------------------------------

_WINNER = """table = pairproof.read({"first": list("AAABBC"), "second": list("BCDCDD"), "wins": [5, 5, 5, 3, 4, 2], "losses": [0, 0, 0, 2, 1, 3]})
"""
_BOTH = (
    'table = pairproof.read({"first": ["A", "C"], "second": ["B", "D"], "wins": [6, 3], "losses": [2, 5]})\n'
)
_THREE = (
    'rows = {"first": ["A", "A", "B"], "second": ["B", "C", "C"], "wins": [6, 8, 5], "losses": [4, 2, 5]}\n'
)
_FOUR_PLAYERS = """table = pairproof.read({"first": list("111223"), "second": list("234344"), "wins": [3, 6, 1, 8, 2, 1], "losses": [7, 4, 9, 2, 8, 9]},
                       item_data={"item": list("1234"), "x": [0, 1, 2, 4]})
"""
_EXTRA = ("jl.res", "tl.res", "mass.res")


def _twice(numbers: Numbers, *before: str) -> Numbers:
    """The same numbers under several names."""
    return {f"{b}{k}": v for b in before for k, v in numbers.items()}


def _likelihood_ratio(row: Any, n: Names) -> Numbers:
    """Of a row of add1; of two fits where there is none."""
    if row is not None:
        return {"likelihood ratio": float(row["statistic"]), "df": float(row["df"]), "p": float(row["p"])}
    test = n["home"].compare(n["fit"])
    return {"likelihood ratio": test.statistic, "df": float(test.df), "p": test.p}


def _fit(n: Names) -> Numbers:
    return named(n["fit"], items(n["fit"], ".."))


def _simulated(n: Names) -> Numbers:
    found: Numbers = {}
    for (players, true, method), of in n["found"].items():
        sigmas, betas = np.mean(of, axis=0)
        found[f"{players} players, {method}, mean of sigma (true {true:g})"] = float(sigmas)
        found[f"{players} players, {method}, mean of beta (true 0.7)"] = float(betas)
    return found


def _pair(n: Names) -> Numbers:
    kinds = ("Barcelona", "no preference", "Stockholm")
    return {
        f"{source}, {kind}": count
        for source in ("cemspc", "CEMS")
        for kind, count in zip(kinds, n[source].pooled()["Barcelona", "Stockholm"])
    }


_CEMSPC = """cemspc = pairproof.read(package_data("prefmod", "cemspc"), layout="prefmod", pair_order="prefmod", pair_names="ignore",
                        items=["London", "Paris", "Milano", "St.Gallen", "Barcelona", "Stockholm"],
                        coding={"first": 0, "tie": 1, "second": 2, "missing": "NA"})
"""
_CEMS_TIES = """rows = data["preferences"].dropna()
CEMS = pairproof.read(rows, layout="counts", columns={"first": "school1", "second": "school2", "wins": "win1", "ties": "tied", "losses": "win2"})
"""


def _school(n: Names) -> Numbers:
    found = {"labels of their columns, London": float(n["cemspc_fit"].params["London"])}
    return found | {"BradleyTerry2's CEMS, London": float(n["CEMS_fit"].params["London"])}


def _residual(n: Names) -> Numbers:
    first = n["residuals"].iloc[0]
    return {"deviance residual": float(first["deviance"]), "Pearson residual": float(first["pearson"])}


def _row_order(n: Names) -> Numbers:
    one, other = (
        t.tests().query("node == 1 and covariate == 'age'").iloc[0] for t in (n["tree"], n["other"])
    )
    return {
        "age, statistic": float(one["statistic"]),
        "age, statistic, rows turned round": float(other["statistic"]),
        "age, p": float(one["p_adjusted"]),
    }


def _laplace(n: Names) -> Numbers:
    fit = n["fit"]
    return (
        {"x[..]": float(fit.params["x"]), "standard error of x[..]": float(fit.bse["x"])}
        | sigma(fit)
        | {"p of sigma": fit.p_sigma}
    )


# -- both ----------------------------------------------------------------------------------------------------

#: By block.
SECTIONS: Mapping[str, tuple[Defect, ...]] = {
    "bradleyterry2-defects-wrong": (
        _defect("add1", "add1 on models without random effects: baseball",
            "`add1` drops the totals of the binomial counts and shifts the columns by one, so that a row of its table belongs to the term beside it.",
            "The likelihood ratio of the two fits, which R's own `anova` has.",
            'add1(baseballModel1, ~ . + at.home, test = "Chisq")\nanova(baseballModel1, baseballModel2, test = "Chisq")',
              """a <- suppressWarnings(add1(baseballModel1, ~ . + at.home, test = "Chisq")); b <- anova(baseballModel1, baseballModel2, test = "Chisq")
c("add1, likelihood ratio" = a[2, "LRT"], "add1, df" = a[2, "Df"], "add1, p" = a[2, ncol(a)], "anova, likelihood ratio" = b[2, "Deviance"], "anova, df" = b[2, "Df"], "anova, p" = b[2, ncol(b)])""",
              R_BASEBALL + R_HOME + 'baseballModel1 <- BTm(cbind(home.wins, away.wins), home.team, away.team, formula = ~ team, data = baseball, id = "team")\n',
            ours=Ours(own.BASEBALL + own.ROWS + '\npairproof.add1(fit, "order")\n' + own.HOME + "\nhome.compare(fit)", lambda n: {
                      f"{of}, {name}": value for of, frame in (("add1", pairproof.add1(n["fit"], "order").loc["order"]), ("anova", None))
                      for name, value in _likelihood_ratio(frame, n).items()}, "baseball")),
        _defect("add1-chameleons", "add1 on models without random effects: chameleons", "The same with single wins.", "Each is the difference of the deviances of two fits.",
            "add1(m, ~ . + jl.res[ID] + tl.res[ID] + mass.res[ID])", """a <- as.data.frame(add1(m, ~ . + jl.res[ID] + tl.res[ID] + mass.res[ID], test = "Chisq"))
extra <- c("jl.res", "tl.res", "mass.res")
right <- sapply(extra, function(x) deviance(m) - deviance(BTm(player1 = winner, player2 = loser, formula = as.formula(paste0("~ prev.wins.2 + ch.res[ID] + prop.main[ID] + ", x, "[ID]")), id = "ID", data = chameleons)))
c(named(a[-1, "LRT"], extra, "add1, "), named(right, extra, "two fits, "))""",
              'm <- BTm(player1 = winner, player2 = loser, formula = ~ prev.wins.2 + ch.res[ID] + prop.main[ID], id = "ID", data = chameleons)',
            ours=Ours(own.CHAMELEONS + 'fit = fit_bradley_terry(table, formula="prev.wins.2 + ch.res + prop.main")\npairproof.add1(fit, "jl.res + tl.res + mass.res")',
                      lambda n: _twice({x: float(pairproof.add1(n["fit"], " + ".join(_EXTRA)).loc[x, "statistic"]) for x in _EXTRA}, "add1, ", "two fits, "), "chameleons")),
        _defect("subset", "A numeric subset counts rows twice",
            "`subset = 1:4` is worked out for each of the two players and put together: every row is counted twice, standard errors are too small by the root of 2, and deviance and df are wrong. A logical subset is right.",
            "Positions are of rows, each at most once; a position that occurs twice is refused.",
            'BTm(cbind(win1, win2), journal1, journal2, data = citations.sf, subset = 1:4)\nBTm(cbind(win1, win2), journal1, journal2, data = citations.sf, subset = 1:6 <= 4)',
              """once <- BTm(cbind(win1, win2), journal1, journal2, data = citations.sf, subset = 1:6 <= 4)
twice <- BTm(cbind(win1, win2), journal1, journal2, data = citations.sf, subset = 1:4)
c(named(estimates(twice), names(estimates(twice)), "1:4, "), "1:4, deviance" = deviance(twice), "1:4, df" = df.residual(twice), named(estimates(once), names(estimates(once)), "logical, "), "logical, deviance" = deviance(once), "logical, df" = df.residual(once))""", R_CITE,
            ours=Ours(own.CITATIONS + 'fit = fit_bradley_terry(table, subset=[0, 1, 2, 3])',
                      lambda n: _twice(_fit(n) | {"deviance": n["fit"].deviance, "df": float(n["fit"].df_resid)}, "1:4, ", "logical, "), "citations")),
        _defect("predict", "predict with factors that keep the levels in use",
            "The help page says that unused levels can be dropped. Then the columns of the new data are not those of the coefficients, and the prediction is of other teams.",
            "Items are known by name.",
            """two <- c("Boston", "Detroit")
newdata <- list(home.team = data.frame(team = factor("Boston", two)), away.team = data.frame(team = factor("Detroit", two)))
predict(baseballModel1, newdata = newdata)""",
              """all <- levels(baseball$home.team); two <- c("Boston", "Detroit")
right <- list(home.team = data.frame(team = factor("Boston", all)), away.team = data.frame(team = factor("Detroit", all)))
c("levels in use" = predict(baseballModel1, newdata = newdata)[[1]], "all levels" = predict(baseballModel1, newdata = right)[[1]])""", R_BASEBALL,
            ours=Ours(own.BASEBALL + 'pairproof.predict(fit_bradley_terry(table), {"first": ["Boston"], "second": ["Detroit"]})',
                      lambda n: _twice({"": float(pairproof.predict(pairproof.fit_bradley_terry(n["table"]), {"first": ["Boston"], "second": ["Detroit"]})["eta"][0])}, "levels in use", "all levels"), "baseball")),
        _defect("row-order", "Player covariates are matched by row, not by name", "Row k of the table is level k of the factor, whatever its row name.", "`item_data` has a column that names the items.",
            """x <- data.frame(x = c(0, 1, 3), row.names = c("A", "B", "C"))
coef(BTm(cbind(win, loss), one, two, ~ x[..], data = list(d, x)))
coef(BTm(cbind(win, loss), one, two, ~ x[..], data = list(d, x[c("C", "B", "A"), , drop = FALSE])))""",
              """y <- x[c("C", "B", "A"), , drop = FALSE]
c("x in the order of the levels" = coef(BTm(cbind(win, loss), one, two, ~ x[..], data = list(d, x)))[[1]], "rows turned round" = coef(BTm(cbind(win, loss), one, two, ~ x[..], data = list(d, y)))[[1]])""", R_THREE,
            ours=Ours(_THREE + """table = pairproof.read(rows, item_data={"item": ["A", "B", "C"], "x": [0, 1, 3]})
turned = pairproof.read(rows, item_data={"item": ["C", "B", "A"], "x": [3, 1, 0]})
fit, other = fit_bradley_terry(table, formula="x"), fit_bradley_terry(turned, formula="x")""",
                      lambda n: {"x in the order of the levels": float(n["fit"].params["x"]), "rows turned round": float(n["other"].params["x"])})),
        _defect("factor-outcome", "An outcome with three levels", "The first level of a factor is a loss, every other one a win: ties are wins, without a warning.",
            "The words of an outcome are stated (`coding`), and ties are ties: here with Davidson's model.",
            """d <- data.frame(one = factor(c("A", "A", "B", "B", "A", "C", "C"), p), two = factor(c("B", "C", "C", "A", "B", "A", "B"), p),
  y = factor(c("win", "tie", "loss", "tie", "tie", "win", "loss"), c("loss", "tie", "win")))
m <- BTm(y, one, two, data = d)
m$y""", 'c(named(m$y, as.character(d$y), "y of "), estimates(m)[1:2])', 'p <- c("A", "B", "C")',
            ours=Ours("""table = pairproof.read({"first": list("AABBACC"), "second": list("BCCABAB"),
                        "outcome": ["first", "tie", "second", "tie", "tie", "first", "second"]})
fit = fit_bradley_terry(table)""", lambda n: {"..B": float(n["fit"].params["B"]), "..C": float(n["fit"].params["C"]), "ties": float(n["table"].ties.sum())})),
        _defect("random-subset", "Random effects with a subset, or a missing row", "The design of the random effects keeps the rows that were left out.", "The subset is taken first.",
            "BTm(1, winner, loser, ~ SVL[..] + (1 | ..), data = flatlizards, subset = 1:100 <= 80)",
              "coef(BTm(1, winner, loser, ~ SVL[..] + (1 | ..), data = flatlizards, subset = 1:100 <= 80))", failing=True,
            ours=Ours(own.LIZARDS + 'fit = fit_bradley_terry(table, formula="SVL + (1 | item)", method="pql", subset=range(80))',
                      lambda n: {"SVL": float(n["fit"].params["SVL"])} | sigma(n["fit"]), "flatlizards")),
        _defect("random-only", "A model with nothing but random effects", "The formula is left empty when the random term is taken out.", "`random=\"item\"` needs no covariate.",
            "BTm(1, winner, loser, ~ (1 | ..), data = flatlizards)", "coef(BTm(1, winner, loser, ~ (1 | ..), data = flatlizards))", failing=True,
            ours=Ours('fit = fit_bradley_terry(table, random="item", method="pql")', lambda n: sigma(n["fit"]), "flatlizards", own.LIZARDS)),
        _defect("wide", "From wide to long as section 7.3 of the vignette has it",
            "Fifteen labels of pairs are recycled along a matrix that is stored by columns, so that answers get the pairs of others.",
            "The table is read by columns, with its pairs stated. The number of BradleyTerry2's own `CEMS` differs because of the next point.",
            """lab <- c("London", "Paris", "Milano", "St. Gallen", "Barcelona", "Stockholm")
contest$school1 <- factor(sequence(1:5), levels = 1:6, labels = lab)    # 15 labels, recycled
contest$school2 <- factor(rep(2:6, 1:5), levels = 1:6, labels = lab)
BTm(cbind(win.adj, lose.adj), school1, school2, refcat = "Stockholm", data = contest)""",
              """as.it.is <- BTm(cbind(win.adj, lose.adj), school1, school2, refcat = "Stockholm", data = contest)
right <- contest
right$school1 <- factor(rep(sequence(1:5), each = 303), levels = 1:6, labels = lab)
right$school2 <- factor(rep(rep(2:6, 1:5), each = 303), levels = 1:6, labels = lab)
right <- BTm(cbind(win.adj, lose.adj), school1, school2, refcat = "Stockholm", data = right)
cems <- BTm(cbind(win1.adj, win2.adj), school1, school2, refcat = "Stockholm", data = CEMS)
c("as the vignette has it, London" = coef(as.it.is)[["..London"]], "labels of their columns, London" = coef(right)[["..London"]], "BradleyTerry2's CEMS, London" = coef(cems)[["..London"]])""",
              """draw <- prefmod::cemspc[, 1:15] == 1
contest <- data.frame(win.adj = c((prefmod::cemspc[, 1:15] == 0) + draw / 2), lose.adj = c((prefmod::cemspc[, 1:15] == 2) + draw / 2))
""", needs=("BradleyTerry2", "prefmod"),
            ours=Ours(_CEMSPC + 'cemspc_fit = fit_bradley_terry(cemspc, ties="half", reference="Stockholm")\n' + _CEMS_TIES + 'CEMS_fit = fit_bradley_terry(CEMS, ties="half", reference="Stockholm")', _school, "CEMS")),
        _defect("cems-pair", "CEMS against prefmod's cemspc: Barcelona and Stockholm",
            "The two packages have the same survey, and 14 of its 15 pairs agree. prefmod's has this pair as it was printed in 1998, with its answers exchanged; BradleyTerry2's has it as corrected in 2001.",
            "pairproof reads what a table says; `pairproof check cems` holds both against the papers (Dittrich, Hatzinger and Katzenbeisser 1998 and 2001).",
            """pair <- subset(CEMS$preferences, school1 == "Barcelona" & school2 == "Stockholm")
colSums(pair[, c("win1", "tied", "win2")], na.rm = TRUE)
table(prefmod::cemspc[, 15])    # Barcelona (0) against Stockholm (2)""",
              """named(c(table(prefmod::cemspc[, 15]), colSums(pair[, c("win1", "tied", "win2")], na.rm = TRUE)), paste0(rep(c("cemspc, ", "CEMS, "), each = 3), rep(c("Barcelona", "no preference", "Stockholm"), 2)))""",
              needs=("BradleyTerry2", "prefmod"),
            ours=Ours("cemspc.pooled(), CEMS.pooled()", _pair, "CEMS", _CEMSPC + _CEMS_TIES)),
        _defect("residuals", "Residuals that the vignette calls Pearson's", "`residuals(m)` are deviance residuals.", "Residuals are asked for by name.",
            "lizModel2 <- BTm(1, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..] + (1 | ..), data = flatlizards)\nres.pearson <- round(residuals(lizModel2), 3)",
              'c("residuals(m)" = residuals(lizModel2)[[1]], "deviance residual" = residuals(lizModel2, "deviance")[[1]], "Pearson residual" = residuals(lizModel2, "pearson")[[1]])', again=True,
            ours=Ours(own.LIZARDS + own.PQL + "\nresiduals = pairproof.contest_residuals(fit)", _residual, "flatlizards")),
        _defect("vcov", "Standard errors of the step before the last", "glm keeps the weights of the step before its last, with which `vcov` is made: here up to 1.3e-4 of a standard error. Fitted again from its own solution R has pairproof's.",
            "The information is that of the estimate; the 25-digit values are of Newton's method in 40 digits.",
            'm <- BTm(player1 = winner, player2 = loser, formula = ~ prev.wins.2 + ch.res[ID] + prop.main[ID], id = "ID", data = chameleons)',
              "estimates(m)", again=True,
            ours=Ours(own.CHAMELEONS + 'fit = fit_bradley_terry(table, formula="prev.wins.2 + ch.res + prop.main")',
                      lambda n: named(n["fit"], {"prev.wins.2": "prev.wins.2", "ch.res[ID]": "ch.res", "prop.main[ID]": "prop.main"}), "chameleons")),
        _defect("self", "Players paired with themselves", "The vignette says that such rows are discarded. They stay, with probability 1/2: deviance and df are wrong.", "Such a row is an error that names it.",
            "m <- BTm(cbind(win, loss), one, two, data = rbind(d, data.frame(one = factor(c('A', 'B'), p), two = factor(c('A', 'B'), p), win = c(5, 9), loss = c(1, 2))))",
              """without <- BTm(cbind(win, loss), one, two, data = d)
c(named(coef(m), names(coef(m)), "with, "), "with, deviance" = deviance(m), "with, df" = df.residual(m), named(coef(without), names(coef(m)), "without, "), "without, deviance" = deviance(without), "without, df" = df.residual(without))""", R_THREE,
            ours=Ours(_THREE + """pairproof.read({"first": rows["first"] + ["A"], "second": rows["second"] + ["A"], "wins": rows["wins"] + [5],
                "losses": rows["losses"] + [1]})""")),
        _defect("two-players", "Two players", "`BTabilities` stops.", "One difference is estimated.",
            "BTabilities(BTm(cbind(win, loss), one, two, data = data.frame(one = factor('A', c('A', 'B')), two = factor('B', c('A', 'B')), win = 6, loss = 4)))",
              "abilities(BTabilities(BTm(cbind(win, loss), one, two, data = data.frame(one = factor('A', c('A', 'B')), two = factor('B', c('A', 'B')), win = 6, loss = 4))))", failing=True,
            ours=Ours('fit = fit_bradley_terry(pairproof.read({"first": ["A"], "second": ["B"], "wins": [6], "losses": [4]}))', _fit)),
    ),
    "bradleyterry2-defects-silent": (
        _defect("separated", "A player that won everything", "R prints where its iteration stopped, with `converged` TRUE and no warning.",
            "The likelihood has no maximum: whether one exists is decided from the contests themselves, not from where a solver stops.",
            R_FIT.format(more="") + "summary(m)", 'c(estimates(m), "converged" = m$converged)', R_WINNER,
            ours=Ours(_WINNER + "fit = fit_bradley_terry(table)", _fit)),
        _defect("separated-br", "The same with reduced bias", "brglm stops at a change of 1e-8, which leaves 6 to 7 digits, and warns at every step of counts that are not whole, which are its own.",
            "The root of the modified score; R taken further has the same digits.",
            R_FIT.format(more=", br = TRUE") + "summary(m)", "estimates(m)", R_WINNER, again=True, needs=BR,
            ours=Ours('fit = fit_bradley_terry(table, reduce_bias="mean")', _fit, unseen=_WINNER)),
        _defect("components", "Players that never met", "A and B met, and C and D did; R prints C - D as if it were C - A, and NA for D.", "C against D is estimable, and asked for; C against A is not.",
            R_FIT.format(more="") + "summary(m)", 'c(named(coef(m), names(coef(m))), "standard error of ..C" = summary(m)$coefficients["..C", 2])', R_BOTH,
            ours=Ours(_BOTH + 'fit = fit_bradley_terry(table)\nfit.contrast("C", "D").estimate', lambda n: _fit(n) | {"C - D": n["fit"].contrast("C", "D").estimate})),
        _defect("flatlizards-components", "The example of the help page itself",
            "The help page's first model is of four groups of lizards that never met. Three lizards are NA, and the numbers of the other four of the small groups are differences from them, printed as if they were from the reference.",
            "All seven cannot be compared with the reference; differences within a group can be asked for.",
            "m <- BTm(1, winner, loser, data = flatlizards$contests, br = TRUE)\nnames(which(is.na(coef(m))))",
              'b <- coef(m); c("estimates" = sum(!is.na(b)), "not estimated" = sum(is.na(b)), "..lizard053" = b[["..lizard053"]], "..lizard024" = b[["..lizard024"]])', needs=BR,
            ours=Ours(own.LIZARDS + 'fit = fit_bradley_terry(table, reduce_bias="mean")\nfit.contrast("lizard024", "lizard053").estimate',
                      lambda n: {"estimates": float(n["fit"].params.notna().sum() - 1), "not estimated": float(n["fit"].params.isna().sum()), "024 - 053": n["fit"].contrast("lizard024", "lizard053").estimate}, "flatlizards")),
        _defect("unused-reference", "A reference without contests", "The first level is 0, whether or not it played; another player, who has data, becomes NA.", "Differences among those that played are estimated.",
            """q <- c("X", "A", "B", "C")
d$one <- factor(d$one, q)
d$two <- factor(d$two, q)
BTabilities(BTm(cbind(win, loss), one, two, data = d))""", "abilities(BTabilities(BTm(cbind(win, loss), one, two, data = d)))", R_THREE,
            ours=Ours('table = pairproof.read(rows, items=["X", "A", "B", "C"])\nfit = fit_bradley_terry(table)\nfit.contrast("A", "C").estimate',
                      lambda n: {"A - C": n["fit"].contrast("A", "C").estimate}, unseen=_THREE)),
        _defect("separate-unknown", "separate.ability of an unknown player", "It is ignored.", "It is an error.",
            'x <- data.frame(x = c(0, 1, 3))\nBTm(cbind(win, loss), one, two, ~ x[..], separate.ability = "Z", data = list(d, x))',
              'coef(BTm(cbind(win, loss), one, two, ~ x[..], separate.ability = "Z", data = list(d, x)))', R_THREE,
            ours=Ours('table = pairproof.read(rows, item_data={"item": ["A", "B", "C"], "x": [0, 1, 3]})\nfit_bradley_terry(table, formula="x", separate=["Z"])', unseen=_THREE)),
        _defect("contest-main", "A covariate of the contest alone", "Its coefficient is NA, as it cancels.", "It is left out, and said why.",
            "d$home <- c(1, 2, 3)\nBTm(cbind(win, loss), one, two, ~ .. + home, data = d)", "b <- coef(BTm(cbind(win, loss), one, two, ~ .. + home, data = d)); named(b, names(b))", R_THREE,
            ours=Ours('table = pairproof.read({**rows, "home": [1, 2, 3]})\nfit = fit_bradley_terry(table, formula="item + home")', _fit, unseen=_THREE)),
        _defect("epsilon", "A tight epsilon and aliased columns", "`epsilon` also sets the tolerance of the rank: with 1e-12 aliased columns of `table6.model` are taken for columns of their own.",
            "Terms that determine each other are refused before the fit; the stopping rule has nothing to do with the rank.",
            "update(table6.model, control = list(epsilon = 1e-12))",
              """b <- coef(table6.model); e <- coef(update(table6.model, control = list(epsilon = 1e-12)))
c("default, aliased" = sum(is.na(b)), "default, largest coefficient" = max(abs(b), na.rm = TRUE), "epsilon 1e-12, aliased" = sum(is.na(e)), "epsilon 1e-12, largest coefficient" = max(abs(e), na.rm = TRUE))""", R_TABLE6,
            ours=Ours('fit_bradley_terry(table, formula="item + Paris")', data="CEMS", unseen=own.CEMS)),
        _defect("not-square", "countsToBinomial of a matrix that is not square", "It gives a table without rows.", "It is an error.",
            "countsToBinomial(matrix(1:6, 2, dimnames = list(c('A', 'B'), c('A', 'B', 'C'))))", 'c("rows" = nrow(countsToBinomial(matrix(1:6, 2, dimnames = list(c("A", "B"), c("A", "B", "C"))))))',
            ours=Ours('pairproof.read(pd.DataFrame([[1, 3, 5], [2, 4, 6]], index=["A", "B"], columns=["A", "B", "C"]), layout="matrix", winner="rows")')),
        _defect("maxiter", "Penalised quasi-likelihood that did not converge", "`converged` is FALSE, and there is no warning.", "The iteration is accelerated and ends at its fixed point, or in an error.",
            "m <- BTm(1, winner, loser, ~ SVL[..] + (1 | ..), data = flatlizards, maxiter = 2)\nm$converged", 'c("converged" = m$converged, "sigma" = m$sigma)',
            ours=Ours(own.LIZARDS + 'fit = fit_bradley_terry(table, formula="SVL + (1 | item)", method="pql")', lambda n: {"sigma": n["fit"].sigma}, "flatlizards")),
        _defect("btmodel-separated", "psychotools: btmodel of separated data", "btmodel suppresses all warnings of glm.", "As above.",
            "bt <- btmodel(paircomp(rbind(c(1, 1, 1), c(1, 1, -1), c(1, 1, 1), c(1, 1, -1), c(1, 1, 1))))\nsummary(bt)", "estimates(bt)", needs=("psychotools",),
            ours=Ours("""answers = pd.DataFrame([[1, 1, 1], [1, 1, -1], [1, 1, 1], [1, 1, -1], [1, 1, 1]])
table = pairproof.read(answers, layout="prefmod", items=["a", "b", "c"], pair_order="prefmod", coding={"first": 1, "second": -1})
fit = fit_bradley_terry(table, reference="c")""", lambda n: named(n["fit"], items(n["fit"])))),
        _defect("btmodel-deviance", "psychotools: the deviance of a btmodel", "`deviance` is minus twice the log-likelihood, and no measure of fit.", "The deviance is against the saturated model, here 0: every pair is fitted as it is.",
            "bt <- btmodel(pc)\ndeviance(bt)", 'c("deviance" = deviance(bt), "-2 log-likelihood" = -2 * as.numeric(logLik(bt)))',
              "pc <- paircomp(rbind(c(1, 1, 1), c(1, 1, -1), c(1, -1, -1), c(-1, 1, 1)))", needs=("psychotools",),
            ours=Ours("""answers = pd.DataFrame([[1, 1, 1], [1, 1, -1], [1, -1, -1], [-1, 1, 1]])
table = pairproof.read(answers, layout="prefmod", items=["a", "b", "c"], pair_order="prefmod", coding={"first": 1, "second": -1})
fit = fit_bradley_terry(table, reference="c")""", lambda n: {"deviance": n["fit"].deviance, "-2 log-likelihood": -2 * n["fit"].llf})),
    ),
    "bradleyterry2-defects-random": (
        _defect("undecided-scores", "psychotree: undecided comparisons that were to be left out",
            "With `undecided = FALSE` the model leaves undecided comparisons out, but its scores count each as half a win: at R's own estimates they do not sum to 0, and `bttree` tests whether they change with a covariate. It splits too often.",
            "They are left out of the scores, too; R has the same statistic where these comparisons are missing.",
            """tree <- bttree(y ~ group, data = d, undecided = FALSE, alpha = 1e-9)
sctest(tree, node = 1)["statistic", "group"]
b <- answers
b[b == 0] <- NA
d$z <- paircomp(b, labels = c("a", "b", "c"), mscale = c(-1, 1))
sctest(bttree(z ~ group, data = d, alpha = 1e-9), node = 1)["statistic", "group"]
colSums(estfun(btmodel(d$y, undecided = FALSE)))""",
              """b <- answers
b[b == 0] <- NA
d$z <- paircomp(b, labels = c("a", "b", "c"), mscale = c(-1, 1))
c("group, statistic" = sctest(bttree(y ~ group, data = d, undecided = FALSE, alpha = 1e-9), node = 1)["statistic", "group"],
  "group, statistic, undecided as missing" = sctest(bttree(z ~ group, data = d, alpha = 1e-9), node = 1)["statistic", "group"],
  "sum of the scores of a" = colSums(sandwich::estfun(btmodel(d$y, undecided = FALSE)))[["a"]])""",
              """k <- 0:23
answers <- cbind(c(1, 0, -1, 1)[k %% 4 + 1], c(1, 1, 0, -1, 0)[k %% 5 + 1], c(0, 1, -1)[k %% 3 + 1])
d <- data.frame(group = factor(rep(c("x", "y"), c(14, 10))))
d$y <- paircomp(answers, labels = c("a", "b", "c"))
""", needs=("psychotree", "strucchange", "sandwich"),
            ours=Ours("""k = range(24)
answers = pd.DataFrame({"a:b": [(1, 0, -1, 1)[i % 4] for i in k], "a:c": [(1, 1, 0, -1, 0)[i % 5] for i in k],
                        "b:c": [(0, 1, -1)[i % 3] for i in k], "group": ["x"] * 14 + ["y"] * 10})
persons = pairproof.read_respondents(answers, "pairs", items=["a", "b", "c"], pair_order="prefmod",
                                     coding={"first": 1, "tie": 0, "second": -1})
tree = pairproof.fit_tree(persons, ["group"], ties="drop", alpha=1e-9)
tree.tests()""", lambda n: {"group, statistic": float(n["tree"].tests()["statistic"][0])})),
        _defect("bttree-order", "psychotree: a test that depends on the order of the rows",
            "Where persons have equal values of a numeric covariate, `bttree` takes the maximum over every row: another order of the same persons has another statistic. Its p is interpolated from a table of Hansen (1997).",
            "Equal values are never taken apart, and p is of the places between distinct values ([trees](trees.md)).",
            """tree <- bttree(preference ~ ., data = Topmodel2007, minsize = 5, ref = "Barbara")
turned <- bttree(preference ~ ., data = Topmodel2007[192:1, ], minsize = 5, ref = "Barbara")
sctest(tree, node = 1)["statistic", "age"]
sctest(turned, node = 1)["statistic", "age"]""",
              'c("age, statistic" = sctest(tree, node = 1)["statistic", "age"], "age, statistic, rows turned round" = sctest(turned, node = 1)["statistic", "age"], "age, p" = sctest(tree, node = 1)["p.value", "age"])',
              'data("Topmodel2007", package = "psychotree")\n', needs=("psychotree", "strucchange"),
            ours=Ours("""items = ["Barbara", "Anni", "Hana", "Fiona", "Mandy", "Anja"]
persons, turned = (pairproof.read_respondents(table, "pairs", items=items, pair_order="prefmod", coding={"first": 1, "second": -1},
                                              levels={"gender": ["male", "female"], **{q: ["yes", "no"] for q in ("q1", "q2", "q3")}})
                   for table in (data, data.iloc[::-1]))
tree, other = (pairproof.fit_tree(of, minimum=5, reference="Barbara") for of in (persons, turned))
tree.tests(), other.tests()""", _row_order, "Topmodel2007", package="psychotree")),
        _defect("sigma-wald", "A Wald test of sigma", "`summary` divides sigma by its standard error, and takes its p from the normal distribution: on the boundary that is not its distribution, and penalised quasi-likelihood has no likelihood to test with.",
            "Twice the gain in log-likelihood over sigma = 0, which is 0 or chi-square with one degree of freedom, half and half (Self and Liang 1987): p is .0066 by Laplace's approximation and .0064 by quadrature, a tenth of R's and less.",
            "m <- BTm(cbind(win, loss), one, two, ~ x[..] + (1 | ..), data = list(d, x))\nsummary(m)",
              's <- summary(m)$ranef; c(estimates(m), sigma(m), "z of sigma" = s[1, 3], "p of sigma" = s[1, 4])', R_FOUR_PLAYERS, again=True,
            ours=Ours(_FOUR_PLAYERS + 'fit = fit_bradley_terry(table, formula="x + (1 | item)")\nfit.p_sigma', _laplace)),
        _defect("sigma-start", "A sigma that the data do not determine", "Two of four players have no covariate, and so abilities of their own: what is left fits exactly, whatever sigma. It stays at its start, .1, with a standard error of 8e15 and `converged` TRUE.",
            "Nothing is left for sigma to explain, so it is 0.",
            "m <- BTm(cbind(win, loss), one, two, ~ x[..] + (1 | ..), data = list(d, data.frame(x = c(0, 1, NA, NA))))\nsummary(m)",
              'c(estimates(m), sigma(m), "converged" = m$converged)', R_FOUR_PLAYERS,
            ours=Ours(_FOUR_PLAYERS.replace("[0, 1, 2, 4]", "[0, 1, None, None]") + 'fit = fit_bradley_terry(table, formula="x + (1 | item)", method="pql")', lambda n: named(n["fit"], {"..3": "3", "..4": "4", "x[..]": "x"}) | sigma(n["fit"]))),
        _defect("pql", "Penalised quasi-likelihood is biased", "One hundred simulated sets of 40 players and 400 single contests, sigma 1, and of 77 players and 100 contests as in `flatlizards`, sigma 1.1; beta .7. BradleyTerry2's numbers are those of `method=\"pql\"`, which share 14 digits with R's ([examples](bradleyterry2-to-pairproof.md)).",
            "With single wins and losses the working model takes the random effects for noise. Laplace's approximation is the default; with as few contests as `flatlizards` has it is low, too, and no method is exact.",
            ours=Ours("""found = {}
for players, contests, sigma in ((40, 400, 1.0), (77, 100, 1.1)):
    for seed in range(100):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=players)
        ability = 0.7 * x + sigma * rng.normal(size=players)
        pairs = np.array([rng.choice(players, 2, replace=False) for _ in range(contests)])
        won = rng.random(contests) < 1 / (1 + np.exp(ability[pairs[:, 1]] - ability[pairs[:, 0]]))
        table = pairproof.Comparisons.build([f"player {k}" for k in range(players)], pairs[:, 0], pairs[:, 1], won, None, ~won,
                                            item_data={"x": x})
        for method in ("pql", "laplace"):
            fit = fit_bradley_terry(table, formula="x + (1 | item)", method=method)
            found.setdefault((players, sigma, method), []).append([fit.sigma, fit.params["x"]])""", _simulated)),
        _defect("glmer", "Where glmer's search stops, and what sigma means there",
            "The marginal likelihood of `flatlizards` by lme4, given \u201cwinner minus loser\u201d by hand. The search stops with 4 digits of the sigma at the maximum.",
            "There is a maximum of Laplace's approximation, but the wins have no cycle: the likelihood itself only bounds sigma from below, and the fit says so. Penalised quasi-likelihood's 1.126 lies below that bound.",
            """library(lme4)    # the modules of glmer, with "winner minus loser" in the place of its random effects
gf <- glFormula(y ~ 0 + x + (1 | g), data = list(y = y, x = x, g = factor(rep_len(1:K, N), levels = 1:K)), family = binomial(), weights = rep(1, N), control = anything)
terms <- gf$reTrms
terms$Zt <- as(t(Z), "dgCMatrix")
terms$Ztlist <- list(terms$Zt)
terms$Lambdat <- as(Matrix::Diagonal(K), "dgCMatrix")
terms$Lind <- rep(1L, K)
terms$theta <- 1
terms$lower <- 0
terms$Gp <- c(0L, K)
terms$flist <- structure(list(g = factor(rep_len(1:K, N), levels = 1:K)), assign = 1L)
terms$nl <- c(g = K)
f <- mkGlmerDevfun(gf$fr, gf$X, terms, family = binomial(), control = glmerControl(tolPwrss = 1e-13))
first <- optimizeGlmer(f)
f <- updateGlmerDevfun(f, terms)
best <- optimizeGlmer(f, stage = 2, optimizer = "bobyqa", control = list(rhobeg = .1, rhoend = 1e-9))""",
              'c("sigma" = best$par[1], "SVL" = best$par[2], "-2 log L" = best$fval)', """K <- 77L; N <- 100L
i <- as.integer(flatlizards$contests$winner); j <- as.integer(flatlizards$contests$loser)
turn <- rep(c(1, -1), 50)
Z <- matrix(0, N, K); Z[cbind(1:N, i)] <- turn; Z[cbind(1:N, j)] <- -turn
svl <- flatlizards$predictors$SVL; x <- matrix(turn * (svl[i] - svl[j])); y <- (turn + 1) / 2
anything <- lme4::glmerControl(check.nobs.vs.nlev = "ignore", check.nobs.vs.nRE = "ignore", check.nlev.gtr.1 = "ignore")
""", needs=("BradleyTerry2", "lme4"),
            ours=Ours(own.LIZARDS + 'fit = fit_bradley_terry(table, formula="SVL + (1 | item)")', lambda n: {
                      "sigma": n["fit"].sigma, "SVL": float(n["fit"].params["SVL"]), "-2 log L": -2 * n["fit"].llf}, "flatlizards")),
        _defect("brglm-stop", "Where brglm stops", "77 lizards, most of them with one or two contests: the default leaves 3 to 6 digits.", "The root; the 25-digit values are of Newton's method in 40 digits.",
            "BTm(result, winner, loser, br = TRUE, data = flatlizards$contests)", "estimates(BTmodel)[c(1:4, 6:10)]",
              "result <- rep(1, nrow(flatlizards$contests))\nBTmodel <- BTm(result, winner, loser, br = TRUE, data = flatlizards$contests)", again=True, needs=BR,
            ours=Ours('fit = fit_bradley_terry(table, reduce_bias="mean")',
                      lambda n: {f"..{k}": float(n["fit"].params[k]) for k in n["fit"].items[1:11] if k != "lizard011"}, "flatlizards", own.LIZARDS)),
    ),
}  # fmt: skip
#: By name.
DEFECTS: Mapping[str, Defect] = {d.name: d for of in SECTIONS.values() for d in of}
#: Cases whose 25-digit values are kept.
EXACT = {"vcov": "chameleons: chameleon.model", "brglm-stop": "flatlizards: BTmodel"}

#: Input that is not right: title -> R's code, pairproof's.
AWKWARD: Mapping[str, tuple[str, str]] = {
    "a reference that is no player": ('coef(BTm(cbind(win, loss), one, two, refcat = "Z", data = d))',
        _THREE + 'fit_bradley_terry(pairproof.read(rows), reference="Z")'),
    "a negative count": ("coef(BTm(cbind(c(-6, 8, 5), loss), one, two, data = d))",
        _THREE + 'pairproof.read({**rows, "wins": [-6, 8, 5]})'),
    "an outcome of 2": ("coef(BTm(c(2, 1, 0), one, two, data = d))",
        'pairproof.read({"first": ["A"], "second": ["B"], "wins": [2], "losses": [-1]})'),
    "negative weights": ("coef(BTm(cbind(win, loss), one, two, data = d, weights = c(-1, 1, 1)))",
        _THREE + "fit_bradley_terry(pairproof.read(rows), weights=[-1.0, 1, 1])"),
    "a covariate table that is too short": ("coef(BTm(cbind(win, loss), one, two, ~ x[..] + (1 | ..), data = list(d, data.frame(x = c(0, 1)))))",
        _THREE + 'pairproof.read(rows, item_data={"item": ["A", "B"], "x": [0, 1]})'),
    "players as text, with other levels": ("coef(BTm(cbind(win, loss), as.character(one), as.character(two), data = d))",
        _THREE + "fit = fit_bradley_terry(pairproof.read(rows))"),
    "an effect of the judge alone": ("d$judge <- gl(3, 1); coef(BTm(cbind(win, loss), one, two, ~ .. + (1 | judge), data = d))",
        _THREE + 'fit_bradley_terry(pairproof.read({**rows, "judge": ["J1", "J2", "J3"]}), random="judge")'),
    "a pair that was never played (0:0)": ("coef(BTm(cbind(c(6, 8, 0), c(4, 2, 0)), one, two, data = d))",
        'fit = fit_bradley_terry(pairproof.read({"first": list("AAB"), "second": list("BCC"), "wins": [6, 8, 0], "losses": [4, 2, 0]}))'),
}  # fmt: skip


def awkward_in_r(title: str) -> Example:
    """What R is asked of input that is not right."""
    name = title.split("(")[0].strip().replace(" ", "-").replace(",", "")
    code = AWKWARD[title][0]
    return Example(f"defect-awkward-{name}", "", code, f"{{ {code} }}", R_THREE, again=False, failing=True)


KEPT = "bradleyterry2_defects"


def computed(only: Sequence[str] = ()) -> dict[str, Any]:
    """pairproof's answers to all of them, or to those of `only`."""
    cases = {name: d.example.ours for name, d in DEFECTS.items()}
    cases |= {title: Ours(code) for title, (_, code) in AWKWARD.items()}
    return {name: answer(ours) for name, ours in cases.items() if not only or name in only}


@lru_cache(maxsize=1)
def kept() -> Mapping[str, Any]:
    """What is kept, numbers as numbers."""
    found: dict[str, Any] = read(KEPT)
    for of in found.values():
        of["numbers"] = {q: float(v) for q, v in of.get("numbers", {}).items()}
    return found


def section(defect: Defect) -> str:
    """One situation: both calls, both answers, and why."""
    c, ours = defect.example, kept()[defect.name]
    r = r_numbers(c) if c.code else None
    said = defect.happens
    if r is not None:
        warned = "; ".join(f"\u201c{w}\u201d" for w in r.warnings)
        said += (
            f" R stops: \u201c{r.error}\u201d."
            if r.error
            else f" R warns{f': {warned}' if warned else ' of nothing'}."
        )
    parts = [f"### {defect.title}", ""]
    parts += [f"```r\n{_lines(c.unseen, c.code)}\n```", ""] if r else []
    parts += [said, "", f"```text\n{_lines(c.ours.unseen, c.ours.code)}\n```", ""]
    table = _table(defect.name, r.default if r else {}, r.tight if r else {}, ours["numbers"])
    parts += [table] if table else []
    parts += [f"pairproof: {ours['error']}.", ""] if "error" in ours else []
    for text in ours.get("said", ()):
        parts += [f"The fit says: \u201c{text}\u201d.", ""]
    return "\n".join([*parts, defect.why, ""])


def _lines(*codes: str) -> str:
    return "\n".join(code.strip() for code in codes if code.strip())


def _table(
    name: str, default: Mapping[str, float], further: Mapping[str, float], ours: Mapping[str, float]
) -> str:
    exact = bradleyterry2_exact.kept()[EXACT[name]] if name in EXACT else {}
    quantities = list(dict.fromkeys([*default, *ours]))
    if not quantities:
        return ""
    sides = (("R", default), ("R, taken further", further), ("pairproof", ours))
    return columns(
        ("", quantities),
        *((head, [cell(of.get(q)) for q in quantities if of]) for head, of in sides),
        ("25-digit value", [exact.get(q, "")[:24] for q in quantities if exact]),
    )


def awkward() -> str:
    """Input that is not right: what each says."""
    rows = []
    for title in AWKWARD:
        r, ours = r_numbers(awkward_in_r(title)), kept()[title]
        numbers = ", ".join(f"{q} {cell(v)}" for q, v in r.default.items())
        fits = ours.get("said") or ["is fitted" if r.error else "is fitted, as in R"]
        rows.append(
            (title, r.error or "; ".join([numbers, *r.warnings]), ours.get("error") or "; ".join(fits))
        )
    return "\n" + markdown(("", "R says", "pairproof says"), rows, right=9) + "\n"


def _block(name: str) -> Callable[[], str]:
    return lambda: block(section(d) for d in SECTIONS[name])


BLOCKS: Mapping[str, Callable[[], str]] = {
    **{name: _block(name) for name in SECTIONS},
    "bradleyterry2-defects-awkward": awkward,
}


if __name__ == "__main__":
    keep(KEPT, computed())
