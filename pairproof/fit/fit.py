"""`Fit`: the one result every engine returns, native or R; its numbers are those of
:class:`pairproof.fit.record.FitRecord`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..data.options import one_of
from . import contrasts, inference, parameters, predictions, rescale, residuals
from .cell_table import CellTable
from .family import Scale
from .record import FitRecord, FloatArray, Stopping, find_item, why_not_estimable
from .spec import Value
from .tails import log10_two_sided_p
from .warning import FitWarning

if TYPE_CHECKING:
    import pandas as pd

    # For signatures alone: nothing here is loaded, and the result still knows no engine.
    from ..bridge.process.policy import BackendLike
    from ..validation.report.verification import Verification
    from ..validation.verdicts.floors import Floor

__all__ = ["CellTable", "Fit", "FitWarning", "Stopping"]


@dataclass(frozen=True, eq=False, repr=False)
class Fit(FitRecord):
    """A fitted model of paired comparisons: the record of its numbers, and what can be asked of it.

    The attributes are those of :class:`pairproof.fit.record.FitRecord`; what is estimated has the scale
    `scale` ("lambda", half a log-odds, or "log-odds") against the reference that `constraint` names.

    Examples
    --------
    ModPref of Dras (2015): 61 preferred A, 35 preferred B, 24 neither.

    >>> import pairproof
    >>> table = pairproof.Comparisons.build(["A", "B"], [0], [1], wins=[61], ties=[24], losses=[35])
    >>> fit = pairproof.fit_llbt(table)
    >>> fit.params.round(4).to_dict()
    {'A': 0.2778, 'B': 0.0, 'tie': -0.6551}
    >>> fit.on_scale("log-odds").params.round(4).to_dict()
    {'A': 0.5555, 'B': 0.0, 'tie': -0.6551}
    """

    # -- parameters ------------------------------------------------------------------------------------------

    @property
    def params(self) -> pd.Series[float]:
        """Estimates by name; references 0, nan where not estimable."""
        return parameters.series(self, parameters.estimates(self))

    @property
    def bse(self) -> pd.Series[float]:
        """Standard errors from the observed information at the estimate; nan for references."""
        return parameters.series(self, self.standard_errors)

    @property
    def zvalues(self) -> pd.Series[float]:
        return parameters.series(self, self.z)

    @property
    def pvalues(self) -> pd.Series[float]:
        """Two-sided, normal; 0 where it is below 4.9e-324, the end of the doubles."""
        return parameters.series(self, inference.two_sided_p(self.z))

    @property
    def log10_pvalues(self) -> pd.Series[float]:
        """log10 of the p-values, finite however small they are."""
        return parameters.series(self, log10_two_sided_p(self.z))

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Wald limits at level 1 - alpha, columns `low` and `high`."""
        return parameters.interval_frame(self, alpha)

    def cov_params(self) -> pd.DataFrame:
        """Covariance of the free parameters; references and what is not estimable are absent."""
        return parameters.covariance_frame(self)

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """estimate, se, z, p, low, high by parameter."""
        return parameters.parameter_frame(self, alpha)

    # -- linear functions ------------------------------------------------------------------------------------

    def contrast_of(
        self, function: FloatArray, what: str, level: float = 0.95, per_unit: float = 1.0
    ) -> inference.Contrast:
        """Estimate and Wald inference of function'beta, `what` in words, `per_unit` log-odds per unit of it.

        Raises
        ------
        NotEstimableError
            If the data do not determine it.
        """
        return contrasts.linear_contrast(self, function, what, level, per_unit)

    def why_not_estimable(self) -> str:
        """The first warning that says why something has no number, or the names of what has none."""
        return why_not_estimable(self)

    def item_index(self, name: str) -> int:
        """Position of an item; ItemError, with the nearest name, if there is none of that name."""
        return find_item(self.items, name)

    def ability_functions(self, group: Mapping[str, Value]) -> FloatArray:
        """float[n_items, n_params]: abilities in a group as linear functions of beta, on the fit's scale."""
        return predictions.ability_functions(self, group)

    def contrast(
        self,
        a: str,
        b: str,
        *,
        group: str | None = None,
        at: Mapping[str, Value] | None = None,
        level: float = 0.95,
    ) -> inference.Contrast:
        """Ability of `a` minus ability of `b`, with its standard error, on the fit's scale and as odds.

        Parameters
        ----------
        a, b : str
            Items.
        group : str
            One of `groups`, needed if there is more than one.
        at : mapping
            Covariate values instead of a group.
        level : float
            Of the interval, in (0, 1).

        Returns
        -------
        Contrast

        Raises
        ------
        ItemError
            An item that is not in the table.
        InputError
            A group or covariate value the model does not have, or a level outside (0, 1).
        NotEstimableError
            The data say nothing about the difference, or it is infinite.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build(["A", "B"], [0], [1], wins=[61], ties=[24], losses=[35])
        >>> fit = pairproof.fit_llbt(table)
        >>> print(fit.contrast("A", "B"))
        A - B: 0.2778 (se 0.1060), z = 2.620, p = 0.008798, 95% interval 0.0700 to 0.4856; odds 1.743 to 1
        """
        return contrasts.item_contrast(self, a, b, group, at, level)

    def wald(self, names: Sequence[str]) -> inference.WaldTest:
        """Wald test that all the named parameters are 0.

        Raises
        ------
        InputError
            A name that is not a parameter, or is given twice.
        NotEstimableError
            A reference, a parameter without an estimate, or parameters that are linearly dependent.
        """
        return contrasts.wald(self, names)

    # -- worths and probabilities ----------------------------------------------------------------------------

    def worth(self, at: Mapping[str, Value] | None = None, *, se: bool = True) -> pd.DataFrame:
        """Worths, which sum to 1 in each group, with delta-method standard errors.

        Parameters
        ----------
        at : mapping of covariate to value
            Covariate values of one group; default: all of `groups`.
        se : bool
            False: without standard errors (nan), whose work grows faster than the number of items.

        Returns
        -------
        DataFrame
            group, item, worth, se; nan if the group's items cannot all be compared.

        Raises
        ------
        TooLargeError
            More items than standard errors are worked out for.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build(["A", "B"], [0], [1], wins=[61], ties=[24], losses=[35])
        >>> fit = pairproof.fit_llbt(table)
        >>> fit.worth().round(4)[["item", "worth", "se"]].values.tolist()
        [['A', 0.6354, 0.0491], ['B', 0.3646, 0.0491]]
        """
        return predictions.worth(self, at, se)

    def quasi_variances(self, group: str | None = None) -> pd.DataFrame:
        """Quasi-variances of the log worths of a group: item, log_worth, quasi_se, quasi_variance.

        Standard errors of differences are about sqrt(q_i + q_j) (Firth and de Menezes 2004, Biometrika 91,
        65-80); the largest relative error of that is in ``attrs["worst_error"]``.

        Raises
        ------
        NotEstimableError
            Fewer than 3 items, or items that cannot all be compared.
        TooLargeError
            More than 1,000 items.
        """
        return predictions.quasi_variances(self, group)

    def probabilities(
        self,
        group: str | None = None,
        *,
        at: Mapping[str, Value] | None = None,
        order: bool = False,
        items: Sequence[str] | None = None,
    ) -> pd.DataFrame:
        """P(first preferred), P(tie), P(second preferred) for every ordered pair of items.

        Parameters
        ----------
        group, at
            As in :meth:`contrast`; by default every group.
        order : bool
            Add the order effect for the one named first (InputError if there is none); otherwise neutral
            ground.
        items : sequence of str
            Only pairs of these; default: all.

        Returns
        -------
        DataFrame
            group, first, second, p_first, p_tie, p_second; nan where not estimable.

        Raises
        ------
        TooLargeError
            More than two million rows.
        """
        return predictions.probabilities(self, group, at, order, items)

    # -- fit to the data -------------------------------------------------------------------------------------

    def residuals(
        self, kind: Literal["pearson", "deviance"], distribution: Literal["poisson", "multinomial"]
    ) -> pd.DataFrame:
        """Residuals of every outcome of every cell, as :mod:`pairproof.fit.residuals` defines them.

        `distribution` has no default since the two differ: Poisson as gnm and glm give them, multinomial
        given n.
        """
        one_of("kind", kind, ("pearson", "deviance"))
        one_of("distribution", distribution, ("poisson", "multinomial"))
        return residuals.residual_frame(
            self.cell_table(), self.items, self.outcome_model != "binary", kind, distribution
        )

    def goodness_of_fit(self) -> inference.GoodnessOfFit:
        """Deviance and Pearson chi-square tests, with a caution where the chi-square does not hold."""
        return residuals.goodness_of_fit(self)

    def compare(self, other: Fit) -> inference.LikelihoodRatio:
        """Likelihood-ratio test against a smaller (or larger) model of the same comparisons.

        Raises
        ------
        ComparisonError
            Other data (ties dropped here, kept there), quasi-likelihood, or models that are not nested.
        """
        from .nesting import likelihood_ratio

        return likelihood_ratio(self, other)

    # -- other scale, other constraint -----------------------------------------------------------------------

    def on_scale(self, scale: Scale) -> Fit:
        """The same fit on the other scale: item terms doubled or halved, `tie` and `order` left alone.

        Parameters
        ----------
        scale : {"lambda", "log-odds"}
        """
        return rescale.on_scale(self, scale)

    def with_reference(self, reference: str) -> Fit:
        """The same fit against another reference item, or "sum": items sum to zero within each term.

        Raises
        ------
        InputError
            Abilities come from item covariates, so that there is no reference.
        ItemError
            An item that is not in the table.
        """
        return rescale.with_reference(self, reference)

    # -- R ---------------------------------------------------------------------------------------------------

    def verify(
        self,
        r: BackendLike | str = None,
        require_r: bool = False,
        certified: Mapping[str, str] | None = None,
        floors: Sequence[Floor] | None = None,
    ) -> Verification:
        """Ask R for the same numbers and return the agreement table; see :func:`pairproof.verify`."""
        import pairproof

        return pairproof.verify(self, r=r, require_r=require_r, certified=certified, floors=floors)

    def to_r(self) -> str:
        """An R script that reproduces this fit; see :func:`pairproof.to_r`."""
        import pairproof

        return pairproof.to_r(self)

    # -- shown -----------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The model in words."""
        from .text import title

        return title(self)

    def summary(self, rows: int = 60) -> str:
        """The fit as text, with at most `rows` parameters; how many are left out is said."""
        from .text import summary

        return summary(self, rows)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of a fit; see interfaces: every digit kept, null where there is no value."""
        from .json import fit_dict

        return fit_dict(self)

    def __repr__(self) -> str:
        return f"<Fit: {self.title}, {self.n_comparisons:.10g} comparisons, by {self.engine}>"

    def _repr_html_(self) -> str:
        from .text import html

        return html(self)
