"""Pattern models of repeated measurements: pattLrep.fit for ratings, pattRrep.fit for rankings.

prefmod enumerates the patterns of all times together, |patterns|^T of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....errors import InputError
from ...process.policy import BackendLike
from ..answers import asks
from .patterns import NEEDS, PatternModel, check_covariates, common_arguments, fit_pattern
from .tables import check_items, check_names


@asks(*NEEDS)
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
    arguments = _arguments(
        "prefmod::pattLrep.fit", obj, nitems, tpoints, formel, elim, obj_names, NItest, undec
    )
    more = {"ia": ia, "iaT": iaT, "NItest": NItest}
    return fit_pattern("prefmod::pattLrep.fit", arguments | more, backend)


@asks(*NEEDS)
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
    arguments = _arguments("prefmod::pattRrep.fit", obj, nitems, tpoints, formel, elim, obj_names, NItest)
    return fit_pattern("prefmod::pattRrep.fit", arguments | {"iaT": iaT, "NItest": NItest}, backend)


def _arguments(
    function: str,
    obj: Any,
    nitems: int,
    tpoints: int,
    formel: str,
    elim: str,
    obj_names: Sequence[str] | None,
    NItest: bool,
    undec: bool | None = None,
) -> dict[str, Any]:
    check_items(function, nitems)
    if tpoints < 2:
        raise InputError(f"{function} needs at least 2 times, found tpoints = {tpoints}")
    columns = nitems * tpoints
    check_names("obj_names", obj_names, columns, "columns (items times times)")
    check_covariates(formel, elim, NItest, "NItest")
    arguments = common_arguments(function, obj, columns, nitems, formel, elim, obj_names)
    arguments["tpoints"] = int(tpoints)
    return arguments if undec is None else arguments | {"undec": undec}
