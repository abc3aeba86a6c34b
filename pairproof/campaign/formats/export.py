"""Exports a campaign to files: scores, the older tools' model file, the full history, or paired comparisons.

============  ========================================================================================
scores        id, the items' columns, alpha, beta, mode, var (with trueskill mu, sigma, var), score,
              low, high, n
model         id, the items' columns, alpha, beta, mode, var (mu, sigma, var): the older tools' model file,
              also with the columns of one public EASL code (:mod:`.model_files`)
history       every judgment with its raw scores, as a results file that `import` and `update` read
comparisons   first, second, outcome, judge, source: the input of `pairproof fit`
log           every item, annotator, HIT, judgment and decision as JSON Lines (:mod:`.log.lines`)
============  ========================================================================================

`import` of a log restores the whole campaign.  `import` of `scores` or `model` together with `history` restores
scores and judgments where every judgment counts and every slot holds an item: neither file says which do not.
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
from ...files.guarded import csv_text
from ...files.outputs import write
from ...native.annotation.comparisons import comparisons_of_hits
from ...native.annotation.methods import BETA, ScoreState
from ..results.results_file import TIMES
from ..storage.records import COUNTED, ORDER, About, about, fields_of, ids_of, judged, state_of
from ..storage.store import Store, opened
from ..watch.intervals import Kind, intervals_of, stored_spread
from .files import COMPARISON_COLUMNS, MODEL_COLUMNS, SKILL_COLUMNS, exported_before, model_cells, number
from .log.lines import log_text
from .model_files import COLUMNS_OF, LAYOUTS, Layout, as_tool, check_layout_columns, scores_cell

What = Literal["scores", "model", "history", "comparisons", "log"]
WHATS: tuple[What, ...] = get_args(What)
#: The columns that `scores` has and a model file has not.
SCORE_COLUMNS = ("score", "low", "high", "n")


def export(
    path: str | Path,
    out: str | Path,
    what: What = "scores",
    level: float = 0.95,
    *,
    layout: Layout = "pairproof",
    intervals: Kind = "calibrated",
    force: bool = False,
) -> int:
    """Export a campaign to a file.

    Parameters
    ----------
    path : path
        The campaign.
    out : path
        The file to write: CSV, or JSON Lines for the log.
    what : {"scores", "model", "history", "comparisons", "log"}
    level : float
        Level of the intervals in `scores`.
    layout : {"pairproof", "keisks", "keisks-mu-sigma", "cjmay"}
        Columns of a model file; only with `what="model"`.
    intervals : {"calibrated", "beta"}
        Of `scores`; beta: EASL's own, which are far too wide.
    force : bool
        Also overwrite a file that pairproof did not make.  Scores and history are recognised by their
        columns, a model file and comparisons as :mod:`pairproof.campaign.formats.files` describes.

    Returns
    -------
    int
        Rows written; of a log, lines.

    Raises
    ------
    InputError
    """
    one_of("what", what, WHATS)
    one_of("layout", layout, LAYOUTS)
    if layout != "pairproof" and what != "model":
        raise InputError(f"layout {layout!r} is that of a model file; it cannot be had for {what!r}")
    with opened(path, write=False) as store:
        a = about(store)
        known = partial(exported_before, a=a, ids=ids_of(store))
        if what == "log":
            text = log_text(store)
            write(out, text, kind=".jsonl", reads=[path], force=force, known=known)
            return text.count("\n")
        if what == "history":
            header, rows = _history(store, a)
        elif what == "comparisons":
            header, rows = _comparisons(store, a)
        elif layout == "pairproof":
            header, rows = _items(store, a, level if what == "scores" else None, intervals)
        else:
            header, rows = _model_of_tool(store, a, layout)
        write(out, csv_text(header, rows), reads=[path], force=force, known=known)
    return len(rows)


def model_columns(a: About) -> tuple[str, ...]:
    return MODEL_COLUMNS if a.method in BETA else (*SKILL_COLUMNS, "var") if a.method == "trueskill" else ()


def _items(store: Store, a: About, level: float | None, kind: Kind) -> tuple[list[str], list[list[str]]]:
    state = state_of(store, a.method)
    if level is None and a.method == "da":
        raise InputError(
            f"{store.path}: direct assessment has no model file, because its items have no distribution;"
            " export scores or history"
        )
    header = ["id", *a.columns, *model_columns(a), *(SCORE_COLUMNS if level is not None else ())]
    numbers = [model_cells(state)] if model_columns(a) else []
    if level is not None:
        own = intervals_of(state, stored_spread(store), level, kind)
        columns = zip(state.score.tolist(), own.low.tolist(), own.high.tolist(), state.n.tolist())
        numbers.append([[*map(number, row), str(n)] for *row, n in columns])
    fields = fields_of(store)
    return header, [
        [name, *cells, *(c for block in numbers for c in block[k])] for k, (name, cells) in fields.items()
    ]


def _model_of_tool(store: Store, a: About, layout: Layout) -> tuple[list[str], list[list[str]]]:
    """The model file of a public EASL code: of EASL's scores alone, because these codes have no other method."""
    if a.method not in ("easl", "random"):
        raise InputError(
            f"{store.path}: method {a.method}; the public EASL codes know only the beta distributions of easl"
        )
    check_layout_columns(a.columns, layout, str(store.path))
    values: dict[int, list[float | None]] = defaultdict(list)
    for item, value in store.db.execute(
        "SELECT s.item, s.value FROM judgment j JOIN score s ON s.judgment = j.number"
        f" WHERE {COUNTED} ORDER BY {ORDER}, s.slot"
    ):
        values[item].append(value)
    numbers, rows = model_cells(state_of(store, a.method)), []
    for k, (name, cells) in fields_of(store).items():
        more = [] if layout != "cjmay" else [
            str(values[k].count(None)), scores_cell([v for v in values[k] if v is not None])
        ]  # fmt: skip
        rows.append([*(as_tool(c, layout) for c in (name, *cells)), *numbers[k], *more])
    return ["id", *a.columns, *COLUMNS_OF[layout]], rows


def _history(store: Store, a: About) -> tuple[list[str], list[list[str]]]:
    ids, n = ids_of(store), a.per_hit
    slots = range(1, n + 1)
    header = ["HITId", "AssignmentId", "WorkerId", *TIMES, "Input.campaign", "Input.batch", "Input.hit"]
    header += [f"{column}{k}" for column in ("Input.id", "Answer.range", "Answer.na") for k in slots]
    scores: dict[int, list[tuple[int, int, float | None, str]]] = defaultdict(list)
    for judgment, slot, item, value, raw in store.db.execute(
        "SELECT judgment, slot, item, value, raw FROM score ORDER BY judgment, slot"
    ):
        scores[judgment].append((slot, item, value, raw))
    issued = {
        (b, h): json.loads(items) for b, h, items in store.db.execute("SELECT batch, number, items FROM hit")
    }
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
        # Slots without an answer are blank, and so are those that a smaller HIT does not have.
        shown, raws, blanks = [""] * n, [""] * n, [""] * n
        for k, i in enumerate(issued.get((batch, hit), ()), 1):
            shown[k - 1] = ids[i]
        for k, i, value, raw in given:
            shown[k - 1], raws[k - 1] = ids[i], raw
            blanks[k - 1] = "on" if value is None else ""
        answers = raws + blanks
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
