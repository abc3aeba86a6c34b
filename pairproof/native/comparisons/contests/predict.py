"""Linear predictors and probabilities of comparisons: of the rows of a fit, and of those that were not seen.

The linear predictor of a comparison is a'theta, with variance a'Va: of a fit without random effects V is the
covariance of its parameters.  With random effects V is that of effects and fixed parameters minus the truth,
and an item that was not seen, whose effect is 0 in the mean, adds sigma^2 (random-effects model of Henderson
1975, Biometrics 31, 423-447).  What probability to expect of such an item is the average over its effect, not
the value at effect 0.  Comparisons to be predicted stand after the fit's own rows in one table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ....data.columns import Column, Factor, beside
from ....data.comparisons import Comparisons
from ....data.options import one_of
from ....errors import DataWarning, InputError, ItemError, warn_the_caller
from ....fit.estimates.array_inference import normal_quantile
from ....fit.estimates.fit_record import listed
from ....fit.estimates.likelihood import outcome_probabilities
from ....fit.estimates.predictions import ability_functions, item_covariate
from ....fit.estimates.specification import LOG_WORTH_PER_UNIT, ContestSpec
from ....fit.fit import Fit
from ....fit.inference.wald import check_level
from ....numerics.arrays import BoolArray, FloatArray, IntArray
from ....text import named
from ..counts.build import order_column
from ..formula.ability_formula import expand
from ..random_effects.joint import limits_over, mean_probability, sigma_posterior
from ..rows.links import link
from .estimates import LinkOutcomes
from .mixed import effects_of, mixed_rows
from .specified import BESIDE, ContestRows, contest_rows, of_contests

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Rows:
    """The rows of a fit, as they entered the likelihood.
    `first`, second int[n_rows].  counts float[n_rows, 3]: first preferred, tie, second preferred.  eta
    float[n_rows]: linear predictors; nan where they are not estimable.  probabilities float[n_rows, 3].
    certain bool[n_rows]: rows whose predictor is not estimable: with a contest, its result is certain in the
    limit."""

    first: IntArray
    second: IntArray
    counts: FloatArray
    eta: FloatArray
    probabilities: FloatArray
    certain: BoolArray

    @property
    def totals(self) -> FloatArray:
        """float[n_rows]: contests."""
        return np.asarray(self.counts.sum(axis=1))


def rows_of(fit: Fit) -> Rows:
    """Linear predictors and probabilities of every row of a fit's table."""
    fit.spec.check_held("fitted values of the table's rows")
    table = fit.data.with_ties_treated(fit.ties)
    counts = np.stack([table.wins, table.ties, table.losses], axis=1).astype(float)
    eta, along = _predictors(fit, table)
    certain = ~fit.vanishes(along)
    eta = np.where(certain, np.nan, eta)
    if fit.contests is not None:
        rows = contest_rows(fit.data, fit.of_contests)
        eta = eta + rows.design.offset
        if fit.random_effects is not None:
            for number, component in enumerate(fit.components):
                effects = effects_of(rows, component.name)
                own = fit.predicted_effects.component == number
                u = np.append(fit.predicted_effects.theta[: len(own)][own], 0.0)
                u *= LOG_WORTH_PER_UNIT[fit.scale]
                eta = eta + u[effects.first] - u[effects.second]
        places = [k for k, t in enumerate(fit.terms) if t.kind in ("tie", "tie-of")]
        ability = LOG_WORTH_PER_UNIT[fit.scale] * (ability_functions(fit, {}) @ fit.beta)
        level = (ability[table.first] + ability[table.second]) / 2.0 - ability.mean()
        p = fit.outcomes.probabilities(eta, fit.beta[places], rows.home, level)
    else:
        p = np.full((len(eta), 3), np.nan)
        known = np.isfinite(eta)
        p[known] = outcome_probabilities(eta[known], _ties(fit, table)[known], fit.outcome_model)
    return Rows(table.first, table.second, counts, eta, p, certain)


