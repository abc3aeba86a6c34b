"""What R prints for the calls of `docs/from-r-examples.md`: each block is run by R, after the blocks before it, and
its output put under it.

The calls stand here as a user of R types them; what pairproof prints for its own calls is put into the page
as for any other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pairproof.bridge import backend

#: Runs code as R's prompt does, visible values printed; leaves the session as it was.
PROMPT = """
before <- search()
old <- options(width = 100, digits = 7, show.signif.stars = FALSE)
globals <- ls(globalenv())
on.exit({
  options(old)
  for (entry in setdiff(search(), before)) detach(entry, character.only = TRUE)
  rm(list = setdiff(ls(globalenv()), globals), envir = globalenv())
}, add = TRUE)
run <- function(text) for (e in parse(text = text)) {
  r <- withVisible(eval(e, globalenv()))
  if (r$visible) print(r$value)
}
invisible(utils::capture.output(suppressWarnings(suppressMessages(run(earlier)))))
suppressWarnings(suppressMessages(run(code)))
invisible()
"""

#: Name -> R code, in the order of the page.
CALLS: Mapping[str, str] = {
    "counts": """
library(BradleyTerry2)
data("baseball", package = "BradleyTerry2")
head(baseball, 3)
""",
    "btm": """
m <- BTm(cbind(home.wins, away.wins), home.team, away.team, data = baseball, id = "team")
summary(m)$coefficients
c(deviance = deviance(m), df = df.residual(m), AIC = AIC(m))
""",
    "home": """
baseball$home.team <- data.frame(team = baseball$home.team, at.home = 1)
baseball$away.team <- data.frame(team = baseball$away.team, at.home = 0)
home <- update(m, formula = ~ team + at.home)
summary(home)$coefficients
""",
    "reference": """
coef(update(home, refcat = "Toronto"))
""",
    "abilities": """
BTabilities(home)
""",
    "compare": """
anova(m, home, test = "Chisq")
""",
    "quasi": """
library(qvcalc)
qvcalc(BTabilities(home))$qvframe[, c("quasiSE", "quasiVar")]
""",
    "matrix": """
data("citations", package = "BradleyTerry2")
pairs <- countsToBinomial(citations)
names(pairs)[1:2] <- c("journal1", "journal2")
cited <- BTm(cbind(win1, win2), journal1, journal2, ~ journal, id = "journal", data = pairs)
coef(cited)
c(deviance = deviance(cited), df = df.residual(cited))
""",
    "predictors": """
journals <- data.frame(usa = c(0, 1, 1, 0), row.names = c("Biometrika", "Comm Statist", "JASA", "JRSS-B"))
by.origin <- BTm(cbind(win1, win2), journal1, journal2, ~ usa[journal], id = "journal", data = list(pairs, journals))
summary(by.origin)$coefficients
""",
    "half": """
data("CEMS", package = "BradleyTerry2")
half <- BTm(cbind(win1.adj, win2.adj), school1, school2, refcat = "Stockholm", data = CEMS$preferences)
coef(half)
""",
    "reduced": """
reduced <- update(cited, br = TRUE)
coef(reduced)
""",
    "llbt": """
library(prefmod)
data(cemspc)
schools <- c("LO", "PA", "MI", "SG", "BA", "ST")
d <- llbt.design(cemspc, nitems = 6, objnames = schools)
g <- gnm(y ~ LO + PA + MI + SG + BA + g1, eliminate = mu, family = poisson, data = d)
summary(g)$coefficients[, 1:2]
c(deviance = deviance(g), df = df.residual(g))
""",
    "llbtpc": """
pc <- llbtPC.fit(cemspc, nitems = 6, obj.names = schools, undec = TRUE)
coef(pc)
llbt.worth(pc)
""",
    "subjects": """
by.sex <- llbtPC.fit(cemspc, nitems = 6, obj.names = schools, formel = ~SEX, elim = ~SEX, undec = TRUE)
coef(by.sex)
c(deviance = deviance(by.sex), df = df.residual(by.sex))
llbt.worth(by.sex)
""",
}
NEEDS = ("BradleyTerry2", "prefmod", "gnm", "qvcalc", "brglm")


def printed(name: str) -> str:
    """What R prints for a call, after those before it."""
    names = list(CALLS)
    earlier = "".join(CALLS[n] for n in names[: names.index(name)])
    result = backend().call(
        code=PROMPT, args={"earlier": earlier, "code": CALLS[name]}, needs=NEEDS, label=f"docs from-r {name}"
    )
    return "\n".join(line.rstrip() for line in result.output) + "\n"


def _block(name: str) -> Callable[[], str]:
    return lambda: f"```r\n{CALLS[name].lstrip()}```\n```text\n{printed(name)}```\n"


BLOCKS: Mapping[str, Callable[[], str]] = {f"from-r-{name}": _block(name) for name in CALLS}
