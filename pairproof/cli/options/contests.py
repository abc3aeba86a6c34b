"""Options of Bradley-Terry models in all their forms: arguments of :func:`pairproof.fit_bradley_terry`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from .reading import split_list
from .sections import option, stacked

Function = TypeVar("Function", bound=Callable[..., Any])


_made = option("Bradley-Terry models (--model bradley-terry)")
_OPTIONS = (
    _made(
        "--formula",
        default="",
        metavar="FORMULA",
        help=(
            "What abilities and comparisons are made of, as in BradleyTerry2 without [..]: 'SVL + (1 | item)',"
            " 'item + home', 'log(x) * sex + offset(z)'; item covariates stand in --item-data."
        ),
    ),
    _made(
        "--random",
        multiple=True,
        metavar="item|item:judge",
        help="Random effects of items, or of items by judge; the same as (1 | item) in the formula.",
    ),
    _made(
        "--link",
        type=click.Choice(["logit", "probit", "cauchit"]),
        help="P(first preferred) = F(difference of abilities); default: logit.",
    ),
    _made("--offset", metavar="COLUMN", help="A column that is added in favour of the item named first."),
    _made(
        "--weights", metavar="COLUMN", help="A column >= 0 by which the counts of each row are multiplied."
    ),
    _made(
        "--reduce-bias",
        type=click.Choice(["mean", "median", "jeffreys"]),
        help="Estimates with reduced bias, finite also where contests are separated.",
    ),
    _made(
        "--method",
        type=click.Choice(["laplace", "quadrature", "pql"]),
        help=(
            "How random effects are integrated out; pql is BradleyTerry2's, badly biased for single wins. Default:"
            " quadrature where it can be, else laplace."
        ),
    ),
    _made("--tie-shift", is_flag=True, help="Davidson's ties, most probable elsewhere than between equals."),
    _made("--tie-scale", is_flag=True, help="Davidson's ties, growing rarer at another rate (GenDavidson)."),
)
NAMES = ("formula", "random", "link", "offset", "weights", "reduce_bias", "method", "tie_shift", "tie_scale")


def contest_options(function: Function) -> Function:
    """Add the options to a command, which gets those that were used as one mapping, `contests`."""

    @functools.wraps(function)
    def gathered(*args: Any, **options: Any) -> Any:
        given = {name: options.pop(name) for name in NAMES}
        given["random"] = split_list(given["random"])
        return function(*args, contests={k: v for k, v in given.items() if v}, **options)

    wrapped: Any = gathered
    decorated: Function = stacked(*_OPTIONS)(wrapped)
    return decorated


def check_model(model: str, contests: dict[str, Any]) -> None:
    """Refuse the options for another family of models.

    Raises
    ------
    click.UsageError
    """
    if contests and model != "bradley-terry":
        used = ", ".join(f"--{name.replace('_', '-')}" for name in contests)
        raise click.UsageError(f"{used}: for --model bradley-terry; add it.")
