"""R's data as pandas: `.rda` and `.rds` files, and the data sets of R packages.

>>> from pairproof.bridge.values.rdata import package_data, read_rda          # doctest: +SKIP
>>> cemspc = package_data("prefmod", "cemspc")                         # a DataFrame, one column a pair
>>> pairproof.read(cemspc, layout="prefmod", items=["LO", "PA", "MI", "SG", "BA", "ST"], pair_order="prefmod",
...                coding="first=0,tie=1,second=2,missing=NA")         # doctest: +SKIP

An R object becomes:

============================================  ==============================================================
R                                             Python
============================================  ==============================================================
``data.frame``                                DataFrame; factors as Categorical, row names as index
matrix, ``table`` of two ways                 DataFrame with R's row and column names
list (BradleyTerry2's CEMS, flatlizards)      dict of these, by name
vector, factor                                Series
anything else                                 TypeError that says what it is
============================================  ==============================================================

Such a file does not say which pair a column holds and what a code means; `pairproof.read` takes both.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from ...errors import InputError
from ..process.policy import BackendLike, backend as policy
from .serialized import read_file
from .values import Expr, RList, ROpaque, RVector, from_node

if TYPE_CHECKING:
    import pandas as pd

RData = Union["pd.DataFrame", "pd.Series[Any]", "dict[str, Any]"]

DATA = """
holder <- new.env()
suppressWarnings(utils::data(list = name, package = package, envir = holder))
if (!exists(name, holder, inherits = FALSE)) {
  there <- sub(" .*", "", utils::data(package = package)$results[, "Item"])
  stop("package ", package, " has no data set ", sQuote(name, FALSE), "; it has ", toString(there))
}
get(name, holder)
"""


def read_rda(path: str | os.PathLike[str], name: str = "") -> RData:
    """An object of an `.rda`, `.RData` or `.rds` file, read without R
    (:mod:`pairproof.bridge.values.serialized`).

    Nothing in the file is run: functions, promises and environments are skipped.

    path: a regular file of at most 256 MB, as it is and decompressed.  name: the object wanted; may be left
    out where the file holds one.  Returns DataFrame, Series, or dict: as the module's table says.
    """
    file = Path(path)
    found = read_file(file)
    if not name and len(found) != 1:
        raise InputError(f"{file} holds {', '.join(found) or 'nothing'}; name the object to read")
    if name and name not in found:
        raise InputError(f"{file} holds {', '.join(found) or 'nothing'}, and no {name!r}")
    chosen = name or next(iter(found))
    try:
        return to_pandas(from_node(found[chosen]), f"{file.name}, {chosen}")
    except (ValueError, IndexError, KeyError, AttributeError, OverflowError) as error:
        raise InputError(f"{file}: {chosen} is damaged, its parts do not fit each other ({error})") from None


def package_data(package: str, name: str, *, backend: BackendLike = None) -> RData:
    """A data set of an R package, as R's `data(name, package = "package")` gives it.

    Parameters
    ----------
    package, name : str
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    DataFrame, Series, or dict
        As the module's table says.

    Raises
    ------
    RError
        There is no such data set (the message lists those there are), or no such package.
    TypeError
        An object that is none of the module's table.

    Examples
    --------
    >>> package_data("prefmod", "cemspc").shape  # doctest: +SKIP
    (303, 17)
    """
    result = policy(backend).call(
        code=DATA, args={"name": name, "package": package}, needs=(package,), label=f"{package}::{name}"
    )
    return to_pandas(result.value, f"{package}::{name}")


def data_expr(package: str, name: str, element: str = "") -> Expr:
    """R source that gives a data set of a package, for arguments that take an :class:`Expr`.

    Parameters
    ----------
    package, name : str
        Names of R: letters, digits, dots.
    element : str, optional
        A column, or an element of a list; with a minus sign all but that one.

    Returns
    -------
    Expr

    Raises
    ------
    InputError
        A name that is none of R's.

    Examples
    --------
    >>> from pairproof.bridge import data_expr
    >>> str(data_expr("psychotools", "GermanParties2009", "preference"))
    'local({utils::data(list = "GermanParties2009", package = "psychotools", envir = environment()); GermanParties2009[["preference"]]})'
    """
    bare = element.removeprefix("-")
    for text in (package, name, bare):
        if text and not re.fullmatch(r"[A-Za-z][A-Za-z0-9._]*", text) or not name:
            raise InputError(f"{text!r} is no name of an R package, data set or column")
    chosen = "" if not element else f'[["{bare}"]]' if bare == element else f'[names({name}) != "{bare}"]'
    load = f'utils::data(list = "{name}", package = "{package}", envir = environment())'
    return Expr(f"local({{{load}; {name}{chosen}}})")


def to_pandas(value: Any, what: str) -> RData:
    """An R value that holds data, as the module's table says; `what` names it in errors."""
    import pandas as pd

    from .frames import to_frame

    if isinstance(value, RList) and "data.frame" in value.rclass:
        return to_frame(value)
    if isinstance(value, RList):
        names = value.names or tuple(str(k + 1) for k in range(len(value)))
        return {name: to_pandas(item, f"{what}${name}") for name, item in zip(names, value.values)}
    if isinstance(value, RVector) and value.values.ndim == 2:
        rows, columns = value.dimnames or (None, None)
        # A missing integer is 0 in `values`: only as a double does it stay missing.
        cells = value.floats() if value.values.dtype.kind in "ib" and value.na.any() else value.values
        return pd.DataFrame(
            cells, index=_labels(rows, cells.shape[0]), columns=_labels(columns, cells.shape[1])
        )
    if isinstance(value, RVector) and value.values.ndim == 1:
        column = to_frame(RList((replace(value, names=None),), ("x",), ("data.frame",)))["x"]
        return column.rename(None) if value.names is None else column.rename(None).set_axis(list(value.names))
    kind = (
        value.what
        if isinstance(value, ROpaque)
        else ", ".join(getattr(value, "rclass", ())) or type(value).__name__
    )
    raise TypeError(
        f"{what} is an R object of class {kind}; data frames, matrices, tables of two ways, vectors, and"
        " lists of these are read"
    )


def _labels(names: Sequence[str | None] | None, n: int) -> list[Any]:
    return list(range(n)) if names is None else list(names)
