"""What R's PlackettLuce prints of Plackett and Luce's model otherwise than this package.

    deviance, df       -2 log L, and the choices of every stage of every ranking less the parameters; here a
                       deviance is against free probabilities of all rankings
    standard errors    with pseudo-rankings: of the information of the rankings alone, at the shrunken estimates;
                       here of what was maximised
    npseudo = 0.5      by default, said or not: half a win and half a loss more for every item

(Turner, van Etten, Firth and Kosmidis 2020, Computational Statistics 35, 1027-1057.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb

import numpy as np

from ...data.respondents.respondents import Respondents
from ...errors import PairproofError
from ...fit.estimates.covariance import DenseCovariance
from ...fit.fit import Fit
from ...numerics.arrays import FloatArray
from ..claims.data import fit_model
from ..claims.paper import Claim, ModelClaim, PrintedQuantity
from ..claims.quantities import Quantity, quantity
from .definitions import OF_ERROR, fewest_digits, significant_digits
from .verdict import PrintVerdict, judge_print

#: PlackettLuce's default, with which every item has won and lost.
DEFAULT = 0.5
#: Numbers of a page by which its prior can be told although one of them does not come out.
FEWEST = 4
#: Kinds of numbers that depend on standard errors.
OF_ERRORS = (*OF_ERROR, "worth_se", "contrast_se", "contrast_z", "contrast_p")
#: Kinds of numbers that no prior moves.
OF_DATA = ("df_resid", "df_null", "n_comparisons", "n_items", "wins")
_SAID = {
    "stages": "which takes -2 log L as the deviance, and the choices of every stage less the parameters as df",
    "data-information": "which leaves pseudo-rankings out of the information that gives standard errors",
    "default-prior": "which has npseudo = 0.5 unless it is told otherwise: half a win and half a loss more for every"
    " item, which shrink all estimates",
}
#: Digits that numbers must have together: by one other reading two are hit by chance once in a hundred pages.
FEWEST_DIGITS = 2


def may_have_prior(model: ModelClaim | None) -> bool:
    """Whether a page with this model may have been made with the default prior."""
    return (
        model is not None
        and model.family == "plackett-luce"
        and not (model.npseudo or model.prior or model.by)
    )


def model_of_page(
    claim: Claim, table: Respondents, fit: Fit | None, values: Mapping[str, float]
) -> ModelClaim:
    """The claim's model, or with R's default prior if that brings out every number, or all but one, of a page that
    does not say it.  fit: without the prior; None where there is none."""
    assert claim.model is not None
    if not may_have_prior(claim.model):
        return claim.model
    n = len(claim.numbers)
    own = -1 if fit is None else _n_out(claim, fit, values)
    if own == n:
        return claim.model
    with_prior = replace(claim.model, npseudo=DEFAULT)
    try:
        prior = fit_model(table, with_prior)
        shrunken: dict[str, float] = {q.quantity: quantity(prior, q.quantity) for q in claim.numbers}
    except PairproofError:
        return claim.model
    out = _n_out(claim, prior, shrunken)
    digits = sum(significant_digits(q.printed.text) for q in claim.numbers)
    # A misprint beside the prior is told from one without it only where fewer come out without it.
    found = out == n or out == n - 1 > own and n >= FEWEST
    return with_prior if found and digits >= fewest_digits(1) else claim.model


def _n_out(claim: Claim, fit: Fit, values: Mapping[str, float]) -> int:
    """How many numbers come out, as they stand or as PlackettLuce prints them."""
    theirs = values_of(fit, claim)
    ways = ((q, (values[q.quantity], theirs.get(q.quantity, math.nan))) for q in claim.numbers)
    return sum(any(_comes_out(claim, q, value) for value in two) for q, two in ways)


def by_plackett_luce(
    claim: Claim, fit: Fit, values: Mapping[str, float], judged: Mapping[str, PrintVerdict]
) -> dict[str, PrintVerdict]:
    """Numbers that come out as R's PlackettLuce prints them, and not as they stand, or not without its default prior."""
    if fit.answers is None or fit.spec.family != "plackett-luce" or claim.model is None:
        return {}
    found: dict[str, PrintVerdict] = {}
    theirs = values_of(fit, claim)
    for name, kinds in (("stages", ("deviance", "df_resid")), ("data-information", OF_ERRORS)):
        of_kind = [q for q in claim.numbers if q.quantity.kind in kinds and q.quantity in theirs]
        come_out = [q for q in of_kind if _comes_out(claim, q, theirs[q.quantity])]
        # One of them may be a misprint, which does not make the others wrong.
        if len(come_out) >= max(1, len(of_kind) - 1):
            wrong = [q for q in come_out if not judged[q.quantity].comes_out]
            both = {q: (theirs[q], values[q]) for q in theirs.keys() & values}
            said = {q: f": {r:.8g}; {ours:.8g} by pairproof's definition" for q, (r, ours) in both.items()}
            found |= _agree(name, wrong, said)
    if fit.of_answers.pseudo and not claim.model.npseudo:
        unsaid = [q for q in claim.numbers if q.quantity in found or judged[q.quantity].comes_out]
        found |= _agree("default-prior", [q for q in unsaid if q.quantity.kind not in OF_DATA], {})
    return found


def values_of(fit: Fit, claim: Claim) -> dict[str, float]:
    """What PlackettLuce prints otherwise of this fit, by the claim's names."""
    found: dict[str, float] = {
        Quantity("deviance"): -2.0 * fit.llf,
        Quantity("df_resid"): choices(fit) - fit.rank,
    }
    if fit.of_answers.pseudo:
        of_data = replace(fit, covariance=DenseCovariance(data_covariance(fit)))
        for q in claim.numbers:
            if q.quantity.kind in OF_ERRORS:
                sides = 2.0 if claim.sided == 1 and q.quantity.kind == "p" else 1.0
                found[q.quantity] = quantity(of_data, q.quantity) / sides
    return found


def choices(fit: Fit) -> float:
    """Free choices of all stages: of m items left, the sets of 1 or of a number that can tie, less one."""
    table = fit.respondents
    orders = (1, *fit.of_answers.tie_orders)
    ranks, total = table.ranks[:, 0], 0.0
    for stage in range(1, int(ranks.max(initial=0)) + 1):
        left = (table.presented[:, 0] & ((ranks >= stage) | (ranks == 0))).sum(axis=1)
        there = (ranks == stage).any(axis=1)
        for m in np.unique(left[there]):
            free = sum(comb(int(m), d) for d in orders if d <= m) - 1
            total += free * float(table.weights[there & (left == m)].sum())
    return total


def data_covariance(fit: Fit) -> FloatArray:
    """By the information of the rankings alone, at the fit's estimates."""
    at = fit.likelihood
    covariance = np.linalg.pinv(at.point.information_of(fit.numbers.observed), hermitian=True)
    return np.asarray(at.outward @ covariance @ at.outward.T)


def _comes_out(claim: Claim, q: PrintedQuantity, value: float) -> bool:
    return judge_print(q, value, float(claim.alpha)).comes_out


def _agree(name: str, numbers: Sequence[PrintedQuantity], ours: Mapping[str, str]) -> dict[str, PrintVerdict]:
    if sum(significant_digits(q.printed.text) for q in numbers) < FEWEST_DIGITS:
        return {}
    code = f"plackett-luce-{name}"
    return {
        q.quantity: PrintVerdict(
            "agrees-other-definition",
            f"{code}: comes out as R's PlackettLuce has it, {_SAID[name]}{ours.get(q.quantity, '')}",
            code,
        )
        for q in numbers
    }
