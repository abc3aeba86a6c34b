"""How many latent classes: a parametric bootstrap of the likelihood ratio of K against K + 1.

The likelihood ratio of K + 1 classes has no chi-square distribution, because K of them lie on the boundary.
McLachlan (1987, Applied Statistics 36, 318-324) draws samples from the model with K classes, fits both models
to each, and takes

    p = (1 + number of samples whose ratio is at least the observed one) / (1 + samples).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....errors import ConvergenceError, InputError, NotEstimableError
from ....fit.answers.mixture import ROUNDING, ClassTest
from ...numerics.processes import in_order
from ..drawn import Draw
from ..estimate import maximum_likelihood
from ..likelihood import Likelihood
from .fit import LatentClasses, fit_classes

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class Built(NamedTuple):
    """The likelihood of some answers.

    likelihood: of the pooled answers.  weights float[n].  names: of the p parameters.  single float[p]:
    estimate of one class, if it is there already.
    """

    likelihood: Likelihood
    weights: FloatArray
    names: tuple[str, ...]
    single: FloatArray | None = None


#: From a person's answers to their likelihood.
Build = Callable[[IntArray], Built]


def class_test(
    answers: IntArray,
    build: Build,
    draw: Draw,
    n_classes: int,
    samples: int = 99,
    starts: int = 10,
    seed: int = 0,
    random: BoolArray | None = None,
    progress: Callable[[int, int], None] | None = None,
    workers: int = 1,
    enough: int | None = None,
) -> ClassTest:
    """Test K classes against K + 1.

    answers int[n_persons, m]: one row a person.  build: from answers to their likelihood, for example by
    :func:`pairproof.native.patterns.comparisons.fit.comparison_likelihood`.  draw: from parameters
    float[n_persons, p] and a random generator to answers.  n_classes: K, 1 or more.  samples: of the
    bootstrap.  starts: of each fit.  random bool[p]: which parameters differ between classes; all if not
    given.  workers: processes; with more than one `build` and `draw` must survive pickling.  The result is
    the same.  enough: stop when so many samples have reached the observed ratio.
    """
    if samples < 1:
        raise InputError(f"{samples} bootstrap samples; expected 1 or more")
    fitting = _Fitting(build, n_classes, random, starts, seed)
    fewer, more = fitting.both(answers)
    tasks = (_Task(fitting, draw, fewer.phi, fewer.shares, len(answers), b) for b in range(samples))
    observed, reached = 2.0 * (more.llf - fewer.llf), 0
    ratios: list[float] = []
    failed = 0
    for task, ratio in in_order(_ratio, tasks, workers):
        if ratio is None:
            failed += 1
        else:
            ratios.append(ratio)
            reached += int(ratio >= observed - ROUNDING)
        if progress is not None:
            progress(task.number + 1, samples)
        if enough is not None and reached >= enough:
            break
    if not ratios:
        raise ConvergenceError(
            f"none of {samples} samples from {n_classes} class{'' if n_classes == 1 else 'es'} could be fitted: in each a"
            " parameter is infinite. There are too few persons for this test"
        )
    return ClassTest(n_classes, fewer.llf, more.llf, np.array(ratios), failed)


@dataclass(frozen=True, eq=False)
class _Fitting:
    """Fits K and K + 1 classes to answers."""

    build: Build
    n_classes: int
    random: BoolArray | None
    starts: int
    seed: int

    def both(self, answers: IntArray) -> tuple[LatentClasses, LatentClasses]:
        likelihood, weights, names, single = self.build(answers)
        if single is None:
            single = maximum_likelihood(likelihood, weights, names, concave=False).phi
        fewer, more = (
            fit_classes(likelihood, weights, names, k, self.random, self.starts, self.seed, single)
            for k in (self.n_classes, self.n_classes + 1)
        )
        return fewer, more


@dataclass(frozen=True, eq=False)
class _Task:
    """A sample to be drawn and fitted, with a random stream of its own."""

    fitting: _Fitting
    draw: Draw
    phi: FloatArray
    shares: FloatArray
    n_persons: int
    number: int


def _ratio(task: _Task) -> float | None:
    """The likelihood ratio of a sample; None if it cannot be fitted."""
    draws = np.random.default_rng([task.fitting.seed, 1, task.number])
    member = draws.choice(len(task.shares), p=task.shares / task.shares.sum(), size=task.n_persons)
    try:
        fewer, more = task.fitting.both(task.draw(task.phi[member], draws))
    except (NotEstimableError, ConvergenceError):
        return None
    return 2.0 * (more.llf - fewer.llf)
