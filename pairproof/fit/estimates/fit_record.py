"""The numbers of a fit, frozen, and what follows from them parameter by parameter.

beta holds every reference (as 0), and `null_space` the directions along which the likelihood says nothing or
grows without end.  A linear function c'beta is estimable if and only if c'n = 0 for every such direction n;
what is not estimable is named and has no number.

Parts of the record: warnings as values (a kind, the parameters concerned, a sentence); the table of cells
from which deviance and degrees of freedom are computed, a cell being an unordered pair of items in a
covariate cell; what a fit asks of standard errors by cluster, which :mod:`pairproof.fit.robust` has; and what
a linear predictor says about the outcomes, which engines fill.  By cluster an estimate c'b is compared with
Student's t on degrees of freedom of its own, (c'b - v) / se, and q linear functions together against F.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from ...data.comparisons import Comparisons
from ...errors import InputError, ItemError
from ...numerics.arrays import BoolArray, FloatArray, IntArray
from ...numerics.infinity import NULL_TOLERANCE
from .covariance import Covariance, LinearMap, unit_functions
from .outcome_laws import NOTHING, AnyNumbers
from .parts import AnswerNumbers, Answers, ClassNumbers, RandomEffects
from .specification import (
    TIES_IN_WORDS,
    AnswerSpec,
    ContestSpec,
    Layout,
    ModelSpec,
    Scale,
    Term,
    Ties,
    Value,
    layout,
)

if TYPE_CHECKING:
    from ...data.respondents.respondents import Respondents
    from .likelihood import AtEstimate


Kind = Literal[
    "rankings-as-pairs",  # pairs of rankings, fitted as if they were independent
    "level-left-out",  # a level of a covariate without comparisons
    "values-as-levels",  # a covariate of text with hardly a value twice, each of which is a level
    "codes-as-slope",  # few whole numbers, perhaps codes of categories, taken as a slope
    "ties-dropped",
    "ties-as-half-wins",
    "fractional-counts",  # of preferences or weights: standard errors of counts do not hold
    "own-ability",  # an item without a value of an item covariate has an ability of its own
    "no-ties",  # a tie category, but no tie: the tie parameter is minus infinity
    "tie-at-boundary",  # the same under Rao and Kupper: the tie parameter is at its boundary 0
    "separated",  # estimates are infinite
    "not-connected",  # items that no chain of comparisons joins
    "another-reference",  # with_reference: over what the sum runs, or that the reference has no number itself
    "not-identified",  # effects, or latent classes, that cannot be distinguished from one another
    "local-maxima",  # the best maximum of a mixture was reached from one start only
    "not-estimable",  # in JSON: parameters without a number that no other warning is about
    "no-worth",  # in JSON: groups whose items cannot all be compared
    "cancels",  # a term of a formula that is the same for both items of every comparison
    "sigma-at-zero",  # random effects whose variance is estimated as 0
    "sigma-unbounded",  # wins without a cycle: the data bound sigma from below only
    "methods-part",  # random effects of which PQL, Laplace and quadrature say different things
    "quasi-likelihood",  # penalised quasi-likelihood, which is biased and has no likelihood
    "pseudo-comparisons",  # the table holds results nobody observed, as a prior
    "as-prefmod",  # fitted with defects of prefmod, which `compat` asked for
    "clusters",  # in JSON: answers of a judge or about a source go together, or clusters are few
    "one-cluster",  # in JSON: parameters that one cluster alone determines
    "no-spread",  # in JSON: parameters of which all clusters say exactly the same
    "too-large",  # in JSON: what was too large to be worked out or written
]
#: Kinds that give the reason why a parameter has no estimate.
WITHOUT_ESTIMATE: tuple[Kind, ...] = ("no-ties", "separated", "not-connected", "not-identified")


@dataclass(frozen=True)
class FitWarning:
    """A warning about the results of a fit.

    kind: one of the kinds listed in this module, for programs to test.  text: the sentence, which is also
    ``str()`` of the warning.  terms: names of the parameters it is about; empty if it is about all of them.
    """

    kind: Kind
    text: str
    terms: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


def listed(names: Sequence[str], most: int) -> str:
    """At most `most` names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


