"""Covariates as matrices: one row per distinct combination of values (a *pattern*), one column per effect.

Treatment coding: a factor with levels l_1, ..., l_L has columns 1[l_2], ..., 1[l_L]; a numeric column is
itself; products are products of columns.  The constant comes first, so abilities in pattern s are  a_s =
sum_t z_st b_t.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ....data.columns import Factor, is_missing, level_of, refuse_rows
from ....data.comparisons import Comparisons
from ....data.where import Rows
from ....errors import AliasError, FormulaError, InputError, TooLargeError
from ....fit.estimates.fit_record import FitWarning
from ....fit.estimates.specification import Value, by_suffix
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from ....text import quoted
from .subject_formula import Formula, Product

#: What a column of a matrix is multiplied with: ((covariate, level or None for a slope), ...).
By = tuple[tuple[str, "str | None"], ...]


@dataclass(frozen=True, eq=False)
class Variable:
    """A covariate over patterns: codes and levels, or values."""

    codes: IntArray | None
    levels: tuple[str, ...]
    values: FloatArray

    def value(self, pattern: int) -> Value:
        return self.levels[self.codes[pattern]] if self.codes is not None else float(self.values[pattern])


@dataclass(frozen=True, eq=False)
class Patterns:
    """Distinct combinations of covariate values.  of_row int[n_rows]: pattern of each row of the table."""

    of_row: IntArray
    variables: Mapping[str, Variable]
    n: int
    warnings: tuple[FitWarning, ...] = ()


def coded(
    name: str, data: Rows, categorical: bool, used: BoolArray
) -> tuple[IntArray, Variable, list[FitWarning]]:
    """Row codes of a column, its variable over codes, and at most one warning."""
    if name not in data.columns:
        raise FormulaError(
            f"no column {name!r} in {data.source}; it has {', '.join(data.columns) or 'no further columns'}"
        )
    column = data.columns[name]
    missing = is_missing(column) & used
    who, n, such = (
        data.columns.get("person"),
        int(missing.sum()),
        f"no value in column {name!r}, which the model uses",
    )
    cure = f"fill it in, or leave these rows out with where={f'{name}!='!r}"
    persons = list(dict.fromkeys(who.codes[missing].tolist())) if isinstance(who, Factor) else []
    if isinstance(who, Factor) and 0 < len(persons) < n and min(persons) >= 0:
        # One row of the file, a person's, is many comparisons, whose numbers its reader does not know.
        of = f"{len(persons):,} persons, the first" if len(persons) > 1 else "person"
        raise InputError(
            f"{data.source}: {such}, for {of} {quoted(who.levels[persons[0]])} ({n:,} comparisons); {cure}"
        )
    refuse_rows(data.source, missing, f"{such} ({n:,} such row{'s' * (n > 1)}); {cure}")
    if isinstance(column, Factor):
        present = np.bincount(column.codes[used], minlength=len(column.levels)) > 0
        new = np.cumsum(present) - 1
        levels = tuple(lv for lv, here in zip(column.levels, present) if here)
        lost = [lv for lv, here in zip(column.levels, present) if not here]
        text = f"level(s) {', '.join(lost)} of {name} have no comparisons and were left out"
        found = Variable(np.arange(len(levels)), levels, np.arange(len(levels), dtype=float))
        warnings = [FitWarning("level-left-out", text)] if lost else []
        if len(levels) > MOST_CODES and 2 * len(levels) > (rows := int(used.sum())):
            text = (
                f"{name} has {len(levels):,} different values in {rows:,} rows, and each is a category, as of times or names; group"
                " them, or give numbers, which are a slope"
            )
            warnings.append(FitWarning("values-as-levels", text))
        return np.where(used, new[column.codes], 0), found, warnings
    distinct, codes = _distinct_values(column if used.all() else np.where(used, column, column[used][0]))
    if categorical:
        return codes, Variable(np.arange(len(distinct)), tuple(level_of(v) for v in distinct), distinct), []
    return codes, Variable(None, (), distinct), []


#: A covariate of so many whole numbers at most may be codes: of sex, education, a region.
MOST_CODES = 10


def _may_be_codes(name: str, variable: Variable) -> Iterator[FitWarning]:
    """That a slope is taken over few whole numbers, which may be codes of categories, and what the other
    model is.
    0 and 1 say nothing to ask about: slope and levels are one model with the same parameters."""
    values = [] if variable.codes is not None else variable.values.tolist()
    if not 2 <= len(values) <= MOST_CODES or values == [0.0, 1.0] or any(v != int(v) for v in values):
        return
    written, first = name if name.isidentifier() else f"`{name}`", level_of(values[0])
    numbers = ", ".join(map(level_of, values))
    if len(values) == 2:
        other = f"C({written}) is the same model with its main effects at {name} {first}, not at {name} 0"
    else:
        other = (
            f"C({written}) is another model, with {len(values) - 1} effects in its place, one for each level against"
            f" {first}"
        )
    yield FitWarning(
        "codes-as-slope",
        f"{name} ({numbers}) is taken as a number: one effect, for a step of 1. {other}; R's prefmod (llbtPC.fit, pattPC.fit"
        f" and their kin) knows only that one. Write by=C({written}) if these are codes of categories, slope({written}) if"
        " the slope is meant",
    )


def _distinct_values(column: FloatArray) -> tuple[FloatArray, IntArray]:
    """np.unique with the inverse; a column in which a value stands in many rows on end is sorted by its
    runs."""
    starts = np.flatnonzero(np.concatenate([[True], column[1:] != column[:-1]]))
    if 4 * len(starts) > len(column):
        distinct, codes = np.unique(column, return_inverse=True)
        return distinct, np.ravel(codes)
    distinct, codes = np.unique(column[starts], return_inverse=True)
    return distinct, np.repeat(np.ravel(codes), np.diff(starts, append=len(column)))


def find_patterns(formula: Formula, data: Comparisons, extra: Sequence[str] = ()) -> Patterns:
    """Combine the columns of a formula (and `extra` categorical ones) into patterns."""
    if not any(formula.products) and not extra:
        return Patterns(np.zeros(data.n_rows, np.int64), {}, 1)
    return patterns_of(formula, data, data.wins + data.ties + data.losses > 0, extra)


def patterns_of(formula: Formula, data: Rows, used: BoolArray, extra: Sequence[str] = ()) -> Patterns:
    """As :func:`find_patterns`, of rows of which `used`, bool[n_rows], says which count."""
    wanted: dict[str, bool] = {}
    slopes: set[str] = set()
    for product in formula.products:
        for v in product:
            wanted[v.name] = v.categorical or v.name == "judge"
            slopes |= {v.name} if v.slope else set()
    wanted.update({name: True for name in extra if name not in wanted})
    key = np.zeros(data.n_rows, np.int64)
    variables: dict[str, tuple[IntArray, Variable]] = {}
    warnings: list[FitWarning] = []
    for name, categorical in wanted.items():
        codes, variable, warning = coded(name, data, categorical, used)
        if name in slopes and variable.codes is not None:
            raise FormulaError(
                f"slope({name}): {name} is categorical ({', '.join(variable.levels[:6])}), and has no numbers; leave slope()"
                " out"
            )
        warnings += warning if name in slopes else [*warning, *_may_be_codes(name, variable)]
        variables[name] = (codes, variable)
        if len(variables) == 1:
            key = codes
        else:  # keep the key small: only combinations that occur
            _, key = np.unique(key * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)
    if not variables:
        return Patterns(key, {}, 1)
    # Patterns are numbered in the order of the codes, so that the first is the reference of every factor.
    n_keys = int(key.max()) + 1
    if used.all():  # every key occurs: codes are numbered without gaps
        of_row, row_of = key, np.empty(n_keys, np.int64)
        row_of[of_row] = np.arange(len(key))
    else:
        present = np.bincount(key[used], minlength=n_keys) > 0
        new = np.cumsum(present) - 1
        of_row = np.where(used, new[key], 0)
        row_of = np.zeros(int(present.sum()), np.int64)
        row_of[of_row[used]] = np.flatnonzero(used)
    over = {}
    for name, (codes, variable) in variables.items():
        c = codes[row_of]
        over[name] = Variable(c if variable.codes is not None else None, variable.levels, variable.values[c])
    return Patterns(of_row, over, len(row_of), tuple(warnings))


def columns(product: Product, patterns: Patterns) -> list[tuple[By, FloatArray]]:
    """Columns of one product of covariates, each with what it is."""
    out: list[tuple[By, FloatArray]] = [((), np.ones(patterns.n))]
    for v in product:
        variable = patterns.variables[v.name]
        codes = np.arange(patterns.n) if variable.codes is None else variable.codes
        part = all_columns(v.name, variable, codes)
        out = multiplied(out, part if variable.codes is None else part[1:])
    return out


def all_columns(name: str, variable: Variable, codes: IntArray) -> list[tuple[By, FloatArray]]:
    """A column of numbers, or one for every level, float[n], of rows that have these codes."""
    if variable.codes is None:
        return [(((name, None),), variable.values[codes])]
    return [(((name, level),), (codes == k).astype(float)) for k, level in enumerate(variable.levels)]


def multiplied(
    one: list[tuple[By, FloatArray]], other: list[tuple[By, FloatArray]]
) -> list[tuple[By, FloatArray]]:
    """Each column of one times each of the other."""
    return [(b1 + b2, x1 * x2) for b1, x1 in one for b2, x2 in other]


#: Effects on one item's ability at most: 72 MB of matrix; an item by 3,000 judges has more parameters than
#: judges have answers.
MOST_COLUMNS = 3000


def _check_columns(products: tuple[Product, ...], patterns: Patterns, what: str) -> None:
    """TooLargeError before a matrix of too many columns, or rows times columns, is made."""
    levels = {name: 1 if v.codes is None else len(v.levels) - 1 for name, v in patterns.variables.items()}
    sizes = {product: math.prod(levels[v.name] for v in product) for product in products}
    n = 1 + sum(sizes.values())
    if n > MOST_COLUMNS or n * patterns.n > MOST_COLUMNS**2:
        largest = max(sizes, key=lambda p: sizes[p])
        by = ":".join(v.name for v in largest[:6]) + (":..." if len(largest) > 6 else "")
        raise TooLargeError(
            f"by: {n:,} effects on {what} ({sizes[largest]:,} of them of {by}) over"
            f" {patterns.n:,} combinations of covariate values; at most {MOST_COLUMNS:,} effects, or"
            f" {MOST_COLUMNS**2:,} of both multiplied. Pool levels, take a numeric covariate, or leave it out"
        )


def matrix(products: tuple[Product, ...], patterns: Patterns, what: str) -> tuple[tuple[By, ...], FloatArray]:
    """Constant and all products as a matrix, float[n_patterns, 1 + n_columns]."""
    _check_columns(products, patterns, what)
    named: list[tuple[By, FloatArray]] = [((), np.ones(patterns.n))]
    for product in products:
        named += columns(product, patterns)
    bys, z = tuple(b for b, _ in named), np.stack([x for _, x in named], axis=1)
    bad = aliased(z)
    if bad is not None:
        k, others = bad
        partner = ", ".join(by_suffix(bys[o]).lstrip(":") or "a constant" for o in others)
        raise AliasError(
            f"the effect of {by_suffix(bys[k]).lstrip(':')} on {what} cannot be distinguished from {partner}: in these"
            " data one is determined by the other; leave one of them out"
        )
    return bys, z


def aliased(z: FloatArray) -> tuple[int, tuple[int, ...]] | None:
    """First column that earlier columns determine, with those columns; None if the columns are independent.
    A residual below 1e-9 of the column's own length counts as zero: exact dependence leaves about 1e-15, and
    a covariate that is new by less than that could not be estimated to one digit."""
    for k in range(1, z.shape[1]) if z.shape[0] < z.shape[1] or not _full_rank(z) else ():
        scale = np.linalg.norm(z, axis=0)
        scale[scale == 0] = 1.0
        earlier = z[:, :k] / scale[:k]
        coef, *_ = np.linalg.lstsq(earlier, z[:, k], rcond=None)
        left = float(np.linalg.norm(z[:, k] - earlier @ coef))
        if left <= 1e-9 * float(np.linalg.norm(z[:, k])):
            others = tuple(
                int(o) for o in np.flatnonzero(np.abs(coef) > 1e-9 * max(np.abs(coef).max(initial=0), 1e-300))
            )
            return k, tuple(o for o in others if o) or others or (0,)
    return None


def is_treatments(z: FloatArray) -> bool:
    """Whether the matrix is that of one factor, one row a level: 1 everywhere, then the unit vectors of
    levels 2, 3, ..."""
    n = len(z)
    return bool(
        z.shape == (n, n)
        and (z[:, 0] == 1.0).all()
        and not z[0, 1:].any()
        and np.count_nonzero(z[1:, 1:]) == n - 1
        and (z.diagonal() == 1.0).all()
    )


def inverse_of_treatments(z: FloatArray) -> FloatArray:
    """Inverse of a square matrix; thousands of levels of one factor need no arithmetic for it."""
    if not is_treatments(z):
        return np.asarray(np.linalg.inv(z), float)
    inverse = np.eye(len(z))
    inverse[1:, 0] = -1.0
    return inverse


def _full_rank(z: FloatArray) -> bool:
    if is_treatments(z):
        return True
    scale = np.linalg.norm(z, axis=0)
    if (scale == 0).any():
        return False
    r = np.linalg.qr(z / scale, mode="r")
    return bool(np.abs(np.diag(r)).min() > 1e-9)


def group_labels(patterns: Patterns, weight: Callable[[], FloatArray]) -> dict[str, dict[str, Value]]:
    """Groups for which worths are given: combinations of levels; numeric covariates at their weighted mean.
    weight function of no argument to float[n_patterns]: number of comparisons; asked for where there is a
    mean to take."""
    if not patterns.variables:
        return {"all": {}}
    means = {
        name: float(np.average(v.values, weights=weight()))
        for name, v in patterns.variables.items()
        if v.codes is None
    }
    codes = [v.codes for v in patterns.variables.values() if v.codes is not None]
    _, first = (
        np.unique(np.stack(codes, axis=1), axis=0, return_index=True) if codes else (None, np.array([0]))
    )
    out: dict[str, dict[str, Value]] = {}
    for s in np.sort(first):
        group: dict[str, Value] = {
            name: means[name] if name in means else v.value(int(s)) for name, v in patterns.variables.items()
        }
        out[_label(group)] = group
    return out


def pattern_labels(patterns: Patterns) -> tuple[str, ...]:
    """A name for each pattern: `judge=3,age=41`, or "" if there is only one."""
    variables = patterns.variables.items()
    return tuple(_label({name: v.value(s) for name, v in variables}) for s in range(patterns.n))


def _label(values: Mapping[str, Value]) -> str:
    return ",".join(f"{k}={v:g}" if isinstance(v, float) else f"{k}={v}" for k, v in values.items())
