"""Did R stop before it reached the maximum?  The score and the information show it; and what rounding leaves of
a number.

The log-likelihoods of these models are concave, so the maximum is where the score (the gradient) is 0, and
from a point near it one Newton step, information^-1 score, leads there.  Score and information are worked out
here from the estimates and the cells alone, by code that the native engine does not use:

    two outcomes, Davidson   score = sum_cells sum_c (y_c - n p_c) x_c
                             information = sum_cells n (sum_c p_c x_c x_c' - m m'),  m = sum_c p_c x_c
    Rao and Kupper           log-likelihood = (W + T) log F(u - d) + (L + T) log F(-u - d) + T log(e^(2d) - 1)

where x_c is what the parameters are multiplied with in log(weight of outcome c), and W, T, L are the wins,
ties and losses of a cell.  R stopped short if the Newton step from R's estimates leads to native's, and the
score at native's estimates is 0.

Where a number is what is left of sums that cancel, its rounding is that of the sums.  A deviance of 0 is the
sum of 2 y log(y / m): every term is right to about 2^-52 of y, so two right programs can give 0, 1e-29 and
-5e-15.  R's Poisson log-likelihood had sum(n log n - n) - sum log y! added, which is taken off again; a
binomial one sum log choose(n, wins). A binomial glm takes the probability q of losing as 1 - mu, right to
2^-53 and not to that part of itself: log q, of which there are as many as losses, is off by 2^-53 / q; beyond
log-odds of 30 it puts 2^-52 in the place of q.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, xlogy

from ...bridge.programs.counted_cells import CountedCells
from ...fit.estimates.likelihood import outcome_probabilities
from ...fit.estimates.specification import LOG_WORTH_PER_UNIT
from ...fit.fit import Fit
from ...numerics.arrays import BoolArray, FloatArray
from ..verdicts.agreement import RCounterpart, ScoreCheck
from .ask import column_of

#: A log-likelihood is a sum of n log p, with p right to 1e-16; below this part of it and of the sum of n a
#: difference is rounding.
ROUNDING = 1e-14
#: Numbers in the design (cells x parameters) up to which it is worked out: 160 MB.
MOST_NUMBERS = 20_000_000


def score_check(fit: Fit, cells: CountedCells, answer: RCounterpart) -> ScoreCheck | None:
    """What the score says about R's estimates and of native's.

    None where R has not all estimates, some are infinite, or the design is too large.
    """
    theirs = [answer.values.get(f"estimate.{name}", np.nan) for name in fit.names]
    beta = np.where(fit.is_reference, 0.0, theirs)
    if np.isnan(beta).any() or fit.null_space.shape[1] or len(cells) * len(fit.terms) > MOST_NUMBERS:
        return None
    model = _Likelihood(fit, cells)
    free = ~np.asarray(fit.is_reference)
    own = np.where(free, fit.beta, 0.0)
    try:
        inverse, step = model.newton(own, free)
        _, back = model.newton(beta, free)
    except np.linalg.LinAlgError:
        return None
    se = np.sqrt(np.maximum(np.diag(inverse), 0.0))
    if not free.any() or not (se > 0).all():
        return None
    stated = fit.bse.to_numpy(dtype=float)[free]
    way = (own - beta)[free]
    gap = fit.llf - log_likelihood(fit, cells, beta)
    far = float(np.max(np.abs(way / se)))
    return ScoreCheck(
        gap if gap > ROUNDING * (abs(fit.llf) + float(cells.counts.sum())) else 0.0,
        far,
        float(np.max(np.abs((way - back) / se))) / far if far > 0 else 0.0,
        dict(zip((n for n, f in zip(fit.names, free) if f), (np.abs(step) / se).tolist())),
        float(np.max(np.abs(stated - se) / se)),
        float(np.max(np.abs(way))),
        abs(fit.deviance - deviance(fit, cells, own)) / (deviance_size(cells) or 1.0),
    )


def deviance(fit: Fit, cells: CountedCells, beta: FloatArray) -> float:
    """2 sum y log(y / (n p)) over the outcomes of the cells, at parameters float[n_params] on the fit's scale."""
    counts = cells.counts
    fitted = counts.sum(axis=1, keepdims=True) * probabilities(fit, cells, beta)
    seen = counts > 0
    return float(2.0 * np.sum(counts[seen] * np.log(counts[seen] / fitted[seen])))


def deviance_size(cells: CountedCells) -> float:
    """Size of the sums of which a deviance is what is left: 2 y (|log(y / n)| + 1) over the outcomes."""
    counts = cells.counts
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return float(2.0 * np.sum(counts * (1.0 - np.log(np.where(counts > 0, share, 1.0)))))


