"""Numbers printed elsewhere of the certified models of contests, recomputed."""

from __future__ import annotations

from ....errors import InputError
from ....fit.contests.mixed import MixedFit
from ....native.contests.bradley_terry import fit_bradley_terry
from ...claims.quantities import quantity
from ...claims.random_effects import effect_names
from ...statements.computations import Computed, Request, computation
from .documents import certified_numbers, documents, fit_of, table_of


@computation("contests")
def contests(request: Request) -> Computed:
    """The numbers of a certified model of contests; args: `fit`, its id; `method` = "pql" for another estimate of it."""
    name = request.text("fit")
    own = {d["id"]: d for d in documents()}
    if name not in own:
        raise InputError(f"args.fit is {name[:60]!r}; expected one of {', '.join(own)}")
    document = own[name]
    method = request.text("method", "as certified")
    if method == "as certified":
        fit = fit_of(document)
        names = certified_numbers(document)
    elif method == "pql" and document["model"]["random"]:
        model = document["model"]
        fit = fit_bradley_terry(
            table_of(document),
            item_terms=model["item_covariates"] or (),
            random=model["random"],
            method="pql",
        )
        names = {f"estimate.{n}": "" for n in fit.params.index}
        names.update({f"se.{n}": "" for n in fit.params.index})
        names.update({f"{kind}.{model['random']}": "" for kind in ("sigma", "sigma_se")})
    else:
        raise InputError(f"args.method is {method[:40]!r}; expected 'pql', of a model with random effects")
    found = {key: quantity(fit, key) for key in names}
    if isinstance(fit, MixedFit):
        found.update({f"effect.{n}": quantity(fit, f"effect.{n}") for n in effect_names(fit)})
    return Computed(native=found)
