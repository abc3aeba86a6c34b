"""Exports a campaign: scores, the older tools' model file, history, paired comparisons, or a log.

scores        id, the items' columns, alpha, beta, mode, var (trueskill mu, sigma, var), score, low, high, n
              with a model of the annotators: raw, raw_low, raw_high, then score, low, high corrected, n
model         id, the items' columns, alpha, beta, mode, var (mu, sigma, var): the older tools' model file
              keisks: these columns (an older version calls mode and var mu and sigma: both are of the beta
              distribution, .5 and .0833 = 1/12 at the start, not of a normal; alpha and beta decide)
              cjmay: also na_count, scores; scores as " 0.73 0.20", in two digits.  Its `initialize` escapes
              HTML in every cell; both codes replace characters above U+FFFF by
              `<span class='emoji-bytes' data-emoji-bytes='[240, 159, 152, 128]'></span>`, their UTF-8
history       every judgment with its raw scores, as a results file that `import` and `update` read
comparisons   first, second, outcome, judge, source: the input of `pairproof fit`
log           every item, annotator, HIT, judgment and decision as JSON Lines

A log's first line is the campaign with its settings and rules, the last the state of the items; between
them, in this order: texts, items, annotators, batches, HITs, assignments, results files, judgments,
retractions and looks at stopping rules.  What follows from other lines is written too, so that the log can
be read without pairproof.

`import` of a log restores the whole campaign.  `import` of `scores` or `model` together with `history`
restores scores and judgments where every judgment counts and every slot holds an item: neither file says
which do not.
"""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from ..data.options import one_of
from ..errors import InputError
from ..files.outputs import csv_text, write
from ..native.annotation.coded_judgments import comparisons_of_hits
from ..native.annotation.methods import BETA, Method
from ..native.annotation.scores.annotator_model import Level
from ..text import listed
from .formats import campaign_files as tables
from .hits.assigning import judgments_of_batches
from .results.results_file import TIMES
from .results.retraction import has_table
from .storage import records as stored
from .storage.records import About
from .storage.rules import rules_of
from .storage.store import Store, opened
from .watch.scores import ItemScores, Kind, intervals_of, item_scores, stored_spread

Layout = Literal["pairproof", "keisks", "keisks-mu-sigma", "cjmay"]
Record = dict[str, Any]
#: The header of a table, and its rows.
_Rows = tuple[list[str], list[list[str]]]
#: Columns that a tool's model file has after those of the items.
COLUMNS_OF: dict[Layout, tuple[str, ...]] = {
    "pairproof": ("alpha", "beta", "mode", "var"),
    "keisks": ("alpha", "beta", "mode", "var"),
    "keisks-mu-sigma": ("alpha", "beta", "mu", "sigma"),
    "cjmay": ("alpha", "beta", "mode", "var", "na_count", "scores"),
}
_SPAN = re.compile(
    r"<span class='emoji-bytes' data-emoji-bytes='\[([0-9]{3}(?:, ?[0-9]{3}){3})\]'></span>"
)  # fmt: skip
_LIKE_SPAN = re.compile(r"emoji-bytes")
_ESCAPED = re.compile(r"&(?:amp|lt|gt|quot|apos|#x?[0-9A-Fa-f]{1,6});")


def as_tool(text: str, layout: Layout) -> str:
    """A cell as the tool's own `initialize` writes it.

    >>> as_tool("a & b", "cjmay"), as_tool("a & b", "keisks")
    ('a &amp; b', 'a & b')
    """
    if layout == "pairproof":
        return text
    escaped = html.escape(text) if layout == "cjmay" else text
    return re.sub("[\U00010000-\U0010ffff]", lambda found: _span(found[0]), escaped)


def _span(character: str) -> str:
    numbers = ", ".join(map(str, character.encode("utf-8")))
    return f"<span class='emoji-bytes' data-emoji-bytes='[{numbers}]'></span>"


