"""A certified fit as a document: estimates, errors, covariance, likelihood, deviance, by name, as text."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from mpmath import mp, mpf

from tests.certified.contests import laplace, mixed
from tests.certified.contests.designs import Design, design, log_coefficient
from tests.certified.contests.estimate import adjusted_root, maximum
from tests.certified.contests.likelihood import parameter_names, point
from tests.certified.contests.models import Model

Document = dict[str, Any]

DIGITS = 50


def text(value: mpf, digits: int = DIGITS) -> str:
    """The number in `digits` significant digits; below 1e-60 it is 0."""
    return mp.nstr(value, digits, strip_zeros=True) if abs(value) > mpf("1e-60") else "0.0"


def matrix(names: list[str], values: mp.matrix, digits: int = DIGITS) -> Document:
    k = len(names)
    return {"names": names, "rows": [[text(values[a, b], digits) for b in range(k)] for a in range(k)]}


def _head(data: Document, model: Model) -> Document:
    said = {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(model).items()}
    said.pop("without")
    found = {key: data[key] for key in ("what", "source")}
    own = data.get("sha256") is None
    head = {"id": f"{data['id']}--{model.slug()}", **found, "model": said, "data": f"data/{data['id']}.json"}
    if own:
        head["items"] = data["items"]
        if model.item_covariates:
            head["item_data"] = {name: data["item_data"][name] for name in model.item_covariates}
    return head


def _ends(found: Design, names: list[str], llf: mpf) -> Document:
    """Numbers of the table of contests, row by row as given."""
    saturated = mp.fsum(y * mp.log(mpf(y) / sum(counts)) for counts in found.counts for y in counts if y)
    played = [counts for counts in found.counts if sum(counts)]
    return {
        "llf": text(llf),
        "log_coefficients": text(mp.fsum(log_coefficient(counts) for counts in found.counts)),
        "deviance": text(2 * (saturated - llf)),
        "df_resid": sum(len(counts) - 1 for counts in played) - len(names),
        "n_params": len(names),
        "n_rows": len(found.rows),
        "n_contests": sum(map(sum, found.counts)),
    }


def certify(data: Document, model: Model) -> Document:
    """The document of one model of one data set (with its rows)."""
    if model.random:
        return _certify_mixed(data, model)
    found = design(data, model)
    names = parameter_names(found, model)
    theta = maximum(found, model) if model.estimator == "ml" else adjusted_root(found, model)
    here = point(found, model, theta)
    observed = model.estimator == "ml"
    covariance = (here.observed if observed else here.expected) ** -1
    document = _head(data, model)
    document["params"] = {name: text(value) for name, value in zip(names, theta)}
    document["bse"] = {name: text(mp.sqrt(covariance[k, k])) for k, name in enumerate(names)}
    if observed and (model.link != "logit" or model.ties == "general"):
        of_r = here.expected**-1
        document["bse_expected"] = {name: text(mp.sqrt(of_r[k, k])) for k, name in enumerate(names)}
    document["cov_params"] = matrix(names, covariance)
    if model.without:
        document["not_estimable"] = {name: "inf" for name in model.without}
    document.update(_ends(found, names, here.llf))
    if model.estimator == "jeffreys" or (model.estimator == "mean" and model.link == "logit"):
        document["penalised"] = text(here.llf + mp.log(mp.det(here.expected)) / 2)
    if data.get("sha256") is None:
        document["rows"] = data["rows"]
    return document


def _certify_mixed(data: Document, model: Model) -> Document:
    digits = mixed.PUBLISHED if model.method == "quadrature" else DIGITS
    found = design(data, model)
    rows, effects = mixed.lattice_rows(found, data, model)
    plain = replace(model, random=None)
    null = maximum(found, plain)
    one_way = acyclic(data)
    without, size = point(found, plain, null).llf, len(data["items"])
    if model.method == "quadrature":
        theta, integral = mixed.maximum(rows, len(effects) // size, size, null)
        value, hessian, means = integral.value, integral.hessian, integral.effects
    else:
        with mp.workdps(max(mp.dps, laplace.DIGITS)):
            start = _start(null, one_way)
            top = laplace.maximum(rows, len(effects), size, *start)
            theta, value, hessian, means = top.theta, top.value, top.hessian, top.modes
    names, sigma = [*found.names, "log sigma"], mp.exp(theta[-1])
    covariance = (-hessian) ** -1
    errors = [mp.sqrt(covariance[k, k]) for k in range(len(names))]
    lr = 2 * (value - without)
    document = _head(data, model)
    document["params"] = {name: text(value, digits) for name, value in zip(found.names, theta)}
    document["sigma"] = text(sigma, digits)
    if one_way:
        # Every win leads on: sigma is bounded from below only, and no error describes that.
        document["bounded_below_only"] = True
    else:
        document["bse"] = {name: text(error, digits) for name, error in zip(found.names, errors)}
        document["sigma_se"], document["log_sigma_se"] = (
            text(sigma * errors[-1], digits),
            text(errors[-1], digits),
        )
        document["cov_params"] = matrix(names, covariance, digits)
    document["llf"] = text(value, digits)
    document["log_coefficients"] = text(mp.fsum(log_coefficient(c) for c in found.counts), digits)
    document["null"] = {
        "params": {name: text(value, digits) for name, value in zip(found.names, null)},
        "llf": text(without, digits),
    }
    document["lr"], document["p"] = text(lr, digits), text(mp.erfc(mp.sqrt(lr / 2)) / 2, digits)
    document["effects"] = {name: text(value, digits) for name, value in zip(effects, means)}
    document["n_params"], document["n_rows"] = len(names), len(found.rows)
    document["n_contests"] = sum(map(sum, found.counts))
    if data.get("sha256") is None:
        document["rows"] = data["rows"]
    return document


def _start(null: list[mpf], one_way: bool) -> tuple[list[mpf], mpf]:
    """Fixed parameters and log sigma to start from: where all wins go one way sigma is far from 1."""
    return ([4 * value for value in null], mp.log(4)) if one_way else (null, mpf(0))


def acyclic(data: Document) -> bool:
    """Whether no chain of wins leads from an effect back to it: those who lost to nobody are taken away."""
    wins = [
        tuple((row.get("judge"), row[side]) for side in (("first", "second") if won else ("second", "first")))
        for row in data["rows"]
        for won in (True, False)
        if row["wins" if won else "losses"]
    ]
    while wins:
        beaten = {loser for _, loser in wins}
        left = [(winner, loser) for winner, loser in wins if winner in beaten]
        if len(left) == len(wins):
            return False
        wins = left
    return True
