"""A printed page beside its data: a verdict on each of its numbers, or the claims file that holds them.

A published board is such a page, on scale "elo".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ...data.comparisons import Comparisons
from ...errors import InputError
from ...text import label, named
from ..check.draft import Draft, draft
from ..claims.data import fit_model
from ..claims.paper import Claim, DataSpec, ModelClaim, Paper
from ..claims.quantities import OF_BOARD, Quantity
from ..report.context import ReportContext, versions
from ..report.verification import Verification
from ..verdicts.agreement import COLUMNS_NOT_READ, NO_SUCH_ITEM, Agreement
from ..verdicts.verdict import IMMATERIAL
from .models import Data, FoundModel, find_model, with_items
from .reading import PrintedTable, tables_of

if TYPE_CHECKING:
    from ...bridge.process.policy import BackendLike

#: Part of a page's numbers that a model must reproduce, or the page may be of another model.
LEAST_OUT = 1 / 3
#: What is said about a board that says nothing else.
OF_A_BOARD = {"family": "bradley-terry", "ties": "half", "reference": "sum"}
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
        unmatched = dict.fromkeys(f"not checked: {why}" for _, why in self.table.unmatched)
        return (*self.table.sentences, *unmatched, *self.found.sentences)


def read_pages(
    path: str,
    data: Data,
    stated: Mapping[str, Any] = MappingProxyType({}),
    columns: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Page, ...]:
    """The tables of a file, each with its model.

    stated: what the caller says about the model.  columns: the heading of a kind of number that has two.
    """
    pages, parameters = [], _parameters(data, stated)
    for read in tables_of(path, columns):
        table = with_items(read, data, parameters)
        if {**table.model, **stated}.get("scale") == "elo":
            own = {"scale": "elo", "ties": _ties_of_board(data, stated), "by_vote": not stated.get("cluster")}
            pages.append(Page(table, FoundModel(ModelClaim(**{**OF_A_BOARD, **stated, **own}))))
            continue
        counts = [q for q in table.numbers if q.quantity.kind in OF_BOARD and q.quantity.kind != "wins"]
        kept = tuple(q for q in table.numbers if q not in counts)
        names = tuple(dict.fromkeys(f"column of {q.quantity.kind}" for q in counts))
        table = replace(table, numbers=kept, others=(*table.others, *names))
        pages.append(Page(table, find_model(table, data, stated)))
    return tuple(pages)


def _parameters(data: Data, stated: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of a model that has more than items, as the caller states it."""
    if not any(stated.get(key) for key in ("by", "formula", "item_terms", "comparison_terms")):
        return ()
    asked = {"family": "llbt", **stated}
    return tuple(map(str, fit_model(data, ModelClaim(**asked)).params.index))


def _ties_of_board(data: Data, stated: Mapping[str, Any]) -> str:
    return (stated.get("ties") or OF_A_BOARD["ties"]) if getattr(data, "tie_category", False) else "none"


def check_printed(
    path: str,
    data: Comparisons,
    stated: Mapping[str, Any] = MappingProxyType({}),
    columns: Mapping[str, str] = MappingProxyType({}),
    *,
    r: BackendLike | str = None,
    progress: Callable[[str], None] = lambda what: None,
    explain: bool = True,
    immaterial: float = IMMATERIAL,
) -> Verification:
    """The verdict on each number of a file of printed numbers; what was read and found stands before them.

    path: the file.  data: the comparisons that the numbers are of.  stated, columns: as of :func:`read_pages`; the
    others as of :func:`pairproof.validation.run`.
    """
    from ..check.recompute import Checked, made
    from ..verify import backend_of

    pages = read_pages(path, data, stated, columns)
    claims = {name: (page, claim) for page, name, claim in _claims(pages)}
    name, backend = Path(path).name, backend_of(r)
    data_of = {"votes": DataSpec("votes", "long")}
    paper = Paper(
        Path(path).stem, name, data=data_of, claims=tuple(c for _, c in claims.values()), source=path
    )
    checked = Checked(paper, backend, immaterial, {"votes": data})
    checked.run(progress, explain)
    rows = [_doubted(a, claims[a.claim][0].found, stated) if a.claim in claims else a for a in checked.rows]
    for page in pages:
        own = next(claim for of, claim in claims.values() if of is page)
        rows += [*_unmatched(paper.id, own, page), *_not_looked_at(paper.id, page, data)]
    context = ReportContext(
        title=f"{label(name)}: are its numbers reproduced from {label(Path(data.source).name)}?",
        subtitle=f"{data.n_comparisons:,.10g} comparisons from {data.source}; {_in_words(pages[0].found.model)}",
        made=made(),
        versions=versions(backend),
        first_lines=tuple(sentence for page in pages for sentence in page.sentences),
    )
    return Verification(tuple(rows), context, False, {paper.id: checked.found})