def unescaped(text: str) -> str:
    """The inverse: spans of bytes become their character, and then character references theirs.

    >>> unescaped("5 &lt; 6 <span class='emoji-bytes' data-emoji-bytes='[240, 159, 152, 128]'></span>")
    '5 < 6 😀'
    """

    def character(found: re.Match[str]) -> str:
        numbers = [int(n) for n in found[1].split(",")]
        try:
            return bytes(numbers).decode("utf-8")
        except ValueError:  # no character's bytes: it stays as it stands
            return found[0]

    pieces, end = [], 0
    for found in _SPAN.finditer(text):
        pieces += [html.unescape(text[end : found.start()]), character(found)]
        end = found.end()
    return "".join([*pieces, html.unescape(text[end:])])


def looks_escaped(cells: Sequence[str]) -> int:
    """The number of cells that hold a span of bytes or a character reference."""
    return sum(bool(_LIKE_SPAN.search(c) or _ESCAPED.search(c)) for c in cells)


def check_layout_columns(columns: Sequence[str], layout: Layout, source: str) -> None:
    """Refuse items whose own columns have a name that the tool's model file needs."""
    taken = [c for c in columns if c in COLUMNS_OF[layout]]
    if taken:
        raise InputError(
            f"{source}: item column {listed(taken)} has the same name as a column of this model file;"
            " a file cannot hold both"
        )


def scores_cell(values: Sequence[float]) -> str:
    """An item's scores as cjmay's column `scores` has them.

    >>> scores_cell([0.73, 0.2])
    ' 0.73 0.20'
    """
    return "".join(f" {value:.2f}" for value in values)


#: Version of the schema that the first line names.
SCHEMA = 2
#: Characters within texts that some readers take for the end of a line, written as escapes.
_LINE_ENDS = {ord(c): f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}


def log_text(store: Store) -> str:
    """The log of an open campaign."""
    return "".join(line_of(record) for record in records(store))


def line_of(record: Record) -> str:
    """A record as its line, with the line end."""
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_LINE_ENDS) + "\n"


def records(store: Store) -> Iterator[Record]:
    """The lines of the log, as objects, in their order."""
    a, ids = stored.about(store), stored.ids_of(store)
    names = dict(store.db.execute("SELECT number, name FROM annotator"))
    yield _campaign(store, a)
    yield from _rows(store, "text", "name, lang, dir, body", "text", "name, lang")
    yield from _items(store, a, ids)
    yield from _rows(store, "annotator", "number, name, token, state, since, why", "annotator")
    yield from _batches(store, ids)
    yield from _assignments(store, names)
    yield from _rows(store, "results", "number, name, sha256, taken, rows, new", "received")
    yield from _judgments(store, ids, names)
    yield from _retractions(store, ids)
    yield from _looks(store)
    yield _state(store, a.method)


def _campaign(store: Store, a: About) -> Record:
    rules = [{name: v for name, v in vars(r).items() if name != "number"} for r in rules_of(store)]
    design = {**asdict(a.design), "show": list(a.design.show)}
    settings = {**asdict(a), "columns": list(a.columns), "design": design}
    return {"kind": "campaign", "schema": SCHEMA, **settings, "rules": rules}


def _rows(store: Store, kind: str, columns: str, table: str, order: str = "number") -> Iterator[Record]:
    """The rows of a table as lines, the columns as members; JSON stands there as text."""
    found = store.db.execute(f"SELECT {columns} FROM {table} ORDER BY {order}")
    names = [name for name, *_ in found.description]
    return ({"kind": kind, **dict(zip(names, row))} for row in found)


def _items(store: Store, a: About, ids: tuple[str, ...]) -> Iterator[Record]:
    columns = "id, fields, role, of, source, system, gold, a0, b0, n0"
    for item in _rows(store, "item", columns, "item", "position"):
        start = [item.pop(name) for name in ("a0", "b0", "n0")]
        fields = dict(zip(a.columns, json.loads(item["fields"])))
        of = None if item["of"] is None else ids[item["of"]]
        yield {**item, "fields": fields, "of": of, "start": start}


