"""Makes a campaign: from an items file, or from what an older tool or `export` left.

A project that an older tool began, and files that `export` wrote, are taken over: the model file gives
the state of every item; results files, if given, are the judgments.  Whether the model includes the
results is found by arithmetic: either every item is in its initial state and the results must still be
added ("before"), or the initial state and the results together give the model ("after").  If neither
holds, an error names an item, and `model_is` must decide.
"""

from __future__ import annotations

import json
import secrets
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from ..data.options import one_of, whole_number
from ..data.reading.sources import Table
from ..errors import DataWarning, InputError
from ..files.inputs import read_file
from ..files.outputs import MARK
from ..native.annotation.allocation import Pool
from ..native.annotation.beta import FloatArray
from ..native.annotation.methods import BETA, Method, ScoreState, Settings, start
from ..text import plural
from .exports import SCORE_COLUMNS, looks_escaped, unescaped
from .formats import campaign_files as tables
from .formats.campaign_files import ItemsFile, kind_of_file
from .hits.assigning import parse_rule
from .hits.choosing import Choice
from .hits.plan import check_roles
from .page.texts import Texts, texts_to_rows, write_texts
from .results.readers import Tool, read_any
from .results.results_file import RejectedRule, ResultRow, ResultsFile, check_terminated
from .results.update import Taken, add, positions_of
from .storage import records as stored
from .storage.design import RESERVED, Design, now, number_of
from .storage.records import About, Reserved
from .storage.rules import write_rule
from .storage.store import Store, created, opened


def create(
    path: str | Path,
    items: str | Path,
    method: Method = "easl",
    per_hit: int = tables.PER_HIT,
    *,
    settings: Settings = Settings(),
    pool: Pool = "paper",
    seed: int | None = None,
    encoding: str | None = None,
    design: Design = Design(),
    texts: Texts = Texts(),
) -> About:
    """Create a campaign.

    Parameters
    ----------
    path : path
        The database to create; it must not exist.
    items : path
        CSV or TSV with the columns `id`, `sent` (the item's text, which alone is shown to annotators) and any
        others; `role`, `of`, `source`, `system` and `gold` say what an item is for, see
        :mod:`pairproof.campaign.storage.records`.
    method : Method
    per_hit : int
        Items in a HIT; the paper's direct assessment shows 1, its other methods 5.
    settings : Settings
    pool : Pool
        Where partners come from, see :mod:`pairproof.native.annotation.allocation`.
    seed : int, optional
        Seed of all batches; default: drawn at random and stored.
    encoding : str, optional
        Encoding of the items file, if it is not UTF-8.
    design : Design
        What annotators see, who judges what, and which judgments count.  Its `columns` says which columns of
        the items file stand for role, of, source, system and gold; default: those of these names.
    texts : Texts
        What annotators read beside the items.

    Returns
    -------
    About

    Raises
    ------
    InputError
        The items file is not as expected; the message names file, row and column.
    """
    one_of("method", method, get_args(Method))
    one_of("pool", pool, get_args(Pool))
    read = tables.read_items(items, encoding)
    source = read.table.source
    model = [c for c in read.columns if c in (*tables.MODEL_COLUMNS, *tables.SKILL_COLUMNS)]
    if {"alpha", "beta"} <= set(model) or set(tables.SKILL_COLUMNS) <= set(model):
        raise InputError(
            f"{source}: has columns {', '.join(model)}, so it is a model file; use 'pairproof easl import' for"
            " it"
        )
    whole_number("per_hit", per_hit)
    # First, because the columns of a batch are as many as a HIT has items.
    tables.check_size(per_hit, len(read.ids), method, source)
    tables.check_numbered(read.columns, per_hit, source)
    chosen = with_columns(design, read)
    if chosen.qualify:
        parse_rule(chosen.qualify)
    reserved = reserved_of(read, chosen)
    tables.check_size(per_hit, sum(role == "item" for role, *_ in reserved), method, source)
    check_roles(source, chosen.degraded, chosen.gold, {role for role, *_ in reserved})
    if chosen.arrange == "same-source":
        check_sources(reserved, per_hit, source, bool(chosen.degraded))
    name, drawn = secrets.token_hex(6), stored.drawn_seed(seed)
    made = About(name, method, per_hit, settings, pool, drawn, read.columns, False, chosen)
    with created(path) as store:
        stored.write_about(store, made)
        stored.write_items(store, read.ids, read.fields(read.columns), start(method, len(read.ids)), reserved)
        write_texts(store, tuple(texts_to_rows(texts)))
        write_rule(store, "repeats", chosen.on_repeat)
        if chosen.qualify:
            write_rule(store, "qualification", chosen.qualify)
    return made


