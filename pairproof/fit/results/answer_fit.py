"""`AnswerFit`, the name that a :class:`pairproof.Fit` of whole answers once had."""

from ..fit import Fit

AnswerFit = Fit
