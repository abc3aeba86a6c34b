"""Hopkins and May's experiment (2013, section 8) as they ran it, and tests of what they say of it: which model
predicts best, from how many comparisons on, by whose judgments.

Their training sizes and five trials; their samplers: one chain of 200 iterations, the first 50 thrown away;
their constants.  The seed is ours and stands here, since they name none: the numbers are the same in every
run.  What the statements need more than once is computed once in a process.

Each test runs the experiment on one year's rankings and looks at mean perplexities.  Two models are compared
trial by trial, on the same training and test sets; distinguished are those whose difference is beyond its 95 %
interval over training sets and test sources.  A statement that rests on a difference within it is
`explained`, not `agrees`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial

from ....data.comparisons import Comparisons
from ....data.options import one_of
from ....errors import InputError
from ....native.competitions.experiment.curve_summaries import (
    Difference,
    Result,
    difference,
    judgments_enough,
    means,
)
from ....native.competitions.experiment.held_out import Split, split_by_source, with_training_set
from ....native.competitions.experiment.learning_curves import (
    PAPER_SIZES,
    PAPER_TRIALS,
    Design,
    TrialAbilities,
    run,
    table_digest,
    trial_abilities,
)
from ....native.competitions.experiment.preference_models import ModelName, PreferenceOptions
from ...statements.registers import Context, Finding, holds, statement_test
from .computations import Tracks, one_track, read_tracks

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
    """Experiments inside take so many processes; see :func:`pairproof.native.competitions.experiment.learning_curves.run`."""
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
    if train is None:
        return splits
    return {name: with_training_set(split, name, train[name]) for name, split in splits.items()}


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


def _splits(context: Context, tracks: Tracks, train: str = "") -> dict[str, Split]:
    other = read_tracks(context.table_called(train), tracks) if train else None
    return paper_splits(read_tracks(context.table, tracks), other)


def _check(*models: str) -> None:
    """What a claims file calls a model must be one of the paper's."""
    for model in models:
        one_of("model", model, PAPER_MODELS)


def _results(
    context: Context, tracks: Tracks, train: str = "", models: Sequence[ModelName] = PAPER_MODELS
) -> tuple[Result, ...]:
    return results_of(_splits(context, tracks, train), paper_design(models))


def _curve(results: Sequence[Result], model: str) -> dict[int, float]:
    return {m.train_size: m.mean for m in means(results) if m.model == model}


def _at(results: Sequence[Result], size: int) -> dict[str, float]:
    """Mean perplexities at a size, the lowest first."""
    found = {m.model: m.mean for m in means(results) if m.train_size == size}
    return dict(sorted(found.items(), key=lambda pair: pair[1]))


def _sizes(results: Sequence[Result]) -> list[int]:
    return sorted({r.train_size for r in results})


def _of(results: Sequence[Result], model: str, size: int) -> list[Result]:
    return [r for r in results if r.model == model and r.train_size == size]


def _listed(values: Mapping[str, float], digits: int = 3) -> str:
    return ", ".join(f"{name} {value:.{digits}f}" for name, value in values.items())


def _apart(d: Difference) -> str:
    where = f", in {d.positive_in} of {d.n_tracks} tracks" if d.n_tracks > 1 else ""
    return f"by {d.mean:.4f} (95 % interval {d.low:.4f} to {d.high:.4f}{where})"


# -- which model is best -------------------------------------------------------------------------------------


@statement_test("lowest-perplexities")
def lowest_perplexities(context: Context, *, tracks: Tracks, models: Sequence[str]) -> Finding:
    """At the largest training size these models have the lowest mean perplexities, clearly."""
    _check(*models)
    if not 0 < len(set(models)) < len(PAPER_MODELS):
        raise InputError(f"models {list(models)}; expected some but not all of {', '.join(PAPER_MODELS)}")
    results = _results(context, tracks)
    size = _sizes(results)[-1]
    order = _at(results, size)
    names = list(order)
    text = f"at {size} training comparisons: {_listed(order)}"
    if set(names[: len(models)]) != set(models):
        return Finding.because("false", text, native=order[names[0]])
    last, following = names[len(models) - 1], names[len(models)]
    apart = difference(_of(results, following, size), _of(results, last, size))
    text += f"; {last} is below {following} {_apart(apart)}"
    lowest = order[names[0]]
    if not apart.low > 0:
        text = f"holds for the order of the means, but they cannot be distinguished: {text}"
        return Finding.because("not-told-apart", text, "explained", lowest)
    return Finding("agrees", text, lowest)


