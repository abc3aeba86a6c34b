"""Pattern models as prefmod fits them: pattPC.fit, pattR.fit, pattL.fit (dots become underscores).

prefmod maximises with ``nlm`` from zeros, with numeric derivatives, and stops at a gradient of 1e-6: estimates
are good to 1e-6 to 3e-5, standard errors to 3e-4 of themselves.  What it stores as ``ll`` is the last value that
the numeric Hessian asked for, up to 2e-4 below the maximum it found; ``llf`` here is minus nlm's minimum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ....errors import InputError
from ...process.policy import BackendLike
from ...values.formulas import variables
from ...values.values import Formula
from ..answers import Estimates, Floats, ask, asks, check_option, optional
from .tables import answers_table, check_eliminated, check_items, check_names

NEEDS = ("prefmod",)
MISModel = Literal["obj", "comp"]

#: R: the call as a user types it, its literal arguments in it, since print and patt.worth show or read it.
CALL = """
as_typed <- function(fun, first, given) eval(as.call(c(list(str2lang(fun)), first, given[!vapply(given, is.null, NA)])), parent.frame())
"""

#: R: a fit's numbers at full precision.  ``print`` alone rounds them, and it alone knows their names; it is
#: run unchanged in an environment where ``print`` also remembers the table and ``solve`` of a singular
#: Hessian gives NaN, which is told in ``print_error``.  What is returned must round to what was printed.
REDUCE_PATTERN = """
reduce_pattern <- function(fit) {
  seen <- NULL
  failed <- ""
  shown <- utils::getS3method("print", "pattMod", envir = asNamespace("prefmod"))
  watching <- new.env(parent = environment(shown))
  watching$print <- function(x, ...) { seen <<- x; base::print(x, ...) }
  watching$solve <- function(a, ...) tryCatch(base::solve(a, ...), error = function(e) { failed <<- conditionMessage(e); a * NaN })
  environment(shown) <- watching
  tryCatch(suppressWarnings(shown(fit)), error = function(e) failed <<- conditionMessage(e))
  found <- fit$result
  b <- found$estimate
  V <- suppressWarnings(watching$solve(found$hessian))
  se <- suppressWarnings(sqrt(diag(V)))
  if (!is.null(seen) && !identical(round(b, 5), as.numeric(unname(seen[, 1L])))) stop("the estimates do not round to those that prefmod printed")
  counts <- unlist(fit$partsList)
  list(names = if (is.null(seen)) paste0("coef", seq_along(b)) else rownames(seen), coef = b, se = se, vcov = V,
       z = b / se, p = 2 * stats::pnorm(-abs(b / se)), llf = -found$minimum, ll = fit$ll, fl = fit$fl,
       deviance = 2 * abs(fit$ll - fit$fl), persons = sum(counts[grepl("counts[0-9]*$", names(counts))]), code = found$code,
       iterations = found$iterations, gradient = found$gradient,
       printed = if (!is.null(seen)) unname(unclass(seen)), print_error = failed)
}
"""


@dataclass(frozen=True, eq=False)
class PatternModel(Estimates):
    """A pattern model as prefmod fitted it, at the precision where nlm stopped.

    names: as prefmod prints them: items (``o1``, or the columns' names), ``o1:SEX2``, ``mis.alpha1``, ``U``,
    ``I12.13``; ``coef1``, ... where its print method stopped before it had names.  coef, se, z, p float[n]:
    lambda (log worth = 2 lambda); standard errors from nlm's numeric Hessian, NaN where it is singular;
    two-sided.  vcov float[n, n]: inverse of nlm's Hessian.  llf: minus nlm's minimum: the log-likelihood at
    ``coef``.  ll, fl: what prefmod stores: ``ll`` of the last evaluation, not of the maximum; ``fl`` of the
    saturated model.  deviance: 2 |ll - fl|, as prefmod prints it; it gives no degrees of freedom.  persons:
    rows that prefmod used; it drops rows without an answer and, with a printed line, rows without a
    covariate.  code, iterations: of nlm; code 1 or 2 means that it converged.  gradient float[n]: where nlm
    stopped.  printed float[n, 4] or None: estimate, se, z and p as printed.  print_error: where prefmod's own
    print stops ("... singular"), its message.  lines: what prefmod printed.  function: prefmod's function.
    arguments: of the call, so that :func:`patt_worth` can repeat it.
    """

    z: Floats
    p: Floats
    llf: float
    ll: float
    fl: float
    deviance: float
    persons: int
    code: int
    iterations: int
    gradient: Floats
    printed: Floats | None = field(repr=False)
    print_error: str
    lines: tuple[str, ...] = field(repr=False)
    function: str
    arguments: Mapping[str, Any] = field(repr=False)


def fit_code(function: str, arguments: Mapping[str, Any]) -> str:
    """R code that makes ``fit`` of the arguments, ``obj`` among them under its name."""
    names = ", ".join(f'"{name}"' for name in arguments if name != "obj")
    return f'{CALL}\nfit <- as_typed("{function}", list(obj = quote(obj)), mget(c({names})))\n'


def fit_pattern(function: str, arguments: Mapping[str, Any], backend: BackendLike) -> PatternModel:
    """Ask R for a fit and read it."""
    code = fit_code(function, arguments) + REDUCE_PATTERN + "reduce_pattern(fit)\n"
    result = ask(backend, function, code, arguments, NEEDS)
    printed = result.as_list()["printed"]
    return PatternModel.read(
        result,
        printed=None if printed is None else result.as_list().vector("printed").floats(),
        lines=result.output,
        function=function,
        arguments=arguments,
    )


def check_covariates(formel: str, elim: str, without: bool, what: str) -> None:
    """Refuse covariates that are not in the table's formula, and those that prefmod would put aside."""
    check_eliminated(formel, elim)
    used = variables(elim, "elim")
    if used and without:
        raise InputError(
            f"{', '.join(used)}: prefmod fits {what} without covariates and would put them aside"
        )


def common_arguments(
    function: str,
    obj: Any,
    answers: int,
    nitems: int,
    formel: str,
    elim: str,
    obj_names: Sequence[str] | None,
) -> dict[str, Any]:
    """The arguments that all of prefmod's fits have, checked; ``answers`` columns come first in the table."""
    return {
        "obj": answers_table(function, obj, answers, variables(elim, "elim")),
        "nitems": int(nitems),
        "formel": Formula(formel),
        "elim": Formula(elim),
        "obj.names": optional(list, obj_names),
    }


@asks(*NEEDS)
def pattPC_fit(
    obj: Any,
    nitems: int,
    formel: str = "~1",
    elim: str = "~1",
    obj_names: Sequence[str] | None = None,
    undec: bool = True,
    ia: bool = False,
    NItest: bool = False,
    NI: bool = False,
    MIScommon: bool = False,
    MISmodel: MISModel = "obj",
    MISalpha: Sequence[bool] | None = None,
    MISbeta: Sequence[bool] | None = None,
    *,
    backend: BackendLike = None,
) -> PatternModel:
    """R's ``prefmod::pattPC.fit``: a pattern model of paired comparisons.

    Its ``resptype`` has no effect and ``pr.it`` only prints steps: neither is an argument here.

    Parameters
    ----------
    obj : DataFrame, mapping of str to array [persons], or Expr
        The pair columns first, in prefmod's order, then covariates; R source as ``Expr("prefmod::dat4")``.
    nitems : int
        At least 3.
    formel, elim : str
        Covariates of the model, and of the table.
    obj_names : sequence of str, optional
        Names of the items; default o1 ... oJ.
    undec : bool
        One undecided parameter; prefmod sets it to False where it counts two categories.
    ia : bool
        Dependence of comparisons that share an item.
    NItest : bool
        Separate item parameters of incomplete rows.
    NI : bool
        The likelihood of answers and gaps together, every comparison missing with probability 1/2.
    MIScommon : bool
        One missingness parameter.
    MISmodel : {"obj", "comp"}
        Missingness parameters of items, or of comparisons.
    MISalpha, MISbeta : bool[nitems] or bool[pairs], optional
        Those that the model has; beta depends on the answer that is missing.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    PatternModel

    Raises
    ------
    InputError, RError
        Covariates that prefmod would put aside, masks of another length; R's own.

    Examples
    --------
    >>> pattPC_fit(Expr("prefmod::dat4"), 4).params()  # doctest: +SKIP
    """
    function, pairs = "prefmod::pattPC.fit", nitems * (nitems - 1) // 2
    check_items(function, nitems)
    check_option("MISmodel", MISmodel, MISModel)
    check_names("obj_names", obj_names, nitems)
    for name, mask in (("MISalpha", MISalpha), ("MISbeta", MISbeta)):
        wanted = nitems if MISmodel == "obj" else pairs
        if mask is not None and len(mask) != wanted:
            raise InputError(f'{name} has {len(mask)} values; MISmodel = "{MISmodel}" takes {wanted}')
    missing = NItest or NI or MIScommon or any(MISalpha or ()) or any(MISbeta or ())
    check_covariates(formel, elim, missing, "models of missing comparisons")
    arguments = common_arguments(function, obj, pairs, nitems, formel, elim, obj_names) | {
        "undec": undec,
        "ia": ia,
        "NItest": NItest,
        "NI": NI,
        "MIScommon": MIScommon,
        "MISmodel": MISmodel,
        "MISalpha": optional(_mask, MISalpha),
        "MISbeta": optional(_mask, MISbeta),
    }
    return fit_pattern(function, arguments, backend)


def _mask(values: Sequence[bool]) -> list[bool]:
    return [bool(v) for v in values]


@asks(*NEEDS)
def pattR_fit(
    obj: Any,
    nitems: int,
    formel: str = "~1",
    elim: str = "~1",
    obj_names: Sequence[str] | None = None,
    ia: bool = False,
    NItest: bool = False,
    *,
    backend: BackendLike = None,
) -> PatternModel:
    """R's ``prefmod::pattR.fit``: a pattern model of rankings, full or partial.

    Parameters
    ----------
    obj : DataFrame, mapping of str to array [persons], or Expr
        Ranks, low is best; missing means ranked below every ranked item.  Rows with equal ranks are removed,
        with a printed line.
    nitems : int
        At least 3.
    formel, elim, obj_names, NItest : as :func:`pattPC_fit` has them
        Names default to the columns'.
    ia : bool
        Makes no sense for rankings, as prefmod then prints.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    PatternModel

    Raises
    ------
    InputError, RError
        Covariates that prefmod would put aside; R's own.

    Examples
    --------
    >>> pattR_fit(Expr("prefmod::salad"), 4).llf  # doctest: +SKIP
    """
    function = "prefmod::pattR.fit"
    check_items(function, nitems)
    check_names("obj_names", obj_names, nitems)
    check_covariates(formel, elim, NItest, "NItest")
    arguments = common_arguments(function, obj, nitems, nitems, formel, elim, obj_names)
    return fit_pattern(function, arguments | {"ia": ia, "NItest": NItest}, backend)


@asks(*NEEDS)
def pattL_fit(
    obj: Any,
    nitems: int,
    formel: str = "~1",
    elim: str = "~1",
    obj_names: Sequence[str] | None = None,
    undec: bool = True,
    ia: bool = False,
    NItest: bool = False,
    *,
    backend: BackendLike = None,
) -> PatternModel:
    """R's ``prefmod::pattL.fit``: a pattern model of ratings, which it turns into comparisons.

    Parameters
    ----------
    obj : DataFrame, mapping of str to array [persons], or Expr
        Ratings, low is preferred.  The patterns are those that the observed smallest and largest rating
        allow.
    nitems : int
        At least 2.
    formel, elim, obj_names, undec, ia, NItest : as :func:`pattPC_fit` has them
        Names default to the columns'.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    PatternModel

    Raises
    ------
    InputError, RError
        Covariates that prefmod would put aside; R's own.

    Examples
    --------
    >>> pattL_fit(Expr("prefmod::xmpl"), 3).names  # doctest: +SKIP
    """
    function = "prefmod::pattL.fit"
    check_items(function, nitems, 2)
    check_names("obj_names", obj_names, nitems)
    check_covariates(formel, elim, NItest, "NItest")
    arguments = common_arguments(function, obj, nitems, nitems, formel, elim, obj_names)
    return fit_pattern(function, arguments | {"undec": undec, "ia": ia, "NItest": NItest}, backend)