def _predictors(fit: Fit, table: Comparisons) -> tuple[FloatArray, FloatArray]:
    """Linear predictors in log-odds, float[n_rows], and how they move along the null directions, float[n_rows, k]."""
    n, k, unit = len(fit.items), fit.null_space.shape[1], LOG_WORTH_PER_UNIT[fit.scale]
    both = np.column_stack([fit.beta, fit.null_space])
    abilities: dict[tuple[tuple[str, str | None], ...], FloatArray] = {}
    out = np.zeros((table.n_rows, 1 + k))
    place = {item: i for i, item in enumerate(fit.items)}
    for term, values in zip(fit.terms, both):
        if term.kind == "item" and term.item is not None:
            abilities.setdefault(term.by, np.zeros((n, 1 + k)))[place[term.item]] += values
        elif term.kind == "covariate":
            x = item_covariate(fit, term)
            abilities.setdefault(term.by, np.zeros((n, 1 + k)))[:] += np.outer(x, values)
        elif term.kind == "order":
            out += np.outer(order_column(fit.data) * _product(term.by, table), values)
        elif term.kind == "comparison":
            out += np.outer(_product((*term.of, *term.by), table), values)
    for by, a in abilities.items():
        out += unit * (a[table.first] - a[table.second]) * _product(by, table)[:, None]
    return out[:, 0], out[:, 1:]


def _ties(fit: Fit, table: Comparisons) -> FloatArray:
    """float[n_rows]: the tie parameter of each row."""
    if fit.outcome_model == "binary":
        return np.full(table.n_rows, -np.inf)
    places = [k for k, t in enumerate(fit.terms) if t.kind == "tie"]
    if any(k for k in places if not fit.estimable[k]) and not fit.data.ties.any():
        return np.full(table.n_rows, -np.inf)
    return sum((fit.beta[k] * _product(fit.terms[k].by, table) for k in places), np.zeros(table.n_rows))


def _product(by: tuple[tuple[str, str | None], ...], table: Comparisons) -> FloatArray:
    """float[n_rows]: the product of columns that a term is multiplied with."""
    value = np.ones(table.n_rows)
    for name, level in by:
        column = table.columns[name]
        if isinstance(column, Factor):
            value *= column.codes == column.levels.index(str(level))
        else:  # a numeric column is a slope, or the factor C(column) whose levels are its numbers
            value *= column if level is None else column == float(level)
    return value


#: Comparisons to be predicted at most; each takes a row of all parameters.
MOST = 100_000


def stacked(
    fit: Fit,
    spec: ContestSpec,
    contests: Mapping[str, Sequence[Any]] | pd.DataFrame,
    item_data: Mapping[str, Mapping[str, str | float]],
) -> tuple[Comparisons, int, int]:
    """The fit's table with new rows and items at the end, and the numbers of rows and items before them.
    Returns Comparisons, int, int: the new rows have one win, which counts for nothing; columns that
    `contests` lacks are left out."""
    data = fit.data
    names = [str(c) for c in (contests.columns if hasattr(contests, "columns") else contests)]
    given = {name: list(contests[name]) for name in names}
    lengths = {name: len(values) for name, values in given.items()}
    if "first" not in given or "second" not in given or len(set(lengths.values())) > 1:
        raise InputError(
            f"contests has the columns {', '.join(f'{k} ({n})' for k, n in lengths.items()) or 'none'}; expected first,"
            " second and the columns of the model, all of one length"
        )
    n = lengths["first"]
    if not 0 < n <= MOST:
        raise InputError(f"contests has {n:,} rows; expected 1 to {MOST:,}")
    again = [item for item in item_data if item in data.items]
    if again:
        raise ItemError(
            f"item_data has {', '.join(again[:8])}, which the model was fitted to: its covariates are known"
        )
    items = (*data.items, *map(str, item_data))
    place = {item: k for k, item in enumerate(items)}
    sides = []
    for side in ("first", "second"):
        unknown = [v for v in given[side] if str(v) not in place]
        if unknown:
            cure = "; its ability is a free parameter, which cannot be known without a comparison"
            if spec.item_terms or spec.no_abilities:
                cure = (
                    f"; give {' and '.join(data.item_data) or 'it'} in item_data={{{str(unknown[0])!r}: {{...}}}}, on the"
                    " command line in the file of --new-items"
                )
            raise ItemError(
                f"contests, {side}: {unknown[0]!r} is not among the items of {data.source} ({listed(data.items, 12)}){cure}"
            )
        sides.append(np.array([place[str(v)] for v in given[side]], np.int64))
    same = np.flatnonzero(sides[0] == sides[1])
    if len(same):
        raise ItemError(f"contests, row {same[0] + 1}: {items[sides[0][same[0]]]!r} is compared with itself")
    columns = {
        name: _longer(name, column, given[name], "contests", lenient=name == "judge")
        for name, column in data.columns.items()
        if name in given and name not in spec.derived
    }
    _need(spec, columns, data)
    covariates = {
        name: _longer(name, column, [v.get(name, np.nan) for v in item_data.values()], "item_data")
        for name, column in data.item_data.items()
        if name not in spec.derived
    }
    one, none = np.ones(n), np.zeros(n)
    first, second = np.concatenate([data.first, sides[0]]), np.concatenate([data.second, sides[1]])
    wins, losses = np.concatenate([data.wins, one]), np.concatenate([data.losses, none])
    ties = np.concatenate([data.ties, none]) if data.tie_category else None
    both = Comparisons.build(
        items, first, second, wins, ties, losses, columns=columns, item_data=covariates, source="contests"
    )
    return both, data.n_rows, len(data.items)


