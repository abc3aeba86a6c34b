"""The examples of BradleyTerry2's help pages, and of its vignette, as they are typed there."""

from __future__ import annotations

from .bradleyterry2_r import RCase

CITATIONS = """citations.sf <- countsToBinomial(citations)
names(citations.sf)[1:2] <- c("journal1", "journal2")
"""
CITE = CITATIONS + "citeModel <- BTm(cbind(win1, win2), journal1, journal2, data = citations.sf)\n"
BASEBALL = """data(baseball)
baseballModel1 <- BTm(cbind(home.wins, away.wins), home.team, away.team, data = baseball, id = "team")
"""
HOME = """baseball$home.team <- data.frame(team = baseball$home.team, at.home = 1)
baseball$away.team <- data.frame(team = baseball$away.team, at.home = 0)
baseballModel2 <- update(baseballModel1, formula = ~ team + at.home)
"""
RESULT = "result <- rep(1, nrow(flatlizards$contests))\n"
FOUR = "~ throat.PC1[..] + throat.PC3[..] + head.length[..] + SVL[..]"
TABLE6 = """table6.model <- BTm(outcome = cbind(win1.adj, win2.adj), player1 = school1, player2 = school2,
  formula = ~ .. + WOR[student] * Paris[..] + WOR[student] * Milano[..] + WOR[student] * Barcelona[..] +
    DEG[student] * St.Gallen[..] + STUD[student] * Paris[..] + STUD[student] * St.Gallen[..] +
    ENG[student] * St.Gallen[..] + FRA[student] * London[..] + FRA[student] * Paris[..] +
    SPA[student] * Barcelona[..] + ITA[student] * London[..] + ITA[student] * Milano[..] +
    SEX[student] * Milano[..],
  refcat = "Stockholm", data = CEMS)
"""
TABLE8 = TABLE6.replace("table6", "table8").replace(
    "WOR[student] * Paris[..] + WOR[student] * Milano[..] + WOR[student] * Barcelona[..] +",
    "WOR[student] * LAT[..] +",
)
STANDARD = """standardBT <- BTm(outcome = result, player1 = visitor, player2 = opponent, id = "team", data = icehockey)
"""
LEVEL = """levelBT <- BTm(result, data.frame(team = visitor, home.ice = 0), data.frame(team = opponent, home.ice = home.ice),
  ~ team + home.ice, id = "team", data = icehockey)
"""
RANKINGS = """rankings <- function(abilities) {
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
SEEDS = "seedsModel <- glmmPQL(cbind(r, n - r) ~ seed + extract, random = diag(nrow(seeds)), family = binomial, data = seeds)\n"
TRI = """football.tri <- expandCategorical({data}, "result", idvar = "match")
football.tri$at.home <- !logical(nrow(football.tri))
"""
SEASONS = 'season %in% c("2008-9", "2012-13")'
#: {name}, {terms}, {subset}.
DAVIDSON = """{name} <- gnm(count ~ GenDavidson(result == 1, result == 0, result == -1, home:season, away:season,
  home.adv = ~1, {terms}, at.home1 = at.home, at.home2 = !at.home) - 1,
  eliminate = match, family = poisson, data = football.tri{subset})
