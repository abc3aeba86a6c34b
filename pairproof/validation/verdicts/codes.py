"""The codes that say, in one fixed word each, why a row has its verdict.

A row's explanation is a sentence for people and may be reworded at any time; its code is what programs and
`accept` in a claims file go by.  Beside the codes listed here a row can carry the name of a known slip
(`pair-order`, `stopped-early`, ...; :mod:`pairproof.validation.slips`), several joined by "+", or the name
of a reading that the claims file itself gives.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

#: Code -> what it says of the row.
CODES: dict[str, str] = {
    # a printed number against the computed one
    "other-value": "the computed number prints otherwise",
    "other-sign": "the computed number has the other sign",
    "other-order": "the items are printed in another order than computed",
    "other-significance": "significant at the claim's level as printed or as computed, but not both",
    "significance-mark": "the printed star or mark does not belong to the computed p-value",
    "truncated": "agrees only if the computed number is cut off and not rounded",
    "idle-zeros": "agrees if the zeros that end a printed integer are no digits",
    "rounded-half": "lies half-way between two prints, and agrees by one rule of rounding",
    "rounding-error": "the print is what rounding left of a deviance that is 0 by definition",
    "ambiguous": "several readings give the printed numbers",
    "not-estimable": "the data do not determine the number",
    "no-outcomes": "the outcomes of the comparisons are not at hand",
    # other programs' definitions of one and the same fit
    "cells": "deviance and df are taken on other cells",
    "aic-constant": "logLik and AIC have the constants that R's glm or gnm adds",
    "deviance-is-log-likelihood": "the deviance is minus twice the log-likelihood",
    "wald-sigma": "sigma = 0 is tested by z = sigma / se, which is not normal at the end of sigma's range",
    "expected-information": "standard errors are those of the expected information, as R's glm has them",
    # printed numbers against each other
    "arithmetic": "follows, or should follow, from numbers printed beside it",
    "win-totals": "the expected totals of wins that the printed abilities imply",
    # statements
    "false": "the data say otherwise",
    "misleading": "true to the letter, and the reader concludes the opposite",
    "erratum": "a slip of the pen from which nothing follows",
    "stated": "the verdict is a person's: the claims file gives it, nothing was computed",
    "no-counts": "the counts are not printed: only what every possible table has in common was looked at",
    "tied": "numbers that are printed alike may stand in either order",
    "equation-6-on-votes": "the paper's equation 6, made for sentences, is applied to votes",
    "not-told-apart": "the order of the means is as said, and they cannot be told apart",
    "lowest-throughout": "lowest at every size, not nearest to its own limit",
    "larger-samples": "comes out for larger samples only",
    "smaller-sample": "comes out for the smaller sample only",
    "other-training-sets": "comes out for some random training sets",
    "other-annotators": "comes out for some simulated annotators and not for others",
    "independent-answers": "comes out if answers are independent, not if those of a judge or source go together",
    "no-clusters": "the table does not say which answers go together, so they cannot be clustered",
    "one-cluster": "one judge or source alone determines the number: clustering gives it no standard error",
    # computations
    "rounded-twice": "the print is what a number gives that was rounded once before",
    "infinite-estimate": "the estimate is infinite, and the print depends on when R stopped",
    "no-native-model": "native has no such model: the numbers are R's alone",
    # native against R and against 50-digit values
    "r-stopped-early": "R stopped short of the maximum, so its number checks nothing",
    "r-not-converged": "R itself says that it did not converge, so its number checks nothing",
    "r-towards-infinity": "R stopped on its way to an infinite estimate",
    "r-has-no-value": "R gives no number where native has one",
    "r-has-a-value": "R gives a number for what is not estimable",
    "r-is-wrong": "R's number is wrong, or of another definition, for a reason that is known",
    "few-digits": "native and R agree to fewer digits than the floor",
    "few-certified-digits": "native and the 50-digit value agree to fewer digits than the floor",
    "native-not-at-maximum": "the score at native's own estimates is not 0",
    "native-standard-errors": "native's standard errors are not those of the information",
    "not-returned": "the R call gives this kind of number for others and not for this one",
    "drift": "R's live answer is not the recorded one",
    "sampled": "means of draws, judged by their Monte Carlo errors and not by digits",
    "monte-carlo": "integrals by points drawn at random, judged by their errors and not by digits",
    "one-side-only": "only one of the two fits has the number",
    # what did not run
    "r-error": "R stops on this table with an error of its own that is known",
    "not-asked": "not asked of R: by a rule on the size or kind of table, or because R was not wanted",
    "no-r-model": "no R function that was asked for has the model",
    "no-counterpart": "no R package has the model, or fits another one to this table",
    "r-not-run": "an R call that should have run did not",
    "native-not-run": "the native fit did not run",
    "computation-not-run": "the computation of the claim's numbers did not run",
    "test-not-run": "the test of the statement did not run",
}

#: Codes of numbers of an R call that did not reach its maximum.
R_STOPPED = ("r-stopped-early", "r-not-converged", "r-towards-infinity")
#: Codes that say only *that* numbers differ.  To accept one would be to accept any number.
ONLY_DIFFERENT = (
    "other-value",
    "other-sign",
    "other-order",
    "other-significance",
    "significance-mark",
    "few-digits",
    "few-certified-digits",
    "native-not-at-maximum",
    "native-standard-errors",
    "one-side-only",
)


def join(codes: Sequence[str]) -> str:
    """The code of several reasons that hold together: ``cells+aic-constant``."""
    return "+".join(codes)


def accepts(accept: Collection[str], code: str) -> bool:
    """Whether `accept`, the codes that a person agreed with, holds this code, or all the codes it joins."""
    return bool(code) and (code in accept or all(part in accept for part in code.split("+")))