def _need(spec: ContestSpec, columns: Mapping[str, Column], data: Comparisons) -> None:
    name = spec.offset.removesuffix(BESIDE)  # an offset(...) of the formula is worked out again
    if name in data.columns and name not in spec.derived and name not in columns:
        if not name.startswith("offset("):
            raise InputError(f"contests lacks the column {name!r}, the model's offset")


def _longer(name: str, column: Column, more: Sequence[Any], what: str, lenient: bool = False) -> Column:
    """A column with more values at its end; levels stay in their order, new ones after them."""
    if not isinstance(column, Factor):
        try:
            values = np.array([float(v) for v in more])
        except (TypeError, ValueError):
            raise InputError(f"{what}, {name}: {list(more)[:5]}; expected numbers") from None
        return np.asarray(np.concatenate([column, values]))
    text = ["" if v is None or (isinstance(v, float) and np.isnan(v)) else _label(v) for v in more]
    new = [v for v in dict.fromkeys(text) if v and v not in column.levels]
    if new and not lenient and what == "contests":
        raise InputError(
            f"{what}, {name}: {new[0]!r} is not a level that the model was fitted to; they are"
            f" {', '.join(column.levels[:20])}"
        )
    levels = (*column.levels, *new)
    code = {level: k for k, level in enumerate(levels)}
    return Factor(np.concatenate([column.codes, [code.get(v, -1) for v in text]]).astype(np.int64), levels)