"""
GNM = ("BradleyTerry2", "gnm")
LM = """c("intercept" = coef({m})[[1]], "slope" = coef({m})[[2]])"""


def _davidson(name: str, *terms: str, subset: str = "") -> str:
    said = ", ".join(f"tie.{t} = ~1" for t in terms)
    return DAVIDSON.format(name=name, terms=said, subset=f",\n  subset = {subset}" if subset else "")


#: Contrasts of abilities within a season, and the parameters that have a meaning across seasons.
TAKE_FOOTBALL = """
with_se <- function(m) {{
  b <- coef(m)
  of <- setdiff(names(b)[!is.na(b)], names(b)[grepl(":", names(b))])
  c(named(b[of], of), {more} "deviance" = deviance(m))
}}
with_se({m})
"""

CASES: tuple[RCase, ...] = (
    RCase("countsToBinomial", "citations, countsToBinomial", CITATIONS,
          'unlist(lapply(1:6, function(k) named(citations.sf[k, 3:4], paste(citations.sf[k, 1:2][[1]], "-", citations.sf[k, 2], c("win1", "win2")))))',
          again=False),
    RCase("citations", "BTm, citations, BTabilities", CITE + "BTabilities(citeModel)",
          "c(estimates(citeModel), fitted(citeModel), abilities(BTabilities(citeModel)))"),
    RCase("citations-refcat", "BTm", 'citeModel2 <- update(citeModel, refcat = "JASA")\nBTabilities(citeModel2)',
          "abilities(BTabilities(citeModel2))", unseen=CITE),
    RCase("baseball", "BTm, baseball", BASEBALL, "c(estimates(baseballModel1), fitted(baseballModel1))"),
    RCase("baseball-home", "BTm, baseball, BTabilities", HOME + "BTabilities(baseballModel2)",
          "c(estimates(baseballModel2), fitted(baseballModel2), abilities(BTabilities(baseballModel2)))", unseen=BASEBALL),
    RCase("baseball-anova", "BTm, baseball", "anova(baseballModel1, baseballModel2)",
          'a <- anova(baseballModel1, baseballModel2); c("deviance of model 1" = a[1, 2], "df of model 1" = a[1, 1], "deviance of model 2" = a[2, 2], "df of model 2" = a[2, 1], "difference" = a[2, 4], "df of the difference" = a[2, 3])',
          unseen=BASEBALL + HOME),
    RCase("baseball-qvcalc", "qvcalc.BTabilities", "baseball.qv <- qvcalc(BTabilities(baseballModel2))\nprint(baseball.qv)",
          'q <- baseball.qv$qvframe; c(named(q$quasiSE, rownames(q), "quasi standard error of "), named(q$quasiVar, rownames(q), "quasi-variance of "))',
          unseen=BASEBALL + HOME),
    RCase("CEMS-table3", "CEMS", 'table3.model <- BTm(outcome = cbind(win1.adj, win2.adj), player1 = school1, player2 = school2,\n  formula = ~.., refcat = "Stockholm", data = CEMS)\ntable3 <- summary(table3.model)$coef[, 1:2] / 1.75\nprint(table3)',
          "c(estimates(table3.model, 1 / 1.75), fitted(table3.model)[1:2])"),
    RCase("CEMS-table6", "CEMS", TABLE6 + "table6 <- summary(table6.model)$coef[, 1:2] / 1.75\nprint(table6)",
          "c(estimates(table6.model, 1 / 1.75), fitted(table6.model)[1:2])"),
    RCase("CEMS-table8", "CEMS; vignette, section 3.3", TABLE8 + "table8 <- summary(table8.model)$coef[, 1:2] / 1.75\nprint(table8)",
          "c(estimates(table8.model, 1 / 1.75), fitted(table8.model)[1:2])"),
    RCase("GenDavidson-two-seasons", "football, GenDavidson, plotProportions",
          TRI.format(data="football") + _davidson("Davidson", "max", subset=SEASONS) + _davidson("shifScalDav", "max", "scale", "mode", subset=SEASONS),
          """c(named(coef(Davidson)[1:2], c("home.adv", "tie.max"), "Davidson, "), "Davidson, deviance" = deviance(Davidson), "Davidson, df" = df.residual(Davidson),
  named(coef(shifScalDav)[1:4], names(coef(shifScalDav))[1:4], "shifted and scaled, "), "shifted and scaled, deviance" = deviance(shifScalDav),
  "shifted and scaled, df" = df.residual(shifScalDav),
  "exp(home.adv)" = exp(coef(shifScalDav)[["home.adv"]]), "plogis(tie.max)" = plogis(coef(shifScalDav)[["tie.max"]]),
  "plogis(tie.mode)" = plogis(coef(shifScalDav)[["tie.mode"]]), "exp(tie.scale)" = exp(coef(shifScalDav)[["tie.scale"]]))""",
          unseen="set.seed(1)\n", needs=GNM),
    RCase("GenDavidson-five-seasons", "GenDavidson", TRI.format(data="football") + _davidson("Dav", "max") + _davidson("scalDav", "max", "scale")
          + _davidson("shifScalDav", "max", "scale", "mode") + 'anova(Dav, scalDav, shifScalDav, test = "Chisq")',
          """of <- list("Davidson" = Dav, "scaled" = scalDav, "shifted and scaled" = shifScalDav)
