"""The methods of :class:`pairproof.Fit` about parameters, items and data.

Estimates, Wald inference, reference; worths, probabilities, residuals, goodness of fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from ..data.options import one_of
from ..errors import InputError
from ..numerics.arrays import FloatArray
from .estimates import array_inference as inference, identification as rescale, predictions
from .estimates.fit_record import FitRecord, find_item, why_not_estimable
from .estimates.identification import R
from .estimates.specification import Value
from .estimates.tails import log10_student_p, student_p
from .inference import diagnostics as residuals, wald as parameters
from .inference.wald import alpha_of, check_level

#: Why two items alone have no probability.
WITHOUT_PAIRS = (
    "comparisons depend on each other, or have their own tie parameters, so this model gives no probability for two"
    " items alone; fit.pairs() gives the margins of each pair"
)


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(FitRecord):
    """The numbers of a fit, with tables of its parameters and tests of linear functions of them.

    The attributes are those of :class:`pairproof.fit.estimates.fit_record.FitRecord`.

    Examples
    --------
    >>> import pairproof
    >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
    >>> fit.bse.round(3).to_dict()
    {'A': 0.106, 'B': nan, 'tie': 0.23}
    """

    # -- parameters ------------------------------------------------------------------------------------------

    @property
    def params(self) -> pd.Series[float]:
        """Estimates by parameter name, on the fit's scale; 0 for references, nan where not estimable."""
        return parameters.series(self, parameters.estimates(self))

    @property
    def bse(self) -> pd.Series[float]:
        """Standard errors by parameter name; nan for references.

        From the observed information, or by cluster (:meth:`pairproof.Fit.clustered`).
        """
        return parameters.series(self, self.standard_errors)

    @property
    def zvalues(self) -> pd.Series[float]:
        """Estimates divided by their standard errors, by parameter name; nan where either is missing.

        Clustered standard errors make them t values on :attr:`df` degrees of freedom.
        """
        return parameters.series(self, self.z)

    @property
    def df(self) -> pd.Series[float]:
        """Degrees of freedom of each parameter's t, by name; inf for the normal distribution."""
        return parameters.series(self, self.degrees_of_freedom)

    @property
    def pvalues(self) -> pd.Series[float]:
        """Two-sided p-values by parameter name, normal or t on :attr:`df`; 0 if below 4.9e-324."""
        return parameters.series(self, student_p(self.z, self.degrees_of_freedom))

    @property
    def log10_pvalues(self) -> pd.Series[float]:
        """log10 of the p-values by parameter name; finite even where the p-value itself is 0."""
        return parameters.series(self, log10_student_p(self.z, self.degrees_of_freedom))

    def conf_int(self, alpha: float = 0.05, *, level: float | None = None) -> pd.DataFrame:
        """Wald confidence limits of every parameter.

        Parameters
        ----------
        alpha : float
            1 minus the confidence level, as in statsmodels; below 0.5.
        level : float, optional
            The confidence level, in (0, 1), in place of alpha.

        Returns
        -------
        DataFrame
            low, high by parameter, on the fit's scale; nan for references and where not estimable.

        Raises
        ------
        InputError
            An alpha that is a level, such as 0.95, or a level outside (0, 1).

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.conf_int().round(4).loc["A"].tolist()
        [0.07, 0.4856]
        """
        return parameters.parameter_frame(self, alpha_of(alpha, level))[["low", "high"]]

    def cov_params(self) -> pd.DataFrame:
        """Covariance matrix of the free, estimable parameters, without references.

        Returns
        -------
        DataFrame
            float[n_free, n_free], with the parameters' names on both sides.

        Raises
        ------
        TooLargeError
            More than 12,000 free parameters (1 GB).

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> float(fit.cov_params().round(5).loc["A", "A"])
        0.01124
        """
        return parameters.covariance_frame(self)

    def to_frame(self, alpha: float = 0.05) -> pd.DataFrame:
        """Estimates and Wald inference of every parameter.

        Parameters
        ----------
        alpha : float
            1 minus the confidence level of the limits; below 0.5.

        Returns
        -------
        DataFrame
            estimate, se, z, p, low, high by parameter; nan for references and where not estimable.  With
            clustered standard errors, t and df replace z.

        Raises
        ------
        InputError
            An alpha that is a level, such as 0.95.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.to_frame().round(4).loc["A", ["estimate", "se", "z"]].tolist()
        [0.2778, 0.106, 2.6198]
        """
        return parameters.parameter_frame(self, alpha_of(alpha))

    # -- linear functions ------------------------------------------------------------------------------------

    def contrast_of(
        self, function: FloatArray, what: str, level: float = 0.95, per_unit: float = 1.0
    ) -> inference.Contrast:
        """Estimate and Wald inference of a linear function of the parameters.

        Parameters
        ----------
        function : float[n_params]
            Coefficients of the parameters, in the order of `names`.
        what : str
            Name of the function, for the result.
        level : float
            Confidence level, in (0, 1).
        per_unit : float
            Log-odds per unit of the function: 2 on the lambda scale, 1 on the log-odds scale.

        Returns
        -------
        Contrast

        Raises
        ------
        NotEstimableError
            The data do not determine the function.
        InputError
            A level outside (0, 1).

        Examples
        --------
        >>> import numpy as np, pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> round(fit.contrast_of(np.array([0.0, 0.0, 1.0]), "tie").estimate, 4)
        -0.6551
        """
        return parameters.linear_contrast(self, function, what, level, per_unit)

    def why_not_estimable(self) -> str:
        """Why some parameters have no estimate: the first warning about it, otherwise their names."""
        return why_not_estimable(self)

    def item_index(self, name: str) -> int:
        """Position of an item in `items`.

        Parameters
        ----------
        name : str

        Returns
        -------
        int
            In 0..n_items-1.

        Raises
        ------
        ItemError
            No item has this name; the message suggests the nearest one.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.item_index("B")
        1
        """
        return find_item(self.items, name)

    def ability_functions(self, group: Mapping[str, Value]) -> FloatArray:
        """Coefficients that give the abilities in a group as linear functions of the parameters.

        Parameters
        ----------
        group : mapping of str to level or number
            Covariate values, one of the values of `groups`.

        Returns
        -------
        float[n_items, n_params]
            On the fit's scale; times `beta` they are the abilities.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.ability_functions({}).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
        """
        return predictions.ability_functions(self, group)

    def contrast(
        self,
        a: str,
        b: str | None = None,
        *,
        group: str | None = None,
        at: Mapping[str, Value] | None = None,
        level: float = 0.95,
    ) -> inference.Contrast:
        """Ability of `a` minus ability of `b`, with its standard error, on the fit's scale and as odds.

        Parameters
        ----------
        a, b : str
            Names of two items; or `a` alone, a parameter that is not an item, such as "A:judge[2]" or
            "order".
        group : str, optional
            One of `groups`; required if there is more than one.
        at : mapping of str to level or number, optional
            Covariate values instead of a group.
        level : float
            Confidence level of the interval, in (0, 1).

        Returns
        -------
        Contrast

        Raises
        ------
        ItemError
            An item that is not in the table.
        InputError
            A group or covariate value that the model does not have, or a level outside (0, 1).
        NotEstimableError
            The data do not determine the difference, or its estimate is infinite.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> print(fit.contrast("A", "B"))
        A - B: 0.2778 (se 0.1060), z = 2.620, p = 0.008798, 95% interval 0.0700 to 0.4856; odds 1.743 to 1
        """
        if b is None:
            return parameters.item_contrast(self, a, b, group, at, level)
        of = self.of_items
        return predictions.odds_of(of, parameters.item_contrast(of, a, b, group, at, level))

    def wald(self, names: str | Sequence[str]) -> inference.WaldTest:
        """Wald test of the hypothesis that all the named parameters are 0.

        With clustered standard errors, an F test; with CR2, the approximate Hotelling test (HTZ) of
        Pustejovsky and Tipton (2018, J. Bus. Econ. Stat. 36, 672-683).

        Parameters
        ----------
        names : str or sequence of str
            Names of parameters, as in `params`; or of a covariate, which stands for the parameters of all its terms
            but references.

        Returns
        -------
        WaldTest

        Raises
        ------
        InputError
            A name that is neither a parameter nor a covariate, or that is given twice.
        NotEstimableError
            A reference, a parameter without an estimate, parameters that are linearly dependent, or too few
            clusters for so many parameters.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> print(fit.wald(["A"]))
        Wald chi-square 6.8633 on 1 df, p = 0.008798: A = 0
        """
        return parameters.wald(self, names)

    # -- other constraint ------------------------------------------------------------------------------------

    def with_reference(self: R, reference: str) -> R:
        """The same fit with another reference item.

        Parameters
        ----------
        reference : str
            The item whose parameters are 0, or "sum": the items' parameters sum to zero within each term.

        Returns
        -------
        Fit

        Raises
        ------
        InputError
            Abilities come from item covariates, so there is no reference.
        ItemError
            An item that is not in the table.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.with_reference("sum").params.round(4).to_dict()
        {'A': 0.1389, 'B': -0.1389, 'tie': -0.6551}
        """
        return rescale.with_reference(self, reference)


