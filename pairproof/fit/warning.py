"""Warnings of a fit as values: a kind, the parameters concerned, and a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "rankings-as-pairs",  # pairs of rankings, fitted as if they were independent
    "level-left-out",  # a level of a covariate without comparisons
    "codes-as-slope",  # few whole numbers, perhaps codes of categories, taken as a slope
    "ties-dropped",
    "ties-as-half-wins",
    "own-ability",  # an item without a value of an item covariate has an ability of its own
    "no-ties",  # a tie category, but no tie: the tie parameter is minus infinity
    "tie-at-boundary",  # the same under Rao and Kupper: the tie parameter is at its boundary 0
    "separated",  # estimates are infinite
    "not-connected",  # items that no chain of comparisons joins
    "another-reference",  # with_reference: over what the sum runs, or that the reference has no number itself
    "not-identified",  # effects, or latent classes, that cannot be told from one another
    "local-maxima",  # the best maximum of a mixture was reached from one start only
    "not-estimable",  # in JSON: parameters without a number that no other warning is about
    "no-worth",  # in JSON: groups whose items cannot all be compared
    "cancels",  # a term of a formula that is the same for both items of every comparison
    "sigma-at-zero",  # random effects whose variance is estimated as 0
    "sigma-unbounded",  # wins without a cycle: the data bound sigma from below only
    "methods-part",  # random effects of which PQL, Laplace and quadrature say different things
    "quasi-likelihood",  # penalised quasi-likelihood, which is biased and has no likelihood
    "pseudo-comparisons",  # the table holds results nobody observed, as a prior
    "as-prefmod",  # fitted with defects of prefmod, which `compat` asked for
    "clusters",  # in JSON: answers of a judge or about a source go together, or clusters are few
    "one-cluster",  # in JSON: parameters that one cluster alone determines
    "no-spread",  # in JSON: parameters of which all clusters say exactly the same
    "too-large",  # in JSON: what was too large to be worked out or written
]
#: Kinds that give the reason why a parameter has no estimate.
WITHOUT_ESTIMATE: tuple[Kind, ...] = ("no-ties", "separated", "not-connected", "not-identified")


@dataclass(frozen=True)
class FitWarning:
    """A warning about the results of a fit.

    kind: one of the kinds listed in this module, for programs to test.  text: the sentence, which is also
    ``str()`` of the warning.  terms: names of the parameters it is about; empty if it is about all of them.
    """

    kind: Kind
    text: str
    terms: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


def listed(names: Sequence[str], most: int) -> str:
    """At most `most` names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