a <- anova(Dav, scalDav, shifScalDav, test = "Chisq")
c(unlist(lapply(names(of), function(k) {
    b <- coef(of[[k]]); b <- b[!grepl(":", names(b))]
    c(named(b, names(b), paste0(k, ", ")), named(c(deviance(of[[k]]), df.residual(of[[k]])), c("deviance", "df"), paste0(k, ", ")))
  })),
  named(a[2:3, "Deviance"], c("scaled", "shifted and scaled"), "likelihood ratio, "), named(a[2:3, "Df"], c("scaled", "shifted and scaled"), "df of the likelihood ratio, "),
  named(a[2:3, ncol(a)], c("scaled", "shifted and scaled"), "p of the likelihood ratio, "))""",
          unseen="set.seed(1)\n", again=False, needs=GNM),
    RCase("drop1-flatlizards", "add1.BTm", RESULT + "BTmodel1 <- BTm(result, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + (1 | ..),\n  data = flatlizards, tol = 1e-4, sigma = 2, trace = TRUE)\ndrop1(BTmodel1)",
          "d <- drop1(BTmodel1); c(estimates(BTmodel1), sigma(BTmodel1), cells(as.data.frame(d)))"),
    RCase("add1-flatlizards", "add1.BTm", 'add1(BTmodel1, ~ . + head.length[..] + SVL[..], test = "Chisq")',
          'cells(as.data.frame(add1(BTmodel1, ~ . + head.length[..] + SVL[..], test = "Chisq")))',
          unseen=RESULT + "BTmodel1 <- BTm(result, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + (1 | ..), data = flatlizards, tol = 1e-4, sigma = 2)"),
    RCase("drop1-flatlizards-head", "add1.BTm", 'BTmodel2 <- update(BTmodel1, formula = ~ . + head.length[..])\ndrop1(BTmodel2, test = "Chisq")',
          'c(estimates(BTmodel2), sigma(BTmodel2), cells(as.data.frame(drop1(BTmodel2, test = "Chisq"))))',
          unseen=RESULT + "BTmodel1 <- BTm(result, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + (1 | ..), data = flatlizards, tol = 1e-4, sigma = 2)"),
    RCase("anova-flatlizards", "anova.BTm", RESULT + "BTmodel <- BTm(result, winner, loser, ~ throat.PC1[..] + throat.PC3[..] + head.length[..] + (1 | ..),\n  data = flatlizards, trace = TRUE)\nanova(BTmodel)",
          "c(estimates(BTmodel), sigma(BTmodel), cells(as.data.frame(anova(BTmodel))))"),
    RCase("chameleons", "chameleons", 'summary(chameleon.model <- BTm(player1 = winner, player2 = loser,\n  formula = ~ prev.wins.2 + ch.res[ID] + prop.main[ID] + (1 | ID), id = "ID", data = chameleons))\nhead(BTabilities(chameleon.model))',
          "c(estimates(chameleon.model), fitted(chameleon.model), abilities(head(BTabilities(chameleon.model))))"),
    RCase("chameleons-add1", "chameleons", "add1(chameleon.model, ~ . + jl.res[ID] + tl.res[ID] + mass.res[ID] + SVL[ID] + prop.patch[ID])",
          "cells(as.data.frame(add1(chameleon.model, ~ . + jl.res[ID] + tl.res[ID] + mass.res[ID] + SVL[ID] + prop.patch[ID])))",
          unseen='chameleon.model <- BTm(player1 = winner, player2 = loser, formula = ~ prev.wins.2 + ch.res[ID] + prop.main[ID] + (1 | ID), id = "ID", data = chameleons)'),
    RCase("flatlizards-br", "flatlizards", RESULT + "BTmodel <- BTm(result, winner, loser, br = TRUE, data = flatlizards$contests)\nsummary(BTmodel)",
          'c(estimates(BTmodel), "deviance" = deviance(BTmodel), "penalized deviance" = BTmodel$penalized.deviance)'),
    RCase("flatlizards-ml", "flatlizards", RESULT + f"Whiting.model <- BTm(result, winner, loser, {FOUR}, data = flatlizards)\nsummary(Whiting.model)",
          "c(estimates(Whiting.model), fitted(Whiting.model))"),
    RCase("flatlizards-pql-0", "flatlizards", f"Whiting.model <- BTm(result, winner, loser, {FOUR} + (1 | ..),\n  sigma = 0, sigma.fixed = TRUE, data = flatlizards)\nsummary(Whiting.model)",
          "estimates(Whiting.model)", unseen=RESULT),
    RCase("flatlizards-pql", "flatlizards", f"Whiting.model2 <- BTm(result, winner, loser, {FOUR} + (1 | ..), data = flatlizards, trace = TRUE)\nsummary(Whiting.model2)",
          "c(estimates(Whiting.model2), sigma(Whiting.model2))", unseen=RESULT),
    RCase("flatlizards-probit", "flatlizards", f'Whiting.model3 <- BTm(result, winner, loser, {FOUR} + (1 | ..),\n  family = binomial(link = "probit"), data = flatlizards, trace = TRUE)\nsummary(Whiting.model3)\nBTabilities(Whiting.model3)',
          "c(estimates(Whiting.model3), sigma(Whiting.model3), abilities(BTabilities(Whiting.model3)))", unseen=RESULT),
    RCase("glmmPQL-control", "glmmPQL.control", RESULT + f"BTmodel <- BTm(result, winner, loser, {FOUR} + (1 | ..),\n  data = flatlizards, tol = 1e-3, trace = TRUE)\nsummary(BTmodel)",
          "c(estimates(BTmodel), sigma(BTmodel))"),
    RCase("seeds", "glmmPQL, seeds, predict.BTglmmPQL", SEEDS + 'summary(seedsModel)\npred <- predict(seedsModel, level = 0)\npredTerms <- predict(seedsModel, type = "terms")\nall.equal(pred, rowSums(predTerms) + attr(predTerms, "constant"))',
          'c(estimates(seedsModel), sigma(seedsModel), named(predict(seedsModel, level = 0), 1:21, "predictor, plate "), "all.equal" = isTRUE(all.equal(pred, rowSums(predTerms) + attr(predTerms, "constant"))))'),
    RCase("seeds-interaction", "glmmPQL", 'summary(glmmPQL(cbind(r, n - r) ~ seed * extract, random = diag(nrow(seeds)), family = "binomial", data = seeds))',
          'm <- glmmPQL(cbind(r, n - r) ~ seed * extract, random = diag(nrow(seeds)), family = "binomial", data = seeds); c(estimates(m), sigma(m))'),
    RCase("icehockey", "icehockey", STANDARD + "abilities <- exp(BTabilities(standardBT)[, 1])\n" + RANKINGS + "ranks <- rankings(abilities)\nhead(signif(ranks, 4)[order(ranks[, 1], decreasing = TRUE), ])",
          'rm("abilities"); o <- order(ranks[, 1], decreasing = TRUE); c(estimates(standardBT), fitted(standardBT)[1:2], named(ranks[o, 2], rownames(ranks)[o], "round-robin winning probability of "), named(ranks[o, 1], rownames(ranks)[o], "KRACH of "))'),
    RCase("icehockey-home", "icehockey", LEVEL + "abilities <- exp(BTabilities(levelBT)[, 1])\nranks2 <- rankings(abilities)",
          'rm("abilities"); o <- order(ranks2[, 1], decreasing = TRUE); c(estimates(levelBT), fitted(levelBT)[1:2], named(ranks2[o, 2], rownames(ranks2)[o], "round-robin winning probability of "))', unseen=RANKINGS),
    RCase("plotProportions", "plotProportions", STANDARD + LEVEL + 'plotProportions(win = result == 1, loss = result == 0, player1 = visitor, player2 = opponent,\n  abilities = BTabilities(standardBT)[, 1], data = icehockey, subset = result != 0.5)\nplotProportions(win = result == 1, loss = result == 0, player1 = visitor, player2 = opponent,\n  home.adv = coef(levelBT)["home.ice"], at.home1 = 0, at.home2 = home.ice,\n  abilities = BTabilities(levelBT)[, 1], data = icehockey, subset = result != 0.5)',
          'p <- plotProportions(win = result == 1, loss = result == 0, player1 = visitor, player2 = opponent, abilities = BTabilities(standardBT)[, 1], data = icehockey, subset = result != 0.5)$win; h <- plotProportions(win = result == 1, loss = result == 0, player1 = visitor, player2 = opponent, home.adv = coef(levelBT)["home.ice"], at.home1 = 0, at.home2 = home.ice, abilities = BTabilities(levelBT)[, 1], data = icehockey, subset = result != 0.5)$win; c(named(p$prop.win, 1:nrow(p), "won, bin "), named(p$bin.win, 1:nrow(p), "middle of bin "), named(h$prop.win, 1:nrow(h), "at home, won, bin "), named(h$bin.win, 1:nrow(h), "at home, middle of bin "))'),
    RCase("predict-lizards", "predict.BTm", f"""Whiting.model3 <- BTm(1, winner, loser, {FOUR} + (1 | ..),
  family = binomial(link = "probit"), data = flatlizards, trace = TRUE)
