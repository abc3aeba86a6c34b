"""Numbers that R gave of a fit and that no row of its section is about: they are named, so that nobody takes them for
compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ....bridge.capture.recorded import RecordedCall
from ....bridge.values.values import RVector
from ...verdicts.agreement import Agreement

#: Name of a recorded number -> what a reader calls it, and the kinds of rows that compare it.
NUMBERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "coef": ("estimates", ("estimate", "coef", "b", "mass")),
    "vcov": ("standard errors", ("se", "se_of_rankings")),
    "se": ("standard errors", ("se",)),
    "zeta": ("thresholds", ("estimate", "coef", "zeta")),
    "loglik": ("log-likelihood", ("llf", "ll", "loglik")),
    "ll": ("stored log-likelihood", ("ll",)),
    "fl": ("log-likelihood of the saturated model", ("fl",)),
    "loglik_df": ("number of parameters", ("loglik_df",)),
    "aic": ("AIC", ("aic_glm",)),
    "deviance": ("deviance", ("deviance", "deviance_polr")),
    "df_residual": ("residual degrees of freedom", ("df_resid", "df_residual")),
    "null_deviance": ("null deviance", ("null_deviance",)),
    "df_null": ("null degrees of freedom", ("df_null",)),
    "penalized_deviance": ("penalised deviance", ("penalised_deviance",)),
    "sigma": ("standard deviation of the random effects", ("sigma",)),
    "sigma_se": ("its standard error", ("sigma_se",)),
    "effects": ("random effects", ("effect",)),
    "theta": ("theta", ("theta", "sigma")),
    "adherence": ("adherence", ("adherence",)),
}


def not_compared(call: RecordedCall, rows: Sequence[Agreement]) -> tuple[str, ...]:
    """What R gave of a fit and no row compares, in words; () for a call that is no fit.

    A coefficient by itself cannot be lacking: rows of estimates are asked of all parameters or of none.

    rows: of this call.
    """
    if "coef" not in call.result:
        return ()
    kinds = {a.quantity.kind for a in rows}
    found = [
        words
        for name, (words, of) in NUMBERS.items()
        if not kinds & {*of} and _has_number(call.result.get(name))
    ]
    return tuple(dict.fromkeys(found))


def _has_number(value: object) -> bool:
    return (
        isinstance(value, RVector)
        and value.values.dtype.kind in "fi"
        and value.levels is None
        and bool(np.isfinite(value.floats()).any())
    )