def _batches(store: Store, ids: tuple[str, ...]) -> Iterator[Record]:
    each, tokens = judgments_of_batches(store), stored.batches_with_tokens(store)
    for batch in _rows(store, "batch", "number, opened, hits", "batch"):
        more = {"tokens": True} if batch["number"] in tokens else {}
        yield {**batch, "judgments": each.get(batch["number"]), **more}
    columns = "batch, number AS hit, kind AS purpose, items, plan"
    for hit in _rows(store, "hit", columns, "hit", "batch, number"):
        plan = None if hit["plan"] is None else json.loads(hit["plan"])
        yield {**hit, "items": [ids[i] for i in json.loads(hit["items"])], "plan": plan}


def _assignments(store: Store, names: dict[int, str]) -> Iterator[Record]:
    columns = "annotator, batch, hit, given, due, state, place, shown"
    for row in _rows(store, "assignment", columns, "assignment", "annotator, batch, hit"):
        yield {**row, "annotator": names[row["annotator"]], "shown": json.loads(row["shown"])}


def _judgments(store: Store, ids: tuple[str, ...], names: dict[int, str]) -> Iterator[Record]:
    scores: dict[int, list[dict[str, Any]]] = defaultdict(list)
    query = "SELECT judgment, slot, item, kind, raw, value FROM score ORDER BY judgment, slot"
    for judgment, slot, item, role, raw, value in store.db.execute(query):
        scores[judgment].append({"slot": slot, "item": ids[item], "role": role, "raw": raw, "value": value})
    columns = (
        "number, identity, batch, hit, hit_id, assignment, worker, received AS results, row, submitted, seconds,"
        " why, repeat_of, annotator, counted, NULL AS accepted, times"
    )
    for row in _rows(store, "judgment", columns, "judgment"):
        who, when = row["annotator"], json.loads(row["times"])
        row |= {"annotator": None if who is None else names[who], "counted": bool(row["counted"])}
        yield {**row, "accepted": when.get("AcceptTime"), "times": when, "scores": scores[row["number"]]}


def _retractions(store: Store, ids: tuple[str, ...]) -> Iterator[Record]:
    columns = "number, at, why, undone, judgment"
    names = ("slot", "item", "value", "raw")
    for row in _rows(store, "retraction", columns, "retraction") if has_table(store) else ():
        kept = json.loads(row["judgment"])
        rows = [dict(zip(names, score)) for score in kept.pop("scores")]
        scores = [{**score, "item": ids[score["item"]]} for score in rows]
        times = json.loads(kept.pop("times"))
        yield {**row, "judgment": {**kept, "times": times, "scores": scores}}


def _looks(store: Store) -> Iterator[Record]:
    for row in _rows(store, "look", "number, at, judgments, rule, answer", "look"):
        yield {**row, "answer": json.loads(row["answer"])}


def state_names(method: Method) -> tuple[str, str]:
    """What the two numbers of an item's state are called under a method."""
    if method in BETA:
        return "alpha", "beta"
    return ("mu", "var") if method == "trueskill" else ("mean", "squares")


def _state(store: Store, method: Method) -> Record:
    *columns, n = stored.columns_of(stored.state_of(store, method))
    return {"kind": "state", **dict(zip(state_names(method), columns)), "n": n}


