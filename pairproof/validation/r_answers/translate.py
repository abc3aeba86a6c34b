"""R's parameters under the fit's names, and from R's reference and scale to those of the fit.

With b the item terms under R's reference r, and C the map to the fit's constraint (subtract b_s for reference
s, subtract the mean for "sum"; within each block of terms that share their subject covariates), estimates are
C b and covariances C V C'.  lambda is half a log-odds; `tie` and `order` are the same on both scales.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np

from ...bridge.packages.asking import RModel
from ...fit.estimates.array_inference import softmax
from ...fit.estimates.identification import of_two_or_more, over_which
from ...fit.estimates.predictions import sets_of_items
from ...fit.estimates.specification import LOG_WORTH_PER_UNIT, Scale
from ...fit.fit import Fit
from ...numerics.arrays import FloatArray, IntArray
from ..claims.quantities import Quantity

#: Worths compared at most; a table of 400 judges and 30 items has 12,000.
MOST_WORTHS = 1_000
#: A variance that is smaller than this part of the covariances it is the difference of has no digit left: R
#: gives those to some 10 digits.
CANCELLED = 1e-10


@dataclass(frozen=True, eq=False)
class RParameters:
    """One R function's estimates under the fit's names: estimate float[n], vcov float[n, n]."""

    names: tuple[str, ...]
    estimate: FloatArray
    vcov: FloatArray
    scale: Scale
    reference: str
    gives_na: bool = False


def parameters_of(
    model: RModel, named: Mapping[str, str], scale: Scale, reference: str, r_call: str = ""
) -> RParameters:
    """R's coefficients that have a name of ours and a number; nuisance and aliased ones are left out."""
    ours = {frozenset(name.split(":")): parameter for name, parameter in named.items()}
    found = {k: ours[parts] for k, n in enumerate(model.names) if (parts := frozenset(n.split(":"))) in ours}
    missing = set(named.values()) - set(found.values())
    if r_call and missing:
        raise KeyError(f"{r_call} has no coefficient for {sorted(missing)}; it has {list(model.names)[:12]}")
    kept = [k for k in found if not np.isnan(model.coef[k])]
    at = [model.vcov_names.index(model.names[k]) for k in kept]
    names, vcov = tuple(found[k] for k in kept), model.vcov[np.ix_(at, at)]
    return RParameters(names, model.coef[kept], vcov, scale, reference, len(kept) < len(found))


@dataclass(frozen=True, eq=False)
class Moved:
    """R's parameters on the fit's scale and constraint: beta float[n_params], vcov its square."""

    beta: FloatArray
    vcov: FloatArray


def moved(fit: Fit, r: RParameters) -> Moved:
    """R's parameters on the fit's scale and under its constraint."""
    n = len(fit.terms)
    at = places(fit, r.names)
    blocks = item_blocks(fit)
    beta = np.full(n, np.nan)
    if r.reference:
        beta[blocks[:, fit.items.index(r.reference)]] = 0.0
    beta[at] = r.estimate
    for row, taken in _shifts(fit, r.reference):
        # Not as a product with the map, where 0 * nan would spread what R has no number for.
        used = taken > 0
        beta[row] = beta[row] - beta[row][used] @ taken[used]
    by = linear_map(fit, r.names, r.scale, r.reference)
    return Moved(beta * _units(fit, r.scale), by @ r.vcov @ by.T)


def places(fit: Fit, names: Sequence[str]) -> IntArray:
    """Positions of parameters among the fit's."""
    place = {name: k for k, name in enumerate(fit.names)}
    return np.array([place[name] for name in names], dtype=np.int64)


def linear_map(fit: Fit, names: Sequence[str], scale: Scale, reference: str) -> FloatArray:
    """float[n_params, len(names)]: makes R's parameters the fit's, on its scale and constraint."""
    shift = np.eye(len(fit.terms))
    for row, taken in _shifts(fit, reference):
        shift[np.ix_(row, row)] -= taken
    return np.asarray((shift * _units(fit, scale)[:, None])[:, places(fit, names)])


def _units(fit: Fit, scale: Scale) -> FloatArray:
    """float[n_params]: the fit's unit for R's."""
    unit = LOG_WORTH_PER_UNIT[scale] / LOG_WORTH_PER_UNIT[fit.scale]
    return np.array([unit if t.kind in ("item", "covariate") else 1.0 for t in fit.terms])


