"""The words of a paper's `story.toml`, and the sections that the stories of several papers have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...files.packaged import packaged_toml
from ...report.blocks import Figure, Table
from ..report.context import Story
from ..verdicts.agreement import Agreement

#: Codes of rows where R has no numbers, by its own word.
OF_R = ("no-counterpart", "r-error")


@dataclass(frozen=True)
class Words:
    """Sections and sentences of the `story.toml` in a paper's folder; `{name.attribute:.3f}` is what was found."""

    folder: str

    @cached_property
    def _file(self) -> dict[str, Any]:
        return packaged_toml(self.folder, "story.toml")

    def say(self, sentence: str, **found: Any) -> str:
        """One of the sentences."""
        return _filled(self._file["sentences"][sentence], found)

    def section(
        self, name: str, table: Table | None = None, figures: Sequence[Figure] = (), **found: Any
    ) -> Story:
        """A section, with its table and figures."""
        of = self._file[name]
        paragraphs = tuple(_filled(text, found) for text in of["paragraphs"])
        return Story(of["title"].format_map(found), paragraphs, table, tuple(figures))


def _filled(text: str, found: Mapping[str, Any]) -> str:
    """On one line, with what was found in its places."""
    return text.strip().replace("\n", " ").format_map(found)


def told(
    title: str, said: Sequence[str], heads: Sequence[str], lines: Sequence[tuple[str, ...]], caption: str
) -> Story:
    """A section with a table; without lines there is no table."""
    return Story(title, tuple(said), Table(tuple(heads), tuple(lines), caption) if lines else None)


def beside_r(agreements: Sequence[Agreement], paper: str) -> list[Agreement]:
    """The paper's numbers that were compared with R."""
    return [a for a in agreements if a.paper == paper and a.about == "native-r"]


def fewest(digits: Iterable[float | None], without: str = "-") -> str:
    """The fewest digits; `without` where there are none."""
    known = [d for d in digits if d is not None]
    return f"{min(known):.1f}" if known else without


def _by_function(rows: Iterable[Agreement]) -> dict[str, list[Agreement]]:
    """Rows with a number of R's, by R function."""
    found: dict[str, list[Agreement]] = {}
    for a in rows:
        if a.r is not None:
            found.setdefault(a.r_call or "", []).append(a)
    return found


def asked_of_r(
    lines: Sequence[tuple[str, ...]], heads: Sequence[str], said: str, without: Iterable[str] = ()
) -> Story:
    """What R functions were asked, `said` where they were; `without`: what R has no numbers of."""
    first = said if lines else "R has no numbers here because it was not asked."
    heads, caption = ("R function", "numbers", "fewest digits in common", *heads), "Numbers by R function"
    return told("What was asked of R", (first, *dict.fromkeys(without)), heads, lines, caption)


def functions_and_sources(rows: Iterable[Agreement], said: str) -> Story:
    """Numbers and fewest digits by R function, and whether R was live or recorded."""
    lines = []
    for call, own in _by_function(rows).items():
        sources = ", ".join(sorted({a.r_source or "" for a in own}))
        lines.append((call, f"{len(own)}", fewest((a.digits for a in own), "by error"), sources))
    return asked_of_r(lines, ("R was",), said)


def functions_and_50_digits(rows: Sequence[Agreement], said: str, without: Iterable[str]) -> Story:
    """Numbers and fewest digits by R function, and how many of the 50 digits R has."""
    compared = (a for a in rows if a.r_arrived and a.digits is not None)
    lines = [
        (call, f"{len(own)}", fewest(a.digits for a in own), fewest(a.r_certified_digits for a in own))
        for call, own in _by_function(compared).items()
    ]
    return asked_of_r(lines, ("fewest of 50 digits",), said, without)


def digits_by_model(
    title: str, said: str, first: str, claims: Iterable[str], rows: Sequence[Agreement], once: bool
) -> Story:
    """pairproof's fewest digits in each certified model."""
    lines = []
    for claim in claims:
        own = [a for a in rows if a.claim == claim and a.certified_digits is not None]
        if own:
            worst = min(own, key=lambda a: a.certified_digits or 0.0)
            n = len({str(a.quantity) for a in own} if once else own)
            lines.append((claim, own[0].where, f"{n}", fewest([worst.certified_digits]), str(worst.quantity)))
    heads = (first, "description", "numbers", "fewest digits", "at")
    return told(title, (said,), heads, lines, "Digits of the 50-digit values that pairproof has")
