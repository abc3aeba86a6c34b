"""The part of :class:`pairproof.Fit` about terms and contests: tests of terms, residuals of contests and items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from .compared import Compared

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class Tested(Compared):
    """A fit whose terms are tested, and whose contests are looked at one by one.

    The attributes are those of :class:`pairproof.fit.record.FitRecord`.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [56, 90, 95], None, [44, 10, 5])
    >>> pairproof.fit_bradley_terry(table).drop1()["df"].loc["item"]
    2.0
    """

    def drop1(self) -> pd.DataFrame:
        """Test each term by leaving it out; see :func:`pairproof.drop1`.

        Returns
        -------
        DataFrame
            df, statistic, p, aic, llf, note by term.

        Raises
        ------
        ComparisonError, InputError
            As there.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [56, 90, 95], None, [44, 10, 5])
        >>> float(pairproof.fit_bradley_terry(table).drop1()["statistic"].round(3).loc["item"])
        176.687
        """
        import pairproof

        return pairproof.drop1(cast(Any, self))

    def add1(self, scope: str | Sequence[str]) -> pd.DataFrame:
        """Test each of the terms of a scope by adding it; see :func:`pairproof.add1`.

        Parameters
        ----------
        scope : str or sequence of str
            Terms of a formula.

        Returns
        -------
        DataFrame
            df, statistic, p, aic, llf, note by term.

        Raises
        ------
        ComparisonError, InputError, FormulaError
            As there.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [56, 90, 95], None, [44, 10, 5])
        >>> float(pairproof.fit_bradley_terry(table).add1("order")["p"].round(3).loc["order"])
        0.011
        """
        import pairproof

        return pairproof.add1(cast(Any, self), scope)

    def anova(self, *others: Any) -> pd.DataFrame:
        """Add the terms one after the other, or compare with other models; see :func:`pairproof.anova`.

        Parameters
        ----------
        *others : Fit

        Returns
        -------
        DataFrame
            df, statistic, p, aic, llf, note by term or model.

        Raises
        ------
        ComparisonError, InputError
            As there.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [56, 90, 95], None, [44, 10, 5])
        >>> pairproof.fit_bradley_terry(table, order_effect=True).anova().index.tolist()
        ['(no terms)', 'item', 'order']
        """
        import pairproof

        return pairproof.anova(cast(Any, self), *others)

    def contest_residuals(
        self, kind: Literal["deviance", "pearson", "response", "working"] | None = None
    ) -> pd.DataFrame:
        """Residuals of every row of the table; see :func:`pairproof.contest_residuals`.

        Parameters
        ----------
        kind : {"deviance", "pearson", "response", "working"}, optional
            One of them; default: all four.

        Returns
        -------
        DataFrame
            first, second, contests, score, fitted, the residuals, and weight.

        Raises
        ------
        InputError
            As there.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build("AB", [0, 1], [1, 0], [6, 3], None, [4, 7])
        >>> pairproof.fit_bradley_terry(table).contest_residuals("pearson")["pearson"].round(4).tolist()
        [-0.3145, -0.3145]
        """
        import pairproof

        return pairproof.contest_residuals(cast(Any, self), kind)

    def item_residuals(self) -> pd.DataFrame:
        """Residuals grouped by item; see :func:`pairproof.item_residuals`.

        Returns
        -------
        DataFrame
            item, residual, weight, contests.

        Raises
        ------
        InputError
            As there.

        Examples
        --------
        >>> import numpy as np, pairproof
        >>> a, b = np.triu_indices(4, 1)
        >>> table = pairproof.Comparisons.build(
        ...     "ABCD", a, b, [3, 6, 1, 8, 2, 1], None, [7, 4, 9, 2, 8, 9], item_data={"x": np.array([0.0, 1, 2, 4])})
        >>> pairproof.fit_bradley_terry(table, formula="x").item_residuals()["residual"].round(3).tolist()
        [0.17, 0.693, -1.329, 0.611]
        """
        import pairproof

        return pairproof.item_residuals(cast(Any, self))
