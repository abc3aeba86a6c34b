"""The linear predictor of every row, written out: own abilities, covariates, columns, offset."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

from tests.certified.contests.models import Model


@dataclass(frozen=True)
class Design:
    """Rows x of the names, offsets, counts (wins, losses, or wins, ties, losses), `home` of each row."""

    names: list[str]
    x: list[list[mpf]]
    offset: list[mpf]
    counts: list[list[int]]
    home: list[mpf]
    rows: list[dict[str, Any]]


def number(value: Any) -> mpf:
    """A whole number or decimal text, exactly."""
    exact = Fraction(str(value))
    return mpf(exact.numerator) / exact.denominator


def own_abilities(data: dict[str, Any], model: Model) -> list[str]:
    """Items with an ability of their own that is estimated."""
    free = [item for item in data["items"] if item not in model.without]
    if not model.item_covariates:
        return [item for item in free if item != model.reference] if model.reference else []
    columns = [data["item_data"][name] for name in model.item_covariates]
    return [item for item in free if any(column[item] is None for column in columns)]


def design(data: dict[str, Any], model: Model) -> Design:
    """The design of a model's fixed parameters; rows with an item of infinite ability are left out."""
    own = own_abilities(data, model)
    names = [*own, *model.item_covariates, *model.columns]
    rows = [row for row in data["rows"] if not {row["first"], row["second"]} & set(model.without)]

    def part(item: str, name: str) -> mpf:
        if name in model.item_covariates:
            return mpf(0) if item in own else number(data["item_data"][name][item])
        return mpf(item == name)

    x = [
        [
            number(row[name])
            if name in model.columns
            else part(row["first"], name) - part(row["second"], name)
            for name in names
        ]
        for row in rows
    ]
    keys = ("wins", "losses") if model.ties == "none" else ("wins", "ties", "losses")
    return Design(
        names,
        x,
        [number(row["offset"]) if model.offset else mpf(0) for row in rows],
        [[row[key] for key in keys] for row in rows],
        [number(row.get("home", 0)) for row in rows],
        rows,
    )


def log_coefficient(counts: list[int]) -> mpf:
    """Log of the binomial or multinomial coefficient."""
    return mp.loggamma(sum(counts) + 1) - mp.fsum(mp.loggamma(c + 1) for c in counts)