@dataclass(frozen=True, eq=False)
class CellTable:
    """Observed and fitted counts of the cells with at least one comparison.

    `first`, second int[n_cells]: items; outcomes are from first's side.  label: covariate cell ("" if there
    is only one).  observed, fitted float[n_cells, 3]: first preferred, tie, second preferred, in counts.
    """

    first: IntArray
    second: IntArray
    label: tuple[str, ...]
    observed: FloatArray
    fitted: FloatArray

    @property
    def n_cells(self) -> int:
        return len(self.first)

    def outcomes(self, has_ties: bool) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
        """Names of the outcomes that could occur, and their observed and fitted counts, float[n_cells, 2 or
        3].
        """
        if has_ties:
            return ("first", "tie", "second"), self.observed, self.fitted
        return ("first", "second"), self.observed[:, [0, 2]], self.fitted[:, [0, 2]]


def poisson_log_likelihood(table: CellTable, has_ties: bool) -> float:
    """The Poisson log-likelihood of R's gnm and glm less `llf`: sum(n log n - n) - sum log y! over the cells."""
    from scipy.special import gammaln, xlogy

    _, y, _ = table.outcomes(has_ties)
    n = y.sum(axis=1)
    return float(np.sum(xlogy(n, n) - n) - np.sum(gammaln(y + 1.0)))


@dataclass(frozen=True, eq=False)
class Known:
    """A table that has been computed; calling it returns the table."""

    table: CellTable

    def __call__(self) -> CellTable:
        return self.table


@dataclass(frozen=True, eq=False)
class WhenAsked:
    """A table that is computed when it is first called, and pickled as the table itself."""

    make: Callable[[], CellTable]

    @cached_property
    def _made(self) -> CellTable:
        return self.make()

    def __call__(self) -> CellTable:
        return self._made

    def __reduce__(self) -> tuple[type[Known], tuple[CellTable]]:
        return Known, (self._made,)


#: Degrees of freedom below which a p-value by cluster is rough (Tipton 2015, Psychological Methods 20,
#: 375-393).
FEW_DF = 4.0


class Clustering(Protocol):
    """Cluster-robust inference on linear functions of the parameters."""

    @property
    def kind(self) -> str:
        """ "CR0", "CR1" or "CR2"."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns whose values are the clusters, one or two."""

    @property
    def n_clusters(self) -> tuple[int, ...]:
        """Clusters of each column that carry information about the estimates."""

    @property
    def title(self) -> str:
        """ "CR2 by judge (24 clusters)"."""

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences that a reader of these standard errors has to know."""

    @property
    def model_based(self) -> Covariance:
        """The covariance that supposes independent answers."""

    def standard_errors(self, functions: FloatArray) -> FloatArray:
        """float[m] of linear functions, float[m, n_params]; nan where one cluster alone determines one."""

    def degrees_of_freedom(self, functions: FloatArray, bound: bool = False) -> FloatArray:
        """float[m]: of each function's t distribution; with `bound` at most that, where it is found more quickly."""

    def alone(self, function: FloatArray) -> str | None:
        """The cluster that alone determines a part of a function ("judge 3"), or None."""

    def joint_test(self, functions: FloatArray, values: FloatArray) -> tuple[float, float, float]:
        """F on len(values) and some degrees of freedom, the latter, and p, that all functions are 0."""

    def mapped(self, by: LinearMap) -> Clustering:
        """The same for parameters that are a linear map of these."""


def not_zero(along: FloatArray) -> BoolArray:
    """bool[m]: rows of `along`, functions times null directions, float[m, k], that are not 0."""
    return np.asarray(np.abs(along).max(axis=1, initial=0.0) >= NULL_TOLERANCE)


@dataclass(frozen=True)
class Stopping:
    """How the solver stopped.

    rule: the convergence criterion, in words.  reached: whether it was met.  steps: number of steps taken.
    value: final value of the quantity that the criterion is about.
    """

    rule: str
    reached: bool
    steps: int
    value: float


