"""The recording changes nothing: what R prints on both streams, and how it ends, are the same without it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bridge.capture.recorded_runs import both
from tests.bridge.capture.scripts_run import FIT, run

#: Things that a script can do around a fitting function, each a way to notice a recording that is badly made.
BASE_R = """
d <- data.frame(y = c(1, 0, 1, 1, 0, 1), x = c(1, 2, 3, 4, 2, 1))
search(); ls(all.names = TRUE); exists(".Random.seed")
glm(y ~ x, binomial, d)
summary(glm(y ~ x, binomial, d))
do.call(glm, list(y ~ x, quote(binomial), quote(d)))
do.call("glm", list(quote(y ~ x), "binomial", quote(d)))$call
update(glm(y ~ x, binomial, d), . ~ 1)
lapply(1:2, function(i) coef(glm(y ~ x, binomial, d[-i, ])))
by(warpbreaks, warpbreaks$tension, function(q) coef(glm(breaks ~ wool, poisson, data = q)))
with(d, glm(y ~ x, binomial))
f <- function(...) glm(y ~ x, binomial, ...)
f(data = { cat("evaluated once\\n"); d })
g <- function(d, fam = { cat("when needed\\n"); "binomial" }) glm(y ~ x, fam, d)$deviance
g({ cat("first\\n"); d })
g({ message("said"); d })
try(glm(y ~ nobody, binomial, d))
cat(geterrmessage())
tryCatch(glm(y ~ x, binomial, stop("no data")), error = function(e) print(conditionCall(e)))
tryCatch(glm(y ~ x, binomial, weights = x / 3, d), warning = function(w) print(w))
glm(c(1, 1, 0, 0) ~ c(2, 1, -1, -2), binomial)$converged
warnings()
withCallingHandlers(
  glm(c(1, 1, 0, 0) ~ c(2, 1, -1, -2), binomial)$iter,
  warning = function(w) { cat("caught", conditionMessage(w), "\\n"); invokeRestart("muffleWarning") })
