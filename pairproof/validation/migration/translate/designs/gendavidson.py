"""gnm with GenDavidson: `fit_bradley_terry(ties="davidson")`, with shifted or scaled ties where they are
asked for.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from ....r_answers.translate import RParameters
from ...code.expressions import Call, File
from ...recognise.davidson import Davidson
from ..translation import Translation
from .judged import GNM, of_fit, poisson_likelihood, with_glm
from .read import Fitted
from .write import tidy

SAID = "tie = tie.max + log 2, tie-shift = tie.mode, tie-scale = tie.scale"


def davidson(call: RecordedCall, fitted: Fitted, found: Davidson) -> Translation:
    """The translation of a GenDavidson that was recognised."""
    at = [fitted.design.names.index(n) for n in found.coefficients]
    coef, vcov = np.nan_to_num(fitted.coef[at]), fitted.vcov[np.ix_(at, at)]
    theta = found.map @ coef
    theta[found.names.index("tie")] += log(2.0)
    p = RParameters(found.names, theta, found.map @ vcov @ found.map.T, "log-odds", found.items[0])
    # Players without a match, and leagues that never met, have fewer parameters than names.
    df = call.number("loglik_df")
    n = len(found.names) if df is None else int(df) - len(found.contests)
    likelihood = poisson_likelihood(call, found.contests, fitted.y, n)
    # With tie.mode or tie.scale gnm's errors are of the expected information, a fit's of the observed one.
    judge = of_fit(call, p, likelihood, GNM, SAID, errors=not found.general)
    judge = with_glm(call, fitted, judge, likelihood, nuisance=len(found.contests))
    notes = (
        ("standard errors are of the observed information, R's of the expected one",) if found.general else ()
    )
    return Translation("native", _code(call, found), judge=judge, notes=notes)


def _code(call: RecordedCall, found: Davidson) -> Call:
    contests, (one, other) = found.contests, found.players
    columns: dict[str, list[Any]] = {
        one: [found.items[k] for k in contests.first],
        other: [found.items[k] for k in contests.second],
        "wins": tidy(contests.wins),
        "ties": tidy(contests.ties if contests.ties is not None else np.zeros(len(contests))),
        "losses": tidy(contests.losses),
    }
    if found.order is not None and (found.order != 1).any():
        columns["order"] = tidy(found.order)
    options: dict[str, Any] = {
        "layout": "counts",
        "columns": {"first": one, "second": other},
        "items": list(found.items),
    }
    keywords: dict[str, Any] = {}
    if found.order is not None:
        keywords["order_effect"] = True
    for name, option in (("tie-shift", "tie_shift"), ("tie-scale", "tie_scale")):
        if name in found.names:
            keywords[option] = True
    keywords["cells"] = "row"
    table = Call("pairproof.read", (File(columns, call.variable),), options)
    return Call("pairproof.fit_bradley_terry", (table,), keywords)
