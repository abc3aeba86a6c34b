"""Options of models that several commands share: of pairs, of contests, and of a model to compare with.

Models of pairs: ties, reference, order effect, item and comparison terms.  Contests: Bradley-Terry models
in all their forms, arguments of :func:`pairproof.fit_bradley_terry`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import click

from ...fit.estimates.specification import TIES_IN_WORDS
from ..naming import flag
from ..state import Decorated, choice, options
from .reading import LISTS, name_and_value

ITEM_TERMS = "Item covariates in place of free items (see --item-data)."
model_options = options(
    "Model",
    {
        "--ties": "Default: davidson where there is a tie category, else none. With none a tie category is"
        " kept, its parameter fixed at 0.",
        "--reference ITEM|sum": "The item whose ability is 0, or sum: items sum to zero.",
        "--order-effect": "Add a parameter for the advantage of the item named first.",
        "--item-terms X,Y": ITEM_TERMS,
        "--separate ITEM": "Items that have their own ability parameter in place of --item-terms.",
        "--comparison-terms X,Y": "Covariates of the comparison, each in favour of the item named first:"
        " length_difference, C(position).",
    },
    ties=choice(*TIES_IN_WORDS),
    item_terms=LISTS,
    separate=LISTS,
    comparison_terms=LISTS,
)


_CONTESTS = {
    "--formula FORMULA": "What abilities and comparisons are made of, as in BradleyTerry2 without [..]:"
    " 'SVL + (1 | item)', 'item + home', 'log(x) * sex + offset(z)'; item covariates stand in --item-data.",
    "--random item|item:judge": "Random effects of items, or of items by judge; the same as (1 | item) in the formula.",
    "--link": "P(first preferred) = F(difference of abilities); default: logit.",
    "--offset COLUMN": "A column that is added in favour of the item named first.",
    "--weights COLUMN": "A column >= 0 by which the counts of each row are multiplied.",
    "--reduce-bias": "Estimates with reduced bias, finite also where contests are separated.",
    "--method": "How random effects are integrated out; pql is BradleyTerry2's, badly biased for single"
    " wins. Default: quadrature where it can be, else laplace.",
    "--tie-shift": "Davidson's ties, most probable elsewhere than between equals.",
    "--tie-scale": "Davidson's ties, growing rarer at another rate (GenDavidson).",
}
contest_options = options(
    "Bradley-Terry models (--model bradley-terry)",
    _CONTESTS,
    formula="",
    random=LISTS,
    link=choice("logit", "probit", "cauchit"),
    reduce_bias=choice("mean", "median", "jeffreys"),
    method=choice("laplace", "quadrature", "pql"),
)
CONTESTS = tuple(typed.split()[0][2:].replace("-", "_") for typed in _CONTESTS)


def stated(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a fit that were given."""
    return {name: value for name, value in asked.items() if value not in (None, False, (), "")}


def check_model(model: str, asked: Mapping[str, Any]) -> None:
    """Refuse the options for another family of models."""
    used = [flag(name) for name in CONTESTS if name in stated(asked)]
    if used and model != "bradley-terry":
        raise click.UsageError(f"{', '.join(used)}: for --model bradley-terry; add it.")


def compare_option(section: str, changing: Sequence[str], example: str) -> Callable[[Decorated], Decorated]:
    """`--compare OPTION=VALUE`; the command gets what changes in the model to compare with, as `changes`."""

    def changes_of(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
        found: dict[str, str] = {}
        for text in values:
            if text.endswith("=") and text.count("=") == 1:
                name, value = text[:-1].strip(), ""
            else:
                name, value = name_and_value(text, "by=sex, or ties=none")
            if name not in changing:
                raise click.BadParameter(
                    f"{text!r}: expected one of {', '.join(changing)}, then = and its value"
                )
            found[name] = value
        return found

    said = f"Likelihood-ratio test against the same model with by=..., ties=none, {example}, ...; repeatable."
    how = {"name": "changes", "multiple": True, "callback": changes_of}
    return options(section, {"--compare OPTION=VALUE": said}, compare=how)


def changed(asked: Mapping[str, Any], changes: Mapping[str, str]) -> dict[str, Any]:
    """The options of the model to compare with; a value is read as the option itself reads it."""
    context = click.get_current_context()
    options = {o.opts[0]: o for o in context.command.params if isinstance(o, click.Option)}
    found = dict(asked)
    for name, value in changes.items():
        option, choices = options[f"--{name}"], ["yes", "no"]
        if isinstance(option.type, click.Choice):
            choices = [*map(str, option.type.choices)]
        elif not option.is_flag:
            found[str(option.name)] = _read(option, value, context)
            continue
        if value not in choices and (value or option.is_flag):
            raise click.BadParameter(f"--compare {name}={value}: expected {' or '.join(choices)}")
        found[str(option.name)] = value == "yes" if option.is_flag else value
    return found


def _read(option: click.Option, value: str, context: click.Context) -> Any:
    return option.process_value(context, (value,) if option.multiple else value) if value else None
