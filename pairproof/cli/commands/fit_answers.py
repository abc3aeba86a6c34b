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
from ..options.reading import LISTS, Reading, names_or_none, numbers_of, parsed
from ..options.respondents import answer_options
from ..state import COUNT, NOT_NEGATIVE, POSITIVE, READ, State, choice, options, sectioned, shared_options

if TYPE_CHECKING:
    from ...data.respondents.respondents import Respondents
    from ...fit.fit import Fit


#: Model -> the function of the face.
MODELS = {"pattern": "fit_pattern", "plackett-luce": "fit_plackett_luce"}
#: The function of mixtures of either.
CLASSES = "fit_latent_classes"


def _numbers(text: str) -> tuple[int, ...]:
    """--tie-orders 2,3"""
    return numbers_of(text, int, "numbers of items such as 2,3")


#: What --compare can change.
COMPARED = (
    *("by", "ties", "item-terms", "separate", "dependence", "between-times"),
    *("alpha", "beta", "tie-orders", "model"),
)


@sectioned("fit-answers")
@click.argument("file", metavar="FILE", type=READ)
@options(
    "Model",
    {
        "--model": "pattern: as prefmod, the last item is 0. plackett-luce: as PlackettLuce, log-odds, the first item is 0.",
        "--by FORMULA": "Subject covariates: sex, 'sex + C(age)'.",
        "--cells COL,...": "pattern: finer cells for the deviance, by these columns (prefmod's elim).",
        "--item-terms X,Y": (ITEM_TERMS, LISTS),
        "--separate ITEM": ("Give these items their own parameter in addition to --item-terms.", LISTS),
        "--reference ITEM|sum": "The item with parameter 0; sum: they sum to 0.",
        "--ties": "pattern: one tie parameter (default if ties were possible), one per pair, or none (fixed at 0).",
        "--dependence": "pattern: dependence of comparisons that share an item (prefmod's ia).",
        "--between-times": "pattern: dependence on the same comparison at the previous time (iaT).",
        "--alpha": "pattern: parameters for which comparisons are missing.",
        "--beta": "pattern: how missingness depends on the answer (coded: as prefmod computes item).",
        "--alpha-of A,B|A:B": ("Items or pairs that have an alpha.", {"callback": names_or_none}),
        "--beta-of A,B|A:B": ("Items or pairs that have a beta.", {"callback": names_or_none}),
        "--ties-unresolved": "pattern of rankings: equal ranks are an unknown order.",
        "--tie-orders 2,3": ("plackett-luce: how many items can tie.", {"callback": parsed(_numbers)}),
        "--pseudo N": ("plackett-luce: pseudo-comparisons (R: 0.5).", NOT_NEGATIVE),
        "--errors": "plackett-luce with --pseudo: errors of what was maximised, or of the rankings alone (as R's).",
        "--prior SD": ("plackett-luce: normal prior of the log worths.", POSITIVE),
        "--compat prefmod[:DEFECT],...": "pattern: reproduce prefmod's defects: all, or prefmod:B1-ties-as-losses.",
    },
    model=choice(*MODELS, default="pattern"),
    cells={"callback": names_or_none},
    ties=choice("davidson", "by-pair", "none"),
    errors=choice("maximised", "rankings"),
    alpha=choice("none", "common", "item", "comparison"),
    beta=choice("item", "difference", "comparison", "coded"),
    compat=LISTS,
)
@compare_option("Model", COMPARED, "dependence=yes")
@options(
    "Latent classes",
    {
        "--classes K": ("Latent classes of persons; the best of several random starts (--seed).", COUNT),
        "--random FORMULA": "Parameters that differ between classes: 'A + B', x, tie. Default: all of the items.",
        "--starts N": ("Random starts (default: 20).", COUNT),
        "--class-numbers MOST": ("Also fit 1 to MOST classes, and compare AIC and BIC.", COUNT),
        "--test-classes SAMPLES": "Bootstrap test of K against K + 1 classes (99 samples separate p = .01 from .02).",
    },
    test_classes=COUNT,
)
@options(
    "Answers",
    {
        "--patterns N": ("Show the N most frequent answers.", COUNT),
        "--predicted N": ("Show the N most probable answers, observed or not.", COUNT),
    },
)
@ending_options(
    answer_options,
    "COL|person",
    "Cluster-robust standard errors, by person or by a column of groups of persons.",
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
    """Fit a model to whole answers: each row of FILE is what one person answered.

    \b
    pairproof fit-answers salad.csv --layout ranks --items A,B,C,D --compare model=plackett-luce

    The pattern model takes comparisons, rankings or ratings (prefmod's pattPC, pattR, pattL); Plackett-Luce takes
    rankings. If the options for reading FILE are missing, the message proposes the whole command.
    """
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
        raise click.UsageError(f"{flag(unknown[0])} does not apply to {where}; omit it.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # it stands in the summary, and is said beside the JSON
        fitted: Fit = getattr(pairproof, function)(table, **options)
    return fitted


def _parameters(function: str) -> set[str]:
    import pairproof

    return {"model", *inspect.signature(getattr(pairproof, function)).parameters} - {"table"}