def _label(value: object) -> str:
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def predict(
    fit: Fit,
    contests: Mapping[str, Sequence[Any]] | pd.DataFrame,
    *,
    item_data: Mapping[str, Mapping[str, str | float]] | None = None,
    level: float = 0.95,
    sigma: Literal["uncertain", "known"] = "uncertain",
) -> pd.DataFrame:
    """Predict comparisons, also of items that the model was not fitted to.

    Parameters
    ----------
    fit : Fit
        Of :func:`pairproof.fit_bradley_terry` without `by`.
    contests : mapping of str to sequence, or DataFrame
        Columns first and second, names of items, and every column that the model uses.  A judge that was not seen,
        or "", stands for judges in general.
    item_data : mapping of str to mapping of str to level or number, optional
        Covariates of each item that was not seen.
    level : float
        Of the limits, in (0, 1).
    sigma : {"uncertain", "known"}
        With random effects: whether the limits are over the posterior of sigma (uniform prior; Gelman 2006), or take
        sigma as known, which makes them too short for small tables (with 100 contests of 77 players limits of
        95 % covered the true value in 79 % of the cases, those over the posterior in 91 %).  PQL and several components:
        "known".

    Returns
    -------
    DataFrame
        first, second, eta, se, p_first, p_tie, p_second, and limits low, high of the probability that the first is
        preferred (of its logit's or link's linear predictor; nan with ties).  With random effects p_first is averaged
        over the effects of what was not seen, p_plug_in is F(eta), p_averaged is averaged over the whole uncertainty
        (all three, eta and se with sigma as estimated), and `new` counts the effects that were not seen.
        ``attrs["sigma"]`` says how sigma entered the limits.

    Raises
    ------
    ItemError
        An item that was not seen where abilities are free, or without covariates.
    InputError, FormulaError
        Columns that are missing, levels that were not seen, or a model with `by` or Rao and Kupper's ties.

    Examples
    --------
    >>> import numpy as np, pairproof
    >>> a, b = np.triu_indices(4, 1)
    >>> wins = np.array([3, 6, 1, 8, 2, 1])
    >>> table = pairproof.Comparisons.build("ABCD", a, b, wins, None, 10 - wins, item_data={"x": np.array([0.0, 1, 2, 4])})
    >>> fit = pairproof.fit_bradley_terry(table, formula="x + (1 | item)")
    >>> new = pairproof.predict(fit, {"first": ["E"], "second": ["A"]}, item_data={"E": {"x": 3}})
    >>> new[["eta", "se", "p_plug_in", "p_first"]].round(6).values.tolist()
    [[1.222922, 0.959747, 0.772577, 0.751576]]
    """
    check_level(level)
    if _spec(fit).link == "logit":
        fit = fit.on_scale("log-odds")
    spec = _spec(fit)
    table, n_old, n_seen = stacked(fit, spec, contests, item_data or {})
    if spec.formula:
        found = expand(spec.formula, table, spec.separate, known=(n_seen, n_old))
        table = found.table
        if found.offset is not None:
            given = spec.offset.removesuffix(BESIDE)
            offset = found.offset
            if given != spec.offset:
                more = table.columns[given]
                assert not isinstance(more, Factor)  # an offset is numeric, or there was no fit
                offset = offset + more
            table = replace(table, columns=beside(table.columns, {spec.offset: offset}))
    rows = contest_rows(table, spec, n_seen)
    _check_names(fit, rows)
    chosen = np.arange(n_old, table.n_rows)
    design = rows.design.rows(chosen)
    if fit.random_effects is not None:
        one_of("sigma", sigma, ("uncertain", "known"))
        found = _with_effects(fit, rows, chosen, design, n_seen, level, sigma)
    else:
        found = _fixed(fit, rows, chosen, design, level)
    without = found.loc[found["p_first"].isna(), ["first", "second"]].drop_duplicates()
    if len(without):
        pairs = named([f"{a} and {b}" for a, b in without.to_numpy()], 3)
        warn_the_caller(
            f"no probability of {pairs} (nan): their difference is infinite, or no chain of comparisons connects the two",
            DataWarning,
        )
    return found


def _spec(fit: Fit) -> ContestSpec:
    """The specification, against the reference that the fit's effects are predicted with."""
    if (
        fit.spec.family != "bradley-terry"
        or fit.spec.by
        or fit.spec.ties == "rao-kupper"
        or fit.robust is not None
    ):
        raise InputError(
            f"predictions of {fit.title}: they are for fit_bradley_terry without by, Rao and Kupper's ties or clusters;"
            " fit.probabilities(at=..., comparison=...) has the probabilities of all pairs of items"
        )
    if fit.random_effects is not None:
        return replace(fit.of_contests, reference=fit.predicted_effects.reference)
    return of_contests(fit.spec)


def _check_names(fit: Fit, rows: ContestRows) -> None:
    """InputError where the comparisons to predict make columns that the model does not have."""
    of_fit = [t.name for t in fit.terms if t.kind not in ("tie", "tie-of")]
    new = [t.name for t in rows.terms if t.name not in of_fit and t.kind != "item"]
    unseen = [name for name in new if name in rows.table.items]
    if unseen:
        raise ItemError(
            f"item_data: {', '.join(unseen[:8])} lacks a value of {' or '.join(fit.spec.item_terms[:8])}, and its ability"
            " cannot be known without"
        )
    if new:
        raise InputError(
            f"the comparisons have {', '.join(new[:8])}, which the model has no parameter for: a level that it was not"
            " fitted to"
        )
    lost = [name for name in of_fit if name not in {t.name for t in rows.terms}]
    if lost:
        raise InputError(f"the model's {', '.join(lost[:8])} cannot be worked out from the comparisons")