@dataclass(frozen=True, eq=False, repr=False)
class FitRecord:
    """The numbers of a fitted model: its specification, estimates and likelihood, and how the solver stopped.

    Attributes
    ----------
    spec : ModelSpec
        The model that was asked for.
    data : Comparisons
        The table as it was given.
    terms : tuple of Term, length n_params
        References included.
    beta : float[n_params]
        References are 0.  Use :attr:`params`, which has nan where a number would mean nothing.
    is_reference : bool[n_params]
    covariance : Covariance
        Of beta.
    null_space : float[n_params, k]
        Directions that are not estimable; k is 0 for a well-behaved fit.
    outcome_model : str
        "binary", or the model of ties: "davidson", "rao-kupper", or another law's name.
    scale : {"lambda", "log-odds"}
    constraint : str
        "reference D" or "items sum to zero".
    groups : mapping of str to mapping of str to level or number
        Covariate cells for which worths are given: {"all": {}} or {"judge=3": {"judge": "3"}, ...}.
    cell_table : function of no argument to CellTable
        Computes the table of cells.
    llf : float
        Sum of w log p, given each comparison, without constants.
    deviance, null_deviance : float
    df_resid, df_null : int
    n_comparisons : float
    engine : str
    stopping : Stopping
    warnings : tuple of FitWarning
        Warnings about the results; str() of one is its sentence.
    n_infinite : int
        Dimensions of `null_space` along which the likelihood grows without end (separation); along the others
        it is flat.
    quasi_likelihood : bool
        Ties as half wins, or fractional weights: no AIC comparison with other data, no goodness of fit.
    data_digest : str
        Of the comparisons as they entered the likelihood; "" if they are those of `data` and `spec.ties`.
    extras : mapping of str to object
        Further results of an engine, such as R's own printout.
    robust : Clustering, optional
        Standard errors by cluster; None if they are those of the model, which supposes independent answers.
    contests : ContestPart, optional
        Of a model with a link, an offset, reduced bias, general ties or random effects.
    random_effects : RandomEffects, optional
        Variance components and predicted effects; `llf` is then the marginal log-likelihood (nan by PQL), and
        `deviance` nan.
    answers : Answers, optional
        Of a model of whole answers: `data` then holds the comparisons that they imply, pooled, and `deviance` is
        that against free probabilities of all answers.
    classes : ClassNumbers, optional
        Of latent classes of persons, a mixture of models of whole answers.  Parameters that differ between classes
        are named `A:class[1]`, and `groups` are the classes (in each covariate group).  Standard errors come from
        the observed information of the mixture (Louis 1982): that nobody's class is known makes them larger.
    """

    spec: ModelSpec
    data: Comparisons
    terms: tuple[Term, ...]
    beta: FloatArray
    is_reference: BoolArray
    covariance: Covariance
    null_space: FloatArray
    outcome_model: str
    scale: Scale
    constraint: str
    groups: Mapping[str, Mapping[str, Value]]
    cell_table: Callable[[], CellTable]
    llf: float
    deviance: float
    df_resid: int
    null_deviance: float
    df_null: int
    n_comparisons: float
    engine: str
    stopping: Stopping
    warnings: tuple[FitWarning, ...] = ()
    n_infinite: int = 0
    quasi_likelihood: bool = False
    data_digest: str = ""
    extras: Mapping[str, Any] = field(default_factory=dict)
    robust: Clustering | None = None
    contests: ContestPart | None = None
    random_effects: RandomEffects | None = None
    answers: Answers | None = None
    classes: ClassNumbers | None = None

    def __post_init__(self) -> None:
        n = len(self.terms)
        shapes = {name: getattr(self, name).shape[:1] for name in ("beta", "is_reference", "null_space")}
        wrong = {name: shape for name, shape in shapes.items() if shape != (n,)}
        if wrong or self.null_space.ndim != 2:
            raise InputError(
                f"a fit with {n} terms needs arrays of that length; found {wrong or self.null_space.shape}"
            )
        if not np.isfinite(self.beta).all():
            # 0 x inf is nan: one infinite parameter would spoil every linear function, also those without it.
            infinite = [t.name for t, b in zip(self.terms, self.beta) if not np.isfinite(b)]
            raise InputError(
                f"beta is not finite for {infinite}; keep a finite number and put the direction in null_space"
            )

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: numbers, where they were to be worked out when read."""
        for name in WHEN_READ:
            getattr(self, name)
        return vars(self)

    # -- parameters ------------------------------------------------------------------------------------------

    @property
    def items(self) -> tuple[str, ...]:
        """Names of the items."""
        return self.data.items

    @property
    def model(self) -> str:
        """Name of the family of models."""
        return self.spec.family

    @property
    def ties(self) -> Ties:
        """How ties are treated."""
        return self.spec.ties

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of all parameters, references included."""
        return tuple(t.name for t in self.terms)

    @cached_property
    def layout(self) -> Layout:
        """Where the item terms lie in beta."""
        return layout(self.terms, self.items)

    @cached_property
    def estimable(self) -> BoolArray:
        """bool[n_params]: parameters that have a number."""
        return self.vanishes(self.null_space)

    @staticmethod
    def vanishes(along: FloatArray) -> BoolArray:
        """bool[m]: rows of `along`, functions times null directions, float[m, k], that are 0."""
        return ~not_zero(along)

    def is_estimable(self, functions: FloatArray) -> bool:
        """Whether the data determine all the linear functions, float[m, n_params]."""
        return bool(self.vanishes(functions @ self.null_space).all())

    @property
    def not_estimable(self) -> tuple[str, ...]:
        """Names of the parameters that have no estimate."""
        if not self.null_space.shape[1]:
            return ()
        return tuple(n for n, ok in zip(self.names, self.estimable) if not ok)

    @cached_property
    def free(self) -> BoolArray:
        """bool[n_params]: estimable and not a reference."""
        return self.estimable & ~self.is_reference

    @property
    def n_estimable(self) -> int:
        """Free dimensions with a finite estimate: parameters less references, less directions without a number."""
        # Of items that sum to zero none is a reference, and a block of n has n - 1 free dimensions.
        centred = self.spec.reference == "sum" and not self.spec.item_terms
        redundant = len({t.by for t in self.terms if t.kind == "item"}) if centred else 0
        return int((~self.is_reference).sum() - self.null_space.shape[1]) - redundant

    @property
    def rank(self) -> int:
        """Parameters fitted: k of AIC and BIC, rank of the model on the observed data without nuisance
        constants.

        Infinite estimates are counted, as in R's glm: they were fitted, and raised the likelihood.  Parameters
        without information are not counted (items never compared, aliased terms).  Standard deviations of random
        effects are, and all shares of latent classes but one.
        """
        sigmas = 0 if self.random_effects is None else len(self.random_effects.components)
        shares = 0 if self.classes is None else len(self.classes.shares) - 1
        return self.n_estimable + self.n_infinite + sigmas + shares

    @cached_property
    def standard_errors(self) -> FloatArray:
        """float[n_params]: nan for references and for what is not estimable, or what one cluster determines."""
        if self.robust is not None:
            return self._at_free(self.robust.standard_errors)
        return np.where(self.free, np.sqrt(np.maximum(self.covariance.variances(), 0.0)), np.nan)

    @cached_property
    def z(self) -> FloatArray:
        """float[n_params]: estimate over standard error; nan where there is none."""
        return np.where(self.free, self.beta, np.nan) / self.standard_errors

    @cached_property
    def degrees_of_freedom(self) -> FloatArray:
        """float[n_params]: of each parameter's t; inf where it is compared with the normal distribution."""
        if self.robust is None:
            return np.where(self.free, np.inf, np.nan)
        return self._at_free(self.robust.degrees_of_freedom)

    def _at_free(self, numbers: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """float[n_params]: numbers of linear functions, for each free parameter; nan for the others."""
        out, places = np.full(len(self.terms), np.nan), np.flatnonzero(self.free)
        for start in range(0, len(places), 512):
            at = places[start : start + 512]
            out[at] = numbers(unit_functions(at, len(self.terms)))
        return out

    # -- parts -----------------------------------------------------------------------------------------------

    @property
    def of_contests(self) -> ContestSpec:
        """The specification, with what is about links, bias and random effects."""
        if not isinstance(self.spec, ContestSpec):
            raise Absent(f"{title(self)} does not have a formula for contests; use fit_bradley_terry")
        return self.spec

    @property
    def outcomes(self) -> Outcomes:
        """From linear predictors to probabilities, of a model of contests."""
        if self.contests is None:
            raise Absent(
                f"{title(self)} is fitted to counts and does not keep the outcomes of single contests"
            )
        return self.contests.outcomes

    @property
    def predicted_effects(self) -> RandomEffects:
        """Effects and fixed parameters together, of a model with random effects."""
        if self.random_effects is None:
            raise Absent(
                f"{title(self)}: a model without random effects; use random='item' or 'item:judge' in fit_bradley_terry"
            )
        return self.random_effects

    @property
    def of_answers(self) -> AnswerSpec:
        """The specification, with what is about whole answers."""
        if not isinstance(self.spec, AnswerSpec):
            raise self._without_answers()
        return self.spec

    @property
    def respondents(self) -> Respondents:
        """The table of persons as it was given, of a model of whole answers."""
        if self.answers is None:
            raise self._without_answers()
        return self.answers.respondents

    @property
    def numbers(self) -> AnswerNumbers:
        """Answers seen and expected, of a model of whole answers."""
        if self.answers is None:
            raise self._without_answers()
        return self.answers.numbers

    def _without_answers(self) -> Absent:
        return Absent(
            f"{title(self)} is a model of single comparisons; fit_pattern and fit_plackett_luce model whole answers"
        )

    @property
    def of_classes(self) -> ClassNumbers:
        """Shares, posterior probabilities and maxima of latent classes."""
        if self.classes is None:
            raise Absent(f"{title(self)}: a model without latent classes; use fit_latent_classes")
        return self.classes

    # -- likelihood ------------------------------------------------------------------------------------------

    @property
    def likelihood(self) -> AtEstimate:
        """The likelihood at the estimate, as every verb asks for it; see :mod:`pairproof.fit.estimates.likelihood`.

        Returns
        -------
        AtEstimate
            The likelihood, where its maximum is, and this fit's parameters as functions of its coordinates.

        Raises
        ------
        InputError
            An estimate that has no likelihood.
        ComparisonError
            A fit of another engine that the native one does not reproduce.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> at = fit.likelihood
        >>> bool(abs(at.likelihood.at(at.theta).llf - fit.llf) < 1e-9)
        True
        """
        import pairproof

        asked: Any = self  # a record that is no fit has none
        return pairproof.likelihood_of(asked)

    @property
    def aic(self) -> float:
        """-2 llf + 2 k, k = :attr:`rank`."""
        return -2.0 * self.llf + 2.0 * self.rank

    @property
    def bic(self) -> float:
        """-2 llf + k log n, k = :attr:`rank`, n the sum of the weights, or the number of persons."""
        n = self.n_comparisons if self.answers is None else self.numbers.n_persons
        return -2.0 * self.llf + self.rank * float(np.log(n))

    @property
    def of_items(self) -> FitRecord:
        """The fit from which items are compared: this fit, or with random effects that of their predicted
        abilities."""
        return self

    @property
    def further_lines(self) -> tuple[str, ...]:
        """Lines of the summary that only some models have."""
        return ()

    @property
    def counted(self) -> str:
        """The observations of the likelihood, counted: `960 comparisons of 4 items`."""
        if self.answers is not None:
            return self.answers.counted(self.of_answers, self.items)
        return f"{self.n_comparisons:.10g} comparisons of {len(self.items)} items"

    @property
    def llf_poisson(self) -> float:
        """The Poisson log-likelihood that gnm and glm report for the same model and table.

        Adds sum(n log n - n) - sum log y! over the cells to `llf`.
        """
        if self.answers is not None:
            raise InputError(
                "the Poisson log-likelihood is for models of comparisons, but this one models whole answers; fit.llf is"
                " the log-likelihood of the answers, without constants"
            )
        if self.contests is not None:
            raise InputError(
                "the Poisson log-likelihood is for log-linear models (logit link); fit.llf is this model's log-likelihood"
            )
        return self.llf + poisson_log_likelihood(self.cell_table(), self.outcome_model != "binary")


class WhenRead:
    """A number that may be given as a function, which is called when the number is first read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, record: Any, owner: type | None = None) -> Any:
        if record is None:
            return self
        value = vars(record)[self.name]
        if callable(value):
            value = vars(record)[self.name] = value()
        return value

    def __set__(self, record: Any, value: Any) -> None:
        vars(record)[self.name] = value


#: Numbers that cost a tenth of a small fit and that few ask for.
WHEN_READ = ("deviance", "null_deviance")
for _name in WHEN_READ:
    setattr(FitRecord, _name, WhenRead(_name))


def find_item(items: tuple[str, ...], name: str) -> int:
    """The place of an item in the table."""
    if name not in items:
        raise ItemError(f"no item {name!r}; the items are {known_and_near(items, name)}")
    return items.index(name)


def known_and_near(names: Sequence[str], name: object) -> str:
    """The first names there are, and the one that was perhaps meant."""
    import difflib

    near = difflib.get_close_matches(name, names, 1) if isinstance(name, str) else []
    hint = f"; did you mean {near[0]!r}?" if near else ""
    more = f", and {len(names) - 20} more" if len(names) > 20 else ""
    return f"{', '.join(names[:20])}{more}{hint}"


def why_not_estimable(fit: FitRecord) -> str:
    """The first warning that says why something has no number, or the names of what has none."""
    reasons = [str(w) for w in fit.warnings if w.kind in WITHOUT_ESTIMATE]
    return reasons[0] if reasons else f"not estimable: {', '.join(fit.not_estimable)}"


class Outcomes(Protocol):
    """What a linear predictor says about the outcomes."""

    def probabilities(
        self, eta: FloatArray, ties: FloatArray = NOTHING, home: AnyNumbers = 0.0, level: AnyNumbers = 0.0
    ) -> FloatArray:
        """float[n, 3]: first preferred, tie, second preferred; nan where eta is nan.

        `ties`, float[q], are the tie parameters, `home` is 1 where the item named first has its advantage, `level` the
        mean ability of the two items less that of all.
        """

    def unit_derivatives(self, eta: FloatArray, possible: BoolArray) -> tuple[FloatArray, FloatArray] | None:
        """As :func:`pairproof.fit.robust.scores.units` gives them for the logit; None: they are those."""


@dataclass(frozen=True, eq=False)
class ContestPart:
    """What a fit has of its contests with a link, an offset, reduced bias, general ties or random effects.

    penalised: what was maximised where the bias is reduced: llf + log det(information) / 2; nan elsewhere.
    expected_covariance: by the expected information, on the scale and under some constraint of the
    specification; None where that is the observed one.
    """

    outcomes: Outcomes
    penalised: float = float("nan")
    expected_covariance: Covariance | None = None


class Absent(InputError, AttributeError):
    """A part that a model has not; `hasattr` of a fit without it is False."""


def title(fit: FitRecord) -> str:
    """The model in words: `LLBT, Davidson ties, by judge, order effect`."""
    spec = fit.spec
    if spec.words:
        return spec.words
    own = [item for item in fit.items if item in fit.layout.separate] if spec.item_terms else []
    beside = f" (of their own: {listed(own, 6)})" if own else ""
    parts = [
        spec.of_family.title,
        TIES_IN_WORDS[spec.ties] if spec.ties != "none" or fit.outcome_model != "binary" else "",
        f"items by {', '.join(spec.item_terms)}{beside}" if spec.item_terms else "",
        f"by {spec.by}" if spec.by else "",
        "order effect" if spec.order_effect else "",
        f"comparison terms {', '.join(spec.comparison_terms)}" if spec.comparison_terms else "",
        spec.through,
        spec.pseudo_comparisons,
    ]
    return ", ".join(filter(None, parts))
