"""The situations of docs/bradleyterry2-defects.md, as R is asked for them."""

from __future__ import annotations

from typing import Any

from .bradleyterry2_cases import BASEBALL, CITE, HOME, TABLE6
from .bradleyterry2_r import RCase

#: Four players, the first of whom wins everything.
WINNER = """p <- c("A", "B", "C", "D")
d <- data.frame(one = factor(p[c(1, 1, 1, 2, 2, 3)], p), two = factor(p[c(2, 3, 4, 3, 4, 4)], p), win = c(5, 5, 5, 3, 4, 2), loss = c(0, 0, 0, 2, 1, 3))
"""
BOTH = """p <- c("A", "B", "C", "D")
d <- data.frame(one = factor(p[c(1, 3)], p), two = factor(p[c(2, 4)], p), win = c(6, 3), loss = c(2, 5))
"""
THREE = """p <- c("A", "B", "C")
d <- data.frame(one = factor(p[c(1, 1, 2)], p), two = factor(p[c(2, 3, 3)], p), win = c(6, 8, 5), loss = c(4, 2, 5))
"""
FOUR = """d <- data.frame(one = factor(c(1, 1, 1, 2, 2, 3), 1:4), two = factor(c(2, 3, 4, 3, 4, 4), 1:4), win = c(3, 6, 1, 8, 2, 1))
d$loss <- 10 - d$win
x <- data.frame(x = c(0, 1, 2, 4))
"""
_FIT = "m <- BTm(cbind(win, loss), one, two, data = d{more})\n"
BR = ("BradleyTerry2", "brglm")


def _case(name: str, code: str, take: str, unseen: str = "", **more: Any) -> RCase:
    return RCase(f"defect-{name}", "", code, take, unseen=unseen, **{"again": False, **more})