def _doubted(row: Agreement, found: FoundModel, stated: Mapping[str, Any]) -> Agreement:
    """A number that differs, of a page that says nothing about its model and is hardly of the one that was
    found."""
    # A free factor and constant bring two numbers out of any page.
    free = 2 if found.model.scale == "any" else 0
    known = "family" in stated or "scale" in stated or found.of * LEAST_OUT <= found.come_out - free
    if known or row.verdict not in ("differs", "differs-conclusion"):
        return row
    why = (
        f"another-model: the page does not state its model, and none of those that were tried reproduces more"
        f" than {found.come_out} of its {found.of} numbers; state it: --model, --ties, --reference, --scale, or --items if the page numbers its items"
    )
    return replace(row, verdict="not-checkable", code="another-model", explanation=why)


def _claims(pages: Sequence[Page]) -> Iterator[tuple[Page, str, Claim]]:
    """The tables as claims with their names: one each, and of a board one for each kind of number."""
    for k, page in enumerate(pages, 1):
        model, numbers = page.found.model, page.table.numbers
        name = "-".join(filter(None, (page.table.paper, page.table.claim))) or f"table-{k}"
        claim = Claim(id=name, data="votes", model=model, numbers=numbers)
        if model.scale != "elo":
            yield page, name, claim
            continue
        for part, kinds in _PARTS:
            own = tuple(q for q in numbers if q.quantity.kind in kinds)
            name = part if len(pages) == 1 else f"{claim.id}-{part}"
            if own:
                yield page, name, replace(claim, id=name, engines=("native",), numbers=own)


def _unmatched(paper: str, claim: Claim, page: Page) -> Iterator[Agreement]:
    """The numbers of rows that are no item of the data: of them nothing is known, so they are no agreement."""
    for q, why in page.table.unmatched:
        why = f"{why}{';' * (why[-1] != '?')} change its name on the page, or --rename that of the data"
        of = {"printed": q.printed.text, "finding": f"row {q.quantity.name}"}
        yield Agreement.of_claim(paper, claim, q.quantity, "not-run", why, NO_SUCH_ITEM, **of)


def _not_looked_at(paper: str, page: Page, data: Comparisons) -> list[Agreement]:
    """What only one of the two has, and the columns and rows of which nothing is computed."""
    unlisted = [name for name in data.items if name not in (*page.table.items, page.found.model.reference)]
    said = [(other, "not checked", "not-looked-at") for other in page.table.others]
    nan = (f"{kind}.{name}" for kind, name in page.table.nan)
    said += [(number, "NaN is printed, which is not a number", "not-looked-at") for number in nan]
    said += [("columns", page.table.to_be_named, COLUMNS_NOT_READ)] * bool(page.table.to_be_named)
    if unlisted:
        why = f"the page does not list {named(unlisted)}, but their comparisons are in the fit"
        said.append(("items", why, "other-models"))
    about: dict[str, Any] = {"paper": paper, "claim": "not checked", "verdict": "not-checkable"}
    return [
        Agreement(quantity=Quantity(what), explanation=f"{code}: {why}", code=code, **about)
        for what, why, code in said
    ]


def _in_words(model: ModelClaim) -> str:
    if model.scale != "elo":
        reference = label(model.reference or "default")
        return f"{model.family}, ties {model.ties}, reference {reference}, scale {model.scale}"
    errors = f"{model.cluster_kind} by {' and '.join(model.cluster)}" if model.cluster else "by single votes"
    where = f"{model.anchor or 'the mean'} at {1000.0 if model.at is None else model.at:g}"
    return f"ties {model.ties}, {where}, {model.expected or 'ability'}, standard errors {errors}"


def claims_of(pages: Sequence[Page], data: Data, paper: str, title: str) -> Draft:
    """The claims file of the tables of a page, with what was found of each in a comment."""
    papers = list(dict.fromkeys(page.table.paper for page in pages))
    own = [page for page in pages if page.table.paper == paper] or list(pages)
    if len({page.table.paper for page in own}) > 1:
        raise InputError(
            f"{pages[0].table.source}: numbers of {len(papers)} papers ({named(papers)}); a claims file describes one: choose"
            " it with --id"
        )
    drafts, texts = list[Draft](), list[str]()
    for k, page in enumerate(own, 1):
        name = re.sub(r"[^A-Za-z0-9_-]+", "-", page.table.claim) or f"table-{k}"
        stated = {"id": name, "where": Path(page.table.source).name}
        drafts.append(draft(data, page.found.model, paper, title, page.table.numbers, stated))
        head, key, claim = drafts[-1].claims.partition("[[claim]]")
        comments = "".join(f"# {label(sentence)}\n" for sentence in page.sentences)
        texts.append(("" if texts else head) + comments + key + claim)
    return replace(drafts[0], claims="\n".join(texts), n_numbers=sum(d.n_numbers for d in drafts))
