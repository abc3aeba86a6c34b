"""Tables of answers for prefmod: what it would misread or drop without a word is refused before R is asked.

prefmod turns its table into one matrix of numbers.  A column of text or a factor among them turns every number
into text of 7 digits first, so only the answers and the covariates that a formula names go to R.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ....errors import InputError
from ...values.convert import data_frame
from ...values.formulas import variables
from ...values.values import Expr, RArgument


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
        Too few columns or rows, a covariate that is no column, a column that is not numeric.
    TypeError
        The table is none of these.
    """
    if isinstance(data, (Expr, RArgument)):
        return data
    columns = _columns(data)
    names = list(columns)
    if len(names) < answers:
        raise InputError(
            f"{function} needs {answers} columns of answers; the table has {len(names)}: {names}"
        )
    if not answers:
        raise InputError(f"{function} needs a table with columns")
    absent = [name for name in covariates if name not in names[answers:]]
    if absent:
        raise InputError(
            f"{', '.join(absent)} is no column beside the {answers} columns of answers; there are "
            f"{names[answers:] or 'none'}"
        )
    used = [*names[:answers], *covariates]
    for name in used:
        _check_numeric(function, name, columns[name])
    rows = len(columns[used[0]])
    if rows < least_rows:
        raise InputError(f"{function} needs at least {least_rows} rows (persons), found {rows}")
    return data[used] if _is_pandas(data) else data_frame({name: columns[name] for name in used})


def check_items(function: str, nitems: int, least: int = 3) -> None:
    """Refuse fewer items than prefmod can fit: it stops with an error about dimensions."""
    if nitems < least:
        raise InputError(f"{function} needs at least {least} items, found nitems = {nitems}")


def check_names(argument: str, names: Sequence[str] | None, n: int, what: str = "items") -> None:
    """Refuse names of another number than the items, which prefmod would ignore or fill with NA."""
    if names is not None and len(names) != n:
        raise InputError(
            f"{argument} has {len(names)} names for {n} {what}; prefmod would not use them, or fill up with NA"
        )


def check_eliminated(formel: str, elim: str) -> None:
    """Refuse a covariate of the model that is not in the table's formula; prefmod fits another model or stops
    with "non-conformable arguments".
    """
    dropped = sorted({*variables(formel, "formel")} - {*variables(elim, "elim")})
    if dropped:
        raise InputError(
            f"{', '.join(dropped)} stands in formel ({formel}) but not in elim ({elim}), the formula of the "
            "table; prefmod needs every covariate of formel in elim"
        )


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "pandas"


def _columns(data: Any) -> dict[str, Any]:
    if isinstance(data, Mapping):
        return {str(name): values for name, values in data.items()}
    if _is_pandas(data) and hasattr(data, "columns"):
        return {str(name): data[name] for name in data.columns}
    raise TypeError(
        f"expected a pandas DataFrame, a mapping of column name to values, or R source, found "
        f"{type(data).__name__}"
    )


def _check_numeric(function: str, name: str, values: Any) -> None:
    """Numbers, booleans and missing values; pandas' nullable integers among them."""
    if _is_pandas(values):
        numeric = getattr(values.dtype, "kind", "O") in "biuf"
    else:
        known = [v for v in np.asarray(values, dtype=object).ravel().tolist() if v is not None]
        numeric = all(isinstance(v, (bool, int, float, np.number, np.bool_)) for v in known)
    if not numeric:
        raise InputError(
            f"column {name!r} is not numeric; {function} turns its whole table into numbers: give answers as "
            "numbers and categories of a covariate as 1, 2, ..., K"
        )
