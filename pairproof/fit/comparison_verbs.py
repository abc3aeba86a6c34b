"""The methods of :class:`pairproof.Fit` about many comparisons at once, and about terms and contests.

Scales and ratings; families of differences and ranks; tests of terms, residuals of contests and of items.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, overload

import pandas as pd

from ..data.options import one_of, whole_number
from ..errors import InputError
from .estimate_verbs import WITHOUT_PAIRS, Predicted
from .estimates import array_inference as inference, identification as rescale, predictions
from .estimates.fit_record import find_item
from .estimates.identification import R
from .estimates.specification import Scale, Value

if TYPE_CHECKING:
    from .many.comparison_results import AgainstTheBest, Contrasts, RankSets
    from .many.ratings import Ratings


@dataclass(frozen=True, eq=False, repr=False)
class Compared(Predicted):
    """A fit with methods for many comparisons of its items at once.

    The attributes are those of :class:`pairproof.fit.estimates.fit_record.FitRecord`.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [56, 90, 95], None, [44, 10, 5])
    >>> pairproof.fit_bradley_terry(table).ranks().letters
    ('a', 'a', 'b')
    """

    # -- scales ----------------------------------------------------------------------------------------------

    @overload
    def on_scale(self: R, scale: Scale) -> R:
        ...

    @overload
    def on_scale(
        self,
        scale: Literal["elo"],
        *,
        anchor: str | None = None,
        at: float | None = None,
        expected: Literal["ability", "score"] = "ability",
        group: str | None = None,
    ) -> Ratings:
        ...

    def on_scale(
        self: R,
        scale: Scale | Literal["elo"],
        *,
        anchor: str | None = None,
        at: float | None = None,
        expected: Literal["ability", "score"] = "ability",
        group: str | None = None,
    ) -> R | Ratings:
        """The same fit on another scale: item parameters are doubled or halved, `tie` and `order` kept; or Elo ratings.

        Ratings have 400 points for odds of 10 to 1, and use this fit's covariance: clustered after
        :meth:`clustered`. :mod:`pairproof.fit.many.ratings` gives the formulas.

        Parameters
        ----------
        scale : {"lambda", "log-odds", "elo"}
        anchor : str, optional
            The item whose rating is `at`; default: the mean of all finite ratings is `at`.
        at : float, optional
            Default: 1000.
        expected : {"ability", "score"}
            Whether ratings are abilities, or reproduce expected scores in which a tie is half a win.  Abilities of
            Davidson or of Rao and Kupper are further apart than half-win ratings of the same votes; with "score" all
            have the same meaning.
        group : str, optional
            One of `groups`, required for ratings if there are several.

        Returns
        -------
        Fit, or Ratings
            :class:`pairproof.fit.many.ratings.Ratings` on the scale "elo".

        Raises
        ------
        InputError
            An unknown scale; an anchor without a finite rating; `anchor`, `at`, `expected` or `group` with a scale other than
            "elo"; several groups; expected scores with tie shift or scale; abilities that are not log-odds.
        ItemError
            An anchor that is not an item.
        NotEstimableError
            No two items that differ by a finite number.
        TooLargeError
            Ratings of more than 6,000 items.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.on_scale("log-odds").params.round(4).to_dict()
        {'A': 0.5555, 'B': 0.0, 'tie': -0.6551}
        >>> fit.on_scale("elo", anchor="B").to_frame().round(1).loc["A", ["rating", "low", "high"]].tolist()
        [1096.5, 1024.3, 1168.7]
        >>> fit.on_scale("elo", anchor="B", expected="score").rating.round(1).tolist()
        [1076.5, 1000.0]
        """
        if scale == "elo":
            from .many.ratings import ratings

            if expected == "score" and self.answers is not None and not self.of_answers.has_pairs:
                raise InputError(WITHOUT_PAIRS)
            return ratings(self, anchor, at, expected, group)
        if (anchor, at, expected, group) != (None, None, "ability", None):
            raise InputError(
                f"scale={scale!r} with anchor, at, expected or group, which are for ratings: on_scale('elo', ...); to change"
                " the reference of a fit, use with_reference()"
            )
        if scale != self.scale:
            predictions.needs_logit(self, f"scale={scale!r}", "its estimates are in units of that link")
        return rescale.on_scale(self, scale)

    # -- many at once ----------------------------------------------------------------------------------------

    def contrasts(
        self,
        family: Literal["all pairs", "against one", "against the best", "against the mean"] = "all pairs",
        against: str | None = None,
        adjust: Literal["single-step", "holm", "bh", "none"] = "single-step",
        level: float = 0.95,
        *,
        group: str | None = None,
        at: Mapping[str, Value] | None = None,
        df: Literal["own", "common"] = "own",
        seed: int = 0,
    ) -> Contrasts | AgainstTheBest:
        """Differences of many items with simultaneous intervals and adjusted p-values.

        They use this fit's covariance: clustered after :meth:`clustered`, otherwise that of the model.  The formulas
        are in :mod:`pairproof.fit.many.simultaneous` and, against the best, :mod:`pairproof.fit.many.ranks`.

        Parameters
        ----------
        family : {"all pairs", "against one", "against the best", "against the mean"}
            Against the best: each item against the best of the others (Hsu 1984).
        against : str, optional
            The item of the family "against one".
        adjust : {"single-step", "holm", "bh", "none"}
            Single-step (max-t), Holm, Benjamini and Hochberg, or no adjustment.
        level : float
            Confidence level in (0.5, 1); joint for all intervals with single-step, otherwise for each.
        group, at
            As in :meth:`contrast`.
        df : {"own", "common"}
            Separate degrees of freedom for each difference, or a multivariate t with the smallest of them, as in
            R's multcomp (for checks: its intervals are too narrow for cluster-robust variances).
        seed : int
            For the draws from which the critical value is computed; the result states its Monte Carlo error.

        Returns
        -------
        Contrasts or AgainstTheBest
            Differences without a standard error are in `left_out`, each with its reason.

        Raises
        ------
        InputError
            An unknown family, adjustment or group, or a level outside (0.5, 1).
        ItemError
            An item that is not in the table.
        NotEstimableError
            No difference of the family has a standard error.
        TooLargeError
            All differences of more than 1,000 items, or of more than 300 with single-step or against the best.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [56, 90, 95], None, [44, 10, 5])
        >>> found = pairproof.fit_bradley_terry(table).contrasts()
        >>> found.to_frame()[["estimate", "adjusted"]].round(4).values.tolist()
        [[0.2919, 0.248], [2.5799, 0.0], [2.288, 0.0]]
        """
        from .many.abilities import abilities_of
        from .many.ranks import against_the_best
        from .many.simultaneous import ADJUSTMENTS, contrasts

        one_of("family", family, ("all pairs", "against one", "against the best", "against the mean"))
        one_of("adjust", adjust, ADJUSTMENTS)
        whole_number("seed", seed)
        fit = self.of_items
        if family == "against the best":
            if against is not None or adjust != "single-step" or df != "own":
                raise InputError(
                    f"family='against the best' with against={against!r}, adjust={adjust!r}, df={df!r}; comparisons with"
                    " the best are simultaneous, with their own degrees of freedom and no named item"
                )
            return against_the_best(abilities_of(fit, group, at), level, seed)
        one = find_item(fit.items, against) if family == "against one" and against is not None else None
        abilities = abilities_of(fit, group, at, one, family == "against the mean")
        return contrasts(abilities, family, against, adjust, level, df, seed)

    def ranks(
        self,
        level: float = 0.95,
        simultaneous: bool = True,
        side: Literal["both", "lower", "upper"] = "both",
        *,
        group: str | None = None,
        at: Mapping[str, Value] | None = None,
        seed: int = 0,
    ) -> RankSets:
        """Confidence sets for the ranks of the items, and which items cannot be distinguished.

        They use this fit's covariance: clustered after :meth:`clustered`, otherwise that of the model.  The method is
        that of Mogstad, Romano, Shaikh and Wilhelm (2024); see :mod:`pairproof.fit.many.ranks`.

        Parameters
        ----------
        level : float
            Confidence level, in (0.5, 1).
        simultaneous : bool
            Whether the sets cover all ranks jointly, or each separately.
        side : {"both", "lower", "upper"}
            "lower": only the best rank an item may have is bounded; "upper": only the worst.
        group, at
            As in :meth:`contrast`.
        seed : int
            For the draws from which the critical values are computed.

        Returns
        -------
        RankSets
            Differences without a standard error are not used; `left_out` names them.

        Raises
        ------
        InputError
            An unknown side or group, or a level outside (0.5, 1).
        TooLargeError
            More than 300 items.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [56, 90, 95], None, [44, 10, 5])
        >>> pairproof.fit_bradley_terry(table).ranks().to_frame()[["rank_low", "rank_high", "letters"]].values.tolist()
        [[1, 2, 'a'], [1, 2, 'a'], [3, 3, 'b']]
        """
        from .many.abilities import abilities_of
        from .many.ranks import rank_sets

        whole_number("seed", seed)
        return rank_sets(abilities_of(self.of_items, group, at), level, simultaneous, side, seed)

    def test_equal_items(
        self, *, group: str | None = None, at: Mapping[str, Value] | None = None
    ) -> inference.WaldTest:
        """Wald test that all items are equally able.

        After :meth:`clustered` it is the cluster-robust F test (CR2: the approximate Hotelling test).

        Parameters
        ----------
        group, at
            As in :meth:`contrast`.

        Returns
        -------
        WaldTest

        Raises
        ------
        InputError
            A group or covariate value that the model does not have.
        NotEstimableError
            Not all items can be compared, or there are too few clusters for so many items.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [56, 90, 95], None, [44, 10, 5])
        >>> print(pairproof.fit_bradley_terry(table).test_equal_items())
        Wald chi-square 72.0000 on 2 df, p = 1e-10: A = B = C
        """
        from .many.abilities import equal_items

        return equal_items(self, group, at)


@dataclass(frozen=True, eq=False, repr=False)
class Tested(Compared):
    """A fit with tests of its terms and residuals of its contests.

    The attributes are those of :class:`pairproof.fit.estimates.fit_record.FitRecord`.

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