What = Literal["scores", "model", "history", "comparisons", "log"]
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
    model: Level = "raw",
    best_first: bool = False,
    force: bool = False,
    say: Callable[[str], object] = str,
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
    model : {"raw", "location", "precision", "scale"}
        Model of the annotators for which `scores` are corrected, as `status` shows them.
    best_first : bool
        Sort `scores` from the highest to the lowest, items without a score last; default: the order of the items file.
    say : function of str
        Called with what the intervals of `scores` are, in a sentence.
    force : bool
        Also overwrite a file that pairproof did not make.  Scores and history are recognised by their
        columns, a model file and comparisons as :mod:`pairproof.campaign.formats.campaign_files` describes.

    Returns
    -------
    int
        Rows written; of a log, lines.

    Raises
    ------
    InputError
    """
    one_of("what", what, get_args(What))
    one_of("layout", layout, get_args(Layout))
    if layout != "pairproof" and what != "model":
        raise InputError(f"layout {layout!r} is for model files and cannot be used for {what!r}")
    if best_first and what != "scores":
        raise InputError(
            f"best_first=True orders scores; {what} has its own order: use it with what='scores'"
        )
    if model != "raw" and what != "scores":
        raise InputError(f"model {model!r} corrects scores and cannot be used for {what!r}")
    with opened(path, write=False) as store:
        a = stored.about(store)
        known = partial(tables.exported_before, a=a, ids=stored.ids_of(store))
        if what == "log":
            text = log_text(store)
            write(out, text, kind=".jsonl", reads=[path], force=force, known=known)
            return text.count("\n")
        if what == "history":
            header, rows = _history(store, a)
        elif what == "comparisons":
            header, rows = _comparisons(store, a)
        elif model != "raw":
            corrected = item_scores(store, model, level=level, kind=intervals)
            header, rows = _corrected_items(store, a, corrected)
            say(corrected.why)
        elif layout == "pairproof":
            header, rows = _exported_items(store, a, level if what == "scores" else None, intervals, say)
        else:
            header, rows = _model_of_tool(store, a, layout)
        if best_first:
            rows.sort(key=_below)
        write(out, csv_text(header, rows), reads=[path], force=force, known=known)
    return len(rows)


def _below(row: Sequence[str]) -> float:
    """The sort key of an exported item: the highest score first, items without a score last."""
    score, *_, n = row[-len(SCORE_COLUMNS) :]
    return -float(score) if score and n != "0" else float("inf")


def model_columns(a: About) -> tuple[str, ...]:
    if a.method == "trueskill":
        return (*tables.SKILL_COLUMNS, "var")
    return tables.MODEL_COLUMNS if a.method in BETA else ()


def _exported_items(
    store: Store, a: About, level: float | None, kind: Kind, say: Callable[[str], object]
) -> _Rows:
    state = stored.state_of(store, a.method)
    if level is None and a.method == "da":
        raise InputError(
            f"{store.path}: direct assessment has no model file, because its items have no distribution;"
            " export scores or history, or import the scores with --method easl"
        )
    header = ["id", *a.columns, *model_columns(a), *(SCORE_COLUMNS if level is not None else ())]
    numbers = tables.model_cells(state) if model_columns(a) else [[] for _ in state.n]
    if level is not None:
        own = intervals_of(state, stored_spread(store), level, kind)
        say(own.sentence)
        columns = zip(state.score.tolist(), own.low.tolist(), own.high.tolist(), state.n.tolist())
        for cells, (*row, n) in zip(numbers, columns):
            cells += [*map(tables.number, row), str(n)]
    return header, [[name, *own, *numbers[k]] for k, (name, own) in stored.fields_of(store).items()]


def _corrected_items(store: Store, a: About, found: ItemScores) -> _Rows:
    header = ["id", *a.columns, "raw", "raw_low", "raw_high", *SCORE_COLUMNS]
    columns = (found.raw, found.low, found.high, found.score, found.score_low, found.score_high)
    numbers = (
        [*map(tables.number, row), str(n)]
        for *row, n in zip(*(c.tolist() for c in columns), found.n.tolist())
    )
    cells = dict(stored.fields_of(store).values())
    return header, [[name, *cells[name], *own] for name, own in zip(found.items, numbers)]


def _model_of_tool(store: Store, a: About, layout: Layout) -> _Rows:
    """The model file of a public EASL code: of EASL's scores alone, because these codes have no other method."""
    if a.method not in ("easl", "random"):
        known = "the public EASL implementations support only easl's beta distributions"
        raise InputError(f"{store.path}: method {a.method}; {known}")
    check_layout_columns(a.columns, layout, str(store.path))
    values: dict[int, list[float | None]] = defaultdict(list)
    joined = "FROM judgment j JOIN score s ON s.judgment = j.number"
    query = f"SELECT s.item, s.value {joined} WHERE {stored.COUNTED} ORDER BY {stored.ORDER}, s.slot"
    for item, value in store.db.execute(query):
        values[item].append(value)
    numbers, rows = tables.model_cells(stored.state_of(store, a.method)), []
    for k, (name, cells) in stored.fields_of(store).items():
        said = [v for v in values[k] if v is not None]
        more = [str(len(values[k]) - len(said)), scores_cell(said)] if layout == "cjmay" else []
        rows.append([*(as_tool(c, layout) for c in (name, *cells)), *numbers[k], *more])
    return ["id", *a.columns, *COLUMNS_OF[layout]], rows


