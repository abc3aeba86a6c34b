"""Numbers of a fit with a defect of prefmod's results: worths, df, AIC, log-likelihood, p-values, digits.

B6, B7, B21: tables of worths as llbt.worth prints them.  It takes the coefficients of a fit apart by their
names.  What it makes of a fit is computed here from the fit's lambdas, which do not depend on names or
contrasts.

B11, N1, N2, N3: numbers as prefmod counts or prints them.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from ...data.columns import Factor, FloatArray
from ...errors import DataWarning, InputError
from ...fit.estimates.array_inference import softmax
from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...fit.estimates.tails import two_sided_p
from ...fit.fit import Fit
from .defect_catalogue import PREFIX, asked_for, defect

#: Relative steps of nlm's numerical Hessian: the third root of its 12 digits, 10^(-12/3) (Schnabel, Koontz
#: and Weiss 1985, ACM Transactions on Mathematical Software 11, 419-440, section 4).
STEP = 1e-4


@dataclass(frozen=True)
class CountedWithEmptyCells:
    """Degrees of freedom and AIC with the cells that hold no comparison (B11).
    empty: pairs that nobody in a group compared.  aic, aic_right: of R's Poisson log-likelihood, with a
    constant for each cell."""

    empty: int
    df: int
    df_right: int
    aic: float
    aic_right: float


def counted_with_empty_cells(fit: Fit) -> CountedWithEmptyCells:
    """df and AIC of gnm on a design of prefmod's."""
    n = len(fit.items)
    names = sorted({name for at in fit.groups.values() for name in at} | set(fit.spec.cells))
    groups = int(np.prod([_levels(fit, k) for k in names], dtype=np.int64)) if names else 1
    filled = fit.cell_table().n_cells
    cells = n * (n - 1) // 2 * groups
    outcomes = 2 if fit.outcome_model != "binary" else 1
    empty, df = cells - filled, fit.df_resid
    right = -2.0 * fit.llf_poisson + 2.0 * (fit.rank + filled)
    return CountedWithEmptyCells(empty, df + empty * outcomes, df, right + 2.0 * empty, right)


def _levels(fit: Fit, name: str) -> int:
    column = fit.data.columns[name]
    return len(column.levels) if isinstance(column, Factor) else len(np.unique(column))


def stored_log_likelihood(fit: Fit) -> float:
    """The log-likelihood that pattPC.fit, pattR.fit and pattL.fit store and print: that of nlm's last
    evaluation (N1).
    nlm ends with a Hessian by differences, and the last point of it lies two steps beside the estimate along
    the last parameter, where the log-likelihood is lower by half its information times the square of the
    distance (and by terms of the third order, about 1e-11).  fit: of a pattern model, with the last item as
    the reference."""
    free = np.flatnonzero(fit.free)
    if not len(free):
        return fit.llf
    covariance = fit.covariance.between(np.eye(len(fit.terms))[free])
    information = np.linalg.inv(covariance)[-1, -1]
    distance = 2.0 * STEP * max(float(fit.beta[free[-1]]), 1.0)
    return float(fit.llf - 0.5 * information * distance**2)


def printed_by_llbt_fit(fit: Fit) -> dict[str, tuple[float, float, float, float]]:
    """Estimate, standard error, z and P(z) as llbt.fit prints them: four decimals, one-sided (N2, N3).
    Returns dict of parameter to four float: llbt.fit itself stops before the maximum; where that shows in the
    fourth decimal, so does the difference."""
    out = {}
    for k in np.flatnonzero(fit.free):
        numbers = (fit.beta[k], fit.standard_errors[k], fit.z[k], float(two_sided_p(fit.z[k])) / 2.0)
        e, s, z, p = (round(float(x), 4) for x in numbers)
        out[fit.names[k]] = (e, s, z, p)
    return out


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
    """The table of worths that llbt.worth gives of a fit, with one of its defects."""
    found = defect(name)
    unit = LOG_WORTH_PER_UNIT[fit.scale]
    abilities = {g: np.asarray(fit.ability_functions(at) @ fit.beta * unit) for g, at in fit.groups.items()}
    if found.name == "B6-names-unread":
        read = [is_name_in_r(item) for item in fit.items]
        return {g: _worths(fit.items, np.where(read, a - a[-1], 0.0)) for g, a in abilities.items()}
    if found.name == "B21-worths-of-groups-of-items":
        return {g: _of_groups_of_items(fit, a) for g, a in abilities.items()}
    if found.name == "B7-sum-contrasts-read-as-treatment":
        return _sum_contrasts(fit, abilities)
    if found.name == "B7-one-column-of-cov-sel":
        return {"worth": _worths(fit.items, _all_effects(fit, abilities))}
    raise InputError(f"{found.name} is not about worths: {', '.join(found.functions)}")


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


def grid_of(fit: Fit, abilities: Mapping[str, FloatArray]) -> tuple[list[str], list[int], FloatArray]:
    """Covariates, their numbers of levels, and the abilities, float[J, ...], on the grid of all levels."""
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
    return names, [len(k) for k in levels], values.reshape(*[len(k) for k in levels], *values.shape[1:])