DEFECTS: dict[str, RCase] = {
    c.name.removeprefix("defect-"): c
    for c in (
        _case("add1", 'add1(baseballModel1, ~ . + at.home, test = "Chisq")\nanova(baseballModel1, baseballModel2, test = "Chisq")',
              """a <- suppressWarnings(add1(baseballModel1, ~ . + at.home, test = "Chisq")); b <- anova(baseballModel1, baseballModel2, test = "Chisq")
c("add1, likelihood ratio" = a[2, "LRT"], "add1, df" = a[2, "Df"], "add1, p" = a[2, ncol(a)], "anova, likelihood ratio" = b[2, "Deviance"], "anova, df" = b[2, "Df"], "anova, p" = b[2, ncol(b)])""",
              BASEBALL + HOME + 'baseballModel1 <- BTm(cbind(home.wins, away.wins), home.team, away.team, formula = ~ team, data = baseball, id = "team")\n'),
        _case("add1-chameleons", "add1(m, ~ . + jl.res[ID] + tl.res[ID] + mass.res[ID])", """a <- as.data.frame(add1(m, ~ . + jl.res[ID] + tl.res[ID] + mass.res[ID], test = "Chisq"))
extra <- c("jl.res", "tl.res", "mass.res")
right <- sapply(extra, function(x) deviance(m) - deviance(BTm(player1 = winner, player2 = loser, formula = as.formula(paste0("~ prev.wins.2 + ch.res[ID] + prop.main[ID] + ", x, "[ID]")), id = "ID", data = chameleons)))
c(named(a[-1, "LRT"], extra, "add1, "), named(right, extra, "two fits, "))""",
              'm <- BTm(player1 = winner, player2 = loser, formula = ~ prev.wins.2 + ch.res[ID] + prop.main[ID], id = "ID", data = chameleons)'),
        _case("subset", 'BTm(cbind(win1, win2), journal1, journal2, data = citations.sf, subset = 1:4)\nBTm(cbind(win1, win2), journal1, journal2, data = citations.sf, subset = 1:6 <= 4)',
              """once <- BTm(cbind(win1, win2), journal1, journal2, data = citations.sf, subset = 1:6 <= 4)
twice <- BTm(cbind(win1, win2), journal1, journal2, data = citations.sf, subset = 1:4)
c(named(estimates(twice), names(estimates(twice)), "1:4, "), "1:4, deviance" = deviance(twice), "1:4, df" = df.residual(twice), named(estimates(once), names(estimates(once)), "logical, "), "logical, deviance" = deviance(once), "logical, df" = df.residual(once))""", CITE),
        _case("predict", """two <- c("Boston", "Detroit")
newdata <- list(home.team = data.frame(team = factor("Boston", two)), away.team = data.frame(team = factor("Detroit", two)))
predict(baseballModel1, newdata = newdata)""",
              """all <- levels(baseball$home.team); two <- c("Boston", "Detroit")
right <- list(home.team = data.frame(team = factor("Boston", all)), away.team = data.frame(team = factor("Detroit", all)))
c("levels in use" = predict(baseballModel1, newdata = newdata)[[1]], "all levels" = predict(baseballModel1, newdata = right)[[1]])""", BASEBALL),
        _case("row-order", """x <- data.frame(x = c(0, 1, 3), row.names = c("A", "B", "C"))
coef(BTm(cbind(win, loss), one, two, ~ x[..], data = list(d, x)))
coef(BTm(cbind(win, loss), one, two, ~ x[..], data = list(d, x[c("C", "B", "A"), , drop = FALSE])))""",
              """y <- x[c("C", "B", "A"), , drop = FALSE]
c("x in the order of the levels" = coef(BTm(cbind(win, loss), one, two, ~ x[..], data = list(d, x)))[[1]], "rows turned round" = coef(BTm(cbind(win, loss), one, two, ~ x[..], data = list(d, y)))[[1]])""", THREE),
        _case("separated", _FIT.format(more="") + "summary(m)", 'c(estimates(m), "converged" = m$converged)', WINNER),
        _case("separated-br", _FIT.format(more=", br = TRUE") + "summary(m)", "estimates(m)", WINNER, again=True, needs=BR),
        _case("components", _FIT.format(more="") + "summary(m)", 'c(named(coef(m), names(coef(m))), "standard error of ..C" = summary(m)$coefficients["..C", 2])', BOTH),
        _case("flatlizards-components", "m <- BTm(1, winner, loser, data = flatlizards$contests, br = TRUE)\nnames(which(is.na(coef(m))))",
              'b <- coef(m); c("estimates" = sum(!is.na(b)), "not estimated" = sum(is.na(b)), "..lizard053" = b[["..lizard053"]], "..lizard024" = b[["..lizard024"]])', needs=BR),
        _case("factor-outcome", """d <- data.frame(one = factor(c("A", "A", "B", "B", "A", "C", "C"), p), two = factor(c("B", "C", "C", "A", "B", "A", "B"), p),
  y = factor(c("win", "tie", "loss", "tie", "tie", "win", "loss"), c("loss", "tie", "win")))
m <- BTm(y, one, two, data = d)
m$y""", 'c(named(m$y, as.character(d$y), "y of "), estimates(m)[1:2])', 'p <- c("A", "B", "C")'),
        _case("random-subset", "BTm(1, winner, loser, ~ SVL[..] + (1 | ..), data = flatlizards, subset = 1:100 <= 80)",
              "coef(BTm(1, winner, loser, ~ SVL[..] + (1 | ..), data = flatlizards, subset = 1:100 <= 80))", failing=True),
        _case("random-only", "BTm(1, winner, loser, ~ (1 | ..), data = flatlizards)", "coef(BTm(1, winner, loser, ~ (1 | ..), data = flatlizards))", failing=True),
        _case("wide", """lab <- c("London", "Paris", "Milano", "St. Gallen", "Barcelona", "Stockholm")
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
""", needs=("BradleyTerry2", "prefmod")),
        _case("cems-pair", """pair <- subset(CEMS$preferences, school1 == "Barcelona" & school2 == "Stockholm")
colSums(pair[, c("win1", "tied", "win2")], na.rm = TRUE)
table(prefmod::cemspc[, 15])    # Barcelona (0) against Stockholm (2)""",
              """named(c(table(prefmod::cemspc[, 15]), colSums(pair[, c("win1", "tied", "win2")], na.rm = TRUE)), paste0(rep(c("cemspc, ", "CEMS, "), each = 3), rep(c("Barcelona", "no preference", "Stockholm"), 2)))""",
              needs=("BradleyTerry2", "prefmod")),
        _case("residuals", "lizModel2 <- BTm(1, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..] + (1 | ..), data = flatlizards)\nres.pearson <- round(residuals(lizModel2), 3)",
              'c("residuals(m)" = residuals(lizModel2)[[1]], "deviance residual" = residuals(lizModel2, "deviance")[[1]], "Pearson residual" = residuals(lizModel2, "pearson")[[1]])', again=True),
        _case("vcov", 'm <- BTm(player1 = winner, player2 = loser, formula = ~ prev.wins.2 + ch.res[ID] + prop.main[ID], id = "ID", data = chameleons)',
              "estimates(m)", again=True),
        _case("self", "m <- BTm(cbind(win, loss), one, two, data = rbind(d, data.frame(one = factor(c('A', 'B'), p), two = factor(c('A', 'B'), p), win = c(5, 9), loss = c(1, 2))))",
              """without <- BTm(cbind(win, loss), one, two, data = d)
c(named(coef(m), names(coef(m)), "with, "), "with, deviance" = deviance(m), "with, df" = df.residual(m), named(coef(without), names(coef(m)), "without, "), "without, deviance" = deviance(without), "without, df" = df.residual(without))""", THREE),
        _case("unused-reference", """q <- c("X", "A", "B", "C")
d$one <- factor(d$one, q)
d$two <- factor(d$two, q)
BTabilities(BTm(cbind(win, loss), one, two, data = d))""", "abilities(BTabilities(BTm(cbind(win, loss), one, two, data = d)))", THREE),
        _case("two-players", "BTabilities(BTm(cbind(win, loss), one, two, data = data.frame(one = factor('A', c('A', 'B')), two = factor('B', c('A', 'B')), win = 6, loss = 4)))",
              "abilities(BTabilities(BTm(cbind(win, loss), one, two, data = data.frame(one = factor('A', c('A', 'B')), two = factor('B', c('A', 'B')), win = 6, loss = 4))))", failing=True),
        _case("separate-unknown", 'x <- data.frame(x = c(0, 1, 3))\nBTm(cbind(win, loss), one, two, ~ x[..], separate.ability = "Z", data = list(d, x))',
              'coef(BTm(cbind(win, loss), one, two, ~ x[..], separate.ability = "Z", data = list(d, x)))', THREE),
        _case("contest-main", "d$home <- c(1, 2, 3)\nBTm(cbind(win, loss), one, two, ~ .. + home, data = d)", "b <- coef(BTm(cbind(win, loss), one, two, ~ .. + home, data = d)); named(b, names(b))", THREE),
        _case("epsilon", "update(table6.model, control = list(epsilon = 1e-12))",
              """b <- coef(table6.model); e <- coef(update(table6.model, control = list(epsilon = 1e-12)))
c("default, aliased" = sum(is.na(b)), "default, largest coefficient" = max(abs(b), na.rm = TRUE), "epsilon 1e-12, aliased" = sum(is.na(e)), "epsilon 1e-12, largest coefficient" = max(abs(e), na.rm = TRUE))""", TABLE6),
        _case("not-square", "countsToBinomial(matrix(1:6, 2, dimnames = list(c('A', 'B'), c('A', 'B', 'C'))))", 'c("rows" = nrow(countsToBinomial(matrix(1:6, 2, dimnames = list(c("A", "B"), c("A", "B", "C"))))))'),
        _case("maxiter", "m <- BTm(1, winner, loser, ~ SVL[..] + (1 | ..), data = flatlizards, maxiter = 2)\nm$converged", 'c("converged" = m$converged, "sigma" = m$sigma)'),
        _case("sigma-start", "m <- BTm(cbind(win, loss), one, two, ~ x[..] + (1 | ..), data = list(d, data.frame(x = c(0, 1, NA, NA))))\nsummary(m)",
              'c(estimates(m), sigma(m), "converged" = m$converged)', FOUR),
        _case("sigma-wald", "m <- BTm(cbind(win, loss), one, two, ~ x[..] + (1 | ..), data = list(d, x))\nsummary(m)",
              's <- summary(m)$ranef; c(estimates(m), sigma(m), "z of sigma" = s[1, 3], "p of sigma" = s[1, 4])', FOUR, again=True),
        _case("glmer", """library(lme4)    # the modules of glmer, with "winner minus loser" in the place of its random effects
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
""", needs=("BradleyTerry2", "lme4")),
        _case("brglm-stop", "BTm(result, winner, loser, br = TRUE, data = flatlizards$contests)", "estimates(BTmodel)[c(1:4, 6:10)]",
              "result <- rep(1, nrow(flatlizards$contests))\nBTmodel <- BTm(result, winner, loser, br = TRUE, data = flatlizards$contests)", again=True, needs=BR),
        _case("btmodel-separated", "bt <- btmodel(paircomp(rbind(c(1, 1, 1), c(1, 1, -1), c(1, 1, 1), c(1, 1, -1), c(1, 1, 1))))\nsummary(bt)", "estimates(bt)", needs=("psychotools",)),
        _case("btmodel-deviance", "bt <- btmodel(pc)\ndeviance(bt)", 'c("deviance" = deviance(bt), "-2 log-likelihood" = -2 * as.numeric(logLik(bt)))',
              "pc <- paircomp(rbind(c(1, 1, 1), c(1, 1, -1), c(1, -1, -1), c(-1, 1, 1)))", needs=("psychotools",)),
        _case("bttree-order", """tree <- bttree(preference ~ ., data = Topmodel2007, minsize = 5, ref = "Barbara")
turned <- bttree(preference ~ ., data = Topmodel2007[192:1, ], minsize = 5, ref = "Barbara")
sctest(tree, node = 1)["statistic", "age"]
sctest(turned, node = 1)["statistic", "age"]""",
              'c("age, statistic" = sctest(tree, node = 1)["statistic", "age"], "age, statistic, rows turned round" = sctest(turned, node = 1)["statistic", "age"], "age, p" = sctest(tree, node = 1)["p.value", "age"])',
              'data("Topmodel2007", package = "psychotree")\n', needs=("psychotree", "strucchange")),
    )
}  # fmt: skip

