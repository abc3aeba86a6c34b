"""A question to R about a fit of contests, and R's numbers under the fit's names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....bridge.contests.models import ContestEstimates
from ....fit.contests.mixed import MixedFit
from ...claims.quantities import Quantity, kind_of
from ..ask import ContestQuestion as ContestQuestion
from ..translate import RParameters, likelihood_values, parameter_values, worth_values

#: Errors of estimates, and what is made of them.
OF_ERRORS = ("se", "z", "p", "worth_se")


def parameters(question: ContestQuestion, names: Sequence[str], found: ContestEstimates) -> RParameters:
    """R's estimates under these names of the fit; those that R leaves out (NA) are left out."""
    known = [k for k, b in enumerate(found.coef) if not np.isnan(b)]
    vcov = found.vcov if len(found.vcov) == len(known) else found.vcov[np.ix_(known, known)]
    return RParameters(
        tuple(names[k] for k in known), found.coef[known], vcov, "log-odds", question.given.reference
    )


def names_of_rows(question: ContestQuestion) -> list[str]:
    """The fit's names of the coefficients of the programs in base R: the columns kept, then those of ties."""
    spec = question.given.spec
    ties = ["tie"] if question.given.with_ties else []
    ties += ["tie-shift"] if spec.tie_shift else []
    ties += ["tie-scale"] if spec.tie_scale else []
    return [question.given.names[k] for k in question.kept] + ties


def names_of_btm(question: ContestQuestion, found: ContestEstimates) -> list[str]:
    """The fit's names of BTm's coefficients."""
    given = question.given
    shared, _ = given.item_columns()
    named = {f"w{k + 1}[player]": t.name for k, t in enumerate(shared)}
    named.update({f"z{k + 1}": given.names[place] for k, place in enumerate(given.contest_terms())})
    named.update(
        {
            f"player{t.item}": t.name
            for t in given.terms
            if t.item is not None and t.kind in ("item", "covariate")
        }
    )
    return [named[name] for name in found.names]


def estimates(question: ContestQuestion, p: RParameters, *, errors: bool = True) -> dict[str, float]:
    """estimate.X, se.X, z.X, p.X; worths where the link is the logit and abilities have no random part."""
    fit = question.fit
    values = parameter_values(fit, p, tests=True)
    if question.given.spec.link == "logit" and not isinstance(fit, MixedFit) and len(fit.items) <= 60:
        values.update(worth_values(fit, p))
    return values if errors else {q: v for q, v in values.items() if kind_of(q) not in OF_ERRORS}


def likelihood(question: ContestQuestion, found: ContestEstimates, n: int) -> dict[str, float]:
    """llf, AIC and deviance, where the program has them; n parameters but those that are infinite."""
    values: dict[str, float] = {}
    if not np.isnan(found.llf):
        values.update(likelihood_values(found.llf, n + question.fit.n_infinite))
    if not np.isnan(found.deviance):
        values["deviance"] = found.deviance
    if not np.isnan(found.df):
        values["df_resid"] = found.df
    return values


def random_effects(question: ContestQuestion, found: ContestEstimates) -> dict[str, float]:
    """sigma, its error and test, and the predicted effects."""
    fit, given = question.fit, question.given
    assert isinstance(fit, MixedFit)
    name = fit.components[0].name
    values: dict[str, float] = {Quantity("sigma", name=name): found.sigma}
    for kind, value in (("sigma_se", found.sigma_se), ("sigma_lr", found.lr)):
        if not np.isnan(value) and not np.isnan(getattr(fit.components[0], kind[6:])):
            values[Quantity(kind, name=name)] = value
    for kind, effects in (("effect", found.effects), ("effect_mean", found.means)):
        values.update({Quantity(kind, name=of): float(u) for of, u in zip(given.effect_names, effects)})
    return values


def said_of_rows(question: ContestQuestion) -> list[str]:
    """What was left out of the rows."""
    if not question.at_a_limit:
        return []
    n = int(question.given.certain.sum())
    return [f"{n} rows whose result is certain in the limit, and what only they tell, are left out"]
