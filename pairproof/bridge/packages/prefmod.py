"""prefmod under its own names: llbt.design, llbt.fit, llbtPC.fit, llbt.worth (dots become underscores).

prefmod reads pair columns in the order (12)(13)(23)(14)(24)(34)...: column ``(j-1)(j-2)/2 + i`` is pair (i,
j), i < j. Among non-negative codes the smallest means "first preferred"; with a negative code the positive
ones do.  It counts response categories among the values that occur.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from pairproof.bridge.packages.models import (
    REDUCE,
    Floats,
    RModel,
    as_frame,
    asks,
    model_fields,
    named_matrix,
    number,
)
from pairproof.bridge.process.policy import BackendLike, backend as policy
from pairproof.bridge.records.result import RResult
from pairproof.bridge.values.convert import matrix
from pairproof.bridge.values.values import Formula, RList, RVector

if TYPE_CHECKING:
    import pandas as pd

NEEDS = ("prefmod",)
Outmat = Literal["worth", "est"]


@dataclass(frozen=True, eq=False)
class LLBTDesign:
    """What ``llbt.design`` returns.

    Attributes
    ----------
    names : tuple of str
        Columns, in order: y, mu, g0 (g1, g2), the items, covariates.
    objnames, categories : tuple of str
    value : RList
        The data.frame as R has it.
    """

    names: tuple[str, ...]
    objnames: tuple[str, ...]
    categories: tuple[str, ...]
    value: RList = field(repr=False)
    result: RResult = field(repr=False)

    def column(self, name: str) -> Any:
        """A column as an array; a factor as its level names."""
        vector = self.value.vector(name)
        if vector.levels is None:
            return vector.values
        return np.array([vector.levels[code - 1] for code in vector.values], dtype=object)

    def frame(self) -> pd.DataFrame:
        """The design as a pandas DataFrame."""
        from pairproof.bridge.values.frames import to_frame

        return to_frame(self.value)


@asks(*NEEDS)
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
    """R's ``llbt.design(data, nitems, objnames, objcovs, cat.scovs, num.scovs, casewise)``.

    Parameters
    ----------
    data : DataFrame or mapping of str to array
        One row a judge; the pair columns first, in prefmod's order, then covariates (all numeric).
    objcovs : DataFrame or mapping, optional
        One row an item.

    Raises
    ------
    ValueError
        Where prefmod would silently ignore ``objnames`` of another length than ``nitems``.
    RError
        R's own.
    """
    if objnames is not None and len(objnames) != nitems:
        raise ValueError(
            f"objnames has {len(objnames)} names for {nitems} items; prefmod would ignore them silently"
        )
    optional = {
        "objnames": None if objnames is None else list(objnames),
        "objcovs": None if objcovs is None else as_frame(objcovs),
        "cat.scovs": None if cat_scovs is None else list(cat_scovs),
        "num.scovs": None if num_scovs is None else list(num_scovs),
    }
    arguments = {
        "data": as_frame(data),
        "nitems": int(nitems),
        **{k: v for k, v in optional.items() if v is not None},
    }
    if casewise:
        arguments["casewise"] = True
    result = policy(backend).call("prefmod::llbt.design", arguments, needs=NEEDS)
    value = result.as_list()

    def said(name: str) -> tuple[str, ...]:
        found = value.attributes.get(name)
        return tuple(found.values) if isinstance(found, RVector) else ()

    return LLBTDesign(value.names or (), said("objnames"), said("categories"), value, result)


#: llbt.fit only prints, rounded to 4 decimals. This runs it as it is, in an environment where ``print`` alone
#: is another: one that looks at the caller's variables first and then prints. The arithmetic is untouched,
#: and what was seen must round to what was printed, or R stops.
LLBT_FIT = """
seen <- NULL
watching <- new.env(parent = environment(prefmod::llbt.fit))
watching$print <- function(x, ...) { seen <<- as.list.environment(parent.frame()); base::print(x, ...) }
llbt.fit <- prefmod::llbt.fit
environment(llbt.fit) <- watching
printed <- llbt.fit(y = y, Xmodel = Xmodel, q = q, ncat = ncat, maxiter = maxiter)
absent <- setdiff(c("b", "se", "p", "q", "dev", "iter", "y"), names(seen))
if (length(absent)) stop("llbt.fit is not the function this was written for; it has no ", paste(absent, collapse = ", "))
estimate <- unname(seen$b[seq_len(seen$p)])
se <- unname(seen$se)
if (!identical(round(estimate, 4), printed[[1L]]) || !identical(round(se, 4), printed[[2L]]))
  stop("the numbers seen in llbt.fit do not round to those it printed")
