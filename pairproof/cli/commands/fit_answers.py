"""`pairproof fit-answers`: fit a model of whole answers: of all comparisons of a person, of rankings, of ratings."""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any

import click

from ...errors import DataWarning
from ..naming import flag
from ..options.ending import Ending, ending_options
from ..options.modelling import ITEM_TERMS, changed, compare_option, stated
from ..options.reading import LISTS, Reading, names, names_or_none, parsed
from ..options.respondents import answer_options
from ..state import (
    COUNT,
    NOT_NEGATIVE,
    POSITIVE,
    READ,
    SectionedCommand,
    State,
    choice,
    options,
    shared_options,
)

if TYPE_CHECKING:
    from ...data.respondents.respondents import Respondents
    from ...fit.fit import Fit


HELP = """Fit a model of whole answers to FILE: each row is what one person answered.

The pattern model is of comparisons, rankings or ratings (prefmod's pattPC, pattR, pattL, and repeated pattRrep, pattLrep);
Plackett and Luce's is of rankings. Which layout FILE has, what a gap means, which end of a scale is the best: all is said, nothing
guessed.

\b
pairproof fit-answers salad.csv --layout ranks --items A,B,C,D --compare model=plackett-luce
pairproof fit-answers votes.csv --layout pairs --items A,B,C --pair-order prefmod \\
    --coding first=1,tie=0,second=-1,missing=NA --by C(sex) --dependence
pairproof fit-answers votes.csv --layout pairs ... --classes 2 --class-numbers 4 --test-classes 99
pairproof fit-answers music.csv --layout ratings --items jazz,folk,rock --scale 1-5 --best low --report out.html
"""
#: Model -> the function of the face.
MODELS = {"pattern": "fit_pattern", "plackett-luce": "fit_plackett_luce"}
#: The function of mixtures of either.
CLASSES = "fit_latent_classes"


def _numbers(text: str) -> tuple[int, ...]:
    """--tie-orders 2,3"""
    found = names(text)
    if not all(part.strip().isdecimal() for part in found):
        raise click.BadParameter(f"{text!r}: expected numbers of items such as 2,3")
    return tuple(int(part) for part in found)


#: What --compare can change.
COMPARED = (
    *("by", "ties", "item-terms", "separate", "dependence", "between-times"),
    *("alpha", "beta", "tie-orders", "model"),
)


