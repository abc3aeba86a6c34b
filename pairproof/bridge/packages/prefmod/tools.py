"""prefmod's helpers: checkMIS, expand.mat, simPC and simR (dots become underscores)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....errors import InputError
from ...process.policy import BackendLike
from ..asking import Floats, RAnswer, ask, asks, sent
from .pattern_models import MISModel, answers_table, check_items, check_names

CHECK_MIS = """
found <- prefmod::checkMIS(obj, nitems, MISmodel = MISmodel, obj.names = obj.names, verbose = TRUE)
list(names = names(found), missing = unname(found))
"""


@dataclass(frozen=True, eq=False)
class MissingComparisons(RAnswer):
    """Which items, or comparisons, have missing answers.

    missing bool[items or pairs]: as ``pattPC_fit`` takes them for ``MISalpha`` and ``MISbeta``.  lines: the
    tables that prefmod prints: missing comparisons by pair, and by item.
    """

    names: tuple[str, ...]
    missing: tuple[bool, ...]
    lines: tuple[str, ...] = field(repr=False)


@asks("prefmod")
def checkMIS(
    obj: Any,
    nitems: int,
    MISmodel: MISModel = "obj",
    obj_names: Sequence[str] | None = None,
    *,
    backend: BackendLike = None,
) -> MissingComparisons:
    """R's ``prefmod::checkMIS(obj, nitems, MISmodel, obj.names, verbose = TRUE)``.

    Parameters
    ----------
    obj : DataFrame, mapping of str to array [persons], or Expr
        The pair columns first, in prefmod's order. Only these go to R: with "comp" prefmod would report
        covariates too.
    nitems : int
    MISmodel : {"obj", "comp"}
        A flag for each item, or for each comparison.
    obj_names : sequence of str, optional
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    MissingComparisons

    Raises
    ------
    InputError, RError
        Names of another number than items; R's own.

    Examples
    --------
    >>> checkMIS(Expr("prefmod::dat4"), 4).missing  # doctest: +SKIP
    """
    check_items("prefmod::checkMIS", nitems)
    check_names("obj_names", obj_names, nitems)
    table = answers_table("prefmod::checkMIS", obj, nitems * (nitems - 1) // 2)
    arguments = sent(backend, "obj nitems MISmodel obj.names", obj=table)
    result = ask(backend, "prefmod::checkMIS", CHECK_MIS, arguments)
    flags = result.as_list().vector("missing").values
    return MissingComparisons.read(result, missing=tuple(bool(v) for v in flags), lines=result.output)


@dataclass(frozen=True, eq=False)
class Answers(RAnswer):
    """A table of answers, one row per person.

    values float[persons, columns].
    """

    names: tuple[str, ...]
    values: Floats = field(repr=False)

    def frame(self) -> Any:
        """The table as a pandas DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.values, columns=list(self.names))


#: R: a table as a plain numeric matrix with column names; expand.mat gives a vector for one column.
AS_MATRIX = """
found <- as.matrix(found)
list(names = if (is.null(colnames(found))) paste0("V", seq_len(ncol(found))) else colnames(found),
     values = matrix(as.numeric(found), nrow(found)))
"""


@asks("prefmod")
def expand_mat(mat: Any, freq: Sequence[int], *, backend: BackendLike = None) -> Answers:
    """R's ``prefmod::expand.mat(mat, freq)``: each row as often as its count says.

    Parameters
    ----------
    mat : DataFrame, mapping of str to array [rows], or Expr
        Numbers: a column of text would make text of all of them.
    freq : int[rows], or Expr
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Answers
        A matrix for one column too, where R gives a vector.

    Raises
    ------
    InputError, RError
        A column that is not numeric; R's own, for another number of counts than rows.

    Examples
    --------
    >>> expand_mat({"a": [1, -1], "b": [1, 1]}, [2, 3]).values.shape  # doctest: +SKIP
    (5, 2)
    """
    function = "prefmod::expand.mat"
    columns = len(mat) if isinstance(mat, Mapping) else len(getattr(mat, "columns", ()))
    table = answers_table(function, mat, columns, least_rows=1)
    counts = freq if isinstance(freq, str) else np.asarray(freq, np.int64)
    code = "found <- prefmod::expand.mat(mat, freq)\n" + AS_MATRIX
    return Answers.ask(backend, function, code, {"mat": table, "freq": counts})


@asks("prefmod")
def simPC(
    nobj: int, nobs: int, worth: Sequence[float] | None = None, seed: int = 1, *, backend: BackendLike = None
) -> Answers:
    """R's ``prefmod::simPC(nobj, nobs, worth, seed)``: simulated comparisons, 1 first and -1 second preferred.

    The seed is set before worths are drawn, too, where R's own ``seed`` leaves them to chance; R's random
    numbers are put back afterwards.

    Parameters
    ----------
    nobj, nobs : int
        Items, persons.
    worth : float[nobj], optional
        Above 0; default drawn at random.
    seed : int
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Answers

    Raises
    ------
    InputError, RError
        Another number of worths than items, or one that is not above 0; R's own.

    Examples
    --------
    >>> simPC(4, 10, [1, 2, 3, 4], seed=123456).values[0]  # doctest: +SKIP
    """
    return _simulated("prefmod::simPC", backend, nobj, nobs, worth)


@asks("prefmod")
def simR(
    nobj: int, nobs: int, worth: Sequence[float] | None = None, seed: int = 1, *, backend: BackendLike = None
) -> Answers:
    """R's ``prefmod::simR(nobj, nobs, worth, seed)``: simulated rankings of its pattern model, sorted.

    Parameters
    ----------
    nobj, nobs, worth, seed : as :func:`simPC` has them
        At most 10 items, of which R lists all orders.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Answers
        Ranks, 1 is best.

    Raises
    ------
    InputError, RError
        As :func:`simPC`; more than 10 items.

    Examples
    --------
    >>> simR(3, 100, [0.2, 0.7, 0.1], seed=1).values.shape  # doctest: +SKIP
    (100, 3)
    """
    if nobj > 10:
        raise InputError(f"simR lists all orders of the items and takes at most 10, found nobj = {nobj}")
    return _simulated("prefmod::simR", backend, nobj, nobs, worth)


def _simulated(function: str, backend: Any, nobj: int, nobs: int, worth: Sequence[float] | None) -> Answers:
    if nobj < 2 or nobs < 1:
        raise InputError(f"{function} needs 2 items and 1 person or more, found {nobj} and {nobs}")
    if worth is not None and (len(worth) != nobj or not all(w > 0 for w in worth)):
        raise InputError(f"worth has {len(worth)} values for {nobj} items; each must be above 0")
    arguments = sent(backend, "nobj nobs worth seed")
    code = f"found <- {function}(nobj, nobs, worth = worth, seed = seed)\n" + AS_MATRIX
    return Answers.ask(backend, function, code, arguments, seed=arguments["seed"])