def _sum_contrasts(fit: Fit, abilities: Mapping[str, FloatArray]) -> dict[str, dict[str, float]]:
    """Worths with the effects of last levels left out: a sum contrast has no coefficient for them."""
    names, sizes, grid = grid_of(fit, abilities)
    shown = without_last_effects(grid, sizes)
    out = {}
    for group, at in fit.groups.items():
        columns = [fit.data.columns[n] for n in names]
        index = tuple(c.levels.index(str(at[n])) for c, n in zip(columns, names) if isinstance(c, Factor))
        out[group] = _worths(fit.items, shown[index])
    return out


def without_last_effects(grid: FloatArray, sizes: list[int]) -> FloatArray:
    """A table of groups with every effect of a last level left out, for which a sum contrast has no
    coefficient.
    grid float[K1, K2, ..., ...].  sizes: K1, K2, ... Returns float[K1, K2, ..., ...]."""
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
    names, _, grid = grid_of(fit, abilities)
    if len(names) != 1:
        raise InputError(f"B7-one-column-of-cov-sel is about one covariate; the fit has {', '.join(names)}")
    first: FloatArray = grid[0]
    return np.asarray(first + (grid[1:] - first).sum(axis=0))


Numbers = dict[str, float]


def printed_as_prefmod(fit: Fit, compat: str | Sequence[str]) -> Numbers:
    """The numbers of a fit that prefmod would print otherwise.
    compat: "prefmod": those that prefmod would show on this fit (B6, B11, B21, N1).  Or names: B6, both B7,
    B11, B21, N1, N2, N3, as in :func:`pairproof.native.prefmod_defects.defect_catalogue.defects`.  Returns
    dict of quantity to number: named as in a claims file: "worth.all.A", "worth.group.A" (cov.sel's one
    column: "worth.worth.A"), "df_resid", "aic_glm", "llf", "deviance", "p.A", "estimate.A", "se.A", "z.A".
    Those that the defect does not touch are left out."""
    found: Numbers = {}
    for name in asked_for(compat):
        if name == PREFIX:
            found.update(_shown(fit))
            continue
        d = defect(name)
        if d.name not in _RESULTS:
            what = f"a defect of the {d.acts_on}, not of results" if d.reproducible else "not reproducible"
            raise InputError(f"{d.name} is {what}: {d.how} Results have {', '.join(_RESULTS)}")
        found.update(_RESULTS[d.name](fit))
    return found


def _shown(fit: Fit) -> Numbers:
    """What prefmod's answer shows without being asked; a warning names the defects."""
    names = []
    if fit.answers is not None:
        names.append("N1-log-likelihood-beside-the-maximum")
    elif counted_with_empty_cells(fit).empty:
        names.append("B11-empty-cells-counted")
    if fit.spec.item_terms:
        names.append("B21-worths-of-groups-of-items")
    elif fit.answers is None and not all(is_name_in_r(item) for item in fit.items):
        names.append("B6-names-unread")
    found: Numbers = {}
    for name in names:
        found.update(_RESULTS[name](fit))
    if names:
        said = f"printed as by prefmod, with its defects {', '.join(names)}"
        warnings.warn(said, DataWarning, stacklevel=3)
    return found


def _worths_of(name: str) -> Callable[[Fit], Numbers]:
    def numbers(fit: Fit) -> Numbers:
        worths = worth_as_prefmod(fit, name)
        return {f"worth.{group}.{item}": w for group, own in worths.items() for item, w in own.items()}

    return numbers


def _counts(fit: Fit) -> Numbers:
    c = counted_with_empty_cells(fit)
    return {"df_resid": float(c.df), "aic_glm": c.aic}


def _log_likelihood(fit: Fit) -> Numbers:
    stored = stored_log_likelihood(fit)
    return {"llf": stored, "deviance": fit.deviance + 2.0 * (fit.llf - stored)}


def _one_sided(fit: Fit) -> Numbers:
    return {f"p.{n}": float(p) / 2.0 for n, p, free in zip(fit.names, fit.pvalues, fit.free) if free}


def _four_decimals(fit: Fit) -> Numbers:
    printed = printed_by_llbt_fit(fit).items()
    return {f"{what}.{n}": x for n, row in printed for what, x in zip(("estimate", "se", "z"), row)}


_NAMES = ("B6-names-unread", "B7-sum-contrasts-read-as-treatment", "B7-one-column-of-cov-sel")
_RESULTS: dict[str, Callable[[Fit], Numbers]] = {
    **{name: _worths_of(name) for name in _NAMES},
    "B11-empty-cells-counted": _counts,
    "B21-worths-of-groups-of-items": _worths_of("B21-worths-of-groups-of-items"),
    "N1-log-likelihood-beside-the-maximum": _log_likelihood,
    "N2-one-sided-p": _one_sided,
    "N3-four-decimals": _four_decimals,
}
