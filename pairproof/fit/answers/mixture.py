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