def _frame(table: Comparisons, chosen: IntArray, columns: Mapping[str, FloatArray]) -> pd.DataFrame:
    import pandas as pd

    label = np.array(table.items, dtype=object)
    return pd.DataFrame(
        {"first": label[table.first[chosen]], "second": label[table.second[chosen]], **columns}
    )


def _fixed(fit: Fit, rows: ContestRows, chosen: IntArray, design: FloatArray, level: float) -> pd.DataFrame:
    place = {name: k for k, name in enumerate(fit.names)}
    functions = np.zeros((len(chosen), len(fit.names)))
    level_at = np.zeros(len(chosen))
    for k, name in enumerate(rows.design.names):
        if name in place:
            functions[:, place[name]] = design[:, k]
            if rows.levels is not None:
                level_at += rows.levels[chosen, k] * fit.beta[place[name]]
        elif design[:, k].any():
            raise ItemError(f"item {name!r} was not seen, and its ability is a free parameter of the model")
    known = fit.vanishes(functions @ fit.null_space)
    eta = np.where(known, functions @ fit.beta + rows.design.offset[chosen], np.nan)
    variance = np.einsum("ij,ij->i", functions, np.stack([fit.covariance.product(f) for f in functions]))
    se = np.where(known, np.sqrt(np.maximum(variance, 0.0)), np.nan)
    spec = rows.spec
    tied = [k for k, t in enumerate(fit.terms) if t.kind in ("tie", "tie-of")]
    if tied:
        assert spec.law is not None  # no other model without `by` has a parameter of ties
        p = spec.law.probabilities(eta, fit.beta[tied], rows.home[chosen], level_at)
        low = high = np.full(len(eta), np.nan)
    else:
        p, low, high = _limits(spec.link, eta, se, level)
    columns = {"eta": eta, "se": se, "p_first": p[:, 0], "p_tie": p[:, 1], "p_second": p[:, 2]}
    return _frame(rows.table, chosen, {**columns, "low": low, "high": high})


