"""`pairproof fit-answers`: fit a model of whole answers: of all comparisons of a person, of rankings, of ratings."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ...errors import DataWarning
from ..options.modelling import ITEM_TERMS, Many, many_options, robust_options
from ..options.naming import flag
from ..options.reading import name_and_value, names, names_or_none, split_list
from ..options.respondents import answer_options, read_answers
from ..options.verifying import BesideR, verify_options
from ..state import COUNT, POSITIVE, READ, SectionedCommand, State, option, shared_options

if TYPE_CHECKING:
    from ...data.respondents.respondents import Respondents
    from ...fit.fit import Fit
    from ..reports.person_models import Mixed


_model = option("Model")
_classes = option("Latent classes")
_answers = option("Answers")

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


def _numbers(_: click.Context, __: click.Parameter, value: str | None) -> tuple[int, ...] | None:
    """--tie-orders 2,3"""
    if value is None:
        return None
    found = names(value)
    if not all(part.strip().isdecimal() for part in found):
        raise click.BadParameter(f"{value!r}: expected numbers of items such as 2,3")
    return tuple(int(part) for part in found)


def _changes(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """--compare by=sex --compare ties=none"""
    found: dict[str, str] = {}
    for text in values:
        if text.endswith("=") and text.count("=") == 1:
            name, value = text[:-1].strip(), ""
        else:
            name, value = name_and_value(text, "by=sex, or ties=none")
        if name not in COMPARED:
            raise click.BadParameter(f"{text!r}: expected one of {', '.join(COMPARED)}, then = and its value")
        found[name] = value
    return found


#: What --compare can change -> the parameter of the fit.
COMPARED = {
    "by": "by",
    "ties": "ties",
    "item-terms": "item_terms",
    "separate": "separate",
    "dependence": "dependence",
    "between-times": "between_times",
    "alpha": "alpha",
    "beta": "beta",
    "tie-orders": "tie_orders",
    "model": "model",
}


@click.command("fit-answers", cls=SectionedCommand, help=HELP)
@click.argument("file", metavar="FILE", type=READ)
@_model(
    "--model",
    type=click.Choice(list(MODELS)),
    default="pattern",
    help="pattern: lambda against the last item (as prefmod). plackett-luce: log-odds against the first (as PlackettLuce).",
)
@_model("--by", metavar="FORMULA", help="Subject covariates: sex, 'sex + C(age)'.")
@_model("--item-terms", multiple=True, metavar="X,Y", help=ITEM_TERMS)
@_model(
    "--separate",
    multiple=True,
    metavar="ITEM",
    help="Items with a parameter of their own beside --item-terms.",
)
@_model("--reference", metavar="ITEM|sum", help="The item whose parameter is 0, or sum: items sum to zero.")
@_model(
    "--ties",
    type=click.Choice(["davidson", "by-pair", "none"]),
    help="pattern: one tie parameter (default where ties could be answered), one a pair, or none: held at 0.",
)
@_model(
    "--dependence",
    is_flag=True,
    help="pattern: comparisons that share an item depend on each other (prefmod's ia).",
)
@_model(
    "--between-times", is_flag=True, help="pattern: comparisons depend on the same at the time before (iaT)."
)
@_model(
    "--alpha",
    type=click.Choice(["none", "common", "item", "comparison"]),
    help="pattern of comparisons: model which are missing, by this many parameters.",
)
@_model(
    "--beta",
    type=click.Choice(["item", "difference", "comparison", "coded"]),
    help="The same: how being missing depends on the answer (coded: what prefmod computes for item).",
)
@_model("--alpha-of", metavar="A,B|A:B", callback=names_or_none, help="Items or pairs that have an alpha.")
@_model("--beta-of", metavar="A,B|A:B", callback=names_or_none, help="Items or pairs that have a beta.")
@_model(
    "--ties-unresolved", is_flag=True, help="pattern of rankings: equal ranks are an order that is not known."
)
@_model(
    "--tie-orders", metavar="2,3", callback=_numbers, help="plackett-luce: numbers of items that can tie."
)
@_model(
    "--pseudo",
    type=click.FloatRange(min=0),
    metavar="N",
    help="plackett-luce: pseudo-comparisons (R has 0.5).",
)
@_model(
    "--prior",
    type=POSITIVE,
    metavar="SD",
    help="plackett-luce: normal prior of the log worths, with this sd.",
)
@_model(
    "--compat",
    multiple=True,
    metavar="prefmod[:DEFECT],...",
    help="pattern: as prefmod, with its defects on this table, or with those named: prefmod:B1-ties-as-losses.",
)
@_model(
    "--compare",
    "changes",
    multiple=True,
    metavar="OPTION=VALUE",
    callback=_changes,
    help="Likelihood-ratio test against the same model with by=..., ties=none, dependence=yes, ...; repeatable.",
)
@_classes(
    "--classes",
    type=COUNT,
    metavar="K",
    help="Latent classes of persons, each with its own parameters: the best of several random starts (see --seed).",
)
@_classes(
    "--random",
    metavar="FORMULA",
    help="Parameters that differ between classes (prefmod's random): 'A + B', x, tie; default: all of items.",
)
@_classes("--starts", type=COUNT, metavar="N", help="Random starts (default: 20).")
@_classes(
    "--class-numbers",
    type=COUNT,
    metavar="MOST",
    help="Also fit 1, 2, ..., MOST classes, and compare them by AIC and BIC.",
)
@_classes(
    "--test-classes",
    type=COUNT,
    metavar="SAMPLES",
    help="Bootstrap test of K classes against K + 1, with so many samples (99 tell p = .01 from .02).",
)
@_answers(
    "--patterns", type=COUNT, metavar="N", help="Show the N most frequent answers: observed and expected."
)
@_answers("--predicted", type=COUNT, metavar="N", help="Show the N most probable answers, given or not.")
@robust_options(
    "COL|person",
    "Standard errors that hold if the model is wrong: by person, or by column where persons go together.",
    "CR1",
)
@many_options
@answer_options
@verify_options
@shared_options
def command(
    state: State,
    file: str,
    reading: dict[str, Any],
    many: Many,
    beside_r: BesideR,
    classes: int | None,
    class_numbers: int | None,
    test_classes: int | None,
    patterns: int | None,
    predicted: int | None,
    cluster: str | None,
    cluster_kind: Any,
    cluster_missing: Any,
    **asked: Any,
) -> int:
    beside_r.check()
    if not beside_r.verify:
        state.no_junit("this fit has, without --verify,")
    if cluster is None and (cluster_kind is not None or cluster_missing is not None):
        raise click.UsageError(
            "--cluster-kind and --cluster-missing have no effect without --cluster; add --cluster person."
        )
    if classes is None and any(
        v is not None for v in (class_numbers, test_classes, asked["random"], asked["starts"])
    ):
        raise click.UsageError(
            "--random, --starts, --class-numbers and --test-classes have no effect without --classes; add --classes 1 or more."
        )
    changes = asked.pop("changes")
    stated = _stated({**asked, "classes": classes})
    if classes is not None and state.seed is not None:
        stated["seed"] = state.seed
    from ..reports.person_models import AskedAnswers

    table = read_answers(file, reading)
    fitted = _fit(table, stated)
    other = _fit(table, _changed(stated, changes)) if changes else None
    if cluster is not None:
        fitted = fitted.clustered(
            *_columns(table, cluster), kind=cluster_kind or "CR1", missing=cluster_missing or "refuse"
        )
    found = many.find(fitted, state.seed)
    mixed = None if classes is None else _mixed(table, fitted, stated, class_numbers, test_classes, state)
    answers = AskedAnswers(fitted, patterns or 0, predicted or 0, other, mixed)
    return beside_r.give(state, fitted, found, answers)


def _stated(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of the fit that were given, lists split."""
    found = {name: value for name, value in asked.items() if value not in (None, False, (), "")}
    for name in ("item_terms", "separate", "compat"):
        if name in found:
            found[name] = split_list(found[name])
    return found


