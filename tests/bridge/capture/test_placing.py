"""Where the calls of a run stand in the script: loops, functions, sourced files, forks and workers, documents."""

from __future__ import annotations

import pytest

from pairproof.bridge.capture.recorded import Captured, RecordedCall
from tests.bridge.capture.scripts_run import needs_knitr, run, written

pytestmark = pytest.mark.r

SCRIPT = """\
d <- data.frame(y = c(1, 0, 1, 1, 0, 1, 0, 0), x = 1:8, g = rep(c("north", "south"), 4))
source("helpers.R")
fit <- function(data, k = 1) {
  glm(y ~ x, family = binomial, data = data)
}
m1 <- fit(d); m2 <- fit(d[-1, ])
fits <- list()
for (r in unique(d$g)) {
  fits[[r]] <- glm(y ~ x,
                   binomial, d[d$g == r, ])
}
after <- glm(y ~ 1, binomial, d)
l <- lapply(c("north", "south"), function(s) glm(y ~ 1, binomial, d, subset = g == s))
called <- do.call(glm, list(y ~ x, binomial, d))
u <- update(after, . ~ x)
glm(y ~ x, binomial, d, weights = x)
one <- function(s) suppressWarnings(glm(y ~ x, binomial, d, subset = g == s))
named <- sapply(c("south", "north"), one, simplify = FALSE)
if (nrow(d) > 1) helped <- from_helper(d)
p <- parallel::mclapply(1:2, function(i) glm(y ~ i, binomial, transform(d, i = i * x)), mc.cores = 2)
a <- try(glm(nothere ~ 1, binomial, d), silent = TRUE)
by_name <- function(formula, ...) {
  do.call("glm", list(formula = formula, family = "binomial", data = quote(d), ...))
}
deeper <- function(f) { x <- 1; suppressWarnings(by_name(f)) }
deep <- deeper(y ~ g)
twice <- c(glm(y ~ x, binomial, d)$aic,
           glm(y ~ x, binomial, d)$aic)
"""
HELPERS = """\
# helpers
from_helper <- function(data) {
  glm(y ~ x + g, binomial, data)
}
top <- glm(y ~ g, binomial, d)
print(coef(top))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> Captured:
    folder = tmp_path_factory.mktemp("placing")
    written(folder, HELPERS, "helpers.R")
    return run(folder, SCRIPT)


def at(found: Captured, line: int, file: str = "analysis.R") -> list[RecordedCall]:
    return [call for call in found.calls if (call.place.line, call.place.file) == (line, file)]


def test_the_script_ran_and_every_call_was_recorded(found):
    assert (found.ending, found.message, found.lost) == ("done", "", 0)
    assert [call.id for call in found.calls] == list(range(1, len(found.calls) + 1))
    assert all(call.place.line for call in found.calls)


def test_a_call_in_a_function_of_the_script_gets_the_variable_of_that_functions_call(found):
    assert [(c.variable, c.task, dict(c.keys)) for c in at(found, 4)] == [("m1", 4, {}), ("m2", 5, {})]


def test_calls_in_a_loop_have_its_variables_as_keys_and_a_call_after_it_has_none(found):
    assert [(c.variable, c.nth, c.place.last, dict(c.keys)) for c in at(found, 9)] == [
        ("fits", 1, 10, {"r": "north"}),
        ("fits", 2, 10, {"r": "south"}),
    ]
    assert [(c.variable, dict(c.keys)) for c in at(found, 12)] == [("after", {})]


def test_calls_in_lapply_have_the_functions_argument_as_key(found):
    assert [(c.variable, dict(c.keys)) for c in at(found, 13)] == [
        ("l", {"s": "north"}),
        ("l", {"s": "south"}),
    ]
    assert [(c.variable, dict(c.keys)) for c in at(found, 17)] == [
        ("named", {"s": "south"}),
        ("named", {"s": "north"}),
    ]


def test_calls_made_of_values_and_by_update_stand_where_they_are_asked_for(found):
    (called,), (updated,) = at(found, 14), at(found, 15)
    assert (called.variable, called.via) == ("called", "")
    assert (updated.variable, updated.via) == ("u", "stats::update")


def test_a_call_that_is_assigned_to_nothing_and_one_that_failed_are_placed(found):
    (bare,), (failed,) = at(found, 16), at(found, 21)
    assert (bare.variable, bare.error) == ("", "")
    assert (failed.variable, failed.error) == ("a", "object 'nothere' not found")


def test_a_call_made_by_name_in_a_function_that_another_function_calls_is_found_there(found):
    assert [(c.variable, c.task, c.place.sure) for c in at(found, 23)] == [("deep", 20, True)]


def test_calls_of_sourced_files_stand_in_those(found):
    (top,), (helped,) = at(found, 5, "helpers.R"), at(found, 3, "helpers.R")
    assert (top.variable, top.task) == ("top", 0)
    assert (helped.variable, helped.task) == ("helped", 15)


def test_calls_of_forks_are_placed_in_order(found):
    forks = at(found, 20)
    assert sorted((c.variable, dict(c.keys)["i"]) for c in forks) == [("p", 1), ("p", 2)]
    assert len({c.process for c in forks}) == 2


def test_calls_with_the_same_text_in_one_expression_are_not_sure_of_their_line(found):
    twins = [c for c in found.calls if c.task == max(call.task for call in found.calls)]
    assert [(str(c.place), c.variable) for c in twins] == [("line 27?", ""), ("line 27?", "")]


def test_fits_that_are_arguments_are_numbered_over_all_processes(tmp_path):
    found = run(
        tmp_path,
        "d <- data.frame(y = c(1, 0, 1, 1, 0, 1), x = 1:6)\nm <- glm(y ~ 1, binomial, d)\n"
        "r <- parallel::mclapply(1:2, function(i) { f <- glm(y ~ x, binomial, d[-i, ]); anova(f, test = 'Chisq'); anova(m, test = 'Chisq') })\n"
        "cl <- parallel::makePSOCKcluster(1)\n"
        "o <- parallel::parLapply(cl, 1, function(k) coef(glm(c(1, 0, 1) ~ 1, family = binomial)))\n",
    )
    by_id = {call.id: call for call in found.calls}
    fits = [
        (by_id[number].place.line, call.place.line) for call in found.calls for number in call.fits.values()
    ]
    assert sorted(fits) == [(2, 3), (2, 3), (3, 3), (3, 3)]
    (worker,) = at(found, 5)
    assert (worker.task, dict(worker.keys), worker.place.sure) == (0, {"k": 1}, True)
    assert found.whole


RMD = """\
---
title: "An analysis"
params:
  least: 2
