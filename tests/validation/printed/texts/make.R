# The texts of R in this folder: BradleyTerry2 1.1-2, prefmod, gnm, psychotools, eba, with the data of these packages.
# The others (LaTeX, HTML, Markdown, a PDF's text) hold the same numbers and were typed; stata.txt, sas.txt, genmod.txt
# and plackettluce.txt follow the layout in the programs' manuals, since the programs are not at hand.
suppressMessages({library(BradleyTerry2); library(prefmod); library(gnm); library(psychotools); library(eba)})
options(width = 80)
to <- function(name, x) { sink(paste0(name, ".txt")); print(x); sink() }

W <- matrix(0, 7, 7, dimnames = rep(list(levels(baseball$home.team)), 2))
for (i in seq_len(nrow(baseball))) {
  h <- as.character(baseball$home.team[i]); a <- as.character(baseball$away.team[i])
  W[h, a] <- W[h, a] + baseball$home.wins[i]; W[a, h] <- W[a, h] + baseball$away.wins[i]
}
cb <- setNames(countsToBinomial(W), c("first", "second", "wins", "losses"))
m <- BTm(cbind(wins, losses), first, second, data = cb)
to("btm_summary", summary(m)); to("btm_print", m); to("btm_abilities", BTabilities(m))
to("btm_refcat", summary(BTm(cbind(wins, losses), first, second, data = cb, refcat = "Milwaukee")))
b <- baseball
b$home.team <- data.frame(team = b$home.team, at.home = 1); b$away.team <- data.frame(team = b$away.team, at.home = 0)
to("btm_home", summary(BTm(cbind(home.wins, away.wins), home.team, away.team, formula = ~team + at.home, id = "team", data = b)))
X <- matrix(0, nrow(cb), 7, dimnames = list(NULL, rownames(W)))
X[cbind(seq_len(nrow(cb)), as.integer(cb$first))] <- 1; X[cbind(seq_len(nrow(cb)), as.integer(cb$second))] <- -1
X <- X[, -1]
to("glm_summary", summary(glm(cbind(cb$wins, cb$losses) ~ 0 + X, family = binomial)))
d <- data.frame(X); d$w <- cb$wins; d$l <- cb$losses
g <- glm(cbind(w, l) ~ 0 + ., family = binomial, data = d)
to("glm_names", summary(g)); to("glm_print", g)

cc <- setNames(countsToBinomial(citations), c("first", "second", "wins", "losses"))
m <- BTm(cbind(wins, losses), first, second, data = cc)
to("citations", summary(m))
options(width = 60)
to("coef", coef(m)); to("coef_wrapped", coef(summary(m))); to("coef_confint", confint.default(m))
to("odds_ratios", cbind(OR = exp(coef(m)), exp(confint.default(m))))
to("qvframe", round(qvcalc::qvcalc(BTabilities(m))$qvframe, 3))
options(width = 80)
to("springall", summary(BTm(cbind(win.adj, loss.adj), col, row, data = springall$contests)))

data(cemspc)
n <- c("London", "Paris", "Milan", "StGallen", "Barcelona", "Stockholm")
d <- llbt.design(cemspc, nitems = 6); d$mu <- factor(d$mu)
to("gnm_o", summary(gnm(y ~ o1 + o2 + o3 + o4 + o5 + o6 + g1, eliminate = mu, family = poisson, data = d)))
d2 <- llbt.design(cemspc, nitems = 6, objnames = n); d2$mu <- factor(d2$mu)
to("gnm_print", gnm(y ~ London + Paris + Milan + StGallen + Barcelona + Stockholm + g1, eliminate = mu, family = poisson, data = d2))
to("glm_poisson", summary(glm(y ~ London + Paris + Milan + StGallen + Barcelona + Stockholm + g1 + factor(mu), family = poisson, data = d2)))
lf <- llbtPC.fit(cemspc, nitems = 6, formel = ~1, undec = TRUE, obj.names = n)
to("llbtpc_print", lf); to("llbtpc_summary", summary(lf)); to("llbt_worth", llbt.worth(lf))
d <- cemspc[complete.cases(cemspc), ]; d$SEX <- factor(d$SEX)
to("llbtpc_sex", summary(llbtPC.fit(d, nitems = 6, formel = ~SEX, elim = ~SEX, undec = TRUE, obj.names = n)))
to("pattpc", pattPC.fit(cemspc[1:100, 1:6], nitems = 4, obj.names = c("A", "B", "C", "D")))

data(GermanParties2009)
bt <- btmodel(GermanParties2009$preference)
to("btmodel_print", bt); to("btmodel_summary", summary(bt)); to("btmodel_itempar", itempar(bt))
e <- eba(celebrities)
to("eba_print", e); to("eba_summary", summary(e)); to("eba_scale", uscale(e))
