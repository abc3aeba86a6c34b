"""What psychotools makes of a btmodel: item parameters, score contributions, deviance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...process.policy import BackendLike
from ..answers import Floats, RAnswer, ask, asks, check_item, number
from .models import FIT, NEEDS, OBJECT, TABLE, BTModel


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


@asks(*NEEDS)
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
        `ref` is no item; R's own.

    Examples
    --------
    >>> itempar(model, ref="SPD", log=True).estimate  # doctest: +SKIP
    """
    chosen = None if ref is None else [ref] if isinstance(ref, str) else list(ref)
    for name in chosen or ():
        check_item("ref", name, model.items)
    arguments = {**model.arguments, "reference": chosen, "alias": bool(alias), "log": bool(log)}
    return ItemParameters.read(ask(backend, "psychotools::itempar", _code(model) + ITEMPAR, arguments, NEEDS))


@asks(*NEEDS)
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


@asks(*NEEDS)
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
    return Scores.read(
        ask(backend, "psychotools::estfun.btmodel", _code(model) + ESTFUN, model.arguments, NEEDS)
    )


@asks(*NEEDS)
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
    return number(ask(backend, "stats::deviance of btmodel", code, model.arguments, NEEDS).value)