@statement_test("converges-most-rapidly")
def converges_most_rapidly(context: Context, *, tracks: Tracks, model: str, among: Sequence[str]) -> Finding:
    """At every smaller training size this model is nearer to its own perplexity at the largest size than the
    others are.

    The other reading, that it has the lowest perplexity at every size, is tried where this one does not come
    out.
    """
    _check(model, *among)
    results = _results(context, tracks)
    sizes = _sizes(results)
    above = {
        m: {k: _curve(results, m)[k] / _curve(results, m)[sizes[-1]] - 1 for k in sizes[:-1]}
        for m in {model: None, **dict.fromkeys(among)}
    }
    nearer = {k: m for k in sizes[:-1] for m in [min(above, key=lambda m: above[m][k])] if m != model}
    limits = "above its own perplexity at the largest size: " + "; ".join(
        f"{m} " + ", ".join(f"{100 * value:.1f} % at {k}" for k, value in shares.items())
        for m, shares in above.items()
    )
    if not nearer:
        return Finding("agrees", limits)
    beaten = {
        k: (leader, difference(_of(results, model, k), _of(results, leader, k)))
        for k in sizes
        for leader in [next(iter(_at(results, k)))]
        if leader != model
    }
    if beaten:
        text = "; ".join(f"at {k} {leader} is lower {_apart(d)}" for k, (leader, d) in beaten.items())
        return Finding.because(
            "false",
            f"closer to its own limit: {_places(nearer)}; nor does it have the lowest perplexity throughout:"
            f" {text}; {limits}",
        )
    doubt = ""
    for k in sizes:
        others = {
            m: difference(_of(results, m, k), _of(results, model, k)) for m in _at(results, k) if m != model
        }
        level = [m for m, d in others.items() if not d.low > 0]
        doubt += f"; at {k} not clearly below {' and '.join(level)}" if level else ""
    return Finding.because(
        "lowest-throughout",
        "holds if it means that its perplexity is the lowest at every size"
        f" ({', '.join(f'{v:.3f} at {k}' for k, v in _curve(results, model).items())}{doubt}), not that"
        f" it is closest to its own limit; there the closest are {_places(nearer)}; {limits}",
        "explained",
    )


def _places(ahead: Mapping[int, str]) -> str:
    return ", ".join(
        f"{m} at {' and '.join(str(k) for k, other in ahead.items() if other == m)}"
        for m in dict.fromkeys(ahead.values())
    )


@statement_test("nearly-indistinguishable")
def nearly_indistinguishable(
    context: Context, *, tracks: Tracks, models: Sequence[str], within: str
) -> Finding:
    """Mean perplexities of these models lie close together, and below those of the others."""
    _check(*models)
    results = _results(context, tracks)
    near, parts = {}, []
    for size in _sizes(results):
        order = _at(results, size)
        own = [order[m] for m in models]
        others = min(v for m, v in order.items() if m not in models)
        near[size] = max(own) - min(own) <= float(within) and max(own) < others
        parts.append(f"{max(own) - min(own):.3f} at {size}")
    last = _at(results, _sizes(results)[-1])
    of_raw = paper_design(("students-geometric",), replace(PAPER_SAMPLER, raw_geometric=True))
    raw = results_of(_splits(context, tracks), of_raw)
    text = (
        f"largest difference {', '.join(parts)}; at the largest size {_listed(last)}; the geometric mean as"
        " the paper prints it, which does not sum to 1, would be"
        f" {_at(raw, _sizes(results)[-1])['students-geometric']:.3f}"
    )
    if all(near.values()):
        return Finding("agrees", text)
    late = [size for size in near if all(near[k] for k in near if k >= size)]
    if not late:
        return Finding.because("false", text)
    said = f"holds from {late[0]} training comparisons on (within {within}): {text}"
    return Finding.because("larger-samples", said, "explained")


# -- from how many comparisons on ----------------------------------------------------------------------------


