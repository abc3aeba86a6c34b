"""The families of models: what each is called, its scale, and the item it takes as its reference.

A log-linear model has lambdas, a Bradley-Terry model has log-odds, which are twice as large.  Whatever
differs between the families is defined here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

#: Families of models of comparisons, and all families, those of whole answers too.
PairFamilyName = Literal["llbt", "bradley-terry"]
FamilyName = Literal[PairFamilyName, "pattern", "plackett-luce"]
Ties = Literal["davidson", "rao-kupper", "half", "drop", "none"]
Scale = Literal["lambda", "log-odds"]

#: Log worth per unit of an item term: log pi = 2 lambda (Dras 2015, section 5), log pi = log-odds.
LOG_WORTH_PER_UNIT: Mapping[str, float] = {"lambda": 2.0, "log-odds": 1.0}
#: How ties are treated, as a title says it.
TIES_IN_WORDS: Mapping[Ties, str] = {
    "davidson": "Davidson ties",
    "rao-kupper": "Rao-Kupper ties",
    "half": "ties as half wins",
    "drop": "ties dropped",
    "none": "tie parameter held at 0",
}


@dataclass(frozen=True)
class Family:
    """A family of models.

    name: in Python, on the command line, in claims files and in JSON.  title: in headings.  scale: of its
    estimates.  last_is_reference: whether the default reference is the last item, as in prefmod; else it is
    the first, as in BradleyTerry2.  glm_of_wins: as what R fits it where no tie is modelled: a Poisson model
    of all counts (gnm), or a binomial model of wins against losses (glm).
    """

    name: FamilyName
    title: str
    scale: Scale
    last_is_reference: bool
    glm_of_wins: Literal["poisson", "binomial"]

    def usual_reference(self, items: Sequence[str]) -> str:
        """The item whose ability is 0 unless another is asked for."""
        return items[-1 if self.last_is_reference else 0]


FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family("llbt", "LLBT", "lambda", last_is_reference=True, glm_of_wins="poisson"),
        Family("bradley-terry", "Bradley-Terry", "log-odds", last_is_reference=False, glm_of_wins="binomial"),
    )
}
#: Families of models of whole answers: of all comparisons of a person, of rankings, of ratings.
ANSWER_FAMILIES: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family("pattern", "Pattern model", "lambda", last_is_reference=True, glm_of_wins="poisson"),
        Family("plackett-luce", "Plackett-Luce", "log-odds", last_is_reference=False, glm_of_wins="poisson"),
    )
}
