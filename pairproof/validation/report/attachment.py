"""One printed page for a referee's report: what the data as deposited give where a page prints something else.

It is neutral: what differs may lie in the page, in the data, in the copying or in a model that the page does not state,
so no sentence says whose it is.  More findings than a page holds are counted, with the command that shows them all.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from textwrap import shorten

from ...report.blocks import Bullets, Code, Column, Heading, Page, Paragraph, Table
from ...text import named
from ..claims.paper import UNFILLED, Paper
from ..claims.quantities import Quantity, size_in_words
from ..verdicts.agreement import AGREEING, Agreement
from .findings import as_printed

#: Characters of a line; lines for findings, other definitions, what was not checked; data files named.
WIDTH, FINDINGS, OTHERS, NOT_CHECKED, FILES = 108, 22, 4, 9, 5
#: Characters of a sentence of a page, and of an explanation.
LONGEST = 230
_CSS = """@page { size: A4; margin: 14mm 16mm; }
main { max-width: 46rem; } p, li { max-width: none; } h1 { font-size: 1.35rem; } footer { display: none; } td { overflow-wrap: anywhere; }
@media print { body { font-size: 9.2pt; line-height: 1.32; } h1 { font-size: 13pt; } h2 { font-size: 10.5pt; margin: .7rem 0 .2rem; }
  ul, table, p, pre { margin: .2rem 0; } table, pre { font-size: 8pt; padding: 0; } th, td { padding: .1rem .5rem .1rem 0; } }