def with_columns(design: Design, read: ItemsFile) -> Design:
    """The design with the columns of this items file: reserved ones, the item's text, those shown."""
    given = dict(design.columns)
    strange = [name for name in given if name not in RESERVED]
    if strange:
        raise InputError(f"--col {strange[0]}=: expected one of {', '.join(RESERVED)} before the sign")
    for name, column in given.items():
        _check_column(read, column, f"--col {name}=")
    columns = {name: given.get(name, name) for name in RESERVED}
    columns = {name: column for name, column in columns.items() if column in ("", *read.columns)}
    free = [c for c in read.columns if c not in columns.values()]
    text = design.text
    if text not in free:
        if text != Design().text:
            _check_column(read, text, "--text")
            meaning = next((name for name, column in columns.items() if column == text), text)
            raise InputError(f"--text {text}: this column holds {meaning}; name another")
        if len(free) > 1:
            raise InputError(
                f"{read.table.source}: no column {text!r}, and {len(free)} others could hold the item's text:"
                f" {', '.join(map(repr, free))}; name it with --text, and use --show for other"
                " columns that annotators should see"
            )
        text = free[0] if free else "id"
    chosen = replace(design, text=text, columns=columns)
    for name in chosen.shown():
        _check_column(read, name, "--show")
    return chosen


def _check_column(read: ItemsFile, column: str, option: str) -> None:
    if column and column not in read.columns:
        raise InputError(
            f"{read.table.source}: {option} {column}: no such column; found"
            f" {', '.join(map(repr, ('id', *read.columns)))}"
        )


def reserved_of(read: ItemsFile, design: Design) -> list[Reserved]:
    """What the reserved columns of an items file say of each item."""
    cells = {name: tables.cells_of(read.table, column) for name, column in design.columns.items() if column}
    return stored.reserved_cells(read.table, read.ids, cells, design.columns)


def check_sources(reserved: Sequence[Reserved], per_hit: int, source: str, degraded: bool) -> None:
    """Check that each item has a source and that no source has more items than a HIT; say, before anything
    is dealt, where a degraded item would be alone on its page.
    """
    held = Counter(name for role, _, name, _, _ in reserved if role == "item")
    if held[""]:
        raise InputError(
            f"{source}: {held['']} items have no source; --design same-source needs a column 'source' (or"
            " --col source=COLUMN)"
        )
    name, most = held.most_common(1)[0]
    if most > per_hit:
        said = f"source {name!r} has {most} items, but a HIT has {per_hit}"
        raise InputError(f"{source}: {said}; use --per-hit {most}")
    originals = [reserved[of] for _, of, *_ in reserved if of is not None]
    alone = sum(held[name] == 1 for role, _, name, _, _ in originals if role == "item")
    if alone and degraded:
        warnings.warn(
            f"{alone} degraded item(s) belong to sources with one output, so they and their originals"
            " are alone on their pages; give these sources more outputs, or omit --design same-source",
            DataWarning,
        )


#: Seconds that an item takes (Sakaguchi and Van Durme 2018, footnote 12), and scores of an item from which on
#: EASL's choice of items costs nothing in simulations (docs/sakaguchi-vandurme-2018.md).
SECONDS, ENOUGH = 5.0, 10


@dataclass(frozen=True)
class Forecast:
    """What a batch that shows every item once asks of people: HITs, judgments, scores an item, hours, and cost (None
    without --pay-hour); batches: until an item has `ENOUGH` scores. suits: which method, and how many annotators.
    """

    hits: int
    judgments: int
    scores: float
    seconds: float
    hours: float
    cost: float | None
    batches: int
    suits: str

    @property
    def sentences(self) -> str:
        return (
            f"A batch is {plural(self.hits, 'HIT')}, {plural(self.judgments, 'judgment')} and {self.scores:.3g}"
            f" score{'' if self.scores == 1 else 's'} per item: {self._spent(1)} at {self.seconds:g} s per item (--seconds)\n{ENOUGH} scores per item take"
            f" {self.batches} batch{'' if self.batches == 1 else 'es'}: {self._spent(self.batches)}\n{self.suits}"
        )

    def _spent(self, batches: int) -> str:
        hours, paid = batches * self.hours, "" if self.cost is None else f", cost {batches * self.cost:.2f}"
        seconds, minutes = f"{3600 * hours:.0f} seconds", f"{60 * hours:.0f} minutes"
        return (seconds if hours < 1 / 30 else minutes if hours < 1 else f"{hours:.1f} hours") + paid


