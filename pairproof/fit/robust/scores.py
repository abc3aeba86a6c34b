"""Score and information of every row of a table at a fit's estimates, and what multiplies parameters there.

The log-odds of the item named first (order effect included) and the tie parameter of a row, eta = x'b and g =
z'b, depend on the items, the order and the covariates that the model names; x and z have few entries that are
not 0.  Rows that agree in these are of one *pattern*: a million answers on 100 items have at most 9,900, and
all that is not a count is computed once for each.  A row with W, T, L comparisons (n in all) gives::

    binary       score W - n p                             information n p (1 - p)
    Davidson     ((W - L) - n d) / 2,  T - n t              n ((1 - t - d^2)/4, -d t/2; -d t/2, t (1 - t))
    Rao-Kupper   the sum of log F(eta - g) W + T times, log F(-eta - g) L + T times, log(exp(2g) - 1) T times,
                 F logistic; information observed, which is positive semidefinite row by row
    probit,      score W f(eta)/F(eta) - L f(-eta)/F(-eta), information minus the second derivatives
    cauchit      (observed; of cauchit it may be negative in a row)

per unit of (eta, g), with p = P(first), d = P(first) - P(second), t = P(tie).  The likelihood is that of the
outcome given that the comparison took place (McFadden 1974; Dittrich, Hatzinger and Katzenbeisser 1998).

Both are sums over outcomes of a count times a number of the row's pattern, so they are kept as the latter.

Estimates at infinity: the outcomes that a row's limit leaves possible are those as likely as the observed one
along every infinite direction.  One such outcome: the row says nothing about what is finite.  Two (A never
lost to B, but tied): it says as much as the choice between these two does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from ...data.columns import Column, Factor, numbers_as_levels, take
from ...data.comparisons import Comparisons
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ..estimates.fit_record import FitRecord
from ..estimates.likelihood import logistic
from ..estimates.predictions import item_covariate
from ..estimates.specification import LOG_WORTH_PER_UNIT, Term


@dataclass(frozen=True, eq=False)
class Design:
    """A design matrix whose rows have few entries, padded to the same number of them.

    `at` int[n, k]: parameters; 0 where `value` is 0.  value float[n, k].
    """

    at: IntArray
    value: FloatArray

    def times(self, vector: FloatArray) -> FloatArray:
        """float[n] or float[n, m]: the design times float[n_params] or float[n_params, m]."""
        out = np.zeros((len(self.at), *vector.shape[1:]))
        for at, value in zip(self.at.T, self.value.T):
            out += vector[at] * (value if vector.ndim == 1 else value[:, None])
        return out

    def quadratic(self, matrix: FloatArray, other: Design) -> FloatArray:
        """float[n]: x' matrix z for each row's x of this design and z of the other."""
        out = np.zeros(len(self.at))
        for a, u in zip(self.at.T, self.value.T):
            for b, v in zip(other.at.T, other.value.T):
                out += u * v * matrix[a, b]
        return out

    def weighted_products(self, weights: FloatArray, other: Design, n_params: int) -> FloatArray:
        """float[n_params, n_params]: sum over rows of weight x z', z of the other design."""
        out = np.zeros(n_params * n_params)
        for a, u in zip(self.at.T, self.value.T):
            for b, v in zip(other.at.T, other.value.T):
                out += np.bincount(a * n_params + b, weights=weights * u * v, minlength=n_params * n_params)
        return out.reshape(n_params, n_params)

    def dense(self, rows: IntArray, n_params: int) -> FloatArray:
        """float[n_some, n_params]: these rows, zeros written out."""
        out = np.zeros((len(rows), n_params))
        for at, value in zip(self.at[rows].T, self.value[rows].T):
            out[np.arange(len(rows)), at] += value
        return out


