"""The printed numbers of annotator models, recomputed."""

from __future__ import annotations

from ....errors import InputError
from ...statements.computations import Computed, Request, computation
from .numbers import NUMBERS


@computation("annotation")
def annotation(request: Request) -> Computed:
    """The numbers of a model of a table of scores; args: `model`, one of those of `NUMBERS`."""
    model = request.text("model")
    if model not in NUMBERS:
        raise InputError(f"args.model is {model[:40]!r}; expected one of {', '.join(NUMBERS)}")
    return Computed(native=NUMBERS[model](request.table_of(request.data)))
