"""`leaderboard`: votes into a board, best first, with limits, rank sets, tiers and what they rest on.

The model is Bradley and Terry's, of log-odds b, with c'z of the style of the two answers and an order effect::

    E(score of i against j) = F(b_i - b_j + delta order + c'z),    score 1, 1/2, 0,    F logistic

Unless ties are modelled a tie is half a win for either, as on other boards; this is a quasi-likelihood, so that standard
errors are those of the votes' spread (sandwich), by clusters of votes that go together or by single votes, never those of
a binomial model.  Ratings are a + (400 / ln 10) b.  With b* drawn from the joint normal distribution of the estimates, or
by few clusters from Student's t of the fewest degrees of freedom that a difference to the best has,

    p_best_i = P(b*_i is the largest),      win_rate_i = mean over rated j != i of E(score of i against j), no order, equal style

Ranks are sets that hold for all items at once (:mod:`pairproof.fit.many.ranks`), and a tier ends where each item above it
is shown to be better than each item below.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, overload

import numpy as np

from ..data.columns import Factor, FloatArray, IntArray
from ..data.comparisons import Comparisons
from ..data.options import one_of
from ..data.reading.beside.repeated import vote_notes
from ..errors import InputError, RankingWarning
from ..fit.estimates.tails import student_quantile
from ..fit.fit import Fit
from ..fit.many.abilities import Abilities, abilities_of, errors_of
from ..fit.many.comparison_results import RankSets
from ..fit.many.ranks import rank_sets, with_df_that_decide
from ..fit.robust.clustered_fit import FEW
from ..text import listed, plural, quoted
from .both_bad import fit_both_bad
from .over_time import Every, History, history
from .result import Board, Boards
from .rows import BoardClusters, BoardData, BoardRow, BoardScale, ItemValue, Status, StyleEffect
from .tiers import about_strays, tiers
from .votes import BothBad, Votes, blanks, both_bad_of, clusters_of, gathered, styled, without_both_bad

BoardTies = Literal["half", "davidson", "rao-kupper", "drop"]
TIES: tuple[BoardTies, ...] = ("half", "davidson", "rao-kupper", "drop")
#: Draws for the chance of being best (Monte Carlo error < .002); items whose expected scores are worked out.
DRAWS, MOST_PAIRED = 100_000, 1_400
#: An item this many standard errors below the best is never it.  Below these df draws are Student's t.
NEVER, MANY_DF = 8.0, 1_000.0
#: Drawn log-odds this near to the largest share the chance: items that are equal without spread.
EQUAL = 1e-9


@dataclass(frozen=True)
class _Asked:
    """What a board is made by; see :func:`leaderboard`."""

    ties: BoardTies
    both_bad: BothBad
    cluster: tuple[str, ...] | None
    style: tuple[str, ...]
    order_effect: bool
    anchor: str
    at: float
    expected: Literal["ability", "score"]
    precision: float
    level: float
    seed: int
    date: str
    every: Every
    reading: Mapping[str, Any]


@overload
def leaderboard(votes: Any, *, by: None = None, **how: Any) -> Board:
    ...


@overload
def leaderboard(votes: Any, *, by: str, **how: Any) -> Boards:
    ...


def leaderboard(
    votes: Any,
    *,
    ties: BoardTies = "half",
    both_bad: BothBad = "tie",
    cluster: str | Sequence[str] | None = "auto",
    style: str | Sequence[str] = (),
    order_effect: bool = False,
    by: str | None = None,
    anchor: str | None = None,
    at: float = 1000.0,
    expected: Literal["ability", "score"] = "ability",
    precision: float = 30.0,
    level: float = 0.95,
    seed: int = 0,
    date: str | None = None,
    every: Every = "month",
    **reading: Any,
) -> Board | Boards:
    """Make a leaderboard from votes.

    Parameters
    ----------
    votes : Comparisons, path, glob, list of paths, or frame
        As in :func:`pairproof.read`; several files, large files and lazy frames as in :func:`pairproof.count`.
    ties : {"half", "davidson", "rao-kupper", "drop"}
        A tie counts as half a win for each, is a separate outcome, or is dropped.
    both_bad : {"tie", "drop", "own"}
        A vote that calls both bad counts as a tie, is dropped, or is modelled separately before the other votes are compared.
    cluster : str, sequence of str, or None
        One or two columns that define the clusters of votes; None: single votes.  "auto": `judge` and the column of
        prompts, if they exist and have ten values or more.
    style : str or sequence of str
        Covariates of the two answers: "length" for the columns `length_a` and `length_b`, or "diff(x_{a,b})".
    order_effect : bool
        Whether the effect of being shown first is estimated.
    by : str, optional
        A column; each of its values gets a separate board.
    anchor, at : str and float
        The item whose rating is `at`.  Without an anchor the mean of all ratings is `at`.
    expected : {"ability", "score"}
        Ratings from the model's abilities, or from its expected scores; the same if a tie is half a win.
    precision : float
        An item whose limits are more than this many points from its rating is provisional.
    level : float
        Confidence level of the limits, and of all rank sets jointly.
    seed : int
        Seed for the draws of `p_best` and critical values.
    date : str, optional
        A column of dates: `history` then gives the ratings at the end of each day, week, month, quarter or year.
    every : {"day", "week", "month", "quarter", "year"}
    **reading : Any
        Arguments of :func:`pairproof.read`.

    Returns
    -------
    Board, or with `by` Boards

    Raises
    ------
    InputError
        Votes that cannot be read, a missing column or anchor, or an option that is not available for votes that do
        not fit in memory; the message names the available ones.

    References
    ----------
    Bradley and Terry (1952), Biometrika 39, 324-345.  Bell and McCaffrey (2002), Survey Methodology 28, 169-181.
    Mogstad, Romano, Shaikh and Wilhelm (2024), Rev. Econ. Stud. 91, 476-518.

    Examples
    --------
    >>> import pairproof
    >>> votes = {"model_a": list("ABCABC"), "model_b": list("BCABCA")}
    >>> votes["winner"] = ["model_a", "model_a", "tie", "model_b", "model_b", "model_a"]
    >>> [(row.model, round(row.rating)) for row in pairproof.leaderboard(votes).rows]
    [('C', 1060), ('B', 1000), ('A', 940)]
    """
    one_of("ties", ties, TIES)
    one_of("both_bad", both_bad, ("tie", "drop", "own"))
    if not 0.0 < level < 1.0:
        raise InputError(f"level={level!r}; expected a number between 0 and 1")
    asked = _Asked(
        ties,
        both_bad,
        None if cluster is None else _names(cluster),
        _names(style),
        order_effect,
        anchor or "",
        float(at),
        expected,
        float(precision),
        level,
        seed,
        date or "",
        every,
        reading,
    )
    found = gathered(votes, () if by is None else (by,), reading)
    if by is None:
        return _board(found, asked)
    boards = {}
    for value, part in _by_value(found, by):
        try:
            boards[value] = _board(part, asked)
        except InputError as error:
            raise InputError(
                f"{by}={quoted(value)}: {error}; where='{by}!={value}' makes the other boards"
            ) from error
    return Boards(by, boards)


def _names(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _by_value(votes: Votes, by: str) -> Iterator[tuple[str, Votes]]:
    """The votes of each value of a column."""
    table = votes.table
    by = table.role_of(by)
    if by not in table.columns:
        raise InputError(
            f"{table.source} has no column {by!r} to group boards by; found {listed(table.columns)}"
        )
    column = table.columns[by]
    if not isinstance(column, Factor):
        column = Factor(*_as_levels(column))
    if blank := float(table.row_weights[column.codes < 0].sum()):
        votes = replace(votes, dropped={**votes.dropped, f"no {by}": blank})
    for k, value in enumerate(column.levels):
        rows = np.flatnonzero(column.codes == k)
        if len(rows):
            part = table.select(rows).only_compared()
            notes = vote_notes(part) if votes.rows is None else ()
            yield value, votes.changed(part, f"of one {by}", notes=notes)


def _as_levels(column: FloatArray) -> tuple[IntArray, tuple[str, ...]]:
    known = np.unique(column[~np.isnan(column)])
    codes = np.where(np.isnan(column), -1, np.searchsorted(known, np.nan_to_num(column)))
    return codes.astype(np.int64), tuple(f"{v:.15g}" for v in known)


# -- one board -------------------------------------------------------------------------------------------


def _board(given: Votes, asked: _Asked) -> Board:
    votes = given if asked.both_bad == "tie" else without_both_bad(given)
    with_style = styled(votes, asked.style)
    fit, said = _fitted(with_style, asked, with_style.terms)
    said += with_style.notes[len(votes.notes) :]
    board = _numbers(given, with_style.table, fit, asked, said, with_style.dropped)
    if asked.both_bad == "own":
        board = _with_qualities(board, given.table)
    if asked.date:
        board = replace(board, history=_history(votes, asked))
    if not with_style.terms:
        return board
    plain, said = _fitted(votes, asked, ())
    return _beside(board, _numbers(given, votes.table, plain, asked, said, votes.dropped))


def _history(votes: Votes, asked: _Asked) -> History:
    votes.refuse_apart("ratings over time")
    if votes.rows is not None:
        raise InputError(
            f"date={asked.date!r} for votes that are not in memory ({votes.table.source}); read them into memory with pairproof.read, or"
            f" count them by that column, pairproof.count(..., by={asked.date!r}), and pass the counts"
        )
    columns = asked.cluster if asked.cluster != ("auto",) else clusters_of(votes)[0]
    how: Any = {name: getattr(asked, name) for name in ("ties", "at", "expected", "level")}
    return history(votes.table, asked.date, asked.every, cluster=columns, anchor=asked.anchor or None, **how)


def _fitted(votes: Votes, asked: _Asked, terms: tuple[str, ...]) -> tuple[Fit, tuple[str, ...]]:
    """The model with standard errors by what goes together, and sentences on these."""
    import pairproof

    how: Any = {
        "ties": asked.ties if votes.table.tie_category else None,
        "rows": votes.rows if terms else None,
    }
    how |= {"order_effect": asked.order_effect, "comparison_terms": terms, "reference": "sum"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankingWarning)  # among the sentences
        plain = pairproof.fit_bradley_terry(votes.table, **how)
    if plain.params.isna().all():
        why = " ".join(
            w.text.partition(" What is finite")[0] for w in plain.warnings if w.kind == "separated"
        )
        raise InputError(
            f"{votes.table.source}: no model can be rated; {why} Collect votes that join the models both ways, or fit them with"
            " reduce_bias='mean' (pairproof fit --model bradley-terry --reduce-bias mean), which keeps estimates finite"
        )
    columns: tuple[str, ...] | None = asked.cluster
    said: tuple[str, ...] = ()
    if columns == ("auto",):
        columns, said = clusters_of(votes)
    elif columns:
        votes.refuse_apart(f"clusters by {' and '.join(columns)}")
    # Of terms that rows alone have there are no scores of single votes.
    by_vote = plain if plain.spec.through else plain.clustered()
    if plain.spec.through and not columns:
        raise InputError(
            f"style for votes that are not in memory ({votes.table.source}) without clusters: its standard errors are by a column of"
            " the file, cluster='judge', through the rows; or read the votes into memory with pairproof.read"
        )
    if not columns:
        return by_vote, (_by_single_votes(by_vote), *said)
    if votes.rows is not None:
        fit = plain.clustered(*columns, rows=votes.rows)
    else:
        blank = {name: n for name in columns if (n := blanks(votes.table, name))}
        fit = plain.clustered(*columns, missing="own" if blank else "refuse")
        said += tuple(f"Rows without {name}: {n:,}; each is its own cluster." for name, n in blank.items())
    return fit, (_what_clusters_changed(fit, by_vote), *said)


def _by_single_votes(fit: Fit) -> str:
    """What standard errors rest on where nothing is clustered; few rows of weighted counts are no basis for any."""
    assert fit.robust is not None
    if " by vote (" in fit.robust.title:
        return "Standard errors are by single votes: all votes are treated as independent."
    (n,) = fit.robust.n_clusters
    if n < FEW and fit.data.row_weights.max() > 1.0:
        raise InputError(
            f"{fit.data.source}: counts that are neither whole nor halves are weights of single votes, and {n} rows are too few"
            " for standard errors from them; use whole counts, with a column ties, or one row per vote"
        )
    return (
        f"Standard errors are {fit.robust.title}: each row is treated as one vote, independent of the others."
    )


def _what_clusters_changed(fit: Fit, by_vote: Fit) -> str:
    """ "Standard errors are CR2 by judge (6,730 clusters): 0.92 to 1.61 times those of independent votes."""
    names = [name for name, reference in zip(fit.names, fit.is_reference) if not reference]
    ratio = (fit.bse[names] / by_vote.bse[names]).to_numpy()
    ratio = ratio[np.isfinite(ratio)]
    assert fit.robust is not None
    what = "the model, which treats votes as independent" if fit.spec.through else "independent votes"
    told = f": {ratio.min():.2f} to {ratio.max():.2f} times those of {what}" if len(ratio) else ""
    return f"Standard errors are {fit.robust.title}{told}."


