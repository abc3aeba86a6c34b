"""Residuals of contests, one by one and grouped by item, for any model of comparisons.

With the score y = (wins + ties / 2) / n of the first item among n comparisons of a row, its expectation m and the
variance v of one comparison's score under the fit::

    response  y - m          pearson   (y - m) sqrt(n / v)
    working   u / w          deviance  sign(y - m) sqrt(2 sum of count log(count / expected))

u = dl/d eta and w is the information of the row about its linear predictor eta.  Without ties these are R's residuals of
a binomial glm, with Davidson's ties u = n (y - m) and w = n v.  The residual of an item is the mean of the working
residuals of its contests, as second item with a minus sign, weighted by w (Turner and Firth 2012, Journal of Statistical
Software 48(9), section 5; its text calls the first column Pearson's, and it holds deviance residuals).

With random effects fitted values are those at the predicted effects, as in BradleyTerry2.  A row whose result is certain
in the limit of a separated fit has residuals 0 and weight 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ....data.options import one_of
from ....errors import InputError
from ....fit.estimates.fit_record import title
from ....fit.estimates.specification import AnswerSpec
from ....fit.fit import Fit
from ....numerics.arrays import FloatArray
from ..rows.links import link
from .predict import Rows, rows_of

if TYPE_CHECKING:
    import pandas as pd


KINDS = ("deviance", "pearson", "response", "working")


def contest_residuals(
    fit: Fit, kind: Literal["deviance", "pearson", "response", "working"] | None = None
) -> pd.DataFrame:
    """Residuals of every row of the table that was fitted.

    Parameters
    ----------
    fit : Fit
        Of comparisons.
    kind : {"deviance", "pearson", "response", "working"}, optional
        One of them; default: all four.

    Returns
    -------
    DataFrame
        first, second, contests (those that entered the likelihood), score (of the item named first, a tie counts 1/2),
        fitted (its expectation), the residuals, and weight, by row of `fit.data`.  nan in rows without a contest.

    Raises
    ------
    InputError
        Another kind, a model of whole answers, or working residuals of a model whose ties do not enter by the score
        (Rao and Kupper's, shifted or scaled ones).

    References
    ----------
    McCullagh and Nelder (1989), Generalized Linear Models, section 2.4.  Turner and Firth (2012), section 5.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build("AB", [0, 1], [1, 0], [6, 3], None, [4, 7])
    >>> fit = pairproof.fit_bradley_terry(table)
    >>> pairproof.contest_residuals(fit, "response")["response"].round(3).tolist()
    [-0.05, -0.05]
    """
    import pandas as pd

    if kind is not None:
        one_of("kind", kind, KINDS)
    _check(fit)
    if kind == "working":
        _check_working(fit)
    rows = rows_of(fit)
    label = np.array(fit.items, dtype=object)
    found = _residuals(fit, rows)
    wanted = [k for k in KINDS if kind in (None, k) and (k != "working" or _has_working(fit))]
    frame = pd.DataFrame({"first": label[rows.first], "second": label[rows.second]})
    frame["contests"], frame["score"], frame["fitted"] = rows.totals, found["score"], found["fitted"]
    for name in wanted:
        frame[name] = found[name]
    frame["weight"] = found["weight"]
    frame.index = pd.RangeIndex(len(frame), name="row")
    return frame


def item_residuals(fit: Fit) -> pd.DataFrame:
    """Residuals grouped by item: what the model of the abilities does not explain of each.

    Parameters
    ----------
    fit : Fit
        Of comparisons.

    Returns
    -------
    DataFrame
        item, residual (on the scale of the linear predictor; nan without a contest, or where all results are certain),
        weight (its information), contests.  Where abilities are free all are 0; against a covariate that the model
        does not have they show what it would add.

    Raises
    ------
    InputError
        As :func:`contest_residuals` of working residuals.

    Examples
    --------
    >>> import numpy as np, pairproof
    >>> a, b = np.triu_indices(4, 1)
    >>> table = pairproof.Comparisons.build(
    ...     "ABCD", a, b, [3, 6, 1, 8, 2, 1], None, [7, 4, 9, 2, 8, 9], item_data={"x": np.array([0.0, 1, 2, 4])})
    >>> pairproof.item_residuals(pairproof.fit_bradley_terry(table, formula="x"))["weight"].round(2).tolist()
    [6.03, 6.64, 6.74, 5.44]
    """
    import pandas as pd

    _check(fit)
    _check_working(fit)
    rows, n = rows_of(fit), len(fit.items)
    found = _residuals(fit, rows)
    used = rows.totals > 0
    weight = np.where(used, found["weight"], 0.0)
    pull = np.where(weight > 0, weight * np.nan_to_num(found["working"]), 0.0)
    total = np.bincount(rows.first, pull, n) - np.bincount(rows.second, pull, n)
    weights = np.bincount(rows.first, weight, n) + np.bincount(rows.second, weight, n)
    contests = np.bincount(rows.first, rows.totals, n) + np.bincount(rows.second, rows.totals, n)
    mean = np.divide(total, weights, out=np.full(n, np.nan), where=weights > 0)
    return pd.DataFrame({"item": list(fit.items), "residual": mean, "weight": weights, "contests": contests})


def _residuals(fit: Fit, rows: Rows) -> dict[str, FloatArray]:
    counts, p, n = rows.counts, rows.probabilities, rows.totals
    there = n > 0
    certain = rows.certain & there
    share = np.divide(counts, n[:, None], out=np.full(counts.shape, np.nan), where=there[:, None])
    p = np.where(certain[:, None], share, p)
    m = p[:, 0] + p[:, 1] / 2.0
    score = share[:, 0] + share[:, 1] / 2.0
    # As the difference of the two sides, so that little is lost where both are near 1.
    response = ((share[:, 0] - p[:, 0]) - (share[:, 2] - p[:, 2])) / 2.0
    variance = p[:, 0] * p[:, 2] + p[:, 1] * (p[:, 0] + p[:, 2]) / 4.0
    with np.errstate(divide="ignore", invalid="ignore"):
        pearson = np.where(response == 0, 0.0, response * np.sqrt(n / variance))
        working, weight = _working(fit, rows, response, variance)
    for values in (pearson, working, weight):
        values[certain] = 0.0
        values[~there] = np.nan
    return {
        "score": score,
        "fitted": np.where(there, m, np.nan),
        "response": np.where(certain, 0.0, response),
        "pearson": pearson,
        "deviance": np.sign(response) * np.sqrt(2.0 * np.maximum(_divergence(counts, share, p), 0.0)),
        "working": working,
        "weight": weight,
    }


def _working(
    fit: Fit, rows: Rows, response: FloatArray, variance: FloatArray
) -> tuple[FloatArray, FloatArray]:
    n = rows.totals
    name = fit.spec.link
    if name == "logit":
        return response / variance, n * variance
    slope = link(name).density(np.nan_to_num(rows.eta))
    return response / slope, n * slope**2 / variance


def _divergence(counts: FloatArray, share: FloatArray, p: FloatArray) -> FloatArray:
    """Sum over outcomes of count log(share / p), with 0 log 0 = 0; nan without a contest."""
    from scipy.special import rel_entr

    n = counts.sum(axis=1, keepdims=True)
    return np.asarray((n * rel_entr(share, p)).sum(axis=1))


# -- what there is -------------------------------------------------------------------------------------------


def _check(fit: Fit) -> None:
    if not isinstance(fit, Fit) or isinstance(fit.spec, AnswerSpec):
        raise InputError(
            "residuals of contests are of models of comparisons; fit.residuals(kind, distribution) has those of cells"
        )


def _has_working(fit: Fit) -> bool:
    return fit.outcome_model != "rao-kupper" and not fit.spec.general_ties


def _check_working(fit: Fit) -> None:
    if not _has_working(fit):
        raise InputError(
            f"{title(fit)}: its likelihood is not a function of each contest's score (a tie as 1/2), by which working"
            " residuals, and those of items, are defined; kind='pearson', 'deviance' and 'response' are of the score, or"
            " fit with Davidson's ties"
        )
