"""A fit as the JSON object that programs read: every digit kept, null where there is no value."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

import numpy as np

from ...errors import TooLargeError
from ...report.json_text import plain
from ..estimates.fit_record import WITHOUT_ESTIMATE, Clustering, FitRecord, FitWarning, listed
from ..estimates.predictions import sets_of_items, worth as worth_frame
from ..estimates.tails import log10_student_p
from ..inference.diagnostics import in_words
from ..inference.wald import covariance_frame, estimates, parameter_frame

#: A covariance of this many parameters is 80 MB of text; beyond it, `cov_params` is null and a warning says
#: so.
MOST_COVARIANCE = 2000


#: Numbers of a fit that have their own names in its object, in this order.
_NUMBERS = "deviance df_resid null_deviance df_null llf aic bic rank n_infinite".split()


def finite(x: float) -> float | None:
    """The number as a Python float, or None: JSON has neither nan nor infinity."""
    return float(x) if math.isfinite(x) else None


def _worths(fit: FitRecord, too_large: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Worths and their standard errors by group and item."""
    frame = worth_frame(fit, with_se=not too_large)
    by_group = [(str(group), part) for group, part in frame.groupby("group", sort=False)]
    worth, se = ({g: dict(zip(part["item"], part[of])) for g, part in by_group} for of in ("worth", "se"))
    return worth, se


def _item_status(fit: FitRecord) -> dict[str, dict[str, str]]:
    """How items that differ infinitely from others stand to them, by group; groups without such items are left out."""
    of = fit.of_items
    found = {
        name: {item: status for item, status in zip(of.items, sets_of_items(of, group).status) if status}
        for name, group in of.groups.items()
    }
    return {name: items for name, items in found.items() if items}


def _reasons(fit: FitRecord, worth: dict[str, Any]) -> list[FitWarning]:
    """Warnings, and a reason for every null that none of them is about (references need none)."""
    found = list(fit.warnings)
    if fit.robust is not None:
        found += [FitWarning("clusters", text) for text in fit.robust.cautions]
        found += _without_error(fit, fit.robust)
    if said := in_words(fit):
        found.append(FitWarning("clusters", said))
    explained = {name for w in found if w.kind in WITHOUT_ESTIMATE for name in w.terms}
    silent = tuple(n for n in fit.not_estimable if n not in explained)
    if silent:
        text = f"not estimable from these data, so null: {listed(silent, 20)}"
        found.append(FitWarning("not-estimable", text, silent))
    apart = [group for group, items in worth.items() if any(map(math.isnan, items.values()))]
    if apart:
        text = "worths are null for items that cannot be compared with others, and sum to 1 within each set"
        text += f" of comparable items (item_status): {listed(apart, 20)}"
        found.append(FitWarning("no-worth", text))
    return found


def _without_error(fit: FitRecord, robust: Clustering) -> list[FitWarning]:
    """Why estimates have no standard error by cluster."""
    places = np.flatnonzero(fit.free & np.isnan(fit.standard_errors))
    units = np.eye(len(fit.terms))
    alone = tuple(fit.names[k] for k in places if robust.alone(units[k]) is not None)
    same = tuple(fit.names[k] for k in places if fit.names[k] not in alone)
    found = []
    if alone:
        text = f"fitted from one cluster alone, so without a standard error by cluster: {listed(alone, 20)}"
        found.append(FitWarning("one-cluster", text, alone))
    if same:
        text = f"all clusters give exactly the same value, so without a standard error by cluster: {listed(same, 20)}"
        found.append(FitWarning("no-spread", text, same))
    return found


def _parameters(fit: FitRecord) -> tuple[dict[str, Any], str]:
    """params, bse, pvalues, log10_pvalues and conf_int by name, and "" or why all but the first have no
    values.
    """
    try:
        frame = parameter_frame(fit, 0.05)
    except TooLargeError as error:
        nothing = dict.fromkeys(fit.names)
        table = dict.fromkeys(("bse", "pvalues", "log10_pvalues", "df", "conf_int"), nothing) | {"df": None}
        return {"params": dict(zip(fit.names, estimates(fit))), **table}, str(error)
    df = fit.degrees_of_freedom
    columns = {"params": frame["estimate"], "bse": frame["se"], "df": df, "pvalues": frame["p"]}
    columns["log10_pvalues"] = log10_student_p(fit.z, df)
    found: dict[str, Any] = {key: dict(zip(fit.names, values)) for key, values in columns.items()}
    if fit.robust is None:
        found["df"] = None
    limits = zip(fit.names, frame["low"], frame["high"])
    found["conf_int"] = {name: None if math.isnan(low) else [low, high] for name, low, high in limits}
    return found, ""


def _covariance(fit: FitRecord) -> dict[str, Any]:
    """What the standard errors suppose: independent answers ("model"), or independent clusters."""
    robust = fit.robust
    if robust is None:
        return {"kind": "model", "clusters": [], "n_clusters": []}
    return {"kind": robust.kind, "clusters": robust.columns, "n_clusters": robust.n_clusters}


def fit_dict(fit: FitRecord) -> dict[str, Any]:
    """The object that `pairproof fit --json` prints, made of dict, list, str, int, float, bool and None
    only.
    """
    table, too_large = _parameters(fit)
    worth, worth_se = _worths(fit.of_items, bool(too_large)) if fit.spec.has_worths else ({}, {})
    warnings = _reasons(fit, worth)
    covariance = None
    if too_large:
        text = f"bse, pvalues, conf_int, worth_se and cov_params are null: {too_large}"
        warnings.append(FitWarning("too-large", text))
    elif int(fit.free.sum()) <= MOST_COVARIANCE:
        matrix = covariance_frame(fit)
        covariance = {"names": [str(n) for n in matrix.index], "rows": matrix.to_numpy().tolist()}
    else:
        n = int(fit.free.sum())
        text = (
            f"cov_params is null: {n:,} free parameters give {n**2:,} numbers"
            f" (limit {MOST_COVARIANCE:,} parameters); use fit.cov_params() in Python"
        )
        warnings.append(FitWarning("too-large", text))
    document = {
        "model": fit.model,
        "items": fit.items,
        **table,
        "covariance": _covariance(fit),
        "cov_params": covariance,
        "terms": [term.to_dict() for term in fit.terms],
        **{name: getattr(fit, name) for name in ("scale", "constraint", "ties")},
        "worth": worth,
        "worth_se": worth_se,
        "item_status": _item_status(fit) if fit.spec.has_worths else {},
        **{name: getattr(fit, name) for name in _NUMBERS},
        "n_comparisons": float(fit.n_comparisons),
        "engine": fit.engine,
        "stopping": asdict(fit.stopping),
        "not_estimable": fit.not_estimable,
        "warnings": [str(w) for w in warnings],
        "warning_kinds": [w.kind for w in warnings],
        **fit.spec.stated,
    }
    return dict(plain(document))
