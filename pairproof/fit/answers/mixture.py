"""What a fit of latent classes holds beside that of one class, and the test of their number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from .numbers import FloatArray, IntArray, Predicted

#: Likelihood ratios that differ by less are equal: rounding leaves 1e-10 of thousands.
ROUNDING = 1e-8


@dataclass(frozen=True, eq=False)
class ClassTest:
    """A bootstrap test of K classes against K + 1.

    Attributes
    ----------
    n_classes : int
        K.
    llf, llf_more : float
        Log-likelihoods of both fits.
    ratios : float[n]
        Likelihood ratios of the samples that could be fitted.
    failed : int
        Samples in which a parameter of a single class was infinite: they are left out.

    References
    ----------
    McLachlan (1987), Applied Statistics 36, 318-324.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.fit.answers.mixture import ClassTest
    >>> print(ClassTest(1, -10.0, -8.0, np.array([1.0, 3.0, 5.0]), 0))  # one of three is above 4
    1 class against 2: likelihood ratio 4.0000, bootstrap p = 0.5 (3 samples)
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

    Attributes
    ----------
    classes : sequence of Predicted
        Of each class.
    shares : float[K]
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

    Attributes
    ----------
    shares : float[K]
        Share of persons in each class, the largest first.
    covariance : float[K, K]
        Of the shares, from the observed information of the mixture; nan where there is none.
    influence : float[n, K]
        What a person of weight 1 with each distinct answer moves the shares by.
    posterior : float[n, K]
        Probabilities of the classes given each distinct answer.
    optima : tuple of (float, int)
        Log-likelihoods of the maxima that were found, best first, and how many starts ended there.
    starts : int
        Starts that were made; some may have ended nowhere.
    seed : int
        Of the starts.
    collapsed : tuple of str
        Parameters that are infinite.
    tester : ClassTester
        Makes the bootstrap test.
    """

    shares: FloatArray
    covariance: FloatArray
    influence: FloatArray
    posterior: FloatArray
    optima: tuple[tuple[float, int], ...]
    starts: int
    seed: int
    collapsed: tuple[str, ...]
    tester: ClassTester
