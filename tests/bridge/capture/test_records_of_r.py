"""What is recorded of a call: text, values, where it came from, and everything that fits the model again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time

import numpy as np
import pytest

from pairproof.bridge.values.nodes import RList, RVector, from_node, load
from tests.bridge.capture.recorded_runs import both, command, environment, read, value

DATA = "d <- data.frame(y = c(1, 0, 1, 1, 0, 1), x = c(1, 2, 3, 4, 2, 1), g = rep(c('u', 'v'), 3))\n"


@pytest.fixture(scope="module")
def around(tmp_path_factory):
    """Calls in every position; comments number the calls that are the script's own."""
    script = (
        DATA
        + """
m <- glm(y ~ x, binomial, d)                                             # 1
for (r in c("north", "south")) for (k in 1:2) glm(y ~ x, poisson, d)    # 2 to 5
r <- 0
l <- lapply(c("u", "v"), function(r) glm(y ~ x, binomial, d[d$g == r, ]))
a <- anova(glm(y ~ 1, binomial, d), m)
s <- step(m, trace = 0)
anova(s)
u <- update(m, . ~ 1)
own <- function(d, ...) glm(y ~ x, data = d, ...)
own({ cat("once\\n"); d }, family = "binomial")
with(d, glm(y ~ x, poisson))
try(glm(y ~ nobody, binomial, d), silent = TRUE)
suppressWarnings(glm(c(1, 1, 0, 0) ~ c(2, 1, -1, -2), binomial))$iter
writeLines("inner <- glm(y ~ x, poisson, d, subset = x > 1)", "part.R"); source("part.R")
do.call(glm, list(y ~ x, binomial, d))$iter
boot <- boot::boot(d, function(d, i) coef(glm(y ~ x, poisson, d[i, ])), R = 30)
ave <- stats::aggregate(y ~ g, d, function(v) glm(v ~ 1)$deviance)
set.seed(1); z <- glm(y ~ x, data = { runif(1); d })
d$g <- factor(d$g)
options(contrasts = c("contr.sum", "contr.poly"))
w <- glm(y ~ g, poisson, d, weights = x, na.action = na.exclude)
lm(y ~ x, d); nlm(function(p) p^2, 1)$code
"""
    )
    return both(tmp_path_factory.mktemp("around"), script, loops="r\nk\nv\nd\n")


@pytest.mark.r("boot")
def test_every_line_of_the_run_is_whole_and_every_value_can_be_read(around):
    assert (around.plain.out, around.captured.code) == (around.captured.out, 0)
    assert around.end["lost"] == 0 and around.end["tasks"] == 26
    assert around.end["packages"]["stats"]
    start = around.lines[0]
    assert start["type"] == "start" and start["r_version"][0].isdigit() and start["kind"]
    for call in around.calls:
        for part in ("values", "result"):
            for node in call.get(part, {}).values():
                from_node(load(node))


@pytest.mark.r("boot")
def test_a_loop_is_recorded_with_the_values_of_its_variables(around):
    loop = [call for call in around.calls if call["task"] == 3]
    assert [(c["keys"]["r"], c["keys"]["k"]) for c in loop] == [
        ("north", 1), ("north", 2), ("south", 1), ("south", 2)
    ]  # fmt: skip
    assert [c["nth"] for c in loop] == [1, 2, 3, 4]
    inline = [call for call in around.calls if call["task"] == 5]
    assert [c["keys"]["r"] for c in inline] == ["u", "v"]
    assert all(c["via"] == "" for c in loop + inline)


@pytest.mark.r("boot")
def test_calls_in_arguments_are_the_scripts_own_and_calls_inside_a_function_are_counted(around):
    (table,) = [c for c in around.of("stats::anova.glm") if c["task"] == 6]
    (argument,) = [c for c in around.of("stats::glm") if c["task"] == 6]
    assert table["text"] == "anova(glm(y ~ 1, binomial, d), m)"
    assert table["fits"] == {"object": argument["id"], "..1": 1}
    assert table["inner"] == {"stats::anova.glmlist": 1}
    assert table["helper"] is True and argument["helper"] is False


