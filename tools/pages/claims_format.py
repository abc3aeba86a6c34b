"""The page of claims files: every key, quantity, verdict and code, from the definitions that the reader itself uses.

`python -m tools.pages docs/claims-format.md` makes the page anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args, get_origin

from pairproof.validation.claims import quantities
from pairproof.validation.claims.entries import Cell, Entry, PrintedText, choices, entries
from pairproof.validation.claims.paper import Claim, DataSpec, ModelClaim, Paper, PrintedEntries, Reading
from pairproof.validation.report.notation import SIGNS
from pairproof.validation.slips.catalogue import families
from pairproof.validation.verdicts.agreement import AGREEING, VERDICTS, VOCABULARY

from .tables import markdown

_PLAIN: Mapping[Any, str] = {
    str: "text",
    PrintedText: "printed number",
    bool: "true or false",
    float: "number",
    Cell: "text, number, true or false",
}


def kind_in_words(e: Entry, kind: Any) -> str:
    """The type of a value as a reader of TOML says it."""
    if is_dataclass(kind):
        assert isinstance(kind, type)
        return f"table, [see below](#{_NAMES[kind]})"
    if allowed := [v for v in choices(kind) if v != ""]:
        return ", ".join(f"`{v}`" if isinstance(v, str) else str(v) for v in allowed)
    if get_origin(kind) is Mapping:
        inner = get_args(kind)[1]
        return "table" if inner is Any else f"table of name = {kind_in_words(e, inner)}"
    if get_origin(kind) is tuple:
        inner, *rest = get_args(kind)
        if rest != [...]:
            return "pair of texts"
        return f"list of: {kind_in_words(e, inner)}" + ("; or one alone" if e.or_one else "")
    return e.expected if e.expected and kind is str else _PLAIN[kind]


_NAMES = {Paper: "paper", DataSpec: "dataname", ModelClaim: "model", Reading: "claimreading", Claim: "claim"}


def default_in_words(table: Any, e: Entry) -> str:
    """The default as TOML; "required" where there is none, "" where an absent key says nothing."""
    if e.required:
        return "required"
    (value,) = (f.default for f in fields(table) if f.name == e.name)
    if value in (None, "", (), MISSING):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return "`[" + ", ".join(f'"{v}"' for v in value) + "]`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value:g}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def keys(table: type, of: Callable[[str], bool] = lambda key: True) -> str:
    """A row a key: its value, default and meaning."""
    rows = [
        (f"`{key}`", _cell(kind_in_words(e, e.kind)), _cell(default_in_words(table, e)), _cell(e.meaning))
        for key, e in entries(table).items()
        if of(key)
    ]
    return markdown(("key", "value", "default", "meaning"), rows, 9)


def _is_printed(key: str) -> bool:
    return key in entries(PrintedEntries)


def quantity_rows() -> list[tuple[str, str]]:
    """The table of names in the docstring of the module that computes them: names, and what they are."""
    text = (quantities.__doc__ or "").split("=\n", 1)[1]
    body = text[: text.rindex("\n=====")]
    rows: list[list[str]] = []
    for line in body.splitlines():
        if not line.strip() or set(line) <= {"=", " "}:
            continue
        name, meaning = line[:39].strip(), line[39:].strip()
        if name:
            rows.append([name, meaning])
        else:
            rows[-1][1] += f" {meaning}"
    return [(name, meaning) for name, meaning in rows]


def named_kinds() -> set[str]:
    """The kinds that the table names."""
    found = set()
    for name, meaning in quantity_rows():
        for text in re.findall(r"``([^`]+)``", f"{name} {meaning}"):
            found.add(text.partition(".")[0])
    return found


def quantity_table() -> str:
    """The quantities, and under them the kinds that the table does not name, so that none is missing."""
    rows = [
        (n.replace("``", "`"), _cell(re.sub(r":mod:`\.?([\w.]+)`", r"`\1`", m).replace("``", "`")))
        for n, m in quantity_rows()
    ]
    left = [kind for kind in quantities.KINDS if kind not in named_kinds()]
    more = f"\nFurther: {', '.join(f'`{kind}`' for kind in left)}.\n" if left else ""
    return markdown(("name", "number"), rows, 9) + more


def verdict_table() -> str:
    """The verdicts, their meaning, and the exit code that each leads to."""

    def ends(verdict: str) -> str:
        if verdict in AGREEING or verdict in ("immaterial", "not-checkable"):
            return "0"
        return {"not-run": "2, if it was required", "not-estimable": "1, if it is printed"}.get(
            verdict, "1, or 0 if its code is in `accept`"
        )

    meanings = VOCABULARY["verdicts"]
    rows = [(f"`{v}`", f"`{SIGNS[v]}`", _cell(meanings[v]), ends(v)) for v in VERDICTS]
    return markdown(("verdict", "sign", "meaning", "exit code"), rows, 9)


def code_table() -> str:
    """The codes, which say why a row has its verdict."""
    return markdown(("code", "meaning"), [(f"`{c}`", _cell(m)) for c, m in VOCABULARY["codes"].items()], 9)


def slip_table() -> str:
    """The families of slips that the search tries; their names are codes, too."""
    rows = [(f"`{name}`", _cell(f.what), _cell(f.seen)) for name, f in families().items()]
    return markdown(("code", "what was done", "where it was seen"), rows, 9)


BLOCKS: Mapping[str, Callable[[], str]] = {
    "claims-paper": lambda: keys(Paper),
    "claims-data": lambda: keys(DataSpec),
    "claims-claim": lambda: keys(Claim, lambda key: not _is_printed(key)),
    "claims-printed": lambda: keys(PrintedEntries),
    "claims-model": lambda: keys(ModelClaim),
    "claims-reading": lambda: keys(Reading),
    "claims-quantities": quantity_table,
    "claims-verdicts": verdict_table,
    "claims-codes": code_table,
    "claims-slips": slip_table,
}
