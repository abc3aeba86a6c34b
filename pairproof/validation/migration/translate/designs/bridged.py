"""A recorded glm, gnm or polr that stays in R: the same function on the same model matrix and response."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, get_args

import numpy as np

from .....bridge.capture.recorded import RecordedCall
from .....bridge.packages.by_design import DesignFamily, DesignLink
from .....bridge.packages.models import RModel
from ....verdicts.agreement import Agreement
from ...code.expressions import Call, File
from ..rows import at, row, rows_of
from ..translation import Translation, outside
from .read import Fitted, IntArray, family_of, trials

#: The same function on the same numbers, so that no more than the order of sums differs. polr's covariance is
#: that of a Hessian by steps of 1e-3, which vcov() takes at the end of another search unless Hess = TRUE was
#: said: 7.2 digits seen.
LEAST, LEAST_VCOV = 10.0, 5.5
WHY = "the same R function on the same numbers"
FAMILIES: tuple[str, ...] = get_args(DesignFamily)
LINKS: tuple[str, ...] = get_args(DesignLink)
#: Numbers of a model matrix that are written into a CSV file at most.
MOST_NUMBERS = 2_000_000


def glm_in_r(call: RecordedCall, fitted: Fitted, reason: str, stem: str) -> Translation:
    """`pairproof.bridge.by_design.glm_design(...)`, or left out where that cannot be."""
    family, link = family_of(call)
    wrong = _cannot(fitted, family, link)
    if wrong:
        return outside(f"{reason}; and it cannot be sent to R by its values: {wrong}")
    columns = _design(fitted)
    columns["(y)"] = fitted.y.tolist()
    options: dict[str, Any] = {}
    if (fitted.weights != 1).any():
        columns["(weights)"] = fitted.weights.tolist()
        options["weights"] = "(weights)"
    if fitted.offset is not None:
        columns["(offset)"] = fitted.offset.tolist()
        options["offset"] = "(offset)"
    if "(Intercept)" in fitted.design.names:
        options["intercept"] = True
    code = Call(
        "pairproof.bridge.by_design.glm_design", (_frame(columns, stem), "(y)", family, link), options
    )
    # With weights beside counts R's binomial coefficients are of the counts, which a share and a weight do
    # not tell.
    same_llf = bool((trials(call, fitted) == fitted.weights).all())
    return Translation(
        "bridge", code, reason, speaks="r", judge=of_model(call, fitted.design.names, same_llf)
    )


def gnm_in_r(call: RecordedCall, fitted: Fitted, groups: IntArray, reason: str, stem: str) -> Translation:
    """`pairproof.bridge.by_design.gnm_eliminated(...)`, or left out where that cannot be."""
    family, link = family_of(call)
    wrong = _cannot(fitted, family, link)
    if wrong:
        return outside(f"{reason}; and it cannot be sent to R by its values: {wrong}")
    columns = _design(fitted)
    columns["(y)"] = fitted.y.tolist()
    columns["(eliminate)"] = [int(k) + 1 for k in groups]
    arguments: list[Any] = [_frame(columns, stem), "(y)", "(eliminate)"]
    options: dict[str, Any] = {}
    if (family, link) != ("poisson", "log"):
        options.update(family=family, link=link)
    if (fitted.weights != 1).any():
        columns["(weights)"] = fitted.weights.tolist()
        options["weights"] = "(weights)"
    if fitted.offset is not None:
        columns["(offset)"] = fitted.offset.tolist()
        options["offset"] = "(offset)"
    arguments[0] = _frame(columns, stem)
    code = Call("pairproof.bridge.by_design.gnm_eliminated", tuple(arguments), options)
    return Translation("bridge", code, reason, speaks="r", judge=of_model(call, fitted.design.names))


def polr_in_r(
    call: RecordedCall,
    columns: dict[str, list[Any]],
    levels: Sequence[str],
    method: str,
    reason: str,
    stem: str,
    weighted: bool,
) -> Translation:
    """`pairproof.bridge.by_design.polr_design(...)`; `columns` has "(y)", and "(weights)" if `weighted`."""
    options: dict[str, Any] = {"weights": "(weights)"} if weighted else {}
    options["levels"] = list(levels)
    if method != "logistic":
        options["method"] = method
    code = Call("pairproof.bridge.by_design.polr_design", (_frame(columns, stem), "(y)"), options)
    names = tuple(n for n in columns if n not in ("(y)", "(weights)"))
    return Translation("bridge", code, reason, speaks="r", judge=of_model(call, names))


def of_model(
    call: RecordedCall, names: Sequence[str], same_llf: bool = True
) -> Callable[[RModel], Sequence[Agreement]]:
    """The function that holds R's answer through the bridge against R's in the script."""

    def judge(model: RModel) -> Sequence[Agreement]:
        found = call.vector("coef")
        theirs = dict(zip(found.names or names, found.floats().tolist())) if found is not None else {}
        rows = rows_of(
            "coef",
            {n: v for n, v in model.params().items() if n in theirs},
            theirs,
            call.function,
            least=LEAST,
            why=WHY,
            places=at("coef", model.names),
        )
        spread = call.vector("vcov")
        if spread is not None and spread.values.ndim == 2 and spread.dimnames and spread.dimnames[0]:
            errors = dict(
                zip(spread.dimnames[0], np.sqrt(np.maximum(np.diag(spread.floats()), 0.0)).tolist())
            )
            wanted = {n: errors[n] for n, v in theirs.items() if n in errors and not np.isnan(v)}
            ours = {n: v for n, v in model.bse().items() if n in wanted}
            rows += rows_of(
                "se", ours, wanted, call.function, least=LEAST_VCOV, why=WHY, places=at("se", model.names)
            )
        for quantity, r, python in (  # `r` is the name in the record, and in the value
            ("deviance", "deviance", model.deviance),
            ("df_resid", "df_residual", model.df_residual),
            ("llf", "loglik", model.loglik),
        ):
            said = call.number(r)
            if said is not None and (same_llf or quantity != "llf"):
                size = abs(said) + len(model.fitted) if quantity != "df_resid" else 0.0
                rows.append(
                    row(quantity, python, said, call.function, least=LEAST, why=WHY, scale=size, place=r)
                )
        return rows

    return judge


def _cannot(fitted: Fitted, family: str, link: str) -> str:
    if family not in FAMILIES or link not in LINKS:
        return f"family {family or 'unknown'} with link {link or 'unknown'}"
    if fitted.design.x.size > MOST_NUMBERS:
        return f"a model matrix of {fitted.design.x.size:,} numbers; at most {MOST_NUMBERS:,}"
    if not fitted.design.x.shape[1]:
        return "it has no coefficient"
    return ""


def _design(fitted: Fitted) -> dict[str, list[Any]]:
    return {n: _numbers(fitted.design.x[:, k]) for k, n in enumerate(fitted.design.names)}


def _numbers(column: Any) -> list[Any]:
    whole = bool((column == np.round(column)).all()) and float(np.abs(column).max(initial=0.0)) < 2**31
    return [int(v) if whole else float(v) for v in column]


def _frame(columns: dict[str, list[Any]], stem: str) -> Call:
    return Call("pairproof.bridge.read_frame", (File(columns, stem),))