#: Singular values of the design, in units of its columns' lengths, below this part of the largest are 0.
#: Designs hold 0, 1, -1 and covariates: the smallest seen that is not 0 is 4e-3, the largest that is, 3e-16.
ZERO = 1e-10


def kept_aliased(fit: Fit, cells: CountedCells, answer: RCounterpart) -> str:
    """A sentence where R estimates more parameters than the cells determine; "" where it does not.

    The rank of the design is computed here from the cells alone.  R has kept aliased columns if its residual df
    are fewer than those that follow from this rank, native's are just these, and the deviance is the same: it is
    the same fit, whose standard errors R takes from an information that has no inverse.
    """
    own = answer.values.get("df_resid", np.nan)
    if not own < fit.df_resid or cells.counts.size * len(fit.terms) > MOST_NUMBERS:
        return ""
    columns = np.stack([column_of(fit, cells, t) for t in fit.terms], axis=1)
    tie = np.array([t.kind == "tie" for t in fit.terms])
    rows = np.vstack([columns * ~tie, columns * tie])[:, ~np.asarray(fit.is_reference)]
    length = np.sqrt((rows**2).sum(axis=0))
    values = np.linalg.svd(rows[:, length > 0] / length[length > 0], compute_uv=False)
    rank = int((values > ZERO * values.max(initial=0.0)).sum())
    df = len(cells) * (cells.counts.shape[1] - 1) - rank
    same = abs(answer.values.get("deviance", np.nan) - fit.deviance) <= SAME_FIT * max(1.0, fit.deviance)
    if df != fit.df_resid or not same:
        return ""
    return (
        f"{answer.r_call} kept {df - int(own)} aliased columns: besides the constants of {len(cells)}"
        f" cells its design has rank {rank} (by singular values), and R has {int(own)} residual df instead of {df}; its standard"
        " errors come from a singular information matrix"
    )


#: Part of itself within which two deviances are of the same fit, where R keeps aliased columns.
SAME_FIT = 1e-8


