"""Whether numbers are evidence for a reading: more of them must come out by it than it has parameters to choose.

A solver may stop after any step, of either of two algorithms, and its steps lie ever more densely about the maximum: a
lone deviance that was changed at random "comes out" after some step about every other time.  So a reading in which a
solver stops early counts only if more numbers that do not come out as they stand come out by it than it has slips, each
of which chose something (the step among them).  Numbers that say the same count once: deviance, llf and AIC are one number
and its constants, and so are estimate, z and p of a parameter.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .quantities import kind_of
from .slips import Slip

#: Slips that choose a step at which a solver stopped.
STOPS = ("stopped-early",)
_OF_THE_FIT = ("deviance", "null_deviance", "llf", "llf_poisson", "aic", "aic_glm", "bic", "gof_p", "pearson", "pearson_p", "lr", "lr_p")


def independent(numbers: Iterable[tuple[str, str]]) -> int:
    """How many of these numbers, (claim, quantity), say something of their own."""
    return len({(claim, "" if kind_of(q) in _OF_THE_FIT else q.partition(".")[2] or q) for claim, q in numbers})


def enough(slips: Sequence[Slip], off: Iterable[tuple[str, str]]) -> bool:
    """Whether the numbers that were off, and come out by these slips, are evidence for them."""
    return not any(s.name in STOPS for s in slips) or independent(off) > len(slips)
