"""What R's PlackettLuce prints of Plackett and Luce's model otherwise than this package.

    deviance, df          -2 log L, and the choices of every stage of every ranking less the parameters; here a deviance is
                          against free probabilities of all rankings
    standard errors       with pseudo-rankings: of the information of the rankings alone, at the shrunken estimates; here
                          of what was maximised
    npseudo = 0.5         by default, said or not: a pseudo-win and a pseudo-loss of half a ranking for every item

(Turner, van Etten, Firth and Kosmidis 2020, Computational Statistics 35, 1027-1057.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import comb

import numpy as np

from ...errors import PairproofError
from ...fit.estimates.array_inference import normal_quantile
from ...fit.fit import Fit
from ..claims.data import fit_model
from ..claims.paper import Claim, ModelClaim, PrintedQuantity
from ..claims.quantities import Quantity, quantity
from .definitions import OF_ERROR, WRONG, fewest_digits, significant_digits, wald_p
from .verdict import PrintVerdict, judge_print

#: PlackettLuce's default, with which every item has won and lost.
DEFAULT = 0.5
_SAID = {
    "stages": "R's PlackettLuce takes -2 log L as the deviance, and as df the choices of every stage less the"
    " parameters",
    "data-information": "R's PlackettLuce leaves pseudo-rankings out of the information that gives standard errors",
    "default-prior": "R's PlackettLuce has npseudo = 0.5 unless it is told otherwise: half a pseudo-win and half a"
    " pseudo-loss for every item, which shrink all estimates",
}


def may_have_prior(model: ModelClaim | None) -> bool:
    """Whether a page with this model may have been made with the default prior."""
    return model is not None and model.family == "plackett-luce" and not (
        model.npseudo or model.prior or model.by
    )


def by_plackett_luce(
    claim: Claim, fit: Fit, values: Mapping[str, float], judged: Mapping[str, PrintVerdict]
) -> dict[str, PrintVerdict]:
    """Numbers that do not come out as they stand, and do as R's PlackettLuce prints them."""
    if fit.answers is None or fit.spec.family != "plackett-luce" or claim.model is None:
        return {}
    wrong = [q for q in claim.numbers if judged[q.quantity].verdict in WRONG]
    found: dict[str, PrintVerdict] = {}
    groups = {"stages": ("deviance", "df_resid"), "data-information": OF_ERROR}
    for name, kinds in groups.items():
        if name == "stages" or fit.of_answers.pseudo:
            theirs = values_of(fit, claim)
            all_of = [q for q in claim.numbers if q.quantity.kind in kinds and q.quantity in theirs]
            come_out = [q for q in all_of if _comes_out(claim, q, theirs[q.quantity])]
            # One of them may be a misprint, which does not make the others wrong.
            if len(come_out) >= max(1, len(all_of) - 1):
                found |= _agree(name, [q for q in come_out if q in wrong], values)
    if len(found) < len(wrong) and may_have_prior(claim.model):
        found = with_default_prior(claim, fit) or found
    return found


def with_default_prior(claim: Claim, fit: Fit) -> dict[str, PrintVerdict]:
    """Verdicts on all numbers, if every one comes out with R's default prior; else none."""
    assert claim.model is not None and fit.answers is not None
    prior = fit if fit.of_answers.pseudo else _with_prior(claim, fit)
    if prior is None:
        return {}
    theirs = values_of(prior, claim)
    numbers = [q for q in claim.numbers]
    values = {q.quantity: theirs[q.quantity] if q.quantity in theirs else quantity(prior, q.quantity) for q in numbers}
    if not all(_comes_out(claim, q, values[q.quantity]) for q in numbers):
        return {}
    return _agree("default-prior", numbers, values)


def _with_prior(claim: Claim, fit: Fit) -> Fit | None:
    assert claim.model is not None and fit.answers is not None
    try:
        return fit_model(fit.answers.respondents, replace(claim.model, npseudo=DEFAULT))
    except PairproofError:
        return None


def values_of(fit: Fit, claim: Claim) -> dict[Quantity, float]:
    """What PlackettLuce prints otherwise of this fit, by the claim's names."""
    found = {Quantity("deviance"): -2.0 * fit.llf, Quantity("df_resid"): choices(fit) - fit.rank}
    if not fit.of_answers.pseudo:
        return found
    errors = dict(zip(fit.params.index, data_errors(fit)))
    sides = claim.sided
    value: dict[str, Callable[[float, float], float]] = {
        "se": lambda b, se: se,
        "z": lambda b, se: b / se,
        "p": lambda b, se: wald_p(b, se) / (2 if sides == 1 else 1),
        "low": lambda b, se: b - normal_quantile(0.975) * se,
        "high": lambda b, se: b + normal_quantile(0.975) * se,
    }
    for q in (q.quantity for q in claim.numbers):
        if q.kind in value and errors.get(q.name, 0.0) > 0.0:
            found[q] = value[q.kind](float(fit.params[q.name]), errors[q.name])
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


def data_errors(fit: Fit) -> np.ndarray:
    """Standard errors by the information of the rankings alone, at the fit's estimates."""
    at = fit.numbers.likelihood
    covariance = np.linalg.pinv(at.point.information)
    return np.asarray(np.sqrt(np.einsum("ij,jk,ik->i", at.outward, covariance, at.outward)))


def _comes_out(claim: Claim, q: PrintedQuantity, value: float) -> bool:
    return judge_print(q, value, float(claim.alpha)).comes_out


def _agree(name: str, numbers: list[PrintedQuantity], values: Mapping[str, float]) -> dict[str, PrintVerdict]:
    if sum(significant_digits(q.printed.text) for q in numbers) < fewest_digits(1):
        return {}
    said = f"plackett-luce-{name}: comes out as R prints it: {_SAID[name]}"
    by_ours = "" if name == "default-prior" else "; {:.8g} by ours"
    return {
        q.quantity: PrintVerdict(
            "agrees-other-definition", said + by_ours.format(values[q.quantity]), f"plackett-luce-{name}"
        )
        for q in numbers
    }
