"""The part of :class:`pairproof.Fit` about many comparisons at once: families of differences, and ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from .. import inference
from ..spec import Value
from .predicted import Predicted

if TYPE_CHECKING:
    from ..many.result import AgainstTheBest, Contrasts, RankSets


@dataclass(frozen=True, eq=False, repr=False)
class Compared(Predicted):
    """A fit whose items are compared with each other, many at once.

    The attributes are those of :class:`pairproof.fit.record.FitRecord`.

    Examples
    --------
    >>> import pairproof
    >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [56, 90, 95], None, [44, 10, 5])
    >>> pairproof.fit_bradley_terry(table).ranks().letters
    ('a', 'a', 'b')
    """

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

        They use this fit's own covariance: by cluster after :meth:`clustered`, else that of the model.  The formulas
        are in :mod:`pairproof.fit.many.simultaneous` and, against the best, :mod:`pairproof.fit.many.best`.

        Parameters
        ----------
        family : {"all pairs", "against one", "against the best", "against the mean"}
            Against the best: each item against the best of the others (Hsu 1984).
        against : str, optional
            The item of the family "against one".
        adjust : {"single-step", "holm", "bh", "none"}
            By the largest of all differences (max-t), Holm, Benjamini and Hochberg, or not at all.
        level : float
            Confidence level in (0.5, 1); of all intervals together with single-step, else of each.
        group, at
            As in :meth:`contrast`.
        df : {"own", "common"}
            Each difference on degrees of freedom of its own, or a multivariate t on the smallest of them, as R's
            multcomp has it (for checks: it is too narrow for cluster-robust variances).
        seed : int
            Of what is drawn for the critical value, whose Monte Carlo error the result states.

        Returns
        -------
        Contrasts or AgainstTheBest
            Differences without a standard error are in `left_out`, each with its reason.

        Raises
        ------
        InputError
            Another family, adjustment or group, or a level outside (0.5, 1).
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
        from ..many.of_fit import contrasts_of

        return contrasts_of(self, family, against, adjust, level, group, at, df, seed)

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
        """Confidence sets for the ranks of the items, and which items cannot be told apart.

        They use this fit's own covariance: by cluster after :meth:`clustered`, else that of the model.  The method is
        that of Mogstad, Romano, Shaikh and Wilhelm (2024); see :mod:`pairproof.fit.many.ranks`.

        Parameters
        ----------
        level : float
            Confidence level, in (0.5, 1).
        simultaneous : bool
            Whether all sets hold together, or each by itself.
        side : {"both", "lower", "upper"}
            "lower": only the best rank an item may have is bounded; "upper": only the worst.
        group, at
            As in :meth:`contrast`.
        seed : int
            Of what is drawn for the critical values.

        Returns
        -------
        RankSets
            Nothing is claimed of differences without a standard error, which it names in `left_out`.

        Raises
        ------
        InputError
            Another side or group, or a level outside (0.5, 1).
        TooLargeError
            More than 300 items.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [56, 90, 95], None, [44, 10, 5])
        >>> pairproof.fit_bradley_terry(table).ranks().to_frame()[["rank_low", "rank_high", "letters"]].values.tolist()
        [[1, 2, 'a'], [1, 2, 'a'], [3, 3, 'b']]
        """
        from ..many.of_fit import ranks_of

        return ranks_of(self, level, simultaneous, side, group, at, seed)

    def test_equal_items(
        self, *, group: str | None = None, at: Mapping[str, Value] | None = None
    ) -> inference.WaldTest:
        """Wald test that all items are equally able.

        After :meth:`clustered` it is the F test of clusters (CR2: the approximate Hotelling test).

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
        from ..many.equality import equal_items

        return equal_items(self, group, at)
