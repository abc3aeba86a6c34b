"""`pairproof simulate-annotation`: how accurate the scores are after so many annotations, by method."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from ..easl.creating import METHODS, POOLS
from ..options.sections import COUNT, SHARE, SectionedCommand, level_option, option
from ..state import READ, State, shared_options

if TYPE_CHECKING:
    import numpy as np

_truth, _who, _how = option("Truth"), option("Annotators"), option("Experiment")
HELP = """Simulate the annotation of items whose true scores are known, and report how many annotations are needed.

\b
pairproof simulate-annotation --truth lexical --agreement 0.37
pairproof simulate-annotation --truth gold.csv --column score --agreement 0.67 --report out.html
"""


def _methods(_: click.Context, __: click.Parameter, value: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in value.split(","))
    unknown = [name for name in names if name not in METHODS]
    if unknown:
        raise click.BadParameter(f"{unknown[0]!r}; expected some of {', '.join(METHODS)}, joined by commas")
    return names


@click.command("simulate-annotation", cls=SectionedCommand, help=HELP)
@_truth(
    "--truth",
    default="lexical",
    metavar="lexical|political|uniform|FILE.csv",
    type=READ,
    help="Distribution of the true scores, or a file that has them in --column (0 to 1).",
)
@_truth("--column", metavar="NAME", help="Column of the true scores in the file.")
@_truth(
    "--items", type=click.IntRange(min=3), help="Number of items, if --truth is not a file (default: 150)."
)
@_who(
    "--agreement",
    type=SHARE,
    help="Spearman's rho between two annotators; sets their noise (default: 0.37, the paper's lexical task).",
)
@_who(
    "--sd", type=click.FloatRange(min=0), help="Standard deviation of their noise, in place of --agreement."
)
@_who("--noise", type=click.Choice(["normal", "beta"]), default="normal", help="Its shape.")
@_who(
    "--context",
    type=click.FloatRange(min=0),
    default=1.0,
    help="Factor on the noise in a HIT of several items; below 1, the context reduces it.",
)
@_how("--methods", default="da,random,easl,ra", metavar="A,B,...", callback=_methods, help="Also trueskill.")
@_how("--budget", type=COUNT, default=10, help="Annotations an item.")
@_how("--replicates", type=COUNT, default=20)
@_how("--per-hit", type=click.IntRange(min=2), default=5, help="Items in a HIT (da shows 1).")
@_how("--pool", type=click.Choice(POOLS), default="paper", help="Where partners come from.")
@_how("--target", type=click.FloatRange(0, 1, min_open=True), default=0.9, help="Spearman's rho to reach.")
@level_option(_how, "Level of the bootstrap intervals.")
@shared_options
def command(
    state: State,
    truth: str,
    column: str | None,
    items: int | None,
    agreement: float | None,
    sd: float | None,
    noise: Any,
    context: float,
    methods: Any,
    budget: int,
    replicates: int,
    per_hit: int,
    pool: Any,
    target: float,
    level: float,
) -> int:
    if agreement is not None and sd is not None:
        raise click.UsageError("--agreement and --sd both set the noise; give one of them.")
    state.no_junit("a simulation has")
    from ...campaign.simulation_report import document, page
    from ...native.annotation.simulated.simulated_annotators import (
        Annotators,
        mean_agreement,
        sd_for_agreement,
    )
    from ...native.annotation.simulated.simulation import Experiment, simulate

    seed = 0 if state.seed is None else state.seed
    true = _truths(truth, column, items, seed)
    if sd is None:
        sd = sd_for_agreement(true, 0.37 if agreement is None else agreement, noise, seed)
    annotators = Annotators(sd, context, noise)
    found = simulate(Experiment(true, annotators, methods, budget, replicates, per_hit, pool, seed=seed))
    name = truth if column is None else f"{truth}, column {column}"
    about = (name, mean_agreement(true, annotators, seed), target, level)
    state.give(lambda: page(found, *about), document(found, *about))
    return 0


def _truths(
    truth: str, column: str | None, items: int | None, seed: int
) -> np.ndarray[Any, np.dtype[np.float64]]:
    import numpy as np

    from ...native.annotation.simulated.simulated_annotators import Truth, truth_of

    if truth in get_args(Truth):
        if column is not None:
            raise click.UsageError("--column is for a file, but --truth names a distribution; leave one out.")
        kind: Any = truth
        return truth_of(kind, 150 if items is None else items, np.random.default_rng([seed, 150]))
    if items is not None:
        raise click.UsageError(
            "--items is for a distribution; the items of a file are its rows; leave it out."
        )
    if column is None:
        raise click.UsageError(
            f"--truth {truth} is none of lexical, political and uniform; for a file add --column."
        )
    from ...data.reading.sources import load

    table = load(str(Path(truth)))
    if column not in table.columns:
        raise click.UsageError(
            f"{truth} has no column {column!r}; it has {', '.join(map(repr, table.columns))}."
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
