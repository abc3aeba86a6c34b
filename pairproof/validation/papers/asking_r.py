"""A few named numbers out of R, by R code of ours that is recorded with its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...bridge.process.policy import backend as policy
from ...errors import RUnavailable
from ..statements.computations import Computed, Request


def numbers_of(
    request: Request, code: str, arguments: Mapping[str, Any], needs: Sequence[str], label: str, lacks: str
) -> Computed:
    """R code that ends in a named numeric vector, as a `Computed`.

    Raises
    ------
    RError
        R's own, or that R or a record of its answer is not here.
    """
    if request.backend is None:
        raise RUnavailable(f"{label}: R was not to be asked")
    result = policy(request.backend).call(code=code, args=dict(arguments), needs=tuple(needs), label=label)
    value: Any = result.value
    found = dict(zip(value.names, map(float, value.floats())))
    return Computed(r=found, r_call=label, r_source=result.source, lacks=lacks)