@pytest.mark.r("boot")
def test_update_step_and_boot_are_named_as_the_way_that_a_call_came(around):
    via = {}
    for call in around.calls:
        via.setdefault(call["via"], []).append(call)
    assert set(via) == {"", "stats::update", "stats::step", "boot::boot"}
    assert len(via["boot::boot"]) == 31
    assert [c["kept"] for c in via["boot::boot"]] == [True] * 20 + [False] * 11
    assert "values" not in via["boot::boot"][-1] and via["boot::boot"][-1]["nth"] == 31
    (chosen,) = around.of("stats::step")
    assert chosen["fits"] == {"object": 1} and "coef" in chosen["result"]
    after = [c for c in around.of("stats::anova.glm") if c["task"] == 8]
    assert after[0]["fits"]["object"] == chosen["id"]


@pytest.mark.r("boot")
def test_arguments_are_recorded_without_evaluating_anything_twice(around):
    assert around.captured.out.count("once") == 1
    (inside,) = [c for c in around.calls if c["task"] == 11]
    assert inside["args"] == {"formula": "y ~ x", "data": "d", "family": '"binomial"'}
    frame = value(inside, "values", "data")
    assert isinstance(frame, RList) and frame.names == ("y", "x", "g")
    weighted = [c for c in around.calls if "weights" in c.get("args", ())][-1]
    assert "weights" not in weighted["values"], "it is evaluated in the data, never here"
    assert weighted["contrasts"] == ["contr.sum", "contr.poly"]
    weights = value(weighted, "result", "prior_weights")
    assert weights.values.tolist() == [1, 2, 3, 4, 2, 1]


@pytest.mark.r("boot")
def test_errors_warnings_seeds_and_sourced_files_are_recorded(around):
    (failed,) = [c for c in around.calls if c.get("error")]
    assert "nobody" in failed["error"] and "result" not in failed and "provisional" not in failed
    (warned,) = [c for c in around.calls if c.get("warnings")]
    assert "fitted probabilities numerically 0 or 1" in warned["warnings"][0][0]
    (sourced,) = [c for c in around.calls if "source" in c]
    assert sourced["source"] == "part.R" and value(sourced, "result", "y").values.size == 4
    drawn = [c for c in around.calls if "seed" in c and c["via"] == ""]
    assert len(drawn) == 1 and len(drawn[0]["seed"]) == 626


@pytest.mark.r("boot")
def test_functions_that_are_not_of_this_field_are_left_alone(around):
    assert {c["function"] for c in around.calls} == {"stats::glm", "stats::anova.glm", "stats::step"}


@pytest.mark.r("boot")
def test_a_glm_can_be_fitted_again_from_what_was_recorded(around):
    call = around.calls[0]
    x, y = (value(call, "result", name) for name in ("x", "y"))
    design = x.values.astype(float)
    assert x.dimnames[1] == ("(Intercept)", "x") and x.attributes["assign"].values.tolist() == [0, 1]
    beta = np.zeros(2)
    for _ in range(30):
        mean = 1 / (1 + np.exp(-design @ beta))
        weights = mean * (1 - mean)
        working = weights * (design @ beta) + y.values - mean
        beta = np.linalg.solve(design.T * weights @ design, design.T @ working)
    # R stops when the deviance changes by less than 1e-8 of itself; the estimates are then right to about
    # 1e-8 of themselves, and better here (observed 8e-12).
    assert np.allclose(value(call, "result", "coef").values, beta, rtol=1e-9)
    names = "class coef vcov loglik loglik_df deviance df_residual null_deviance df_null aic iter converged"
    names += " rank family y prior_weights x assign terms frame formula"
    assert set(names.split()) <= set(call["result"])
    frame = value(call, "result", "frame")
    assert isinstance(frame, RList) and frame.names == ("y", "x")