def patterns(fit: FitRecord, table: Comparisons, more: Sequence[str] = ()) -> tuple[IntArray, Comparisons]:
    """Pattern of every row, int[n_rows], and a table with one row of each pattern (its counts mean nothing).

    more: further columns in which the rows of a pattern agree.
    """
    fit.spec.check_held("scores of the table's rows")
    names = {*more, *(covariate for term in fit.terms for covariate, _ in (*term.of, *term.by))}
    if any(term.kind == "order" for term in fit.terms):
        names |= {"order"} & set(table.columns)
    n_items = len(fit.items)
    key, size = np.asarray(table.first * n_items + table.second), n_items * n_items
    for name in sorted(names):
        codes, n_levels = _coded(table.columns[name])
        if size * n_levels >= 2**62:
            key, size = _renumbered(key, size)
        key, size = key * n_levels + codes, size * n_levels
    key, size = _renumbered(key, size)
    example = np.empty(size, np.int64)
    example[key] = np.arange(table.n_rows)
    own = {name: getattr(table, name)[example] for name in ("first", "second", "wins", "ties", "losses")}
    columns = {name: take(table.columns[name], example) for name in names}
    return key, replace(table, **own, columns=columns)


def pattern_cells(fit: FitRecord) -> Comparisons:
    """A table with one row of each pattern and its counts, ties as they were given; the patterns are those of `row_scores`."""
    offset, data = fit.spec.offset, fit.data
    pattern, few = patterns(fit, data, (offset,) if offset else ())
    counts = (data.wins, data.ties, data.losses)
    wins, ties, losses = (np.bincount(pattern, count, few.n_rows).astype(float) for count in counts)
    return replace(few, wins=wins, ties=ties, losses=losses)


def _coded(column: Column) -> tuple[IntArray, int]:
    if isinstance(column, Factor):
        return column.codes + 1, len(column.levels) + 1
    distinct, inverse = np.unique(column, return_inverse=True)
    return np.ravel(inverse), len(distinct)


def _renumbered(key: IntArray, size: int) -> tuple[IntArray, int]:
    """Keys numbered from 0 without gaps, and how many there are; counted rather than sorted where that fits."""
    if size > max(4 * len(key), 100_000):
        distinct, inverse = np.unique(key, return_inverse=True)
        return np.ravel(inverse), len(distinct)
    present = np.zeros(size, bool)
    present[key] = True
    number = np.cumsum(present) - 1
    return number[key], int(number[-1]) + 1 if size else 0


#: Rows, their parameters and the values there.
Entries = tuple[IntArray, IntArray, FloatArray]


def designs(fit: FitRecord, table: Comparisons) -> tuple[Design, Design]:
    """What beta is multiplied with in the log-odds and in the tie parameter of every row."""
    unit = LOG_WORTH_PER_UNIT[fit.scale]
    of_odds: list[Entries] = []
    of_tie: list[Entries] = []
    products = _Products(table)
    place = np.full((len(fit.layout.blocks), len(fit.items)), -1)
    place[fit.layout.block, fit.layout.item] = fit.layout.place
    for block, term in zip(place, fit.layout.blocks):
        rows, value = products.of(term)
        of_odds.append((rows, block[table.first[rows]], unit * value))
        of_odds.append((rows, block[table.second[rows]], -unit * value))
    order = order_of(table)
    for k, term in enumerate(fit.terms):
        if term.kind == "item":
            continue
        rows, value = products.of(term)
        if term.kind == "covariate":
            each = item_covariate(fit, term)
            value = unit * value * (each[table.first[rows]] - each[table.second[rows]])
        elif term.kind == "order":
            value = value * order[rows]
        (of_tie if term.kind == "tie" else of_odds).append((rows, np.full(len(rows), k), value))
    return _packed(of_odds, table.n_rows), _packed(of_tie, table.n_rows)


class _Products:
    """Products of subject covariates and the rows in which they are not 0: of 400 judges a row has one."""

    def __init__(self, table: Comparisons) -> None:
        self.table = table
        self._by_level: dict[str, dict[str, IntArray]] = {}

    def of(self, term: Term) -> tuple[IntArray, FloatArray]:
        """int[m] and float[m]: rows, and the product of the term's covariates there."""
        multiplied = (*term.of, *term.by)
        of_levels = [self._rows(name, level) for name, level in multiplied if level is not None]
        rows = of_levels[0] if of_levels else np.arange(self.table.n_rows)
        for here in of_levels[1:]:
            rows = np.intersect1d(rows, here, assume_unique=True)
        value = np.ones(len(rows))
        for name, level in multiplied:
            column = self.table.columns[name]
            if level is None and not isinstance(column, Factor):
                value = value * column[rows]
        return rows, value

    def _rows(self, name: str, level: str) -> IntArray:
        if name not in self._by_level:
            self._by_level[name] = dict(_split(self.table.columns[name]))
        return self._by_level[name].get(level, np.zeros(0, np.int64))