def forecast(path: str | Path, seconds: float = SECONDS) -> Forecast:
    """What a campaign will cost where an item takes so many seconds, and which method suits it."""
    with opened(path, write=False) as store:
        choice = Choice(store, stored.about(store))
        query = "SELECT COUNT(DISTINCT system) FROM item WHERE role = 'item' AND system <> ''"
        a, systems = choice.about, int(store.value(query))
    items, hits = len(choice.scored), choice.hits(None)
    own = hits * a.per_hit - int(choice.shares.counts(hits * a.per_hit).sum())
    scores = a.design.judgments * (1.0 if choice.same_source else own / items)
    hours = hits * a.design.judgments * a.per_hit * seconds / 3600.0
    cost = None if a.design.pay_hour is None else hours * a.design.pay_hour
    counts = (hits, hits * a.design.judgments, scores, seconds, hours, cost, int(np.ceil(ENOUGH / scores)))
    return Forecast(*counts, _suits(a, items, systems))


def _suits(a: About, items: int, systems: int) -> str:
    """Which method suits the items, and how many annotators they need, in sentences."""
    said = f"{a.method} suits any number of items and systems; easl was no better in simulations"
    if a.method not in ("da", "random"):
        even = f"--method random shows all {items} items equally often"
        said = (
            f"easl suits at least {ENOUGH} scores per item; below that {even}, and did better in simulations"
        )
        if systems > 1:
            said = f"{even}, as a comparison of {systems} systems needs; {a.method} does not"
        elif a.method != "easl":
            said = f"{even} and keeps distances; {a.method} uses only the order within a HIT, and did worse in simulations"
    most = max(3, a.design.judgments)  # a model of annotators needs three who share items
    return f"Method: {said}. Annotators: at least {most}, with shared items, so that scores can be corrected for annotators"


ModelIs = Literal["before", "after"]
#: Additional columns in the model files of the later public tool.
_OF_A_TOOL = ("na_count", "scores")
#: Tolerance within which a model file and its results must agree; a file that agrees to fewer than 6 digits
#: comes from another computation.
AGREE = 5e-6


@dataclass(frozen=True)
class Imported:
    """A campaign created from a model file, with how it was created.

    recomputed: whether mode or var do not follow from alpha and beta, but for the old start of .0833.
    escaped: cells of the items that hold HTML's escapes and were kept so.
    """

    about: About
    items: int
    taken: tuple[Taken, ...]
    model_is: ModelIs | None
    recomputed: bool
    escaped: int = 0


def take_over(
    path: str | Path,
    model: str | Path,
    results: Sequence[str | Path] = (),
    *,
    method: Method | None = None,
    per_hit: int | None = None,
    settings: Settings = Settings(),
    pool: Pool = "paper",
    seed: int | None = None,
    model_is: ModelIs | None = None,
    rejected: RejectedRule = "refuse",
    encoding: str | None = None,
    accept_unterminated: bool = False,
    unescape: bool = False,
    tool: Tool | None = None,
) -> Imported:
    """Create a campaign from a model file and results files.

    Parameters
    ----------
    path : path
        The database to create; it must not exist.
    model : path
        CSV: id, sent, alpha, beta, mode, var; or id, sent, mu, sigma.  Beside alpha and beta, mu and sigma are
        an older code's names of mode and var.
    results : sequence of paths
        In the layout of the older tools.
    method : Method, optional
        Default: easl for alpha and beta, trueskill for mu and sigma.
    per_hit : int, optional
        Default: as in the results, else 5.
    settings, pool, seed, encoding : see :func:`pairproof.campaign.create`
    model_is : {"before", "after"}, optional
        Whether the model is from before or after the results; default: found by arithmetic.
    rejected : {"refuse", "count", "leave-out"}
    accept_unterminated : bool
        Accept files whose last record has no line end; such a file may have been cut off.
    unescape : bool
        Undo HTML's escapes in the items' texts, and the spans that stand for characters above U+FFFF.
    tool : {"results", "label-studio", "codes"}, optional
        The tool whose results these are; default: found from their content.

    Raises
    ------
    InputError
        A file is not as expected; the message names file, row and column.
    """
    kind = kind_of_file(read_file(model, "a model file"), str(model))
    if kind is not None and kind.name != "model":
        raise InputError(f"{model}: is {kind.what}, not a model file; {kind.cure}")
    read = tables.read_items(model, encoding)
    if not accept_unterminated:
        check_terminated(read_file(model, "a model file"), read.table)
    chosen = _method(read, method)
    if model_is is not None:
        one_of("model_is", model_is, get_args(ModelIs))
    state, used, recomputed = _state(read, chosen)
    columns = tuple(c for c in read.columns if c not in used)
    escaped = 0 if unescape else sum(looks_escaped(tables.cells_of(read.table, c)) for c in ("id", *columns))
    if unescape:
        read = _without_escapes(read, columns)
    size = per_hit or (_size(results[0], encoding) if results else min(tables.PER_HIT, len(read.ids)))
    tables.check_size(size, len(read.ids), chosen, read.table.source)
    tables.check_numbered(columns, size, read.table.source)
    how: dict[str, Any] = {"accept_unterminated": accept_unterminated, "tool": tool}
    files = [read_any(r, size, rejected, encoding, **how) for r in results]
    name, own = _own_name(files)
    drawn = stored.drawn_seed(seed)
    named = {name: name for name in RESERVED if name in columns}
    free = [c for c in columns if c not in named]
    text = "sent" if "sent" in free else free[0] if free else "id"
    # All repeats count.
    design = Design(text=text, on_repeat="both", columns=named)
    reserved = reserved_of(read, design)
    made = About(name, chosen, size, settings, pool, drawn, columns, True, design)
    where = model_is if files else None
    with created(path) as store:
        stored.write_about(store, made)
        fresh = start(chosen, len(read.ids))
        at_start = _same(state.a, fresh.a, 0.0) and _same(state.b, fresh.b, 0.0) and not state.n.any()
        if files and where is None and at_start:
            where = "before"
        from_start = bool(files) and where != "before"
        stored.write_items(store, read.ids, read.fields(columns), fresh if from_start else state, reserved)
        write_rule(store, "repeats", design.on_repeat)
        if own:
            _rebuild_batches(store, files, {n: k for k, n in enumerate(read.ids)})
        taken = tuple(add(store, made, f) for f in files)
        if from_start:
            _check_counted(store, made, state, read, where)
            where = "after"
    return Imported(made, len(read.ids), taken, where, recomputed, escaped)


