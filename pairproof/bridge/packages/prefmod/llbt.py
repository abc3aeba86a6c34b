"""prefmod under its own names: llbt.design, llbt.fit, llbtPC.fit, llbt.worth (dots become underscores).

prefmod reads pair columns in the order (12)(13)(23)(14)(24)(34)...: column ``(j-1)(j-2)/2 + i`` is pair (i,
j), i < j.  The smallest of non-negative codes means "first preferred"; with a negative code the positive ones
do.  It counts response categories among the values that occur.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import erfc, sqrt
from typing import Any, TypeVar

import numpy as np

from ...process.policy import BackendLike
from ...values.formulas import variables
from ...values.nodes import Expr, Formula, RList, RVector
from .. import asking
from ..asking import Floats, RAnswer, RModel, as_frame, ask, asks, call, optional, program, reals, sent


@dataclass(frozen=True, eq=False)
class Design(RAnswer):
    """A design of prefmod's: its columns, its items, the data.frame as R has it, and the arguments of the call."""

    names: tuple[str, ...]
    objnames: tuple[str, ...]
    value: RList = field(repr=False, kw_only=True)
    arguments: Mapping[str, Any] = field(default_factory=dict, repr=False, kw_only=True)

    def column(self, name: str) -> Any:
        """A column as an array; a factor as its level names."""
        vector = self.value.vector(name)
        return vector.values if vector.levels is None else np.array(asking.strings(vector), dtype=object)


SomeDesign = TypeVar("SomeDesign", bound=Design)


def made_design(
    kind: type[SomeDesign], function: str, given: Mapping[str, Any], backend: Any, *attributes: str
) -> SomeDesign:
    """The design that prefmod makes, without arguments that are None; ``attributes`` are of the items and what follows."""
    arguments = {k: v for k, v in given.items() if v is not None}
    result = call(backend, function, arguments)
    value = result.as_list()
    given_names = map(value.attributes.get, attributes)
    named = (asking.strings(v) if isinstance(v, RVector) else () for v in given_names)
    return kind(value.names or (), *named, value=value, arguments=arguments, result=result)


@dataclass(frozen=True, eq=False)
class LLBTDesign(Design):
    """A design as ``llbt.design`` makes it.

    names: columns, in order: y, mu, g0 (g1, g2), the items, covariates.  objnames, categories: the items; the
    columns for answers (g0, g1, g2).  value: the data.frame as R has it;
    :func:`pairproof.bridge.values.convert.to_frame` makes it pandas'.  arguments: of the call, so that a model
    can be fitted on the design in R.
    """

    categories: tuple[str, ...]


@asks("prefmod")
def llbt_design(
    data: Any,
    nitems: int,
    objnames: Sequence[str] | None = None,
    objcovs: Any = None,
    cat_scovs: Sequence[str] | None = None,
    num_scovs: Sequence[str] | None = None,
    casewise: bool = False,
    *,
    backend: BackendLike = None,
) -> LLBTDesign:
    """R's ``prefmod::llbt.design(data, nitems, objnames, objcovs, cat.scovs, num.scovs, casewise)``.

    Parameters
    ----------
    data : DataFrame, or mapping of str to array [judges]
        The pair columns first, in prefmod's order, then covariates (all numeric).
    nitems : int
    objnames : sequence of str, optional
        Names of the items; default o1 ... oJ.
    objcovs : DataFrame or mapping, optional
        One row an item.
    cat_scovs, num_scovs : sequence of str, optional
        Columns that are categorical, and numeric, covariates of the judges.
    casewise : bool
        A block of rows for every judge.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    LLBTDesign
        One row for each answer to each pair (within each group of judges).

    Raises
    ------
    ValueError, RError
        ``objnames`` of another length than ``nitems``, which prefmod would silently ignore; R's own.

    Examples
    --------
    >>> llbt_design({"V1": [0, 1, 0], "V2": [0, 0, 1], "V3": [0, 1, 1]}, nitems=3).names  # doctest: +SKIP
    """
    if objnames is not None and len(objnames) != nitems:
        found = f"objnames has {len(objnames)} names for {nitems} items"
        raise ValueError(f"{found}; prefmod would ignore them silently")
    made = {"data": as_frame(data), "objcovs": optional(as_frame, objcovs), "casewise": casewise or None}
    variables = "data nitems objnames objcovs cat.scovs num.scovs casewise"
    arguments = sent(backend, variables, **made)
    return made_design(LLBTDesign, "prefmod::llbt.design", arguments, backend, "objnames", "categories")


