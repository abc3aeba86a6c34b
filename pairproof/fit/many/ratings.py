"""Ratings of items in Elo points: log-odds of abilities, or of expected scores, times 400 / ln 10.

By ability a rating is ``at + (a_i - a_0) 400 / ln 10``, a_0 the anchor's or the mean of all finite ones.  What that says
depends on ties: with half wins the expected score of A against B is 1 / (1 + 10^((B - A) / 400)), while abilities of Davidson
and of Rao and Kupper are further apart for the same votes, the more so the more ties there are.

By score ratings mean the same for all: R solves, for each item i::

    sum over j of E_ij  =  sum over j of F(R_i - R_j),      E_ij = P(i preferred) + P(tie) / 2,   F logistic

j going through the other finite items.  These are the half-win Bradley-Terry ratings (Ford 1957) of a round robin in which
every pair scores what the model expects, without order effect and covariates of the comparison.  With H = diag(W 1) - W, W_ij =
F'(R_i - R_j), and E' the derivatives of the sums by the parameters, R has the derivatives H^+ E' (implicit functions); their
delta method gives the standard errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from ...data.options import one_of
from ...errors import ConvergenceError, InputError, NotEstimableError, TooLargeError
from ...numerics.arrays import FloatArray, IntArray
from ...text import label
from ..estimates.fit_record import FitRecord, find_item, title, why_not_estimable
from ..estimates.likelihood import logistic, outcome_probabilities
from ..estimates.predictions import (
    ability_functions,
    find_group,
    group_label,
    needs_logit,
    outcome_derivatives,
    sets_of_items,
    tie_parameter,
)
from ..estimates.specification import LOG_WORTH_PER_UNIT, Value
from ..estimates.tails import student_quantile
from ..inference.wald import alpha_of
from .abilities import MODEL_BASED, errors_of

#: Points per log-odds: 400 points are odds of 10 to 1 (Elo 1978).
ELO_PER_LOG_ODDS = 400.0 / float(np.log(10.0))
#: The mean of the ratings, or the anchor's, unless another is asked for.
USUAL = 1000.0
#: Items of which a covariance is written out (0.3 GB).
MOST_ITEMS = 6_000
Expected = Literal["ability", "score"]

#: What a difference of abilities is, by the treatment of ties.
_ABILITIES = {
    "half": "half-win ratings: 400 points are an expected score of 10 to 1, with a tie as half a win",
    "none": "400 points are odds of 10 to 1",
    "drop": "ratings of decided votes, because ties were dropped; they are not half-win ratings, which are closer together",
    "davidson": "Davidson abilities are not half-win ratings, which are closer together: expected='score' gives those",
    "rao-kupper": "Rao-Kupper abilities are not half-win ratings: expected='score' gives those",
}


@dataclass(frozen=True, eq=False)
class Ratings:
    """Ratings of items on a stated scale, with their covariance.

    Attributes
    ----------
    items : tuple of str, length n_items
    rating, se, df : float[n_items]
        In points; df of Student's t, inf for the normal.  nan for items in `left_out`; se also where one cluster
        alone determines it, and 0 for the anchor.
    covariance : float[n_items, n_items]
        Of the ratings, in squared points; nan for items in `left_out`.  Clustered two ways `se` may be larger than its
        diagonal says: it is then the largest of the two-way and both one-way ones.
    left_out : mapping of str to str
        Items without a finite rating, and why: "below all", "above all", "between sets", "apart".
    per_unit : float
        Points per log-odds, 400 / ln 10.
    anchor : str
        The item whose rating is `at`; "" where `at` is the mean of all that are finite.
    at : float
    ties : str
        How ties were treated.
    expected : {"ability", "score"}
    group : str
    model, errors : str
        Titles of the model and of its standard errors.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [6, 5, 8], [9, 8, 9], [4, 4, 3])
    >>> fit = pairproof.fit_bradley_terry(table)
    >>> fit.on_scale("elo").rating.round(1).tolist()
    [1079.9, 990.4, 929.7]
    >>> fit.on_scale("elo", anchor="C", at=1200, expected="score").rating.round(1).tolist()
    [1278.6, 1231.7, 1200.0]
    """

    items: tuple[str, ...]
    rating: FloatArray
    se: FloatArray
    df: FloatArray
    covariance: FloatArray
    left_out: Mapping[str, str]
    per_unit: float
    anchor: str
    at: float
    ties: str
    expected: Expected
    group: str
    model: str
    errors: str

    def conf_int(self, alpha: float = 0.05, *, level: float | None = None) -> pd.DataFrame:
        """Limits of every rating.

        Parameters
        ----------
        alpha : float
            1 minus the confidence level; below 0.5.
        level : float, optional
            The confidence level, in (0, 1), in place of alpha.

        Returns
        -------
        DataFrame
            low, high by item; nan where there is no rating or no standard error.
        """
        return self._frame(alpha_of(alpha, level))[["low", "high"]]

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """The ratings as a table.

        Parameters
        ----------
        alpha : float
            1 minus the confidence level of the limits; below 0.5.

        Returns
        -------
        DataFrame
            rating, se, df, low, high, status by item; status is "" or the reason of `left_out`.
        """
        return self._frame(alpha_of(alpha))

    def _frame(self, alpha: float) -> pd.DataFrame:
        half = student_quantile(1.0 - alpha / 2.0, self.df) * self.se
        numbers = {"rating": self.rating, "se": self.se, "df": self.df}
        limits = {"low": self.rating - half, "high": self.rating + half}
        status = [self.left_out.get(item, "") for item in self.items]
        return pd.DataFrame({**numbers, **limits, "status": status}, index=list(self.items))

    @property
    def sentence(self) -> str:
        """Which scale it is, in words."""
        where = f"{self.anchor} at {self.at:g}" if self.anchor else f"mean {self.at:g}"
        where += "" if self.group == "all" else f" in {self.group}"
        if self.expected == "score":
            what = "from expected scores, with a tie as half a win: half-win ratings of a round robin predicted by the model"
        else:
            what = _ABILITIES.get(self.ties, f"abilities of {self.model}, which are not half-win ratings")
        return f"Elo ratings, {where}, {self.per_unit:.2f} points per log-odds; {what}. {self.model}; {self.errors}"

    def to_dict(self, alpha: float = 0.05) -> dict[str, Any]:
        """The ratings as a JSON object, with every digit; None where there is no value.

        Parameters
        ----------
        alpha : float
            1 minus the confidence level of the limits; below 0.5.

        Returns
        -------
        dict
        """
        from ...report.json_text import plain

        names = ("anchor", "at", "ties", "expected", "per_unit", "group", "model", "errors", "left_out")
        rows = self.to_frame(alpha).rename_axis("item").reset_index().to_dict("records")
        stated = {name: getattr(self, name) for name in names}
        return dict(plain({"scale": "elo", **stated, "level": 1.0 - alpha, "ratings": rows}))

    def __str__(self) -> str:
        frame = self.to_frame()
        width = max(map(len, self.items))
        lines = [f"{self.sentence}.", f"{'':{width}}  rating      se     2.5 %    97.5 %"]
        for k in np.argsort(-self.rating, kind="stable"):  # those without a rating come last
            name, row = f"{self.items[k]:{width}}", frame.iloc[k]
            numbers = f"  {row.rating:6.1f}  {row.se:6.1f}  {row.low:8.1f}  {row.high:8.1f}"
            lines.append(name + (f"  {row.status}" if row.status else numbers))
        return "\n".join(map(label, lines))


def ratings(
    fit: FitRecord, anchor: str | None, at: float | None, expected: Expected, group: str | None
) -> Ratings:
    """The items in Elo points; see :meth:`pairproof.Fit.on_scale`."""
    one_of("expected", expected, ("ability", "score"))
    level = USUAL if at is None else at
    if isinstance(level, (bool, str)) or not np.isfinite(level):
        raise InputError(f"at={at!r}; expected the rating of the anchor or the mean, a finite number")
    if len(fit.items) > MOST_ITEMS:
        raise TooLargeError(
            f"{len(fit.items):,} items; ratings with a covariance are limited to {MOST_ITEMS:,}; fit.abilities() has no limit"
        )
    fit, where = fit.of_items, find_group(fit, group)
    if expected == "ability":
        needs_logit(fit, "ratings by ability", "expected='score' gives ratings with any link")
    sets = sets_of_items(fit, where)
    members = sets.members()
    if len(members) < 2:
        raise NotEstimableError(f"no two items differ by a finite number; {why_not_estimable(fit)}")
    left_out = {item: status for item, status in zip(fit.items, sets.status) if status}
    origin = np.full(len(members), 1.0 / len(members))
    if anchor is not None:
        place = find_item(fit.items, anchor)
        if anchor in left_out:
            raise InputError(
                f"anchor={anchor!r} has no finite rating ({left_out[anchor]}); expected one of the {len(members)} items"
                f" with one, such as {fit.items[members[0]]!r}"
            )
        origin = (members == place).astype(float)
    functions = LOG_WORTH_PER_UNIT[fit.scale] * ability_functions(fit, where, members)
    values = functions @ fit.beta
    if expected == "score":
        values, functions = _by_score(fit, where, functions, len(members))
    values, functions = values - origin @ values, functions - origin @ functions
    functions[origin == 1.0] = 0.0  # the anchor's own, of which rounding would make an error
    se, df = errors_of(fit, functions)
    n, per = len(fit.items), ELO_PER_LOG_ODDS
    return Ratings(
        fit.items,
        _filled(level + per * values, members, n),
        _filled(per * se, members, n),
        _filled(np.where(np.isnan(df) & (se == 0.0), np.inf, df), members, n),
        _filled(per**2 * fit.covariance.between(functions), members, n),
        left_out,
        per,
        anchor or "",
        float(level),
        fit.spec.ties,
        expected,
        group if group is not None else group_label(where),
        title(fit),
        MODEL_BASED if fit.robust is None else fit.robust.title,
    )


def _filled(values: FloatArray, members: IntArray, n: int) -> FloatArray:
    out = np.full((n,) * values.ndim, np.nan)
    out[np.ix_(*[members] * values.ndim)] = values
    return out


def _by_score(
    fit: FitRecord, where: Mapping[str, Value], abilities: FloatArray, n: int
) -> tuple[FloatArray, FloatArray]:
    """Ratings by expected scores as log-odds that sum to 0, float[n], and their derivatives, float[n, n_params]."""
    a = abilities @ fit.beta
    u = a[:, None] - a
    e, by_u, of_ties = _expected_scores(fit, where, u.ravel())
    e, by_u = e.reshape(n, n), by_u.reshape(n, n)
    r = _round_robin(e, u, a)
    np.fill_diagonal(by_u, 0.0)
    moved = by_u.sum(axis=1)[:, None] * abilities - by_u @ abilities
    for by_tie, function in of_ties:
        moved += by_tie.reshape(n, n).sum(axis=1)[:, None] * function
    _, bend = _slope(r)
    return r, np.linalg.solve(bend, moved)


#: Expected scores float[m], derivatives by the log-odds, and by parameters of ties with their functions.
Scores = tuple[FloatArray, FloatArray, list[tuple[FloatArray, FloatArray]]]


def _expected_scores(fit: FitRecord, where: Mapping[str, Value], u: FloatArray) -> Scores:
    """Of pairs whose abilities differ by u, float[m], on neutral ground."""
    if fit.spec.general_ties:
        raise InputError(
            f"expected='score' of {title(fit)}: expected scores are defined for half wins, Davidson and Rao-Kupper"
            " ties, dropped ties, and models without ties; fit one of these"
        )
    if fit.spec.link != "logit":
        p = fit.outcomes.probabilities(u)[:, 0]
        unit = fit.outcomes.unit_derivatives(u, np.ones((3, len(u)), bool))
        assert unit is not None  # only the logit's are those of the likelihood of counts
        return p, p * unit[0][0, 0], []
    function = np.array([t.multiplier(where) if t.kind == "tie" else 0.0 for t in fit.terms])
    g = np.full(len(u), tie_parameter(fit, where))
    p = outcome_probabilities(u, g, fit.outcome_model)
    by_u, by_g = (each[:, 0] + each[:, 1] / 2.0 for each in outcome_derivatives(u, g, fit.outcome_model))
    return p[:, 0] + p[:, 1] / 2.0, by_u, [(by_g, function)]


def _slope(r: FloatArray) -> tuple[FloatArray, FloatArray]:
    """F(r_i - r_j), and H, made regular along the mean, which nothing moves; float[n, n] each."""
    p = logistic(r[:, None] - r)
    w = p * p.T
    np.fill_diagonal(w, 0.0)
    bend = np.diag(w.sum(axis=1)) - w
    return p, bend + np.trace(bend) / len(r) ** 2


def _round_robin(e: FloatArray, u: FloatArray, start: FloatArray) -> FloatArray:
    """float[n]: half-win ratings, summing to 0, of a round robin with scores e float[n, n], by Newton's steps."""

    def height(r: FloatArray) -> float:  # minus the log-likelihood, each pair twice
        far = np.abs(r[:, None] - r)
        return float((far / 2.0 + np.log1p(np.exp(-far))).sum() - ((e - 0.5) * (r[:, None] - r)).sum())

    r = start - start.mean()
    for _ in range(200):
        p, bend = _slope(r)
        # Of each pair the smaller score is the exact one.
        step = np.linalg.solve(bend, np.where(u > 0.0, p.T - e.T, e - p).sum(axis=1))
        step -= step.mean()
        if np.abs(step).max() <= 1e-13 * max(1.0, float(np.abs(r).max())):
            return np.asarray(r + step)
        before = height(r)
        while height(r + step) > before + 1e-9 * abs(before):
            step = step / 2.0
        r = r + step
    raise ConvergenceError(
        f"ratings by expected score: steps of {np.abs(step).max():.1e} log-odds after 200; items with expected scores of"
        " almost 0 or 1 have no ratings by score; use expected='ability'"
    )