@dataclass(frozen=True, eq=False, repr=False)
class Predicted(Estimates):
    """The estimates of a fit, with quantities of the items and measures of fit.

    The attributes are those of :class:`pairproof.fit.estimates.fit_record.FitRecord`.

    Examples
    --------
    >>> import pairproof
    >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
    >>> fit.probabilities()["p_first"].round(3).tolist()
    [0.508, 0.292]
    """

    # -- worths and probabilities ----------------------------------------------------------------------------

    def worth(
        self, at: Mapping[str, Value] | None = None, *, se: bool = True, level: float | None = None
    ) -> pd.DataFrame:
        """Worths, which sum to 1 in each group, with delta-method standard errors.

        Parameters
        ----------
        at : mapping of str to level or number, optional
            Covariate values of one group; default: every group of `groups`.
        se : bool
            Whether standard errors are computed; their cost grows faster than the number of items.
        level : float, optional
            Confidence level of limits, in (0, 1); default: no limits.

        Returns
        -------
        DataFrame
            group, item, worth, se; nan if the group's items cannot all be compared; se is also nan without `se`.
            With `level` also low and high, computed on the logit scale and thus within 0 and 1.

        Raises
        ------
        InputError
            Covariate values that the model does not have, a level outside (0, 1), or limits without `se`.
        TooLargeError
            Standard errors of this many items do not fit in memory.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.worth().round(4)[["item", "worth", "se"]].values.tolist()
        [['A', 0.6354, 0.0491], ['B', 0.3646, 0.0491]]
        """
        if at is not None and not isinstance(at, Mapping):
            raise InputError(
                f"at={at!r}; expected values of covariates, {{'sex': 'm'}}; a level is level=0.95"
            )
        predictions.needs_logit(self, "worths", "fit.probabilities() gives the probabilities of all pairs")
        of = self.of_items
        frame = predictions.worth(of, at, se)
        if level is None:
            return frame
        check_level(level)
        if not se:
            raise InputError(f"level={level} without se; limits need standard errors: omit se=False")
        return predictions.worth_limits(of, frame, at, level)

    def abilities(self, group: str | None = None) -> pd.DataFrame:
        """Abilities of the items with their standard errors.

        Parameters
        ----------
        group : str, optional
            One of `groups`; required if there is more than one.

        Returns
        -------
        DataFrame
            item, ability, se, on the fit's scale: a free item's own parameter (0 and 0 for the reference), or the sum
            of its covariates, x'b, without random effects, comparison terms and order effect; nan if this is not
            estimable.  If no item is 0, only differences between abilities have a meaning.

        Raises
        ------
        InputError
            A name that is not a group, or no name although one is needed.

        References
        ----------
        R's BTabilities: Turner and Firth (2012), Journal of Statistical Software 48(9), section 4.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [6, 5, 8], None, [4, 4, 3])
        >>> pairproof.fit_bradley_terry(table).abilities().round(3).values.tolist()
        [['A', 0.0, 0.0], ['B', -0.545, 0.551], ['C', -0.875, 0.568]]
        """
        return predictions.ability_table(self, predictions.find_group(self, group))

    def quasi_variances(self, group: str | None = None) -> pd.DataFrame:
        """Quasi-variances q of the log worths of a group.

        The standard error of the difference of items i and j is about sqrt(q_i + q_j) (Firth and de Menezes
        2004, Biometrika 91, 65-80).

        Parameters
        ----------
        group : str, optional
            One of `groups`; required if there is more than one.

        Returns
        -------
        DataFrame
            item, log_worth (under the fit's constraint), quasi_se, quasi_variance, error_low and error_high: the
            relative errors of the standard errors of this item's differences lie between them (-.02: 2 % too small).  ``attrs["relative_errors"]`` is
            their range over all pairs, ``attrs["all_contrasts"]`` over all contrasts, ``attrs["worst_error"]`` the
            largest of a pair in absolute value.

        Raises
        ------
        NotEstimableError
            Fewer than 3 items, or items that cannot all be compared.
        TooLargeError
            More than 1,000 items.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [6, 5, 8], None, [4, 4, 3])
        >>> pairproof.fit_llbt(table).quasi_variances()["quasi_se"].round(3).tolist()
        [0.375, 0.385, 0.388]
        """
        return predictions.quasi_variances(self.of_items, group)

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
        """P(first preferred), P(tie), P(second preferred) for every ordered pair of items.

        For whole answers they apply to two items that are compared alone; in the Plackett-Luce model also within a
        longer ranking, for which pattern models have :meth:`pairs`.

        Parameters
        ----------
        group : str, optional
            One of `groups`; default: every group.
        at : mapping of str to level or number, optional
            Covariate values instead of a group.
        order : bool
            Whether the order effect in favour of the item named first is included.
        items : sequence of str, optional
            Only pairs of these items; default: all items.
        level : float, optional
            Confidence level of limits, in (0, 1); default: no limits.
        comparison : mapping of str to level or number, optional
            Values of the columns of `comparison_terms`, for the item named first; default: these terms
            are 0.

        Returns
        -------
        DataFrame
            group, first, second, p_first, p_tie, p_second; nan where not estimable.  With `level` also
            p_first_low, p_first_high and so on, computed on the logit scale and thus within 0 and 1.

        Raises
        ------
        InputError
            A group that the model does not have, `order` for a model without an order effect, values of
            columns that are not comparison terms of the model, or a level outside (0, 1).  Whole answers whose
            comparisons depend on each other, or in which every pair has its own tie parameter.
        ItemError
            An item that is not in the table.
        TooLargeError
            More than two million rows, or 50,000 with limits.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.probabilities().round(3)[["first", "p_first", "p_tie", "p_second"]].values.tolist()
        [['A', 0.508, 0.2, 0.292], ['B', 0.292, 0.2, 0.508]]
        """
        if self.contests is not None:
            from .results.contests import contest_probabilities

            return contest_probabilities(self.of_items, group, at, order, items, level, comparison)
        if self.answers is not None and not self.of_answers.has_pairs:
            raise InputError(WITHOUT_PAIRS)
        frame = predictions.probabilities(self, group, at, order, items, comparison)
        if level is None:
            return frame
        check_level(level)
        return predictions.with_limits(self, frame, at, order, level, comparison)

    # -- fit to the data -------------------------------------------------------------------------------------

    def residuals(
        self,
        kind: Literal["pearson", "deviance"] = "pearson",
        distribution: Literal["poisson", "multinomial"] = "multinomial",
    ) -> pd.DataFrame:
        """Residuals of every outcome of every cell; the formulas are in :mod:`pairproof.fit.inference.diagnostics`.

        Parameters
        ----------
        kind : {"pearson", "deviance"}
        distribution : {"poisson", "multinomial"}
            Multinomial given the total of the cell, as in the likelihood, or Poisson, as in R's gnm and glm.

        Returns
        -------
        DataFrame
            first, second, cell, outcome, observed, fitted, residual; its `attrs` name the kind and distribution.  For
            whole answers :meth:`pairproof.Fit.patterns`, Pearson residuals only.

        Raises
        ------
        InputError
            An unknown kind or distribution.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> frame = fit.residuals()
        >>> frame["observed"].tolist(), frame.attrs
        ([61.0, 24.0, 35.0], {'kind': 'pearson', 'distribution': 'multinomial'})
        """
        of_answers = self.answers is not None
        one_of("kind", kind, ("pearson",) if of_answers else ("pearson", "deviance"))
        one_of("distribution", distribution, ("multinomial",) if of_answers else ("poisson", "multinomial"))
        if of_answers:
            from .results.answers import seen

            return seen(self.respondents, self.numbers)
        return residuals.residual_frame(
            self.cell_table(), self.items, self.outcome_model != "binary", kind, distribution
        )

    def goodness_of_fit(self) -> inference.GoodnessOfFit:
        """Deviance and Pearson chi-square tests of the fit.

        Returns
        -------
        GoodnessOfFit
            The p-values are nan if the chi-square distribution does not hold, for example with too few persons for
            the number of possible answers; `caution` gives the reason.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> print(fit.goodness_of_fit())
        Deviance 0.0000, p = nan; Pearson 0.0000, p = nan; 0 df
          Caution: no p-value: the model is saturated (0 df), so there is nothing to test
        """
        if self.answers is not None:
            from .results.answers import goodness

            return goodness(self)
        return residuals.goodness_of_fit(self)
