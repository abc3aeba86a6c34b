"""The likelihood-ratio test of two models of contests, and when there is none."""

from __future__ import annotations

from ...errors import ComparisonError
from .. import inference, nesting
from ..record import FitRecord
from ..shown.text import title
from .spec import ContestSpec

#: What has to be the same in both models, and what it is called.
SAME = {
    "link": "links",
    "offset": "offsets",
    "random": "random effects",
    "method": "methods",
    "weights": "weights",
}


def likelihood_ratio(fit: FitRecord, other: FitRecord) -> inference.LikelihoodRatio:
    """Likelihood-ratio test of two fits of the same contests.

    fit, `other`: one at least of contests.
    """
    for one in (fit, other):
        spec = one.spec
        if isinstance(spec, ContestSpec) and spec.reduction:
            raise ComparisonError(
                f"{title(one)}: its log-likelihood is not the greatest, so that no ratio of it is a test; compare fits by"
                " maximum likelihood"
            )
        if isinstance(spec, ContestSpec) and spec.method == "pql":
            raise ComparisonError(
                f"{title(one)}: penalised quasi-likelihood has no log-likelihood; fit with method='laplace'"
            )
    for name, words in SAME.items():
        values = [
            getattr(one.spec, name, {"link": "logit", "method": "ml"}.get(name, ())) or ""
            for one in (fit, other)
        ]
        if values[0] != values[1]:
            raise ComparisonError(
                f"the models are not nested: their {words} differ ({_words(values[0])} against {_words(values[1])})"
                + ("; fit.p_sigma tests sigma = 0" if name in ("random", "method") else "")
            )
    larger, smaller = (fit, other) if fit.rank >= other.rank else (other, fit)
    for option in ("tie_shift", "tie_scale"):
        if getattr(smaller.spec, option, False) and not getattr(larger.spec, option, False):
            raise ComparisonError(f"the models are not nested: the smaller one alone has {option}")
    return nesting.likelihood_ratio(fit, other)


def _words(value: object) -> str:
    if isinstance(value, tuple):
        return " and ".join(map(str, value)) or "none"
    return str(value) or "none"