four <- c("lizard006", "lizard011", "lizard048", "lizard060")
newdata <- list(contests = data.frame(winner = factor(c("lizard048", "lizard060"), levels = four),
    loser = factor(c("lizard006", "lizard011"), levels = four)),
  predictors = flatlizards$predictors[c(3, 6, 27, 33), ])
predict(Whiting.model3, level = 1, newdata = newdata)
predict(Whiting.model3, level = 1)[1:2]""",
          'c(named(predict(Whiting.model3, level = 1, newdata = newdata), c("048 - 006", "060 - 011"), "newdata, "), named(predict(Whiting.model3, level = 1)[1:2], c("048 - 006", "060 - 011"), "of the fit, "))'),
    RCase("predict-new-lizard", "predict.BTm", f"""newpred <- rbind(flatlizards$predictors[c(3, 6, 27), c("throat.PC1", "throat.PC3", "SVL", "head.length")], c(-5, 1.5, 1, 0.1))
rownames(newpred)[4] <- "lizard059"
four <- c("lizard006", "lizard011", "lizard048", "lizard059")
newdata <- list(contests = data.frame(winner = factor(c("lizard048", "lizard059"), levels = four),
    loser = factor(c("lizard006", "lizard011"), levels = four)), predictors = newpred)
predict(Whiting.model3, level = 0:1, se.fit = TRUE, newdata = newdata)""",
          """p <- predict(Whiting.model3, level = 0:1, se.fit = TRUE, newdata = newdata)