def _split(column: Column) -> Iterator[tuple[str, IntArray]]:
    """Every level of a factor with its rows; the levels of numbers, of C(column), are named as the model has them."""
    if isinstance(column, Factor):
        levels, codes = column.levels, column.codes
    else:
        levels, codes = numbers_as_levels(column)
    by = np.argsort(codes, kind="stable")
    start = np.searchsorted(codes[by], np.arange(len(levels) + 1))
    for k, level in enumerate(levels):
        yield level, by[start[k] : start[k + 1]]


def _packed(parts: list[Entries], n: int) -> Design:
    """Entries of each row moved together."""
    filled = np.zeros(n, np.int64)
    at, value = np.zeros((n, 4), np.int64), np.zeros((n, 4))
    for rows, place, entry in parts:
        told = (entry != 0.0) & (place >= 0)
        if not told.all():
            rows, place, entry = rows[told], place[told], entry[told]
        column = filled[rows]
        if len(rows) and column.max() >= at.shape[1]:
            at, value = np.pad(at, ((0, 0), (0, 4))), np.pad(value, ((0, 0), (0, 4)))
        at[rows, column], value[rows, column] = place, entry
        filled[rows] += 1
    k = int(filled.max(initial=0))
    return Design(at[:, :k], value[:, :k])


def order_of(table: Comparisons) -> FloatArray:
    """float[n_rows]: 1 where the item named first has its advantage, 0 on neutral ground."""
    column = table.columns.get("order")
    if column is None:
        return np.ones(table.n_rows)
    return np.array([float(v) for v in column.levels])[column.codes] if isinstance(column, Factor) else column


#: A row whose log-odds move along a direction in which the likelihood grows without end: entries are of
#: order 1.
MOVES = 1e-9


@dataclass(frozen=True, eq=False)
class RowScores:
    """Scores and information of a table's rows in their two linear predictors.

    x, z: of the log-odds and of the tie parameter, one row a pattern; `z` has no entries where there is none.
    pattern int[n_rows].  counts float[3, n_rows]: wins, ties and losses of the item named first; weights
    where they are fractional.  unit_score float[3, 2, n_patterns]: derivatives by log-odds and tie parameter
    of the log-likelihood of one win, tie or loss.  unit_information float[3, 3, n_patterns]: minus the second
    derivatives of each outcome: twice by log-odds, by both, twice by the tie parameter.
    """

    x: Design
    z: Design
    pattern: IntArray
    counts: FloatArray
    unit_score: FloatArray
    unit_information: FloatArray

    def __len__(self) -> int:
        return len(self.pattern)

    @property
    def n_patterns(self) -> int:
        return len(self.x.at)

    @property
    def n_cells(self) -> int:
        """Outcomes (0 win, 1 tie, 2 loss) of patterns; a cell's number is outcome times patterns, plus pattern."""
        return 3 * self.n_patterns

    def scores_by_cell(self, n_params: int) -> csr_matrix:
        """float[n_cells, n_params] sparse: the score of one comparison of each cell."""
        designs = [self.x, self.z] if self.has_ties else [self.x]
        at = np.concatenate([design.at for design in designs], axis=1)
        value = np.concatenate(
            [design.value * self.unit_score[:, k, :, None] for k, design in enumerate(designs)], axis=2
        )
        start = np.arange(0, value.size + 1, at.shape[1])
        return csr_matrix((value.ravel(), np.tile(at, (3, 1)).ravel(), start), (self.n_cells, n_params))

    def information_by_cell(self, n_params: int) -> csr_matrix:
        """float[n_cells, n_params^2] sparse: the information of one comparison of each cell."""
        at, value = [], []
        for k, (one, other) in enumerate([(self.x, self.x), (self.x, self.z), (self.z, self.z)]):
            for a, u in zip(one.at.T, one.value.T):
                for b, v in zip(other.at.T, other.value.T):
                    for i, j in ((a, b), (b, a)) if k == 1 else ((a, b),):
                        at.append(i * n_params + j)
                        value.append(self.unit_information[:, k] * (u * v))
        start = np.arange(0, len(at) * self.n_cells + 1, len(at))
        places = np.tile(np.stack(at, axis=1), (3, 1)).ravel()
        return csr_matrix((np.stack(value, axis=2).ravel(), places, start), (self.n_cells, n_params**2))

    @property
    def has_ties(self) -> bool:
        """Whether there is a tie parameter."""
        return int(self.z.at.shape[1]) > 0

    @property
    def same_information(self) -> bool:
        """Whether all outcomes of a pattern carry the same information (all but Rao-Kupper)."""
        one, two, three = self.unit_information
        return bool((one == two).all() and (one == three).all())

    def weighted(self, unit: FloatArray) -> FloatArray:
        """float[n_rows]: sum over outcomes of count times float[3, n_patterns]."""
        out: FloatArray = self.counts[0] * unit[0][self.pattern]
        for count, each in zip(self.counts[1:], unit[1:]):
            if each.any() and count.any():
                out += count * each[self.pattern]
        return out

    @property
    def n(self) -> FloatArray:
        """float[n_rows]: comparisons."""
        return np.asarray(self.counts.sum(axis=0))

    @property
    def tells(self) -> BoolArray:
        """bool[3, n_patterns]: outcomes that say something of a finite estimate."""
        return np.asarray((self.unit_score != 0.0).any(axis=1) | (self.unit_information != 0.0).any(axis=1))

    def traces(self, bread: FloatArray) -> FloatArray:
        """float[3, n_patterns]: tr(I M) of the information I of one comparison, M float[n_params, n_params]."""
        x, z = self.x, self.z
        parts = (x.quadratic(bread, x), 2.0 * x.quadratic(bread, z), z.quadratic(bread, z))
        return np.asarray(sum(self.unit_information[:, k] * part for k, part in enumerate(parts)))

    @property
    def telling(self) -> IntArray:
        """int[m]: rows with comparisons that say something of a finite estimate."""
        if self.tells.all():
            return np.flatnonzero(self.n > 0.0)
        return np.flatnonzero(self.weighted(self.tells.astype(np.float64)) > 0.0)

    def only(self, rows: IntArray) -> RowScores:
        """These rows, in this order."""
        return replace(
            self, pattern=self.pattern[rows], counts=np.stack([count[rows] for count in self.counts])
        )