@pytest.mark.nightly
@pytest.mark.r("prefmod")
def test_models_of_the_field_are_recorded_with_what_fits_them_again(tmp_path):
    script = """
library(BradleyTerry2); library(prefmod); library(gnm); library(psychotools)
sf <- countsToBinomial(citations); names(sf)[1:2] <- c("a", "b")
m <- BTm(cbind(win1, win2), a, b, data = sf, id = "journal", refcat = "JASA")
qvcalc(BTabilities(m)); anova(m)
d <- llbt.design(cemspc, nitems = 6, cat.scovs = "ENG")
h <- gnm(y ~ o1 + o2 + o3 + o4 + o5 + o6 + g1, eliminate = mu:ENG, data = d, family = poisson)
llbt.worth(h)
f <- llbt.fit(d$y, as.matrix(d[, c("o1", "o2", "o3", "o4", "o5", "g1")]), q = 30, ncat = 3)
p <- pattPC.fit(cemspc, nitems = 3, undec = TRUE)
b <- btmodel(paircomp(rbind(c(1, 1, -1), c(1, -1, -1), c(-1, 1, 1)), labels = c("x", "y", "z")))
worth(b)
q <- MASS::polr(Sat ~ Infl, weights = Freq, data = MASS::housing)
"""
    calls = {call["function"]: call for call in both(tmp_path, script).calls}

    bt = calls["BradleyTerry2::BTm"]
    player = value(bt, "result", "player1")
    assert isinstance(player, RList) and player.vector("journal").levels[0] == "Biometrika"
    assert value(bt, "result", "refcat").values.tolist() == ["JASA"]
    assert value(bt, "result", "random").values.tolist() == [False]
    assert "outcome" not in bt["values"] and bt["inner"] == {"stats::glm": 1}
    abilities = calls["BradleyTerry2::BTabilities"]
    assert abilities["fits"] == {"model": bt["id"]}
    assert calls["qvcalc::qvcalc"]["fits"] == {"object": abilities["id"]}
    assert calls["BradleyTerry2::anova.BTm"]["inner"]["stats::anova.glm"] == 1
    assert "stats::glm" not in calls, "qvcalc and BTm call it, the script does not"

    loglinear = calls["gnm::gnm"]
    assert value(loglinear, "result", "eliminated").values.size == 90
    assert len(value(loglinear, "result", "eliminated").levels) == 30
    frame = value(loglinear, "values", "data")
    assert frame.attributes["objnames"].values.tolist() == [f"o{i}" for i in range(1, 7)]
    assert calls["prefmod::llbt.worth"]["fits"] == {"fitobj": loglinear["id"]}

    llbt = calls["prefmod::llbt.fit"]
    estimates = value(llbt, "result", "coef")
    printed = value(llbt, "result", "printed").vector("Estimate").values
    assert np.array_equal(np.round(estimates.values, 4), printed)  # it prints four digits of these
    assert not np.array_equal(estimates.values, printed)
    assert value(llbt, "result", "b").values.size == 36

    pattern = calls["prefmod::pattPC.fit"]
    assert value(pattern, "result", "coef").names == ("o1", "o2", "U")
    hessian, inverse = (value(pattern, "result", name).values for name in ("hessian", "vcov"))
    # R's solve and numpy's product: rounding of a 3 x 3 matrix with condition 9 (observed 2e-16)
    assert np.allclose(hessian @ inverse, np.eye(3), atol=1e-14)

    comparisons = calls["psychotools::btmodel"]
    assert value(comparisons, "result", "labels").values.tolist() == ["x", "y", "z"]
    assert isinstance(value(comparisons, "values", "y"), RVector)
    assert calls["psychotools::itempar.btmodel"]["text"] == "worth(b)"

    ordinal = calls["MASS::polr"]
    assert value(ordinal, "result", "zeta").names == ("Low|Medium", "Medium|High")
    assert value(ordinal, "result", "vcov").values.shape == (4, 4)