pairs <- c("048 - 006", "059 - 011")
c(named(p$population$fit, pairs, "level 0, "), named(p$population$se.fit, pairs, "standard error of level 0, "), named(p$individual$fit, pairs, "level 1, "), named(p$individual$se.fit, pairs, "standard error of level 1, "))""",
          unseen=f'Whiting.model3 <- BTm(1, winner, loser, {FOUR} + (1 | ..), family = binomial(link = "probit"), data = flatlizards)'),
    RCase("predict-CEMS", "predict.BTm", """schools <- levels(CEMS$preferences$school1)
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
          unseen=TABLE6),
    RCase("residuals-springall", "residuals.BTm, springall", """springall.model <- BTm(cbind(win.adj, loss.adj), col, row,
  ~ flav[..] + gel[..] + flav.2[..] + gel.2[..] + flav.gel[..] + (1 | ..), data = springall)
summary(springall.model)
res <- residuals(springall.model, type = "grouped")
lm(res ~ flav, weights = attr(res, "weights"), data = springall$predictors)
lm(res ~ gel, weights = attr(res, "weights"), data = springall$predictors)""",
          """weight <- attr(res, "weights")
f <- lm(res ~ flav, weights = weight, data = springall$predictors)
g <- lm(res ~ gel, weights = weight, data = springall$predictors)
c(estimates(springall.model), fitted(springall.model)[1:2], named(res, 1:9, "grouped residual of "), named(weight, 1:9, "weight of "),
  "regression on flav, intercept" = coef(f)[[1]], "regression on flav, slope" = coef(f)[[2]], "regression on gel, intercept" = coef(g)[[1]], "regression on gel, slope" = coef(g)[[2]])"""),
    RCase("sound-fields", "sound.fields", 'flutes.model <- BTm(cbind(win1.adj, win2.adj), field1, field2, ~ field, id = "field",\n  subset = (instrument == "flute"), data = sound.fields)',
          "c(estimates(flutes.model), fitted(flutes.model)[1:2])"),
    RCase("sound-fields-factorial", "sound.fields", "flutes.model.reparam <- update(flutes.model, formula = ~ a[field] * b[field] * c[field])",
          "c(estimates(flutes.model.reparam), fitted(flutes.model.reparam)[1:2])",
          unseen='flutes.model <- BTm(cbind(win1.adj, win2.adj), field1, field2, ~ field, id = "field", subset = (instrument == "flute"), data = sound.fields)'),
)  # fmt: skip
