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

from ...report.blocks import Block, Bullets, Code, Column, Heading, Page, Paragraph, Table
from ...text import named
from ..claims.paper import Paper
from ..verdicts.agreement import AGREEING, Agreement

#: Lines of so many characters that findings, and what was not checked, have on the page; and data sets.
WIDTH, FINDINGS, NOT_CHECKED, DATA_SETS = 108, 26, 9, 5
#: Characters of a sentence of a page, and of an explanation.
LONGEST = 230
_CSS = """@page { size: A4; margin: 14mm 16mm; }
main { max-width: 46rem; } p, li { max-width: none; } h1 { font-size: 1.35rem; } footer { display: none; }
td { overflow-wrap: anywhere; }
@media print { body { font-size: 9.2pt; line-height: 1.32; } h1 { font-size: 13pt; } h2 { font-size: 10.5pt; margin: .7rem 0 .2rem; }
  ul { margin: .25rem 0; } p { margin: .2rem 0; } table { font-size: 8pt; margin: .2rem 0; } pre { font-size: 8pt; padding: 0; margin: .2rem 0; }
  th, td { padding: .1rem .5rem .1rem 0; } }
"""
_WORDS = {
    "estimate": "the estimate of", "se": "the standard error of", "z": "z of", "p": "the p-value of",
    "worth": "the worth of", "low": "the lower limit of", "high": "the upper limit of",
}  # fmt: skip
_OF_ALL = {"df_resid": "the residual df", "df_null": "the null df", "null_deviance": "the null deviance"}
_LIKE = {"aic": "AIC", "aic_glm": "AIC", "bic": "BIC", "llf": "the log-likelihood", "deviance": "the deviance"}
_FIRST = ("differs-conclusion", "differs", "not-estimable", "ambiguous", "explained")


def attachment(
    paper: Paper, rows: Sequence[Agreement], hashes: Mapping[str, str], versions: Mapping[str, str | None], command: str
) -> Page:
    """The page; `hashes` are of the files as they are, by data set, "" for the claims file; `command` makes it again."""
    printed = [a for a in rows if a.printed is not None and a.about in ("printed", "statement")]
    found, unchecked = _fitting(_findings(rows), FINDINGS), _fitting(_unchecked(printed), NOT_CHECKED)
    blocks: list[Block] = [Paragraph(_result(printed)), Heading("Findings")]
    blocks.append(Bullets(found) if found else Paragraph("Every number that was checked comes out."))
    blocks.append(Heading("Not checked"))
    blocks.append(Bullets(unchecked) if unchecked else Paragraph("Everything in the claims file was checked."))
    known = ", ".join(f"{name} {v}" for name, v in versions.items() if v is not None)
    blocks += [
        Heading("What it was made from, and how to make it again"),
        Table((Column("file", "left"), Column("SHA-256", "left")), tuple(_made_from(paper, hashes))),
        Code(command),
        Paragraph(f"With {known}.", aside=True),
        Paragraph(
            "What differs may lie in the page, in the deposited data, in their copying or in a model that the page does"
            " not state; the sentences above say only what the data as deposited give.",
            aside=True,
        ),
    ]
    about = [paper.title, paper.doi and f"doi {paper.doi}", paper.read_from and f"read from {paper.read_from}"]
    subtitle = shorten("; ".join(filter(None, about)), 2 * LONGEST, placeholder=" ...")
    return Page(f"{paper.id}: the printed numbers beside those of the deposited data", blocks, subtitle, _CSS)


def _result(printed: Sequence[Agreement]) -> str:
    """ "41 printed numbers and statements were looked at: 38 come out, ..."."""
    words = {
        **dict.fromkeys(AGREEING, "come out"),
        "agrees-other-definition": "by another program's definition",
        "immaterial": "with too small a difference to matter",
        **dict.fromkeys(_FIRST, "otherwise than the data as deposited give"),
    }
    counts = Counter(words.get(a.verdict, "not checked") for a in printed)
    kinds = dict.fromkeys((*words.values(), "not checked"))
    said = "; ".join(f"{kind}: {counts[kind]}" for kind in kinds if counts[kind]) or "none is in the claims file"
    return f"Of {len(printed)} printed numbers and statements, {said}."


def _findings(rows: Sequence[Agreement]) -> list[str]:
    """A sentence a finding, those first that nobody has accepted."""
    found: dict[tuple[str, ...], list[Agreement]] = {}
    for a in sorted(rows, key=lambda a: a.about == "arithmetic"):
        if a.verdict in _FIRST and a.about != "native-r" and (a.verdict != "not-estimable" or a.printed):
            together = a.finding or (a.explanation if a.verdict in ("explained", "ambiguous") else str(a.quantity))
            found.setdefault((a.claim, together), []).append(a)
    come_out = Counter(a.claim for a in rows if a.about == "printed" and a.printed and a.verdict in AGREEING)
    order = sorted(found.values(), key=lambda some: (some[0].accepted, _FIRST.index(some[0].verdict)))
    sentences = [_sentence(some, come_out[some[0].claim]) for some in order]
    beside_r = [a for a in rows if a.about == "native-r" and a.verdict in _FIRST and not a.passes]
    if beside_r:
        sentences.append(f"pairproof and R differ in {len(beside_r)} further numbers of these models; so much is open.")
    small = [a for a in rows if a.verdict in ("immaterial", "agrees-other-definition")]
    for words in dict.fromkeys(a.explanation for a in small):
        some = [a for a in small if a.explanation == words]
        sentences.append(f"{_where(some[0])}, {named([_called(a) for a in some], 4)}: {_said(some[0])}.")
    return sentences