@click.command("fit-answers", cls=SectionedCommand, help=HELP)
@click.argument("file", metavar="FILE", type=READ)
@options(
    "Model",
    {
        "--model": "pattern: lambda against the last item (as prefmod). plackett-luce: log-odds against the first"
        " (as PlackettLuce).",
        "--by FORMULA": "Subject covariates: sex, 'sex + C(age)'.",
        "--cells COL,...": "pattern: columns of persons for a finer table for deviance and df (prefmod's elim).",
        "--item-terms X,Y": ITEM_TERMS,
        "--separate ITEM": "Items with a parameter of their own beside --item-terms.",
        "--reference ITEM|sum": "The item whose parameter is 0, or sum: items sum to zero.",
        "--ties": "pattern: one tie parameter (default where ties could be answered), one a pair, or none: held at 0.",
        "--dependence": "pattern: comparisons that share an item depend on each other (prefmod's ia).",
        "--between-times": "pattern: comparisons depend on the same at the time before (iaT).",
        "--alpha": "pattern of comparisons: model which are missing, by this many parameters.",
        "--beta": "The same: how being missing depends on the answer (coded: what prefmod computes for item).",
        "--alpha-of A,B|A:B": "Items or pairs that have an alpha.",
        "--beta-of A,B|A:B": "Items or pairs that have a beta.",
        "--ties-unresolved": "pattern of rankings: equal ranks are an order that is not known.",
        "--tie-orders 2,3": "plackett-luce: numbers of items that can tie.",
        "--pseudo N": "plackett-luce: pseudo-comparisons (R has 0.5).",
        "--prior SD": "plackett-luce: normal prior of the log worths, with this sd.",
        "--compat prefmod[:DEFECT],...": "pattern: as prefmod, with its defects on this table, or with those"
        " named: prefmod:B1-ties-as-losses.",
    },
    model=choice(*MODELS, default="pattern"),
    cells={"callback": names_or_none},
    item_terms=LISTS,
    separate=LISTS,
    ties=choice("davidson", "by-pair", "none"),
    alpha=choice("none", "common", "item", "comparison"),
    beta=choice("item", "difference", "comparison", "coded"),
    alpha_of={"callback": names_or_none},
    beta_of={"callback": names_or_none},
    tie_orders={"callback": parsed(_numbers)},
    pseudo=NOT_NEGATIVE,
    prior=POSITIVE,
    compat=LISTS,
)
@compare_option("Model", COMPARED, "dependence=yes")
@options(
    "Latent classes",
    {
        "--classes K": "Latent classes of persons, each with its own parameters: the best of several random"
        " starts (see --seed).",
        "--random FORMULA": "Parameters that differ between classes (prefmod's random): 'A + B', x, tie; default: all of items.",
        "--starts N": "Random starts (default: 20).",
        "--class-numbers MOST": "Also fit 1, 2, ..., MOST classes, and compare them by AIC and BIC.",
        "--test-classes SAMPLES": "Bootstrap test of K classes against K + 1, with so many samples (99 tell p = .01 from .02).",
    },
    classes=COUNT,
    starts=COUNT,
    class_numbers=COUNT,
    test_classes=COUNT,
)
@options(
    "Answers",
    {
        "--patterns N": "Show the N most frequent answers: observed and expected.",
        "--predicted N": "Show the N most probable answers, given or not.",
    },
    patterns=COUNT,
    predicted=COUNT,
)
@ending_options(
    answer_options,
    "COL|person",
    "Standard errors that hold if the model is wrong: by person, or by column where persons go together.",
    "CR1",
)
@shared_options
def command(
    state: State,
    file: str,
    changes: dict[str, str],
    reading: Reading[Respondents],
    ending: Ending,
    class_numbers: int | None,
    test_classes: int | None,
    patterns: int | None,
    predicted: int | None,
    **asked: Any,
) -> int:
    of_classes = (class_numbers, test_classes, asked["random"], asked["starts"])
    if asked["classes"] is None and any(value is not None for value in of_classes):
        raise click.UsageError(
            "--random, --starts, --class-numbers and --test-classes have no effect without --classes; add --classes 1 or more."
        )
    import pairproof

    options, seed = stated(asked), {} if state.seed is None else {"seed": state.seed}
    table = reading.of(file)
    fit = _fit(table, options, seed)
    other = _fit(table, _changed(asked, changes), seed) if changes else None
    numbers, test = None, None
    if class_numbers is not None:
        same = {name: value for name, value in (options | seed).items() if name != "classes"}
        numbers = pairproof.tabulate_latent_classes(table, class_numbers, **same)
    if test_classes is not None:
        test = fit.test_classes(test_classes, seed=state.seed or 0)
    of_answers = {"patterns": patterns, "predicted": predicted, "numbers": numbers, "class_test": test}
    return ending.give(state, table, fit, other, **of_answers)


def _changed(asked: dict[str, Any], changes: dict[str, str]) -> dict[str, Any]:
    """The arguments of the model to compare with; another model has other options, and what both have stays."""
    found = changed(asked, changes)
    if found["model"] != asked["model"]:
        kept = _parameters(MODELS[found["model"]]) | {name.replace("-", "_") for name in changes}
        found = {name: value for name, value in found.items() if name in kept}
    return stated(found)


def _fit(table: Respondents, options: dict[str, Any], seed: dict[str, int]) -> Fit:
    """The fit; options of another model are refused.  seed: of random starts, if one was given."""
    import pairproof

    model = options["model"]
    if "classes" in options:
        function, where, options = CLASSES, f"latent classes of --model {model}", options | seed
    else:
        function, where = MODELS[model], f"--model {model}"
        options = {name: value for name, value in options.items() if name != "model"}
    own = _parameters(function) & {"classes", "random", "starts", "seed", *_parameters(MODELS[model])}
    unknown = [name for name in options if name not in own]
    if unknown:
        raise click.UsageError(f"{flag(unknown[0])} is not for {where}; leave it out.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # it stands in the summary, and is said beside the JSON
        fitted: Fit = getattr(pairproof, function)(table, **options)
    return fitted


def _parameters(function: str) -> set[str]:
    import pairproof

    return {"model", *inspect.signature(getattr(pairproof, function)).parameters} - {"table"}
