"""Pattern models as prefmod fits them: pattPC.fit, pattR.fit, pattL.fit, pattLrep.fit, pattRrep.fit.

prefmod turns its table into one matrix of numbers.  A column of text or a factor among them turns every
number into text of 7 digits first, so only the answers and the covariates that a formula names go to R; what
it would misread or drop without a word is refused before R is asked.

prefmod maximises with ``nlm`` from zeros, with numeric derivatives, and stops at a gradient of 1e-6:
estimates are good to 1e-6 to 3e-5, standard errors to 3e-4 of themselves.  What it stores as ``ll`` is the
last value that the numeric Hessian asked for, up to 2e-4 below the maximum it found; ``llf`` here is minus
nlm's minimum.

Of repeated measurements (pattLrep.fit for ratings, pattRrep.fit for rankings) prefmod enumerates the patterns
of all times together, |patterns|^T of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from ....errors import InputError
from ...process.policy import BackendLike
from ...values.convert import data_frame
from ...values.formulas import variables as variables_of
from ...values.nodes import Expr, Formula, RArgument, is_pandas
from ..asking import Estimates, Floats, asks, optional, program, sent


def answers_table(
    function: str, data: Any, answers: int, covariates: Sequence[str] = (), least_rows: int = 2
) -> Any:
    """The first ``answers`` columns of a table and the named covariates after them, all numbers.

    Parameters
    ----------
    function : str
        prefmod's name of the function, for messages.
    data : DataFrame, mapping of str to array [persons], or Expr
        R source (``Expr("prefmod::salad")``) goes to R as it is written, unchecked.
    answers : int
        Columns that hold answers.
    covariates : sequence of str
        Names of the covariates that are used.
    least_rows : int
        prefmod stops with fewer, with an error about dimensions.

    Raises
    ------
    InputError
        Too few columns or rows, a covariate that is not a column, a column that is not numeric.
    TypeError
        The table is none of these.
    """
    if isinstance(data, (Expr, RArgument)):
        return data
    columns = _columns(data)
    names = list(columns)
    if len(names) < answers:
        found = f"the table has {len(names)}: {names}"
        raise InputError(f"{function} needs {answers} columns of answers; {found}")
    if not answers:
        raise InputError(f"{function} needs a table with columns")
    absent = [name for name in covariates if name not in names[answers:]]
    if absent:
        there = f"beside the {answers} columns of answers; there are {names[answers:] or 'none'}"
        raise InputError(f"{', '.join(absent)} is not a column {there}")
    used = [*names[:answers], *covariates]
    for name in used:
        _check_numeric(function, name, columns[name])
    rows = len(columns[used[0]])
    if rows < least_rows:
        raise InputError(f"{function} needs at least {least_rows} rows (persons), found {rows}")
    return data[used] if is_pandas(data) else data_frame({name: columns[name] for name in used})


def check_items(function: str, nitems: int, least: int = 3) -> None:
    """Refuse fewer items than prefmod can fit: it stops with an error about dimensions."""
    if nitems < least:
        raise InputError(f"{function} needs at least {least} items, found nitems = {nitems}")


def check_names(argument: str, names: Sequence[str] | None, n: int, what: str = "items") -> None:
    """Refuse names of another number than the items, which prefmod would ignore or fill with NA."""
    if names is not None and len(names) != n:
        found = f"{argument} has {len(names)} names for {n} {what}"
        raise InputError(f"{found}; prefmod would not use them, or fill up with NA")


def _columns(data: Any) -> dict[str, Any]:
    if isinstance(data, Mapping):
        return {str(name): values for name, values in data.items()}
    if is_pandas(data) and hasattr(data, "columns"):
        return {str(name): data[name] for name in data.columns}
    expected = "a pandas DataFrame, a mapping of column name to values, or R source"
    raise TypeError(f"expected {expected}, found {type(data).__name__}")


def _check_numeric(function: str, name: str, values: Any) -> None:
    """Numbers, booleans and missing values; pandas' nullable integers among them."""
    if is_pandas(values):
        numeric = getattr(values.dtype, "kind", "O") in "biuf"
    else:
        known = [v for v in np.asarray(values, dtype=object).ravel().tolist() if v is not None]
        numeric = all(isinstance(v, (bool, int, float, np.number, np.bool_)) for v in known)
    if not numeric:
        why = f"column {name!r} is not numeric; {function} turns its whole table into numbers"
        cure = "give answers as numbers and categories of a covariate as 1, 2, ..., K"
        raise InputError(f"{why}: {cure}")


MISModel = Literal["obj", "comp"]

#: R: the call as a user types it, its literal arguments in it, since print and patt.worth show or read it.
CALL = """
as_typed <- function(fun, first, given) eval(as.call(c(list(str2lang(fun)), first, given[!vapply(given, is.null, NA)])), parent.frame())
"""

#: R: a fit's numbers at full precision.  ``print`` alone rounds them, and it alone knows their names; it is
#: run unchanged in an environment where ``print`` also remembers the table and ``solve`` of a singular
#: Hessian gives NaN, which is told in ``print_error``.  What is returned must round to what was printed.
REDUCE_PATTERN = program(__package__, "r/pattern_models_reduce_pattern")


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