def _numbers(
    given: Votes,
    table: Comparisons,
    fit: Fit,
    asked: _Asked,
    said: Sequence[str],
    dropped: Mapping[str, float],
) -> Board:
    ratings = fit.on_scale("elo", anchor=asked.anchor or None, at=asked.at, expected=asked.expected)
    abilities = _abilities(fit, asked)
    ranks = rank_sets(abilities, asked.level, seed=asked.seed, with_best=False)
    limits = ratings.conf_int(level=asked.level).to_numpy()
    status = _status(abilities, ratings.rating, limits, asked.precision)
    p_best, why_none = _chances(abilities, status, asked.seed)
    rates = _win_rates(fit, abilities)
    (votes, wins, losses, ties, bad), order = _counts(given.table, table), ranks.order
    tier = tiers(ranks.above, order)
    more = _of_items(table)
    rows = tuple(
        BoardRow(
            fit.items[k],
            int(tier[k]),
            int(ranks.low[k]),
            int(ranks.high[k]),
            _or_none(ratings.rating[k]),
            _or_none(limits[k, 0]),
            _or_none(limits[k, 1]),
            float(votes[k]),
            float(wins[k]),
            float(losses[k]),
            float(ties[k]),
            _or_none(bad[k]),
            _or_none(rates[k]),
            None if p_best is None else float(p_best[k]),
            status[k],
            {name: values[k] for name, values in more.items()},
        )
        for k in order
    )
    kind = fit.spec.ties if table.tie_category else "none"
    by_mean = not asked.anchor and (asked.expected == "ability" or kind in ("none", "half", "drop"))
    scale = BoardScale("elo", asked.anchor, asked.at, kind, asked.expected)
    method = (
        *_about_model(fit, scale, asked),
        *said,
        *(warning.text for warning in fit.warnings if warning.kind == "rankings-as-pairs"),
        *_about_ranks(ranks, asked, status),
        *about_strays(fit, abilities, ranks, votes, asked.precision, by_mean),
        *([why_none] if why_none else []),
        *_about_both_bad(given.table, asked),
        *_about_dropped(table, dropped),
        *given.notes,
    )
    reading = {**asked.reading, "style": asked.style}
    data = BoardData(table.source, table.digest(), float(table.n_comparisons), dropped, reading)
    effects = _effects(fit, asked.level)
    return Board(rows, scale, _clusters(fit), effects, data, method, fit, table, asked.level, ranks)


