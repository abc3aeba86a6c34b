"""Latent classes of persons: mixtures of pattern models or of Plackett and Luce's.

    log L = sum over persons of log sum over classes k of pi_k P(answer | class k)

A class is a mass point of a distribution of parameters that is left free (nonparametric maximum likelihood: Laird 1978,
JASA 73, 805-811; Aitkin 1999, Biometrics 55, 117-128).  The mixture is over persons.  R's pattnpml.fit mixes the cells
of the table of patterns instead, so that its shares are shares of patterns, those that nobody gave included
(:mod:`pairproof.native.patterns.classes.cells`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ....data.options import hints_for_r, one_of, whole_number
from ....data.respondents import Respondents
from ....errors import InputError, NotEstimableError
from ....fit.answers.classes import ClassFit
from ....fit.answers.mixture import ClassTest
from ....fit.answers.spec import AnswerSpec, AnswerTies
from ..classes.bootstrap import Built, class_test
from ..classes.fit import STARTS, fit_classes
from .assemble import Fitted
from .mixed import assemble_classes
from .pattern import check_table, fitted_pattern, pattern_spec
from .plackett_luce import fitted_plackett_luce, plackett_luce_spec
from .random_terms import random_terms
from .redraw import Redraw, persons_of

if TYPE_CHECKING:
    import pandas as pd

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
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
) -> ClassFit:
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
        Random starts, of which the best is kept; how the others ended is in `optima` and the summary.
    seed : int
        Of the starts.

    Returns
    -------
    ClassFit
        Largest class first; `shares`, `share_errors`, `class_table()`, `posterior()`, `optima`, `test_classes()`.
        AIC and BIC count the parameters of all classes and K - 1 shares.

    Raises
    ------
    InputError, FormulaError, ItemError, AliasError
        The model cannot be fitted to this table, or `random` names no parameter of it.
    NotEstimableError
        The model of one class has parameters that are infinite or cannot be told apart.
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
    differs, written = random_terms(random, one.parameters.terms, one.parameters.free)
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
    tester = Tester(table, spec, differs)
    fit = assemble_classes(replace(one, spec=against), found, starts, seed, tester)
    return fit.with_reference("sum") if spec.reference == "sum" else fit


def fitted(table: Respondents, spec: AnswerSpec) -> Fitted:
    """The model of one class, as arrays."""
    return fitted_pattern(table, spec) if spec.family == "pattern" else fitted_plackett_luce(table, spec)


@dataclass(frozen=True, eq=False)
class Refit:
    """From the answers of persons to their likelihood.

    n_params: of one class.
    """

    persons: Respondents
    spec: AnswerSpec
    n_params: int

    def __call__(self, answers: IntArray) -> Built:
        """The likelihood of int[n_persons, n_times * k]."""
        drawn = replace(self.persons, answers=answers.reshape(self.persons.answers.shape))
        one = fitted(drawn, self.spec).found
        if len(one.estimate.names) != self.n_params:
            raise NotEstimableError("the sample has no tie, so that the tie parameter is minus infinity")
        return Built(one.likelihood, one.pooled.weights, one.estimate.names, one.estimate.phi)


@dataclass(frozen=True, eq=False)
class Tester:
    """The bootstrap test of a number of classes against one more.

    spec: with the smaller number.  random bool[p]: which parameters differ between classes.
    """

    table: Respondents
    spec: AnswerSpec
    random: BoolArray

    def __call__(
        self,
        samples: int,
        starts: int,
        seed: int,
        progress: Callable[[int, int], None] | None,
        workers: int,
        enough: int | None,
    ) -> ClassTest:
        """See :meth:`pairproof.fit.answers.classes.ClassFit.test_classes`."""
        persons, _ = persons_of(self.table)
        one = fitted(persons, self.spec)
        if one.possible is None:
            raise InputError(
                "the possible answers of this model are not written out, so that none can be drawn"
            )
        draw = Redraw(persons, one.possible, tuple(one.found.likelihood.maps), one.model.group)
        return class_test(
            persons.answers.reshape(persons.n_rows, -1),
            Refit(persons, self.spec, len(self.random)),
            draw,
            self.spec.classes,
            samples,
            starts,
            seed,
            self.random,
            progress,
            workers,
            enough,
        )


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
