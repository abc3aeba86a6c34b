"""`ContestFit`, the name that a :class:`pairproof.Fit` with a part of contests once had."""

from ..fit import Fit

ContestFit = Fit
