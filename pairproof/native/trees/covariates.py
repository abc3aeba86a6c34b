"""Covariates of persons as a tree takes them: numbers, factors, and factors whose levels have an order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Column, Factor, numbers_as_levels
from ...errors import InputError
from ...text import listed, quoted
from .instability import Covariate
from .persons import Persons, constant_for_each

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Missing = Literal["refuse", "leave out"]

_WRAPPED = re.compile(r"\s*(C|ordered)\((.*)\)\s*", re.DOTALL)


def chosen_covariates(
    persons: Persons, names: Sequence[str] | None, missing: Missing
) -> tuple[Persons, list[Covariate], float]:
    """The covariates of a tree, and the persons who have them all.

    missing: what becomes of persons without a value.  Returns Persons, list of Covariate, float: and how many
    persons were left out.
    """
    if missing not in ("refuse", "leave out"):
        raise InputError(f"missing={missing!r}; expected 'refuse' or 'leave out'")
    if isinstance(names, str):
        raise InputError(f"covariates={names!r}; expected a list of columns, for example [{names!r}]")
    wanted = [_found(persons, name) for name in (list(persons.columns) if names is None else names)]
    plain = [name for name, _ in wanted]
    if not wanted:
        raise InputError(
            f"{persons.table.source}: no covariate of {persons.noun}s to divide them by; "
            + (f"name some of {listed(list(persons.columns))}" if persons.columns else "the table has none")
        )
    for name in plain:
        if plain.count(name) > 1:
            raise InputError(f"covariate {name!r} is named twice")
        if persons.noun == "judge":
            constant_for_each(persons, name)
    there = np.ones(len(persons.names), dtype=bool)
    for name in plain:
        there &= _there(persons, name, missing)
    if not there.any():
        raise InputError(f"{persons.table.source}: no {persons.noun} has a value of all of {listed(plain)}")
    left_out = float(persons.weights[~there].sum())
    kept = persons if there.all() else persons.select(np.flatnonzero(there))
    return kept, [_covariate(name, kept.columns[name], how) for name, how in wanted], left_out


def _found(persons: Persons, name: str) -> tuple[str, str]:
    """A column and how it is to be taken: "", "C" or "ordered"."""
    if name in persons.columns:
        return name, ""
    wrapped = _WRAPPED.fullmatch(name)
    if wrapped is not None and wrapped[2].strip() in persons.columns:
        return wrapped[2].strip(), wrapped[1]
    raise InputError(
        f"{persons.table.source}: no covariate {name!r} of {persons.noun}s; there "
        + (f"are {listed(list(persons.columns))}" if persons.columns else "is none")
    )


def _there(persons: Persons, name: str, missing: Missing) -> BoolArray:
    """bool[n]: persons with a value of this covariate."""
    column = persons.columns[name]
    there = column.codes >= 0 if isinstance(column, Factor) else ~np.isnan(column)
    gaps = np.flatnonzero(~there)
    if len(gaps) and missing == "refuse":
        raise InputError(
            f"{persons.table.source}: {len(gaps)} of {len(there)} {persons.noun}s have no {name} (the first:"
            f" {persons.noun} {quoted(persons.names[gaps[0]])}); missing='leave out' leaves them out, as psychotree does"
        )
    return np.asarray(there)


def _covariate(name: str, column: Column, how: str) -> Covariate:
    if isinstance(column, Factor):
        return Covariate(
            name, "ordered" if how == "ordered" else "factor", column.codes.astype(float), column.levels
        )
    if not how:
        return Covariate(name, "numeric", column)
    levels, codes = numbers_as_levels(column)
    return Covariate(name, "ordered" if how == "ordered" else "factor", codes.astype(float), levels)
