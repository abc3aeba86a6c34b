"""The part of :class:`pairproof.Fit` about items and data: worths, probabilities, residuals, goodness of fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ...data.options import one_of
from ...errors import InputError
from .. import inference, intervals, predictions, residuals
from ..contrasts import check_level
from ..spec import Value
from .estimates import Estimates

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Predicted(Estimates):
    """The estimates of a fit, with what they say of the items and how well they fit the data.

    The attributes are those of :class:`pairproof.fit.record.FitRecord`.

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
            group, item, worth, se; nan if the group's items cannot all be compared, se also if not asked for.
            With `level` also low and high, which are made on the logit scale and stay inside 0 and 1.

        Raises
        ------
        InputError
            Covariate values that the model does not have, a level outside (0, 1), or limits without `se`.
        TooLargeError
            Standard errors of so many items would not fit in memory.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.worth().round(4)[["item", "worth", "se"]].values.tolist()
        [['A', 0.6354, 0.0491], ['B', 0.3646, 0.0491]]
        """
        frame = predictions.worth(self, at, se)
        if level is None:
            return frame
        check_level(level)
        if not se:
            raise InputError(f"level={level} without se; limits need standard errors: leave out se=False")
        return intervals.worth_limits(self, frame, at, level)

    def abilities(self, group: str | None = None) -> pd.DataFrame:
        """Abilities of the items with their standard errors.

        Parameters
        ----------
        group : str, optional
            One of `groups`; required if there is more than one.

        Returns
        -------
        DataFrame
            item, ability, se, on the fit's scale: a free item's own parameter (0 and 0 for the reference), or what its
            covariates say of it, x'b, without random effects, comparison terms and order effect; nan where that is not
            estimable.  Where no item is 0, only differences between abilities mean anything.

        Raises
        ------
        InputError
            A name that is not a group, or no name where one is needed.

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
            item, log_worth, quasi_se, quasi_variance, error_low and error_high: the relative errors of the standard
            errors of this item's differences lie between them (-.02: 2 % too small).  ``attrs["relative_errors"]`` is
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
        return predictions.quasi_variances(self, group)

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
            Values of the columns of `comparison_terms`, those of the item named first; default: these terms
            are 0.

        Returns
        -------
        DataFrame
            group, first, second, p_first, p_tie, p_second; nan where not estimable.  With `level` also
            p_first_low, p_first_high and so on, which are made on the logit scale and stay inside 0 and 1.

        Raises
        ------
        InputError
            A group that the model does not have, `order` for a model without an order effect, values of
            columns that are none of the model's comparison terms, or a level outside (0, 1).
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
        frame = predictions.probabilities(self, group, at, order, items, comparison)
        if level is None:
            return frame
        check_level(level)
        return intervals.with_limits(self, frame, at, order, level, comparison)

    # -- fit to the data -------------------------------------------------------------------------------------

    def residuals(
        self,
        kind: Literal["pearson", "deviance"] = "pearson",
        distribution: Literal["poisson", "multinomial"] = "multinomial",
    ) -> pd.DataFrame:
        """Residuals of every outcome of every cell; the formulas are in :mod:`pairproof.fit.residuals`.

        Parameters
        ----------
        kind : {"pearson", "deviance"}
        distribution : {"poisson", "multinomial"}
            Multinomial given the total of the cell, as the likelihood has it, or Poisson as R's gnm and glm have them.

        Returns
        -------
        DataFrame
            first, second, cell, outcome, observed, fitted, residual; its `attrs` say which residuals they are.

        Raises
        ------
        InputError
            Another kind or distribution.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> frame = fit.residuals()
        >>> frame["observed"].tolist(), frame.attrs
        ([61.0, 24.0, 35.0], {'kind': 'pearson', 'distribution': 'multinomial'})
        """
        one_of("kind", kind, ("pearson", "deviance"))
        one_of("distribution", distribution, ("poisson", "multinomial"))
        return residuals.residual_frame(
            self.cell_table(), self.items, self.outcome_model != "binary", kind, distribution
        )

    def goodness_of_fit(self) -> inference.GoodnessOfFit:
        """Deviance and Pearson chi-square tests of the fit.

        Returns
        -------
        GoodnessOfFit
            The p-values are nan where the chi-square distribution does not hold; `caution` says why.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> print(fit.goodness_of_fit())
        Deviance 0.0000, p = nan; Pearson 0.0000, p = nan; 0 df
          Caution: no p-value: the model is saturated (0 df), there is nothing left to test
        """
        return residuals.goodness_of_fit(self)
