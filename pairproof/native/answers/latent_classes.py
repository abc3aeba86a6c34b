"""Latent classes of persons: mixtures of pattern models or of Plackett and Luce's, and their number.

    log L = sum over persons of log sum over classes k of pi_k P(answer | class k)

A class is a mass point of a distribution of parameters that is left free (nonparametric maximum likelihood:
Laird 1978, JASA 73, 805-811; Aitkin 1999, Biometrics 55, 117-128).  The mixture is over persons.  R's
pattnpml.fit mixes the cells of the table of patterns instead, so that its shares are shares of patterns,
those that nobody gave included (:mod:`pairproof.native.prefmod_defects.defects_of_models`).

`random`: as in prefmod's `pattnpml.fit(formula, random = ~ o1 + o2)` a sum of terms: items (`A`), item
covariates (`x`), either with a subject covariate (`A:sex`), or any parameter by its name (`tie`).  The rest
is common.

The likelihood ratio of K + 1 classes has no chi-square distribution, because K of them lie on the boundary.
McLachlan (1987, Applied Statistics 36, 318-324) draws samples from the model with K classes, fits both models
to each, and takes

    p = (1 + number of samples whose ratio is at least the observed one) / (1 + samples).

In a sample each person answers all questions as the model of their group and class says, and what they
left out is left out again (the model of a ranking of some items is its own, so that these alone are ranked).
Where comparisons are independent given the items, and for strict rankings at one time, answers are drawn one
comparison or one rank at a time (:mod:`pairproof.native.answers.drawn_answers`); else from the list of all possible
answers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from ...data.columns import take
from ...data.options import hints_for_r, one_of, whole_number
from ...data.respondents.codes import ABSENT, BELOW, MISSING, UNRATED, dense
from ...data.respondents.respondents import Respondents
from ...errors import ConvergenceError, FormulaError, InputError, NotEstimableError, TooLargeError
from ...fit.estimates.parts import ROUNDING, ClassTest
from ...fit.estimates.specification import AnswerSpec, AnswerTies, Term
from ...fit.fit import Fit
from ...fit.results.answers import MOST_POSSIBLE
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ...numerics.processes import in_order
from ...text import count_words
from .answer_fits import Fitted, assemble_classes
from .drawn_answers import draw_independent, draw_luce_rankings, draw_pattern_rankings
from .pattern_models import check_table, fitted_pattern, pattern_spec
from .patterns.class_mixture import STARTS, LatentClasses, fit_classes
from .patterns.natural_parameters import n_pairs
from .plackett_luce import fitted_plackett_luce, plackett_luce_spec
from .possible_answers import Possible

if TYPE_CHECKING:
    import pandas as pd


def class_test(
    table: Respondents,
    spec: AnswerSpec,
    random: BoolArray,
    samples: int,
    starts: int,
    seed: int,
    progress: Callable[[int, int], None] | None,
    workers: int,
    enough: int | None,
) -> ClassTest:
    """Test K classes against K + 1; see :meth:`pairproof.Fit.test_classes`.
    random bool[p]: which parameters differ between classes."""
    persons = persons_of(table)
    one = fitted(persons, spec)
    if one.possible is None:
        raise InputError("the possible answers of this model are not written out, so that none can be drawn")
    draw = Redraw(persons, one.possible, tuple(one.found.likelihood.maps), one.model.group)
    both = partial(_both, persons, spec, random, starts, seed)
    fewer, more = both(persons.answers)
    ratio_of = partial(_ratio, both, draw, fewer.phi, fewer.shares, seed)
    observed, reached = 2.0 * (more.llf - fewer.llf), 0
    ratios: list[float] = []
    failed = 0
    for number, ratio in in_order(ratio_of, range(samples), workers):
        if ratio is None:
            failed += 1
        else:
            ratios.append(ratio)
            reached += int(ratio >= observed - ROUNDING)
        if progress is not None:
            progress(number + 1, samples)
        if enough is not None and reached >= enough:
            break
    if not ratios:
        raise ConvergenceError(
            f"none of {samples} samples from {spec.classes} class{'' if spec.classes == 1 else 'es'} could be fitted: in each a"
            " parameter is infinite. There are too few persons for this test"
        )
    return ClassTest(spec.classes, fewer.llf, more.llf, np.array(ratios), failed)


def _both(
    persons: Respondents, spec: AnswerSpec, random: BoolArray, starts: int, seed: int, answers: IntArray
) -> tuple[LatentClasses, LatentClasses]:
    """K and K + 1 classes, fitted to answers of these persons."""
    one = fitted(replace(persons, answers=answers.reshape(persons.answers.shape)), spec).found
    names = one.estimate.names
    if len(names) != len(random):
        raise NotEstimableError("the sample has no tie, so that the tie parameter is minus infinity")
    fewer, more = (
        fit_classes(one.likelihood, one.pooled.weights, names, k, random, starts, seed, one.estimate.phi)
        for k in (spec.classes, spec.classes + 1)
    )
    return fewer, more


def _ratio(
    both: Callable[[IntArray], tuple[LatentClasses, LatentClasses]],
    draw: Redraw,
    phi: FloatArray,
    shares: FloatArray,
    seed: int,
    number: int,
) -> float | None:
    """The likelihood ratio of a sample, which has a random stream of its own; None if it cannot be fitted."""
    draws = np.random.default_rng([seed, 1, number])
    member = draws.choice(len(shares), p=shares / shares.sum(), size=len(draw.group))
    try:
        fewer, more = both(draw(phi[member], draws))
    except (NotEstimableError, ConvergenceError):
        return None
    return 2.0 * (more.llf - fewer.llf)


def persons_of(table: Respondents) -> Respondents:
    """The table with a row for each person."""
    whole = np.round(table.weights).astype(np.int64)
    wrong = np.flatnonzero(whole != table.weights)
    if len(wrong):
        raise InputError(
            f"{table.source}, row {wrong[0] + 1}: the weight is {table.weights[wrong[0]]:g}; a bootstrap draws whole"
            " persons, so that weights must be whole numbers"
        )
    rows = np.repeat(np.arange(table.n_rows), whole)
    columns = {name: take(column, rows) for name, column in table.columns.items()}
    return replace(table, answers=table.answers[rows], weights=np.ones(len(rows)), columns=columns)


@dataclass(frozen=True, eq=False)
class Redraw:
    """Draws the answers of persons from a model.
    persons: one row per person: whose gaps are kept.  possible: all answers; its probabilities are set when
    they are drawn.  maps: from parameters to natural ones, of each group.  group int[n_persons]."""

    persons: Respondents
    possible: Possible
    maps: Sequence[FloatArray]
    group: IntArray

    def __call__(self, phi: FloatArray, draws: np.random.Generator) -> IntArray:
        """int[n_persons, n_times * k]: answers of persons whose parameters are float[n_persons, p]."""
        answers = self.persons.answers
        found = np.empty_like(answers)
        silent = (self.persons.pair_answers == MISSING).all(axis=(1, 2))
        for rows, own, items in self._alike(phi):
            found[rows] = self._drawn(own, items, len(rows), draws)
        found = np.where(silent[:, None, None], answers, self._with_gaps(found))
        return np.asarray(found.reshape(len(found), -1), np.int64)

    def _alike(self, phi: FloatArray) -> Iterator[tuple[IntArray, FloatArray, BoolArray]]:
        """Rows with the same natural parameters and items, these parameters, and which items."""
        n_items = len(self.persons.items)
        of_subset = self.possible.form in ("strict", "luce") and self.persons.n_times == 1
        there = np.ones((len(phi), n_items), bool)
        if of_subset:
            there = self.persons.answers[:, 0] != ABSENT
        keys = np.column_stack([self.group, there, phi])
        _, first, kind = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        for number, row in enumerate(first):
            rows = np.flatnonzero(kind.reshape(-1) == number)
            yield rows, self.maps[self.group[row]] @ phi[row], there[row]

    def _drawn(self, beta: FloatArray, items: BoolArray, n: int, draws: np.random.Generator) -> IntArray:
        """int[n, n_times, k]: complete answers about some of the items; ABSENT for the others."""
        model, n_items = self.possible, len(items)
        if model.n_times == 1 and model.form == "comparisons" and not model.dependence:
            c = n_pairs(n_items)
            ties = beta[c:] if model.ternary else None
            return draw_independent(np.tile(beta[:c], (n, 1)), ties, draws)[:, None]
        found = np.full((n, 1, n_items), ABSENT, np.int64)
        if model.n_times == 1 and model.form == "strict":
            found[:, 0, items] = draw_pattern_rankings(beta[items], n, draws)
        elif model.form == "luce" and not model.orders:
            found[:, 0, items] = draw_luce_rankings(beta[:n_items][items], n, draws)
        elif model.form == "luce":
            m = int(items.sum())
            orders = tuple(d for d in model.orders if d <= m)
            kept = np.append(items, [d in orders for d in model.orders])
            part = replace(model, n_items=m, orders=orders, beta=(beta[kept],))
            found[:, 0, items] = _listed(part, n, draws)[:, 0]
        else:
            return _listed(replace(model, beta=(beta,)), n, draws)
        return found

    def _with_gaps(self, drawn: IntArray) -> IntArray:
        """The answers without those that persons left out."""
        was, kind = self.persons.answers, self.persons.kind
        if kind == "comparisons":
            return np.where(was == MISSING, MISSING, drawn)
        if kind == "ratings":
            return np.where(was == UNRATED, UNRATED, drawn)
        ranks = np.where((was == ABSENT) | (drawn == ABSENT), 0, drawn)
        ranked = (was > 0).sum(axis=2, keepdims=True)
        some = (was == BELOW).any(axis=2, keepdims=True)
        # How many stand above each item: a ranking ends when as many items as before have a rank.
        above = ((ranks[..., None, :] < ranks[..., None]) & (ranks[..., None, :] > 0)).sum(axis=3)
        cut = np.where(some & (above >= ranked), BELOW, ranks)
        codes = np.where(was == ABSENT, ABSENT, cut)
        return np.asarray(dense(codes.reshape(-1, codes.shape[2])).reshape(codes.shape))


def _listed(model: Possible, n: int, draws: np.random.Generator) -> IntArray:
    """int[n, n_times, k]: draws from the list of possible answers."""
    if model.count() > MOST_POSSIBLE:
        raise TooLargeError(
            f"answers of this model are drawn from the list of all possible ones, {count_words(model.count())};"
            f" at most {MOST_POSSIBLE:,} are listed: there is no bootstrap of it"
        )
    return np.asarray(model.answers()[draws.choice(int(model.count()), size=n, p=model.probabilities(0))])


#: A term: anything but +, which may stand in backquotes or brackets.
_PIECE = re.compile(r"(?:`[^`]*`|\[[^\]]*\]|[^+`\[])+")


def random_terms(
    random: str | Sequence[str] | None, terms: Sequence[Term], free: BoolArray
) -> tuple[BoolArray, tuple[str, ...]]:
    """The parameters that differ between classes.
    random: a formula, or names as they stand; all parameters of items and item covariates if not given.  free
    bool[n_terms]: those that are not references.  Returns (bool[n_free], tuple of str): which differ, and the
    terms as they were written; () if none were."""
    if random is None:
        return np.array([t.kind in ("item", "covariate") for t, f in zip(terms, free) if f], bool), ()
    written = _pieces(random)
    chosen = np.zeros(len(terms), bool)
    for piece in written:
        own = np.array([piece in _keys(term) for term in terms], bool)
        if not own.any():
            known = list(dict.fromkeys(_short(t) for t, f in zip(terms, free) if f))
            raise FormulaError(
                f"random={random!r}: {piece!r} is not a parameter of the model; a sum of"
                f" {', '.join(known[:20])}{' and more' if len(known) > 20 else ''} is expected, such as"
                f" random={' + '.join(known[:2])!r}"
            )
        if not (own & free).any():
            raise FormulaError(
                f"random={random!r}: {piece} is the reference, whose parameter is 0 in every class; leave it out, or"
                " choose another reference"
            )
        chosen |= own
    return np.asarray(chosen[free], bool), written


def _pieces(random: str | Sequence[str]) -> tuple[str, ...]:
    if not isinstance(random, str):
        found = tuple(random)
        if not found or not all(isinstance(name, str) for name in found):
            raise FormulaError(
                f"random={random!r}; expected names of parameters, or a formula such as 'A + B'"
            )
        return found
    text = random.strip().removeprefix("~")
    found = tuple(piece.replace("`", "").strip() for piece in _PIECE.findall(text))
    if not found or not all(found) or text.count("+") >= len(found) + sum("+" in piece for piece in found):
        raise FormulaError(f"random={random!r}; expected parameters joined by +, such as 'A + B'")
    return found


def _keys(term: Term) -> set[str]:
    """What may stand for a term: its name, or that without levels of factors, or without points in time."""
    return {term.name, _short(term), _short(term, times=False)}


def _short(term: Term, times: bool = True) -> str:
    if term.kind not in ("item", "covariate", "tie"):
        return term.name
    head = term.covariate or term.item or "tie"
    return ":".join([head, *(name for name, _ in term.by if times or name != "time")])


ClassModel = Literal["pattern", "plackett-luce"]


@hints_for_r
def fit_latent_classes(
    table: Respondents,
    classes: int,
    *,
    model: ClassModel = "pattern",
    ties: AnswerTies | None = None,
    by: str = "",
    item_terms: Sequence[str] = (),
    separate: Sequence[str] = (),
    reference: str | None = None,
    dependence: bool = False,
    between_times: bool = False,
    tie_orders: Sequence[int] | None = None,
    random: str | Sequence[str] | None = None,
    starts: int = STARTS,
    seed: int = 0,
) -> Fit:
    """Fit latent classes of persons by maximum likelihood.

    Parameters
    ----------
    table : Respondents
    classes : int
        Number of classes, 1 or more.
    model : {"pattern", "plackett-luce"}
        Of each class, as :func:`pairproof.fit_pattern` or :func:`pairproof.fit_plackett_luce` has it.
    ties : {"davidson", "by-pair", "none"}, optional
        Of the pattern model.
    by : str
        Formula of the subject covariates.
    item_terms : sequence of str
        Item covariates in place of free items.
    separate : sequence of str
        Items with a parameter of their own although `item_terms` are given.
    reference : str, optional
        The item whose parameter is 0 in every class, or "sum".
    dependence, between_times : bool
        Of the pattern model.
    tie_orders : sequence of int, optional
        Of Plackett and Luce's.
    random : str or sequence of str, optional
        Parameters that differ between classes, as a formula (prefmod's `random`): items `"A + B"`, item covariates
        `"x"`, either with a subject covariate, `"A + A:sex"`, or `"tie"`.  Others are common to all classes.  Default:
        all of items and item covariates; ties and dependence are common.
    starts : int
        Random starts; the best is kept; how the others ended is in `optima` and the summary.
    seed : int
        Of the starts.

    Returns
    -------
    Fit
        Largest class first; `shares`, `share_errors`, `class_table()`, `posterior()`, `optima`, `test_classes()`.
        AIC and BIC count the parameters of all classes and K - 1 shares.

    Raises
    ------
    InputError, FormulaError, ItemError, AliasError
        The model cannot be fitted to this table, or `random` names no parameter of it.
    NotEstimableError
        The model of one class has parameters that are infinite or cannot be distinguished.
    ConvergenceError
        No start reached a maximum.
    TooLargeError
        There are too many patterns.

    References
    ----------
    Standard errors: Louis (1982), Journal of the Royal Statistical Society B 44, 226-233.

    Examples
    --------
    >>> import pairproof
    >>> answers = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1], [-1, -1, 1], [1, -1, -1]]
    >>> persons = [30, 9, 8, 10, 25, 8, 9]
    >>> table = pairproof.Respondents.build("ABC", "comparisons", answers, tie_category=False, weights=persons)
    >>> fit = pairproof.fit_latent_classes(table, 2)
    >>> fit.params.round(3).to_dict()["A:class[1]"], round(fit.bic, 3), fit.rank
    (1.281, 387.408, 5)
    """
    check_table(table, by)
    whole_number("classes", classes, 1)
    whole_number("starts", starts, 1)
    one_of("model", model, ("pattern", "plackett-luce"))
    if model == "pattern":
        if tie_orders is not None:
            raise InputError("tie_orders is for model='plackett-luce'; the pattern model has ties=")
        spec = pattern_spec(
            table, ties, by, item_terms, separate, reference, dependence, between_times, None, None
        )
    else:
        if ties is not None or dependence or between_times:
            raise InputError(
                "ties, dependence and between_times are for model='pattern'; Plackett and Luce's has tie_orders="
            )
        spec = plackett_luce_spec(table, by, item_terms, separate, reference, tie_orders)
    if "class" in table.columns and "class" in by:
        raise InputError(
            "by: a covariate is called 'class', which names the latent classes here; rename the column"
        )
    one = fitted(table, spec)
    differs, written = random_terms(random, *one.parameters)
    spec = replace(spec, classes=classes, random=written if classes > 1 else ())
    found = fit_classes(
        one.found.likelihood,
        one.found.pooled.weights,
        one.found.estimate.names,
        classes,
        differs,
        starts,
        seed,
        one.found.estimate.phi,
    )
    # A sum constraint is a change of reference of the finished fit.
    against = replace(spec, reference=one.reference) if spec.reference == "sum" else spec
    tester = partial(class_test, table, spec, differs)
    fit = assemble_classes(replace(one, spec=against), found, starts, seed, tester)
    return fit.with_reference("sum") if spec.reference == "sum" else fit


def fitted(table: Respondents, spec: AnswerSpec) -> Fitted:
    """The model of one class, as arrays."""
    return fitted_pattern(table, spec) if spec.family == "pattern" else fitted_plackett_luce(table, spec)


def tabulate_latent_classes(
    table: Respondents,
    most: int = 4,
    *,
    model: ClassModel = "pattern",
    ties: AnswerTies | None = None,
    by: str = "",
    item_terms: Sequence[str] = (),
    separate: Sequence[str] = (),
    reference: str | None = None,
    dependence: bool = False,
    between_times: bool = False,
    tie_orders: Sequence[int] | None = None,
    random: str | Sequence[str] | None = None,
    starts: int = STARTS,
    seed: int = 0,
) -> pd.DataFrame:
    """Fit 1, 2, ..., `most` latent classes, and compare them by AIC and BIC.

    Parameters
    ----------
    table : Respondents
    most : int
        Largest number of classes.
    model : {"pattern", "plackett-luce"}
        This and what follows is as in :func:`pairproof.fit_latent_classes`.
    ties : {"davidson", "by-pair", "none"}, optional
    by : str
    item_terms, separate : sequence of str
    reference : str, optional
    dependence, between_times : bool
    tie_orders : sequence of int, optional
    random : str or sequence of str, optional
    starts, seed : int

    Returns
    -------
    DataFrame
        classes, llf, parameters, aic, bic, smallest_share; starts_at_best: how many starts ended at llf; next_best: the
        second highest maximum, nan if there was none; collapsed: parameters that are infinite, so that llf is a
        supremum, "" if none.  fit_latent_classes(...).test_classes() tests a number against one more.

    Raises
    ------
    InputError, NotEstimableError, ConvergenceError, TooLargeError
        As :func:`pairproof.fit_latent_classes`.

    References
    ----------
    BIC: Schwarz (1978), Annals of Statistics 6, 461-464, with n the number of persons.

    Examples
    --------
    >>> import pairproof
    >>> answers = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1], [-1, -1, 1], [1, -1, -1]]
    >>> persons = [30, 9, 8, 10, 25, 8, 9]
    >>> table = pairproof.Respondents.build("ABC", "comparisons", answers, tie_category=False, weights=persons)
    >>> pairproof.tabulate_latent_classes(table, 2)[["classes", "parameters", "bic"]].round(1).values.tolist()
    [[1.0, 2.0, 419.9], [2.0, 5.0, 387.4]]
    """
    import pandas as pd

    whole_number("most", most, 1)
    rows = []
    for k in range(1, most + 1):
        fit = fit_latent_classes(
            table,
            k,
            model=model,
            ties=ties,
            by=by,
            item_terms=item_terms,
            separate=separate,
            reference=reference,
            dependence=dependence,
            between_times=between_times,
            tie_orders=tie_orders,
            random=random,
            starts=starts,
            seed=seed,
        )
        rows.append(
            {
                "classes": k,
                "llf": fit.llf,
                "parameters": fit.rank,
                "aic": fit.aic,
                "bic": fit.bic,
                "smallest_share": float(fit.of_classes.shares.min()),
                "starts_at_best": fit.optima[0][1],
                "next_best": fit.optima[1][0] if len(fit.optima) > 1 else float("nan"),
                "collapsed": ", ".join(fit.collapsed),
            }
        )
    return pd.DataFrame(rows)
