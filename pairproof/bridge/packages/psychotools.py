"""psychotools under its own names: paircomp, btmodel, itempar, worth, estfun.

A paircomp has one row per judge and one column per pair, (12)(13)(23)(14)(24)(34)...  ``btmodel`` fits
Bradley and Terry's and Davidson's models on the log-odds scale, log worth = its coefficient; the undecided
parameter is Davidson's gamma = log nu.  psychotools has no ``predict`` of a btmodel; what it has beside
paired comparisons is not here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..process.policy import BackendLike
from ..values.convert import matrix
from ..values.nodes import Expr, RVector
from . import asking
from .asking import Estimates, Floats, RAnswer, as_frame, ask, asks, check_item, number, optional, reals, sent

if TYPE_CHECKING:
    from ...data.respondents.respondents import Respondents


PAIRCOMP = """
y <- psychotools::paircomp(data, labels = labels, mscale = mscale, ordered = ordered, covariates = covariates)
s <- summary(y)
list(object = y, labels = labels(y), mscale = as.numeric(psychotools::mscale(y)), text = as.character(y),
     pairs = rownames(s), answers = colnames(s), counts = matrix(as.numeric(s), nrow(s)))
"""


@dataclass(frozen=True, eq=False)
class Paircomp(RAnswer):
    """Comparisons as an R object of class ``paircomp``.

    labels: the items.  mscale float[steps]: the scale of answers: -1, 1; -1, 0, 1 with ties; more steps where
    preferences have degrees.  text: R's text of each judge: ``{a > b, a = c, NA}``.  pairs, answers: rows and
    columns of R's summary.  counts float[pairs, answers].  value: the object itself, to be given to R again.
    """

    labels: tuple[str, ...]
    mscale: Floats
    text: tuple[str, ...]
    pairs: tuple[str, ...]
    answers: tuple[str, ...]
    counts: Floats
    value: RVector = field(repr=False)

    def respondents(self, degrees: Literal["refuse", "ignore"] = "refuse") -> Respondents:
        """The judges as pairproof has them; what degrees of preference become is as in `read_respondents`."""
        from ..r_objects import respondents_of  # brings pandas

        return respondents_of(self.value, "paircomp", degrees=degrees)


@asks("psychotools")
def paircomp(
    data: Any,
    labels: Sequence[str] | None = None,
    mscale: Sequence[float] | None = None,
    ordered: bool = False,
    covariates: Any = None,
    *,
    backend: BackendLike = None,
) -> Paircomp:
    """R's ``psychotools::paircomp(data, labels, mscale, ordered, covariates)``.

    Parameters
    ----------
    data : float[judges, pairs]
        Above 0 the first is preferred, below 0 the second, 0 undecided, NaN not compared.
    labels : sequence of str, optional
        Default a, b, c, ...
    mscale : sequence of float, optional
        The answers that could be given; default those that occur, and their opposites.
    ordered : bool
        Both orders of presentation, twice as many columns; ``btmodel`` refuses that ("position effects not yet implemented").
    covariates : DataFrame or mapping, optional
        Of the items.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Paircomp

    Raises
    ------
    ValueError, RError
        `data` is no matrix; R's own, where the columns are not those of all pairs.

    Examples
    --------
    >>> paircomp([[1, 0, float("nan")]], ["a", "b", "c"]).text  # doctest: +SKIP
    ('{a > b, a = c, NA}',)
    """
    table = reals(data)
    if table.ndim != 2:
        raise ValueError(f"paircomp expects judges in rows and pairs in columns; found shape {table.shape}")
    made = {"data": np.where(np.isnan(table), np.nan, table), "covariates": optional(as_frame, covariates)}
    arguments = sent(backend, "data labels mscale ordered covariates", **made)
    result = ask(backend, "psychotools::paircomp", PAIRCOMP, arguments)
    return Paircomp.read(result, value=result.as_list().vector("object"))


def pair_columns(n_items: int) -> list[tuple[int, int]]:
    """(i, j) of each pair column, from 0: (01)(02)(12)(03)..."""
    return [(i, j) for j in range(1, n_items) for i in range(j)]


def paircomp_from_counts(
    first: Sequence[str],
    second: Sequence[str],
    wins: Sequence[int],
    losses: Sequence[int],
    ties: Sequence[int] | None,
    items: Sequence[str],
) -> Floats:
    """Counts as judges in rows: as many rows as the fullest pair has comparisons, NaN where a pair has fewer.

    Parameters
    ----------
    first, second : str[rows]
    wins, losses, ties : int[rows]
        From the first item's side; ``ties=None``: none.
    items : sequence of str

    Returns
    -------
    float[judges, pairs]
        As :func:`btmodel` takes it.

    Raises
    ------
    ValueError
        For counts that are not whole, unknown items, or an item compared with itself.

    Examples
    --------
    >>> from pairproof.bridge.packages.psychotools import paircomp_from_counts
    >>> paircomp_from_counts(["A", "B"], ["B", "C"], [2, 0], [1, 1], None, ["A", "B", "C"])
    array([[ 1., nan, -1.],
           [ 1., nan, nan],
           [-1., nan, nan]])
    """
    place = {item: j for j, item in enumerate(items)}
    column = {pair: k for k, pair in enumerate(pair_columns(len(items)))}
    answers: list[list[float]] = [[] for _ in column]
    no_ties = [0] * len(first) if ties is None else ties
    for x, y, won, lost, tied in zip(first, second, wins, losses, no_ties):
        if any(float(c) != int(c) or c < 0 for c in (won, lost, tied)):
            raise ValueError(f"{x} against {y}: btmodel takes whole comparisons; found {won}, {tied}, {lost}")
        if x not in place or y not in place or x == y:
            raise ValueError(f"{x!r} against {y!r}: expected two different items of {list(items)}")
        i, j = place[x], place[y]
        sign = 1.0 if i < j else -1.0
        cell = answers[column[min(i, j), max(i, j)]]
        cell += [sign] * int(won) + [0.0] * int(tied) + [-sign] * int(lost)
    table = np.full((max(map(len, answers), default=0), len(column)), np.nan)
    for k, cell in enumerate(answers):
        table[: len(cell), k] = cell
    return table


Type = Literal["loglin", "logit"]

#: R: a table of answers as a paircomp, or one that is there; labels are then its own.
TABLE = "\ny <- psychotools::paircomp(data, labels = labels)\n"
OBJECT = "\ny <- data\nlabels <- labels(y)\n"
FIT = """fit <- psychotools::btmodel(y, weights = .weights, type = type, ref = ref, undecided = undecided,
                            epsilon = epsilon, maxit = maxit)
