"""The part of :class:`pairproof.Fit` about parameters: estimates, Wald inference, scale and reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import contrasts, inference, parameters, predictions, rescale
from ..family import Scale
from ..record import FitRecord, FloatArray, find_item, why_not_estimable
from ..rescale import R
from ..spec import Value
from ..tails import log10_student_p, student_p

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(FitRecord):
    """The numbers of a fit, with tables of its parameters and tests of linear functions of them.

    The attributes are those of :class:`pairproof.fit.record.FitRecord`.

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
        """Degrees of freedom of each parameter's t, by name; inf where it is held against the normal."""
        return parameters.series(self, self.degrees_of_freedom)

    @property
    def pvalues(self) -> pd.Series[float]:
        """Two-sided p-values by parameter name, normal or of t on :attr:`df`; 0 if below 4.9e-324."""
        return parameters.series(self, student_p(self.z, self.degrees_of_freedom))

    @property
    def log10_pvalues(self) -> pd.Series[float]:
        """log10 of the p-values by parameter name; finite even where the p-value itself is 0."""
        return parameters.series(self, log10_student_p(self.z, self.degrees_of_freedom))

    def conf_int(self, alpha: float = 0.05) -> pd.DataFrame:
        """Wald confidence limits of every parameter.

        Parameters
        ----------
        alpha : float
            1 minus the confidence level, in (0, 1).

        Returns
        -------
        DataFrame
            low, high by parameter, on the fit's scale; nan for references and where not estimable.

        Raises
        ------
        InputError
            An alpha outside (0, 1).

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.conf_int().round(4).loc["A"].tolist()
        [0.07, 0.4856]
        """
        return parameters.interval_frame(self, alpha)

    def cov_params(self) -> pd.DataFrame:
        """Covariance matrix of the free parameters, without references and what is not estimable.

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
            1 minus the confidence level of the limits, in (0, 1).

        Returns
        -------
        DataFrame
            estimate, se, z, p, low, high by parameter; nan for references and where not estimable.  With
            standard errors by cluster t and df in place of z.

        Raises
        ------
        InputError
            An alpha outside (0, 1).

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.to_frame().round(4).loc["A", ["estimate", "se", "z"]].tolist()
        [0.2778, 0.106, 2.6198]
        """
        return parameters.parameter_frame(self, alpha)

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
        return contrasts.linear_contrast(self, function, what, level, per_unit)

    def why_not_estimable(self) -> str:
        """Why some parameters have no estimate: the first warning about it, or else their names."""
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
            There is no item of that name; the message suggests the nearest one.

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
            Names of two items; or `a` alone, a parameter that is no item, such as "A:judge[2]" or "order".
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
        return contrasts.item_contrast(self, a, b, group, at, level)

    def wald(self, names: Sequence[str]) -> inference.WaldTest:
        """Wald test of the hypothesis that all the named parameters are 0.

        With standard errors by cluster an F test: of CR2 the approximate Hotelling test (HTZ) of Pustejovsky
        and Tipton (2018, J. Bus. Econ. Stat. 36, 672-683).

        Parameters
        ----------
        names : sequence of str
            Names of parameters, as in `params`.

        Returns
        -------
        WaldTest

        Raises
        ------
        InputError
            A name that is not a parameter, or is given twice.
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
        return contrasts.wald(self, names)

    # -- other scale, other constraint -----------------------------------------------------------------------

    def on_scale(self: R, scale: Scale) -> R:
        """The same fit on another scale: item parameters are doubled or halved, `tie` and `order` kept.

        Parameters
        ----------
        scale : {"lambda", "log-odds"}

        Returns
        -------
        Fit

        Raises
        ------
        InputError
            Another scale.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.on_scale("log-odds").params.round(4).to_dict()
        {'A': 0.5555, 'B': 0.0, 'tie': -0.6551}
        """
        return rescale.on_scale(self, scale)

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
            Abilities come from item covariates, so that there is no reference.
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
