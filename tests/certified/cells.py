"""Rows of a data set -> the cells on which deviance and df are taken, each with its linear forms.

A cell is an unordered pair x the distinct values of the model's own covariates (the columns of `by`, and with
an order effect whether the pair's earlier or later item, or neither, came first), or finer where `cells` says
so. Empty cells are left out.  A linear form is {parameter: coefficient} on the log-odds scale, the internal
reference item (the stated one; the last for sum-to-zero) having no parameter.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tests.certified.generators import Row
from tests.certified.models import Model

Form = dict[str, Fraction]


@dataclass(frozen=True)
class Cell:
    """Counts of one cell, from the side of the pair's earlier item.

    Attributes
    ----------
    counts : (wins, ties, losses); ties is None where there is no tie category
    gap : linear form of u = b_first - b_second + s order
    tie : linear form of the tie parameter
    label : what identifies the cell in the output
    """

    first: str
    second: str
    counts: tuple[Fraction, Fraction | None, Fraction]
    gap: Form
    tie: Form
    label: dict[str, Any]

    def total(self) -> Fraction:
        wins, ties, losses = self.counts
        return wins + (ties or 0) + losses


def is_categorical(column: str, rows: list[Row]) -> bool:
    """`judge` always; other columns if their values are text."""
    return column == "judge" or isinstance(rows[0][column], str)


def effects(column: str, value: Any, rows: list[Row]) -> dict[str, Fraction]:
    """Names and multipliers a column adds at one value: {"judge[3]": 1}, {"age": 38}; none at the first
    level.
    """
    if not is_categorical(column, rows):
        return {column: Fraction(value)}
    levels = sorted({row[column] for row in rows})
    return {} if value == levels[0] else {f"{column}[{value}]": Fraction(1)}


def ability(
    item: str, row: Row, rows: list[Row], model: Model, reference: str | None, item_data: Any
) -> Form:
    """b_item in one row, as a linear form."""
    if model.item_covariates:
        return {name: Fraction(values[item]) for name, values in item_data.items() if values[item]}
    if item == reference:
        return {}
    form = {item: Fraction(1)}
    for column in model.terms()[0]:
        for name, coefficient in effects(column, row[column], rows).items():
            form[f"{item}:{name}"] = coefficient
    return form


def _difference(left: Form, right: Form) -> Form:
    names = {**left, **right}
    gap = {name: left.get(name, Fraction(0)) - right.get(name, Fraction(0)) for name in names}
    return {name: coefficient for name, coefficient in gap.items() if coefficient}


def _tie_form(row: Row, rows: list[Row], model: Model) -> Form:
    form = {"tie": Fraction(1)}
    for column in model.terms()[1]:
        for name, coefficient in effects(column, row[column], rows).items():
            form[f"tie:{name}"] = coefficient
    return form


def counted(row: Row, ties: str) -> tuple[Fraction, Fraction | None, Fraction]:
    """The row's counts as the tie rule takes them."""
    wins, losses = Fraction(row["wins"]), Fraction(row["losses"])
    if "ties" not in row:
        return wins, None, losses
    tied = Fraction(row["ties"])
    if ties == "half":
        return wins + tied / 2, None, losses + tied / 2
    if ties == "drop":
        return wins, None, losses
    return wins, tied, losses


def make_cells(data: dict[str, Any], model: Model, reference: str | None) -> list[Cell]:
    """Non-empty cells in order of first appearance."""
    rows, items = data["rows"], data["items"]
    item_columns, tie_columns = model.terms()
    finer = [model.cells] if model.cells is not None and model.cells != "row" else []
    columns = list(dict.fromkeys([*item_columns, *tie_columns, *finer]))
    found: dict[Any, Cell] = {}
    for number, row in enumerate(rows, start=1):
        first, second, (wins, tied, losses) = row["first"], row["second"], counted(row, model.ties)
        side = row.get("order", 1)  # without the column, the one named first is first everywhere
        if items.index(first) > items.index(second):
            first, second, wins, losses, side = second, first, losses, wins, -side
        label = {column: row[column] for column in columns}
        if model.order_effect:
            label["came_first"] = {1: first, -1: second, 0: None}[side]
        if model.cells == "row":
            label["row"] = number
        gap = _difference(
            *(ability(i, row, rows, model, reference, data.get("item_data")) for i in (first, second))
        )
        if model.order_effect and side:
            gap["order"] = Fraction(side)
        key = (first, second, *label.values())
        if key in found:
            won, drawn, lost = found[key].counts
            wins, tied, losses = wins + won, None if tied is None else tied + (drawn or 0), losses + lost
        found[key] = Cell(first, second, (wins, tied, losses), gap, _tie_form(row, rows, model), label)
    return [cell for cell in found.values() if cell.total()]


def parameter_names(
    cells: list[Cell], data: dict[str, Any], model: Model, reference: str | None
) -> list[str]:
    """Items, their effects level by level, then tie and its effects, then order."""
    rows, items = data["rows"], data["items"]
    if model.item_covariates:
        names = list(data["item_data"])
    else:
        free = [item for item in items if item != reference]
        names = list(free)
        for column in model.terms()[0]:
            for value in sorted({row[column] for row in rows}):
                for effect in effects(column, value, rows):
                    names += [f"{item}:{effect}" for item in free if f"{item}:{effect}" not in names]
    if model.ties in ("davidson", "rao-kupper"):
        names += list(dict.fromkeys(name for cell in cells for name in cell.tie))
    return names + (["order"] if model.order_effect else [])