"""
REDUCE = """worth <- psychotools::itempar(fit, log = FALSE)
V <- stats::vcov(fit)
list(coef = stats::coef(fit), vcov = V, loglik = as.numeric(stats::logLik(fit)), df = attr(stats::logLik(fit), "df"),
     nobs = stats::nobs(fit), undecided = fit$undecided,
     worth = as.numeric(worth), worth_vcov = matrix(as.numeric(stats::vcov(worth)), length(labels)))
"""
BTMODEL = TABLE + FIT + REDUCE
OF_OBJECT = REDUCE.replace("     worth = ", "     labels = labels, worth = ")


@dataclass(frozen=True, eq=False)
class BTModel(Estimates):
    """A Bradley-Terry or Davidson model as ``btmodel`` fits it.

    names: items but the reference, and "(undecided)".  coef, se float[n]: on the log-odds scale.  vcov
    float[n, n].  loglik: of the comparisons, without constants.  undecided: whether ties have a parameter.
    worth, worth_se float[items]: ``itempar(fit, log = FALSE)``: summing to 1, delta-method standard errors.
    arguments: of the call, so that :func:`itempar`, :func:`estfun` and :func:`deviance` can repeat it.
    """

    loglik: float
    df: float
    undecided: bool
    items: tuple[str, ...]
    worth: Floats
    worth_se: Floats
    arguments: Mapping[str, Any] = field(repr=False)


@asks("psychotools")
def btmodel(
    data: Any,
    labels: Sequence[str] | None = None,
    weights: Sequence[float] | None = None,
    type: Type = "loglin",
    ref: str | None = None,
    undecided: bool | None = None,
    *,
    epsilon: float = 1e-14,
    maxit: int = 100,
    backend: BackendLike = None,
) -> BTModel:
    """R's ``psychotools::btmodel(paircomp(data, labels), weights, type, ref, undecided, epsilon, maxit)``.

    Parameters
    ----------
    data : float[judges, pairs], Paircomp, or Expr
        1 the first is preferred, -1 the second, 0 undecided, NaN not compared; or what :func:`paircomp` made, or R
        source that gives one.
    labels : sequence of str
        The items; a paircomp has its own.
    weights : float[judges], optional
    type : {"loglin", "logit"}
    ref : str, optional
        Reference item; default the last.
    undecided : bool, optional
        Whether ties have a parameter; default: if any occur.
    epsilon, maxit : float, int
        Stopping rule of glm.
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    BTModel

    Raises
    ------
    ValueError
        Another type, or a reference that is not an item.
    RError
        R's own: "data have no ties", "only log-linear model can handle ties". **R says nothing where data are separated
        or not connected**: it keeps glm's warnings to itself, and standard errors of 1e4 are all there is to see.

    Examples
    --------
    >>> judges = [[1, 1, -1], [1, 0, 1], [-1, 1, 1]]  # three judges: AB, AC, BC
    >>> btmodel(judges, ["A", "B", "C"]).params()     # doctest: +SKIP
    """
    variables = "type ref undecided .weights epsilon maxit"
    if isinstance(data, (Expr, Paircomp)):
        if labels is not None:
            raise ValueError("a paircomp has its own labels: leave them out")
        if isinstance(data, Paircomp):
            check_item("reference", ref, data.labels)
        table: Any = data if isinstance(data, Expr) else data.value
        code, items = OBJECT + FIT + OF_OBJECT, []
        arguments = sent(backend, f"data {variables}", data=table)
    else:
        if labels is None:
            raise ValueError("labels are needed: the items of the columns of data")
        check_item("reference", ref, labels)
        names = [f"{labels[i]}:{labels[j]}" for i, j in pair_columns(len(labels))]
        code, items = BTMODEL, list(labels)
        arguments = sent(backend, f"data labels {variables}", data=matrix(reals(data), names))
    result = ask(backend, "psychotools::btmodel", code, arguments)
    value = result.as_list()
    se, worth_se = (np.sqrt(np.diag(value.vector(name).floats())) for name in ("vcov", "worth_vcov"))
    more: dict[str, Any] = {"names": value.vector("coef").names or (), "se": se, "worth_se": worth_se}
    more |= {"items": tuple(items) or asking.strings(value.vector("labels")), "arguments": arguments}
    return BTModel.read(result, **more)


def _code(model: BTModel) -> str:
    return (TABLE if "labels" in model.arguments else OBJECT) + FIT


@dataclass(frozen=True, eq=False)
class ItemParameters(RAnswer):
    """Item parameters with their covariance by the delta method.

    items: without the aliased one where ``alias`` was False.  estimate, se float[items]: NaN standard errors
    where they were not asked for.  vcov float[items, items].
    """

    items: tuple[str, ...]
    estimate: Floats
    se: Floats
    vcov: Floats


ITEMPAR = """
found <- psychotools::itempar(fit, ref = if (!is.null(reference)) unlist(reference), alias = alias, vcov = TRUE, log = log)
V <- as.matrix(stats::vcov(found))
list(items = names(found), estimate = as.numeric(found), se = unname(sqrt(diag(V))), vcov = unname(V))
"""


@asks("psychotools")
def itempar(
    model: BTModel,
    ref: str | Sequence[str] | None = None,
    alias: bool = True,
    log: bool = False,
    *,
    backend: BackendLike = None,
) -> ItemParameters:
    """R's ``psychotools::itempar(model, ref, alias, vcov = TRUE, log)``.

    Parameters
    ----------
    model : BTModel
        Fitted again in the same call.
    ref : str or sequence of str, optional
        Items whose worths add up to 1, or whose log worths have mean 0; default all.
    alias : bool
        False leaves the first of `ref` out.
    log : bool
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ItemParameters

    Raises
    ------
    ValueError, RError
        `ref` is not an item; R's own.

    Examples
    --------
    >>> itempar(model, ref="SPD", log=True).estimate  # doctest: +SKIP
    """
    chosen = None if ref is None else [ref] if isinstance(ref, str) else list(ref)
    for name in chosen or ():
        check_item("ref", name, model.items)
    arguments = {**model.arguments, "reference": chosen, "alias": alias, "log": log}
    return ItemParameters.ask(backend, "psychotools::itempar", _code(model) + ITEMPAR, arguments)


@asks("psychotools")
def worth(model: BTModel, log: bool = False, *, backend: BackendLike = None) -> ItemParameters:
    """R's ``psychotools::worth(model)``, its old name of :func:`itempar`.

    Parameters
    ----------
    model : BTModel
    log : bool
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    ItemParameters

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> worth(model).estimate.sum()  # doctest: +SKIP
    """
    return itempar(model, log=log, backend=backend)


@dataclass(frozen=True, eq=False)
class Scores(RAnswer):
    """Contributions of judges to the score.

    names: the parameters.  values float[judges, parameters]: the columns add up to 0 at the estimates.
    """

    names: tuple[str, ...]
    values: Floats


ESTFUN = """
s <- psychotools::estfun.btmodel(fit)
list(names = colnames(s), values = matrix(as.numeric(s), nrow(s)))
"""


@asks("psychotools")
def estfun(model: BTModel, *, backend: BackendLike = None) -> Scores:
    """R's ``psychotools::estfun.btmodel(model)``.

    Parameters
    ----------
    model : BTModel
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    Scores

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> estfun(model).values.sum(axis=0)  # doctest: +SKIP
    """
    return Scores.ask(backend, "psychotools::estfun.btmodel", _code(model) + ESTFUN, model.arguments)


@asks("psychotools")
def deviance(model: BTModel, *, backend: BackendLike = None) -> float:
    """R's ``deviance(model)``: minus twice the log-likelihood, **not a measure of fit**.

    Parameters
    ----------
    model : BTModel
    backend : Backend, or one of "live", "recorded", "both", "none", optional

    Returns
    -------
    float

    Raises
    ------
    RError
        R's own.

    Examples
    --------
    >>> deviance(model) == -2 * model.loglik  # doctest: +SKIP
    """
    code = _code(model) + "stats::deviance(fit)"
    return number(ask(backend, "stats::deviance of btmodel", code, model.arguments).value)