def _shifts(fit: Fit, reference: str) -> Iterator[tuple[IntArray, FloatArray]]:
    """Places of each block of item terms, and the weights of the mean that is taken off them."""
    own = fit.spec.reference
    if not reference or own == reference:
        return
    for row, over in zip(item_blocks(fit), over_which(fit)):
        yield row, over / over.sum() if own == "sum" else (np.array(fit.items) == own).astype(float)


def item_blocks(fit: Fit) -> IntArray:
    """int[n_blocks, n_items]: places of the item terms, a block for each product of subject covariates."""
    at = fit.layout
    places = np.zeros((len(at.blocks), len(fit.items)), dtype=np.int64)
    places[at.block, at.item] = at.place
    return places


def parameter_values(fit: Fit, r: RParameters, tests: bool = False) -> dict[str, float]:
    """estimate.X and se.X of every parameter but references, nan where R has NA; with `tests` z.X and p.X
    (two-sided, normal) as well.
    """
    m = moved(fit, r)
    values: dict[str, float] = {}
    errors = np.sqrt(np.maximum(np.diag(m.vcov), 0.0))
    known = [k for k in range(len(fit.names)) if not fit.is_reference[k] and not np.isnan(m.beta[k])]
    for k in known:
        q = Quantity("estimate", name=fit.names[k])
        values[q], values[q.of("se")] = float(m.beta[k]), float(errors[k])
    if r.gives_na:
        absent = (n for n, b, held in zip(fit.names, m.beta, fit.is_reference) if np.isnan(b) and not held)
        values.update({Quantity("estimate", name=name): np.nan for name in absent})
    for k in known if tests else ():
        q = Quantity("z", name=fit.names[k])
        z = float(m.beta[k]) / float(errors[k]) if errors[k] > 0 else np.nan
        values[q], values[q.of("p")] = z, erfc(abs(z) / sqrt(2.0))
    return values


def worth_values(fit: Fit, r: RParameters) -> dict[str, float]:
    """worth.G.A and worth_se.G.A from R's parameters: softmax of log worths and J V J', J = diag(w) - w w'.

    Nothing beyond `MOST_WORTHS` worths: they are functions of the estimates, which are compared one by one.
    """
    if len(fit.groups) * len(fit.items) > MOST_WORTHS:
        return {}
    m = moved(fit, r)
    values: dict[str, float] = {}
    for group, at in fit.groups.items():
        of_all = fit.ability_functions(at) * LOG_WORTH_PER_UNIT[fit.scale]
        for members in of_two_or_more(sets_of_items(fit, at)):
            functions, items = of_all[members], [fit.items[k] for k in members]
            needed = (functions != 0).any(axis=0)
            if np.isnan(m.beta[needed]).any():
                continue
            log_worth = functions[:, needed] @ m.beta[needed]
            w = softmax(log_worth)
            jacobian = np.diag(w) - np.outer(w, w)
            spread = jacobian @ functions
            variance = np.einsum("ij,jk,ik->i", spread, m.vcov, spread)
            size = np.einsum("ij,jk,ik->i", np.abs(spread), np.abs(m.vcov), np.abs(spread))
            values.update({Quantity("worth", group, item): float(x) for item, x in zip(items, w)})
            for item, v, s in zip(items, variance, size):
                if v > CANCELLED * s or not s:
                    values[Quantity("worth_se", group, item)] = sqrt(v) if v > 0 else 0.0
    return values


def numbers_of(
    fit: Fit, r: RParameters, deviance: float, df: float, llf: float | None, tests: bool = False
) -> dict[str, float]:
    """Every number of a fit: parameters, deviance, df, llf and AIC where R's llf is of the comparisons, and worths."""
    values = {**parameter_values(fit, r, tests), "deviance": deviance, "df_resid": df}
    if llf is not None:
        values.update(likelihood_values(llf, len(r.names)))
    return values | worth_values(fit, r)


def named_worths(fit: Fit, group: str, worths: Sequence[float] | FloatArray) -> dict[str, float]:
    """worth.G.A of one group."""
    return {Quantity("worth", group, item): float(w) for item, w in zip(fit.items, worths)}


def likelihood_values(llf: float, n_coefficients: int) -> dict[str, float]:
    """llf and AIC; k are R's coefficients, infinite ones as well, without nuisance constants."""
    return {"llf": llf, "aic": -2.0 * llf + 2.0 * n_coefficients}
