"""What R gives for an example of BradleyTerry2's or psychotools' help pages: its numbers as it stops, and as it would
stop much later, from one call.

The example is run twice, as it is typed on the help page: once as it is, once with the functions that fit put in front
of the packages' own, so that they go on to their fixed point.  `BTm` by maximum likelihood is fitted again from its own
solution, six times: a tighter `epsilon` would also loosen the rank of aliased columns, and would leave the covariance
one step early.  Penalised quasi-likelihood, brglm, gnm and btmodel have stopping rules of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pairproof.bridge import Backend, backend

from .bradleyterry2_ours import Ours

#: R functions that an example's `take` may use, and the run itself.
RUN = r"""
before <- search()
old <- options(warn = 1)
globals <- ls(globalenv())
grDevices::pdf(NULL)
on.exit({
  grDevices::dev.off()
  options(old)
  for (entry in setdiff(search(), before)) detach(entry, character.only = TRUE)
  rm(list = setdiff(ls(globalenv()), globals), envir = globalenv())
}, add = TRUE)
for (package in needs) suppressMessages(library(package, character.only = TRUE))

shared <- new.env(parent = globalenv())
evalq({
  rows <- function(m) {
    if (inherits(m, "btmodel")) return(summary(m)$coefficients)
    s <- summary(m)
    if (is.null(s$fixef)) s$coefficients else s$fixef
  }
  named <- function(x, names, before = "") stats::setNames(as.numeric(x), paste0(before, names))
  estimates <- function(m, scale = 1) {
    b <- rows(m)
    c(named(b[, 1L] * scale, rownames(b)), named(b[, 2L] * scale, rownames(b), "standard error of "))
  }
  tests <- function(m) {
    b <- rows(m)
    c(named(b[, 3L], rownames(b), "z of "), named(b[, 4L], rownames(b), "p of "))
  }
  sigma <- function(m) {
    s <- summary(m)$ranef
    c("sigma" = s[1L, 1L], "standard error of sigma" = s[1L, 2L])
  }
  fitted <- function(m) c("deviance" = stats::deviance(m), "df" = stats::df.residual(m), "AIC" = stats::AIC(m))
  abilities <- function(a) c(named(a[, 1L], rownames(a), "ability of "), named(a[, 2L], rownames(a), "standard error of the ability of "))
  cells <- function(x, names = rownames(x)) unlist(lapply(colnames(x), function(k) named(x[[k]], names, paste0(k, ", "))))
}, shared)

late <- new.env(parent = shared)
evalq({
  BTm <- function(...) {
    typed <- match.call(BradleyTerry2::BTm, sys.call())
    here <- parent.frame()
    call <- typed
    call[[1L]] <- quote(BradleyTerry2::BTm)
    m <- eval(call, here)
    if (inherits(m, "BTglmmPQL")) {
      call$tol <- 1e-14
      call$maxiter <- 300
      m <- eval(call, here)
    } else if (inherits(m, "brglm")) {
      call$br.epsilon <- 1e-15
      call$br.maxit <- 500
      m <- eval(call, here)
    } else for (step in 1:6) {
      b <- stats::coef(m)
      b[is.na(b)] <- 0
      call$start <- as.numeric(b)
      m <- eval(call, here)
    }
    m$call <- typed
    m
  }
  glmmPQL <- function(...) {
    call <- match.call()
    call[[1L]] <- quote(BradleyTerry2::glmmPQL)
    call$tol <- 1e-14
    call$maxiter <- 300
    eval(call, parent.frame())
  }
  gnm <- function(...) {
    call <- match.call()
    call[[1L]] <- quote(gnm::gnm)
    call$tolerance <- 1e-13
    eval(call, parent.frame())
  }
  btmodel <- function(...) psychotools::btmodel(..., epsilon = 1e-15, maxit = 200)
}, late)

run <- function(above) {
  here <- new.env(parent = above)
  said <- character()
  last <- withCallingHandlers(
    {
      for (e in parse(text = code)) eval(e, here)
      eval(parse(text = take), here)
    },
    warning = function(w) {
      said <<- c(said, conditionMessage(w))
      invokeRestart("muffleWarning")
    },
    message = function(m) invokeRestart("muffleMessage")
  )
  numbers <- unlist(last)
  if (is.null(names(numbers))) names(numbers) <- seq_along(numbers)
  list(numbers = numbers, warnings = unique(said))
}
error <- ""
none <- list(numbers = c(none = NA_real_), warnings = character())
utils::capture.output({
  default <- tryCatch(run(shared), error = function(e) {
    if (!failing) stop(e)
    error <<- conditionMessage(e)
    none
  })
  tight <- if (again) run(late)$numbers else numeric()
})
list(names = as.character(names(default$numbers)), default = as.numeric(default$numbers), tight = as.numeric(tight[names(default$numbers)]),
     warnings = default$warnings, error = error)
"""


@dataclass(frozen=True)
class Example:
    """An example of a help page, as it is typed, what is read of it, and pairproof's side."""

    name: str
    #: The help pages, or the section of the vignette, that have it.
    page: str
    #: R, as typed there.
    code: str
    #: R: a named vector of numbers of what `code` made.
    take: str
    #: R that is run before `code` and not shown on the page, such as the example of the page before.
    unseen: str = ""
    #: Whether it is run a second time with the functions that go on to their fixed point.
    again: bool = True
    #: Whether an error of R is its answer.
    failing: bool = False
    #: Packages.
    needs: tuple[str, ...] = ("BradleyTerry2",)
    note: str = ""
    #: Its section in `bradleyterry2_printed.json`, whose names its numbers then have.
    printed: str = ""
    ours: Ours = Ours("")


@dataclass(frozen=True)
class RNumbers:
    """R's numbers by name: as it stops by default, and at its fixed point; its warnings, or its error."""

    default: dict[str, float]
    tight: dict[str, float]
    warnings: tuple[str, ...]
    error: str = ""


def r_numbers(c: Example) -> RNumbers:
    """R's answer to an example, live or from its record; asked once of each backend."""
    return _asked(c, backend())


@lru_cache(maxsize=512)
def _asked(c: Example, of: Backend) -> RNumbers:
    result = of.call(
        code=RUN,
        args={
            "code": f"{c.unseen}\n{c.code}",
            "take": c.take,
            "again": c.again,
            "failing": c.failing,
            "needs": list(c.needs),
        },
        needs=c.needs,
        label=f"docs {c.needs[0]} {c.name}",
        timeout=1800.0,
    )
    value = result.as_list()
    names = [str(n) for n in value.vector("names").values]
    default, tight = ([float(x) for x in value.vector(k).floats().ravel()] for k in ("default", "tight"))
    said = tuple(str(w) for w in value.vector("warnings").values)
    error = str(value.vector("error").values[0])
    if error:
        return RNumbers({}, {}, said, error)
    return RNumbers(dict(zip(names, default)), dict(zip(names, tight)) if c.again else {}, said)