---

Text with `r 1 + 1` in it.

```{r setup, include=FALSE}
d <- data.frame(y = c(1, 0, 1, 1, 0, 1), x = 1:6)
```

```{r}
#| label: first
m <- glm(y ~ x,
         binomial, d)
summary(m)
```

```{r not, eval=FALSE}
stop("never")
```

```{python}
d = 1
```

- an item

    ```{r}
    m2 <- update(m, . ~ 1)
    ```

```{r error}
stop("no more than ", params$least)
```
"""
RNW = r"""\documentclass{article}
\begin{document}
<<setup, echo=FALSE>>=
d <- data.frame(y = c(1, 0, 1, 1, 0, 1), x = 1:6)
@
Text
<<fit>>=
m <- glm(y ~ x,
         binomial, d)
@
<<not, eval=FALSE>>=
stop("never")
@
<<>>=
<<fit>>
coef(m)
@
\Sexpr{1 + 1}
\end{document}
"""


@needs_knitr
def test_calls_of_an_r_markdown_file_stand_in_its_own_lines(tmp_path):
    said: list[str] = []
    found = run(tmp_path, RMD, "report.Rmd", say=said.append)
    assert said[1:] == ["not run: 1 chunk of python"]
    assert [(str(c.place), c.place.last, c.place.file, c.variable) for c in found.calls] == [
        ("line 15", 16, "report.Rmd", "m"),
        ("line 31", 31, "report.Rmd", "m2"),
    ]
    assert found.message == "R stopped in line 35: Error: no more than 2"
    (shown,) = [k for k, tree in enumerate(found.text.trees) if tree.text == "summary(m)"]
    assert found.text.expressions[shown].line == 17
    assert (found.text.kind, len(found.text.lines)) == ("Rmd", 36)


def test_calls_of_a_sweave_file_stand_in_its_own_lines(tmp_path):
    found = run(tmp_path, RNW, "paper.Rnw")
    assert (found.ending, found.text.kind) == ("done", "Rnw")
    assert [(str(c.place), c.place.last, c.variable) for c in found.calls] == [
        ("line 8", 9, "m"),
        ("line 8", 9, "m"),
    ]
    (shown,) = [k for k, tree in enumerate(found.text.trees) if tree.text.startswith("coef(")]
    assert found.text.expressions[shown].line == 16
