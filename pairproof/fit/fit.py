"""`Fit`: the result of fitting a model, by the native engine or by R.

Its numbers are those of :class:`pairproof.fit.record.FitRecord`; the methods of parameters are in
:mod:`pairproof.fit.estimates`, and those of predictions, tests of fit, R and texts here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from ..data.options import one_of
from ..errors import InputError
from . import inference, intervals, predictions, residuals
from .cell_table import CellTable
from .contrasts import check_level
from .estimates import Estimates
from .record import Stopping
from .spec import Value
from .warning import FitWarning

if TYPE_CHECKING:
    import pandas as pd

    # For signatures alone: nothing here is loaded, and the result still knows no engine.
    from ..bridge.process.policy import BackendLike
    from ..validation.report.verification import Verification
    from ..validation.verdicts.floors import Floor

__all__ = ["CellTable", "Fit", "FitWarning", "Stopping"]


@dataclass(frozen=True, eq=False, repr=False)
class Fit(Estimates):
    """A fitted model of paired comparisons: its numbers, and tests, predictions and tables of them.

    The attributes are those of :class:`pairproof.fit.record.FitRecord`.  Item parameters are on the scale
    `scale` ("lambda", which is half a log-odds, or "log-odds"), relative to the reference that `constraint`
    names.

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
            item, log_worth, quasi_se, quasi_variance; ``attrs["worst_error"]`` is the largest relative error
            of the approximation.

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

        Returns
        -------
        DataFrame
            group, first, second, p_first, p_tie, p_second; nan where not estimable.  With `level` also
            p_first_low, p_first_high and so on, which are made on the logit scale and stay inside 0 and 1.

        Raises
        ------
        InputError
            A group that the model does not have, `order` for a model without an order effect, or a level
            outside (0, 1).
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
        frame = predictions.probabilities(self, group, at, order, items)
        if level is None:
            return frame
        check_level(level)
        return intervals.with_limits(self, frame, at, order, level)

    # -- fit to the data -------------------------------------------------------------------------------------

    def residuals(
        self, kind: Literal["pearson", "deviance"], distribution: Literal["poisson", "multinomial"]
    ) -> pd.DataFrame:
        """Residuals of every outcome of every cell; the formulas are in :mod:`pairproof.fit.residuals`.

        Parameters
        ----------
        kind : {"pearson", "deviance"}
        distribution : {"poisson", "multinomial"}
            Poisson as R's gnm and glm have them, or multinomial given the total of the cell.

        Returns
        -------
        DataFrame
            first, second, cell, outcome, observed, fitted, residual.

        Raises
        ------
        InputError
            Another kind or distribution.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.residuals("pearson", "multinomial")["observed"].tolist()
        [61.0, 24.0, 35.0]
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

    def compare(self, other: Fit) -> inference.LikelihoodRatio:
        """Likelihood-ratio test against a smaller or larger model of the same comparisons.

        Parameters
        ----------
        other : Fit

        Returns
        -------
        LikelihoodRatio

        Raises
        ------
        ComparisonError
            The fits are of different data (for example with and without ties) or by quasi-likelihood, or the
            models are not nested.

        Examples
        --------
        >>> import pairproof
        >>> data = {"first": ["A", "B"], "second": ["B", "A"], "wins": [30, 31], "losses": [20, 15]}
        >>> table = pairproof.read(data)
        >>> smaller, larger = pairproof.fit_llbt(table), pairproof.fit_llbt(table, order_effect=True)
        >>> print(larger.compare(smaller))
        Likelihood ratio 7.3216 on 1 df, p = 0.006813: LLBT inside LLBT, order effect
        """
        from .nesting import likelihood_ratio

        return likelihood_ratio(self, other)

    # -- answers that go together ----------------------------------------------------------------------------

    def clustered(
        self,
        *columns: str,
        kind: Literal["CR0", "CR1", "CR2"] = "CR2",
        missing: Literal["refuse", "own"] = "refuse",
    ) -> Fit:
        """The same fit with standard errors that hold where answers of a cluster go together.

        Answers of one judge, or about one source, are not independent.  Everything that the fit says of its
        uncertainty then uses the cluster-robust covariance, and t and F distributions.

        Parameters
        ----------
        *columns : str
            One column of the table, or two for clustering both ways (Cameron, Gelbach and Miller 2011, J. Bus.
            Econ. Stat. 29, 238-249).
        kind : {"CR0", "CR1", "CR2"}
            CR2 is that of Bell and McCaffrey with Satterthwaite's degrees of freedom (Pustejovsky and Tipton
            2018, J. Bus. Econ. Stat. 36, 672-683); CR0 has no correction, CR1 has G / (G - 1), both on G - 1
            degrees of freedom for G clusters.
        missing : {"refuse", "own"}
            What to do with rows without a value of a column: an error, or each a cluster of its own.

        Returns
        -------
        Fit
            `robust` holds the clusters; the estimates are the same.

        Raises
        ------
        InputError
            No such column, one cluster, rows without a value, another kind, or not one or two columns.
        TooLargeError
            More than 6,000 parameters.

        Examples
        --------
        >>> import pairproof
        >>> rows = [("A", "B", 9, 1, 0), ("A", "B", 8, 2, 1), ("A", "B", 2, 8, 2), ("A", "B", 7, 3, 3)]
        >>> data = {"first": [r[0] for r in rows], "second": [r[1] for r in rows], "wins": [r[2] for r in rows]}
        >>> data |= {"losses": [r[3] for r in rows], "judge": [f"J{r[4]}" for r in rows]}
        >>> fit = pairproof.fit_bradley_terry(pairproof.read(data), reference="B")
        >>> print(fit.contrast("A", "B", level=0.9))
        A - B: 0.6190 (se 0.3315), z = 1.867, p = 0.06184, 90% interval 0.0738 to 1.1643; odds 1.857 to 1
        >>> print(fit.clustered("judge").contrast("A", "B", level=0.9))
        A - B: 0.6190 (se 0.6833), t on 3 df = 0.906, p = 0.4318, 90% interval -0.9891 to 2.2272; odds 1.857 to 1
        """
        from .robust.robust import clustered

        return clustered(self, columns, kind, missing)

    # -- R ---------------------------------------------------------------------------------------------------

    def verify(
        self,
        r: BackendLike | str = None,
        require_r: bool = False,
        certified: Mapping[str, str] | None = None,
        floors: Sequence[Floor] | None = None,
    ) -> Verification:
        """Compare every number of this fit with R's.

        Parameters
        ----------
        r : {"live", "recorded", "both", "none"} or Backend, optional
        require_r : bool
        certified : mapping of str to str, optional
        floors : sequence of Floor, optional
            All as in :func:`pairproof.verify`.

        Returns
        -------
        Verification

        Raises
        ------
        InputError
            Another value of `r`.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> rows = fit.verify(r="none", certified={"estimate.A": "0.27776290134194878452"})
        >>> [(str(a.quantity), a.verdict) for a in rows]
        [('estimate.A', 'agrees')]
        """
        import pairproof

        return pairproof.verify(self, r=r, require_r=require_r, certified=certified, floors=floors)

    def to_r(self) -> str:
        """An R script that reproduces this fit; see :func:`pairproof.to_r`.

        Returns
        -------
        str
            R source in ASCII.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.to_r().splitlines()[1]
        '# Item terms in lambda (log worth = 2 lambda); reference B.'
        """
        import pairproof

        return pairproof.to_r(self)

    # -- shown -----------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The model in words, for headings."""
        from .shown.text import title

        return title(self)

    def summary(self, rows: int = 60) -> str:
        """The fit as text, at most 100 columns wide.

        Parameters
        ----------
        rows : int
            Most parameters shown; the text says how many are left out.

        Returns
        -------
        str

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.summary().splitlines()[0]
        'LLBT, Davidson ties'
        """
        from .shown.text import summary

        return summary(self, rows)

    def to_dict(self) -> dict[str, Any]:
        """The fit as a JSON object, with every digit; None where there is no value.

        Returns
        -------
        dict

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> round(fit.to_dict()["params"]["A"], 4)
        0.2778
        """
        from .shown.json import fit_dict

        return fit_dict(self)

    def __repr__(self) -> str:
        return f"<Fit: {self.title}, {self.n_comparisons:.10g} comparisons, by {self.engine}>"

    def _repr_html_(self) -> str:
        from .shown.text import html

        return html(self)
