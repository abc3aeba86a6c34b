"""A printed page beside its data: a verdict on each of its numbers, or the claims file that holds them.

A published board is such a page, on scale "elo".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ...data.comparisons import Comparisons
from ...errors import InputError
from ...files.inputs import read_file
from ...text import label, named
from ..check.draft import Draft, draft
from ..claims.data import fit_model
from ..claims.paper import Claim, DataSpec, ModelClaim, Paper, Reading
from ..claims.quantities import OF_BOARD, Quantity
from ..report.context import ReportContext, versions
from ..report.verification import Verification
from ..verdicts.agreement import Agreement
from .models import FoundModel, find_model, with_items
from .reading import MOST_CHARACTERS, PrintedTable, read_tables

#: What is said of a board that says nothing else.
OF_A_BOARD = {"family": "bradley-terry", "ties": "half", "reference": "sum"}
#: R prints what its glm has when it stops, which the last of its digits show.
STOPPED = Reading(
    name="stopped-early",
    sentence="R's glm stops at a relative change of the deviance below 1e-8 and takes the covariance from the weights of"
    " the last step but one",
    stops="glm",
)
#: Claims of a page: what each holds.
_PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("ratings", ("estimate",)),
    ("limits", ("low", "high")),
    ("ranks", ("rank_low", "rank_high")),
    ("counts", OF_BOARD),
)


@dataclass(frozen=True)
class Page:
    """A table of a page with the items of the data, and the model that it is held to."""

    table: PrintedTable
    found: FoundModel

    @property
    def sentences(self) -> tuple[str, ...]:
        return (*self.table.sentences, *self.found.sentences)


def read_pages(
    path: str,
    data: Comparisons,
    stated: Mapping[str, Any] = MappingProxyType({}),
    columns: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Page, ...]:
    """The tables of a file, each with its model.

    stated: what the caller says of the model.  columns: the heading of a kind of number that has two.
    """
    raw = read_file(Path(path), "a printed table or program output", most=4 * MOST_CHARACTERS)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8"
        ) from error
    pages, parameters = [], _parameters(data, stated)
    for read in read_tables(text, path, columns):
        table = with_items(read, data, parameters)
        if {**table.model, **stated}.get("scale") == "elo":
            own = {"scale": "elo", "ties": _ties_of_board(data, stated), "by_vote": not stated.get("cluster")}
            model = {**OF_A_BOARD, **stated, **own}
            pages.append(Page(table, FoundModel(ModelClaim(**model), 0, 0, (), True)))
            continue
        counts = [q for q in table.numbers if q.quantity.kind in OF_BOARD and q.quantity.kind != "wins"]
        kept = tuple(q for q in table.numbers if q not in counts)
        names = tuple(dict.fromkeys(f"column of {q.quantity.kind}" for q in counts))
        table = replace(table, numbers=kept, others=(*table.others, *names))
        pages.append(Page(table, find_model(table, data, stated)))
    return tuple(pages)


def _parameters(data: Comparisons, stated: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of a model that has more than items, as the caller states it."""
    if not any(stated.get(key) for key in ("by", "formula", "item_terms", "comparison_terms")):
        return ()
    asked = {"family": "llbt", **stated}
    return tuple(map(str, fit_model(data, ModelClaim(**asked)).params.index))


def _ties_of_board(data: Comparisons, stated: Mapping[str, Any]) -> str:
    return (stated.get("ties") or OF_A_BOARD["ties"]) if data.tie_category else "none"