def row_scores(fit: FitRecord) -> RowScores:
    """Scores and information of every row of `fit.data`, rows that say nothing of a finite estimate at 0."""
    table = as_fitted(fit)
    offset = fit.spec.offset
    pattern, few = patterns(fit, table, (offset,) if offset else ())
    x, z = designs(fit, few)
    beta = np.where(fit.is_reference, 0.0, fit.beta)
    counts = np.stack([table.wins, table.ties, table.losses])
    eta, g = x.times(beta), z.times(beta)
    if offset:
        eta = eta + np.asarray(few.columns[offset], float)
    possible = np.ones((3, len(eta)), bool)
    if fit.null_space.shape[1]:
        observed = np.stack([np.bincount(pattern, count, minlength=len(eta)) for count in counts])
        for direction in fit.null_space.T:
            possible &= _possible(
                x.times(direction), z.times(direction), observed.argmax(axis=0), fit.outcome_model
            )
    found = None if fit.contests is None else fit.contests.outcomes.unit_derivatives(eta, possible)
    score, information = found or units(eta, g, possible, fit.outcome_model)
    return RowScores(x, z, pattern, counts, score, information)


def _possible(eta: FloatArray, g: FloatArray, observed: IntArray, model: str) -> BoolArray:
    """bool[3, n]: outcomes that grow as likely as the observed one along a direction, (eta, g) in each row."""
    if model == "rao-kupper":
        # log F(u) falls with the negative part of u; g >= 0, so the direction is the one in which g grows.
        eta, g = np.where(g < 0.0, -eta, eta), np.abs(g)
        win, loss = -np.maximum(0.0, g - eta), -np.maximum(0.0, g + eta)
        growth = np.stack([win, win + loss + 2.0 * g, loss])
        only = (g <= MOVES) & (np.abs(eta) > MOVES)
        growth[:, only] = np.arange(3.0)[:, None]
    else:
        growth = np.stack([eta / 2.0, g if model == "davidson" else np.zeros_like(eta), -eta / 2.0])
    return np.asarray(np.abs(growth - np.take_along_axis(growth, observed[None], axis=0)) <= MOVES)