def _abilities(fit: Fit, asked: _Asked) -> Abilities:
    """Abilities with degrees of freedom that are exact where ranks hang on them: of a hundred items all take a minute."""
    functions = fit.ability_functions({})
    found = abilities_of(fit, bound=True)

    def exact(a: IntArray, b: IntArray) -> FloatArray:
        return errors_of(fit, functions[a] - functions[b])[1]

    return with_df_that_decide(found, asked.level, asked.seed, exact)


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _status(abilities: Abilities, rating: FloatArray, limits: FloatArray, precision: float) -> list[Status]:
    """Of each item; one whose set differs infinitely from the main one has no rating."""
    above, of = abilities.sets.above, abilities.sets.of
    out: list[Status] = []
    for k, here in enumerate(of):
        loses, wins = above[:, here].any(), above[here].any()
        if np.isfinite(rating[k]):
            wide = not np.abs(limits[k] - rating[k]).max() <= precision
            out.append("provisional" if wide else "settled")
        elif loses != wins:
            out.append("below-all" if loses else "above-all")
        else:
            out.append("apart")
    return out


def _chances(abilities: Abilities, status: Sequence[Status], seed: int) -> tuple[FloatArray | None, str]:
    """float[n]: the chance of each item of being best, and why there is none."""
    undefined = [name for name, s in zip(abilities.items, status) if s in ("above-all", "apart")]
    if undefined:
        return None, (
            f"No chance of being best is given: {listed(undefined)} won against all opponents, or no chain of votes leads"
            " to the others, so their strength is unknown."
        )
    chance = np.zeros(len(abilities.items))
    finite = np.flatnonzero([s in ("settled", "provisional") for s in status])
    b, v = abilities.estimate[finite], abilities.covariance[np.ix_(finite, finite)]
    best = int(b.argmax())
    spread = np.sqrt(np.maximum(np.diag(v) + v[best, best] - 2.0 * v[best], 0.0))
    df = np.delete(abilities.df[finite[best], finite], best)
    few = float(df[np.isfinite(df)].min(initial=MANY_DF))
    never = NEVER if few >= MANY_DF else -float(student_quantile(1e-6, few))
    rivals = np.flatnonzero(b[best] - b <= never * spread)
    value, vector = np.linalg.eigh(v[np.ix_(rivals, rivals)])
    root = vector * np.sqrt(np.maximum(value, 0.0))
    random = np.random.default_rng(seed)
    half = random.standard_normal((DRAWS // 2, len(rivals))) @ root.T
    if few < MANY_DF:
        half /= np.sqrt(random.chisquare(few, (DRAWS // 2, 1)) / few)
    for draws in (half, -half):
        drawn = b[rivals] + draws
        best_of = drawn >= drawn.max(axis=1, keepdims=True) - EQUAL
        chance[finite[rivals]] += (best_of / best_of.sum(axis=1, keepdims=True)).sum(axis=0) / DRAWS
    return chance, ""


def _win_rates(fit: Fit, abilities: Abilities) -> FloatArray:
    """float[n]: mean expected score against each other item with a rating; 1 and 0 where the difference is infinite, nan
    where unknown."""
    n = len(fit.items)
    if n > MOST_PAIRED:
        return np.full(n, np.nan)
    frame = fit.probabilities()
    score = (frame["p_first"] + 0.5 * frame["p_tie"].fillna(0.0)).to_numpy()
    at = np.ones((n, n), bool) & ~np.eye(n, dtype=bool)
    of = np.full((n, n), np.nan)
    of[at] = score  # in the order of pairs: the first by the second
    above = abilities.sets.items_above
    of[above], of[above.T] = 1.0, 0.0
    of = of[
        :, abilities.sets.members()
    ]  # a stray vote that joins a model to the rest moves no rate of theirs
    known = np.isfinite(of)
    mean = np.nansum(of, axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.asarray(np.where(known.any(axis=1), mean, np.nan), float)


def _counts(given: Comparisons, table: Comparisons) -> tuple[FloatArray, ...]:
    """votes, wins, losses, ties of each item, and the share of all its votes that call both bad; nan without such."""
    n = len(table.items)

    def of_items(first: FloatArray, second: FloatArray) -> FloatArray:
        return np.asarray(np.bincount(table.first, first, n) + np.bincount(table.second, second, n), float)

    wins, losses = of_items(table.wins, table.losses), of_items(table.losses, table.wins)
    ties = of_items(table.ties, table.ties)
    bad = both_bad_of(given)
    share = np.full(n, np.nan)
    if bad is not None:
        of, all_votes = np.zeros(n), np.zeros(n)
        place = {name: k for k, name in enumerate(table.items)}
        here = np.array([place.get(name, -1) for name in given.items])
        for side in (here[given.first], here[given.second]):
            on = side >= 0
            of += np.bincount(side[on], bad[on], n)
            all_votes += np.bincount(side[on], given.row_weights[on], n)
        share = of / all_votes
    return wins + losses + ties, wins, losses, ties, share


def _of_items(table: Comparisons) -> dict[str, list[ItemValue]]:
    """Item covariates as they were given; None where an item has no value."""
    out: dict[str, list[ItemValue]] = {}
    for name, column in table.item_data.items():
        if isinstance(column, Factor):
            out[name] = [column.levels[k] if k >= 0 else None for k in column.codes]
        else:
            out[name] = [_or_none(value) for value in column]
    return out


def _clusters(fit: Fit) -> BoardClusters | None:
    robust = fit.robust
    if robust is None or not robust.columns:
        return None
    return BoardClusters(robust.columns, robust.n_clusters, robust.kind)


def _effects(fit: Fit, level: float) -> tuple[StyleEffect, ...]:
    """The order effect and those of style, in log-odds."""
    at = [k for k, term in enumerate(fit.terms) if term.kind in ("order", "comparison")]
    se, df = errors_of(fit, np.eye(len(fit.terms))[at])
    reach = student_quantile((1.0 + level) / 2.0, df) * se
    return tuple(
        StyleEffect(fit.terms[k].name, float(b), float(s), float(b - r), float(b + r))
        for k, b, s, r in zip(at, fit.beta[at], se, reach)
    )


def _with_qualities(board: Board, table: Comparisons) -> Board:
    """The board with the share of votes that the model of both-bad answers expects for each item against all others."""
    columns = () if board.clusters is None else board.clusters.columns
    found = fit_both_bad(table, columns, level=board.level)
    place = {name: k for k, name in enumerate(found.items)}
    parts = {"both_bad_expected": found.share, "both_bad_low": found.low, "both_bad_high": found.high}
    rows = tuple(
        replace(row, more={**{name: _or_none(x[place[row.model]]) for name, x in parts.items()}, **row.more})
        for row in board.rows
    )
    by = f"{found.votes:,.10g} votes" if not columns else f"CR1 by {' and '.join(columns)}"
    said = (
        "Both bad: logit P(both bad | i, j) = c + q_i + q_j, with the qualities of both models added (Tutz 1991); both_bad_expected"
        f" is its prediction for a model that meets each other model equally often, with {100 * board.level:g} % limits ({by})."
    )
    return replace(board, rows=rows, method=(*board.method, said))


def _beside(board: Board, plain: Board) -> Board:
    """The board with the ratings and ranks that it has without style."""
    of = {row.model: row for row in plain.rows}
    names = ("rating", "rank_low", "rank_high")

    def with_both(row: BoardRow) -> BoardRow:
        without = {f"{name}_without_style": getattr(of[row.model], name) for name in names}
        return replace(row, more={**without, **row.more})

    return replace(board, rows=tuple(map(with_both, board.rows)))


# -- what a reader has to know ---------------------------------------------------------------------------

_TIES_SAID = {
    "half": "a tie is half a win for each",
    "davidson": "ties are a separate outcome (Davidson 1970)",
    "rao-kupper": "ties are a separate outcome (Rao and Kupper 1967)",
    "drop": "ties are left out",
}


def _about_model(fit: Fit, scale: BoardScale, asked: _Asked) -> Iterator[str]:
    ties = f"; {_TIES_SAID[asked.ties]}" if scale.ties != "none" else ""
    held = ["style"] * bool(fit.spec.comparison_terms) + ["who is shown first"] * asked.order_effect
    equal = f", adjusted for {' and '.join(held)}" if held else ""
    yield f"Bradley-Terry model by maximum likelihood, no penalty{equal}{ties}."
    if fit.spec.comparison_terms:
        yield (
            "Style: differences of the two answers, each divided by its root mean square and not centred, so an effect is"
            " the log-odds for a typical difference, and swapping the two sides changes nothing."
        )
    centre = f"{scale.anchor} is {scale.at:g}" if scale.anchor else f"the mean of the ratings is {scale.at:g}"
    by_score = scale.expected == "score" or asked.ties in ("half", "drop")
    of = "expected scores" if by_score else "the model's abilities"
    yield (
        f"Ratings are Elo points, 400 for odds of 10 to 1, of {of}; {centre}. Ratings with ties treated differently"
        " are on other scales."
    )


def _about_ranks(ranks: RankSets, asked: _Asked, status: Sequence[Status]) -> Iterator[str]:
    level = f"{100 * asked.level:g} %"
    yield (
        f"Limits are {level} limits of each rating; rank sets hold for all models at once at {level}; a tier ends where"
        " these rank sets show each model above to be better than each below."
    )
    if "provisional" in status:
        yield f"Provisional: a limit is more than {asked.precision:g} points from the rating."
    for kind, words in (
        ("below-all", "lost to all opponents, so its rating has no lower limit"),
        ("above-all", "won against all opponents, so its rating has no upper limit"),
        ("apart", "no chain of votes leads to the others, so there is no common rating"),
    ):
        names = [name for name, s in zip(ranks.items, status) if s == kind]
        if names:
            yield f"{listed(names)}: {words}."
    if set(status) - {"settled", "provisional"}:
        yield "Win rates are means over the models that have a rating."
    yield from ranks.cautions


def _about_both_bad(table: Comparisons, asked: _Asked) -> Iterator[str]:
    bad = both_bad_of(table)
    if bad is None:
        return
    n = float(bad.sum())
    share = f"{n:,.0f} of {table.n_comparisons:,.0f} votes call both bad"
    yield {
        "tie": f"{share}; they are ties, "
        + ("which are left out." if asked.ties == "drop" else "as on other boards."),
        "drop": f"{share}; they are left out.",
        "own": f"{share}; a separate model describes whether both are bad, and the other votes are compared.",
    }[asked.both_bad]


def _about_dropped(table: Comparisons, dropped: Mapping[str, float]) -> Iterator[str]:
    if table.narrowed is not None:
        yield f"Only votes where {table.narrowed}."
    for why, n in dropped.items():
        if why != "both bad":
            yield f"{plural(round(n), 'vote')} {'was' if n == 1 else 'were'} left out: {why}."
