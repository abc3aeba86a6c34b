"""`ClassFit`, the name that a :class:`pairproof.Fit` of latent classes once had."""

from ..fit import Fit

ClassFit = Fit