def fit_pattern(
    backend: Any,
    function: str,
    variables: str,
    *,
    least: int = 3,
    answers: int | None = None,
    without: bool | None = None,
    what: str = "NItest",
    **made: Any,
) -> PatternModel:
    """Ask R for a fit of what the function that asks was given, checked as all of prefmod's fits need it: ``answers``
    columns come first in the table; prefmod puts covariates aside for ``what`` it fits ``without``.
    """
    given = ("obj", "nitems", "formel", "elim", "obj_names")
    obj, nitems, formel, elim, names = (backend.values[name] for name in given)
    tpoints = backend.values.get("tpoints")
    check_items(function, nitems, least)
    if tpoints is not None and tpoints < 2:
        raise InputError(f"{function} needs at least 2 times, found tpoints = {tpoints}")
    columns = nitems * (tpoints or 1)
    check_names("obj_names", names, columns, "columns (items times times)" if tpoints else "items")
    named, used = variables_of(formel, "formel"), variables_of(elim, "elim")
    dropped = sorted({*named} - {*used})
    if dropped:
        found = f"{', '.join(dropped)} stands in formel ({formel}) but not in elim ({elim})"
        needed = "prefmod needs every covariate of formel in elim"
        raise InputError(f"{found}, the formula of the table; {needed}")
    if used and (backend.values["NItest"] if without is None else without):
        why = f"prefmod fits {what} without covariates and would put them aside"
        raise InputError(f"{', '.join(used)}: {why}")
    made |= {"obj": answers_table(function, obj, answers or columns, used)}
    made |= {"formel": Formula(formel), "elim": Formula(elim)}
    arguments = sent(backend, f"obj nitems formel elim obj.names {variables}", **made)
    code = fit_code(function, arguments) + REDUCE_PATTERN + "reduce_pattern(fit)\n"
    return PatternModel.ask(backend, function, code, arguments, function=function)


@asks("prefmod")
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
    pairs = nitems * (nitems - 1) // 2
    for name, mask in (("MISalpha", MISalpha), ("MISbeta", MISbeta)):
        wanted = nitems if MISmodel == "obj" else pairs
        if mask is not None and len(mask) != wanted:
            raise InputError(f'{name} has {len(mask)} values; MISmodel = "{MISmodel}" takes {wanted}')
    missing = NItest or NI or MIScommon or any(MISalpha or ()) or any(MISbeta or ())
    made: dict[str, Any] = {"MISalpha": optional(_mask, MISalpha), "MISbeta": optional(_mask, MISbeta)}
    made |= {"answers": pairs, "without": missing, "what": "models of missing comparisons"}
    variables = "undec ia NItest NI MIScommon MISmodel MISalpha MISbeta"
    return fit_pattern(backend, "prefmod::pattPC.fit", variables, **made)


def _mask(values: Sequence[bool]) -> list[bool]:
    return [bool(v) for v in values]


@asks("prefmod")
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
    return fit_pattern(backend, "prefmod::pattR.fit", "ia NItest")


@asks("prefmod")
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
    return fit_pattern(backend, "prefmod::pattL.fit", "undec ia NItest", least=2)


@asks("prefmod")
def pattLrep_fit(
    obj: Any,
    nitems: int,
    tpoints: int,
    formel: str = "~1",
    elim: str = "~1",
    obj_names: Sequence[str] | None = None,
    undec: bool = True,
    ia: bool = False,
    iaT: bool = False,
    NItest: bool = False,
    *,
    backend: BackendLike = None,
) -> PatternModel:
    """R's ``prefmod::pattLrep.fit``: a pattern model of ratings at several times.

    Parameters
    ----------
    obj : DataFrame, mapping of str to array [persons], or Expr
        All items at the first time, then all at the second, and so on; then covariates.
    nitems, tpoints : int
        Items, at least 3; times, at least 2.
    formel, elim : str
    obj_names : sequence of str, optional
        A name for each column of ratings, ``nitems * tpoints`` of them; default the columns' own.
    undec : bool
        An undecided parameter for each time: ``UT1``, ``UT2``, ...
    ia, iaT : bool
        Dependence within a time; between successive times (``Comp1:IT12``).
    NItest : bool
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    PatternModel

    Raises
    ------
    InputError, RError
        Fewer times than 2, covariates that prefmod would put aside; R's own.

    Examples
    --------
    >>> pattLrep_fit(ratings, 3, 2, iaT=True).names  # doctest: +SKIP
    """
    return fit_pattern(backend, "prefmod::pattLrep.fit", "tpoints undec ia iaT NItest")


@asks("prefmod")
def pattRrep_fit(
    obj: Any,
    nitems: int,
    tpoints: int,
    formel: str = "~1",
    elim: str = "~1",
    obj_names: Sequence[str] | None = None,
    iaT: bool = False,
    NItest: bool = False,
    *,
    backend: BackendLike = None,
) -> PatternModel:
    """R's ``prefmod::pattRrep.fit``: a pattern model of rankings at several times.

    Its ``ia`` stops with "subscript out of bounds" and is no argument here.

    Parameters
    ----------
    obj : DataFrame, mapping of str to array [persons], or Expr
        The ranks of all items at the first time, then at the second, and so on; then covariates.
    nitems, tpoints : int
        Items, at least 3; times, at least 2.
    formel, elim, obj_names, iaT, NItest : as :func:`pattLrep_fit` has them
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    PatternModel

    Raises
    ------
    InputError, RError
        Fewer times than 2, covariates that prefmod would put aside; R's own.

    Examples
    --------
    >>> pattRrep_fit(ranks, 3, 2, iaT=True).names  # doctest: +SKIP
    """
    return fit_pattern(backend, "prefmod::pattRrep.fit", "tpoints iaT NItest")
