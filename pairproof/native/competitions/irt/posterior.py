"""Draws from the posterior of the systems' abilities: chains, summaries, ranks, diagnostics.

Only differences of abilities are learnt from comparisons, so every summary is of abilities minus their mean
in the same draw ("centred").  Ranks and probabilities of being better do not depend on it.

A marginal set of ranks of probability 1 - a leaves out at most a / 2 on each side.  Simultaneous sets hold
all together: with the depth of a rank r of system i the smaller of P(rank_i <= r) and P(rank_i >= r), they
are all ranks of depth t or more, t the largest number for which a share 1 - a of the draws has no system at a
smaller depth (Besag, Green, Higdon and Mengersen 1995, Statist. Sci. 10, 3-66, section 6.3, for ranks).  Two
systems are *distinguished* if their order belongs to a set of orders that hold together with probability 1 -
a: orders are taken from the surest down, each as long as all of them still hold together in that share of the
draws.

What an item is, Hopkins and May (2013, section 7) do not say.  "shared": one item for each (system, source
segment), in as many comparisons as it appears in.  "fresh": a new item for each option of each comparison.

A note is what a reader must know of a fit, as a value: its kind, by which programs decide, and the sentence.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, Union, get_args

import numpy as np
from numpy.random import Generator

from ....data.columns import Factor, refuse_rows
from ....data.comparisons import Comparisons
from ....data.judgments import check_one_track, compared
from ....data.options import one_of, whole_number
from ....errors import InputError, PairproofError
from ....fit.many.comparison_results import groups, letters
from ....numerics import markov_chains
from ....numerics.arrays import BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    import pandas as pd


NoteKind = Literal[
    "items", "never-compared", "not-mixed", "all-ties", "no-finite-estimate", "no-tie", "mean-of-trials"
]


@dataclass(frozen=True)
class Note:
    """Something a reader of a fitted preference model must know.
    text: the sentence, which is also ``str()`` of the note."""

    kind: NoteKind
    text: str

    def __str__(self) -> str:
        return self.text


def ranks_of(draws: FloatArray) -> IntArray:
    """int[n_draws, n_items]: rank of each system in each draw, 1 the best, from float[n_draws, n_items]."""
    order = np.argsort(-draws, axis=1, kind="stable")
    return np.asarray(np.argsort(order, axis=1, kind="stable") + 1)


#: Sums of shares of draws are exact to this.
ROUNDING = 1e-12
Setting = Union[float, str, bool]


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """Draws from the posterior distribution of one number a system, and their summaries.
    draws float[chains, draws, n_items]: as sampled, warm-up left out.  `what`: "ability", or what else the
    number is.  sampler: how it was sampled, for example "gibbs".  warmup: iterations of each chain that were
    thrown away.  settings: the model's constants and options.  notes: what a reader must know (systems never
    compared, what an item is).  centre: whether summaries are of draws minus their mean over the systems."""

    items: tuple[str, ...]
    draws: FloatArray
    what: str
    sampler: str
    warmup: int
    seed: int
    settings: Mapping[str, Setting] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    centre: bool = True

    def __post_init__(self) -> None:
        if self.draws.ndim != 3 or self.draws.shape[2] != len(self.items) or not self.draws.size:
            raise InputError(
                f"draws of shape {self.draws.shape}; expected (chains, draws, {len(self.items)})"
            )
        frozen = self.draws.view()
        frozen.setflags(write=False)
        object.__setattr__(self, "draws", frozen)

    # -- numbers ---------------------------------------------------------------------------------------------

    @cached_property
    def centred(self) -> FloatArray:
        """float[chains, draws, n_items]: what is summarised."""
        return np.asarray(self.draws - self.draws.mean(axis=2, keepdims=True)) if self.centre else self.draws

    @cached_property
    def _flat(self) -> FloatArray:
        return self.centred.reshape(-1, len(self.items))

    @cached_property
    def mean(self) -> FloatArray:
        """float[n_items]: posterior means."""
        return np.asarray(self._flat.mean(axis=0))

    @cached_property
    def sd(self) -> FloatArray:
        """float[n_items]: posterior standard deviations."""
        if len(self._flat) < 2:
            return np.full(len(self.items), np.nan)
        return np.asarray(self._flat.std(axis=0, ddof=1))

    def interval(self, level: float = 0.95) -> FloatArray:
        """Equal-tailed intervals of probability `level`, float[n_items, 2]."""
        check_level(level)
        return np.asarray(np.quantile(self._flat, [(1 - level) / 2, (1 + level) / 2], axis=0).T)

    @cached_property
    def rank_probabilities(self) -> FloatArray:
        """float[n_items, n_items]: P(system k has rank r), rank 1 (the best) first; rows and columns sum to
        1."""
        n = len(self.items)
        counts = np.bincount((np.arange(n) * n + ranks_of(self._flat) - 1).ravel(), minlength=n * n)
        return counts.reshape(n, n) / len(self._flat)

    @property
    def p_best(self) -> FloatArray:
        """float[n_items]: P(the system is the best of all)."""
        return self.rank_probabilities[:, 0]

    @cached_property
    def p_better(self) -> FloatArray:
        """float[n_items, n_items]: P(ability of row > ability of column); 1/2 on the diagonal."""
        n = len(self.items)
        out = np.full((n, n), 0.5)
        for k in range(n):
            others = np.arange(n) != k
            out[k, others] = (self._flat[:, [k]] > self._flat[:, others]).mean(axis=0)
        return out

    @property
    def ranking(self) -> tuple[str, ...]:
        """By posterior mean, best first."""
        return tuple(self.items[k] for k in np.argsort(-self.mean, kind="stable"))

    def rank_sets(self, level: float = 0.95, simultaneous: bool = True) -> IntArray:
        """First and last rank of each system's credible set, int[n_items, 2].
        simultaneous: whether all sets hold together with this probability, or each by itself."""
        check_level(level)
        n_draws, n = self._flat.shape
        at_most, outside = np.cumsum(self.rank_probabilities, axis=1), (1.0 - level) / 2.0
        low = 1 + (at_most <= outside + ROUNDING).sum(axis=1)
        high = 1 + (at_most < 1.0 - outside - ROUNDING).sum(axis=1)
        if simultaneous:
            depth = np.minimum(at_most, 1.0 - at_most + self.rank_probabilities)
            of_draw = np.sort(depth[np.arange(n), ranks_of(self._flat) - 1].min(axis=1))
            least = float(of_draw[int((1.0 - level) * n_draws + ROUNDING)])
            # All together they hold the marginal sets too.
            inside = depth >= min(least, outside) - ROUNDING
            low = np.minimum(low, 1 + inside.argmax(axis=1))
            high = np.maximum(high, n - inside[:, ::-1].argmax(axis=1))
        return np.stack([low, high], axis=1)

    def told_apart(self, level: float = 0.95) -> BoolArray:
        """bool[n_items, n_items]: row above column; all these orders hold together with probability `level`.
        An order that is not among them may well hold by itself: `p_better` has the probability of each."""
        check_level(level)
        draws, better = self._flat, self.p_better
        out, hold = np.zeros(better.shape, bool), np.ones(len(draws), bool)
        first, second = np.nonzero((better >= level) & ~np.eye(len(better), dtype=bool))
        for k in np.argsort(-better[first, second], kind="stable"):
            i, j = first[k], second[k]
            still = hold & (draws[:, i] > draws[:, j])
            if still.mean() >= level - ROUNDING:
                out[i, j], hold = True, still
        return out

    def groups(self, level: float = 0.95) -> tuple[tuple[str, ...], ...]:
        """Maximal sets of systems no two of which are distinguished, best first.
        They overlap, and are no evidence that their systems are equal."""
        return tuple(tuple(self.items[k] for k in group) for group in self._groups(level))

    def letters(self, level: float = 0.95) -> tuple[str, ...]:
        """Letters of each system: two share one exactly if they cannot be distinguished."""
        return letters(len(self.items), self._groups(level))

    def _groups(self, level: float) -> tuple[tuple[int, ...], ...]:
        apart = [(int(i), int(j)) for i, j in np.argwhere(self.told_apart(level))]
        order = [int(k) for k in np.argsort(-self.mean, kind="stable")]
        return groups(len(self.items), apart, order)

    # -- diagnostics -----------------------------------------------------------------------------------------

    @cached_property
    def diagnostics(self) -> markov_chains.Convergence:
        """Rank-normalised split R-hat, effective sample sizes and Monte Carlo error of each centred
        number."""
        return markov_chains.convergence(self.centred)

    @property
    def mixing(self) -> str:
        """What is wrong with the chains, in words; "" if nothing is."""
        d = self.diagnostics
        if d.good:
            return ""
        if self.draws.shape[1] < markov_chains.FEWEST_DRAWS:
            return (
                f"{self.draws.shape[1]} draws per chain are too few to determine whether the chains have mixed (at"
                f" least {markov_chains.FEWEST_DRAWS} are wanted); take more draws"
            )
        worst, wrong = _largest(d.rhat), []
        if np.isnan(d.rhat[worst]):
            wrong.append(
                f"R-hat of {self.items[worst]} cannot be determined (its draws are all the same, or not finite)"
            )
        elif d.rhat[worst] > markov_chains.GOOD_RHAT:
            wrong.append(
                f"largest R-hat {d.rhat[worst]:.5g} ({self.items[worst]}; at most {markov_chains.GOOD_RHAT} is wanted)"
            )
        for part, ess in (("bulk", d.ess_bulk), ("tail", d.ess_tail)):
            least = _largest(-ess)
            if np.isnan(ess[least]):
                wrong.append(f"{part} ESS of {self.items[least]} cannot be determined")
            elif ess[least] < markov_chains.GOOD_ESS:
                wrong.append(
                    f"smallest {part} ESS {ess[least]:.0f} of {d.n_draws} draws ({self.items[least]}; at"
                    f" least {markov_chains.GOOD_ESS:.0f} is wanted)"
                )
        return f"{', '.join(wrong)}: take more draws, or more chains"

    def warn_if_not_mixed(self) -> None:
        """Warn (MixingWarning) if there is something wrong with the chains."""
        if self.mixing:
            warnings.warn(
                f"{self.what} by {self.sampler}: {self.mixing}", markov_chains.MixingWarning, stacklevel=3
            )

    # -- shown and passed on ---------------------------------------------------------------------------------

    def to_frame(self, level: float = 0.95) -> pd.DataFrame:
        """Best first: item, mean, sd, low, high, p_best, rank_low, rank_high, letters, rhat, ess_bulk,
        ess_tail, mcse.
        rank_low and rank_high are the simultaneous sets of `rank_sets`; two systems that share a letter
        cannot be distinguished."""
        import pandas as pd

        low, high = self.interval(level).T
        columns = {"item": list(self.items), "mean": self.mean, "sd": self.sd, "low": low, "high": high}
        first, last = self.rank_sets(level).T
        columns |= {"p_best": self.p_best, "rank_low": first, "rank_high": last}
        told = self.diagnostics
        columns |= {"letters": list(self.letters(level)), "rhat": told.rhat}
        columns |= {"ess_bulk": told.ess_bulk, "ess_tail": told.ess_tail, "mcse": told.mcse}
        frame = pd.DataFrame(columns)
        return frame.iloc[np.argsort(-self.mean, kind="stable")].reset_index(drop=True)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """A JSON object; what has no value is None."""
        rows = [{k: _plain(v) for k, v in row.items()} for row in self.to_frame(level).to_dict("records")]
        chains, draws, _ = self.draws.shape
        run = {"chains": chains, "draws": draws, "warmup": self.warmup, "seed": self.seed}
        asked = {"settings": dict(self.settings), "level": level, "centred": self.centre}
        groups = [list(group) for group in self.groups(level)]
        tables = {name: getattr(self, name) for name in ("p_better", "rank_probabilities")}
        by_item = {name: dict(zip(self.items, table.tolist())) for name, table in tables.items()}
        told = {"notes": list(map(str, self.notes)), "warnings": [self.mixing] if self.mixing else []}
        sampled = {"what": self.what, "sampler": self.sampler, **run}
        return {**sampled, **asked, "systems": rows, "groups": groups, **by_item, **told}

    def to_arviz(self) -> Any:
        """An ArviZ object with the centred draws, dimensions chain, draw, system."""
        from importlib import import_module

        try:
            arviz = import_module("arviz")
        except ImportError as trouble:
            raise PairproofError(
                "arviz is not installed; install it (pip install arviz), or use .centred, an array (chain,"
                " draw, system)"
            ) from trouble
        variables = {self.what.replace(" ", "_"): self.centred}
        coords, dims = {"system": list(self.items)}, {name: ["system"] for name in variables}
        # From version 1 the groups are given as one mapping.
        if int(str(arviz.__version__).split(".")[0]) >= 1:
            return arviz.from_dict({"posterior": variables}, coords=coords, dims=dims)
        return arviz.from_dict(posterior=variables, coords=coords, dims=dims)

    def __repr__(self) -> str:
        chains, draws, n = self.draws.shape
        of = f"Posterior of {n} systems' {self.what}{', centred' if self.centre else ''}"
        table = self.to_frame().to_string(index=False, float_format=lambda v: f"{v:.3f}")
        text = [f"{of}: {self.sampler}, {chains} x {draws} draws, seed {self.seed}", table]
        text += [f"note: {note}" for note in self.notes]
        return "\n".join([*text, *([f"NOT MIXED: {self.mixing}"] if self.mixing else [])])


def check_level(level: float) -> None:
    """Raise InputError unless the level is a probability between 0 and 1."""
    if not 0 < level < 1:
        raise InputError(f"level={level}; expected a probability between 0 and 1")


def _largest(values: FloatArray) -> int:
    """Where the largest stands; one that cannot be determined (nan) is worse than any."""
    return int(np.argmax(np.where(np.isnan(values), np.inf, values)))


def _plain(value: Any) -> Any:
    if isinstance(value, (float, np.floating)):
        return float(value) if np.isfinite(value) else None
    return int(value) if isinstance(value, np.integer) else value


Items = Literal["shared", "fresh"]

#: Comparisons from which on chains run in threads of their own.
THREADS_FROM = 5000


# -- what an item is


def choose_items(table: Comparisons, items: Items | None) -> Items:
    """What an item is, in a table of one track; by default shared if the table has a column `source`."""
    check_one_track(table)
    source = table.columns.get("source")
    if items is None:
        items = "shared" if isinstance(source, Factor) else "fresh"
    one_of("items", items, get_args(Items))
    if items == "shared":
        if not isinstance(source, Factor):
            raise InputError(
                f"{table.source}: shared items are (system, source segment), but there is no column 'source';"
                " name it (columns={'source': ...}) or use items='fresh'"
            )
        needed = "no source segment; every row needs one for shared items, or use items='fresh'"
        refuse_rows(table.source, source.codes < 0, needed)
    return items


def item_codes(
    table: Comparisons, first: IntArray, second: IntArray, row: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Shared items of judgments.
    `first`, second, row int[n]: systems, and the table's row.  Returns author, segment int[n_items]: items of
    a segment stand together.  Returns item int[2 n]: of `first`, then of `second`."""
    source = table.columns["source"]
    assert isinstance(source, Factor)  # choose_items has refused anything else
    n, segment = len(table.items), source.codes[row]
    label = np.concatenate([segment, segment]) * n + np.concatenate([first, second])
    found, codes = np.unique(label, return_inverse=True)
    return found % n, found // n, np.ravel(codes)


