"""The papers that come with pairproof: their files by id, their tests and computations registered, their
50-digit values.

A paper is a folder of :mod:`pairproof.validation.papers`, and what is in it is found by the names of its
files; no list names the papers.

``ID.claims.toml``      what a page of the paper says; a folder may have several such files
``ID.certified.json``   50-digit values of the models in that file, found by their data and their model
``statements*.py``      tests of its sentences, registered under the names by which claims call them
``computations*.py``    numbers that no fit has, registered in the same way (few: in the statements)
``story.py``            what its report says in words, and what is checked of it beyond its claims

Importing this module registers every test of a statement and every computation.  The 50-digit values are made
by code that shares nothing with this package (`tests/certified/`, which says how); the package carries a copy
of those that its shipped papers need.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ...data.columns import Factor
from ...fit.fit import Fit
from ..claims import SUFFIX
from ..claims.quantities import kind_of
from ..statements import (  # noqa: F401  (they register tests)
    general as _general,
    under_clustering as _clustered,
)
from ..statements.registers import COMPUTATIONS as COMPUTATIONS, TESTS as TESTS, run_test as run_test

PAPERS = Path(__file__).parents[1] / "papers"
#: Their folders as a package.
PACKAGE = "pairproof.validation.papers"


def shipped(suffix: str = SUFFIX) -> dict[str, Path]:
    """The files of the papers whose names end so, by the paper's id, which stands before the ending."""
    return {path.name[: -len(suffix)]: path for path in sorted(PAPERS.glob(f"*/*{suffix}"))}


def register_all() -> None:
    """Import the statements and computations of every paper, which registers them."""
    for kind in ("statements", "computations"):
        for path in sorted(PAPERS.glob(f"*/{kind}*.py")):
            import_module(f".{path.parent.name}.{path.stem}", PACKAGE)


register_all()


Document = Mapping[str, Any]
_COUNTS = ("first", "second", "wins", "ties", "losses")


class CertifiedValues:
    """Certified documents, asked by a fit."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._documents = tuple(documents)

    @classmethod
    def of_paper(cls, paper: str) -> CertifiedValues:
        """The copy that comes with a shipped paper; nothing if there is none."""
        file = shipped(".certified.json").get(paper)
        return cls(() if file is None else json.loads(file.read_text(encoding="utf-8")))

    def __call__(self, fit: Fit) -> Mapping[str, str]:
        """Quantity -> decimal text; empty if no document has this model on these data."""
        for document in self._documents:
            if _same_model(fit, document) and _same_data(fit, document):
                found = values_of(document)
                # The documents' standard errors are those of the model.
                of_model = () if fit.robust is None else ("se", "p", "worth_se")
                return {q: text for q, text in found.items() if kind_of(q) not in of_model}
        return {}


def _same_model(fit: Fit, document: Document) -> bool:
    model, spec = document["model"], fit.spec
    if spec.comparison_terms or spec.stated:
        return False  # no document has them, nor formulas, links, random effects
    cells, by = model["cells"] or (), model["by"] or ""
    same = all(getattr(spec, name) == model[name] for name in ("family", "ties", "order_effect"))
    same &= (fit.scale, fit.data.tie_category) == (model["scale"], model["tie_category"])
    same &= spec.by.replace(" ", "") == by.replace(" ", "") and spec.reference == (model["reference"] or "")
    same &= spec.cells == ((cells,) if isinstance(cells, str) else tuple(cells))
    values = {c: document["item_data"][c].items() for c in model["item_covariates"] or ()}
    theirs = {c: {item: _label(v) for item, v in of} for c, of in values.items()}
    return same and _item_covariates(fit) == theirs


def _item_covariates(fit: Fit) -> dict[str, dict[str, str]] | None:
    """Item covariates of the model, by value; None where items stay free beside them (no document has it)."""
    if fit.layout.separate:
        return None
    found = {}
    for name in fit.spec.item_terms:
        column = fit.data.item_data[name]
        values = [column.levels[c] for c in column.codes] if isinstance(column, Factor) else column.tolist()
        found[name] = {item: _label(v) for item, v in zip(fit.items, values)}
    return found


def _same_data(fit: Fit, document: Document) -> bool:
    """The same counts, pooled over columns not in the model, and over sides without order effect."""
    rows: Sequence[Mapping[str, Any]] = document["data"]
    used = {c for t in fit.terms for c, _ in t.by} | set(fit.spec.cells)
    used |= {"order"} if fit.spec.order_effect else set()
    by_row = "row" in used
    columns = [c for c in rows[0] if c not in _COUNTS and c in fit.data.columns and (by_row or c in used)]

    sided = fit.spec.order_effect
    own = fit.data.to_frame().to_dict("records")
    return bool(_pooled(own, columns, sided, by_row) == _pooled(rows, columns, sided, by_row))


def _pooled(rows: Sequence[Mapping[Any, Any]], columns: Sequence[str], sided: bool, by_row: bool) -> Any:
    """Counts by pair and columns, those of a pair in both orders together unless sides matter; or all rows, sorted."""
    cells: dict[tuple[str, ...], list[float]] = {}
    each = []
    for row in rows:
        sides, counts = [row["first"], row["second"]], [float(row.get(k, 0)) for k in _COUNTS[2:]]
        if sides[0] > sides[1] and not sided:
            sides, counts = sides[::-1], counts[::-1]
        key = (*map(str, sides), *(_label(row[c]) for c in columns))
        each.append((key, counts))
        cells[key] = [a + b for a, b in zip(cells.get(key, [0.0, 0.0, 0.0]), counts)]
    return sorted(map(repr, each)) if by_row else cells


def _label(value: Any) -> str:
    """'3' for 3, 3.0 and '3'."""
    try:
        return f"{float(value):.17g}"
    except (TypeError, ValueError):
        return str(value)


def values_of(document: Document) -> dict[str, str]:
    """A document's numbers by the names of :mod:`pairproof.validation.claims.quantities`."""
    found: dict[str, str] = {}
    for kind, key in (("estimate", "params"), ("se", "bse"), ("p", "pvalues")):
        found.update({f"{kind}.{name}": text for name, text in document[key].items() if text is not None})
    for name in ("deviance", "df_resid", "llf", "aic", "bic", "n_comparisons"):
        if document[name] is not None:
            found[name] = str(document[name])
    for key in ("worth", "worth_se"):
        for group, items in (document[key] or {}).items():
            known = ((item, text) for item, text in (items or {}).items() if text is not None)
            found.update({f"{key}.{group}.{item}": text for item, text in known})
    return found
