"""The parameters of a fit as series and data frames."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, ItemError, TooLargeError
from . import inference
from .record import FitRecord
from .tails import student_p, student_quantile

if TYPE_CHECKING:
    import pandas as pd

FloatArray = NDArray[np.float64]
#: Most parameters of a covariance matrix in memory: 1 GB.
MOST_COVARIANCE = 12_000
#: From this many parameters on, the first few rows of a table are worked out alone.
_MANY = 1000


def estimates(fit: FitRecord) -> FloatArray:
    """float[n_params]: estimates; references 0, nan where not estimable."""
    return np.where(fit.estimable, fit.beta, np.nan)


def series(fit: FitRecord, values: FloatArray) -> pd.Series[float]:
    """Values, float[n_params], under the parameters' names."""
    import pandas as pd

    return pd.Series(values, index=_index(fit.names))


@lru_cache(maxsize=64)  # making an index of names takes longer than fitting a small table
def _index(names: tuple[str, ...]) -> pd.Index[str]:
    import pandas as pd

    return pd.Index(list(names))


def interval_frame(fit: FitRecord, alpha: float) -> pd.DataFrame:
    """Wald limits at level 1 - alpha; see :meth:`pairproof.Fit.conf_int`."""
    import pandas as pd

    if not 0 < alpha < 1:
        raise InputError(f"alpha={alpha}; expected a number between 0 and 1, 0.05 for 95 % intervals")
    half = student_quantile(1 - alpha / 2, fit.degrees_of_freedom) * fit.standard_errors
    centre = np.where(fit.free, fit.beta, np.nan)
    return pd.DataFrame({"low": centre - half, "high": centre + half}, index=list(fit.names))


def covariance_frame(fit: FitRecord) -> pd.DataFrame:
    """Covariance of the free parameters; see :meth:`pairproof.Fit.cov_params`."""
    import pandas as pd

    keep = np.flatnonzero(fit.free)
    if len(keep) > MOST_COVARIANCE:
        raise TooLargeError(
            f"the covariance of {len(keep):,} parameters has {len(keep) ** 2:,} entries,"
            f" {8e-9 * len(keep) ** 2:.1f} GB (limit {MOST_COVARIANCE:,} parameters); fit.bse has the"
            " standard errors, fit.contrast(a, b) that of a difference"
        )
    functions = np.zeros((len(keep), len(fit.terms)))
    functions[np.arange(len(keep)), keep] = 1.0
    names = [fit.names[k] for k in keep]
    if not names:  # everything is separated or never compared
        return pd.DataFrame(np.zeros((0, 0)))
    return pd.DataFrame(fit.covariance.between(functions), index=names, columns=names)


def first_rows(fit: FitRecord, rows: int) -> pd.DataFrame:
    """The first rows of :meth:`pairproof.Fit.to_frame`, without computing the others."""
    if (
        fit.robust is not None
        or rows * 5 >= len(fit.terms)
        or len(fit.terms) < _MANY
        or "standard_errors" in fit.__dict__
    ):
        return parameter_frame(fit, 0.05).iloc[:rows]
    import pandas as pd

    kept: pd.DataFrame | None = fit.__dict__.get(
        "_first_rows"
    )  # the page and the summary in it show the same
    if kept is not None and len(kept) == rows:
        return kept
    functions = np.eye(rows, len(fit.terms))
    variances = np.diag(fit.covariance.between(functions))
    free = fit.free[:rows]
    estimate = np.where(fit.estimable[:rows], fit.beta[:rows], np.nan)
    se = np.where(free, np.sqrt(np.maximum(variances, 0.0)), np.nan)
    centre, half = np.where(free, fit.beta[:rows], np.nan), inference.normal_quantile(0.975) * se
    z = centre / se
    frame = pd.DataFrame(
        {
            "estimate": estimate,
            "se": se,
            "z": z,
            "p": inference.two_sided_p(z),
            "low": centre - half,
            "high": centre + half,
        },
        index=list(fit.names[:rows]),
    )
    fit.__dict__["_first_rows"] = frame
    return frame


def parameter_frame(fit: FitRecord, alpha: float) -> pd.DataFrame:
    """estimate, se, z (or t and df), p, low, high by parameter; see :meth:`pairproof.Fit.to_frame`."""
    frame = interval_frame(fit, alpha)
    columns = {"estimate": estimates(fit), "se": fit.standard_errors}
    if fit.robust is None:
        columns["z"] = fit.z
    else:
        columns |= {"t": fit.z, "df": fit.degrees_of_freedom}
    columns["p"] = student_p(fit.z, fit.degrees_of_freedom)
    for place, (name, column) in enumerate(columns.items()):
        frame.insert(place, name, column)
    return frame
