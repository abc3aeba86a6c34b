"""The specification of a Bradley-Terry model with a formula of abilities (`ContestSpec`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...data.options import one_of
from ..family import TIES_IN_WORDS
from ..spec import ModelSpec

#: P(first preferred) = F(difference of abilities): F of the logistic, normal or Cauchy distribution.
LinkName = Literal["logit", "probit", "cauchit"]
#: Whose bias is reduced: the mean's (Firth 1993), the median's, or Jeffreys' prior is the penalty.
Reduction = Literal["", "mean", "median", "jeffreys"]
#: What is estimated: the likelihood, or with random effects its approximation.
Method = Literal["ml", "laplace", "quadrature", "pql"]
METHODS_IN_WORDS = {"laplace": "by Laplace's approximation", "quadrature": "by quadrature", "pql": "by PQL"}


@dataclass(frozen=True)
class ContestSpec(ModelSpec):
    """The specification of a Bradley-Terry model with a formula of abilities.

    Other attributes are those of :class:`pairproof.fit.spec.ModelSpec`.

    formula: as written; what it says is in `item_terms` and `comparison_terms`, which are columns of the
    table.  offset: column of the table that is added to the linear predictor; "" for none.  weights: column
    by which the counts were multiplied; "" for none.  random: random effects: "item", "item:judge".
    tie_shift, tie_scale: whether Davidson's ties are shifted by who is named first, or scaled.  no_abilities:
    whether items have neither free abilities nor item covariates: random effects alone.  derived: item
    covariates and columns of the table that the formula made.
    """

    formula: str = ""
    link: LinkName = "logit"
    offset: str = ""
    weights: str = ""
    reduction: Reduction = ""
    random: tuple[str, ...] = ()
    method: Method = "ml"
    tie_shift: bool = False
    tie_scale: bool = False
    no_abilities: bool = False
    derived: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("link", self.link, ("logit", "probit", "cauchit"))
        one_of("reduce_bias", self.reduction, ("", "mean", "median", "jeffreys"))
        one_of("method", self.method, ("ml", *METHODS_IN_WORDS))

    @property
    def is_plain(self) -> bool:
        """Whether the model is a logit without offset, by plain maximum likelihood."""
        return (
            self.link == "logit"
            and self.method == "ml"
            and not (self.offset or self.reduction or self.tie_shift or self.tie_scale)
        )

    @property
    def has_worths(self) -> bool:
        """Whether the link is the logit."""
        return self.link == "logit"

    @property
    def has_clustered(self) -> bool:
        """Whether there are standard errors by cluster, CR2 too; see :func:`.refused.clusters_exist`."""
        return not (self.random or self.tie_shift or self.tie_scale or self.link == "cauchit")

    @property
    def has_refits(self) -> bool:
        """Whether the bootstrap and the wild test have it: plain maximum likelihood of the logit only."""
        return self.is_plain

    @property
    def scale_in_words(self) -> str:
        """What a difference of abilities is under another link than the logit."""
        cdf = {"probit": "Phi(A - B), Phi the normal distribution", "cauchit": "1/2 + atan(A - B)/pi"}
        return "" if self.has_worths else f"{self.link}: P(A preferred to B) = {cdf[self.link]}"

    @property
    def errors_in_words(self) -> str:
        """Which information the standard errors are of."""
        if self.method == "pql":
            return "penalised quasi-likelihood, sigma taken as known"
        if self.reduction:
            return "expected information of the plain likelihood"
        return "observed information of the marginal likelihood" if self.random else "observed information"

    @property
    def likelihood_in_words(self) -> str:
        """What the likelihood is of."""
        if self.method == "pql":
            return "none: penalised quasi-likelihood"
        return "marginal, random effects integrated out" if self.random else super().likelihood_in_words

    @property
    def without_goodness(self) -> str:
        """Why there is no chi-square test of the deviance."""
        if self.random:
            return "no goodness of fit: with random effects the deviance has no chi-square distribution"
        if self.reduction:
            return "no goodness of fit: estimates with reduced bias do not minimise the deviance"
        return ""

    @property
    def stated(self) -> Mapping[str, Any]:
        """Keys of the JSON of a fit: formula, link, offset, weights, reduce_bias, random, method."""
        return {
            "formula": self.formula,
            "link": self.link,
            "offset": self.offset or None,
            "weights": self.weights or None,
            "reduce_bias": self.reduction or None,
            "random": list(self.random),
            "method": self.method,
        }

    @property
    def constraint(self) -> str:
        """What fixes the level of the abilities, in words."""
        if not self.no_abilities:
            return super().constraint
        return "abilities from random effects" if self.random else "all items equally able"

    @property
    def words(self) -> str:
        """The model in words: `Bradley-Terry, probit, SVL + (1 | item), by Laplace's approximation`."""
        parts = [self.of_family.title]
        if self.link != "logit":
            parts.append(self.link)
        if self.ties != "none":
            parts.append(TIES_IN_WORDS[self.ties] + self._tie_words)
        if self.formula:
            parts.append(self.formula.strip().lstrip("~").strip())
        elif self.item_terms:
            parts.append(f"items by {', '.join(self.item_terms)}")
        if self.by:
            parts.append(f"by {self.by}")
        if self.order_effect:
            parts.append("order effect")
        if self.comparison_terms and not self.formula:
            parts.append(f"comparison terms {', '.join(self.comparison_terms)}")
        if self.offset and "offset(" not in self.formula:
            parts.append(f"offset {self.offset}" if self.offset != "offset" else "offset")
        if self.weights:
            parts.append(f"weights {self.weights}")
        if self.random and "|" not in self.formula:
            parts.append(f"random {' and '.join(self.random)}")
        if self.reduction:
            parts.append(
                "penalised by Jeffreys' prior"
                if self.reduction == "jeffreys"
                else f"{self.reduction} bias reduced"
            )
        if self.random:
            parts.append(METHODS_IN_WORDS[self.method])
        if self.pseudo_comparisons:
            parts.append(self.pseudo_comparisons)
        return ", ".join(parts)

    @property
    def _tie_words(self) -> str:
        found = [word for word, there in (("shifted", self.tie_shift), ("scaled", self.tie_scale)) if there]
        return f" ({' and '.join(found)})" if found else ""
