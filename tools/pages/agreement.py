"""Tables of agreement, made from one run of `pairproof validate` on the paper that ships."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from pairproof.bridge import Backend, backend
from pairproof.fit.estimates.specification import FAMILIES
from pairproof.validation import Verification, run
from pairproof.validation.check.claims_file import read_paper
from pairproof.validation.claims.paper import Claim
from pairproof.validation.claims.quantities import kind_of
from pairproof.validation.verdicts.agreement import Agreement, summary
from pairproof.validation.verdicts.digits import floor

from .tables import markdown, shown

PAPER = "dras-2015"
#: Columns of a line of text.
WIDTH = 110
CERTIFIED = "50-digit values (mpmath)"
#: Column heads of the small table, and the kinds of quantity under each.
HEADS: Mapping[str, tuple[str, ...]] = {
    "estimates": ("estimate",),
    "standard errors": ("se",),
    "deviance": ("deviance",),
    "log-likelihood": ("llf",),
    "worths": ("worth",),
}
#: Verdicts as a sentence has them.
VERBS = {
    "agrees": "agree",
    "agrees-other-definition": "agree by another definition",
    "immaterial": "is immaterial",
    "explained": "are explained",
    "differs": "differ",
    "differs-conclusion": "differs in its conclusion",
    "not-checkable": "cannot be checked",
    "not-run": "did not run",
}
Seen = tuple[Agreement, float]


@lru_cache(maxsize=4)
def _run(asked: Backend) -> Verification:
    return run(PAPER, r=asked)


def verification() -> Verification:
    """The run, with the R of the nearest `using`; made once."""
    return _run(backend())


def by_source(agreements: Iterable[Agreement]) -> dict[str, list[Seen]]:
    """R function, or the 50-digit values -> what was held against it, with digits; the 50-digit values once a
    number.
    """
    found: dict[str, list[Seen]] = {}
    certified: dict[tuple[str, str], Seen] = {}
    for a in agreements:
        if a.r is not None and a.r_call and a.digits is not None:
            found.setdefault(a.r_call, []).append((a, a.digits))
        if a.certified is not None and a.certified_digits is not None:
            certified[a.claim, a.quantity] = (a, a.certified_digits)
    return {**found, **({CERTIFIED: list(certified.values())} if certified else {})}


def fewest(seen: Iterable[Seen], kinds: Sequence[str]) -> Seen | None:
    """The agreement with the fewest digits among quantities of these kinds."""
    of_these = [s for s in seen if kind_of(s[0].quantity) in kinds and not math.isnan(s[1])]
    return min(of_these, key=lambda s: s[1]) if of_these else None


def _digits(found: Seen | None) -> str:
    return shown(None if found is None else found[1])


def _code(source: str) -> str:
    """An R call as Markdown: the function as code, then how it was called."""
    name = source.split(",")[0].split("(")[0].strip()
    return source if "::" not in name else f"`{name}`{source[source.index(name) + len(name):]}"


def small_table() -> str:
    """A table with a row for each R function and a column for each kind of number: the fewest digits shared."""
    sources = by_source(verification())
    rows = [
        (_code(source), f"{len(seen):,}", *(_digits(fewest(seen, kinds)) for kinds in HEADS.values()))
        for source, seen in sources.items()
        if fewest(seen, HEADS["estimates"])
    ]
    return markdown(("pairproof against", "numbers", *HEADS), rows) + "\n" + _sentence() + "\n"


def _sentence() -> str:
    made = verification()
    counts = summary(made)
    of_r = sum(a.r is not None for a in made)
    accepted = sum(a.accepted for a in made)
    said = ", ".join(f"{n:,} {VERBS.get(verdict, verdict)}" for verdict, n in counts.items())
    versions = ", ".join(
        f"{name}\0{version.removesuffix(' (recorded)')}"
        for name, version in made.context.versions.items()
        if version
    )
    text = (
        f"{len(made):,} comparisons: {said}. Of these, {accepted} are known and accepted: errata of the paper,"
        " numbers that follow another definition, and conclusions that do not survive clustering. R gave"
        f" {of_r:,} of the numbers. {versions}."
    )
    # A name and its version stay on one line.
    return textwrap.fill(text, WIDTH, break_on_hyphens=False).replace("\0", " ")


def _models() -> dict[str, Claim]:
    return {c.id: c for c in read_paper(PAPER).claims if c.model is not None}


def _model_in_words(claim: Claim) -> str:
    m = claim.model
    assert m is not None
    ties = {
        "davidson": "Davidson ties",
        "rao-kupper": "Rao-Kupper ties",
        "none": "tie parameter at 0",
        "drop": "ties dropped",
        "half": "ties as half wins",
    }[m.ties or "none"]
    family = FAMILIES[m.family].title
    more = [f"by {m.by}"] if m.by else []
    more += [f"deviance on pair x {' x '.join(m.cells)}"] if m.cells else []
    return f"{claim.data}: {', '.join([family, ties, *more])}"


def by_model() -> str:
    """A table with a row for each model and a column for each R function: fewest digits of estimates and of
    standard errors.
    """
    made = verification()
    sources = [s for s, seen in by_source(made).items() if fewest(seen, ("estimate",))]
    rows = []
    for claim in _models().values():
        here = by_source(a for a in made if a.claim == claim.id)
        if any(fewest(here.get(s, []), ("estimate",)) for s in sources):
            cells = []
            for source in sources:
                pair = [_digits(fewest(here.get(source, []), (kind,))) for kind in ("estimate", "se")]
                cells.append(" / ".join(pair) if any(pair) else "")
            rows.append((_model_in_words(claim), *cells))
    return markdown(("data: model", *(_code(s) for s in sources)), rows)


def by_quantity() -> str:
    """Every R function and kind of quantity: fewest digits, floor, R's own digits against the 50-digit
    values, and where.
    """
    rows = []
    for source, seen in by_source(verification()).items():
        for kind in dict.fromkeys(kind_of(a.quantity) for a, _ in seen):
            least = fewest(seen, (kind,))
            if least is None:
                continue
            own = [
                (a, a.r_certified_digits)
                for a, _ in seen
                if kind_of(a.quantity) == kind not in ("z", "p") and a.r_certified_digits is not None
            ]
            asked = floor(least[0].quantity, "certified" if source == CERTIFIED else source)
            rows.append(
                (
                    _code(source),
                    kind,
                    f"{sum(kind_of(a.quantity) == kind for a, _ in seen)}",
                    shown(least[1]),
                    f"{asked.digits:g}",
                    _digits(fewest(own, (kind,))) if source != CERTIFIED else "",
                    f"{least[0].claim} {least[0].quantity.partition('.')[2]}".strip(),
                )
            )
    heads = (
        "against",
        "quantity",
        "numbers",
        "fewest digits",
        "floor",
        "R's own, against 50 digits",
        "fewest at",
    )
    return markdown(heads, [row[:6] + (_where(row[6], row[3]),) for row in rows], 2)


def _where(place: str, digits: str) -> str:
    # Above 12 digits the place changes with the machine's rounding, and says nothing.
    return place if float(digits) < 12 else ""


def why_floors() -> str:
    """Each floor below 9 digits with its reason."""
    seen: dict[str, dict[str, list[str]]] = {}
    for source, all_seen in by_source(verification()).items():
        if source != CERTIFIED:
            for kind in dict.fromkeys(kind_of(a.quantity) for a, _ in all_seen):
                asked = floor(next(a.quantity for a, _ in all_seen if kind_of(a.quantity) == kind), source)
                if asked.digits < 9:
                    seen.setdefault(source, {}).setdefault(asked.why, []).append(f"{kind} {asked.digits:g}")
    lines = []
    for source, reasons in seen.items():
        said = [f"{why} ({', '.join(kinds)})" for why, kinds in reasons.items()]
        lines.append(f"- {_code(source)}: {'; '.join(said)}.")
    return "\n".join(lines) + "\n"


def stops() -> str:
    """Where an R function that has the model stopped, with its own words."""
    rows = [
        (_code(a.r_call or ""), a.claim, a.explanation.partition("R stops: ")[2].replace("|", "\\|"))
        for a in verification()
        if a.explanation.startswith("R's own error")
    ]
    kept = list(dict.fromkeys((call, _without_numbers(said)) for call, _, said in rows))
    return markdown(("R function", "on a table of two items it stops with"), kept, 9)


def _without_numbers(said: str) -> str:
    """The message without the remainder it prints, which differs from table to table, and how R was
    reached.
    """
    head, _, tail = said.partition(": reciprocal condition number")
    return f"\u201c{(head if tail else said.partition(' in ')[0]).strip()}\u201d"


def swapped() -> str:
    """The table of the swapped columns, as the report has it."""
    story = verification().context.story[0]
    assert story.table is not None
    paragraphs = "\n\n".join(story.paragraphs)
    return f"{paragraphs}\n\n{markdown(story.table.header, story.table.rows)}"


BLOCKS: Mapping[str, Callable[[], str]] = {
    "agreement": small_table,
    "agreement-by-model": by_model,
    "agreement-by-quantity": by_quantity,
    "floors": why_floors,
    "stops": stops,
    "swapped-columns": swapped,
}