def _history(store: Store, a: About) -> _Rows:
    ids, issued = stored.ids_of(store), stored.items_of_hits(store)
    n = max([a.per_hit, *map(len, issued.values())])
    slots = range(1, n + 1)
    header = ["HITId", "AssignmentId", "WorkerId", *TIMES, "Input.campaign", "Input.batch", "Input.hit"]
    header += [f"{column}{k}" for column in ("Input.id", "Answer.range", "Answer.na") for k in slots]
    scores: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
    query = "SELECT judgment, slot, item, value, raw FROM score ORDER BY judgment, slot"
    for judgment, *given in store.db.execute(query):
        scores[judgment].append(tuple(given))
    rows: list[list[str]] = []
    columns = "number, identity, hit_id, assignment, worker, times, batch, hit"
    query = f"SELECT {columns} FROM judgment j ORDER BY {stored.ORDER}"
    for key, identity, hit_id, assignment, worker, times, batch, hit in store.db.execute(query):
        when = json.loads(times)
        placed = ["", "", ""] if batch is None else [a.id, str(batch), str(hit)]
        # A judgment that is identified only by its file and row keeps these as its AssignmentId.
        name = assignment or (identity if identity.startswith("file:") else "")
        # Slots without an answer are blank, and so are those that a smaller HIT does not have.
        shown, raws, blanks = [""] * n, [""] * n, [""] * n
        for k, i in enumerate(issued.get((batch, hit), ()), 1):
            shown[k - 1] = ids[i]
        for k, i, value, raw in scores[key]:
            shown[k - 1], raws[k - 1] = ids[i], raw
            blanks[k - 1] = "on" if value is None else ""
        answers = raws + blanks
        rows.append([hit_id, name, worker, *(when.get(t, "") for t in TIMES), *placed, *shown, *answers])
    if not rows:
        raise InputError(f"{store.path}: this campaign has no judgments yet, so there is no history to write")
    return header, rows


def _comparisons(store: Store, a: About) -> _Rows:
    every, ids = stored.judged(store), stored.ids_of(store)
    hits = [f"{b}/{h}" if b is not None else f"judgment {k}" for k, (b, h) in enumerate(every.batches, 1)]
    judges, how = [w or None for w in every.workers], (a.settings.tie_within, str(store.path))
    frame = comparisons_of_hits(ids, every.hits, every.scores, judges, hits, *how).to_frame()
    outcome = np.where(frame["wins"] > 0, "first", np.where(frame["ties"] > 0, "tie", "second"))
    # Nobody is None, or NaN from pandas 3 on.
    judge = frame["judge"].astype(object).where(frame["judge"].notna(), "")
    columns = (frame["first"], frame["second"], outcome, judge, frame["source"])
    return list(tables.COMPARISON_COLUMNS), [list(map(str, row)) for row in zip(*columns)]