def _notes(table: Comparisons, stated: Items | None, items: Items) -> tuple[Note, ...]:
    """Notes for readers of the posterior: the default that was taken, and systems without a comparison."""
    notes = []
    if stated is None:
        shared = "items: one for each (system, source segment), shared over comparisons"
        fresh = "items: a new one for each option of each comparison, since there is no source column"
        notes.append(Note("items", shared if items == "shared" else fresh))
    unseen = [name for name, seen in zip(table.items, compared(table)) if not seen]
    if unseen:
        text = f"never compared, so only the prior speaks: {', '.join(unseen)}"
        notes.append(Note("never-compared", text))
    return tuple(notes)


# -- chains


class Chain(Protocol):
    """One Markov chain."""

    def step(self) -> FloatArray:
        """Go on by one iteration; what is kept of it, an array of always the same shape."""


@dataclass(frozen=True)
class Run:
    """How long to sample.  warmup, seed: >= 0.  None: one a chain, at most the number of processors."""

    chains: int = 4
    warmup: int = 200
    draws: int = 1000
    seed: int = 0
    workers: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("chains", 1), ("warmup", 0), ("draws", 1), ("seed", 0)):
            whole_number(name, getattr(self, name), least)
        if self.workers is not None:
            whole_number("workers", self.workers, 1)

    def sample(self, start: Callable[[Generator], Chain], n_comparisons: float = np.inf) -> FloatArray:
        """Draws of several chains, each with a random stream of its own: `workers` does not change them.
        n_comparisons: with fewer than `THREADS_FROM`, and `workers` not stated, one thread does all: threads
        would only wait for each other.  Returns float[chains, draws, ...]."""
        streams = np.random.SeedSequence(self.seed).spawn(self.chains)

        def one(stream: np.random.SeedSequence) -> FloatArray:
            chain = start(np.random.default_rng(stream))
            for _ in range(self.warmup):
                chain.step()
            first = chain.step()
            kept = np.empty((self.draws, *first.shape))
            kept[0] = first
            for k in range(1, self.draws):
                kept[k] = chain.step()
            return kept

        default = 1 if n_comparisons < THREADS_FROM else os.cpu_count() or 1
        n_workers = min(self.chains, self.workers or default)
        if n_workers <= 1:
            return np.stack([one(s) for s in streams])
        # Threads are enough: numpy lets go of the interpreter inside its loops over comparisons.
        with ThreadPoolExecutor(n_workers) as pool:
            return np.stack(list(pool.map(one, streams)))

    def posterior(
        self,
        table: Comparisons,
        draws: FloatArray,
        constants: Mapping[str, Setting],
        stated: Items | None,
        items: Items,
        what: str,
        sampler: str,
        centre: bool = True,
    ) -> Posterior:
        """Draws, float[chains, draws, n_systems], with all that is known of where they come from."""
        settings: dict[str, Setting] = {**constants, "items": items}
        notes = _notes(table, stated, items)
        return Posterior(table.items, draws, what, sampler, self.warmup, self.seed, settings, notes, centre)
