"""The numbers of a fit, frozen, and what follows from them parameter by parameter.

beta holds every reference (as 0), and `null_space` the directions along which the likelihood says nothing or
grows without end.  A linear function c'beta is estimable if and only if c'n = 0 for every such direction n;
what is not estimable is named and has no number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.comparisons import Comparisons
from ..errors import InputError, ItemError
from .cell_table import CellTable, poisson_log_likelihood
from .covariance import Covariance
from .family import Scale, Ties
from .outcomes import OutcomeModel
from .robust.clustering import Clustering
from .spec import Layout, ModelSpec, Term, Value, layout
from .warning import WITHOUT_ESTIMATE, FitWarning

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]

#: A direction's entries are of order 1; what is left of an exact 0 after its arithmetic is below 1e-12.
NULL_TOLERANCE = 1e-9


def not_zero(along: FloatArray) -> BoolArray:
    """bool[m]: rows of `along`, functions times null directions, float[m, k], that are not 0."""
    nonzero: BoolArray = np.abs(along).max(axis=1, initial=0.0) >= NULL_TOLERANCE
    return nonzero


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
    outcome_model : {"binary", "davidson", "rao-kupper"}
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
    """

    spec: ModelSpec
    data: Comparisons
    terms: tuple[Term, ...]
    beta: FloatArray
    is_reference: BoolArray
    covariance: Covariance
    null_space: FloatArray
    outcome_model: OutcomeModel
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

    def __post_init__(self) -> None:
        check_shapes(self)

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
        return (
            tuple(n for n, ok in zip(self.names, self.estimable) if not ok)
            if self.null_space.shape[1]
            else ()
        )

    @cached_property
    def free(self) -> BoolArray:
        """bool[n_params]: estimable and not a reference."""
        return self.estimable & ~self.is_reference

    @property
    def n_estimable(self) -> int:
        """Free dimensions with a finite estimate."""
        return count_estimable(self)

    @property
    def rank(self) -> int:
        """Parameters fitted: k of AIC and BIC, rank of the model on the observed data without nuisance
        constants.

        Infinite estimates are counted, as in R's glm: they were fitted, and raised the likelihood.  What the
        data say nothing of is not (items never compared, aliased terms).
        """
        return self.n_estimable + self.n_infinite

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
        """float[n_params]: of each parameter's t; inf where it is held against the normal distribution."""
        if self.robust is None:
            return np.where(self.free, np.inf, np.nan)
        return self._at_free(self.robust.degrees_of_freedom)

    def _at_free(self, numbers: Callable[[FloatArray], FloatArray]) -> FloatArray:
        """float[n_params]: numbers of linear functions, for each free parameter; nan for the others."""
        out, places = np.full(len(self.terms), np.nan), np.flatnonzero(self.free)
        for start in range(0, len(places), 512):
            at = places[start : start + 512]
            functions = np.zeros((len(at), len(self.terms)))
            functions[np.arange(len(at)), at] = 1.0
            out[at] = numbers(functions)
        return out

    # -- likelihood ------------------------------------------------------------------------------------------

    @property
    def aic(self) -> float:
        """-2 llf + 2 k, k = :attr:`rank`."""
        return -2.0 * self.llf + 2.0 * self.rank

    @property
    def bic(self) -> float:
        """-2 llf + k log n, k = :attr:`rank`, n the sum of the weights."""
        return -2.0 * self.llf + self.rank * float(np.log(self.n_comparisons))

    @property
    def of_items(self) -> FitRecord:
        """What is known of the items: this fit, or with random effects that of their predicted abilities."""
        return self

    @property
    def further_lines(self) -> tuple[str, ...]:
        """Lines of the summary that only some models have."""
        return ()

    @property
    def counted(self) -> str:
        """What the likelihood is of, counted: `960 comparisons of 4 items`."""
        return f"{self.n_comparisons:.10g} comparisons of {len(self.items)} items"

    @property
    def llf_poisson(self) -> float:
        """The Poisson log-likelihood that gnm and glm report for the same model and table.

        Adds sum(n log n - n) - sum log y! over the cells to `llf`.
        """
        return self.llf + poisson_log_likelihood(self.cell_table(), self.outcome_model != "binary")


def check_shapes(fit: FitRecord) -> None:
    """InputError unless an engine's arrays belong together and every number of beta is finite."""
    n = len(fit.terms)
    shapes = {
        "beta": fit.beta.shape,
        "is_reference": fit.is_reference.shape,
        "null_space": fit.null_space.shape[:1],
    }
    wrong = {name: shape for name, shape in shapes.items() if shape != (n,)}
    if wrong or fit.null_space.ndim != 2:
        raise InputError(
            f"a fit with {n} terms needs arrays of that length; found {wrong or fit.null_space.shape}"
        )
    if not np.isfinite(fit.beta).all():
        # 0 x inf is nan: one infinite parameter would spoil every linear function, also those without it.
        infinite = [t.name for t, b in zip(fit.terms, fit.beta) if not np.isfinite(b)]
        raise InputError(
            f"beta is not finite for {infinite}; keep a finite number and put the direction in null_space"
        )


def count_estimable(fit: FitRecord) -> int:
    """Free dimensions that the data determine: parameters less references, less directions without a number.

    Under a sum constraint no parameter is a reference, but each block of items (one for every product of
    subject covariates) has one free dimension fewer than it has parameters.
    """
    centred = fit.spec.reference == "sum" and not fit.spec.item_terms
    redundant = len({t.by for t in fit.terms if t.kind == "item"}) if centred else 0
    return int((~fit.is_reference).sum()) - fit.null_space.shape[1] - redundant


def find_item(items: tuple[str, ...], name: str) -> int:
    """Position of an item."""
    if name not in items:
        import difflib

        near = difflib.get_close_matches(name, items, 1) if isinstance(name, str) else []
        hint = f"; did you mean {near[0]!r}?" if near else ""
        more = f", and {len(items) - 20} more" if len(items) > 20 else ""
        raise ItemError(f"no item {name!r}; the items are {', '.join(items[:20])}{more}{hint}")
    return items.index(name)


def why_not_estimable(fit: FitRecord) -> str:
    """The first warning that says why something has no number, or the names of what has none."""
    reasons = [str(w) for w in fit.warnings if w.kind in WITHOUT_ESTIMATE]
    return reasons[0] if reasons else f"not estimable: {', '.join(fit.not_estimable)}"
