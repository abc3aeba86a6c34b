"""Tables of worths as llbt.worth prints them: B6, B7, B21.

llbt.worth takes the coefficients of a fit apart by their names.  What it makes of a fit is computed here from the fit's
lambdas, which do not depend on names or contrasts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import product

import numpy as np

from ...data.columns import Factor, FloatArray
from ...errors import InputError
from ...fit.fit import Fit
from ...fit.inference import softmax
from ...fit.spec import LOG_WORTH_PER_UNIT, Value
from .catalogue import defect

_WORD = re.compile(r"((([^\W\d_]|[.](?![0-9]))[\w.]*)|[.])\Z")
#: R's reserved words, which are no names either.
RESERVED = frozenset(
    "if else repeat while function for next break TRUE FALSE NULL Inf NaN NA NA_integer_ NA_real_ NA_character_"
    " NA_complex_ in".split()
)


def is_name_in_r(text: str) -> bool:
    """Whether R takes a text for a name without backquotes."""
    return bool(_WORD.match(text)) and text not in RESERVED


def worth_as_prefmod(fit: Fit, name: str) -> dict[str, dict[str, float]]:
    """The table of worths that llbt.worth gives of a fit, with one of its defects.

    fit: without numeric subject covariates.  name: B6-names-unread, B7-sum-contrasts-read-as-treatment,
    B7-one-column-of-cov-sel, or B21-worths-of-groups-of-items.
    """
    found = defect(name)
    abilities = {g: _log_worths(fit, at) for g, at in fit.groups.items()}
    if found.name == "B6-names-unread":
        read = np.array([is_name_in_r(item) for item in fit.items])
        return {g: _worths(fit.items, np.where(read, a - a[-1], 0.0)) for g, a in abilities.items()}
    if found.name == "B21-worths-of-groups-of-items":
        return {g: _of_groups_of_items(fit, a) for g, a in abilities.items()}
    if found.name == "B7-sum-contrasts-read-as-treatment":
        return _sum_contrasts(fit, abilities)
    if found.name == "B7-one-column-of-cov-sel":
        return {"worth": _worths(fit.items, _all_effects(fit, abilities))}
    raise InputError(f"{found.name} is not about worths: {', '.join(found.functions)}")


def _log_worths(fit: Fit, at: Mapping[str, Value]) -> FloatArray:
    """float[J]: log worths of a group."""
    rows = fit.ability_functions(at)
    return np.asarray(rows @ fit.beta * LOG_WORTH_PER_UNIT[fit.scale])


def _worths(items: tuple[str, ...], log_worths: FloatArray) -> dict[str, float]:
    return dict(zip(items, softmax(log_worths[None])[0].tolist()))


def _of_groups_of_items(fit: Fit, log_worths: FloatArray) -> dict[str, float]:
    """Worths of items with equal abilities as one, in the order of the first of each."""
    if not fit.spec.item_terms:
        raise InputError("B21 is about item covariates: the fit has no item_terms")
    members: dict[float, list[int]] = {}
    for k, value in enumerate(log_worths):
        near = next((v for v in members if abs(v - value) < 1e-12), float(value))
        members.setdefault(near, []).append(k)
    names = tuple(",".join(fit.items[k] for k in group) for group in members.values())
    return _worths(names, np.array(list(members)))


def _grid(fit: Fit, abilities: Mapping[str, FloatArray]) -> tuple[list[str], list[int], FloatArray]:
    """Covariates, their numbers of levels, and the log worths on the grid of all levels, float[K1, K2, ..., J]."""
    names = sorted({name for at in fit.groups.values() for name in at})
    columns = [fit.data.columns[name] for name in names]
    if not names or not all(isinstance(c, Factor) for c in columns):
        raise InputError("B7 is about categorical subject covariates: the fit has none, or a numeric one")
    levels = [c.levels for c in columns if isinstance(c, Factor)]
    place = {tuple(str(at[n]) for n in names): abilities[g] for g, at in fit.groups.items()}
    missing = [key for key in product(*levels) if key not in place]
    if missing:
        raise InputError(f"nobody is in the group {':'.join(missing[0])}; prefmod stops there")
    values = np.array([place[key] for key in product(*levels)])
    return names, [len(k) for k in levels], values.reshape(*[len(k) for k in levels], len(fit.items))


def _sum_contrasts(fit: Fit, abilities: Mapping[str, FloatArray]) -> dict[str, dict[str, float]]:
    """Worths with the effects of last levels left out: a sum contrast has no coefficient for them."""
    names, sizes, grid = _grid(fit, abilities)
    shown = without_last_effects(grid, sizes)
    out = {}
    for group, at in fit.groups.items():
        columns = [fit.data.columns[n] for n in names]
        index = tuple(c.levels.index(str(at[n])) for c, n in zip(columns, names) if isinstance(c, Factor))
        out[group] = _worths(fit.items, shown[index])
    return out


def without_last_effects(grid: FloatArray, sizes: list[int]) -> FloatArray:
    """A table of groups with every effect of a last level left out, for which a sum contrast has no coefficient.

    grid float[K1, K2, ..., ...].  sizes: K1, K2, ...  Returns float[K1, K2, ..., ...].
    """
    shown = np.zeros_like(grid)
    for subset in product((False, True), repeat=len(sizes)):
        effect = grid
        for axis, varies in enumerate(subset):
            mean = effect.mean(axis=axis, keepdims=True)
            effect = effect - mean if varies else np.broadcast_to(mean, effect.shape)
        for axis, varies in enumerate(subset):
            if varies:
                shape = [1] * grid.ndim
                shape[axis] = sizes[axis]
                effect = np.where((np.arange(sizes[axis]) == sizes[axis] - 1).reshape(shape), 0.0, effect)
        shown = shown + effect
    return shown


def _all_effects(fit: Fit, abilities: Mapping[str, FloatArray]) -> FloatArray:
    """float[J]: the first group's log worths plus every treatment effect of one covariate."""
    names, _, grid = _grid(fit, abilities)
    if len(names) != 1:
        raise InputError(f"B7-one-column-of-cov-sel is about one covariate; the fit has {', '.join(names)}")
    first: FloatArray = grid[0]
    return np.asarray(first + (grid[1:] - first).sum(axis=0))