def as_fitted(fit: FitRecord) -> Comparisons:
    """The comparisons as they entered the likelihood: ties kept, dropped, or as half wins."""
    return fit.data.with_ties_treated(fit.spec.ties)


def units(eta: FloatArray, g: FloatArray, possible: BoolArray, model: str) -> tuple[FloatArray, FloatArray]:
    """First and minus second derivatives by (eta, g) of the log-likelihood of one win, one tie and one loss.

    eta float[n]: log-odds of first against second.  g float[n]: tie parameter; not used by the binary model.
    possible bool[3, n]: outcomes that infinite estimates leave possible; the others have probability 0.
    Returns information float[3, 3, n]: by eta twice, eta and g, g twice.
    """
    if model == "rao-kupper":
        return _rao_kupper(eta, g, possible)
    score, information = np.zeros((3, 2, len(eta))), np.zeros((3, 3, len(eta)))
    tie = np.full_like(eta, -np.inf) if model == "binary" else g
    h = np.where(possible, np.stack([eta / 2.0, tie, -eta / 2.0]), -np.inf)
    weight = np.exp(h - h.max(axis=0))
    p = weight / weight.sum(axis=0)
    first, t, second = p
    # of eta: y / 2 less its mean, y = 1, 0, -1; the complement is written out, for 1 - p cancels
    score[0, 0], score[2, 0] = second + t / 2.0, -(first + t / 2.0)
    score[1, 0] = (second - first) / 2.0
    score[0, 1] = score[2, 1] = -t
    score[1, 1] = first + second
    # 1 - t - d^2 = P1 + P2 - (P1 - P2)^2, written without cancellation
    information[:, 0] = (t * (first + second) + 4.0 * first * second) / 4.0
    information[:, 1] = -(first - second) * t / 2.0
    information[:, 2] = t * (first + second)
    if model == "binary":
        score[1] = 0.0
    score[~np.repeat(possible[:, None], 2, axis=1)] = 0.0
    return score, information


def _rao_kupper(eta: FloatArray, g: FloatArray, possible: BoolArray) -> tuple[FloatArray, FloatArray]:
    score, information = np.zeros((3, 2, len(eta))), np.zeros((3, 3, len(eta)))
    p1, q1 = logistic(eta - g), logistic(g - eta)
    p2, q2 = logistic(-eta - g), logistic(g + eta)
    win, loss = possible[0], possible[2]
    # without losses a tie is what is left of a win, log F(g - eta); without wins of a loss, log F(eta + g)
    both = win & loss & possible[1]
    finite = both & (g > 0.0)
    with np.errstate(over="ignore"):
        # d log(exp(2g) - 1) / dg = 2 / (1 - exp(-2g)), minus its derivative 1 / sinh(g)^2
        grown = np.where(finite, g, 1.0)
        own = np.where(finite, 2.0 / -np.expm1(-2.0 * grown), 0.0)
        bend = np.where(finite, 1.0 / np.sinh(grown) ** 2, 0.0)
    v1, v2 = p1 * q1, p2 * q2
    score[0] = np.where(win, q1, 0.0) * np.array([[1.0], [-1.0]])
    score[2] = np.where(loss, q2, 0.0) * np.array([[-1.0], [-1.0]])
    score[1] = np.where(both, np.stack([q1 - q2, own - q1 - q2]), 0.0)
    information[0] = np.where(win, v1, 0.0) * np.array([[1.0], [-1.0], [1.0]])
    information[2] = np.where(loss, v2, 0.0) * np.array([[1.0], [1.0], [1.0]])
    information[1] = np.where(both, np.stack([v1 + v2, v2 - v1, v1 + v2 + bend]), 0.0)
    without_loss, without_win = win & possible[1] & ~loss, loss & possible[1] & ~win
    score[1] += np.where(without_loss, p1, 0.0) * np.array([[-1.0], [1.0]])
    score[1] += np.where(without_win, p2, 0.0) * np.array([[1.0], [1.0]])
    information[1] += np.where(without_loss, v1, 0.0) * np.array([[1.0], [-1.0], [1.0]])
    information[1] += np.where(without_win, v2, 0.0) * np.array([[1.0], [1.0], [1.0]])
    single = possible.sum(axis=0) == 1
    score[:, :, single], information[:, :, single] = 0.0, 0.0
    return score, information