list(names = rownames(printed), estimate = estimate, se = se, deviance = seen$dev,
     df = length(seen$y) - seen$p - seen$q, iterations = seen$iter, printed = unclass(as.matrix(printed)))
"""


@dataclass(frozen=True, eq=False)
class LLBTFit:
    """What ``llbt.fit`` computed, at full precision, and what it printed.

    Attributes
    ----------
    names : tuple of str
    estimate, se : float[n]
        Not the maximum: llbt.fit stops when the deviance changes by less than 1e-4 of itself, which leaves
        estimates good to about 1e-6 and standard errors to 1e-5.
    p_one_sided : float[n]
        As its column P(z): one-sided.
    printed : float[n, 4]
        Estimate, Std. Error, z, P(z), rounded to 4 decimals by R.
    lines : tuple of str
        The printout itself.
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
    result: RResult = field(repr=False)


@asks(*NEEDS)
def llbt_fit(
    y: Sequence[float],
    Xmodel: Mapping[str, Any],
    q: int,
    ncat: int,
    maxiter: int = 100,
    *,
    backend: BackendLike = None,
) -> LLBTFit:
    """R's ``llbt.fit(y, Xmodel, q, ncat, maxiter)``.

    Parameters
    ----------
    y : counts, one row a category within a comparison, comparisons together
    Xmodel : mapping of str to column
        The design's columns without the nuisance ones.
    q : int
        Number of eliminated parameters (comparisons times covariate cells).
    ncat : int
        Response categories, 2 or 3.

    Raises
    ------
    RError
        "computationally singular" wherever the data fit exactly (a saturated table), and R's other errors.
    """
    from math import erfc, sqrt

    names = list(Xmodel)
    columns = np.column_stack([np.asarray(Xmodel[n], dtype=np.float64) for n in names])
    arguments = {
        "y": np.asarray(y, dtype=np.float64),
        "Xmodel": matrix(columns, names),
        "q": int(q),
        "ncat": int(ncat),
        "maxiter": int(maxiter),
    }
    result = policy(backend).call(code=LLBT_FIT, args=arguments, needs=NEEDS, label="prefmod::llbt.fit")
    value = result.as_list()
    estimate, se = value.vector("estimate").floats(), value.vector("se").floats()
    z = estimate / se
    tails = np.array([0.5 * erfc(abs(v) / sqrt(2.0)) for v in z])
    return LLBTFit(
        tuple(value.vector("names").values),
        estimate,
        se,
        z,
        tails,
        number(value["deviance"]),
        int(number(value["df"])),
        int(number(value["iterations"])),
        value.vector("printed").floats(),
        result.output,
        result,
    )


LLBTPC_FIT = (
    REDUCE
    + """
fit <- prefmod::llbtPC.fit(obj, nitems, formel = formel, elim = elim, resptype = resptype, obj.names = obj.names,
                           undec = undec)
b <- stats::coef(fit)
known <- which(!is.na(b))
V <- matrix(as.numeric(stats::vcov(fit)), length(b), length(b), dimnames = list(names(b), names(b)))
V <- V[known, known, drop = FALSE]
worth <- tryCatch(unclass(prefmod::llbt.worth(fit, outmat = "worth")), error = function(e) conditionMessage(e))
attr(worth, "objtable") <- NULL
c(reduce(fit, b, V), list(worth = worth))
"""
)


