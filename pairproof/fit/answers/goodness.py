"""Chi-square tests of models of whole answers, and the reasons not to make them.

Both tests compare with free probabilities of every possible answer.  With J items there are J! rankings or 3 to
the power J(J-1)/2 answers to comparisons, and with fewer persons than that neither has a chi-square
distribution (Koehler and Larntz 1980, JASA 75, 336-344).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ...text import count_words
from .. import inference
from .numbers import AnswerNumbers

#: Mean expected count below which no p-value is given, and below which it is called rough (Cochran 1954,
#: Biometrics 10, 417-451, has 1 and 5 for single cells).
TOO_FEW, FEW = 1.0, 5.0


def goodness(numbers: AnswerNumbers, deviance: float, df: int, quasi: bool) -> inference.GoodnessOfFit:
    """Deviance and Pearson's X^2 against a chi-square.

    quasi: whether the estimate maximises something else than the likelihood.  Returns GoodnessOfFit: p-values
    are nan where no chi-square holds; `caution` then says why.
    """
    answers = numbers.possible.sum()
    mean = float(Fraction(numbers.n_persons) / Fraction(answers))
    told = f"{numbers.n_persons:.10g} persons, {count_words(answers)} possible answers"
    if df <= 0:
        why = "the model is saturated (0 df), there is nothing left to test"
    elif not numbers.adds_up:
        why = (
            "rankings of some of the items with ties: a tie decides how many items are ranked, so that nothing says"
            " which other answers a person could have given"
        )
    elif quasi:
        why = "pseudo-comparisons or a prior move the estimate away from the maximum"
    elif mean < TOO_FEW:
        why = f"{told}: too few for a chi-square"
    else:
        caution = f"{told}: the chi-square is rough below {FEW:g} persons an answer" if mean < FEW else ""
        return inference.GoodnessOfFit(
            deviance,
            numbers.pearson,
            df,
            inference.chi_square_p(deviance, df),
            inference.chi_square_p(numbers.pearson, df),
            caution,
        )
    return inference.GoodnessOfFit(deviance, numbers.pearson, df, np.nan, np.nan, f"no p-value: {why}")
