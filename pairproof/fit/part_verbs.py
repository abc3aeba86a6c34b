"""The methods of :class:`pairproof.Fit` that apply only to some models.

Contests with links, offsets, reduced bias or general ties; random effects; whole answers; latent classes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import pandas as pd

from ..data.options import whole_number
from ..errors import InputError
from .comparison_verbs import Tested
from .estimate_verbs import WITHOUT_PAIRS
from .estimates.covariance import Covariance
from .estimates.identification import R
from .estimates.parts import ClassTest, Component, find_component
from .inference import diagnostics as residuals
from .inference.wald import check_level


@dataclass(frozen=True, eq=False, repr=False)
class WithParts(Tested):
    """A fit with the parts of its model; methods for other parts raise an error that names the models with them.

    The attributes are those of :class:`pairproof.fit.estimates.fit_record.FitRecord`.

    Examples
    --------
    >>> import numpy as np, pairproof
    >>> a, b = np.triu_indices(4, 1)
    >>> wins = np.array([3, 6, 1, 8, 2, 1])
    >>> table = pairproof.Comparisons.build("ABCD", a, b, wins, None, 10 - wins, item_data={"x": np.array([0.0, 1, 2, 4])})
    >>> fit = pairproof.fit_bradley_terry(table, formula="x + (1 | item)")
    >>> round(fit.sigma, 4), round(fit.p_sigma, 4)
    (0.7067, 0.0066)
    """

    # -- contests --------------------------------------------------------------------------------------------

    @property
    def penalised(self) -> float:
        """The penalised log-likelihood for reduced bias: llf + log det(information) / 2; nan
        otherwise."""
        return float("nan") if self.contests is None else self.contests.penalised

    @property
    def expected_covariance(self) -> Covariance | None:
        """By the expected information, under some constraint of the specification; None where it is the observed one."""
        return None if self.contests is None else self.contests.expected_covariance

    @property
    def bse_expected(self) -> pd.Series[float] | None:
        """Standard errors from the expected information, as reported by R's glm, BTm and gnm; nan for references.

        None for a clustered fit, and if expected and observed information are the same: always, except for the
        links "probit" and "cauchit", and for ties with `tie_shift` or `tie_scale`.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Comparisons.build("ABC", [0, 1, 0], [1, 2, 2], [8, 6, 9], None, [4, 3, 5])
        >>> fit = pairproof.fit_bradley_terry(table, link="cauchit", reference="C")
        >>> fit.bse.round(4).to_dict()
        {'A': 0.4724, 'B': 0.4482, 'C': nan}
        >>> fit.bse_expected.round(4).to_dict()
        {'A': 0.459, 'B': 0.4555, 'C': nan}
        """
        from .results.contests import expected_errors

        return expected_errors(self)

    # -- random effects --------------------------------------------------------------------------------------

    @property
    def components(self) -> tuple[Component, ...]:
        """The variance components of random effects."""
        return self.predicted_effects.components

    def component(self, name: str | None = None) -> Component:
        """One variance component.

        Parameters
        ----------
        name : str, optional
            Required if there are several.

        Returns
        -------
        Component

        Raises
        ------
        InputError
            No such component, or no name although there are several.
        """
        return find_component(self.predicted_effects, name)

    @property
    def sigma(self) -> float:
        """Standard deviation of the random effects, if there is one component."""
        return self.component().sigma

    @property
    def sigma_se(self) -> float:
        """Standard error of sigma, if there is one component."""
        return self.component().se

    @property
    def p_sigma(self) -> float:
        """p of the test of sigma = 0 on its boundary, if there is one component."""
        return self.component().p

    def effects(self) -> pd.DataFrame:
        """The predicted random effects (best linear unbiased predictions by PQL, modes by Laplace).

        Returns
        -------
        DataFrame
            component, item, (judge,) effect, se of effect minus the truth with sigma treated as known, and with quadrature
            the posterior mean.

        Raises
        ------
        InputError
            A model without random effects.
        """
        return self.predicted_effects.frame(self.items)

    def predicted(self: R, judge: str | None = None) -> R:
        """The items' predicted abilities x_i'b + u_i as a fit of free items.

        Its standard errors are those of prediction, with sigma treated as known.

        Parameters
        ----------
        judge : str, optional
            With effects of items by judge: the abilities of this judge; default: over all judges.

        Returns
        -------
        Fit
            Its contrasts, ranks, worths and probabilities refer to predicted abilities.

        Raises
        ------
        InputError
            No such judge, or a model without random effects.
        """
        from .results.contests import predicted

        return predicted(self, judge)

    @property
    def of_items(self: R) -> R:
        """The fit used to compare items: this fit or, with random effects, that of their predicted
        abilities.

        For a fit clustered by judge: the fixed parameters, which are the abilities over all judges.
        """
        if self.random_effects is None or self.robust is not None:
            return self
        from .results.contests import predicted

        return predicted(self, None)

    @property
    def further_lines(self) -> tuple[str, ...]:
        """Lines of the summary for some models only: the information behind R's standard errors, random
        effects."""
        if self.contests is None and self.random_effects is None:
            return ()
        from .results.contests import of_components, of_information

        return (*of_information(self), *of_components(self))

    # -- whole answers ---------------------------------------------------------------------------------------

    @property
    def n_persons(self) -> float:
        """Persons whose answers carry information: the n of BIC."""
        return self.numbers.n_persons

    def patterns(self) -> pd.DataFrame:
        """Every distinct answer: observed and expected numbers of persons.

        Returns
        -------
        DataFrame
            group, answer, observed, expected, residual (Pearson's, (observed - expected) / sqrt(expected)), most
            frequent first.  :meth:`predicted_patterns` also lists answers that nobody gave.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]])
        >>> pairproof.fit_pattern(table).patterns().round(3).iloc[0].tolist()
        ['', 'A > B > C', 1.0, 1.046, -0.045]
        """
        from .results.answers import seen

        return seen(self.respondents, self.numbers)

    def predicted_patterns(self, group: str | None = None, most: int = 20) -> pd.DataFrame:
        """The most probable complete answers, observed or not.

        Parameters
        ----------
        group : str, optional
            One of `groups`; required if there is more than one.
        most : int
            Number of answers listed.

        Returns
        -------
        DataFrame
            answer, probability, most probable first.

        Raises
        ------
        InputError
            An unknown group, or a model whose possible answers are not enumerated.
        TooLargeError
            There are too many possible answers.

        Examples
        --------
        >>> import pairproof
        >>> table = pairproof.Respondents.build("ABC", "rankings", [[1, 2, 3], [2, 1, 3], [1, 3, 2], [3, 2, 1]])
        >>> pairproof.fit_pattern(table).predicted_patterns(most=1).round(3).values.tolist()
        [['A > B > C', 0.262]]
        """
        from .results.answers import possible

        whole_number("most", most, 1)
        labels = self.numbers.labels
        if group is None and len(labels) == 1:
            return possible(self.respondents, self.numbers, 0, most)
        if group not in labels:
            raise InputError(f"group={group!r}; the groups are {', '.join(map(repr, labels[:20]))}")
        return possible(self.respondents, self.numbers, labels.index(group), most)

    def pairs(self) -> pd.DataFrame:
        """Every pair of items: observed and expected comparisons in complete answers.

        Returns
        -------
        DataFrame
            first, second, cell, outcome, observed, fitted, residual.  The residuals are Pearson residuals for
            single pairs; those of different pairs are dependent.

        Raises
        ------
        InputError, TooLargeError
            As for :meth:`predicted_patterns`.
        """
        return residuals.residual_frame(
            self.cell_table(), self.items, self.outcome_model != "binary", "pearson", "multinomial"
        )

    # -- latent classes --------------------------------------------------------------------------------------

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.of_classes.shares)

    @property
    def class_labels(self) -> list[str]:
        """`class=1`, `class=2`, ..., largest first."""
        return self.of_classes.labels

    @property
    def shares(self) -> pd.Series[float]:
        """Series: share of persons in each class."""
        return pd.Series(self.of_classes.shares, index=self.class_labels, name="share")

    @property
    def share_errors(self) -> pd.Series[float]:
        """Series: standard errors of the shares; nan if a class has collapsed, or if there is only one."""
        return pd.Series(self.of_classes.errors, index=self.class_labels, name="se")

    def class_table(self, level: float = 0.95) -> pd.DataFrame:
        """Share of persons in each class with its standard error and interval.

        Parameters
        ----------
        level : float
            Level of the Wald intervals, computed for the log-odds of a share and thus within 0 and 1.

        Returns
        -------
        DataFrame
            class, share, se, low, high; persons: the sum of their posterior probabilities.

        Raises
        ------
        InputError
            The level is not between 0 and 1.
        """
        check_level(level)
        return self.of_classes.table(level, self.numbers.observed)

    def over_classes(
        self,
        what: Literal["worth", "contrasts", "probabilities"] = "worth",
        *,
        group: str | None = None,
        level: float = 0.95,
    ) -> pd.DataFrame:
        """Worths, differences of abilities or probabilities over all classes, each weighted by its share.

        Parameters
        ----------
        what : {"worth", "contrasts", "probabilities"}
            For a person drawn at random: expected worths, differences of abilities, or probabilities that the first
            item of a pair is preferred.
        group : str, optional
            A covariate group, without its class ("sex=f"); required if there is more than one.
        level : float
            Confidence level, in (0, 1).

        Returns
        -------
        DataFrame
            item, or first and second; estimate, se, low, high.  The standard errors use the delta method, with the
            variances of the shares and their covariances with all parameters; clustered after :meth:`clustered`.

        Raises
        ------
        InputError
            An unknown group, a level outside (0, 1), or classes without standard errors.

        Examples
        --------
        >>> import pairproof
        >>> answers = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1], [-1, -1, 1], [1, -1, -1]]
        >>> persons = [30, 9, 8, 10, 25, 8, 9]
        >>> table = pairproof.Respondents.build("ABC", "comparisons", answers, tie_category=False, weights=persons)
        >>> pairproof.fit_latent_classes(table, 2).over_classes()[["item", "estimate", "se"]].round(3).values.tolist()
        [['A', 0.42, 0.047], ['B', 0.209, 0.035], ['C', 0.371, 0.046]]
        """
        from .results.answers import over_classes

        if what == "probabilities" and not self.of_answers.has_pairs:
            raise InputError(WITHOUT_PAIRS)
        return over_classes(self, what, group, level)

    @property
    def optima(self) -> tuple[tuple[float, int], ...]:
        """Log-likelihoods of the local maxima found, best first, with the number of starts that reached each."""
        return self.of_classes.optima

    @property
    def collapsed(self) -> tuple[str, ...]:
        """Parameters that are infinite because their class has collapsed; llf is then a supremum."""
        return self.of_classes.collapsed

    def posterior(self) -> pd.DataFrame:
        """Probabilities of the classes for each row of the table, given its answers.

        Returns
        -------
        DataFrame
            One row per row of :attr:`respondents`, one column per class, and `most_probable`, the number of the most
            probable class; nan, and missing, for rows with weight 0 or without an answer.
        """
        return self.of_classes.of_rows(self.numbers.row)

    def test_classes(
        self,
        samples: int = 99,
        seed: int = 0,
        *,
        starts: int = 10,
        enough: int | None = None,
        progress: Callable[[int, int], None] | None = None,
        workers: int = 1,
    ) -> ClassTest:
        """Test this number of classes against one more by a parametric bootstrap.

        Samples are drawn from this model, with the gaps of the table, and both numbers of classes are fitted to each;
        p = (1 + samples whose likelihood ratio is at least the observed one) / (1 + samples).

        Parameters
        ----------
        samples : int
            With 99 samples the smallest possible p is .01.
        seed : int
            Seed for samples and starts.
        starts : int
            Starts for each fit, to the table and to every sample.
        enough : int, optional
            Stop when this many samples have reached the observed ratio: p is then large, and more samples would only
            make it more precise (Besag and Clifford 1991, Biometrika 78, 301-304).  This does not change whether p
            is at most enough / (samples + 1).
        progress : function of (int, int), optional
            Called with (samples done, samples in all).
        workers : int
            Processes; the result is the same for any number.

        Returns
        -------
        ClassTest
            `p`, `ratio`, `ratios` of the samples, and how many samples `failed`.

        Raises
        ------
        InputError
            Numbers that are not positive, or weights that are not whole numbers of persons.
        TooLargeError
            Answers can only be drawn from a list of all possible ones, and there are too many.

        References
        ----------
        McLachlan (1987), Applied Statistics 36, 318-324.

        Examples
        --------
        >>> import pairproof
        >>> answers = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1], [-1, -1, 1], [1, -1, -1]]
        >>> persons = [30, 9, 8, 10, 25, 8, 9]
        >>> table = pairproof.Respondents.build("ABC", "comparisons", answers, tie_category=False, weights=persons)
        >>> pairproof.fit_latent_classes(table, 1).test_classes(samples=19, starts=3).p
        0.05
        """
        whole_number("samples", samples, 1)
        whole_number("starts", starts, 1)
        whole_number("workers", workers, 1)
        if enough is not None:
            whole_number("enough", enough, 1)
        return self.of_classes.tester(samples, starts, seed, progress, workers, enough)

    @property
    def optima_in_words(self) -> str:
        """How many starts reached each maximum."""
        return self.of_classes.optima_in_words
