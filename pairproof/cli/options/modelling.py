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

ITEM_TERMS = "Model the items by these covariates (--item-data)."
model_options = options(
    "Model",
    {
        "--ties": "Model of ties. Default: davidson if ties were possible. none keeps them, with parameter 0.",
        "--reference ITEM|sum": "The item with ability 0; sum: abilities sum to 0.",
        "--order-effect": "Add a parameter for being named first.",
        "--item-terms X,Y": (ITEM_TERMS, LISTS),
        "--separate ITEM": ("Give these items their own ability in addition to --item-terms.", LISTS),
        "--comparison-terms X,Y": "Covariates of the comparison, in favour of the first item: C(position).",
    },
    ties=choice(*TIES_IN_WORDS),
    comparison_terms=LISTS,
)


_CONTESTS = {
    "--formula FORMULA": "As in BradleyTerry2: 'SVL + (1 | item)', 'item + home', 'log(x) * sex + offset(z)'.",
    "--random item|item:judge": "Random effects of items, or of items by judge; as (1 | item).",
    "--link": "Link function; default: logit.",
    "--offset COLUMN": "Column to add in favour of the first item.",
    "--weights COLUMN": "Column that multiplies the counts of each row.",
    "--reduce-bias": "Reduced-bias estimates, finite also under separation.",
    "--method": "Integration of random effects. Default: quadrature if possible, else laplace. pql (as in BradleyTerry2) is"
    " badly biased for single wins.",
    "--tie-shift": "Davidson's ties: allow them to be most likely between unequal items.",
    "--tie-scale": "Davidson's ties: estimate the rate at which they get rarer (GenDavidson).",
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
        raise click.UsageError(f"{', '.join(used)}: only for --model bradley-terry; add it.")


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

    said = f"Likelihood-ratio test against the same model with by=..., ties=none or {example}; several make one test."
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