def check_printed(
    path: str,
    data: Comparisons,
    stated: Mapping[str, Any] = MappingProxyType({}),
    columns: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Verification, tuple[str, ...]]:
    """The verdict on each number of a file of printed numbers, and what was read and found, in sentences.

    path: the file.  data: the comparisons that the numbers are of.  stated, columns: as of :func:`read_pages`.
    """
    from ..check.checker import Checker
    from ..check.recompute import made
    from ..verify import backend_of

    pages = read_pages(path, data, stated, columns)
    claims = [
        claim for k, page in enumerate(pages) for claim in _claims(page, k + 1 if len(pages) > 1 else 0, data)
    ]
    paper = Paper(
        Path(path).stem,
        Path(path).name,
        data={"votes": DataSpec("votes", "long")},
        claims=tuple(claims),
        source=path,
    )
    rows = Checker(paper, tables={"votes": data}).all()
    rows += [row for page in pages for row in _not_looked_at(paper.id, page, data)]
    sentences = tuple(sentence for page in pages for sentence in page.sentences)
    context = ReportContext(
        title=f"{label(Path(path).name)}: do its numbers come out of {label(Path(data.source).name)}?",
        subtitle=f"{data.n_comparisons:,.10g} comparisons from {data.source}; {_in_words(pages[0].found.model)}",
        made=made(),
        versions=versions(backend_of("none")),
    )
    return Verification(tuple(rows), context), sentences


def _of_glm(model: ModelClaim, data: Comparisons) -> bool:
    """Whether the model is one whose steps in R's glm are known."""
    binary = model.ties in ("half", "drop") if data.tie_category else True
    plain = not (model.by or model.item_terms or model.comparison_terms or model.cluster or model.of_contests)
    return binary and plain and (model.family, model.scale) == ("bradley-terry", "log-odds")


def _claims(page: Page, number: int, data: Comparisons) -> list[Claim]:
    """A table as claims: one, and of a board one for each kind of number."""
    model, numbers = page.found.model, page.table.numbers
    name = page.table.claim or (f"table-{number}" if number else "table")
    if model.scale != "elo":
        claim = Claim(id=name, data="votes", model=model, engines=("native",), numbers=numbers)
        return [
            replace(claim, readings=(STOPPED,), accept=(STOPPED.name,)) if _of_glm(model, data) else claim
        ]
    parts = [(part, tuple(q for q in numbers if q.quantity.kind in kinds)) for part, kinds in _PARTS]
    before = f"{name}-" if number else ""
    return [
        Claim(id=before + part, data="votes", model=model, engines=("native",), numbers=own)
        for part, own in parts
        if own
    ]


def _not_looked_at(paper: str, page: Page, data: Comparisons) -> list[Agreement]:
    """What only one of the two has, and the columns and rows of which nothing is computed."""
    unlisted = [name for name in data.items if name not in (*page.table.items, page.found.model.reference)]
    said = [(other, "not looked at", "not-looked-at") for other in page.table.others]
    if unlisted:
        why = f"the page does not list {named(unlisted)}, whose comparisons are in the fit"
        said.append(("items", why, "other-models"))
    return [
        Agreement(
            paper,
            "not looked at",
            Quantity(what),
            verdict="not-checkable",
            explanation=f"{code}: {why}",
            code=code,
        )
        for what, why, code in said
    ]


def _in_words(model: ModelClaim) -> str:
    if model.scale != "elo":
        said = (
            model.family,
            f"ties {model.ties}",
            f"reference {label(model.reference or 'default')}",
            f"scale {model.scale}",
        )
        return ", ".join(said)
    errors = f"{model.cluster_kind} by {' and '.join(model.cluster)}" if model.cluster else "by single votes"
    where = f"{model.anchor or 'the mean'} at {1000.0 if model.at is None else model.at:g}"
    return f"ties {model.ties}, {where}, {model.expected or 'ability'}, standard errors {errors}"


def claims_of(pages: tuple[Page, ...], data: Comparisons, paper: str, title: str) -> Draft:
    """The claims file of the tables of a page, with what was found of each in a comment."""
    begun: Draft | None = None
    for k, page in enumerate(pages):
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", page.table.claim) or f"table-{k + 1}"
        stated = {"id": name, "where": f"{Path(page.table.source).name}"}
        made = draft(data, page.found.model, paper, title, page.table.numbers, stated)
        head, key, claim = made.claims.partition("[[claim]]")
        comments = "".join(f"# {label(sentence)}\n" for sentence in page.sentences)
        before = begun.claims + "\n" if begun else head
        begun = replace(
            made,
            claims=before + comments + key + claim,
            n_numbers=made.n_numbers + (begun.n_numbers if begun else 0),
        )
    assert begun is not None, "a page has a table, or reading it was refused"
    return begun
