"""`AnswerFit`: the result of fitting a model of whole answers.

It is a :class:`pairproof.fit.fit.Fit`: its parameters, worths, contrasts and tests are asked for in the same
way. What it has beside them is about answers as wholes: which were given how often, and how often the model
expects them.

Both chi-square tests compare with free probabilities of every possible answer.  With J items there are J!
rankings or 3 to the power J(J-1)/2 answers to comparisons, and with fewer persons than that neither has a
chi-square distribution (Koehler and Larntz 1980, JASA 75, 336-344).

Likelihood ratios: one model lies inside another if every vector of natural parameters that it can take, over
all groups of persons, the other can take too; both are linear in their free parameters, so that column spaces
decide.

Standard errors hold where persons of a cluster go together, or the model is wrong, by the formulas of
:mod:`pairproof.fit.robust.sandwich`; a unit is a distinct answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.columns import Factor
from ...data.options import one_of, whole_number
from ...data.respondents.respondents import Respondents
from ...errors import ComparisonError, InputError
from ...text import count_words
from ..estimates import array_inference as inference
from ..estimates.fit_record import FitRecord
from ..estimates.identification import shift_to
from ..estimates.specification import LOG_WORTH_PER_UNIT, AnswerSpec, Scale, Value
from ..estimates.tails import chi_square_p
from ..fit import Fit
from ..inference import diagnostics as residuals
from ..robust.clustered_fit import KINDS, Kind, Missing
from ..robust.sandwich import DenseClusters, sandwich
from . import answer_numbers as tables
from .answer_numbers import OF_ITEM, AnswerNumbers

if TYPE_CHECKING:
    import pandas as pd


WALD = (
    "fit.clustered(column).contrast(a, b) has a Wald test that holds where persons of a cluster go together"
)
#: What is asked for -> what there is in its place.
INSTEAD = {
    "the Poisson log-likelihood": "fit.llf is that of the answers, without constants",
    "the score test": WALD,
    "the wild cluster test": WALD,
}


def only_comparisons(fit: FitRecord, asked: str) -> None:
    """Refuse a fit of whole answers.

    asked: a key of `INSTEAD`.
    """
    if isinstance(getattr(fit, "spec", None), AnswerSpec):  # what is no fit at all is refused by its reader
        raise InputError(
            f"{asked} is for models of comparisons, and this one is of whole answers; {INSTEAD[asked]}"
        )


FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def clusters_of(
    fit: FitRecord,
    table: Respondents,
    numbers: AnswerNumbers,
    columns: tuple[str, ...],
    kind: Kind,
    missing: Missing,
) -> DenseClusters:
    """The clustering of :meth:`pairproof.fit.results.answer_fit.AnswerFit.clustered`."""
    columns = tuple(map(table.role_of, columns))
    one_of("kind", kind, KINDS)
    one_of("missing", missing, ("refuse", "own"))
    groups, times, labels = groups_of(table, numbers, columns, missing)
    return sandwich(numbers.law, groups, times, (columns, labels), kind, fit.covariance)


def groups_of(
    table: Respondents, numbers: AnswerNumbers, columns: tuple[str, ...], missing: Missing
) -> tuple[sparse.csr_matrix, FloatArray, tuple[str, ...]]:
    """Persons with each distinct answer in each kind of cluster, float[K, n]; clusters of each kind; their labels.

    Without columns every person is a cluster, and persons with one answer are of one kind.
    """
    if len(columns) > 1:
        raise InputError(
            f"{len(columns)} columns ({', '.join(columns)}); whole answers are clustered by one column, or by person"
        )
    here = np.flatnonzero((numbers.row >= 0) & (table.weights > 0))
    weights, n = table.weights[here], len(numbers.observed)
    if not columns:
        if (weights != np.round(weights)).any():
            raise InputError(
                "weights that are no whole numbers of persons cannot be clusters of one person each"
            )
        return sparse.identity(n, format="csr"), numbers.observed, ()
    codes, names = _codes(table, columns[0], missing)
    present, code = np.unique(codes[here], return_inverse=True)
    shape = (len(present), n)
    groups = sparse.csr_matrix((weights, (np.ravel(code), numbers.row[here])), shape=shape)
    return groups, np.ones(len(present)), tuple(names[k] for k in present)


def _codes(table: Respondents, name: str, missing: str) -> tuple[IntArray, list[str]]:
    """int[n_rows]: the cluster of each row, and what the clusters are called."""
    if name not in table.columns:
        raise InputError(
            f"{table.source}: no column {name!r}; it has {', '.join(table.columns) or 'no further columns'}"
        )
    column = table.columns[name]
    if isinstance(column, Factor):
        codes, lacking, names = column.codes.astype(np.int64), column.codes < 0, list(column.levels)
    else:
        values, inverse = np.unique(column, return_inverse=True)
        codes, lacking = np.ravel(inverse).astype(np.int64), np.isnan(column)
        names = [f"{v:.15g}" for v in values]
    if lacking.any() and missing == "refuse":
        row = int(np.flatnonzero(lacking)[0]) + 1
        raise InputError(
            f"{table.source}, row {row}: no value in column {name!r} ({int(lacking.sum())} such row(s));"
            " missing='own' makes each a cluster of its own"
        )
    own = np.arange(len(codes)) + len(names)
    return np.where(lacking, own, codes), names + [f"(row {k + 1})" for k in range(len(codes))]


def likelihood_ratio(
    fit: Fit, numbers: AnswerNumbers, other: Fit, others: AnswerNumbers
) -> inference.LikelihoodRatio:
    """See :meth:`pairproof.fit.results.answer_fit.AnswerFit.compare`."""
    _refuse_no_likelihood(fit)
    _refuse_no_likelihood(other)
    if fit.data_digest != other.data_digest:
        raise ComparisonError(
            f"the fits are of different answers: {fit.title}, {numbers.n_persons:.10g} persons, against"
            f" {other.title}, {others.n_persons:.10g}"
        )
    small, large = (
        ((other, others), (fit, numbers)) if fit.rank >= other.rank else ((fit, numbers), (other, others))
    )
    smaller, larger = small[0], large[0]
    if _kind(smaller) != _kind(larger) or not nested(small[1], large[1]):
        raise ComparisonError(
            f"the models are not nested: {smaller.title} is not a special case of {larger.title}; compare AIC"
            + (
                ""
                if _kind(smaller) == _kind(larger) or smaller.model != larger.model
                else " only of models that both model the gaps, or neither"
            )
        )
    df = larger.rank - smaller.rank
    if not df:
        raise ComparisonError(
            f"both models fit {larger.rank} parameters to these data; there is nothing to test"
        )
    statistic = 2.0 * (larger.llf - smaller.llf)
    p = chi_square_p(statistic, df)
    return inference.LikelihoodRatio(statistic, df, p, larger.title, smaller.title)


def _refuse_no_likelihood(fit: Fit) -> None:
    classes = isinstance(fit.spec, AnswerSpec) and fit.spec.classes > 1
    if classes or fit.quasi_likelihood:
        why = (
            "with latent classes; fit.test_classes() tests their number by a bootstrap"
            if classes
            else "because its estimate does not maximise the likelihood"
        )
        raise ComparisonError(f"{fit.title}: a likelihood ratio has no chi-square distribution, {why}")


def _kind(fit: Fit) -> tuple[object, ...]:
    """What two models must share for their likelihoods to be of the same event."""
    spec = fit.spec
    assert isinstance(spec, AnswerSpec)
    return spec.family, bool(spec.alpha), fit.outcome_model


def nested(smaller: AnswerNumbers, larger: AnswerNumbers, tolerance: float = 1e-9) -> bool:
    """Whether every natural parameter that one model can take the other can take too.

    smaller, larger: of the same rows.  tolerance: what is left of a column of length 1 that the others
    determine; rounding leaves 1e-15.
    """
    names = list(dict.fromkeys([*larger.statistics, *smaller.statistics]))
    here = (smaller.row >= 0) & (larger.row >= 0)
    groups = np.stack([smaller.group[smaller.row[here]], larger.group[larger.row[here]]], axis=1)
    pairs = np.unique(groups, axis=0)
    mine = np.concatenate([_under(names, smaller, int(s)) for s, _ in pairs])
    theirs = np.concatenate([_under(names, larger, int(t)) for _, t in pairs])
    length = np.linalg.norm(theirs, axis=0)
    unit = theirs / np.where(length > 0, length, 1.0)
    found, *_ = np.linalg.lstsq(unit, mine, rcond=None)
    left = np.linalg.norm(mine - unit @ found, axis=0)
    return bool((left <= tolerance * np.maximum(np.linalg.norm(mine, axis=0), 1e-300)).all())


def _under(names: Sequence[str], numbers: AnswerNumbers, group: int) -> FloatArray:
    """The map of a group with a row for each of the names; 0 for what the model does not have."""
    out = np.zeros((len(names), numbers.maps[group].shape[1]))
    place = {name: k for k, name in enumerate(names)}
    out[[place[name] for name in numbers.statistics]] = numbers.maps[group]
    # Where natural parameters are those of items, their level says nothing.
    items = np.array([name.startswith(OF_ITEM) for name in names])
    if items.any():
        out[items] -= out[items].mean(axis=0)
    return out


#: Mean expected count below which no p-value is given, and below which it is called rough (Cochran 1954,
#: Biometrics 10, 417-451, has 1 and 5 for single cells).
TOO_FEW, FEW = 1.0, 5.0


def goodness(numbers: AnswerNumbers, deviance: float, df: int, quasi: bool) -> inference.GoodnessOfFit:
    """Deviance and Pearson's X^2 against a chi-square.

    quasi: whether the estimate maximises something else than the likelihood.  Returns GoodnessOfFit: p-values
    are nan where no chi-square holds; `caution` then says why.
    """
    answers = numbers.possible.sum()
    mean = float(Fraction(numbers.n_persons) / Fraction(answers))
    told = f"{numbers.n_persons:.10g} persons, {count_words(answers)} possible answers"
    if df <= 0:
        why = "the model is saturated (0 df), there is nothing left to test"
    elif not numbers.adds_up:
        why = (
            "rankings of some of the items with ties: a tie decides how many items are ranked, so that nothing says"
            " which other answers a person could have given"
        )
    elif quasi:
        why = "pseudo-comparisons or a prior move the estimate away from the maximum"
    elif mean < TOO_FEW:
        why = f"{told}: too few for a chi-square"
    else:
        caution = f"{told}: the chi-square is rough below {FEW:g} persons an answer" if mean < FEW else ""
        return inference.GoodnessOfFit(
            deviance,
            numbers.pearson,
            df,
            chi_square_p(deviance, df),
            chi_square_p(numbers.pearson, df),
            caution,
        )
    return inference.GoodnessOfFit(deviance, numbers.pearson, df, np.nan, np.nan, f"no p-value: {why}")


@dataclass(frozen=True, eq=False, repr=False)
class AnswerFit(Fit):
    """A fitted model of whole answers: of all comparisons of a person, of rankings, of ratings.

    Other attributes are those of :class:`pairproof.fit.estimates.fit_record.FitRecord`.  Of these `data` holds the comparisons that
    the answers imply, pooled, and `deviance` is that against free probabilities of all answers.

    Attributes
    ----------
    respondents : Respondents
        The table as it was given.
    numbers : AnswerNumbers
        Answers seen and expected.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]])
    >>> fit = pairproof.fit_pattern(table)
    >>> fit.params.round(4).to_dict()
    {'A': 0.2582, 'B': 0.1291, 'C': 0.0}
    """

    respondents: Respondents = field(kw_only=True)
    numbers: AnswerNumbers = field(kw_only=True)

    # -- parameters ------------------------------------------------------------------------------------------

    @property
    def of_answers(self) -> AnswerSpec:
        """The specification, with what is about whole answers."""
        assert isinstance(self.spec, AnswerSpec)
        return self.spec

    @property
    def n_persons(self) -> float:
        """Persons whose answers say something: the n of BIC."""
        return self.numbers.n_persons

    @property
    def bic(self) -> float:
        """-2 llf + k log n, k = :attr:`rank`, n the number of persons."""
        return -2.0 * self.llf + self.rank * float(np.log(self.n_persons))

    def on_scale(self, scale: Scale) -> AnswerFit:
        """The same fit on another scale: item parameters are doubled or halved, others kept.

        Parameters
        ----------
        scale : {"lambda", "log-odds"}

        Returns
        -------
        AnswerFit

        Raises
        ------
        InputError
            Another scale.
        """
        one_of("scale", scale, ("lambda", "log-odds"))
        factor = LOG_WORTH_PER_UNIT[self.scale] / LOG_WORTH_PER_UNIT[scale]
        units = np.array([factor if t.kind in ("item", "covariate") else 1.0 for t in self.terms])
        law = replace(self.numbers.law, outward=units[:, None] * self.numbers.law.outward)
        moved = replace(self.numbers, law=law)
        return replace(super().on_scale(scale), numbers=moved)

    def with_reference(self, reference: str) -> AnswerFit:
        """The same fit with another reference item.

        Parameters
        ----------
        reference : str
            The item whose parameters are 0, or "sum".

        Returns
        -------
        AnswerFit

        Raises
        ------
        InputError
            Abilities come from item covariates.
        ItemError
            No such item.
        """
        found = super().with_reference(reference)
        shift = shift_to(self, reference)
        outward = np.asarray(shift.forward(self.numbers.law.outward)) * ~found.is_reference[:, None]
        law = replace(self.numbers.law, outward=outward)
        return replace(found, numbers=replace(self.numbers, law=law))

    # -- answers ---------------------------------------------------------------------------------------------

    def patterns(self) -> pd.DataFrame:
        """Every distinct answer: how many persons gave it, and how many the model expects.

        Returns
        -------
        DataFrame
            group, answer, observed, expected, residual (Pearson's, (observed - expected) / sqrt(expected)), the
            most frequent first.  Answers that nobody gave are in :meth:`predicted_patterns`.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]])
        >>> pairproof.fit_pattern(table).patterns().round(3).iloc[0].tolist()
        ['', 'A > B > C', 1.0, 1.046, -0.045]
        """
        return tables.seen(self.respondents, self.numbers)

    def predicted_patterns(self, group: str | None = None, most: int = 20) -> pd.DataFrame:
        """The most probable complete answers, whether anybody gave them or not.

        Parameters
        ----------
        group : str, optional
            One of `groups`; required if there is more than one.
        most : int
            Answers listed.

        Returns
        -------
        DataFrame
            answer, probability, the most probable first.

        Raises
        ------
        InputError
            Another group, or a model whose possible answers are not written out.
        TooLargeError
            There are too many possible answers.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]])
        >>> pairproof.fit_pattern(table).predicted_patterns(most=1).round(3).values.tolist()
        [['A > B > C', 0.262]]
        """
        whole_number("most", most, 1)
        return tables.possible(self.respondents, self.numbers, self._group(group), most)

    def _group(self, group: str | None) -> int:
        labels = self.numbers.labels
        if group is None and len(labels) == 1:
            return 0
        if group not in labels:
            raise InputError(f"group={group!r}; the groups are {', '.join(map(repr, labels[:20]))}")
        return labels.index(group)

    def pairs(self) -> pd.DataFrame:
        """Every pair of items: how complete answers compare the two, and how the model expects them to.

        Returns
        -------
        DataFrame
            first, second, cell, outcome, observed, fitted, residual.  The residuals are Pearson's of one pair
            alone; those of several pairs are dependent.

        Raises
        ------
        InputError, TooLargeError
            As :meth:`predicted_patterns`.
        """
        return residuals.residual_frame(
            self.cell_table(), self.items, self.outcome_model != "binary", "pearson", "multinomial"
        )

    def residuals(self, kind: Any = "pearson", distribution: Any = "multinomial") -> pd.DataFrame:
        """Pearson residuals of the answers: :meth:`patterns`.

        Parameters
        ----------
        kind : {"pearson"}
        distribution : {"multinomial"}

        Returns
        -------
        DataFrame

        Raises
        ------
        InputError
            Another kind or distribution, which there is for models of comparisons only.
        """
        one_of("kind", kind, ("pearson",))
        one_of("distribution", distribution, ("multinomial",))
        return self.patterns()

    def probabilities(
        self,
        group: str | None = None,
        *,
        at: Mapping[str, Value] | None = None,
        order: bool = False,
        items: Sequence[str] | None = None,
        level: float | None = None,
        comparison: Mapping[str, Value] | None = None,
    ) -> pd.DataFrame:
        """P(first preferred), P(tie), P(second preferred) where the two items alone are compared.

        Parameters are those of :meth:`pairproof.fit.estimate_verbs.Predicted.probabilities`.  Under Plackett and
        Luce's model they are also those within a longer ranking; under the pattern models those are in
        :meth:`pairs`.

        Raises
        ------
        InputError
            Comparisons depend on each other, or every pair has a tie parameter of its own: see :meth:`pairs`.
        """
        spec = self.of_answers
        if spec.dependence or spec.between_times or spec.answer_ties == "by-pair":
            raise InputError(
                "comparisons depend on each other, or have ties of their own, so that two items alone have no"
                " probability in this model; fit.pairs() has the margins of each pair"
            )
        return super().probabilities(
            group, at=at, order=order, items=items, level=level, comparison=comparison
        )

    # -- tests -----------------------------------------------------------------------------------------------

    def goodness_of_fit(self) -> inference.GoodnessOfFit:
        """Deviance and Pearson chi-square tests against free probabilities of all answers.

        Returns
        -------
        GoodnessOfFit
            The p-values are nan where persons are too few for the number of possible answers; `caution` says so.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]])
        >>> pairproof.fit_pattern(table).goodness_of_fit().df
        3
        """
        return goodness(self.numbers, self.deviance, self.df_resid, self.quasi_likelihood)

    def compare(self, other: Fit) -> inference.LikelihoodRatio:
        """Likelihood-ratio test against a smaller or larger model of the same answers.

        Parameters
        ----------
        other : AnswerFit

        Returns
        -------
        LikelihoodRatio

        Raises
        ------
        ComparisonError
            The fits are of different answers, of different families, with pseudo-comparisons or a prior, or the
            models are not nested.  Plackett and Luce's and the pattern model are not: compare their AIC.
        """
        if not isinstance(other, AnswerFit):
            raise ComparisonError(
                f"{other.title} is a model of comparisons, {self.title} one of whole answers: their log-likelihoods"
                " are of different data"
            )
        return likelihood_ratio(self, self.numbers, other, other.numbers)

    def clustered(
        self,
        *columns: str,
        kind: Literal["CR0", "CR1", "CR2"] = "CR1",
        missing: Literal["refuse", "own"] = "refuse",
    ) -> AnswerFit:
        """The same fit with standard errors that hold if the model is wrong, or persons of a cluster go together.

        Parameters
        ----------
        *columns : str
            A column of the table; none: every person is a cluster.
        kind : {"CR0", "CR1", "CR2"}
            CR1 multiplies the variances by G / (G - 1) for G clusters; CR2 is for few clusters, with degrees of freedom
            of its own.  Where the information of a cluster's incomplete answers is not positive, there is no CR2: CR1
            stands in for it, and the summary says so.
        missing : {"refuse", "own"}
            What to do with rows without a value of the column.

        Returns
        -------
        AnswerFit
            The estimates are the same.

        Raises
        ------
        InputError
            No such column, several, one cluster, rows without a value, or another kind.
        TooLargeError
            CR2 of very many clusters and parameters.
        """
        if self.robust is not None:
            raise InputError(f"standard errors are by cluster already: {self.robust.title}")
        robust = clusters_of(self, self.respondents, self.numbers, columns, kind, missing)
        return replace(self, robust=robust)

    # -- what there is for models of comparisons only --------------------------------------------------------

    @property
    def llf_poisson(self) -> float:
        """Refused: gnm and glm report it for tables of cells.

        Raises
        ------
        InputError
            Always.
        """
        only_comparisons(self, "the Poisson log-likelihood")
        raise AssertionError  # refused above

    # -- shown -----------------------------------------------------------------------------------------------

    def summary(self, rows: int = 60) -> str:
        """The fit as text, at most 100 columns wide.

        Parameters
        ----------
        rows : int
            Most parameters shown.

        Returns
        -------
        str
        """
        return tables.summary(self, self.of_answers, self.respondents, self.numbers, rows)

    def to_dict(self) -> dict[str, Any]:
        """The fit as a JSON object; keys beside those of other fits: answers, times, n_persons, n_patterns,
        n_possible, goodness_of_fit.

        Returns
        -------
        dict
        """
        return {**super().to_dict(), **tables.document(self.of_answers, self.numbers, self.goodness_of_fit())}

    @property
    def counted(self) -> str:
        """Persons, different answers, possible ones: `32 persons, 12 different of 24 possible rankings of 4 items`."""
        return tables.counted(self.of_answers, self.numbers, self.items)

    def __repr__(self) -> str:
        return f"<Fit: {self.title}, {self.n_persons:.10g} persons, by {self.engine}>"