@pytest.mark.r
def test_evaluations_for_a_list_have_its_names(tmp_path):
    script = """
f <- function(s) glm(y ~ x, binomial, s)
a <- lapply(split(d, d$g), f)
b <- by(d, d$g, f)
c <- tapply(seq_len(nrow(d)), list(d$g, d$g), function(i) deviance(f(d[i, ])))
e <- sapply(1:2, function(i) deviance(f(d)))
for (k in 1) f(d)
"""
    found = both(tmp_path, DATA + script)
    assert found.captured == found.plain
    names = [c["keys"].get("names(X)") for c in found.calls]
    assert names == ["u", "v", "u", "v", "u.u", "v.v", None, None, None]


@pytest.mark.r
def test_beyond_two_hundred_evaluations_a_call_is_only_counted(tmp_path):
    script = "for (i in 1:230) m <- glm(y ~ x, binomial, d)\nglm(y ~ 1, binomial, d)$iter"
    found = both(tmp_path, DATA + script)
    assert [c["nth"] for c in found.calls] == [*range(1, 231), 1]
    assert [c["kept"] for c in found.calls] == [True] * 200 + [False] * 30 + [True]
    assert all("result" not in c and "args" not in c for c in found.calls if not c["kept"])


@pytest.mark.r
def test_forks_and_workers_write_files_of_their_own(tmp_path):
    script = """
library(parallel)
x <- mclapply(1:2, function(i) glm(c(i, 3) ~ 1)$deviance, mc.cores = 2)
k <- makePSOCKcluster(1)
y <- parLapply(k, 1:2, function(i) stats::glm(c(i, 5) ~ 1)$deviance)
stopCluster(k)
print(unlist(c(x, y)))
"""
    found = both(tmp_path, script)
    assert found.captured == found.plain
    texts = sorted(c["text"] for c in found.calls)
    assert texts == ["glm(c(i, 3) ~ 1)"] * 2 + ["stats::glm(c(i, 5) ~ 1)"] * 2
    starts = [line["pid"] for line in found.lines if line["type"] == "start"]
    assert len(starts) == 2, "the script's R and the worker; forks go on with their parent's numbers"
    assert len({c["pid"] for c in found.calls}) == 3
    assert all(c["via"] == "" for c in found.calls)


@pytest.mark.r
def test_an_error_that_ends_r_is_recorded_with_what_came_before(tmp_path):
    found = both(tmp_path, "m <- glm(1:3 ~ 1)\nglm(y ~ nobody)\nglm(1:2 ~ 1)")
    assert found.captured == found.plain and found.captured.code == 1
    first, last = found.calls
    assert "coef" in first["result"] and "result" not in last
    assert last["error"] == "object 'y' not found"
    assert [line.get("provisional") for line in found.lines if line.get("id") == 2][0] is True


@pytest.mark.r
def test_of_an_r_that_is_killed_the_earlier_records_are_good(tmp_path):
    (tmp_path / "analysis.R").write_text("m <- glm(1:3 ~ 1)\nrepeat Sys.sleep(1)", "utf-8")
    records = tmp_path / "records"
    records.mkdir()
    process = subprocess.Popen(
        command(),
        cwd=tmp_path,
        env=environment(records),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while time.monotonic() < until and not any('"call"' in f.read_text() for f in records.glob("*.jsonl")):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    lines = read(records)
    assert [line["type"] for line in lines if line["type"] != "value"] == ["start", "call"]
    assert "coef" in lines[1]["result"]


@pytest.mark.r
def test_a_value_that_is_too_large_is_named_and_the_rest_of_the_call_is_recorded(tmp_path):
    script = "d <- list(y = c(1, 0, 1), z = numeric(6.3e6))\nm <- glm(y ~ 1, binomial, d)"
    (call,) = both(tmp_path, script).calls
    assert call["values"]["data"] == {"opaque": "large"}
    assert value(call, "result", "coef").names == ("(Intercept)",)
    assert len(json.dumps(call)) < 10_000
