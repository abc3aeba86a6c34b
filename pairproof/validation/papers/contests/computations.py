"""The certified models of contests, as tables and as pairproof's own fits, and numbers printed elsewhere of
them, recomputed.

A document is what `tests/certified/contests` describes; the package carries a copy without the covariances,
which `tests.certified.contests.packaged` writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ....data.columns import Factor, natural_order
from ....data.comparisons import Comparisons
from ....errors import InputError
from ....files.packaged import packaged_json
from ....fit.fit import Fit
from ....native.comparisons.contests.bradley_terry import fit_bradley_terry
from ...claims.quantities import effect_names, quantity
from ...statements.registers import Computed, Request, computation

Document = Mapping[str, Any]
#: What a column of contests is called in the model of pairproof.
ORDER = "home"


@lru_cache(maxsize=1)
def _fits() -> tuple[Document, ...]:
    return tuple(packaged_json(__package__, "contests_50_digits.json")["fits"])


def documents() -> tuple[Document, ...]:
    """Every certified fit whose data come with the package."""
    return tuple(d for d in _fits() if "rows" in d)


def of_lizards() -> tuple[Document, ...]:
    """The certified fits of flatlizards, which are read in place from BradleyTerry2."""
    return tuple(d for d in _fits() if "rows" not in d)


def table_of(document: Document) -> Comparisons:
    """The contests of a document."""
    items, rows = list(document["items"]), document["rows"]
    place = {item: k for k, item in enumerate(items)}
    columns: dict[str, Any] = {}
    if "judge" in rows[0]:
        judges = [str(row["judge"]) for row in rows]
        levels = natural_order(judges)
        columns["judge"] = Factor(np.array([levels.index(j) for j in judges]), levels)
    for name in ("offset", "group"):
        if name in rows[0]:
            columns[name] = np.array([float(row[name]) for row in rows])
    if ORDER in rows[0]:
        columns["order"] = np.array([float(row[ORDER]) for row in rows])
    of_items = {
        name: np.array([np.nan if values[item] is None else float(values[item]) for item in items])
        for name, values in document.get("item_data", {}).items()
    }
    wins, ties, losses = ([float(row.get(k, 0)) for row in rows] for k in ("wins", "ties", "losses"))
    first, second = (np.array([place[row[side]] for row in rows]) for side in ("first", "second"))
    counts = (wins, ties if any("ties" in row for row in rows) else None, losses)
    more = {"columns": columns, "item_data": of_items, "source": document["id"].partition("--")[0]}
    return Comparisons.build(items, first, second, *counts, **more)


def fit_of(document: Document, table: Comparisons | None = None) -> Fit:
    """The native fit of a document's model, one row per cell; of another table than its own, if one is
    given."""
    model = document["model"]
    return fit_bradley_terry(
        table_of(document) if table is None else table,
        ties="davidson" if model["ties"] != "none" else "none",
        order_effect=ORDER in model["columns"],
        cells=["row"],
        item_terms=model["item_covariates"] or (),
        comparison_terms=[name for name in model["columns"] if name != ORDER],
        random=model["random"] or (),
        offset="offset" if model["offset"] else None,
        reduce_bias=None if model["estimator"] == "ml" else model["estimator"],
        **{name: model[name] for name in ("reference", "link", "method", "tie_shift", "tie_scale")},
    )


def certified_numbers(document: Document) -> dict[str, str]:
    """A document's numbers by the names of :mod:`pairproof.validation.claims.quantities`, as decimal text."""
    named = {ORDER: "order"}
    out = {f"estimate.{named.get(name, name)}": text for name, text in document["params"].items()}
    out.update({f"se.{named.get(name, name)}": text for name, text in document.get("bse", {}).items()})
    out["llf"] = str(document["llf"])
    component = document["model"]["random"]
    if not component:
        # With an infinite ability the document's df are those of the other contests.
        of_all = ("deviance",) if "not_estimable" in document else ("deviance", "df_resid")
        out.update({name: str(document[name]) for name in of_all})
        return out
    for kind, key in (("sigma", "sigma"), ("sigma_se", "sigma_se"), ("sigma_lr", "lr"), ("sigma_p", "p")):
        if key in document:
            out[f"{kind}.{component}"] = document[key]
    mean = "effect_mean" if document["model"]["method"] == "quadrature" else "effect"
    out.update({f"{mean}.{name.replace(':', '.')}": text for name, text in document["effects"].items()})
    return out


def is_mixed(document: Document) -> bool:
    """Whether the model has random effects, so that R takes seconds for it."""
    return bool(document["model"]["random"])


@computation("contests")
def contests(request: Request) -> Computed:
    """The numbers of a certified model of contests; args: `fit`, its id; `method` = "pql" for another estimate of it."""
    name = request.text("fit")
    own = {d["id"]: d for d in documents()}
    if name not in own:
        raise InputError(f"args.fit is {name[:60]!r}; expected one of {', '.join(own)}")
    document = own[name]
    method = request.text("method", "as certified")
    if method == "as certified":
        fit = fit_of(document)
        names = certified_numbers(document)
    elif method == "pql" and document["model"]["random"]:
        random, terms = document["model"]["random"], document["model"]["item_covariates"] or ()
        fit = fit_bradley_terry(table_of(document), item_terms=terms, random=random, method="pql")
        names = {f"{kind}.{n}": "" for kind in ("estimate", "se") for n in fit.params.index}
        names.update({f"{kind}.{random}": "" for kind in ("sigma", "sigma_se")})
    else:
        raise InputError(f"args.method is {method[:40]!r}; expected 'pql', for a model with random effects")
    found = {key: quantity(fit, key) for key in names}
    if fit.random_effects is not None:
        found.update({f"effect.{n}": quantity(fit, f"effect.{n}") for n in effect_names(fit)})
    return Computed(native=found)