#: Input that is not right: title -> what R does.
AWKWARD_R: dict[str, RCase] = {
    title: _case(
        "awkward-" + title.split("(")[0].strip().replace(" ", "-").replace(",", ""),
        code,
        f"{{ {code} }}",
        THREE,
        failing=True,
    )
    for title, code in {
        "a reference that is no player": 'coef(BTm(cbind(win, loss), one, two, refcat = "Z", data = d))',
        "a negative count": "coef(BTm(cbind(c(-6, 8, 5), loss), one, two, data = d))",
        "an outcome of 2": "coef(BTm(c(2, 1, 0), one, two, data = d))",
        "negative weights": "coef(BTm(cbind(win, loss), one, two, data = d, weights = c(-1, 1, 1)))",
        "a covariate table that is too short": "coef(BTm(cbind(win, loss), one, two, ~ x[..] + (1 | ..), data = list(d, data.frame(x = c(0, 1)))))",
        "players as text, with other levels": "coef(BTm(cbind(win, loss), as.character(one), as.character(two), data = d))",
        "an effect of the judge alone": "d$judge <- gl(3, 1); coef(BTm(cbind(win, loss), one, two, ~ .. + (1 | judge), data = d))",
        "a pair that was never played (0:0)": "coef(BTm(cbind(c(6, 8, 0), c(4, 2, 0)), one, two, data = d))",
    }.items()
}