#: llbt.fit only prints, rounded to 4 decimals. It is run unchanged, except that it finds another ``print``:
#: one that looks at the caller's variables first and then prints. The arithmetic is untouched, and what was
#: seen must round to what was printed, or R stops.
LLBT_FIT = program(__package__, "r/llbt_llbt_fit")


@dataclass(frozen=True, eq=False)
class LLBTFit(RAnswer):
    """An LLBT as ``llbt.fit`` computed it, at full precision, and what it printed.

    estimate, se, z float[n]: not the maximum: llbt.fit stops when the deviance changes by less than 1e-4 of
    itself, which leaves estimates good to about 1e-6 and standard errors to 1e-5.  p_one_sided float[n]: as
    its column P(z): one-sided.  printed float[n, 4]: estimate, Std. Error, z, P(z), rounded to 4 decimals by
    R.  lines: the printout itself.
    """

    names: tuple[str, ...]
    estimate: Floats
    se: Floats
    z: Floats
    p_one_sided: Floats
    deviance: float
    df: int
    iterations: int
    printed: Floats = field(repr=False)
    lines: tuple[str, ...] = field(repr=False)


@asks("prefmod")
def llbt_fit(
    y: Sequence[float] | Expr,
    Xmodel: Mapping[str, Any] | Expr,
    q: int,
    ncat: int,
    maxiter: int = 100,
    *,
    backend: BackendLike = None,
) -> LLBTFit:
    """R's ``prefmod::llbt.fit(y, Xmodel, q, ncat, maxiter)``.

    Parameters
    ----------
    y : float[rows], or Expr
        Counts, one row a category within a comparison, the rows of a comparison together.
    Xmodel : mapping of str to float[rows], or Expr
        The design's columns without the nuisance ones; R source goes to R as it is written.
    q : int
        Number of eliminated parameters (comparisons times covariate cells).
    ncat : int
        Response categories, 2 or 3.
    maxiter : int
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    LLBTFit
        float[n] of the n columns of ``Xmodel``, in lambda (log worth = 2 lambda).

    Raises
    ------
    RError
        "computationally singular" wherever the data fit exactly (a saturated table), and R's other errors.

    Examples
    --------
    >>> design = llbt_design(wide, nitems=3)                                           # doctest: +SKIP
    >>> llbt_fit(design.column("y"), {"o1": design.column("o1")}, q=3, ncat=2).estimate  # doctest: +SKIP
    """
    made: dict[str, Any] = {"y": y if isinstance(y, Expr) else reals(y)}
    made |= {"Xmodel": Xmodel if isinstance(Xmodel, Expr) else asking.columns_matrix(Xmodel)}
    arguments = sent(backend, "y Xmodel q ncat maxiter", **made)
    result = ask(backend, "prefmod::llbt.fit", LLBT_FIT, arguments)
    value = result.as_list()
    z = value.vector("estimate").floats() / value.vector("se").floats()
    tails = np.array([0.5 * erfc(abs(v) / sqrt(2.0)) for v in z])
    return LLBTFit.read(result, z=z, p_one_sided=tails, lines=result.output)


FIT = """
fit <- prefmod::llbtPC.fit(obj, nitems, formel = formel, elim = elim, resptype = resptype, obj.names = obj.names,
                           undec = undec)
"""
LLBTPC_FIT = asking.REDUCE + FIT + program(__package__, "r/llbt_reduce_llbtpc")


@dataclass(frozen=True, eq=False)
class LLBTPCModel(RModel):
    """An LLBT as ``llbtPC.fit`` fits it.

    objects: rows of ``worth``: the items.  groups: columns of ``worth``: covariate groups; one empty name
    without covariates.  worth float[items, groups] or None: ``llbt.worth(fit)``; None where llbt.worth stops,
    see ``worth_error``.  worth_error: R's message where llbt.worth stopped.  arguments: of the call, so that
    :func:`llbt_worth` can repeat it.
    """

    objects: tuple[str, ...]
    groups: tuple[str, ...]
    worth: Floats | None
    worth_error: str
    arguments: Mapping[str, Any] = field(repr=False)