def _sentence(rows: Sequence[Agreement], come_out: int) -> str:
    """ "Table 3: the data as deposited give 0.919 where 0.948 is printed for the estimate of C (0.29 standard errors)."."""
    a, more, said = rows[0], [_called(b) for b in rows[1:]], _said(rows[0])
    if a.about == "statement":
        text = f"beside \u201c{_short(a.printed or '')}\u201d the data as deposited give: {said}"
    elif a.about == "arithmetic":
        text = f"{a.printed or 'what'} is printed for {_called(a)}; from the numbers beside it: {said}"
    elif a.native is None:
        text = f"{a.printed} is printed for {_called(a)}; of the data as deposited: {said}"
    else:
        apart = "" if a.size is None else f" ({a.size:.2g} standard errors)"
        text = f"the data as deposited give {_as_printed(a)} where {a.printed} is printed for {_called(a)}{apart}"
        text += f"; so it is with {named(more, 4)}" if more else ""
        if reading := re.search(r"comes out if (.*)", said):
            text += f"; what is printed comes out if {reading[1]}"
        elif a.verdict in ("ambiguous", "differs-conclusion"):
            text += f"; {said}"
        elif come_out:
            one = come_out == 1
            text += f"; {come_out} other number{'' if one else 's'} beside it come{'s' if one else ''} out"
    return f"{_where(a)}: {text}{' (read and accepted)' if a.accepted else ''}."


def _said(a: Agreement) -> str:
    """The explanation without the code before it, which may be a judgment."""
    return _short(a.explanation.removeprefix(f"{a.code}: "))


def _where(a: Agreement) -> str:
    place = a.where or a.claim
    return place[:1].upper() + place[1:]


def _called(a: Agreement) -> str:
    """ "the estimate of Gamma" of `estimate.Gamma`."""
    q = a.quantity if a.about != "arithmetic" else type(a.quantity).parse(a.quantity.name)
    if q.kind in _WORDS:
        return f"{_WORDS[q.kind]} {q.name}"
    return {**_OF_ALL, **_LIKE}.get(q, str(q))


def _as_printed(a: Agreement) -> str:
    """The computed number with the decimals of the printed one, or as many more as tell them apart."""
    value, found = float(a.native or 0.0), re.search(r"\.([0-9]*)", a.printed or "")
    if "e" in (a.printed or "").lower() or not math.isfinite(value):
        return f"{value:.3g}"
    decimals = len(found[1]) if found else 0
    texts = (f"{value:.{k}f}" for k in range(decimals, decimals + 6))
    return next((t for t in texts if t != (a.printed or "").strip()), f"{value:.6g}")


def _short(text: str) -> str:
    return shorten(" ".join(text.split()), LONGEST, placeholder=" ...").rstrip(".")


def _unchecked(printed: Sequence[Agreement]) -> list[str]:
    """What was not checked, by reason."""
    found: dict[str, list[Agreement]] = {}
    for a in printed:
        if a.verdict in ("not-checkable", "not-run"):
            found.setdefault(_said(a), []).append(a)
    return [
        f"{named(dict.fromkeys(map(_where, some)), 3)} ({len(some)}): {why}." for why, some in found.items()
    ]


def _fitting(sentences: Sequence[str], lines: int) -> tuple[str, ...]:
    """The first that fit into so many lines, and how many more there are, and where."""
    used, shown = 0, 0
    for sentence in sentences:
        used += math.ceil(len(sentence) / WIDTH)
        if used > lines - (shown < len(sentences) - 1):
            break
        shown += 1
    left = len(sentences) - shown
    more = (f"... and {left} more: add --report all.html to the command below, which writes all.",) if left else ()
    return (*sentences[:shown], *more)


def _made_from(paper: Paper, hashes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield f"claims: {paper.source.rpartition('/')[2]}", hashes[""]
    files = [spec for spec in paper.data.values() if spec.file]
    for spec in files[:DATA_SETS]:
        same = hashes[spec.name] == spec.sha256.lower()
        yield f"data {spec.name}: {spec.file}", spec.sha256 if same else "not here as the claims file states it; not used"
    if len(files) > DATA_SETS:
        yield f"{len(files) - DATA_SETS} more files", "in the claims file, with their hashes"
    if inline := [name for name, spec in paper.data.items() if not spec.file and not spec.from_]:
        yield f"data {named(inline, 4)}", "in the claims file itself"
