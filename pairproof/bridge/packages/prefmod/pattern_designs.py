"""prefmod's pattern designs (patt.design), and models on them: by glm, by gnm, with latent classes.

prefmod's worth functions find a design by the name it has in the model's call, in the global environment.  So
R makes the design again in every call here, under the name ``design``, and the formulas stand in the call as
they are written.

Latent classes are pattnpml.fit, a mixture over the cells of a pattern table:

    L = prod_c sum_k pi_k Poisson(y_c; exp(x_c' beta + z_c' theta_k))

over cells c, so the ``masses`` pi are shares of cells, not of persons; shares of persons are the posteriors
weighted by the counts.  The EM starts from random posteriors: another seed may end at another maximum.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Union

from ....errors import InputError
from ...process.policy import BackendLike
from ...values.convert import data_frame, to_frame
from ...values.formulas import variables
from ...values.nodes import Expr, Formula, RArgument
from ..asking import REDUCE, Estimates, Floats, as_frame, asks, optional, program, sent
from .llbt import Design as AnyDesign, LLBTDesign, made_design
from .pattern_models import CALL, answers_table, check_names

Responses = Literal["paircomp", "ranking", "rating"]


@dataclass(frozen=True, eq=False)
class PatternDesign(AnyDesign):
    """A table of all patterns as ``patt.design`` makes it: one row per pattern and covariate cell.

    names: columns, in order: y (how often the pattern was given), the items, undecided and dependence
    columns, covariates.  objnames, undecided, dependence: the items; columns for undecided answers (u12 or
    U); columns for dependence (I12.13).  value: the data.frame as R has it.  arguments: of the call, so that
    a model can be fitted on the design in R.
    """

    undecided: tuple[str, ...]
    dependence: tuple[str, ...]

    def frame(self) -> Any:
        """The design as a pandas DataFrame."""
        return to_frame(self.value)


@asks("prefmod")
def patt_design(
    obj: Any,
    nitems: int,
    objnames: Sequence[str] | None = None,
    objcovs: Any = None,
    cat_scovs: Sequence[str] | None = None,
    num_scovs: Sequence[str] | None = None,
    resptype: Responses = "paircomp",
    reverse: bool = False,
    ia: bool = False,
    casewise: bool = False,
    *,
    backend: BackendLike = None,
) -> PatternDesign:
    """R's ``prefmod::patt.design``: all patterns with their counts and the columns of the model.

    Its old names of covariates (``cov.sel``) and whatever else its ``...`` would take without a word are no
    arguments here.

    Parameters
    ----------
    obj : DataFrame, mapping of str to array [persons], or Expr
        Answers first (pair columns in prefmod's order, ranks or ratings, low is preferred), then covariates.
        Of a table, only the named covariates go to R, since prefmod drops rows with a missing value in any
        column.
    nitems : int
    objnames : sequence of str, optional
        Names of the items; default o1 ... oJ for comparisons, else the columns'.
    objcovs : DataFrame or mapping, optional
        One row an item.
    cat_scovs, num_scovs : sequence of str, optional
        Columns that are categorical (1, 2, ..., K), and numeric, covariates of the persons; numeric ones make
        a block of patterns for every person.
    resptype : {"paircomp", "ranking", "rating"}
    reverse : bool
        High instead of low is preferred.
    ia : bool
        Columns for dependence.
    casewise : bool
        A block of patterns for every person.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    PatternDesign

    Raises
    ------
    InputError, RError
        Names of another number than items; R's own.

    Examples
    --------
    >>> patt_design(Expr("prefmod::salad"), 4, resptype="ranking").names  # doctest: +SKIP
    """
    function = "prefmod::patt.design"
    check_names("objnames", objnames, nitems)
    answers = nitems * (nitems - 1) // 2 if resptype == "paircomp" else nitems
    table = answers_table(function, obj, answers, [*(cat_scovs or ()), *(num_scovs or ())])
    made: dict[str, Any] = {"obj": table, "objcovs": optional(as_frame, objcovs), "reverse": reverse or None}
    made |= {"ia": ia or None, "casewise": casewise or None}
    made |= {"resptype": None if resptype == "paircomp" else resptype}
    variables = "obj nitems objnames objcovs cat.scovs num.scovs resptype reverse ia casewise"
    arguments = sent(backend, variables, **made)
    return made_design(PatternDesign, function, arguments, backend, "objnames", "undec", "ia")


# -- models on a design --------------------------------------------------------------------------------------

Design = Union[PatternDesign, LLBTDesign, Expr, RArgument, Mapping[str, Any], Any]

#: R: the design under its name, from its own call (``maker``) or as it is given; columns put over it.
_ASSIGN_DESIGN = """
design <- if (is.null(maker)) given else do.call(getExportedValue("prefmod", maker), given)
if (!is.null(columns)) design[names(columns)] <- columns
assign("design", design, envir = globalenv())
"""
MAKE_DESIGN = CALL + _ASSIGN_DESIGN


def design_arguments(design: Design, columns: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What ``MAKE_DESIGN`` needs to have this design in R."""
    over = None if columns is None else data_frame(columns)
    if isinstance(design, (PatternDesign, LLBTDesign)):
        maker = "patt.design" if isinstance(design, PatternDesign) else "llbt.design"
        if not design.arguments:
            raise InputError("this design does not know the arguments of its call; make it by llbt_design")
        # Source text among the arguments goes to R on its own: inside a list it would stay unevaluated.
        first = next(iter(design.arguments))
        rest = {k: v for k, v in design.arguments.items() if k != first}
        return {"maker": maker, "given": {}, "table": design.arguments[first], "rest": rest, "columns": over}
    return {"maker": None, "given": None, "table": as_frame(design), "rest": {}, "columns": over}


#: R: the arguments of :func:`design_arguments` put together.
GIVEN = "given <- if (is.null(maker)) table else c(list(table), rest)\n"

FIT_DESIGN = REDUCE + GIVEN + MAKE_DESIGN + program(__package__, "r/pattern_designs_fit")


@dataclass(frozen=True, eq=False)
class DesignModel(Estimates):
    """A model on a design of prefmod's, as R's ``glm`` or ``gnm`` fits it with their default settings.

    names: R's coefficient names.  coef, se float[n]: NaN (R's NA) where R finds a coefficient not estimable,
    or its own reference.  vcov float[k, k]: of the ``k`` estimable coefficients, named in ``vcov_names``.
    deviance, df_residual, loglik, df, aic: as R defines them, of the Poisson model; for gnm ``df`` counts the
    eliminated constants.  arguments: of the call, so that :func:`llbt_worth` and :func:`patt_worth` can
    repeat it.
    """

    vcov_names: tuple[str, ...]
    deviance: float
    df_residual: float
    loglik: float
    df: float
    aic: float
    converged: bool
    iterations: int
    arguments: Mapping[str, Any] = field(repr=False)


@asks("prefmod", "gnm")
def fit_design(
    formula: str,
    design: Design,
    eliminate: str | None = None,
    columns: Mapping[str, Any] | None = None,
    *,
    backend: BackendLike = None,
) -> DesignModel:
    """``glm(formula, data = design, family = poisson)``, or ``gnm`` with ``eliminate``: no function of
    prefmod's, but what its help pages do with its designs.

    Parameters
    ----------
    formula : str
        With ``y`` on the left.
    design : LLBTDesign, PatternDesign, a table, or Expr
    eliminate : str, optional
        Nuisance factor, such as "mu" or "mu:SEX".
    columns : mapping of str to array, optional
        Put into the design over its own columns: counts ``y``, a position effect.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    DesignModel

    Raises
    ------
    FormulaError, RError
        A text that is more than a formula; R's own.

    Examples
    --------
    >>> fit_design("y ~ A + B + C + D", patt_design(salad, 4, resptype="ranking")).deviance  # doctest: +SKIP
    """
    made = {"formula": Formula(formula), "eliminate": optional(lambda by: Formula(f"~{by}"), eliminate)}
    arguments = design_arguments(design, columns) | made
    # A design may have more rows than a record should: expected counts stay in R.
    code = FIT_DESIGN + 'reduced <- reduce(model, b, V)\nreduced[names(reduced) != "fitted"]\n'
    label = "stats::glm on a design" if eliminate is None else "gnm::gnm on a design"
    return DesignModel.ask(backend, label, code, arguments)


_FIT_NPML = """
fit <- as_typed("prefmod::pattnpml.fit", list(formula, random = random, k = k, design = quote(design)), list(
  EMmaxit = EMmaxit, EMdev.change = EMdev.change, seed = seed))
"""
PATTNPML = GIVEN + MAKE_DESIGN + _FIT_NPML

REDUCE_NPML = program(__package__, "r/pattern_designs_reduce_npml")


@dataclass(frozen=True, eq=False)
class NPMLModel(Estimates):
    """Latent classes over the cells of a pattern table, as prefmod's EM ends.

    names: ``o1:MASS1``: item o1 in class 1.  coef, se float[n]: NaN (R's NA) where R finds a coefficient not
    estimable. The standard errors are those of the last weighted glm: they take the class of every cell as
    known.  vcov float[m, m]: of the estimable coefficients, named in ``vcov_names``.  masses float[k]: pi:
    shares of **cells**.  persons float[k]: shares of persons: posteriors weighted by the counts.  posterior
    float[cells, k]: probability of each class given the cell.  disparity: -2 log L; compare it over seeds.
    deviance, loglik, df, aic, bic: as prefmod defines them.  iterations: EM steps.  lines: what prefmod
    printed.  arguments: of the call, so that :func:`patt_worth` can repeat it.
    """

    vcov_names: tuple[str, ...]
    masses: Floats
    persons: Floats
    posterior: Floats = field(repr=False)
    disparity: float
    deviance: float
    loglik: float
    df: float
    aic: float
    bic: float
    iterations: int
    converged: bool
    lines: tuple[str, ...] = field(repr=False)
    arguments: Mapping[str, Any] = field(repr=False)


@asks("prefmod")
def pattnpml_fit(
    formula: str,
    random: str,
    k: int,
    design: Design,
    EMmaxit: int = 5000,
    EMdev_change: float = 1e-10,
    seed: int = 1,
    *,
    backend: BackendLike = None,
) -> NPMLModel:
    """R's ``prefmod::pattnpml.fit(formula, random, k, design, EMmaxit, EMdev.change, seed)``.

    R's own defaults are ``EMdev.change = 0.001``, which stops up to 3e-3 short in the disparity, ``EMmaxit =
    500`` and a seed from the clock; they are other here.  Its ``tol`` and ``startp`` have no effect and are no
    arguments.

    Parameters
    ----------
    formula : str
        Fixed terms: ``y ~ 1``.
    random : str
        Terms that differ between classes: ``~o1 + o2 + o3``.
    k : int
        Classes, 2 to 21. One class drops ``random`` without a word, and is refused.
    design : PatternDesign, a table, or Expr
        ``Expr("prefmod::euro55.2.des")`` is one that prefmod brings.
    EMmaxit : int
    EMdev_change : float
        The EM stops when the disparity changes by less.
    seed : int
        Of the random start; try several and keep the smallest ``disparity``.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    NPMLModel

    Raises
    ------
    InputError, RError
        One class, or no random terms (prefmod stops with "invalid formula"); R's own.

    Examples
    --------
    >>> m = pattnpml_fit("y ~ 1", "~o1 + o2 + o3", 2, patt_design(answers, 4))  # doctest: +SKIP
    >>> m.disparity, m.persons                                                  # doctest: +SKIP
    """
    if not 2 <= k <= 21:
        raise InputError(f"prefmod fits 2 to 21 classes, found k = {k}; with one it drops the random terms")
    if not variables(random, "random"):
        raise InputError(f"random is {random!r}; name the terms that differ between classes, as '~o1 + o2'")
    made: dict[str, Any] = {"formula": Formula(formula), "random": Formula(random)}
    given = sent(backend, "formula random k EMmaxit EMdev.change seed", **made)
    arguments, code = design_arguments(design) | given, PATTNPML + REDUCE_NPML
    return NPMLModel.ask(backend, "prefmod::pattnpml.fit", code, arguments, seed=seed)
