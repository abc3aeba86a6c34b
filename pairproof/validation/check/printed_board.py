"""A published board beside the votes: each number of its CSV gets the verdict of a claim on scale "elo".

The columns are known by their names: ours, and those of other boards.  A column that is not looked at is named, and so is
a model that only one of the two has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from ...data.comparisons import Comparisons
from ...errors import InputError
from ...files.inputs import read_file
from ...text import listed, named, quoted
from ..claims.paper import Claim, DataSpec, ModelClaim, Paper, PrintedQuantity
from ..claims.printed import Printed
from ..claims.quantities import OF_BOARD, Quantity
from ..report.context import ReportContext, versions
from ..report.verification import Verification
from ..verdicts.agreement import Agreement
from .checker import Checker

#: Names of the column of models; then of each quantity, in small letters.
MODELS = ("model", "name", "key", "competitor", "system", "item")
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "estimate": ("rating", "elo", "score", "arena_score", "arena score"),
    "low": ("low", "rating_q025", "rating_lower", "lower"),
    "high": ("high", "rating_q975", "rating_upper", "upper"),
    "rank_low": ("rank_low",),
    "rank_high": ("rank_high",),
    "votes": ("votes", "num_battles", "n_match", "battles"),
    "wins": ("wins",),
    "losses": ("losses",),
    "ties": ("ties",),
}
#: Bytes of a board.
MOST_BYTES = 64 * 1024**2
#: Digits of a number that a program wrote with all of a double's: more than differ between machines.
DIGITS, ALL_DIGITS = 10, 13


@dataclass(frozen=True)
class PrintedBoard:
    """The models of a board, its numbers by quantity, and the columns that are not looked at."""

    models: tuple[str, ...]
    numbers: tuple[PrintedQuantity, ...]
    others: tuple[str, ...]


def read_board(path: str) -> PrintedBoard:
    """The board in a CSV file."""
    from ...data.reading.sources import delimited
    from ...files.outputs import unguard

    table = delimited(read_file(Path(path), "a board", most=MOST_BYTES), path)
    columns = {name: [str(cell).strip() for cell in cells] for name, cells in table.columns.items()}
    found = {name.strip().lower(): name for name in columns}
    of_models = next((found[name] for name in MODELS if name in found), None)
    asked = {kind: found[name] for kind, names in COLUMNS.items() for name in names[::-1] if name in found}
    if of_models is None or "estimate" not in asked:
        raise InputError(
            f"{path}: no column of {'models' if of_models is None else 'ratings'}; expected model (or name) and rating (or"
            f" elo, score), and found {listed(columns)}"
        )
    models = [unguard(name) for name in columns[of_models]]
    twice = sorted({name for name in models if models.count(name) > 1})
    if twice:
        raise InputError(
            f"{path}: {named(twice)} stand{'s' * (len(twice) == 1)} in several rows; a board has each model once"
        )
    numbers = []
    for kind, column in asked.items():
        for k, (model, text) in enumerate(zip(models, columns[column])):
            if text not in ("", "-"):
                numbers.append(_number(kind, model, text, f"{path}, row {k + 2}, column {column!r}", k + 2))
    others = tuple(name for name in columns if name not in (of_models, *asked.values()))
    return PrintedBoard(tuple(models), tuple(numbers), others)


def _number(kind: str, model: str, text: str, where: str, line: int) -> PrintedQuantity:
    plain = text.replace(",", "") if kind in OF_BOARD else text
    try:
        printed = Printed.parse(plain)
        if printed.value is None or printed.stars or printed.on is not None:
            raise InputError(f"printed {quoted(text)} is not one number")
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    if printed.digits > ALL_DIGITS:
        rounded = Decimal(f"{printed.value:.{DIGITS - 1}e}")
        printed = replace(Printed.parse(f"{rounded:f}"), text=text)
    return PrintedQuantity(Quantity(kind, name=model), printed, line)


def check_board(path: str, votes: Comparisons, model: ModelClaim) -> Verification:
    """The verdict on each number of a board.

    path: its CSV.  model: how the board says that it was made, on scale "elo".
    """
    from ..verify import backend_of
    from .recompute import made

    board = read_board(path)
    known = [name for name in board.models if name in votes.items]
    if len(known) < 2:
        raise InputError(
            f"{path} and {votes.source} have {len(known)} models in common; the board has {listed(board.models, 5)}, the votes"
            f" have {listed(votes.items, 5)}"
        )
    claims = tuple(
        Claim(id=name, data="votes", model=model, engines=("native",), numbers=numbers)
        for name, kinds in (
            ("ratings", ("estimate",)),
            ("limits", ("low", "high")),
            ("ranks", ("rank_low", "rank_high")),
            ("counts", OF_BOARD),
        )
        if (
            numbers := tuple(
                q for q in board.numbers if q.quantity.kind in kinds and q.quantity.name in votes.items
            )
        )
    )
    paper = Paper(
        Path(path).stem,
        Path(path).name,
        data={"votes": DataSpec("votes", "long")},
        claims=claims,
        source=path,
    )
    rows = Checker(paper, tables={"votes": votes}).all() + _not_looked_at(paper.id, board, votes)
    context = ReportContext(
        title=f"{Path(path).name}: do its numbers come out of the votes?",
        subtitle=f"{votes.n_comparisons:,.10g} votes from {votes.source}; {_in_words(model)}",
        made=made(),
        versions=versions(backend_of("none")),
    )
    return Verification(tuple(rows), context)


def _not_looked_at(paper: str, board: PrintedBoard, votes: Comparisons) -> list[Agreement]:
    """What only one of the two has, and the columns of which nothing is computed."""
    unknown = [name for name in board.models if name not in votes.items]
    unlisted = [name for name in votes.items if name not in board.models]
    said = [
        ("models", f"the votes have no {named(unknown)}: nothing is said of them", "other-models")
    ] * bool(unknown)
    if unlisted:
        why = f"the board does not list {named(unlisted)}, whose votes are in the fit, and in the mean of the ratings"
        said.append(("models", why, "other-models"))
    said += [(f"column {name}", "not looked at", "not-looked-at") for name in board.others]
    return [
        Agreement(
            paper,
            "not looked at",
            Quantity(what),
            verdict="not-checkable",
            explanation=f"{code}: {why}",
            code=code,
        )
        for what, why, code in said
    ]


def _in_words(model: ModelClaim) -> str:
    errors = f"{model.cluster_kind} by {' and '.join(model.cluster)}" if model.cluster else "by single votes"
    where = f"{model.anchor or 'the mean'} at {1000.0 if model.at is None else model.at:g}"
    return f"ties {model.ties}, {where}, {model.expected or 'ability'}, standard errors {errors}"