@asks("prefmod")
def llbtPC_fit(
    obj: Any,
    nitems: int,
    formel: str = "~1",
    elim: str = "~1",
    resptype: str = "paircomp",
    obj_names: Sequence[str] | None = None,
    undec: bool = True,
    *,
    backend: BackendLike = None,
) -> LLBTPCModel:
    """R's ``prefmod::llbtPC.fit(obj, nitems, formel, elim, resptype, obj.names, undec)``.

    Parameters
    ----------
    obj : DataFrame, or mapping of str to array [judges]
        The pair columns in prefmod's order, then only the covariates that are used (prefmod drops rows with a
        missing value in any further column).
    nitems : int
    formel, elim : str
        Covariates of the model, and of the table. A covariate of ``formel`` that is not in ``elim`` is
        dropped by prefmod without a word; here it is refused.
    resptype : {"paircomp", "ranking", "rating"}
    obj_names : sequence of str, optional
        Names of the items; default o1 ... oJ.
    undec : bool
        False leaves the undecided parameter out (held at 0) where ties occur.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    LLBTPCModel
        Coefficients in lambda (log worth = 2 lambda); the last item's is R's NA.

    Raises
    ------
    ValueError, RError
        See ``formel``; R's own, with two items "dim(X) must have a positive length".

    Examples
    --------
    >>> judges = {"V1": [0, 1, 0, 2], "V2": [0, 0, 2, 1], "V3": [0, 2, 1, 2]}
    >>> llbtPC_fit(judges, nitems=3).worth  # doctest: +SKIP
    """
    dropped = sorted({*variables(formel, "formel")} - {*variables(elim, "elim")})
    if dropped:
        stands = f"{', '.join(dropped)} stands in formel ({formel}) but not in elim ({elim})"
        raise ValueError(f"{stands}; prefmod would fit the model without it")
    made: dict[str, Any] = {"obj": as_frame(obj), "formel": Formula(formel), "elim": Formula(elim)}
    arguments = sent(backend, "obj nitems formel elim resptype obj.names undec", **made)
    result = ask(backend, "prefmod::llbtPC.fit", LLBTPC_FIT, arguments, ("prefmod", "gnm"))
    worth = result.as_list().vector("worth")
    found: dict[str, Any] = {"objects": (), "groups": (), "worth": None, "worth_error": ""}
    if worth.values.dtype.kind in "fi":
        groups = worth.margin(1) or ("",)
        found |= {"objects": worth.margin(0), "groups": groups, "worth": worth.floats()}
    else:
        found["worth_error"] = str(worth.scalar())
    return LLBTPCModel.read(result, **found, arguments=arguments)


_WORTHS = """table <- unclass(prefmod::llbt.worth(fit, outmat = outmat))
attr(table, "objtable") <- NULL
table
"""
LLBT_WORTH = FIT + _WORTHS


@dataclass(frozen=True, eq=False)
class WorthTable(RAnswer):
    """Worths or estimates, items in rows, covariate groups in columns.

    values float[items, groups].  objtable: with object covariates prefmod has a row for each group of items
    that share them, and this legend: the covariates' values, and the items of each group.
    """

    objects: tuple[str, ...]
    groups: tuple[str, ...]
    values: Floats
    objtable: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def frame(self) -> Any:
        """Items in rows, groups in columns, as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.values, index=list(self.objects), columns=list(self.groups))


def llbtpc_worth(fitobj: LLBTPCModel, outmat: str, backend: Any) -> WorthTable:
    """``llbt.worth`` of a model of ``llbtPC.fit``, which is fitted again in the same call."""
    arguments = {**fitobj.arguments, "outmat": outmat}
    result = ask(backend, "prefmod::llbt.worth", LLBT_WORTH, arguments)
    table = asking.vector_of(result)
    return WorthTable(table.margin(0), table.margin(1) or ("",), table.floats(), result=result)