def _without_escapes(read: ItemsFile, columns: Sequence[str]) -> ItemsFile:
    """The items with their texts as they were before a tool escaped them."""
    cells = dict(read.table.columns)
    for name in ("id", *columns):
        cells[name] = [unescaped(c) for c in tables.cells_of(read.table, name)]
    ids = tuple(cells["id"])
    if len(set(ids)) < len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise InputError(f"{read.table.source}: without escapes two items have the id {twice!r}")
    # The guards of formulas are off already.
    cells.pop(MARK, None)
    return ItemsFile(replace(read.table, columns=cells), ids, read.columns)


def _method(read: ItemsFile, asked: Method | None) -> Method:
    names = set(read.columns)
    has_beta, has_skill = {"alpha", "beta"} <= names, set(tables.SKILL_COLUMNS) <= names
    if asked is not None:
        one_of("method", asked, get_args(Method))
    if asked == "da":
        raise InputError(
            "direct assessment has no model file; create the campaign with 'easl init --method da' and add"
            " the results with 'easl update'"
        )
    if has_beta and asked != "trueskill":
        return asked or "easl"
    if has_beta and has_skill:
        raise InputError(
            f"{read.table.source}: mu and sigma next to alpha and beta are the mode and variance of beta"
            " distributions, not TrueSkill's; leave --method out"
        )
    if has_skill and asked in (None, "trueskill"):
        return "trueskill"
    beta, skill = "alpha and beta", "mu and sigma"
    need = skill if asked == "trueskill" else beta if asked else f"{beta}, or {skill}"
    raise InputError(
        f"{read.table.source}: found columns {', '.join(map(repr, ('id', *read.columns)))}; a model file has"
        f" {need}"
    )