"""
_OF = {"estimate": "the estimate", "se": "the standard error", "p": "the p-value", "worth": "the worth"}
_OF_FIT = {"df_resid": "the residual df", "aic": "AIC", "aic_glm": "AIC", "llf": "the log-likelihood"}
_BY_WEIGHT = ("differs-conclusion", "differs", "not-estimable", "ambiguous", "explained")
_OTHER = ("agrees-other-definition",)
_KINDS = {
    **dict.fromkeys(AGREEING, "reproduced"),
    "agrees-other-definition": "reproduced by another program's definition",
    "immaterial": "different by too little to matter",
    **dict.fromkeys(_BY_WEIGHT, "different from the deposited data"),
}
_CAVEAT = (
    "A difference may come from the page, the deposited data, a copying error or a model that the page does not"
    " state; the sentences above only report what the deposited data give."
)


def attachment(
    paper: Paper,
    rows: Sequence[Agreement],
    hashes: Mapping[str, str],
    versions: Mapping[str, str | None],
    command: str,
) -> Page:
    """The page; `hashes` are of the files as they are, by data set, "" for the claims file; `command` makes it again."""
    printed = [a for a in rows if a.printed is not None and a.about in ("printed", "statement")]
    counts = Counter(_KINDS.get(a.verdict, "not checked") for a in printed)
    result = "; ".join(f"{n} {kind}" for kind, n in counts.items()) or "none in the claims file"
    beside_r = sum(a.about == "native-r" and not a.passes and a.verdict != "not-run" for a in rows)
    owed = [f"pairproof and R differ in {beside_r} further numbers of these models."] if beside_r else []
    found = _fitting([*_findings(rows, (*_BY_WEIGHT, "immaterial")), *owed], FINDINGS) or (
        "Every number that was checked is reproduced.",
    )
    others = _fitting(_findings(rows, _OTHER), OTHERS)
    unchecked = _fitting(_unchecked(printed), NOT_CHECKED) or ("Everything in the claims file was checked.",)
    known = ", ".join(f"{name} {v}" for name, v in versions.items() if v is not None)
    blocks = (
        Paragraph(f"{len(printed)} printed numbers and statements: {result}."),
        *(Heading("Findings"), Bullets(found)),
        *((Heading("By another program's definition"), Bullets(others)) if others else ()),
        *(Heading("Not checked"), Bullets(unchecked)),
        Heading("Sources, and how to reproduce this page"),
        Table((Column("file", "left"), Column("SHA-256", "left")), tuple(_made_from(paper, hashes))),
        *(Code(command), Paragraph(f"With {known}.", aside=True), Paragraph(_CAVEAT, aside=True)),
    )
    about = (
        paper.title,
        paper.doi and f"doi {paper.doi}",
        paper.read_from and f"read from {paper.read_from}",
    )
    filled = (text for text in about if text and not text.endswith(UNFILLED))
    subtitle = shorten("; ".join(filled), 2 * LONGEST, placeholder=" ...")
    return Page(f"{paper.id}: the printed numbers compared with the deposited data", blocks, subtitle, _CSS)


def _findings(rows: Sequence[Agreement], weights: Sequence[str]) -> list[str]:
    """A sentence a finding with one of these verdicts, in their order, those first that nobody has accepted."""
    found: dict[tuple[str, str], list[Agreement]] = {}
    for a in sorted(rows, key=lambda a: a.about == "arithmetic"):
        if a.printed and a.about != "native-r" and a.verdict in weights:
            alike = str(a.quantity) if a.verdict.startswith("differs") else a.explanation
            found.setdefault((a.claim, a.finding or alike), []).append(a)
    come_out = Counter(a.claim for a in rows if a.about == "printed" and a.printed and a.verdict in AGREEING)
    order = sorted(found.values(), key=lambda some: (some[0].accepted, weights.index(some[0].verdict)))
    return [_sentence(some, come_out[some[0].claim]) for some in order]


def _sentence(rows: Sequence[Agreement], come_out: int) -> str:
    """ "Table 3: the deposited data give 0.919, but 0.948 is printed for the estimate of C (0.29 standard errors)."."""
    a, more, said = rows[0], [_called(b) for b in rows[1:]], _said(rows[0])
    if a.about == "statement":
        text = f"for \u201c{_short(a.printed or '')}\u201d the deposited data give: {said}"
    elif a.about == "arithmetic" or a.native is None:
        beside = "from the numbers beside it" if a.about == "arithmetic" else "from the deposited data"
        text = f"{a.printed} is printed for {_called(a)}; {beside}: {said}"
    else:
        apart = "" if a.size is None else f" ({size_in_words(a.size, a.quantity)})"
        ours = as_printed(a.native, a.printed or "")
        text = f"the deposited data give {ours}, but {a.printed} is printed for {_called(a)}{apart}"
        if a.verdict in _OTHER:
            text = f"{a.printed} is printed for {_called(a)}"
        text += f"; the same holds for {named(more, 4)}" if more else ""
        reading = re.search(r"reproduced if (.*)", said)
        if reading or a.verdict != "differs":
            text += f"; the printed value is reproduced if {reading[1]}" if reading else f"; {said}"
        elif come_out:
            text += f"; other numbers reproduced: {come_out}"
    return f"{_where(a)}: {text}{' (read and accepted)' if a.accepted else ''}."


def _said(a: Agreement) -> str:
    """The explanation without the code before it, which may be a judgment."""
    return _short(a.explanation.removeprefix(f"{a.code}: "))


def _short(text: str) -> str:
    return shorten(text, LONGEST, placeholder=" ...").rstrip(".")


def _where(a: Agreement) -> str:
    place = a.where or a.claim
    is_file = re.search(r"\.\w{1,5}$", place)  # it keeps its name
    return place if is_file else place[:1].upper() + place[1:]


def _called(a: Agreement) -> str:
    """ "the estimate of Gamma" of `estimate.Gamma`."""
    q = a.quantity if a.about != "arithmetic" else Quantity.parse(a.quantity.name)
    return f"{_OF[q.kind]} of {q.name}" if q.kind in _OF else _OF_FIT.get(q, str(q))


def _unchecked(printed: Sequence[Agreement]) -> list[str]:
    """What was not checked, by reason."""
    found: dict[str, list[Agreement]] = {}
    for a in printed:
        if a.verdict not in _KINDS:
            found.setdefault(_said(a), []).append(a)
    where = {why: named(dict.fromkeys(map(_where, some)), 3) for why, some in found.items()}
    return [f"{where[why]} ({len(some)}): {why}." for why, some in found.items()]


def _fitting(sentences: Sequence[str], lines: int) -> tuple[str, ...]:
    """The first that fit into so many lines, and how many more there are, and where."""
    shown: list[str] = []
    for sentence in sentences:
        lines -= math.ceil(len(sentence) / WIDTH)
        if lines < (len(shown) < len(sentences) - 1):
            more = f"... and {len(sentences) - len(shown)} more"
            return (*shown, f"{more}: add --report all.html to the command below to get all of them.")
        shown.append(sentence)
    return tuple(shown)


def _made_from(paper: Paper, hashes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield f"claims: {paper.source.rpartition('/')[2]}", hashes[""]
    files = [spec for spec in paper.data.values() if spec.file]
    for spec in files[:FILES]:
        same = hashes[spec.name] == spec.sha256.lower()
        yield f"data {spec.name}: {spec.file}", spec.sha256 if same else "not available in the version that the claims file states; not used"
    inside = [name for name, spec in paper.data.items() if not spec.file]
    if left := [spec.name for spec in files[FILES:]] + inside:
        yield f"data {named(left, 4)}", "inside the claims file"
