"""Whether numbers are evidence for a reading: more of them must come out by it than it has parameters to
choose.

A solver may stop after any step, of either of two algorithms, and its steps lie ever more densely about the
maximum: a lone deviance that was changed at random "comes out" after some step about every other time.  So a
reading in which a solver stops early counts only if more numbers that do not come out as they stand come out
by it than it has slips, each of which chose something (the step among them).  Numbers that say the same count
once: deviance, llf and AIC are one number and its constants, and so are estimate, z and p of a parameter.

And every reading that is tried may fit by chance.  A number of d significant digits is hit by about one
reading in 10^d, so m readings hit numbers with D digits between them m / 10^D times; if that is more than
`BY_CHANCE`, a reading that fits is no explanation, though it is the only one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..claims.quantities import Quantity
from ..slips.registry import Slip
from .definitions import significant_digits

#: Slips that choose a step at which a solver stopped.
STOPS = ("stopped-early",)
_OF_THE_FIT = (
    "deviance",
    "null_deviance",
    "llf",
    "llf_poisson",
    "aic",
    "aic_glm",
    "bic",
    "gof_p",
    "pearson",
    "pearson_p",
    "lr",
    "lr_p",
)


#: Fits by chance up to which a single reading that fits is called an explanation.
BY_CHANCE = 0.05


def digits_between(numbers: Iterable[tuple[str, str, str]]) -> int:
    """Significant digits of (claim, quantity, printed text), those that say the same counted once."""
    most: dict[tuple[str, str], int] = {}
    for claim, quantity, text in numbers:
        said = _says(claim, quantity)
        most[said] = max(most.get(said, 0), significant_digits(text))
    return sum(most.values())


def independent(numbers: Iterable[tuple[str, str]]) -> int:
    """How many of these numbers, (claim, quantity), say something of their own."""
    return len({_says(*number) for number in numbers})


def _says(claim: str, quantity: str) -> tuple[str, str]:
    q = Quantity.parse(quantity)
    return claim, "" if q.kind in _OF_THE_FIT else q.place or q


def enough(slips: Sequence[Slip], off: Iterable[tuple[str, str]]) -> bool:
    """Whether the numbers that were off, and come out by these slips, are evidence for them."""
    return not any(s.name in STOPS for s in slips) or independent(off) > len(slips)
