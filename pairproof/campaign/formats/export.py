"""Exports a campaign to files: scores, the older tools' model file, the full history, or paired comparisons.

============  ========================================================================================
scores        id, the items' columns, alpha, beta, mode, var (with trueskill mu, sigma, var), score,
              low, high, n
model         id, the items' columns, alpha, beta, mode, var (mu, sigma, var): the older tools' model file
history       every judgment with its raw scores, as a results file that `import` and `update` read
comparisons   first, second, outcome, judge, source: the input of `pairproof fit`
============  ========================================================================================

`import` of `scores` or `model` together with `history` restores the campaign.
"""

from __future__ import annotations

import json
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from ...data.options import one_of
from ...errors import InputError
from ...files.outputs import write
from ...native.annotation.comparisons import comparisons_of_hits
from ...native.annotation.methods import BETA, ScoreState
from ..results.results_file import TIMES
from ..storage.records import ORDER, About, about, fields_of, ids_of, judged, state_of
from ..storage.store import Store, opened
from .files import (
    COMPARISON_COLUMNS,
    MODEL_COLUMNS,
    SKILL_COLUMNS,
    csv_text,
    exported_before,
    model_cells,
    number,
)

What = Literal["scores", "model", "history", "comparisons"]
WHATS: tuple[What, ...] = get_args(What)
#: The columns that `scores` has and a model file has not.
SCORE_COLUMNS = ("score", "low", "high", "n")


def export(
    path: str | Path, out: str | Path, what: What = "scores", level: float = 0.95, *, force: bool = False
) -> int:
    """Export a campaign to a file.

    Parameters
    ----------
    path : path
        The campaign.
    out : path
        The CSV file to write.
    what : {"scores", "model", "history", "comparisons"}
    level : float
        Level of the intervals in `scores`.
    force : bool
        Also overwrite a file that pairproof did not make.  Scores and history are recognised by their
        columns, a model file and comparisons as :mod:`pairproof.campaign.formats.files` describes.

    Returns
    -------
    int
        Rows written.

    Raises
    ------
    InputError
    """
    one_of("what", what, WHATS)
    with opened(path, write=False) as store:
        a = about(store)
        if what == "history":
            header, rows = _history(store, a)
        elif what == "comparisons":
            header, rows = _comparisons(store, a)
        else:
            header, rows = _items(store, a, level if what == "scores" else None)
        ids = ids_of(store)
        known = partial(exported_before, a=a, ids=ids)
        write(out, csv_text(header, rows), reads=[path], force=force, known=known)
    return len(rows)


def model_columns(a: About) -> tuple[str, ...]:
    return MODEL_COLUMNS if a.method in BETA else (*SKILL_COLUMNS, "var") if a.method == "trueskill" else ()


def _items(store: Store, a: About, level: float | None) -> tuple[list[str], list[list[str]]]:
    state = state_of(store, a.method)
    if level is None and a.method == "da":
        raise InputError(
            f"{store.path}: direct assessment has no model file, because its items have no distribution;"
            " export scores or history"
        )
    header = ["id", *a.columns, *model_columns(a), *(SCORE_COLUMNS if level is not None else ())]
    numbers = [model_cells(state)] if model_columns(a) else []
    if level is not None:
        low, high = state.interval(level)
        columns = zip(state.score.tolist(), low.tolist(), high.tolist(), state.n.tolist())
        numbers.append([[*map(number, row), str(n)] for *row, n in columns])
    fields = fields_of(store)
    return header, [
        [name, *cells, *(c for block in numbers for c in block[k])] for k, (name, cells) in fields.items()
    ]


def _history(store: Store, a: About) -> tuple[list[str], list[list[str]]]:
    ids, n = ids_of(store), a.per_hit
    slots = range(1, n + 1)
    header = ["HITId", "AssignmentId", "WorkerId", *TIMES, "Input.campaign", "Input.batch", "Input.hit"]
    header += [f"{column}{k}" for column in ("Input.id", "Answer.range", "Answer.na") for k in slots]
    scores: dict[int, list[tuple[int, float | None, str]]] = defaultdict(list)
    for judgment, item, value, raw in store.db.execute(
        "SELECT judgment, item, value, raw FROM score ORDER BY judgment, slot"
    ):
        scores[judgment].append((item, value, raw))
    rows: list[list[str]] = []
    query = (
        "SELECT number, identity, hit_id, assignment, worker, times, batch, hit FROM judgment j ORDER BY"
        f" {ORDER}"
    )
    for key, identity, hit_id, assignment, worker, times, batch, hit in store.db.execute(query):
        when = json.loads(times)
        placed = ["", "", ""] if batch is None else [a.id, str(batch), str(hit)]
        given = scores[key]
        # A judgment that is identified only by its file and row keeps these as its AssignmentId.
        name = assignment or (identity if identity.startswith("file:") else "")
        shown = [ids[i] for i, _, _ in given]
        answers = [raw for _, _, raw in given] + ["on" if value is None else "" for _, value, _ in given]
        rows.append([hit_id, name, worker, *(when.get(t, "") for t in TIMES), *placed, *shown, *answers])
    if not rows:
        raise InputError(f"{store.path}: this campaign has no judgments yet; there is no history to write")
    return header, rows


def _comparisons(store: Store, a: About) -> tuple[list[str], list[list[str]]]:
    every = judged(store)
    table = comparisons_of_hits(
        ids_of(store),
        every.hits,
        every.scores,
        [w or None for w in every.workers],
        [f"{b}/{h}" if b is not None else f"judgment {k + 1}" for k, (b, h) in enumerate(every.batches)],
        a.settings.tie_within,
        str(store.path),
    )
    frame = table.to_frame()
    outcome = np.where(frame["wins"] > 0, "first", np.where(frame["ties"] > 0, "tie", "second"))
    # Nobody is None, or NaN from pandas 3 on.
    judge = frame["judge"].astype(object).where(frame["judge"].notna(), "")
    columns = (frame["first"], frame["second"], outcome, judge, frame["source"])
    return list(COMPARISON_COLUMNS), [list(map(str, row)) for row in zip(*columns)]