class _Likelihood:
    """Score and information of a fit's model on its cells."""

    def __init__(self, fit: Fit, cells: CountedCells) -> None:
        self._fit, self._cells = fit, cells
        columns = np.stack([column_of(fit, cells, t) for t in fit.terms], axis=1)
        tie = np.array([t.kind == "tie" for t in fit.terms])
        of_items = np.array([t.kind in ("item", "covariate") for t in fit.terms])
        unit = np.where(of_items, LOG_WORTH_PER_UNIT[fit.scale], 1.0)
        self._u, self._g = columns * np.where(tie, 0.0, unit), columns * tie
        two = cells.counts.shape[1] == 2
        self._y = np.insert(cells.counts, 1, 0.0, axis=1) if two else cells.counts
        self._model = fit.outcome_model if cells.ties is not None else "binary"

    def newton(self, beta: FloatArray, free: BoolArray) -> tuple[FloatArray, FloatArray]:
        """The information's (pseudo-)inverse over the free parameters, and the Newton step."""
        score, information = (self._rao_kupper if self._model == "rao-kupper" else self._log_linear)(beta)
        information = information[np.ix_(free, free)]
        # In units of its own diagonal, so that what is small in the pseudo-inverse is so by the model and not
        # by the units.
        size = np.sqrt(np.maximum(np.diag(information), np.finfo(float).tiny))
        inverse = np.linalg.pinv(information / np.outer(size, size), rcond=1e-13, hermitian=True)
        inverse = inverse / np.outer(size, size)
        if self._fit.spec.reference == "sum":
            inverse = self._centred(inverse, free)
        return inverse, inverse @ score[free]

    def _centred(self, inverse: FloatArray, free: BoolArray) -> FloatArray:
        """Items of each block about their mean, as the constraint has them."""
        terms = [t for t, f in zip(self._fit.terms, free) if f]
        centre = np.eye(len(terms))
        for block in {t.by for t in terms if t.kind == "item"}:
            at = np.array([k for k, t in enumerate(terms) if t.kind == "item" and t.by == block])
            centre[np.ix_(at, at)] -= 1.0 / len(at)
        return np.asarray(centre @ inverse @ centre.T)

    def _log_linear(self, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
        u, g, n = self._u @ beta, self._g @ beta, self._y.sum(axis=1)
        p = outcome_probabilities(u, g, "davidson" if self._model == "davidson" else "binary")
        rest = self._y - n[:, None] * p
        # They sum to 0: that of the likeliest outcome, which cancels most, is minus the others.
        likeliest = (np.arange(len(rest)), p.argmax(axis=1))
        rest[likeliest] = 0.0
        rest[likeliest] = -rest.sum(axis=1)
        score = self._u.T @ ((rest[:, 0] - rest[:, 2]) / 2) + self._g.T @ rest[:, 1]
        # Variances and covariance of the outcome's own two scores, +1/2 or -1/2 and "is a tie".
        decided = p[:, 0] + p[:, 2]
        uu = decided * p[:, 1] / 4 + p[:, 0] * p[:, 2]
        gg, ug = p[:, 1] * decided, -(p[:, 0] - p[:, 2]) * p[:, 1] / 2
        return score, self._quadratic(n * uu, n * ug, n * gg)

    def _rao_kupper(self, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
        u, d = self._u @ beta, self._g @ beta
        won, tied, lost = self._y.T
        p = outcome_probabilities(u, d, "rao-kupper")
        first, second = p[:, 0], p[:, 2]
        a, b = (won + tied) * (1 - first), (lost + tied) * (1 - second)
        grown = np.where(tied > 0, np.expm1(2 * d), 1.0)  # where no tie occurred its term is 0
        score = self._u.T @ (a - b) + self._g.T @ (tied * 2 * (grown + 1) / grown - a - b)
        wa, wb = a * first, b * second
        return score, self._quadratic(wa + wb, wb - wa, wa + wb + tied * 4 * (grown + 1) / grown**2)

    def _quadratic(self, uu: FloatArray, ug: FloatArray, gg: FloatArray) -> FloatArray:
        cross = (self._u * ug[:, None]).T @ self._g
        own = (self._u * uu[:, None]).T @ self._u
        return np.asarray(own + cross + cross.T + (self._g * gg[:, None]).T @ self._g)


def log_likelihood(fit: Fit, cells: CountedCells, beta: FloatArray) -> float:
    """Sum of n log p over the cells, at parameters float[n_params] on the fit's scale."""
    counts, p = cells.counts, probabilities(fit, cells, beta)
    return float(np.sum(np.where(counts > 0, counts * np.log(np.where(counts > 0, p, 1.0)), 0.0)))


def probabilities(fit: Fit, cells: CountedCells, beta: FloatArray) -> FloatArray:
    """float[n_cells, 2 or 3] of the cells' outcomes, at parameters float[n_params] on the fit's scale."""
    u, g = np.zeros(len(cells)), np.zeros(len(cells))
    for term, value in zip(fit.terms, beta):
        column = column_of(fit, cells, term)
        if term.kind == "tie":
            g += value * column
        else:
            unit = LOG_WORTH_PER_UNIT[fit.scale] if term.kind in ("item", "covariate") else 1.0
            u += unit * value * column
    p = outcome_probabilities(u, g, fit.outcome_model if cells.ties is not None else "binary")
    return p if cells.ties is not None else p[:, [0, 2]]


#: R's C code of the logit link (`logit_linkinv`) keeps log-odds within 30.
CLAMPED = float(np.exp(-30.0))


def rounding(fit: Fit, cells: CountedCells, answer: RCounterpart, binomial: bool) -> dict[str, float]:
    """Size of the sums that cancel in R's deviance, llf and AIC, by quantity; nothing where R has none of
    them.

    `binomial` says that R computed the probability of losing as 1 - mu.
    """
    n = cells.counts.sum(axis=1)
    total = float(n.sum())
    if binomial:
        total += _of_small_probabilities(cells.losses, probabilities(fit, cells, fit.beta)[:, -1])
        total += _of_small_probabilities(cells.wins, probabilities(fit, cells, fit.beta)[:, 0], exact=True)
    constants = float(np.sum(xlogy(n, n)) + total + np.sum(gammaln(cells.counts + 1.0)))
    # A term of a deviance is 2 y log(y / m), and a Poisson one has 2 (y - m) taken off: twice the counts.
    # Seen on a balanced table of 32 comparisons: 4.0e-14 for 0 from llbtPC.fit, 2.8 units of 64's last place.
    sizes = {"deviance": 2.0 * total, "llf": total + constants, "aic": 2.0 * (total + constants)}
    return {name: size for name, size in sizes.items() if name in answer.values}


def _of_small_probabilities(count: FloatArray, q: FloatArray, exact: bool = False) -> float:
    """What a glm's probabilities cost: 2^-52 / q for each comparison that was lost, and all of log(2^-52 / q)
    beyond `CLAMPED`.

    `exact` says that q is computed as itself and not as 1 minus another.
    """
    last = np.finfo(float).eps
    q = np.maximum(q[count > 0], np.finfo(float).tiny)
    count = count[count > 0]
    clamped = (1.0 + np.abs(np.log(last / q))) / last
    return float(np.sum(count * np.where(q < CLAMPED, clamped, 0.0 if exact else 1.0 / q)))
