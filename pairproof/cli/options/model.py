"""Options of models of pairs that several commands share: ties, reference, order effect, item and comparison terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ...fit.family import TIES_IN_WORDS
from .sections import option, stacked

Function = TypeVar("Function", bound=Callable[..., Any])

_model = option("Model")
_OPTIONS = (
    _model(
        "--ties",
        type=click.Choice(list(TIES_IN_WORDS)),
        help=(
            "Default: davidson where there is a tie category, else none. With none a tie category is kept, its"
            " parameter fixed at 0."
        ),
    ),
    _model("--reference", metavar="ITEM|sum", help="The item whose ability is 0, or sum: items sum to zero."),
    _model("--order-effect", is_flag=True, help="Add a parameter for the advantage of the item named first."),
    _model(
        "--item-terms",
        multiple=True,
        metavar="X,Y",
        help="Item covariates in place of free items (see --item-data).",
    ),
    _model(
        "--separate",
        multiple=True,
        metavar="ITEM",
        help="Items that have their own ability parameter in place of --item-terms.",
    ),
    _model(
        "--comparison-terms",
        multiple=True,
        metavar="X,Y",
        help="Covariates of the comparison, each in favour of the item named first: length_difference, C(position).",
    ),
)


def model_options(function: Function) -> Function:
    """Add the options to a command, which gets them one by one."""
    decorated: Function = stacked(*_OPTIONS)(function)
    return decorated
