"""pairproof's own fits of the certified models, and their numbers by name."""

from __future__ import annotations

from typing import Any

from ....data.respondents import Respondents
from ....fit.answers.classes import ClassFit
from ....fit.answers.fit import AnswerFit
from ....native.patterns.models.latent_classes import fit_latent_classes
from ....native.patterns.models.pattern import fit_pattern
from ....native.patterns.models.plackett_luce import fit_plackett_luce
from .documents import Document

#: Starts of latent classes: the three classes of trdel are reached from 8 to 14 of 20.
STARTS, SEED = 20, 4


def fit_of(document: Document, table: Respondents) -> AnswerFit:
    """The native fit of a document's model."""
    model: dict[str, Any] = document["model"]
    if model["classes"] > 1:
        return fit_latent_classes(table, model["classes"], starts=STARTS, seed=SEED)
    by = model["by"] or ""
    if model["family"] == "plackett-luce":
        return fit_plackett_luce(table, by=by)
    return fit_pattern(
        table,
        by=by,
        dependence=model["dependence"],
        between_times=model["between_times"],
        alpha=model["alpha"],
        beta=model["beta"],
    )


def numbers_of_classes(fit: ClassFit) -> dict[str, float]:
    """`estimate.A:class[1]`, `se.`, `score.share.1`, `se.share.1`, llf, AIC, BIC."""
    out = {"llf": fit.llf, "aic": fit.aic, "bic": fit.bic}
    for k, (share, error) in enumerate(zip(fit.shares, fit.share_errors)):
        out[f"score.share.{k + 1}"] = float(share)
        out[f"se.share.{k + 1}"] = float(error)
    for name in fit.params.index[fit.free]:
        out[f"estimate.{name}"] = float(fit.params[name])
        out[f"se.{name}"] = float(fit.bse[name])
    return out


def further_numbers(fit: AnswerFit) -> dict[str, float]:
    """What a fit gives beside its parameters: quasi-variances and errors of centred log worths, by group."""
    out: dict[str, float] = {}
    for group in fit.groups:
        table = fit.quasi_variances(group)
        for item, value in zip(table["item"], table["quasi_variance"]):
            out[f"score.quasi-variance.{group}.{item}"] = float(value)
    if fit.groups == {"all": {}} or list(fit.groups) == ["all"]:
        centred = fit.on_scale("log-odds").with_reference("sum")
        for item in fit.items:
            out[f"score.centred-se.all.{item}"] = float(centred.bse[item])
    return out


def certified_numbers(document: Document) -> dict[str, str]:
    """A document's numbers by the names of :mod:`pairproof.validation.claims.quantities`, as decimal text."""
    out = {f"estimate.{name}": text for name, text in document["params"].items()}
    out.update({f"se.{name}": text for name, text in document["bse"].items()})
    out.update({name: str(document[name]) for name in ("llf", "aic", "bic")})
    if document["model"]["classes"] > 1:
        for key, kind in (("shares", "score.share"), ("share_errors", "se.share")):
            out.update({f"{kind}.{k + 1}": text for k, text in enumerate(document[key])})
        return out
    out.update({name: str(document[name]) for name in ("deviance", "df_resid")})
    for key in ("worth", "worth_se"):
        for group, items in document.get(key, {}).items():
            out.update({f"{key}.{group}.{item}": text for item, text in items.items()})
    return out


def further_certified(document: Document) -> dict[str, str]:
    """The 50-digit values of :func:`further_numbers`."""
    out: dict[str, str] = {}
    for key, kind in (("quasi_variances", "quasi-variance"), ("centred_se", "centred-se")):
        for group, items in document.get(key, {}).items():
            if kind == "centred-se" and group != "all":
                continue
            out.update({f"score.{kind}.{group}.{item}": text for item, text in (items or {}).items()})
    return out
