"""What a migrated script imports where R writes or compares numbers in a way of its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from ...fit.fit import Fit
from ...native.comparisons.contests.bradley_terry import fit_bradley_terry
from ...native.comparisons.contests.residuals import contest_residuals
from ...validation.claims.quantities import aic_glm

#: R's tolerance of all.equal().
NEAR = 1.5e-8


def written(value: Any, digits: int = 7) -> str:
    """A value as R's cat() writes it, with 15 digits as its paste(): 38 and not 38.0, 1e-05, TRUE."""
    if isinstance(value, (bool, np.bool_)):
        return "TRUE" if value else "FALSE"
    if not isinstance(value, (float, np.floating)):
        return str(value)
    return _numbers([float(value)], digits, 0)[0]


def formatted(x: Any, digits: int = 7, nsmall: int = 0, width: int = 0) -> Any:
    """Texts as R's format() makes them: all numbers with the decimals of the one that needs most, of equal width."""
    values = np.atleast_1d(x).tolist()
    floats = all(isinstance(v, float) for v in values)
    texts = _numbers(values, digits, nsmall) if floats else list(map(written, values))
    texts = [text.rjust(max(width, *map(len, texts))) for text in texts]
    if isinstance(x, pd.Series):
        return pd.Series(texts, x.index)
    return texts if np.ndim(x) else texts[0]


def _numbers(values: list[float], digits: int, nsmall: int) -> list[str]:
    """Numbers in the shorter of R's two notations for them all."""
    found = [v for v in values if math.isfinite(v)]
    parts = [f"{v:.{digits - 1}e}".split("e") for v in found]
    powers = [int(power) for _, power in parts]
    sizes = [len(m.rstrip("0").rstrip(".").lstrip("-").replace(".", "")) for m, _ in parts]
    decimals = max([0, *(size - 1 - power for size, power in zip(sizes, powers))])
    fixed = [f"{v + 0.0:.{decimals}f}" for v in found]
    short = [f"{v + 0.0:.{max(sizes) - 1}e}" for v in found]
    if max(map(len, fixed), default=0) <= max(map(len, short), default=0):
        short = [f"{v + 0.0:.{max(decimals, nsmall)}f}" for v in found]
    texts = iter(short)
    words = {True: "Inf", False: "-Inf"}
    return [next(texts) if math.isfinite(v) else "NaN" if v != v else words[v > 0] for v in values]


def all_equal(target: Any, current: Any, tolerance: float = NEAR) -> bool:
    """R's all.equal() of numbers: by the mean difference of those that differ, relative to their mean size."""
    a, b = np.broadcast_arrays(np.asarray(target, float), np.asarray(current, float))
    other = a != b
    if not other.any():
        return True
    size, gap = np.abs(a[other]).mean(), np.abs(a - b)[other].mean()
    return bool(gap <= tolerance * (size if size > tolerance else 1.0))


# -- what eba shows ------------------------------------------------------------------------------------------


def eba_worths(fit: Fit, total: float = 1.0) -> pd.DataFrame:
    """Worths that sum to `total`, standard errors, and eba's order effect: the odds of the second of two equal items.

    Beside an order effect the standard errors of worths are eba's: as if it were known.
    """
    found = fit.worth().set_index("item")[["worth", "se"]].set_axis(["estimate", "se"], axis=1)
    if "order" in fit.params:
        u, order = found["estimate"].to_numpy(), float(np.exp(-fit.params["order"]))
        v = fit.cov_params()
        known = v - np.outer(v["order"], v["order"]) / v.loc["order", "order"]
        known = known.reindex(index=found.index, columns=found.index, fill_value=0)
        slope = np.diag(u) - np.outer(u, u)
        variances = slope @ known.to_numpy() @ slope
        found = total * found.assign(se=np.sqrt(np.diag(variances)))
        found.loc["order"] = [order, order * fit.bse["order"]]
        return found.rename_axis(None)
    return total * found.rename_axis(None)


def eba_summary(fit: Fit, total: float = 1.0) -> str:
    """What eba's summary() shows; total: the sum of R's worths."""
    found, rows = eba_worths(fit), fit.data.to_frame()
    won, lost = rows["wins"].to_numpy(), rows["losses"].to_numpy()
    n, y, k, cells = won + lost, np.concatenate([won, lost]), fit.rank, len(won)
    table = found.drop("order", errors="ignore")
    ratio = table["estimate"] / table["se"]
    table = table.assign(z=ratio, p=2 * stats.norm.sf(ratio))
    parts = [table.assign(estimate=total * table["estimate"], se=total * table["se"])]
    own, chance = fit.rank - aic_glm(fit) / 2, 0.5
    tests = {"EBA": (k, cells, own, own + fit.deviance / 2)}
    if "order" in found.index:
        order0, total_n = lost.sum() / won.sum(), n.sum()
        orders = found.loc[["order"]]
        orders.loc["order0"] = [order0, np.sqrt(total_n / (lost.sum() * won.sum()))]
        z = (orders["estimate"] - 1) / orders["se"]
        parts.append(orders.assign(z=z, p=2 * stats.norm.sf(z.abs())))
        without = fit_bradley_terry(fit.data, reference=fit.items[0], cells="row")
        tests = {"EBA.order": tests["EBA"], "Order": (k - 1, k, without.rank - aic_glm(without) / 2, own)}
        chance = won.sum() / total_n
    else:
        poisson = [stats.poisson.logpmf(y, m).sum() for m in (y.mean(), y)]
        tests = {"Overall": (1, 2 * cells, *poisson), **tests}
    base = 1 if "order" in found.index else 0
    tests["Effect"] = (base, k, stats.binom.logpmf(won, n, chance).sum(), own)
    tests["Imbalance"] = (1, cells, *(stats.poisson.logpmf(n, m).sum() for m in (n.mean(), n)))
    shown = pd.DataFrame(tests.values(), [*tests], ["df1", "df2", "loglik1", "loglik2"])
    deviance = 2 * (shown["loglik2"] - shown["loglik1"])
    shown = shown.assign(deviance=deviance, p=stats.chi2.sf(deviance, shown["df2"] - shown["df1"]))
    pearson = float((contest_residuals(fit)["pearson"] ** 2).sum())
    last = f"AIC {aic_glm(fit):.7g}; Pearson X2 {pearson:.7g}"
    return "\n\n".join([*(p.to_string() for p in (*parts, shown)), last])