h <- function() { on.exit(cat("bye\\n")); glm(y ~ x, binomial, d)$deviance }
h()
own <- function(...) { on.exit(cat("theirs\\n")); on.exit(); on.exit(cat("last\\n"), TRUE); glm(...)$aic }
own(y ~ x, binomial, d)
step(glm(y ~ x, binomial, d))
anova(glm(y ~ 1, binomial, d), glm(y ~ x, binomial, d), test = "Chisq")
args(glm); formals(glm)$family; environment(glm); is.primitive(glm)
x <- glm; identical(x, glm); x(y ~ x, binomial, d)$deviance
match.fun("glm")(y ~ x, binomial, d)$deviance
glm(c(1, sys.nframe()) ~ 1)$deviance
glm(c(1, 2) ~ 1, data = { print(sys.call()); NULL })$deviance
(function(n) { if (n == 0) return(glm(1:3 ~ 1)$aic); sys.function()(n - 1) })(3)
k <- compiler::cmpfun(function(d) glm(y ~ x, binomial, d)$deviance); k(d)
invisible(glm(y ~ x, binomial, d))
withVisible(glm(1:3 ~ 1))$visible
print(system.time(glm(1:3 ~ 1))[["sys.child"]])
d |> glm(formula = y ~ x, family = binomial)
set.seed(7); runif(1); m <- glm(sample(0:1, 20, TRUE) ~ rnorm(20), binomial); coef(m); runif(1)
local({ z <- 3; glm(c(z, 4) ~ 1)$deviance })
eval(quote(glm(3:4 ~ 1)), new.env())$deviance
delayedAssign("late", { cat("late\\n"); d }); glm(y ~ x, binomial, late)$deviance
makeActiveBinding("active", function() { cat("active\\n"); d }, environment())
glm(y ~ x, binomial, active)$aic
sink("o.txt"); print(glm(1:3 ~ 1)); sink(); readLines("o.txt")
writeLines("q <- glm(3:4 ~ 1); print(q$deviance)", "s.R"); source("s.R"); source("s.R", echo = TRUE)
dir.create("inner"); setwd("inner"); glm(1:3 ~ 1)$aic
con <- file("k.txt", "w"); closeAllConnections(); glm(2:3 ~ 1)$aic
rm(list = ls(all.names = TRUE)); glm(1:3 ~ 1)$aic
options(digits = 15, OutDec = ",", scipen = -5, warn = 1); glm(c(1, 2.5) ~ 1)$coefficients
options(OutDec = ".", scipen = 0); glm(c(1, 1, 0, 0) ~ c(2, 1, -1, -2), binomial)$iter
unlist(parallel::mclapply(1:2, function(i) glm(c(i, 3) ~ 1)$deviance, mc.cores = 2))
rm(.Random.seed); glm(1:3 ~ 1)$aic; exists(".Random.seed")
trace_of <- function() stop("here"); try(glm(trace_of() ~ 1))
Sys.getenv("HOME") == ""; getwd() == ""; length(showConnections(all = TRUE))
options(warn = 2); try(glm(c(1, 1, 0, 0) ~ c(2, 1, -1, -2), binomial))
glm
cat("to the end\\n")
quit(status = 3)
"""

FIELD = """
library(BradleyTerry2); library(prefmod); library(psychotools); library(gnm)
sf <- countsToBinomial(citations); names(sf)[1:2] <- c("a", "b")
do.call(BTm, list(cbind(sf$win1, sf$win2), sf$a, sf$b))
m <- BTm(cbind(win1, win2), a, b, data = sf); summary(m); update(m, refcat = "JASA"); BTabilities(m)
qvcalc(BTabilities(m)); anova(m, test = "Chisq"); head(residuals(m)); predict(m, level = 1)
with(sf, BTm(cbind(win1, win2), a, b))
try(BTm(cbind(win1, win2), a, nobody, data = sf))
unloadNamespace("BradleyTerry2"); library(BradleyTerry2); BTm(cbind(win1, win2), a, b, data = sf)$deviance
random <- ~ prev.wins.2 + ch.res[ID] + (1 | ID)
ch <- BTm(player1 = winner, player2 = loser, formula = random, id = "ID", data = chameleons)
ch; BTabilities(ch)[1:2, ]
set.seed(2); gnm(Freq ~ Mult(Class, Sex) + Age, family = poisson, data = as.data.frame(Titanic)); runif(1)
d <- llbt.design(cemspc, nitems = 6, cat.scovs = "ENG")
h <- gnm(y ~ o1 + o2 + o3 + o4 + o5 + o6 + g1, eliminate = mu:ENG, data = d, family = poisson)
h; llbt.worth(h)
llbtPC.fit(cemspc, nitems = 6, formel = ~ENG, elim = ~ENG)
d0 <- llbt.design(cemspc, nitems = 6)
f <- llbt.fit(d0$y, as.matrix(d0[, c("o1", "o2", "o3", "o4", "o5", "g1")]), q = 15, ncat = 3)
p <- pattPC.fit(cemspc, nitems = 3, undec = TRUE, formel = ~ENG, elim = ~ENG); p; patt.worth(p)
options(digits = 4)
w <- as.data.frame(matrix(c(1, -1, 1, 1, 1, -1, -1, 1, 1, -1, -1, -1, 1, 1, 1), 5, byrow = TRUE))
pattnpml.fit(y ~ 1, random = ~ o1 + o2, k = 2, design = patt.design(w, nitems = 3), seed = 4)
pc <- paircomp(rbind(c(1, 1, -1), c(1, -1, -1), c(-1, 1, 1), c(1, 1, 1)), labels = c("x", "y", "z"))
b <- btmodel(pc); b; worth(b); summary(btmodel(pc, type = "logit", ref = "x"))
MASS::polr(Sat ~ Infl, weights = Freq, data = MASS::housing)
cat(search(), sep = "\\n")
"""


def steady(text: str) -> str:
    """Addresses and the depth of the stack differ from one plain run to the next."""
    return re.sub(r"<(bytecode|environment): 0x[0-9a-f]+>", "<address>", text)


@pytest.mark.r
def test_what_a_script_prints_with_functions_of_r_itself_is_the_same(tmp_path):
    found = both(tmp_path, BASE_R)
    assert "to the end" in found.plain.out and found.plain.code == 3
    assert steady(found.captured.out) == steady(found.plain.out)
    assert steady(found.captured.err) == steady(found.plain.err)
    assert found.captured.code == 3
    assert found.end["lost"] == 0
    assert len(found.of("stats::glm")) >= 50


@pytest.mark.nightly
@pytest.mark.r("prefmod")
def test_what_a_script_prints_with_the_packages_of_the_field_is_the_same(tmp_path):
    found = both(tmp_path, FIELD)
    assert found.plain.code == 0, found.plain.err
    assert steady(found.captured.out) == steady(found.plain.out)
    assert found.captured.err == found.plain.err
    assert (found.captured.code, found.end["lost"]) == (0, 0)
    assert len({call["function"] for call in found.calls}) >= 18


@pytest.mark.r
@pytest.mark.parametrize("script", [
    "prep <- function(x) stop('not ready')\nm <- glm(c(1, 2) ~ 1)\nglm(y ~ 1, data = prep(1))\ncat('never')",
    "options(warn = 2)\nglm(c(1, 1, 0, 0) ~ c(2, 1, -1, -2), binomial)",
    "options(error = quote({ cat('handler\\n'); traceback(2) }))\nglm(y ~ nobody)",
    "glm(1:3 ~ 1)$aic\n.Last <- function() cat('last\\n')",
    "glm(1:3 ~ 1)$aic\nreg.finalizer(globalenv(), function(e) cat('f\\n'), TRUE)",
])  # fmt: skip
def test_a_script_ends_as_it_would_have_ended(tmp_path, script):
    found = both(tmp_path, script)
    assert found.captured == found.plain
    assert found.end["type"] == "end"


@pytest.mark.r
def test_the_users_profile_is_read_as_always(tmp_path):
    profile = "from_profile <- 'mine'; options(digits = 3); 1 + 1"
    found = both(tmp_path, "from_profile\nprint(pi)", profile=profile)
    assert found.captured == found.plain
    assert "mine" in found.captured.out


PRINTING = """cat("a", 3)
print(1:3); 4
f <- function() { cat("in f\\n"); invisible(2) }
f()
sink("out.txt")
cat("hidden\\n")
sink()
7
system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote("cat(42); 43")))
for (i in 1:2) print(i)
cat("\\036not a mark:1\\036")
stop("here")
cat("never\\n")
"""


@pytest.mark.r
def test_what_each_expression_printed_is_known_but_what_a_sink_took(tmp_path: Path) -> None:
    passed: list[bytes] = []
    found = run(tmp_path, PRINTING, output=passed.append)
    assert found.outputs == {
        1: "a 3",
        2: "[1] 1 2 3\n",
        3: "[1] 4\n",
        4: "",
        5: "in f\n",
        9: "[1] 7\n",
        10: "42[1] 43\n",
        11: "[1] 1\n[1] 2\n",
        12: "\x1enot a mark:1\x1e",
    }
    assert "".join(found.outputs.values()) == found.output
    assert b"".join(passed).decode().startswith(found.output.split("\x1e")[0])  # no mark reaches who looks on
    assert found.ending == "error"


@pytest.mark.r
def test_a_model_after_thousands_of_fits_in_a_loop_is_kept(tmp_path: Path) -> None:
    found = run(tmp_path, f"for (i in 1:2100) m <- {FIT}\nlast <- {FIT}\n", seconds=300)
    kept = [call.task for call in found.calls if call.kept]
    assert (kept.count(1), kept.count(2), len(found.calls)) == (200, 1, 2101)
