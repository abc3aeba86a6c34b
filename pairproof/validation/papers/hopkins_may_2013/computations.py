"""Arithmetic of Hopkins and May (2013): sizes of data sets, rules that rank, perplexities, agreement of judges."""

from __future__ import annotations

from ....data.options import one_of
from ...statements.computations import Computed, Request, computation
from .tracks import on_least_compared_source, read_tracks


@computation("held-out-sizes")
def held_out_sizes(request: Request) -> Computed:
    """train.T, test.T, all.T, k.T and least.T of every track T: the paper's rule, a test set of the least
    compared segments.

    args: `tracks`, {ce = ["Czech", "English"], ...}.
    """
    from ....native.experiment.splits import split_by_source

    found: dict[str, float] = {}
    for name, table in read_tracks(request.table_of(request.data), request.pairs_by_name("tracks")).items():
        split = split_by_source(table)
        found.update(
            {
                f"train.{name}": split.train.n_comparisons,
                f"test.{name}": split.test.n_comparisons,
                f"k.{name}": float(split.k or 0),
                f"all.{name}": table.n_comparisons,
                f"least.{name}": on_least_compared_source(table),
            }
        )
    return Computed(native=found)


@computation("ranking-heuristics")
def ranking_heuristics(request: Request) -> Computed:
    """origwmt.S and bojar.S of the claim's own comparisons."""
    from ....native.ranking.shared_task_rules import bojar, orig_wmt

    table = request.data_of(request.data)
    found = {}
    for name, rule in (("origwmt", orig_wmt), ("bojar", bojar)):
        scores = rule(table)
        found.update({f"{name}.{item}": float(value) for item, value in zip(scores.items, scores.values)})
    return Computed(native=found)


@computation("perplexities")
def perplexities(request: Request) -> Computed:
    """perplexity.M of models on the claim's own comparisons, fitted on the same; args: `models`."""
    from ....native.experiment.models import MODELS, fit_preference_model

    table, asked = request.data_of(request.data), request.texts("models")
    for name in asked:
        one_of("args.models", name, MODELS)
    return Computed(
        native={
            f"perplexity.{m}": fit_preference_model(table, m, warn=False).perplexity(table).value
            for m in MODELS
            if m in asked
        }
    )


@computation("judge-agreement")
def judge_agreement(request: Request) -> Computed:
    """share (in per cent) and kappa of pairs of judgments by two judges of the same pair of systems on the
    same segment; pairs, their number.
    """
    from ....data.reading import read
    from ....native.experiment.judge_agreement import judge_agreement as agreement

    found = agreement(read(request.table_of(request.data), layout="rankings"), tracks=("srclang", "trglang"))
    return Computed(native={"share": 100.0 * found.share, "kappa": found.kappa, "pairs": float(found.pairs)})