@dataclass(frozen=True, eq=False)
class LLBTPCModel(RModel):
    """What ``llbtPC.fit`` returns.

    Attributes
    ----------
    groups : tuple of str
        Columns of ``worth``: covariate groups; one empty name without covariates.
    worth : float[items, groups] or None
        ``llbt.worth(fit)``; None where llbt.worth stops, see ``worth_error``.
    arguments : mapping
        Of the call, so that :func:`llbt_worth` can repeat it.
    """

    objects: tuple[str, ...]
    groups: tuple[str, ...]
    worth: Floats | None
    worth_error: str
    arguments: Mapping[str, Any] = field(repr=False)


@asks(*NEEDS)
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
    """R's ``llbtPC.fit(obj, nitems, formel, elim, resptype, obj.names, undec)``.

    Parameters
    ----------
    obj : DataFrame or mapping of str to array
        One row a judge: the pair columns in prefmod's order, then only the covariates that are used (prefmod
        drops rows with a missing value in any further column).
    formel, elim : str
        Covariates of the model, and of the table. A covariate of ``formel`` that is not in ``elim`` is
        dropped by prefmod without a word; here it is refused.
    undec : bool
        False leaves the undecided parameter out (held at 0) where ties occur.

    Raises
    ------
    ValueError
        See ``formel``.
    RError
        R's own; with two items "dim(X) must have a positive length".
    """
    lost = sorted(_variables(formel) - _variables(elim))
    if lost:
        raise ValueError(
            f"{', '.join(lost)} stands in formel ({formel}) but not in elim ({elim}); prefmod would fit the "
            "model without it"
        )
    arguments = {
        "obj": as_frame(obj),
        "nitems": int(nitems),
        "formel": Formula(formel),
        "elim": Formula(elim),
        "resptype": resptype,
        "obj.names": None if obj_names is None else list(obj_names),
        "undec": undec,
    }
    result = policy(backend).call(
        code=LLBTPC_FIT, args=arguments, needs=("prefmod", "gnm"), label="prefmod::llbtPC.fit"
    )
    worth = result.as_list().vector("worth")
    failed = worth.values.dtype.kind not in "fi"
    objects: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    if not failed:
        margins = worth.dimnames or (None, None)
        objects, groups = margins[0] or (), margins[1] or ("",)
    return LLBTPCModel(
        **model_fields(result),
        objects=objects,
        groups=groups,
        worth=None if failed else worth.floats(),
        worth_error=str(worth.scalar()) if failed else "",
        arguments=arguments,
    )


LLBT_WORTH = """
fit <- prefmod::llbtPC.fit(obj, nitems, formel = formel, elim = elim, resptype = resptype, obj.names = obj.names,
                           undec = undec)
table <- unclass(prefmod::llbt.worth(fit, outmat = outmat))
attr(table, "objtable") <- NULL
table
"""


@dataclass(frozen=True, eq=False)
class WorthTable:
    """Items in rows, covariate groups in columns."""

    objects: tuple[str, ...]
    groups: tuple[str, ...]
    values: Floats
    result: RResult = field(repr=False)


@asks(*NEEDS)
def llbt_worth(fitobj: LLBTPCModel, outmat: Outmat = "worth", *, backend: BackendLike = None) -> WorthTable:
    """R's ``llbt.worth(fitobj, outmat)``: worths exp(2 lambda) / sum, or the estimates themselves
    (``"est"``).

    The model is fitted again in the same call, since no R object outlives its call here.

    Raises
    ------
    RError
        R's own.
    """
    if outmat not in get_args(Outmat):
        raise ValueError(f"outmat is {outmat!r}; expected one of {get_args(Outmat)}")
    result = policy(backend).call(
        code=LLBT_WORTH,
        args={**fitobj.arguments, "outmat": outmat},
        needs=("prefmod", "gnm"),
        label="prefmod::llbt.worth",
    )
    table = result.value
    if not isinstance(table, RVector) or table.values.ndim != 2:
        raise TypeError(f"expected a matrix from llbt.worth, found {table!r}")
    columns, values = named_matrix(table)
    rows = table.dimnames[0] if table.dimnames is not None else None
    return WorthTable(rows or (), columns or ("",), values, result)


def _variables(formula: str) -> set[str]:
    """Names in an R formula."""
    import re

    return {name for name in re.findall(r"[A-Za-z.][\w.]*", formula) if name not in ("factor", "C", "I")}
