"""R's gnm: log-linear models with the nuisance parameters eliminated, and the LLBT through it.

LLBT (Dittrich, Hatzinger & Katzenbeisser 1998): for a pair (jk) in cell c, counts are Poisson with

    log m(j preferred) = mu_c + lambda_j - lambda_k
    log m(undecided)   = mu_c + gamma
    log m(k preferred) = mu_c - lambda_j + lambda_k

one ``mu`` a cell, eliminated; log worth = 2 lambda; the reference item's lambda is 0.

gnm fits a linear predictor by a shortcut that carries a ridge of 1e-8 (``glm.fit.e``), whatever ``ridge``
says: its estimates stop 4e-10 from the maximum.  With ``checkLinear = FALSE`` it uses its own Newton method,
and agrees with glm to 4e-16 (both seen on Dras's Table 1).  The shortcut is still run first: it names what is
not estimable, and its model matrix is what the Newton method then goes on with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..process.policy import BackendLike
from ..values.convert import data_frame, factor_of
from ..values.nodes import Formula, RArgument
from . import asking
from .asking import Family, Floats, RModel, as_frame, ask, asks, check_item, program, reals, sent

TOLERANCE = 1e-14
ITER_MAX = 500

#: How far the deviance after gnm's Newton method may lie above the shortcut's, of itself: rounding leaves
#: 1e-13 (seen on the help pages of gnm, prefmod and BradleyTerry2), another model is off in the first digits
#: (1175 against 163; 8587 against 243).
NO_WORSE = 1e-9

#: R: gnm at its own tolerance, which says what is aliased; then its shortcut without that, at the tolerance
#: asked for; then, if tight, its Newton method from there. gnm's rank tolerance without ``eliminate`` is
#: tolerance / 1000, so that a tight one hides aliased columns and ends elsewhere (erikson: 242.87 on 127 df,
#: not 212.72 on 128). The Newton method, asked with the formula, has its coefficients in another order (a
#: main effect after an interaction), under other names (other contrasts), or leaves out others, so that
#: neither ``start`` nor ``constrain`` would fit: it is given the columns themselves. Where it gives nothing,
#: or another model, the shortcut's answer stands and a warning says so.
GNM = asking.REDUCE + program(__package__, "r/gnm")


@dataclass(frozen=True, eq=False)
class GnmModel(RModel):
    """An :class:`RModel` with the eliminated constants, one for each level of the eliminated factor.

    eliminated float[levels]: in the order of the eliminated factor's levels; empty without one.  shortcut:
    the numbers are those of gnm's shortcut for linear predictors: asked for (``tight=False``), or because its
    Newton method gave no answer or another model, which a warning in ``result.warnings`` says.
    """

    eliminated: Floats
    shortcut: bool


@asks("gnm")
def gnm(
    formula: str,
    data: Any,
    eliminate: str | None = None,
    family: Family = "poisson",
    *,
    weights: Sequence[float] | None = None,
    tolerance: float = TOLERANCE,
    iterMax: int = ITER_MAX,
    tight: bool = True,
    backend: BackendLike = None,
) -> GnmModel:
    """R's ``gnm::gnm(formula, eliminate, family, data, weights, tolerance, iterMax)``.

    Parameters
    ----------
    formula : str
        R formula.
    data : DataFrame, or mapping of str to array [rows]
    eliminate : str, optional
        A factor, or factors joined by colons: ``"cell"``, ``"pair:judge"``.
    family : {"poisson", "binomial", "gaussian"}
    weights : float[rows], optional
    tolerance, iterMax : float, int
        gnm's stopping rule.
    tight : bool
        Go on from gnm's shortcut with its Newton method, to full precision (see the module).  False is gnm's
        shortcut at this tolerance.  Either way what gnm finds aliased at its own tolerance of 1e-6 is left
        out and NaN, and the coefficients are named and ordered as gnm has them by default.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    GnmModel

    Raises
    ------
    ValueError
        Another family.
    FormulaError
        If ``formula`` or ``eliminate`` is more than a model formula, as
        :mod:`pairproof.bridge.values.formulas` says.
    RError
        R's own.

    Examples
    --------
    >>> gnm("y ~ x", {"y": [3, 1, 2], "x": [0, 1, 2]}).params()  # doctest: +SKIP
    """
    made: dict[str, Any] = {"formula": Formula(formula), "data": as_frame(data), "no_worse": NO_WORSE}
    made |= {"eliminate": Formula(f"~ {eliminate}") if eliminate else None}
    variables = "formula data eliminate family tolerance iterMax tight no_worse .weights"
    result = ask(backend, "gnm::gnm", GNM, sent(backend, variables, **made), seed=1)
    constants = result.as_list()["eliminated"]
    return GnmModel.read(result, eliminated=np.empty(0) if constants is None else constants.floats())


@dataclass(frozen=True, eq=False)
class LLBTFrame:
    """Counts as gnm and glm want them: one row for each outcome of each row of counts.

    data: the data.frame: ``y``, ``cell`` (factor), ``o1`` ... ``oJ`` (+1 preferred, -1 not, 0), ``tie`` (1 in
    tie rows; absent without ties), ``order`` (+1/2 in the row where the one named first is preferred, -1/2
    where not, times the row's order value; absent without one), and the covariates.  columns: the same as
    plain arrays (factors as tuples of text).  items: ``items[j]`` is column ``o<j+1>``.  ties, order: whether
    there is such a column.
    """

    data: RArgument
    columns: Mapping[str, Any]
    items: tuple[str, ...]
    ties: bool
    order: bool

    def formula(self, reference: str | None = None, *terms: str) -> str:
        """``y ~`` all items but the reference (default: the last), the tie and order columns, and further
        terms.
        """
        left_out = self.items[-1] if reference is None else reference
        check_item("reference", left_out, self.items)
        named = [f"o{j + 1}" for j, item in enumerate(self.items) if item != left_out]
        extra = [name for name, there in (("tie", self.ties), ("order", self.order)) if there]
        return "y ~ " + " + ".join([*named, *extra, *terms])


def llbt_frame(
    first: Sequence[str],
    second: Sequence[str],
    wins: Sequence[float],
    losses: Sequence[float],
    ties: Sequence[float] | None = None,
    *,
    items: Sequence[str],
    cell: Sequence[str] | None = None,
    order: Sequence[float] | None = None,
    covariates: Mapping[str, Any] | None = None,
) -> LLBTFrame:
    """Rows of counts, from the first item's side, as an LLBT data frame.

    Parameters
    ----------
    first, second : str[rows]
    wins, losses, ties : float[rows]
        Counts, which may be fractional. ``ties=None``: the instrument had no tie category.
    items : sequence of str
        Fixes the order o1 ... oJ.
    cell : str[rows], optional
        Name of each row's cell (its nuisance constant); default: the unordered pair.
    order : float[rows], optional
        1 where the one named first was also presented first, -1 where second, 0 on neutral ground.
    covariates : mapping of str to [rows], optional
        Text becomes a factor, levels in code-point order; numbers stay numbers; a ready-made R argument is
        refused, since it cannot be spread over a row's outcomes.

    Returns
    -------
    LLBTFrame

    Raises
    ------
    ValueError
        Unknown items, or columns of unequal length.

    Examples
    --------
    >>> frame = llbt_frame(["A"], ["B"], [61], [35], [24], items=["A", "B"])
    >>> frame.formula(), frame.columns["y"], frame.columns["o1"]
    ('y ~ o1 + tie', array([61., 35., 24.]), array([ 1., -1.,  0.]))
    """
    place = asking.positions(items, first, second)
    n, outcomes = len(first), 2 if ties is None else 3
    given = {"second": second, "wins": wins, "losses": losses, "ties": ties, "cell": cell, "order": order}
    given |= covariates or {}
    wrong = {k: len(v) for k, v in given.items() if v is not None and len(v) != n}
    if wrong:
        raise ValueError(f"first has {n} rows, but {wrong}")
    row = np.arange(n)
    pairs = [" ".join(sorted((x, y), key=place.__getitem__)) for x, y in zip(first, second)]
    design = np.zeros((n, outcomes, len(items)))
    sign = np.array([1.0, -1.0, 0.0])[:outcomes]  # the first preferred, the second preferred, tie
    design[row, :, [place[x] for x in first]] = sign
    design[row, :, [place[x] for x in second]] = -sign
    counts = np.stack([reals(c) for c in (wins, losses, ties) if c is not None], axis=1)
    cells = _spread(pairs if cell is None else list(cell), outcomes)
    columns: dict[str, Any] = {"y": counts.ravel(), "cell": cells}
    columns |= {f"o{j + 1}": design[:, :, j].ravel() for j in range(len(items))}
    if ties is not None:
        columns["tie"] = np.tile(np.array([0.0, 0.0, 1.0]), n)
    if order is not None:
        columns["order"] = (reals(order)[:, None] * sign / 2).ravel()
    for name, values in (covariates or {}).items():
        if name in columns:
            raise ValueError(f"a covariate cannot be called {name!r}: the frame has a column of that name")
        columns[name] = _spread(list(values), outcomes)
    ready = {k: factor_of(v) if isinstance(v, tuple) else v for k, v in columns.items()}
    return LLBTFrame(data_frame(ready), columns, tuple(items), ties is not None, order is not None)


def _spread(values: list[Any], times: int) -> Any:
    """Each value ``times`` times: text as a tuple (to become a factor), numbers as an array."""
    if all(isinstance(v, str) for v in values):
        return tuple(v for v in values for _ in range(times))
    return np.repeat(np.asarray(values), times)


@asks("gnm")
def gnm_llbt(
    frame: LLBTFrame, formula: str | None = None, eliminate: str = "cell", **options: Any
) -> GnmModel:
    """:func:`gnm` on an LLBT frame; the default formula is all items but the last, tie and order."""
    return gnm(frame.formula() if formula is None else formula, frame.data, eliminate, **options)
