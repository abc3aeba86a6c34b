"""From a table and a specification to the rows of contests and their design, and to the named terms.

Row r has the linear predictor

    eta_r = a[first] - a[second] + delta order_r + z_r'c + offset_r

with abilities a that are free, sums of item covariates, or absent, an order effect delta, and comparison terms z
(Turner and Firth 2012, Journal of Statistical Software 48(9), section 3).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...data.columns import Factor
from ...data.comparisons import Comparisons
from ...errors import FormulaError, InputError
from ...fit.contests.spec import ContestSpec
from ...fit.spec import Term, of_comparison
from ...fit.warning import FitWarning
from ..pairs.build import entering, order_column, reference_place
from ..pairs.comparison_terms import directed
from ..pairs.item_terms import item_columns
from ..pairs.name import check_names, of_column
from ..structured.design import Design, contest_design

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ContestRows:
    """The rows of a model of contests.

    data: as it was given.  table: as it enters the likelihood: ties dropped or halved, if the specification
    says so.  design: of the free parameters, a row for each row of the table.  terms: of abilities, order
    effect and comparison terms; the reference item included.  places int[p]: where in `terms` the parameters
    of the design are.  home float[n_rows]: 1 where the item named first has its advantage, 0 on neutral
    ground.  warnings: about the comparison terms.
    """

    spec: ContestSpec
    data: Comparisons
    table: Comparisons
    design: Design
    terms: tuple[Term, ...]
    places: IntArray
    home: FloatArray
    warnings: tuple[FitWarning, ...]

    @property
    def has_ties(self) -> bool:
        """Whether a tie is an outcome of the model."""
        return self.spec.ties == "davidson"

    def spread(self, values: FloatArray, n_more: int = 0) -> FloatArray:
        """Values of the design's parameters, float[p, ...], at their places among the terms and `n_more` others, else 0."""
        out = np.zeros((len(self.terms) + n_more, *values.shape[1:]))
        out[self.places] = values[: len(self.places)]
        out[len(self.terms) :] = values[len(self.places) :]
        return out


def contest_rows(data: Comparisons, spec: ContestSpec) -> ContestRows:
    """The rows of a model of contests."""
    _check(data, spec)
    table = entering(data, spec)
    # Without an effect of it the column may mean anything, such as the number of the question.
    uses_order = spec.order_effect or spec.tie_shift
    home = order_column(data) if uses_order else np.zeros(data.n_rows)
    if spec.order_effect and not home.any():
        raise InputError(
            "order_effect: every row has order 0 (neutral ground), so there is no order effect to estimate"
        )
    of_rows = directed(table, spec)
    columns: list[FloatArray] = [home[:, None]] if spec.order_effect else []
    names: list[str] = ["order"] if spec.order_effect else []
    more = [Term("order", "order")] if spec.order_effect else []
    if of_rows is not None:
        side = np.where(table.first < table.second, 1.0, -1.0)
        columns.append(side[:, None] * of_rows.values[of_rows.of_row])
        found = [Term(of_comparison(of), "comparison", of=of) for of in of_rows.of]
        names += [t.name for t in found]
        more += found
    contest = np.concatenate([np.zeros((table.n_rows, 0)), *columns], axis=1)
    ability, of_items, reference, kwargs = _abilities(data, spec)
    terms = [*ability, *more]
    check_names(terms)
    design = contest_design(
        table.first,
        table.second,
        table.items,
        player_columns=of_items,
        player_names=[t.name for t in ability] if of_items is not None else (),
        reference=kwargs,
        contest_columns=contest,
        contest_names=names,
        offset=offset_of(data, spec),
    )
    places = np.array([k for k in range(len(terms)) if k != reference], np.int64)
    return ContestRows(
        spec, data, table, design, tuple(terms), places, home, () if of_rows is None else of_rows.warnings
    )


def _abilities(
    data: Comparisons, spec: ContestSpec
) -> tuple[list[Term], FloatArray | None, int | None, str | None]:
    """Terms of the abilities, covariates of the items (None: free), the reference's place and name."""
    if spec.no_abilities:
        return [], np.zeros((len(data.items), 0)), None, None
    if spec.item_terms:
        x, found = item_columns(data, spec)
        assert x is not None
        return [of_column(column, ()) for column in found], x, None, None
    if spec.separate and not spec.formula:
        raise InputError(f"separate={list(spec.separate)} makes sense only beside item_terms")
    place = reference_place(data, spec)
    return [Term(item, "item", item=item) for item in data.items], None, place, data.items[place]


def offset_of(data: Comparisons, spec: ContestSpec) -> FloatArray | None:
    """float[n_rows]: the offset of each row in favour of the item named first; None for none."""
    if not spec.offset:
        return None
    column = data.columns.get(spec.offset)
    if column is None or isinstance(column, Factor):
        what = "is not numeric" if column is not None else "is not in the table"
        raise InputError(
            f"offset={spec.offset!r}: the column {what}; the columns are {', '.join(data.columns) or 'none'}"
        )
    bad = np.flatnonzero(~np.isfinite(column))
    if len(bad):
        raise InputError(
            f"offset={spec.offset!r}, row {bad[0] + 1}: {column[bad[0]]}; expected a finite number in favour of the"
            " item named first"
        )
    return column


def _check(data: Comparisons, spec: ContestSpec) -> None:
    """What these models do not have, each with what to do."""
    if spec.by:
        raise FormulaError(
            f"by={spec.by!r} beside a link, an offset, reduced bias, random effects or general ties: write the"
            " interaction into the formula, for example formula='item + item:judge'"
        )
    if spec.ties == "rao-kupper":
        raise InputError(
            "ties='rao-kupper' is fitted by plain maximum likelihood with the logit only; use ties='davidson'"
            " (logit), 'half' or 'drop'"
        )
    modelled = spec.ties == "davidson" or (spec.ties == "none" and bool(data.ties.any()))
    if modelled and (spec.link != "logit" or spec.random):
        what = (
            f"link={spec.link!r}" if spec.link != "logit" else f"random={', '.join(map(repr, spec.random))}"
        )
        raise InputError(
            f"{data.ties.sum():g} ties and a tie category, but {what} has no model of ties; use ties='half' (half a"
            " win each way) or ties='drop'"
        )
    if spec.ties == "none" and data.ties.any():
        raise InputError(
            "ties='none' holds the tie parameter at 0, for which there is no fit with an offset or reduced bias; use"
            " ties='davidson', 'half' or 'drop'"
        )
    if (spec.tie_shift or spec.tie_scale) and spec.ties != "davidson":
        raise InputError(
            f"tie_shift or tie_scale with ties={spec.ties!r}; they are of Davidson's model: ties='davidson'"
        )
