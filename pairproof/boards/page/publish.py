"""What is published beside a board so that anyone can check it: the votes as fitted, and claims on all its numbers.

In `votes.csv` clusters have numbers in place of their names, so that no judge's is published; which votes go
together stays.  `pairproof check leaderboard.toml` fits these votes again and gives each number a verdict.
"""

from __future__ import annotations

import csv
import io
import shlex
from typing import Any

import numpy as np

from ...data.columns import Factor, FloatArray
from ...errors import InputError
from ...text import toml, toml_lines
from ..rows import BoardNumbers as Board

PAGE, CSV, JSON, CLAIMS, VOTES = (
    "index.html",
    "leaderboard.csv",
    "leaderboard.json",
    "leaderboard.toml",
    "votes.csv",
)
#: Decimals of what claims print: more than a page shows, fewer than differ between machines.
DECIMALS = 4


def check_command(board: Board, csv_name: str, votes_name: str) -> str:
    """The command that makes the numbers of a board again from the votes."""
    words = ["pairproof", "check", csv_name, "--votes", votes_name]
    words += ["--ties", board.scale.ties] if board.scale.ties not in ("half", "none") else []
    words += ["--anchor", f"{board.scale.anchor}={board.scale.at:.15g}"] if board.scale.anchor else []
    words += ["--cluster", ",".join(board.clusters.columns)] if board.clusters else []
    words += (
        ["--cluster-kind", board.clusters.kind] if board.clusters and board.clusters.kind != "CR2" else []
    )
    words += ["--order-effect"] * board.fit.spec.order_effect
    for name in (term.removeprefix("style.") for term in board.fit.spec.comparison_terms):
        words += ["--style", '"' + name.replace('"', '""') + '"' if "," in name or '"' in name else name]
    words += ["--level", f"{board.level:.15g}"] if board.level != 0.95 else []
    return " ".join(map(shlex.quote, words))


def checkable(board: Board) -> bool:
    """Whether the votes are held as fitted: those that are only counted have no columns of style."""
    return all(name in board.table.columns for name in board.fit.spec.comparison_terms)


# -- the votes as fitted -----------------------------------------------------------------------------------


def votes_csv(board: Board) -> str:
    """The votes as fitted: items, counts, clusters by number, and the covariates of the model."""
    table = board.table
    names, columns = ["first", "second"], []
    items = np.array(table.items, object)
    numbers: list[FloatArray] = [table.first.astype(float), table.second.astype(float)]
    for name in _clusters(board):
        numbers.append(_numbered(table.columns[name]))
        names.append(name)
    covariates = [*board.fit.spec.comparison_terms, *(["order"] if "order" in table.columns else [])]
    for name in dict.fromkeys(covariates):
        column = table.columns[name]
        if isinstance(column, Factor):
            raise InputError(f"column {name!r} of the model is text; style columns must be numeric")
        numbers.append(column)
        names.append(name)
    counts = {
        "wins": table.wins,
        **({"ties": table.ties} if table.tie_category else {}),
        "losses": table.losses,
    }
    of = np.column_stack(list(counts.values()))
    # A row without a cluster is a cluster of its own, and so is a weighted one where every vote is a cluster.
    key, together = np.column_stack(numbers), np.column_stack(numbers)
    if not np.isnan(key).any() and (of == np.round(of)).all():
        key, place = np.unique(together, axis=0, return_inverse=True)
        of = np.column_stack([np.bincount(place.ravel(), of[:, k], len(key)) for k in range(of.shape[1])])
    k = len(_clusters(board))
    columns = [items[key[:, 0].astype(int)], items[key[:, 1].astype(int)]]
    columns += [["" if np.isnan(v) else f"c{v:.0f}" for v in key[:, 2 + i]] for i in range(k)]
    columns += [[_short(v) for v in key[:, i]] for i in range(2 + k, key.shape[1])]
    columns += [[_short(v) for v in of[:, i]] for i in range(of.shape[1])]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*names, *counts])
    writer.writerows(zip(*columns))
    return stream.getvalue()