@statement_test("close-to-convergence")
def close_to_convergence(
    context: Context, *, tracks: Tracks, models: Sequence[str], at: int, within: str
) -> Finding:
    """With so many comparisons these models are within a share of their last perplexity."""
    _check(*models)
    results = [r for r in _results(context, tracks) if r.model in models]
    one_of("size", str(at), tuple(map(str, _sizes(results))))
    enough = judgments_enough(results, float(within))
    parts = []
    for model in models:
        curve = _curve(results, model)
        last = curve[max(curve)]
        way = (curve[at] - last) / (curve[min(curve)] - last) if curve[min(curve)] > last else float("nan")
        parts.append(
            f"{model} "
            + ", ".join(f"{100 * (value / last - 1):.1f} % at {size}" for size, value in curve.items())
            + f" (at {at}, {100 * way:.0f} % of the distance from {min(curve)} remains)"
        )
    late = [model for model in models if (enough[model] or max(_sizes(results)) + 1) > at]
    text = f"above the perplexity at {max(_sizes(results))}: {'; '.join(parts)}"
    return holds(not late, text if not late else f"later than {at}: {', '.join(late)}; {text}")


@statement_test("samplers-converged")
def samplers_converged(context: Context, *, tracks: Tracks, track: str, within: str, seeds: int) -> Finding:
    """The paper's 200 iterations give the preferences of a run ten times as long with four chains."""
    from ....native.competitions.experiment.preference_models import fit_preference_model

    train = paper_splits({track: one_track(context.table, tracks, track)})[track].train
    long = replace(PAPER_SAMPLER, chains=4, warmup=500, draws=1500)
    parts, worst = [], 0.0
    models: tuple[ModelName, ...] = ("irt-gaussian", "irt-categorical")
    for model in models:
        settled = fit_preference_model(train, model, options=long, seed=0, warn=False).probabilities[:-1, :-1]
        fitted = partial(fit_preference_model, train, model, options=PAPER_SAMPLER, warn=False)
        short = [fitted(seed=k).probabilities[:-1, :-1] for k in range(1, seeds + 1)]
        gaps = [float(abs(p - settled).max()) for p in short]
        worst = max(worst, *gaps)
        parts.append(f"{model} " + ", ".join(f"{gap:.3f}" for gap in gaps))
    text = (
        f"{len(train.items)} systems, {train.n_rows} comparisons; largest difference of a probability between"
        f" {seeds} runs of 200 iterations and one of 4 x 2000: {'; '.join(parts)}"
    )
    return holds(worst <= float(within), text, native=worst)


# -- by whose judgments --------------------------------------------------------------------------------------


@statement_test("degraded-by-training-on")
def degraded_by_training_on(
    context: Context, *, tracks: Tracks, train: str, model: str, more_than: str, at_least: str
) -> Finding:
    """Training on other judges' comparisons costs this model so much perplexity, and more than another."""
    _check(model, more_than)
    own, other = _results(context, tracks), _results(context, tracks, train)
    size = _sizes(own)[-1]
    costs = {str(m): difference(_of(other, m, size), _of(own, m, size)) for m in PAPER_MODELS}
    each = ", ".join(f"{m} {d.mean:+.3f}" for m, d in costs.items())
    text = f"at {size}, trained on {train} instead: {each}; {model} {_apart(costs[model])}"
    own_cost = costs[model]
    dearer = own_cost.low >= float(at_least) and own_cost.low > costs[more_than].high
    return holds(dearer, text, native=own_cost.mean)


@statement_test("nearly-as-good-trained-on")
def nearly_as_good_trained_on(
    context: Context, *, tracks: Tracks, train: str, model: str, other: str, within: str
) -> Finding:
    """Trained on other judges' comparisons, this model comes near another trained on the experts'."""
    _check(model, other)
    own, crowd = _results(context, tracks), _results(context, tracks, train)
    size = _sizes(own)[-1]
    gap = difference(_of(crowd, model, size), [replace(r, model=model) for r in _of(own, other, size)])
    pairs = ", ".join(
        f"{a:.3f} and {b:.3f} at {k}"
        for (k, a), b in zip(_curve(crowd, model).items(), _curve(own, other).values())
    )
    text = f"{model} trained on {train} and {other} on the experts': {pairs}; the last {_apart(gap)}"
    return holds(gap.mean <= float(within), text, native=gap.mean)