def _state(read: ItemsFile, method: Method) -> tuple[ScoreState, tuple[str, ...], bool]:
    """The state in the file, the columns that hold it, and whether mode and var had to be recomputed."""
    names = set(read.columns)
    first, second = ("alpha", "beta") if method in BETA else tables.SKILL_COLUMNS
    a, b = (_numbers(read.table, c) for c in (first, second))
    # An older code calls mode and var mu and sigma, beside alpha and beta.
    also = ("mode", "var", *tables.SKILL_COLUMNS)
    used = [first, second, *(c for c in also if c in names and c not in (first, second))]
    whole = set(SCORE_COLUMNS) <= names
    used += [*SCORE_COLUMNS] if whole else []
    used += [c for c in _OF_A_TOOL if c in names]
    if method == "trueskill":
        # In a file that pairproof wrote, sigma squared is var to the last bit: the root of a square is exact.
        b = _numbers(read.table, "var") if "var" in names else b**2
    bad = ~((a >= 1) & (b >= 1)) if method in BETA else ~(b > 0)
    if bad.any():
        whole_beta = (first, "both to be at least 1")
        column, expected = whole_beta if method in BETA else (second, "a number above 0")
        found = f"{first} {a[bad][0]:g} and {second} {b[bad][0]:g}"
        raise read.table.refuse(bad, column, found, f"expected {expected}")
    # As the file says, else from the sum of alpha and beta; 0 if unknown.
    counted = np.rint(a + b - 2.0) if method in ("easl", "random") else 0.0 * a
    n = _numbers(read.table, "n") if whole else counted
    state = ScoreState(method, a, b, n.astype(np.int64))
    own = {"mode": state.score, "var": state.variance, "mu": state.score, "sigma": state.variance}
    # The older tools write .0833 for the initial variance 1/12, which is off by 3.3e-5; the tolerance is half
    # a unit of their fourth decimal.
    matches = all(_same(_numbers(read.table, c), own[c], 5e-5) for c in own if c in names and method in BETA)
    return state, tuple(used), not matches


def _same(one: FloatArray, other: FloatArray, within: float) -> bool:
    """Whether two columns agree to a tolerance: 0 (bits), or what `_matches` says of written decimals."""
    return bool(np.allclose(one, other, rtol=0.0, atol=within))


def _numbers(table: Table, column: str) -> FloatArray:
    cells = tables.cells_of(table, column)
    values = np.array([number_of(cell) for cell in cells])
    for row in np.flatnonzero(~np.isfinite(values)).tolist():
        raise InputError(f"{table.where(row, column)}: {cells[row]!r}; expected a finite number")
    return values


def _size(results: str | Path, encoding: str | None) -> int:
    """The number of items in a HIT, counted from the columns of a results file."""
    from ..data.reading.sources import load

    names = load(str(results), encoding).columns
    k = next(k for k in count() if f"Input.id{k + 1}" not in names)
    if not k:
        expected = "results with Input.id1, Answer.range1, ..."
        raise InputError(f"{results}: no column 'Input.id1'; expected {expected}")
    return k


def _own_name(files: Sequence[ResultsFile]) -> tuple[str, bool]:
    """The campaign's id: the one that all results name, so that open batches stay valid; else a new one."""
    names = {r.campaign for f in files for r in f.rows if r.campaign}
    if len(names) > 1:
        said = f"results of {len(names)} campaigns: {', '.join(sorted(names))}"
        raise InputError(f"{said}; expected results of one campaign")
    return (names.pop(), True) if names else (secrets.token_hex(6), False)


def _rebuild_batches(store: Store, files: Sequence[ResultsFile], position: dict[str, int]) -> None:
    """Create the batches and HITs that the results name, so that their outstanding results can be added."""
    hits: dict[tuple[int, int], ResultRow] = {}
    for row in (r for f in files for r in f.rows if r.batch.isdigit() and r.hit.isdigit()):
        hits.setdefault((int(row.batch), int(row.hit)), row)
    for batch, n in sorted(Counter(b for b, _ in hits).items()):
        store.db.execute("INSERT INTO batch VALUES (?, ?, ?)", (batch, now(), n))
    for (batch, hit), row in sorted(hits.items()):
        items = json.dumps(positions_of(row, position))
        store.db.execute("INSERT INTO hit (batch, number, items) VALUES (?, ?, ?)", (batch, hit, items))


def _check_counted(store: Store, a: About, model: ScoreState, read: ItemsFile, asked: ModelIs | None) -> None:
    """Refuse a model that differs from the state that the results give from the start."""
    found = stored.state_of(store, a.method)
    gap = np.maximum(np.abs(found.a - model.a), np.abs(found.b - model.b))
    if (gap > AGREE).any():
        k = int(np.argmax(gap))
        names = tables.SKILL_COLUMNS if a.method == "trueskill" else tables.MODEL_COLUMNS[:2]
        cure = "check that all results files are given"
        if asked != "after":
            cure = (
                "use --model-is before to add the results to the model, or give every results file that led to it. Where"
                " judgments were set aside, or HITs hold checks, 'easl export --what log' carries the campaign"
            )
        raise InputError(
            f"{read.table.where(k)}: item {read.ids[k]!r} has {names[0]} {model.a[k]:g} and"
            f" {names[1]} {model.b[k]:g} in the model, but the {len(stored.judged(store).hits)} results from the"
            f" start give {found.a[k]:g} and {found.b[k]:g}; {cure}"
        )
