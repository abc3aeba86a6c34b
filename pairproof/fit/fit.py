"""`Fit`: the result of fitting a model, by the native engine or by R.

Its numbers are those of :class:`pairproof.fit.estimates.fit_record.FitRecord`; the methods of parameters, items and data
are in :mod:`pairproof.fit.estimate_verbs`, those of many comparisons, terms and contests in
:mod:`pairproof.fit.comparison_verbs`, those of some models only in :mod:`pairproof.fit.part_verbs`, and those
of clusters, R and text output here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from .estimates import array_inference as inference
from .part_verbs import WithParts

if TYPE_CHECKING:
    from .promises import Asked, BackendLike, FloorLike, Function, Resampled, Verified


@dataclass(frozen=True, eq=False, repr=False)
class Fit(WithParts):
    """A fitted model of paired comparisons: its estimates, tests, predictions and tables.

    The attributes are those of :class:`pairproof.fit.estimates.fit_record.FitRecord`.  Item parameters are on the scale
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

    # -- tests ----------------------------------------------------------------------------------------------

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
            The fits use different data (for example with and without ties), quasi-likelihood, reduced bias,
            pseudo-comparisons, a prior or several latent classes, or the models are not nested.

        Examples
        --------
        >>> import pairproof
        >>> data = {"first": ["A", "B"], "second": ["B", "A"], "wins": [30, 31], "losses": [20, 15]}
        >>> table = pairproof.read(data)
        >>> smaller, larger = pairproof.fit_llbt(table), pairproof.fit_llbt(table, order_effect=True)
        >>> print(larger.compare(smaller))
        Likelihood ratio 7.3216 on 1 df, p = 0.006813: LLBT inside LLBT, order effect
        """
        if self.answers is not None:
            from .results.answers import likelihood_ratio as of_answers

            return of_answers(self, other)
        from .inference.likelihood_ratio import likelihood_ratio

        return likelihood_ratio(self, other)

    # -- answers that go together ----------------------------------------------------------------------------

    def clustered(
        self,
        *columns: str,
        kind: Literal["CR0", "CR1", "CR2"] | None = None,
        missing: Literal["refuse", "own"] = "refuse",
        rows: Any = None,
    ) -> Fit:
        """The same fit with cluster-robust standard errors, for answers that are dependent within clusters.

        Answers by one judge, or about one source, are not independent.  All standard errors, tests and
        intervals of the returned fit use the cluster-robust covariance, and t and F distributions.

        Parameters
        ----------
        *columns : str
            One column of the table, or two for clustering both ways (Cameron, Gelbach and Miller 2011, J. Bus.
            Econ. Stat. 29, 238-249).  None: every vote is a cluster, so answers are independent but their
            variance may differ from the model's; with fractional or weighted counts every row is a cluster,
            with whole answers every person.  With random effects of judges: one column, whose clusters contain whole
            judges.
        kind : {"CR0", "CR1", "CR2"}, optional
            Default: CR2; CR1 without a column and for whole answers.
            CR2 is Bell and McCaffrey's estimator with Satterthwaite's degrees of freedom (Pustejovsky and Tipton
            2018, J. Bus. Econ. Stat. 36, 672-683); CR0 has no correction, CR1 has G / (G - 1), both on G - 1
            degrees of freedom for G clusters.  If the information of a cluster is not positive, CR2 does not exist:
            CR1 is used instead, and the summary says so.
        missing : {"refuse", "own"}
            What to do with rows without a value of a column: an error, or one cluster each.
        rows : source of :func:`pairproof.count`, or :func:`pairproof.rows`, optional
            The rows from which the fit's table was counted, if they do not fit in memory.  They must contain the
            column, and are read in one pass (several if clusters times parameters exceed 125 million
            numbers).
            Only CR0 and CR1 (the default) are available; `robust.title` states the number of passes.

        Returns
        -------
        Fit
            `robust` describes the clusters; the estimates are the same.

        Raises
        ------
        InputError
            No such column, one cluster, rows without a value, an unknown kind, or more than two columns; CR2 without a
            column. Random effects of items; CR2 with link "cauchit"; two columns and ties with a shift or a scale.  Rows
            whose counts differ from the fit's table; CR2 or two columns together with `rows`; the message
            names what is available.
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
        >>> fit.clustered().robust.title
        'CR1 by vote (40 votes)'
        """
        if rows is not None:
            from .robust.streamed import clustered_through

            return clustered_through(self, columns, kind or "CR1", missing, rows)
        if self.answers is not None:
            from .results.answers import clustered_answers

            return clustered_answers(self, columns, kind or "CR1", missing)
        kind = kind or ("CR2" if columns else "CR1")
        if self.contests is not None:
            from .results.contests import clustered_contests

            return clustered_contests(self, columns, kind, missing)
        if not columns:
            from .robust.streamed import by_vote

            return by_vote(self, kind, missing)
        from .robust.clustered_fit import clustered

        return clustered(self, columns, kind, missing)

    # -- R ---------------------------------------------------------------------------------------------------

    def verify(
        self,
        r: BackendLike | str = None,
        require_r: bool = False,
        certified: Mapping[str, str] | None = None,
        floors: Sequence[FloorLike] | None = None,
    ) -> Verified:
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
            An unknown value of `r`.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> rows = fit.verify(r="none", certified={"estimate.A": "0.27776290134194878452"})
        >>> [(str(a.quantity), a.verdict) for a in rows]
        [('estimate.A', 'agrees')]
        """
        import pairproof

        asked: Any = r  # these two are checked there
        least: Any = floors
        return pairproof.verify(self, r=asked, require_r=require_r, certified=certified, floors=least)

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

    # -- resampling ------------------------------------------------------------------------------------------

    def bootstrap(
        self,
        *columns: str,
        replicates: int = 1999,
        seed: int | None = None,
        quantity: Asked | Sequence[Asked] = "params",
        group: str | None = None,
        studentize: bool = False,
        missing: Literal["refuse", "own"] = "refuse",
        workers: int = 1,
        progress: Callable[[int, int], None] | None = None,
    ) -> Resampled:
        """Bootstrap any quantity of this fit; see :func:`pairproof.bootstrap`.

        Parameters
        ----------
        *columns : str
            The column, or two columns, whose values are the clusters.  None: those of a clustered fit; otherwise
            single comparisons are drawn.
        replicates : int
        seed : int, optional
            Default: drawn, and recorded in the result.
        quantity : str, function, or list of these
            "params", "contrasts", "worth", "probabilities", "ranks", two items, or a function of a Fit.
        group : str, optional
            One of `groups`, for quantities of items.
        studentize : bool
            Whether replicates have standard errors, for studentized limits.
        missing : {"refuse", "own"}
            What to do with rows without a label.
        workers : int
            Processes.
        progress : function of (int, int), optional
            Called with (replicates done, replicates in all).

        Returns
        -------
        Bootstrap

        Raises
        ------
        InputError
            As for :func:`pairproof.bootstrap`.

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.bootstrap(replicates=499, seed=1).se.round(1).to_dict()
        {'A': 0.1, 'tie': 0.2}
        """
        import pairproof

        return pairproof.bootstrap(
            self,
            *columns,
            replicates=replicates,
            seed=seed,
            quantity=quantity,
            group=group,
            studentize=studentize,
            missing=missing,
            workers=workers,
            progress=progress,
        )

    def profile(
        self,
        names: Sequence[Function] | str | None = None,
        *,
        contrasts: Sequence[tuple[str, str]] | Literal["all"] = (),
        group: str | None = None,
        level: float = 0.95,
    ) -> pd.DataFrame:
        """Profile-likelihood intervals, with Wald's for comparison; see :func:`pairproof.profile`.

        Parameters
        ----------
        names : sequence, optional
            Parameters by name, or weights of parameters; default: all, or none if `contrasts` are given.
        contrasts : sequence of two items each, or "all"
        group : str, optional
            The group of the contrasts, if the fit has several.
        level : float
            In (0, 1).

        Returns
        -------
        DataFrame
            estimate, wald_low, wald_high, profile_low, profile_high.

        Raises
        ------
        InputError
            A clustered fit, an unknown name, a reference, or a level outside (0, 1).

        Examples
        --------
        >>> import pairproof
        >>> fit = pairproof.fit_llbt(pairproof.Comparisons.build("AB", [0], [1], [61], [24], [35]))
        >>> fit.profile()[["profile_low", "profile_high"]].round(4).values.tolist()
        [[0.0731, 0.4902], [-1.1275, -0.2215]]
        """
        import pairproof

        return pairproof.profile(self, names, contrasts=contrasts, group=group, level=level)

    # -- shown -----------------------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        """The model in words, for headings."""
        from .estimates.fit_record import title

        return title(self)

    def summary(self, rows: int = 60) -> str:
        """The fit as text, at most 100 columns wide.

        Parameters
        ----------
        rows : int
            Maximum number of parameters shown; the text says how many are omitted.

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
        if self.answers is not None:
            from .results.answers import summary as of_answers

            return of_answers(self, rows)
        from .shown.fit_text import summary

        return summary(self, rows)

    def to_dict(self) -> dict[str, Any]:
        """The fit as a JSON object, in full precision; None for missing values.

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
        from ..report.json_text import plain
        from .results import answers, contests
        from .shown.fit_json import fit_dict

        return dict(plain({**fit_dict(self), **contests.document(self), **answers.document(self)}))

    def __repr__(self) -> str:
        n = f"{self.n_comparisons:.10g} comparisons"
        if self.answers is not None:
            n = f"{self.n_persons:.10g} persons"
        return f"<Fit: {self.title}, {n}, by {self.engine}>"

    def _repr_html_(self) -> str:
        from .shown.fit_text import html

        return html(self)
