"""Hopkins and May's experiment (2013, section 8) as they ran it, for the statements about it and for the
figures.

Their training sizes and five trials; their samplers: one chain of 200 iterations, the first 50 thrown away;
their constants.  The seed is ours and stands here, since they name none: the numbers are the same in every
run.  What the statements need more than once is computed once in a process.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING

from ....native.experiment.models import ModelName, PreferenceOptions
from ....native.experiment.run import PAPER_SIZES, PAPER_TRIALS, Design, run, table_digest
from ....native.experiment.splits import Split, split_by_source, with_training_set
from ....native.experiment.summary import Result
from ....native.experiment.trial_abilities import TrialAbilities, trial_abilities

if TYPE_CHECKING:
    from ....data.comparisons import Comparisons

#: The models of the paper that learn; the uniform one has perplexity 3 on anything.
PAPER_MODELS: tuple[ModelName, ...] = (
    "adjusted-uniform",
    "pairs",
    "students-asymmetric",
    "students-arithmetic",
    "students-geometric",
    "irt-gaussian",
    "irt-categorical",
)
#: Footnote 10 of the paper: 200 iterations with a burn-in of 50.
PAPER_SAMPLER = PreferenceOptions(chains=1, warmup=50, draws=150)
#: Of the random training sets and the samplers.
SEED = 2013
#: Experiments kept in a process: three years, crowd training, and a raw geometric mean for each.
MOST_KEPT = 16

#: Processes that the experiments of this run may take.
_WORKERS: ContextVar[int] = ContextVar("workers", default=1)

_kept: dict[str, tuple[Result, ...]] = {}


@contextmanager
def processes(workers: int) -> Iterator[None]:
    """Experiments inside take so many processes; see :func:`pairproof.native.experiment.run.run`."""
    token = _WORKERS.set(workers)
    try:
        yield
    finally:
        _WORKERS.reset(token)


def paper_design(
    models: Sequence[ModelName] = PAPER_MODELS, options: PreferenceOptions = PAPER_SAMPLER
) -> Design:
    """The paper's design with our seed."""
    return Design(PAPER_SIZES, PAPER_TRIALS, tuple(models), SEED, options)


def paper_splits(
    tracks: Mapping[str, Comparisons], train: Mapping[str, Comparisons] | None = None
) -> dict[str, Split]:
    """Each track with the paper's test set; trained on comparisons of `train` where that is given."""
    splits = {name: split_by_source(table) for name, table in tracks.items()}
    return (
        splits
        if train is None
        else {name: with_training_set(split, name, train[name]) for name, split in splits.items()}
    )


def results_of(splits: Mapping[str, Split], design: Design) -> tuple[Result, ...]:
    """The experiment's results, computed once in a process for the same data and design."""
    key = repr((design, [(name, table_digest(s.train), table_digest(s.test)) for name, s in splits.items()]))
    if key not in _kept:
        while len(_kept) >= MOST_KEPT:
            _kept.pop(next(iter(_kept)))
        _kept[key] = run(splits, design, workers=_WORKERS.get())
    return _kept[key]


def abilities_of(split: Split, track: str, size: int, seed: int = SEED) -> TrialAbilities:
    """Abilities over the paper's trials at one training size (its Figure 6)."""
    return trial_abilities(split, track, size, replace(paper_design(), seed=seed))