def _limits(
    name: str, eta: FloatArray, se: FloatArray, level: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Outcomes, and limits of the probability that the first is preferred."""
    outcomes = LinkOutcomes(name)
    half = normal_quantile(0.5 + level / 2) * se
    low, high = (outcomes.probabilities(eta + side * half)[:, 0] for side in (-1.0, 1.0))
    return outcomes.probabilities(eta), low, high


def _with_effects(
    fit: Fit, rows: ContestRows, chosen: IntArray, design: FloatArray, n_seen: int, level: float, sigma: str
) -> pd.DataFrame:
    found = fit.predicted_effects
    k = found.n_effects
    names = [t.name for t in fit.terms]
    of_theta = {names[place]: k + j for j, place in enumerate(found.places)}
    functions = np.zeros((len(chosen), len(found.theta)))
    lost = np.zeros(len(chosen), bool)
    for j, name in enumerate(rows.design.names):
        if name in of_theta:
            functions[:, of_theta[name]] = design[:, j]
        elif name in names:  # a parameter without an estimate
            lost |= design[:, j] != 0
        elif design[:, j].any():
            raise ItemError(f"item {name!r} was not seen, and its ability is a free parameter of the model")
    fixed = functions[:, k:].copy()
    seen, new = _effects(fit, rows, chosen, functions, n_seen)
    eta = functions @ found.theta + rows.design.offset[chosen]
    variance = np.einsum("ij,jk,ik->i", functions, found.covariance, functions) + new.sum(axis=0)
    eta, se = np.where(lost, np.nan, eta), np.where(lost, np.nan, np.sqrt(np.maximum(variance, 0.0)))
    p, low, high = _limits(rows.spec.link, eta, se, level)
    chosen_link = link(rows.spec.link)

    def averaged(sd: FloatArray) -> FloatArray:
        known = ~np.isnan(eta)
        found = np.full(len(eta), np.nan)
        each = zip(eta[known].tolist(), sd[known].tolist())
        found[known] = [mean_probability(chosen_link, e, s) for e, s in each]
        return found

    marginal = averaged(np.sqrt(new.sum(axis=0)))
    how = "known"
    if sigma == "uncertain" and len(fit.components) == 1 and fit.of_contests.method != "pql":
        low, high, how = _over_sigma(fit, fixed, seen, rows.design.offset[chosen], lost, level)
    frame = _frame(
        rows.table,
        chosen,
        {
            "eta": eta,
            "se": se,
            "p_first": marginal,
            "p_tie": np.zeros(len(eta)),
            "p_second": 1.0 - marginal,
            "low": low,
            "high": high,
            "p_plug_in": p[:, 0],
            "p_averaged": averaged(np.nan_to_num(se)),
            "new": np.array([sum(side is None for side in sides) for sides in seen], dtype=float),
        },
    )
    frame.attrs["sigma"] = how
    return frame


def _over_sigma(
    fit: Fit,
    fixed: FloatArray,
    seen: Sequence[tuple[int | None, int | None]],
    offset: FloatArray,
    lost: BoolArray,
    level: float,
) -> tuple[FloatArray, FloatArray, str]:
    """Limits of the probability that the first is preferred over the posterior of sigma."""
    component = fit.components[0]
    contests = mixed_rows(contest_rows(fit.data, _spec(fit))).contests
    log_se = component.se / component.sigma if component.sigma > 0 else float("nan")
    posterior = sigma_posterior(contests, fit.of_contests.link, component.sigma, log_se)
    edges = np.full((2, len(seen)), np.nan)
    for r, (first, second) in enumerate(seen):
        if not lost[r]:
            edges[:, r] = limits_over(posterior, fixed[r], first, second, float(offset[r]), level)
    outcomes = LinkOutcomes(fit.of_contests.link)
    low, high = (outcomes.probabilities(edge)[:, 0] for edge in edges)
    words = "uncertain"
    if posterior.cut:
        words += f": the data hardly bound it from above, so that the end of its prior, {posterior.sigma[-1]:.3g}, matters"
    return low, high, words


def _effects(
    fit: Fit, rows: ContestRows, chosen: IntArray, functions: FloatArray, n_seen: int
) -> tuple[list[tuple[int | None, int | None]], FloatArray]:
    """Puts the effects that were seen into the functions.
    Returns list of (int or None, int or None): of the first component, the effects of both sides of each row;
    -1 for none, None for one that was not seen.  Returns float[m, n]: variances of the effects that were not
    seen, component by component and side by side."""
    found, table = fit.predicted_effects, rows.table
    own = {t.item for t in rows.terms if t.kind == "covariate" and t.item is not None}
    number = {
        key: k
        for k, key in enumerate(zip(found.component.tolist(), found.judge.tolist(), found.item.tolist()))
    }
    judge = table.columns.get("judge")
    labels = [""] * len(chosen)
    if isinstance(judge, Factor):
        labels = [judge.levels[c] if c >= 0 else "" for c in judge.codes[chosen]]
    places: list[list[int | None]] = []
    variances = []
    for c, component in enumerate(fit.components):
        for side, sign in ((table.first[chosen], 1.0), (table.second[chosen], -1.0)):
            at: list[int | None] = []
            for r, item in enumerate(side.tolist()):
                who = -1
                if component.name == "item:judge":
                    who = found.judges.index(labels[r]) if labels[r] in found.judges else -2
                elif table.items[item] in own:
                    at.append(-1)  # a fixed parameter in place of an effect
                    continue
                at.append(number.get((c, who, item)) if item < n_seen else None)
            for r, place in enumerate(at):
                if place is not None and place >= 0:
                    functions[r, place] += sign
            places.append(at)
            variances.append(np.array([component.sigma**2 * (place is None) for place in at]))
    return list(zip(places[0], places[1])), np.stack(variances)
