"""How many latent classes: a parametric bootstrap of the likelihood ratio of K against K + 1.

The likelihood ratio of K + 1 classes has no chi-square distribution, because K of them lie on the boundary.
McLachlan (1987, Applied Statistics 36, 318-324) draws samples from the model with K classes, fits both models
to each, and takes

    p = (1 + number of samples whose ratio is at least the observed one) / (1 + samples).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....errors import ConvergenceError, InputError, NotEstimableError
from ..drawn import Draw
from ..likelihood import Likelihood
from .fit import LatentClasses, fit_classes

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

#: From a person's answers to the likelihood of the pooled ones, their weights, and the parameters' names.
Build = Callable[[IntArray], tuple[Likelihood, FloatArray, tuple[str, ...]]]


@dataclass(frozen=True, eq=False)
class ClassTest:
    """A bootstrap test of K classes against K + 1.

    Attributes
    ----------
    fewer, more : LatentClasses
        The two fits.
    ratios : float[n]
        Likelihood ratios of the samples that could be fitted.
    failed : int
        Samples in which a parameter of a single class was infinite: they are left out.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> from pairproof.native.patterns.classes.bootstrap import ClassTest
    >>> fewer, more = SimpleNamespace(llf=-10.0), SimpleNamespace(llf=-8.0)
    >>> ClassTest(fewer, more, np.array([1.0, 3.0, 5.0]), 0).p  # one of three is above 4
    0.5
    """

    fewer: LatentClasses
    more: LatentClasses
    ratios: FloatArray
    failed: int

    @property
    def ratio(self) -> float:
        """Twice the difference of the log-likelihoods."""
        return 2.0 * (self.more.llf - self.fewer.llf)

    @property
    def p(self) -> float:
        """The p-value, 1 / (samples + 1) at least."""
        # Ratios that differ by rounding are the same sample.
        return float((1 + (self.ratios >= self.ratio - 1e-8).sum()) / (1 + len(self.ratios)))


def class_test(
    answers: IntArray,
    build: Build,
    draw: Draw,
    n_classes: int,
    samples: int = 99,
    starts: int = 10,
    seed: int = 0,
) -> ClassTest:
    """Test K classes against K + 1.

    Parameters
    ----------
    answers : int[n_persons, m]
        One row a person.
    build : function
        From answers to their likelihood, for example by
        :func:`pairproof.native.patterns.comparisons.fit.comparison_likelihood`.
    draw : function
        From parameters float[n_persons, p] and a random generator to answers.
    n_classes : int
        K, 1 or more.
    samples : int
        Of the bootstrap.
    starts : int
        Of each fit.
    seed : int
        Of starts and samples.

    Returns
    -------
    ClassTest

    Raises
    ------
    InputError
        The number of samples is not positive.
    NotEstimableError
        The model of one class has parameters that are infinite or cannot be told apart.
    ConvergenceError
        No start reached a maximum.

    Examples
    --------
    >>> import numpy as np
    >>> from pairproof.native.patterns.classes.bootstrap import class_test
    >>> from pairproof.native.patterns.comparisons.fit import comparison_likelihood
    >>> from pairproof.native.patterns.drawn import draw_comparisons
    >>> from pairproof.native.patterns.maps import main_effects
    >>> terms, group = [main_effects("ABC")], np.zeros(80, dtype=int)
    >>> sides = np.where(np.arange(80) < 40, 1.5, -1.5)[:, None] * np.array([1.0, 0.5])
    >>> answers = draw_comparisons(sides, terms, group, np.random.default_rng(1))
    >>> def build(drawn):
    ...     likelihood, pooled, names = comparison_likelihood(drawn, terms)
    ...     return likelihood, pooled.weights, names
    >>> test = class_test(answers, build, lambda phi, draws: draw_comparisons(phi, terms, group, draws), 1, 19, 3)
    >>> test.p
    0.05
    """
    if samples < 1:
        raise InputError(f"{samples} bootstrap samples; expected 1 or more")
    fewer, more = (_fitted(answers, build, k, starts, seed) for k in (n_classes, n_classes + 1))
    draws = np.random.default_rng([seed, 1])
    ratios, failed = [], 0
    for _ in range(samples):
        member = draws.choice(n_classes, p=fewer.shares / fewer.shares.sum(), size=len(answers))
        sample = draw(fewer.phi[member], draws)
        try:
            one, two = (_fitted(sample, build, k, starts, seed) for k in (n_classes, n_classes + 1))
        except (NotEstimableError, ConvergenceError):
            failed += 1
            continue
        ratios.append(2.0 * (two.llf - one.llf))
    return ClassTest(fewer, more, np.array(ratios), failed)


def _fitted(answers: IntArray, build: Build, k: int, starts: int, seed: int) -> LatentClasses:
    likelihood, weights, names = build(answers)
    return fit_classes(likelihood, weights, names, k, starts=starts, seed=seed)