def _changed(stated: Mapping[str, Any], changes: Mapping[str, str]) -> dict[str, Any]:
    """The arguments of the model to compare with."""
    found = dict(stated)
    if changes.get("model", stated["model"]) != stated["model"]:
        # The other model has other options; what both have stays.
        own = _parameters(MODELS[changes["model"]]) if changes["model"] in MODELS else set()
        found = {name: value for name, value in found.items() if name in own}
    for name, value in changes.items():
        where = COMPARED[name]
        found.pop(where, None)
        if where in ("dependence", "between_times"):
            if value not in ("yes", "no"):
                raise click.BadParameter(f"--compare {name}={value}: expected yes or no")
            found[where] = value == "yes"
        elif where == "model" and value not in MODELS:
            raise click.BadParameter(f"--compare model={value}: expected {' or '.join(MODELS)}")
        elif value and where == "tie_orders":
            found[where] = _numbers(click.get_current_context(), click.Option(["--compare"]), value)
        elif value:
            found[where] = tuple(names(value)) if where in ("item_terms", "separate") else value
    return found


def _fit(table: Respondents, stated: Mapping[str, Any]) -> Fit:
    """The fit; options of another model are refused."""
    import pairproof

    options = dict(stated)
    model = options["model"]
    function = CLASSES if "classes" in options else MODELS[model]
    if function != CLASSES:
        del options["model"]
    own = _parameters(function) & ({"classes", "random", "starts", "seed", *_parameters(MODELS[model])})
    unknown = [name for name in options if name not in own]
    if unknown:
        where = f"--model {model}" if function != CLASSES else f"latent classes of --model {model}"
        raise click.UsageError(f"{flag(unknown[0])} is not for {where}; leave it out.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # it stands in the summary, and is said beside the JSON
        fitted: Fit = getattr(pairproof, function)(table, **options)
    return fitted


def _mixed(
    table: Respondents,
    fitted: Fit,
    stated: Mapping[str, Any],
    numbers: int | None,
    samples: int | None,
    state: State,
) -> Mixed:
    """Shares of the classes, other numbers of classes, and the test of one more, where they were asked for."""
    import pairproof

    from ..reports.person_models import Mixed

    same = {name: value for name, value in stated.items() if name != "classes"}
    table_of_numbers = None if numbers is None else pairproof.tabulate_latent_classes(table, numbers, **same)
    test = None if samples is None else fitted.test_classes(samples, seed=state.seed or 0)
    return Mixed(fitted, table_of_numbers, test)


def _parameters(function: str) -> set[str]:
    import pairproof

    return {"model", *inspect.signature(getattr(pairproof, function)).parameters} - {"table"}


def _columns(table: Respondents, cluster: str) -> tuple[str, ...]:
    """Columns of the clusters; none where each person is one."""
    return () if cluster == "person" and "person" not in table.columns else tuple(names(cluster))
