"""Numbers printed elsewhere of the certified models that come with their data, recomputed."""

from __future__ import annotations

from ....errors import InputError
from ....fit.answers.fit import AnswerFit
from ...claims.quantities import quantity
from ...statements.computations import Computed, Request, computation
from .documents import data_of, documents, respondents
from .fits import certified_numbers, fit_of, further_numbers


@computation("answers")
def answers(request: Request) -> Computed:
    """The numbers of a certified model; args: `fit`, its id."""
    name = request.text("fit")
    own = {d["id"]: d for d in documents() if data_of(d)["rows"] is not None}
    if name not in own:
        raise InputError(f"args.fit is {name[:60]!r}; expected one of {', '.join(own)}")
    document = own[name]
    fit = fit_of(document, respondents(document, data_of(document)["rows"]))
    if not isinstance(fit, AnswerFit):
        raise InputError(f"{name} has latent classes; their numbers stand in the rows of its 50 digits")
    found = {key: quantity(fit, key) for key in certified_numbers(document)}
    return Computed(native={**found, **(further_numbers(fit) if "worth" in document else {})})