def _clusters(board: Board) -> tuple[str, ...]:
    """Columns of clusters that the votes still have; none of votes that were only counted."""
    columns = board.clusters.columns if board.clusters else ()
    return columns if all(name in board.table.columns for name in columns) else ()


def _numbered(column: Any) -> FloatArray:
    """Clusters numbered from 1 in the order of the votes; nan where one is not known."""
    codes = column.codes if isinstance(column, Factor) else np.where(np.isnan(column), -1.0, column)
    known, first, place = np.unique(codes, return_index=True, return_inverse=True)
    missing = known == -1
    order = np.argsort(np.where(missing, np.iinfo(np.int64).max, first))
    number = np.empty(len(known))
    number[order] = np.arange(1.0, len(known) + 1.0)
    return np.asarray(np.where(missing, np.nan, number)[place.ravel()])


def _short(value: float) -> str:
    return (
        ""
        if np.isnan(value)
        else f"{value:.0f}"
        if value == round(value) and abs(value) < 2**53
        else repr(float(value))
    )


# -- claims ------------------------------------------------------------------------------------------------


def board_claims(board: Board, csv_name: str, votes_name: str, sha256: str) -> str:
    """The text of a claims file: every rating, limit and rank of the board, to be recomputed from the votes.

    csv_name: where the numbers were read, in words.  votes_name, sha256: the file of :func:`votes_csv` beside it.
    """
    ratings = {row.model: _printed(row.rating) for row in board.rows if row.rating is not None}
    limits = {
        f"{end}.{row.model}": _printed(value)
        for row in board.rows
        for end, value in (("low", row.low), ("high", row.high))
        if value is not None
    }
    ranks = {
        f"{end}.{row.model}": str(value)
        for row in board.rows
        for end, value in (("rank_low", row.rank_low), ("rank_high", row.rank_high))
    }
    counted_only = board.clusters is not None and not _clusters(board)
    lines = [
        "# Every number of a leaderboard, as data: `pairproof check` refits the votes and reports which numbers are reproduced.",
        "",
        "[paper]",
        *toml_lines(
            {
                "id": "leaderboard",
                "title": f"Leaderboard of {len(board.rows):,} models from {board.data.votes:,.10g} votes",
                "read_from": csv_name,
            }
        ),
        "",
        "[data.votes]",
        *toml_lines({"kind": "file", "items": board.table.items, "file": votes_name, "sha256": sha256}),
    ]
    lines += _claim(board, "ratings", {"estimate": ratings}) if ratings else []
    if counted_only:
        lines += [
            "",
            "# Limits and ranks use clusters of votes that were counted but not kept; they are not claimed.",
        ]
        return "\n".join([*lines, ""])
    lines += _claim(board, "limits", {"stat": limits}) if limits else []
    return "\n".join([*lines, *_claim(board, "ranks", {"stat": ranks}), ""])


def _claim(board: Board, name: str, printed: dict[str, dict[str, str]]) -> list[str]:
    head = {"id": name, "data": "votes", "engines": ("native",)}
    tables = [[f"[claim.{key}]", *toml_lines(of), ""] for key, of in printed.items()]
    return [
        "",
        "[[claim]]",
        *toml_lines(head),
        f"model = {toml(_model(board))}",
        *(x for t in tables for x in t),
    ][:-1]


def _model(board: Board) -> dict[str, Any]:
    spec, scale, columns = board.fit.spec, board.scale, _clusters(board)
    stated: dict[str, Any] = {
        "family": "bradley-terry",
        "ties": spec.ties,
        "reference": "sum",
        "scale": scale.name,
        "anchor": scale.anchor,
        "at": float(scale.at),
        "expected": scale.expected,
        "level": f"{board.level:.15g}",
        "order_effect": spec.order_effect,
        "comparison_terms": spec.comparison_terms,
        "cluster": columns,
    }
    if columns and board.clusters is not None:
        stated["cluster_kind"] = board.clusters.kind
    else:
        stated["by_vote"] = board.clusters is None
    return {key: value for key, value in stated.items() if value not in ("", ()) and value is not False}


def _printed(value: float) -> str:
    return f"{value:.{DECIMALS}f}"
