"""`MixedFit`, the name that a :class:`pairproof.Fit` with random effects once had."""

from ..fit import Fit

MixedFit = Fit
