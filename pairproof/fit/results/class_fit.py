"""`ClassFit`: the result of fitting latent classes of persons, and the test of their number.

Each person belongs to one of K classes, which nobody has seen, and answers by that class's parameters:

    log L = sum over persons of log sum over classes k of pi_k P(answer | class k).

It is an :class:`pairproof.fit.results.answer_fit.AnswerFit` whose groups are the classes, `A:class[1]`, so
that worths, contrasts and references go class by class; the largest class is the first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from ...data.options import whole_number
from ...errors import ComparisonError, InputError
from ...text import label
from ..fit import Fit
from ..inference.wald import check_level
from . import answer_numbers as text
from .answer_fit import AnswerFit, clusters_of
from .answer_numbers import FloatArray, IntArray, Predicted

if TYPE_CHECKING:
    import pandas as pd


#: Likelihood ratios that differ by less are equal: rounding leaves 1e-10 of thousands.
ROUNDING = 1e-8


@dataclass(frozen=True, eq=False)
class ClassTest:
    """A bootstrap test of K classes against K + 1.

    McLachlan (1987), Applied Statistics 36, 318-324.

    n_classes: K.  llf, llf_more: log-likelihoods of both fits.  ratios float[n]: likelihood ratios of the
    samples that could be fitted.  failed: samples in which a parameter of a single class was infinite: they
    are left out.
    """

    n_classes: int
    llf: float
    llf_more: float
    ratios: FloatArray
    failed: int

    @property
    def ratio(self) -> float:
        """Twice the difference of the log-likelihoods."""
        return 2.0 * (self.llf_more - self.llf)

    @property
    def p(self) -> float:
        """The p-value, 1 / (samples + 1) at least."""
        return float((1 + (self.ratios >= self.ratio - ROUNDING).sum()) / (1 + len(self.ratios)))

    def __str__(self) -> str:
        failed = f"; {self.failed} more could not be fitted" if self.failed else ""
        k = self.n_classes
        return (
            f"{k} class{'' if k == 1 else 'es'} against {k + 1}: likelihood ratio {self.ratio:.4f}, bootstrap p ="
            f" {self.p:.4g} ({len(self.ratios)} samples{failed})"
        )


class ClassTester(Protocol):
    """The bootstrap test of K classes against K + 1, as an engine makes it."""

    def __call__(
        self,
        samples: int,
        starts: int,
        seed: int,
        progress: Callable[[int, int], None] | None,
        workers: int,
        enough: int | None,
    ) -> ClassTest:
        """See :meth:`ClassFit.test_classes`."""


@dataclass(frozen=True, eq=False)
class MixedPossible:
    """Possible answers with their probabilities over all classes.

    classes: of each class.  shares float[K].
    """

    classes: Sequence[Predicted]
    shares: FloatArray

    def count(self) -> int:
        """How many there are."""
        return self.classes[0].count()

    def answers(self) -> IntArray:
        """int[N, n_times, k]: all of them."""
        return self.classes[0].answers()

    def probabilities(self, group: int) -> FloatArray:
        """float[N]: of each in a covariate group, whatever the class."""
        own = [share * one.probabilities(group) for share, one in zip(self.shares, self.classes)]
        return np.asarray(np.sum(own, axis=0))


@dataclass(frozen=True, eq=False)
class ClassNumbers:
    """What a fit of latent classes says of the classes.

    shares float[K]: share of persons in each class, the largest first.  covariance float[K, K]: of the
    shares, from the observed information of the mixture; nan where there is none.  outward float[K, p]:
    derivatives of the shares by the mixture's parameters.  posterior float[n, K]:
    probabilities of the classes given each distinct answer.  optima: log-likelihoods of the maxima that were
    found, best first, and how many starts ended there.  starts: starts that were made; some may have ended
    nowhere.  seed: of the starts.  collapsed: parameters that are infinite.  tester: makes the bootstrap
    test.
    """

    shares: FloatArray
    covariance: FloatArray
    outward: FloatArray
    posterior: FloatArray
    optima: tuple[tuple[float, int], ...]
    starts: int
    seed: int
    collapsed: tuple[str, ...]
    tester: ClassTester


@dataclass(frozen=True, eq=False, repr=False)
class ClassFit(AnswerFit):
    """Fitted latent classes of persons, a mixture of models of whole answers.

    Other attributes are those of :class:`pairproof.fit.estimates.fit_record.FitRecord`.  Parameters that differ between classes are named `A:class[1]`, and `groups` are the classes (in each covariate group).  Standard errors come from the
    observed information of the mixture (Louis 1982): that nobody's class is known makes them larger.

    Attributes
    ----------
    respondents : Respondents
        The table as it was given.
    numbers : AnswerNumbers
        Answers seen and expected.
    of_classes : ClassNumbers
        Shares, posterior probabilities and maxima.

    Examples
    --------
    >>> import pairproof
    >>> answers = [[1, 1, 1], [1, 1, -1], [1, -1, 1], [-1, 1, 1], [-1, -1, -1], [-1, -1, 1], [1, -1, -1]]
    >>> persons = [30, 9, 8, 10, 25, 8, 9]
    >>> table = pairproof.Respondents.build("ABC", "comparisons", answers, tie_category=False, weights=persons)
    >>> fit = pairproof.fit_latent_classes(table, 2)
    >>> fit.shares.round(3).to_dict()
    {'class=1': 0.537, 'class=2': 0.463}
    """

    of_classes: ClassNumbers = field(kw_only=True)

    # -- classes ---------------------------------------------------------------------------------------------

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.of_classes.shares)

    @property
    def class_labels(self) -> list[str]:
        """`class=1`, `class=2`, ..., the largest first."""
        return [f"class={k + 1}" for k in range(self.n_classes)]

    @property
    def shares(self) -> pd.Series[float]:
        """Series: share of persons in each class."""
        import pandas as pd

        return pd.Series(self.of_classes.shares, index=self.class_labels, name="share")

    @property
    def share_errors(self) -> pd.Series[float]:
        """Series: standard errors of the shares; nan where a class has collapsed, or there is one class."""
        import pandas as pd

        variances = np.diag(self.of_classes.covariance)
        errors = np.sqrt(np.maximum(variances, 0.0)) if self.n_classes > 1 else np.full(1, np.nan)
        return pd.Series(errors, index=self.class_labels, name="se")

    def class_table(self, level: float = 0.95) -> pd.DataFrame:
        """Share of persons in each class with its standard error and interval.

        Parameters
        ----------
        level : float
            Of the intervals, which are Wald's for the log-odds of a share, so that they stay within 0 and 1.

        Returns
        -------
        DataFrame
            class, share, se, low, high; persons: the sum of their posterior probabilities.

        Raises
        ------
        InputError
            The level is not between 0 and 1.
        """
        import pandas as pd
        from scipy.special import expit, logit, ndtri

        check_level(level)
        share, se = self.of_classes.shares, self.share_errors.to_numpy()
        with np.errstate(divide="ignore", invalid="ignore"):
            half = float(ndtri(0.5 + level / 2.0)) * se / (share * (1.0 - share))
            low, high = expit(logit(share) - half), expit(logit(share) + half)
        persons = self.numbers.observed @ self.of_classes.posterior
        return pd.DataFrame(
            {
                "class": self.class_labels,
                "share": share,
                "se": se,
                "low": low,
                "high": high,
                "persons": persons,
            }
        )

    @property
    def optima(self) -> tuple[tuple[float, int], ...]:
        """Log-likelihoods of the local maxima that were found, best first, and how many starts ended at each."""
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
            A row for each row of :attr:`respondents`, a column for each class, and `most_probable`, the number of the
            class with the largest; nan, and missing, for rows of weight 0 or without an answer.
        """
        import pandas as pd

        row = self.numbers.row
        found = np.where((row >= 0)[:, None], self.of_classes.posterior[row], np.nan)
        frame = pd.DataFrame(found, columns=self.class_labels)
        best = pd.array(np.where(row >= 0, np.argmax(self.of_classes.posterior[row], axis=1) + 1, 0), "Int64")
        best[row < 0] = pd.NA
        return frame.assign(most_probable=best)

    # -- likelihood ------------------------------------------------------------------------------------------

    @property
    def rank(self) -> int:
        """Parameters fitted: those of all classes, infinite ones too, and K - 1 shares."""
        return super().rank + self.n_classes - 1

    def compare(self, other: Fit) -> Any:
        """Refused for different numbers of classes, where a likelihood ratio has no chi-square distribution.

        Parameters
        ----------
        other : AnswerFit

        Returns
        -------
        LikelihoodRatio
            Of one class.

        Raises
        ------
        ComparisonError
            There are several classes; :meth:`test_classes` has a test of their number.
        """
        if self.n_classes == 1:
            return super().compare(other)
        raise ComparisonError(
            f"{self.title}: a likelihood ratio has no chi-square distribution with latent classes; fit.test_classes()"
            " tests their number by a bootstrap, and AIC and BIC compare any two fits of the same answers"
        )

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

        Samples are drawn from this model, gaps as they are in the table, and both numbers of classes are fitted to each;
        p = (1 + samples whose likelihood ratio is at least the observed one) / (1 + samples).

        Parameters
        ----------
        samples : int
            99 tell p = .01 from p = .02.
        seed : int
            Of samples and starts.
        starts : int
            Of each fit, of the table and of every sample.
        enough : int, optional
            Stop when so many samples have reached the observed ratio: p is then large, and more samples would only say
            how large (Besag and Clifford 1991, Biometrika 78, 301-304).  Whether p is at most enough / (samples + 1)
            is not changed by it.
        progress : function of (int, int), optional
            Told (samples done, samples in all).
        workers : int
            Processes; the result is the same for any number.

        Returns
        -------
        ClassTest
            `p`, `ratio`, `ratios` of the samples, and how many samples `failed`.

        Raises
        ------
        InputError
            Numbers that are not positive, or weights that are no whole numbers of persons.
        TooLargeError
            Answers can only be drawn by listing all that are possible, and there are too many.

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

    # -- changed ---------------------------------------------------------------------------------------------

    def with_reference(self, reference: str) -> ClassFit:
        """The same fit with another reference item in every class.

        Parameters
        ----------
        reference : str
            The item whose parameters are 0, or "sum".

        Returns
        -------
        ClassFit

        Raises
        ------
        InputError
            Abilities come from item covariates, or some items differ between classes and others do not: against
            another item others would.
        ItemError
            No such item.
        """
        items = [t.by for t in self.terms if t.kind == "item"]
        if any(items.count(by) != len(self.items) for by in set(items)):
            known = "an item" if reference == "sum" else f"reference={reference!r}"
            raise InputError(
                f"random={', '.join(self.of_answers.random)} says which items differ between classes against"
                f" {self.spec.reference}; against {'their mean' if reference == 'sum' else 'another'} others would: fit"
                f" again with {known}{' as the reference' if reference == 'sum' else ''}"
            )
        found = super().with_reference(reference)
        assert isinstance(found, ClassFit)
        return found

    def clustered(
        self,
        *columns: str,
        kind: Literal["CR0", "CR1", "CR2"] = "CR1",
        missing: Literal["refuse", "own"] = "refuse",
    ) -> ClassFit:
        """The same fit with standard errors, of shares too, that hold if the model is wrong.

        Parameters are those of :meth:`pairproof.fit.results.answer_fit.AnswerFit.clustered`.

        Raises
        ------
        InputError
            As there; or a class has collapsed, so that there are none.
        """
        if np.isnan(self.of_classes.covariance).any():
            raise InputError(
                f"no standard errors: {self.warnings[-1] if self.warnings else 'the information is singular'}"
            )
        found = super().clustered(*columns, kind=kind, missing=missing)
        assert isinstance(found, ClassFit)
        law = replace(self.numbers.law, outward=self.of_classes.outward)
        numbers = replace(self.numbers, law=law)
        robust = clusters_of(self, self.respondents, numbers, columns, kind, missing)
        covariance = robust.covariance.between(np.eye(self.n_classes))
        return replace(found, of_classes=replace(self.of_classes, covariance=covariance))

    # -- shown -----------------------------------------------------------------------------------------------

    def summary(self, rows: int = 60) -> str:
        """The fit as text, at most 100 columns wide.

        Parameters
        ----------
        rows : int
            Most parameters shown.

        Returns
        -------
        str
        """
        return text.summary(
            self, self.of_answers, self.respondents, self.numbers, rows, self._classes_shown()
        )

    def _classes_shown(self) -> list[str]:
        """Shares and local maxima, as lines."""
        if self.n_classes == 1:
            return []
        table = self.class_table()
        lines = [f"{'Classes':<13}{'share':>9}{'se':>9}{'2.5 %':>9}{'97.5 %':>9}{'persons':>10}"]
        for row in table.itertuples(index=False):
            numbers = "".join(f"{x:>9.4f}" if np.isfinite(x) else f"{'-':>9}" for x in row[1:5])
            lines.append(f"{label(row[0]):<13}{numbers}{row[5]:>10.1f}")
        return [*lines, self.optima_in_words]

    @property
    def optima_in_words(self) -> str:
        """How many starts ended at which maximum."""
        (best, n), *others = self.optima
        told = f"Maximum: {best:.4f}, reached from {n} of {self.of_classes.starts} starts"
        if others:
            some = ", ".join(f"{value:.4f} ({m})" for value, m in others[:4])
            more = f" and {len(others) - 4} more" if len(others) > 4 else ""
            told += f"; other local maxima: {some}{more}"
        lost = self.of_classes.starts - sum(m for _, m in self.optima)
        return told + (f"; {lost} starts ended nowhere" if lost else "")

    def to_dict(self) -> dict[str, Any]:
        """The fit as a JSON object; `classes` beside the keys of other fits of whole answers.

        Returns
        -------
        dict
        """
        errors = [float(e) if np.isfinite(e) else None for e in self.share_errors]
        return {
            **super().to_dict(),
            "classes": {
                "shares": self.of_classes.shares.tolist(),
                "share_errors": errors,
                "optima": [[value, n] for value, n in self.optima],
                "starts": self.of_classes.starts,
                "seed": self.of_classes.seed,
                "collapsed": list(self.collapsed),
                "random": list(self.of_answers.random),
            },
        }
