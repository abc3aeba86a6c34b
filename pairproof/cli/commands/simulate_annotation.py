"""`pairproof simulate-annotation`: how accurate the scores are after so many annotations, by method."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from ..easl.creating import METHODS, POOLS
from ..options.reading import numbers_of
from ..state import (
    COUNT,
    LEVEL,
    NOT_NEGATIVE,
    READ,
    SHARE,
    State,
    choice,
    options,
    sectioned,
    shared_options,
    watched_work,
)

if TYPE_CHECKING:
    import numpy as np

    from ...native.annotation.simulated.simulation import Experiment


#: Options of the panel that differ where annotators are alike, and their values then.
ALIKE = {"shift": (0.0,), "scale": 0.0, "noise_spread": 0.0, "careless": 0.0}
#: Iterations after which scores are corrected, and the last one.
CORRECTED = (2, 3, 4, 6, 10)


def _methods(_: click.Context, __: click.Parameter, value: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in value.split(","))
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r}; expected some of {', '.join(METHODS)}, joined by commas")
    return names


def _shifts(_: click.Context, __: click.Parameter, value: str) -> tuple[float, ...]:
    found = numbers_of(value, float, "a number, or several joined by commas, such as 0,.1,.2")
    if not all(0.0 <= x < float("inf") for x in found) or list(found) != sorted(set(found)):
        raise click.BadParameter(f"{value!r}; expected increasing numbers >= 0")
    return found


def _contexts(_: click.Context, __: click.Parameter, value: str) -> tuple[Any, ...]:
    from ...errors import InputError
    from ...native.annotation.simulated.simulated_panel import Context

    def read(part: str) -> Context:
        try:
            # A number alone is the factor on the noise of every HIT.
            factor = float(part)
        except ValueError:
            return Context.read(part)
        return Context() if factor == 1.0 else Context("uniform", factor)

    try:
        found = tuple(read(part.strip()) for part in value.split(","))
    except InputError as error:
        raise click.BadParameter(str(error)) from None
    if len(set(found)) != len(found):
        raise click.BadParameter(f"{value!r}; expected each context once")
    return found


_panel_options = options(
    "Annotators",
    {
        "--as-in-paper": "Identical annotators, except for other options given: no shift, scale, noise spread"
        " or careless answers (Sakaguchi and Van Durme 2018).",
        "--agreement": "Spearman's rho between two annotators; sets their noise, at the first shift (default:"
        " 0.37, the paper's lexical task).",
        "--sd": ("Standard deviation of a median annotator's noise, instead of --agreement.", NOT_NEGATIVE),
        "--noise": ("Distribution of the noise.", choice("normal", "beta", default="normal")),
        "--shift SD[,SD...]": "Sd of the shifts of annotators and sessions combined.",
        "--scale": ("Sd of the logs of annotators' slopes.", {"type": NOT_NEGATIVE, "default": 0.2}),
        "--noise-spread": ("Sd of the logs of annotators' noises.", {"type": NOT_NEGATIVE, "default": 0.6}),
        "--drift": ("Change of an annotator's scores per judgment.", 0.0),
        "--contrast": "How far a score is pushed away from the mean of its HIT, as a fraction of its distance.",
        "--context none|uniform:F|similar:F": "Noise in a HIT relative to a single item: the same; F"
        " times as large; or falling to F times as items become more similar.",
        "--careless": "Share of answers that are uniformly random.",
        "--panel": ("Number of annotators.", {"type": COUNT, "default": 20}),
    },
    agreement=SHARE,
    shift={"default": "0.14", "callback": _shifts},
    contrast=0.0,
    context={"default": "none", "callback": _contexts},
    careless={"type": click.FloatRange(0, 1), "default": 0.05},
)


@sectioned("simulate-annotation")
@options(
    "Truth",
    {
        "--truth lexical|political|uniform|FILE.csv": "Distribution of the true scores, or a file with the"
        " scores in --column (0 to 1).",
        "--column NAME": "Column of the true scores in the file.",
        "--items": ("Number of items, if --truth is not a file (default: 150).", click.IntRange(min=3)),
    },
    truth={"default": "lexical", "type": READ},
)
@_panel_options
@options(
    "Experiment",
    {
        "--methods A,B,...": ("Also trueskill.", {"default": "da,random,easl,ra", "callback": _methods}),
        "--corrected": "Also scores corrected for annotators and sessions by a mixed model (da+, random+, easl+).",
        "--budget": ("Annotations per item.", {"type": COUNT, "default": 10}),
        "--replicates": ("", {"type": COUNT, "default": 20}),
        "--per-hit": ("Items per HIT (da shows 1).", {"type": click.IntRange(min=2), "default": 5}),
        "--pool": ("Pool of items that share a HIT.", choice(*POOLS, default="paper")),
        "--target": "Spearman's rho to reach.",
        "--level": ("Level of the bootstrap intervals.", LEVEL),
    },
    target={"type": click.FloatRange(0, 1, min_open=True), "default": 0.9},
)
@shared_options
@click.pass_context
def command(context: click.Context, /, state: State, **asked: Any) -> None:
    """Simulate the annotation of items with known true scores, and report how many annotations are needed.

    By default annotators differ as in a large translation evaluation (WMT21): each has an individual shift, slope and
    noise, and some answers are careless. With --as-in-paper they are identical (Sakaguchi and Van Durme 2018).
    Several shifts or contexts, separated by commas, give the whole grid and show where one method overtakes another.

    \b
    pairproof simulate-annotation --truth lexical --agreement 0.37
    pairproof simulate-annotation --truth gold.csv --column score --agreement 0.67 --report out.html
    pairproof simulate-annotation --as-in-paper --shift 0,.1,.2,.3 --context none,uniform:.7 --corrected
    """
    if asked["agreement"] is not None and asked["sd"] is not None:
        raise click.UsageError("--agreement and --sd both set the noise; use one of them.")
    if asked["corrected"] and asked["budget"] < CORRECTED[0]:
        raise click.UsageError(
            f"--corrected needs {CORRECTED[0]} or more annotations per item; --budget is {asked['budget']}."
        )
    state.no_junit("a simulation has")
    from ...native.annotation.simulated.simulated_panel import mean_agreement
    from ...native.annotation.simulated.simulation_grid import panel_grid
    from ..reports.simulated_annotation import Simulated

    if asked["as_in_paper"]:
        given = click.core.ParameterSource.DEFAULT
        asked |= {k: v for k, v in ALIKE.items() if context.get_parameter_source(k) is given}
    experiment = _experiment(asked, 0 if state.seed is None else state.seed)
    with watched_work(state, "campaigns to simulate") as advance:
        runs = panel_grid(experiment, asked["shift"], asked["context"], advance)
    truth, column = asked["truth"], asked["column"]
    name = truth if column is None else f"{truth}, column {column}"
    agreement = mean_agreement(experiment.truth, experiment.panel, experiment.seed)
    found = Simulated(runs, name, agreement, asked["target"], asked["level"])
    state.give(found.page, found.document)


def _experiment(asked: dict[str, Any], seed: int) -> Experiment:
    """The experiment, with the first shift and context; the noise is as asked for, or fits the agreement."""
    from ...native.annotation.simulated.simulated_panel import STEP, Panel, sd_for_agreement
    from ...native.annotation.simulated.simulation import Experiment

    truth = _truths(asked["truth"], asked["column"], asked["items"], seed)
    named = ("scale", "noise_spread", "drift", "contrast", "careless", "noise")
    # The paper's setting as it has always been simulated: scores are not rounded.
    step, people = 0.0 if asked["as_in_paper"] else STEP, asked["panel"]
    own = {name: asked[name] for name in named}
    panel = Panel(0.0, asked["shift"][0], context=asked["context"][0], people=people, step=step, **own)
    budget, corrected = asked["budget"], asked["corrected"]
    after = tuple(sorted({t for t in CORRECTED if t < budget} | {budget})) if corrected else ()
    sizes = (budget, asked["replicates"], asked["per_hit"])
    made = Experiment(truth, panel, asked["methods"], *sizes, asked["pool"], seed=seed, corrected=after)
    sd, agreement = asked["sd"], asked["agreement"]
    if sd is None:
        sd = sd_for_agreement(truth, 0.37 if agreement is None else agreement, panel, seed)
    return replace(made, panel=replace(panel, sd=sd))


def _truths(
    truth: str, column: str | None, items: int | None, seed: int
) -> np.ndarray[Any, np.dtype[np.float64]]:
    import numpy as np

    from ...native.annotation.simulated.simulated_panel import Truth, truth_of

    if truth in get_args(Truth):
        if column is not None:
            raise click.UsageError("--column is for a file, but --truth names a distribution; omit one.")
        kind: Any = truth
        return truth_of(kind, 150 if items is None else items, np.random.default_rng([seed, 150]))
    if items is not None:
        raise click.UsageError(
            "--items is for a distribution, while the items of a file are its rows; omit it."
        )
    if column is None:
        raise click.UsageError(
            f"--truth {truth} is not lexical, political or uniform; for a file add --column."
        )
    from ...data.reading.sources import load

    table = load(str(Path(truth)))
    if column not in table.columns:
        raise click.UsageError(
            f"{truth} has no column {column!r}; found {', '.join(map(repr, table.columns))}."
        )
    values = []
    for row, cell in enumerate(table.columns[column]):
        try:
            values.append(float(cell))
        except ValueError:
            raise click.UsageError(
                f"{table.where(row, column)}: {cell!r} is not a number; expected 0 to 1."
            ) from None
    return np.array(values)
